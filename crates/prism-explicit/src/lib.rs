//! Readers and writers of the explicit model files of PRISM and Storm.

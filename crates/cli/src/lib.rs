//! The command line of maxend.

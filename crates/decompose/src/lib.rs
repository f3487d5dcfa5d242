//! Strongly connected components and maximal end components.

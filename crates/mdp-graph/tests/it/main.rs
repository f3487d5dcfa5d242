//! The graph, its components and its tables, against naive counterparts.

mod graph;
mod table;

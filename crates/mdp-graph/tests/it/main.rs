//! The graph, its components and layouts, against naive counterparts.

mod graph;
mod segments;
mod table;

//! Tests that compare the graph, its components and its tables with naive counterparts.

mod graph;
mod table;

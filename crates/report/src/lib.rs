//! Decompositions as text, JSON and Graphviz drawings.

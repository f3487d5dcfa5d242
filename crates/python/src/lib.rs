//! The module `maxend._maxend`, which Python loads: graphs over arrays that Python owns, models of
//! files, and what is computed from them. Users import the package `python/maxend`, which is
//! written in Python and has the documentation.
//!
//! Arrays are passed by Python's buffer protocol, and are not copied. Results are returned as
//! bytes, which numpy uses without a copy.

mod borrowed;
mod components;
mod cycle_mean;
mod distances;
mod failure;
mod file;
mod graph;
mod long_run;
mod numbers;
mod options;
mod quotient;
mod rewards;
mod rows;
mod supervise;

use pyo3::prelude::*;

/// Graphs, files and results; see the package `maxend`.
#[pymodule]
mod _maxend {
    #[pymodule_export]
    use crate::components::Components;
    #[pymodule_export]
    use crate::cycle_mean::cycle_mean;
    #[pymodule_export]
    use crate::distances::Distances;
    #[pymodule_export]
    use crate::file::{File, read};
    #[pymodule_export]
    use crate::graph::Graph;
    #[pymodule_export]
    use crate::long_run::long_run;
    #[pymodule_export]
    use crate::numbers::Numbers;
    #[pymodule_export]
    use crate::options::limited_threads;
    #[pymodule_export]
    use crate::quotient::Quotient;
    #[pymodule_export]
    use crate::rows::Rows;

    /// The version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}

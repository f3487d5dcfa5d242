//! What commands and other programs compute on the devices of a plan: [`crate::commands`] print it,
//! and [`crate::library`] returns it.

pub(crate) mod bfs;
pub(crate) mod cycle_mean;
pub(crate) mod explored;
pub(crate) mod long_run;

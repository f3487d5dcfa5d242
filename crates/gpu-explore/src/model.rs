//! [`Model`]: the model that a search explores.

use explore::States;
use lts_network::Network;
use prism_language::WordTables;

/// The model that a search explores.
#[derive(Clone, Copy, Debug)]
pub enum Model<'a> {
    /// A network of labelled transition systems. Each transition is a choice with one branch.
    Network(&'a Network),
    /// A program in PRISM's language. A search ends with [`Error::Broken`](crate::Error::Broken) at
    /// a state whose successors cannot be computed, or cannot be computed in 32 bits.
    Program {
        /// The tables from which the successors of a state are computed.
        tables: &'a WordTables,
        /// The initial states, in the order of the search, and all different.
        initial: &'a States,
    },
}

impl<'a> From<&'a Network> for Model<'a> {
    fn from(network: &'a Network) -> Self {
        Self::Network(network)
    }
}

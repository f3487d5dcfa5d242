//! The formats that models are written in, for the option `--to` of several commands.

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum To {
    /// Explicit transitions in PRISM's dialect, with a header of counts
    Prism,
    /// Explicit transitions in Storm's dialect, with the model's type as first word
    Storm,
    /// Unified Markov Binary, an archive
    Umb,
    /// A labelled transition system in the Aldebaran format; with mCRL2's extension, if there are
    /// probabilities
    Aut,
    /// Storm's text format
    Drn,
}

//! The help texts of options that several commands have.

pub(super) const PROGRAM: &str = "The model: in PRISM's language (.prism, .nm, .pm, .sm) or JANI \
    (.jani), plain or compressed (.gz, .xz, .zst); \"-\" is standard input";

pub(super) const EXPLORED: &str = "The model: in PRISM's language (.prism, .nm, .pm, .sm) or JANI \
    (.jani), a labelled transition system (.aut), or a network of these (.exp), plain or \
    compressed (.gz, .xz, .zst); \"-\" is standard input";

pub(super) const OUTPUT: &str = "Write to this file, which appears when it is complete; compressed \
    if its name ends in .gz; \"-\" is standard output [default: -]";

pub(super) const STATES: &str = "Read the values of variables from this file [default: those in \
    MODEL, or in X.sta or X.sta.gz beside MODEL X.tra]";

pub(super) const ADAPTER: &str = "Use the adapter whose name, as `maxend devices` prints it, \
    contains TEXT, even if it is software";

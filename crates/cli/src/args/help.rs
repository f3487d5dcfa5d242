//! The help texts of options that several commands have.

pub(super) const PROGRAM: &str = "The model: in PRISM's language (.prism, .nm, .pm, .sm) or JANI \
    (.jani), plain or compressed (.gz, .xz, .zst); \"-\" is standard input";

pub(super) const EXPLORED: &str = "The model: in PRISM's language (.prism, .nm, .pm, .sm) or JANI \
    (.jani), a labelled transition system (.aut), or a network of such (.exp), plain or \
    compressed (.gz, .xz, .zst); \"-\" is standard input";

pub(super) const OUTPUT: &str = "Where to print: a file that appears once it is whole, compressed \
    if its name ends in .gz [default: standard output]";

pub(super) const STATES: &str = "The values of the variables [default: those of MODEL itself, or \
    X.sta or X.sta.gz beside MODEL X.tra]";

pub(super) const ADAPTER: &str = "Use the adapter whose name contains TEXT, as `maxend devices` \
    prints it, software too";

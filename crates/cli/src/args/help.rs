//! The help texts of options that several commands have.

pub(super) const OUTPUT: &str = "Where to print: a file that appears once it is whole, compressed \
    if its name ends in .gz [default: standard output]";

pub(super) const STATES: &str = "The values of the variables [default: those of MODEL itself, or \
    X.sta or X.sta.gz beside MODEL X.tra]";

pub(super) const ADAPTER: &str = "Use the adapter whose name contains TEXT, as `maxend devices` \
    prints it, software too";

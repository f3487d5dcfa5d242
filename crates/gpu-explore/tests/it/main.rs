//! Tests that explorations on a device are the same as on the CPU, bit by bit, and of the reasons
//! for which they end early.

#[path = "../../examples/common/networks.rs"]
mod cases;
#[path = "../../../gpu/tests/common/mod.rs"]
mod common;
mod counting;
mod fixtures;
mod goals;
mod limits;
mod memory;
#[path = "../../../lts-network/tests/it/networks.rs"]
mod networks;
#[path = "../../../lts-network/tests/it/oracle.rs"]
mod oracle;
mod paper;
mod programs;
mod random;
#[path = "../../../prism-language/tests/it/random_text.rs"]
mod random_text;
mod resident;
mod same;

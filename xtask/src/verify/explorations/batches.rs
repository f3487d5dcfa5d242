//! Networks whose batches have to be cut, and a program whose candidates take several blocks.

use lts_formats::Behaviour;

use super::processes::labelled;
use super::setup::{Setup, USUAL};
use crate::rng::Rng;

/// The largest number of candidates of a batch that is cut.
const CANDIDATES: u32 = 1000;

/// Returns networks, each with a name and the way to explore it.
pub(super) fn batches(rng: &mut Rng) -> Vec<(&'static str, Setup, Behaviour)> {
    let cut = Setup {
        candidates: Some(CANDIDATES),
        ..USUAL
    };
    vec![
        ("batch cut in a block", cut, cut_before_last(rng, 300, 255)),
        ("batch cut at its end", cut, cut_before_last(rng, 200, 199)),
    ]
}

/// Returns a process whose first state leads to `states` others. The successors of those before the
/// state `heavy` fit into a batch, and those of this state do not.
fn cut_before_last(rng: &mut Rng, states: u32, heavy: u32) -> Behaviour {
    let each = CANDIDATES * 4 / 5 / heavy;
    let many = 300 + rng.below(20);
    let first_leaf = 1 + states;
    let mut all: Vec<_> = (1..first_leaf).map(|to| (0, "a", to)).collect();
    for state in 0..states {
        let successors = if state == heavy { many } else { each };
        let first = rng.below(many + 1 - successors);
        let leaves = (first..first + successors).map(|leaf| first_leaf + leaf);
        all.extend(leaves.map(|to| (1 + state, "a", to)));
    }
    labelled(first_leaf + many, 0, all)
}

/// Returns a program, and the way to explore it. Its candidates take two blocks, one workgroup
/// deals with them in turn, and all of them lead to the same state, whose number is one more than
/// the place of the last candidate.
pub(super) fn same_target(rng: &mut Rng) -> (Setup, String) {
    let setup = Setup {
        candidates: Some(1 << 14),
        workgroups: Some(1),
        ..USUAL
    };
    let last = 2048 + rng.below(40);
    let text = format!(
        "mdp\nmodule m x: [0..{last}]; y: [0..1];\n[] y=0 -> (x'=0)&(y'=1);\nendmodule\n\
         init y=0 endinit\n"
    );
    (setup, text)
}

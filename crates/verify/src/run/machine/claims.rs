//! Functions that a kernel promises to return true at most once in a dispatch for the same
//! arguments (`promise.rs`).

use std::collections::HashMap;

use super::super::code::NONE;
use super::super::finding::{Fault, Finding};
use super::{Machine, offset};

/// For each function and the arguments for which it has returned true: to whom, and where that one
/// has called it.
pub(super) type Claims = HashMap<(String, Vec<u32>), (u32, u32)>;

impl Machine<'_> {
    /// Notes that a function returns about which there is a promise.
    pub(super) fn claim(&mut self, claim: u32, frame: &[u32], who: u32) {
        let launch = self.launch;
        let claim = &launch.code.claims[claim as usize];
        let is_promised = claim.condition == NONE || offset(frame, claim.condition) != 0;
        if !is_promised || frame[claim.result as usize] == 0 {
            return;
        }
        let words = |&(register, n): &(u32, u32)| &frame[register as usize..][..n as usize];
        let arguments: Vec<u32> = claim.arguments.iter().flat_map(words).copied().collect();
        let pc = frame[claim.back as usize] - 1;
        let key = (claim.function.clone(), arguments);
        let Some((other, other_pc)) = self.claims.insert(key.clone(), (who, pc)) else {
            return;
        };
        self.findings.add(Fault::Claim, &[other_pc, pc], || {
            let (function, arguments) = key;
            let arguments: Vec<String> = arguments.iter().map(u32::to_string).collect();
            let at = |who: u32, pc: u32| {
                let who = format!("{} is told so", launch.invocation(who));
                (who, launch.code.place(pc))
            };
            Finding {
                fault: Fault::Claim,
                message: format!("`{function}({})` is true twice", arguments.join(", ")),
                at: vec![at(other, other_pc), at(who, pc)],
            }
        });
    }
}

//! Memories of any size tell the same.

use super::{Scratch, Visitor};
use crate::composition::ActionId;
use crate::program::Program;
use std::ops::ControlFlow;

/// Modules that read much and little, synchronise, share bundles, and only test others' variables.
const MODEL: &[u8] = b"
mdp
global g : [0..3];
module walk
  x : [0..40];
  [] x<40 -> 0.5 : (x'=x+1) + 0.25 : (x'=0) + 0.25 : (x'=min(40, x+g));
  [put] mod(x, 3)=0 -> (x'=max(x-5, 0));
  [put] x>20 -> 0.5 : true + 0.5 : (x'=20);
endmodule
module other = walk [x=y] endmodule
module watch
  z : [0..2];
  [put] z<2 -> (z'=z+1);
  [put] x+y>20 -> (z'=0);
  [] z=2 -> (z'=0) & (g'=mod(g+1, 4));
endmodule
module look
  w : [0..2];
  [] w<2 & x!=13 & x!=0 & mod(y, 7)>4 -> (x>30 ? 1 : 0.5) : (w'=w+1) + (x>30 ? 0 : 0.5) : true;
  [] w=2 & (y<9 | mod(x, 5)=1) -> (w'=min(1, floor(y/25)));
endmodule
";

/// The bits of a branch's weight, and its target.
type Branch = (u64, Vec<u64>);

/// What a visitor is told.
#[derive(Default)]
struct Told(Vec<(Option<ActionId>, Vec<Branch>)>);

impl Visitor for Told {
    fn choice(&mut self, action: Option<ActionId>) {
        self.0.push((action, Vec::new()));
    }

    fn branch(&mut self, weight: f64, target: &[u64]) {
        let (_, branches) = self.0.last_mut().expect("a choice comes first");
        branches.push((weight.to_bits(), target.to_vec()));
    }
}

fn told(program: &Program, scratch: &mut Scratch, state: &[u64]) -> Told {
    let mut told = Told::default();
    let done = program.successors(scratch, state, &mut told);
    done.expect("the model is right");
    told
}

/// Returns some reachable states, found by a simple search, and the choices of each.
fn found(program: &Program) -> Vec<(Vec<u64>, Told)> {
    let mut states: Vec<Vec<u64>> = Vec::new();
    let initial = program.initial_states(|state| {
        states.push(state.to_vec());
        ControlFlow::Continue(())
    });
    initial.expect("there is one");
    let mut found = Vec::new();
    let mut next = 0;
    while next < states.len() && next < 3000 {
        let state = states[next].clone();
        next += 1;
        let told = told(program, &mut program.scratch(), &state);
        for (_, target) in told.0.iter().flat_map(|choice| &choice.1) {
            if !states.contains(target) {
                states.push(target.clone());
            }
        }
        found.push((state, told));
    }
    found
}

#[test]
fn memories_of_any_size_tell_the_same() {
    let model = crate::parse(MODEL).expect("the model is right");
    let program = model.compile(&[]).expect("the model is right");
    let found = found(&program);
    assert!(found.len() > 1000, "only {} states", found.len());
    for max_bytes in [0, 2000, 10_000, 1 << 20] {
        // Asked often in a row, a memory is of use however small it is; asked once, it is given up.
        for times in [1, 20] {
            let mut scratch = Scratch::with_memories(&program, max_bytes);
            for (state, expected) in &found {
                for _ in 0..times {
                    let told = told(&program, &mut scratch, state);
                    assert_eq!(told.0, expected.0, "{}", program.show(state));
                }
            }
            // What is added last may be more than was left, and room is made by doubling.
            let most = program.bundles.len() * (2 * max_bytes + 2000);
            assert!(scratch.bytes() <= most, "{} > {most}", scratch.bytes());
        }
    }
}

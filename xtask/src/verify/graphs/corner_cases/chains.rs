//! Chains of states that are trimmed one after the other.

use verify::small::Model;

use crate::rng::Rng;

/// The state to which choices leave for good.
const SINK: u32 = 0;

/// Returns two long chains, which are trimmed from their beginnings in the second round, after two
/// choices have been removed. The only choice of every third state may also lead to a short chain,
/// at the end of which there is an absorbing state: this state is trimmed too, and all that lead to
/// it. The state after it has one choice, to the next state of the long chain. If that next state
/// is trimmed, and this one is not, then this one seems to have lost no choice, and to be an end
/// component.
pub(super) fn crossed_chains(rng: &mut Rng) -> Model {
    let mut model: Model = vec![vec![vec![SINK]]];
    for _ in 0..2 {
        let length = 45 + 3 * rng.below(6);
        let first = model.len() as u32;
        // The state before the chain, the chain in a random order, and a state that leads to the
        // short chain.
        let order = rng.order(length);
        let place = |at: u32| first + 1 + order[at as usize];
        let before_short = first + 1 + length;
        let short = before_short + 1;
        let last = short + 4 + rng.below(2);
        let mut chain = vec![Vec::new(); length as usize];
        for at in 0..length {
            let next = match at + 1 < length {
                true => vec![place(at + 1)],
                false => vec![first, SINK],
            };
            chain[order[at as usize] as usize] = match at % 3 {
                0 => vec![vec![place(at + 1), short]],
                1 => vec![next],
                _ => vec![next, vec![before_short]],
            };
        }
        model.push(vec![vec![place(0)]]);
        model.extend(chain);
        model.push(vec![vec![short]]);
        model.extend((short..last).map(|state| vec![vec![state + 1]]));
        model.push(vec![vec![last], vec![first, SINK]]);
    }
    model
}

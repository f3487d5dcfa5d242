//! Components as numbers instead of their smallest states, and sets of states as bits, in the form
//! that archives need. Each worker has the data of its range.

use super::ComponentLabels;
use crate::net::Net;
use crate::part::Part;

/// Returns the number of the component of each own state. Components are numbered from 1 in the
/// order of their smallest states; 0 means that the state is in none.
pub fn component_numbers(part: &Part, labels: &ComponentLabels, net: &mut Net<'_>) -> Vec<u64> {
    let ranges = part.ranges();
    let is_first = |own: u32| labels.get(own) == Some(part.global(own));
    let named = part.states().filter(|&own| is_first(own)).count() as u64;
    let before: u64 = net.gather(named)[..net.me()].iter().sum();
    let mut numbers = vec![0; part.num_own()];
    let first = (before + 1..).zip(part.states().filter(|&own| is_first(own)));
    for (number, own) in first {
        numbers[own as usize] = number;
    }
    // Other workers know the numbers of the components that begin in their ranges.
    let place = |label: u64| ranges.place_of(label);
    let mut asked: Vec<u64> = labels.iter().flatten().collect();
    asked.retain(|&label| place(label).0 != net.me());
    asked.sort_unstable();
    asked.dedup();
    let mut outbox = net.outbox::<u32>();
    for &label in &asked {
        let (owner, own) = place(label);
        outbox.push(net, owner, own);
    }
    let questions = net.exchange(outbox);
    let mut outbox = net.outbox::<u64>();
    for (asker, own) in questions {
        outbox.push(net, asker, numbers[own as usize]);
    }
    // Answers are in the order of the owners, and therefore in the order of the requests.
    let answers: Vec<u64> = net.exchange(outbox).into_iter().map(|(_, n)| n).collect();
    for own in part.states() {
        let Some(label) = labels.get(own) else {
            continue;
        };
        numbers[own as usize] = match (place(label), asked.binary_search(&label)) {
            (_, Ok(question)) => answers[question],
            // The component does not begin after the state, and has its number.
            ((_, first), Err(_)) => numbers[first as usize],
        };
    }
    numbers
}

/// Returns the own states for which `contains` holds, as bits of words. If the words of all workers
/// are concatenated, bit `i % 64` of word `i / 64` belongs to the `i`th state. A word is on the
/// worker whose range contains its first state.
pub fn words_of(part: &Part, mut contains: impl FnMut(u32) -> bool, net: &mut Net<'_>) -> Vec<u64> {
    let ranges = part.ranges();
    let first = ranges.start_of(0);
    let start = ranges.start_of(net.me()) - first;
    let end = start + part.num_own() as u64;
    let begin = start.div_ceil(64);
    let mut words = vec![0u64; end.div_ceil(64).saturating_sub(begin) as usize];
    let mut before = 0u64;
    for own in part.states().filter(|&own| contains(own)) {
        let state = start + u64::from(own);
        let bit = 1 << (state % 64);
        match (state / 64).checked_sub(begin) {
            Some(word) => words[word as usize] |= bit,
            None => before |= bit,
        }
    }
    let mut outbox = net.outbox::<[u64; 2]>();
    if before != 0 {
        let word = start / 64;
        let owner = ranges.place_of(first + 64 * word).0;
        outbox.push(net, owner, [word, before]);
    }
    for (_, [word, bits]) in net.exchange(outbox) {
        words[(word - begin) as usize] |= bits;
    }
    words
}

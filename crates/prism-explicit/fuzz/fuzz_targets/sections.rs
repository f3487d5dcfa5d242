//! Reads arbitrary bytes as a combined file. Checks that nothing panics, that sections do not
//! overlap and begin at the beginning of a line, and that the reader of each section either refuses
//! it or reads it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use prism_explicit::{
    ReadOptions, read_labels, read_observations, read_state_rewards, read_states,
    read_transition_rewards, read_transitions, sections,
};
use std::ops::Range;

fuzz_target!(|input: &[u8]| {
    let found = match sections(input) {
        Ok(found) => found,
        Err(error) => {
            assert!(!error.to_string().contains('\n'));
            return;
        }
    };
    let rewards = found.rewards.iter();
    let rewards = rewards.flat_map(|rewards| [&rewards.states, &rewards.transitions]);
    let others = [&found.states, &found.observations, &found.labels];
    let others = others.into_iter().chain(rewards).flatten();
    let mut all: Vec<Range<usize>> = others.cloned().chain([found.transitions]).collect();
    all.sort_by_key(|range| (range.start, range.end));
    for pair in all.windows(2) {
        assert!(pair[0].end <= pair[1].start, "sections overlap");
    }
    let options = ReadOptions::default();
    for range in all {
        assert!(range.start <= 3 || input[range.start - 1] == b'\n');
        let text = &input[range];
        let _ = read_transitions(text, &options);
        let _ = read_states(text, Some(2), &options);
        let _ = read_observations(text, Some(2), &options);
        let _ = read_labels(text, Some(2), &options);
        let _ = read_state_rewards(text, 2, &options, |_, _| ());
        let _ = read_transition_rewards(text, 2, Some(0..=u64::MAX), &options, |_, _| Ok(()));
    }
});

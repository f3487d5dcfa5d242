//! Reads arbitrary bytes as rewards of states and of transitions, in models with and without
//! choices. Checks that the readers do not panic, and that rewards that are read can be written and
//! read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use prism_explicit::{
    ReadOptions, RewardedTransition, read_state_rewards, read_transition_rewards,
    write_state_rewards, write_transition_rewards,
};

const STATES: u32 = 9;

fn of_states(input: &[u8], options: &ReadOptions<'_>) -> Option<(Option<String>, Vec<f64>)> {
    let mut rewards = vec![0.0; STATES as usize];
    let each = |state: u32, reward: prism_explicit::Reward| {
        rewards[state as usize] = reward.to_f64();
    };
    match read_state_rewards(input, STATES, options, each) {
        Ok(name) => Some((name, rewards)),
        Err(error) => {
            assert!(!error.to_string().contains('\n'));
            None
        }
    }
}

type Lines = Vec<(RewardedTransition, f64)>;

fn of_transitions(
    input: &[u8],
    has_choices: bool,
    options: &ReadOptions<'_>,
) -> Option<(Option<String>, Lines)> {
    let mut lines = Lines::new();
    let each = |transition: RewardedTransition, reward: prism_explicit::Reward| {
        assert!(transition.state < STATES && (has_choices || transition.choice == 0));
        lines.push((transition, reward.to_f64()));
        Ok(())
    };
    let num_choices = has_choices.then_some(0..=u64::MAX);
    match read_transition_rewards(input, STATES, num_choices, options, each) {
        Ok(name) => Some((name, lines)),
        Err(error) => {
            assert!(!error.to_string().contains('\n'));
            None
        }
    }
}

fuzz_target!(|input: &[u8]| {
    let options = ReadOptions::default();
    if let Some((name, rewards)) = of_states(input, &options) {
        let mut written = Vec::new();
        write_state_rewards(&mut written, name.as_deref(), &rewards)
            .expect("memory can be written");
        assert_eq!(of_states(&written, &options), Some((name, rewards)));
    }
    for has_choices in [false, true] {
        if let Some((name, lines)) = of_transitions(input, has_choices, &options) {
            let mut written = Vec::new();
            let counts = (STATES, has_choices.then_some(0));
            let rows = || lines.iter().copied();
            write_transition_rewards(&mut written, name.as_deref(), counts, rows)
                .expect("memory can be written");
            let again = of_transitions(&written, has_choices, &options);
            assert_eq!(again, Some((name, lines)));
        }
    }
});

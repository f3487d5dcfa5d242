//! Reads arbitrary bytes as a transitions file. Checks that the reader does not panic or exceed the
//! limit on the number of states, that reading in chunks and in order have the same result, and
//! that a model that is read can be written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use prism_explicit::{
    Choice, Dialect, ReadOptions, TransitionsWriter, Visitor, WriteOptions, visit_in_order,
    visit_transitions,
};

#[derive(Default)]
struct Seen(Vec<(u32, u32, Option<String>, Vec<u32>, Vec<f64>, Vec<f64>)>);

impl Visitor for Seen {
    fn choice(&mut self, choice: Choice<'_>) {
        let Choice { state, index, action, targets, values, lower, .. } = choice;
        assert!(!targets.is_empty() && targets.len() == values.len());
        assert!(values.iter().all(|&value| value > 0.0 && value.is_finite()));
        assert!(lower.is_empty() || lower.len() == values.len());
        assert!(lower.iter().zip(values).all(|(low, high)| (0.0..=*high).contains(low)));
        let action = action.map(str::to_owned);
        self.0.push((state, index, action, targets.to_vec(), values.to_vec(), lower.to_vec()));
    }
}

fuzz_target!(|input: &[u8]| {
    let options = ReadOptions { chunk_bytes: 8, ..ReadOptions::default() };
    let mut in_order = Seen::default();
    let info = visit_in_order(input, &options, &mut in_order);
    let in_chunks = visit_transitions(input, &options, |_, _| Seen::default());
    let info = match (info, in_chunks) {
        (Ok(info), Ok(visited)) => {
            assert_eq!(info, visited.info);
            let joined: Vec<_> = visited.chunks.into_iter().flat_map(|seen| seen.0).collect();
            assert_eq!(in_order.0, joined);
            info
        }
        (Err(one), Err(other)) => {
            assert_eq!(one, other);
            assert!(!one.to_string().contains('\n'));
            return;
        }
        (one, other) => panic!("{one:?} in order, {:?} in chunks", other.map(|visited| visited.info)),
    };
    let mut written = Vec::new();
    let style = WriteOptions::new(Dialect::Prism);
    let mut writer =
        TransitionsWriter::new(&mut written, style, &info).expect("memory can be written");
    visit_in_order(input, &options, &mut writer).expect("it was read before");
    if let Err(error) = writer.finish() {
        assert!(info.observations.is_some(), "{error}");
        return; // only a branch of value 0 leads to some state
    }
    if info.num_states as u64 > written.len() as u64 + prism_explicit::STATE_SLACK {
        return; // the comments of the input paid for these states
    }
    let mut again = Seen::default();
    let same =
        visit_in_order(&written, &options, &mut again).expect("what was written can be read");
    assert_eq!((same.num_states, same.model_type), (info.num_states, info.model_type));
    assert_eq!(in_order.0, again.0);
});

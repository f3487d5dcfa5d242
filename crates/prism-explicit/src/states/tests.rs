//! Tests that the fast path of states files and the grammar agree.

use super::*;
use proptest::prelude::*;
use std::sync::atomic::AtomicU64;

/// Reads a file as the grammar does.
fn by_grammar(input: &[u8], num_states: Option<u32>) -> Result<States, Error> {
    let options = ReadOptions::default();
    let mut reader = StatesReader::new(crate::FileKind::States, input, num_states, &options);
    let file = reader.file;
    let read = reader
        .read_variables()
        .and_then(|start| file.for_each_line(start, |line| reader.read_row(line)))
        .and_then(|()| reader.check_count());
    match read {
        Ok(()) => Ok(reader.states),
        Err(fault) => Err(fault.locate(input)),
    }
}

/// Returns whether the fast path reads all rows but the first.
fn is_plain(input: &[u8]) -> bool {
    let options = ReadOptions::default();
    let mut reader = StatesReader::new(crate::FileKind::States, input, None, &options);
    let start = reader.read_variables().expect("variables");
    let second = reader.read_first_row(start).expect("a first row");
    reader.read_plain_rows(second).expect("nobody interrupts")
}

fn text(rows: &[(bool, i32, i32)]) -> String {
    let mut text = String::from("# States\n(ready,x,y)\n");
    for (state, (ready, x, y)) in rows.iter().enumerate() {
        text += &format!("{state}:({ready},{x},{y})\n");
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn both_paths_agree(
        rows in prop::collection::vec((any::<bool>(), any::<i32>(), -20..20i32), 1..12),
        edits in prop::collection::vec((any::<usize>(), any::<u8>(), 0..20usize), 0..4),
        chunk_bytes in 1..80usize,
        bound in prop::option::of(0..14u32),
    ) {
        let text = text(&rows);
        prop_assert!(is_plain(text.as_bytes()));
        let input = test_models::mutate(text.as_bytes(), b" 019:\n\r(),-+truefals#", &edits);
        let options = ReadOptions { chunk_bytes, ..ReadOptions::default() };
        let found = read_states(&input, bound, &options);
        prop_assert_eq!(found, by_grammar(&input, bound));
    }
}

#[test]
fn rows_that_only_the_grammar_reads() {
    for (row, is_read) in [
        ("1:(true,1,1)", true),
        ("1:(true,1,1)\r\n2:(false,-2147483648,2147483647)", true),
        ("1:( true,1,1)", false),
        ("1:(true,1,2147483648)", false),
        ("1:(true,1,+1)", false),
        ("1:(true,1)", false),
        ("2:(true,1,1)", false),
        ("", true),
        ("\n1:(true,1,1)", false),
        ("1:(true,1,1)x", false),
    ] {
        let text = format!("(ready,x,y)\n0:(true,1,1)\n{row}");
        assert_eq!(is_plain(text.as_bytes()), is_read, "{row}");
    }
}

#[test]
fn progress_counts_each_byte_once() {
    for last in ["3:(true,1,1)", "3:(true,1, 1)"] {
        let text = format!("(ready,x,y)\n0:(true,1,1)\n1:(true,1,1)\n2:(true,1,1)\n{last}");
        let progress = AtomicU64::new(0);
        let options = ReadOptions {
            chunk_bytes: 1,
            progress: Some(&progress),
            ..ReadOptions::default()
        };
        read_states(text.as_bytes(), None, &options).expect("a good file");
        assert_eq!(progress.into_inner(), text.len() as u64);
    }
}

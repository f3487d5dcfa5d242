//! LTSs and networks made at random: written and read again they are the same; and however a file
//! is cut into chunks and however broken it is, what comes out does not change, and nothing panics.

use lts_formats::{
    AutBlock, AutWriter, Behaviour, Hide, Lts, Matching, Parallel, Position, ProcessFile,
    ReadOptions, Rename, Synchronisation, Vector, read_aut, read_exp,
};
use proptest::prelude::*;

/// States in each LTS.
const STATES: u32 = 5;

/// Text that a label may be, in a file where each transition has a line of its own.
fn aut_label() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c]",
        "[ -~]{1,8}",
        Just("i".to_owned()),
        Just("tau".to_owned()),
        "\\PC{1,3}"
    ]
}

/// Text that can stand in quotation marks.
fn exp_label() -> impl Strategy<Value = String> {
    let any = prop_oneof![
        "[a-c]",
        "[ -!#-~]{1,8}",
        Just("par".to_owned()),
        Just("_".to_owned())
    ];
    any.prop_filter("the internal action", |label| {
        !lts_formats::is_internal(label)
    })
}

/// Weights as a distribution over states.
fn distribution() -> impl Strategy<Value = Vec<(u32, f64)>> {
    prop::collection::vec((0..STATES, 1..9_u32), 1..4).prop_map(|weights| {
        let total: u32 = weights.iter().map(|(_, weight)| weight).sum();
        let branch = |(state, weight)| (state, f64::from(weight) / f64::from(total));
        weights.into_iter().map(branch).collect()
    })
}

fn aut_text() -> impl Strategy<Value = Vec<u8>> {
    let targets = prop_oneof![
        (0..STATES).prop_map(|state| vec![(state, 1.0)]),
        distribution()
    ];
    let transition = (0..STATES, aut_label(), targets);
    let transitions = prop::collection::vec(transition, 0..12);
    (distribution(), transitions).prop_map(|(initial, transitions)| {
        let mut text = Vec::new();
        let count = transitions.len() as u64;
        let mut writer = AutWriter::new(&mut text, &initial, count, STATES).expect("a header");
        for (source, label, targets) in &transitions {
            writer
                .transition(*source, label, targets)
                .expect("a transition");
        }
        writer.finish().expect("all transitions");
        assert_eq!(in_blocks(&initial, &transitions), text);
        text
    })
}

/// Returns the same text, written in blocks of two transitions.
fn in_blocks(initial: &[(u32, f64)], transitions: &[Drawn]) -> Vec<u8> {
    let count = transitions.len() as u64;
    let mut writer = AutWriter::new(Vec::new(), initial, count, STATES).expect("a header");
    for some in transitions.chunks(2) {
        let mut block = AutBlock::default();
        for (source, label, targets) in some {
            let pushed = block.transition(*source, label, targets);
            pushed.expect("a transition");
        }
        writer.append(block).expect("memory can be written");
    }
    writer.finish().expect("all transitions")
}

/// The source, the label and the targets of a transition.
type Drawn = (u32, String, Vec<(u32, f64)>);

fn lts() -> impl Strategy<Value = Lts> {
    let label = prop_oneof![exp_label(), Just("i".to_owned())];
    let transitions = prop::collection::vec((0..STATES, label, 0..STATES), 0..6);
    (0..STATES, transitions).prop_map(|(initial, transitions)| {
        let transitions = transitions
            .iter()
            .map(|(s, label, t)| (*s, label.as_str(), *t));
        Lts::from_transitions(STATES, initial, transitions).expect("states are in range")
    })
}

/// Where nothing stands: positions are no part of what is written.
const NOWHERE: Position = Position {
    offset: 0,
    length: 0,
    line: 1,
    column: 1,
};

fn behaviour() -> impl Strategy<Value = Behaviour> {
    let file = "[a-z]{1,5}\\.aut".prop_map(|path| {
        Behaviour::File(ProcessFile {
            path,
            position: NOWHERE,
        })
    });
    let leaf = prop_oneof![file, lts().prop_map(Behaviour::Lts)];
    leaf.prop_recursive(4, 16, 3, |inner| {
        prop_oneof![parallel(inner.clone()), hide(inner.clone()), rename(inner)]
    })
}

fn matching() -> impl Strategy<Value = Matching> {
    prop_oneof![Just(Matching::Gate), Just(Matching::Total)]
}

fn parallel(inner: impl Strategy<Value = Behaviour>) -> impl Strategy<Value = Behaviour> {
    let branches = prop::collection::vec(inner, 1..4);
    (branches, any::<bool>(), matching()).prop_flat_map(|(branches, is_vectors, matching)| {
        let part = prop::option::of(exp_label());
        let parts = prop::collection::vec(part, branches.len());
        let parts = parts.prop_filter("all _", |parts| parts.iter().any(Option::is_some));
        let vector = (parts, exp_label()).prop_map(|(parts, result)| Vector {
            parts,
            result,
            position: NOWHERE,
        });
        let vectors = prop::collection::vec(vector, 1..4).prop_map(Synchronisation::Vectors);
        let labels = prop::collection::vec(exp_label(), 0..3)
            .prop_map(move |labels| Synchronisation::Labels { matching, labels });
        let synchronisation = match is_vectors {
            true => vectors.boxed(),
            false => labels.boxed(),
        };
        synchronisation.prop_map(move |synchronisation| {
            Behaviour::Parallel(Parallel {
                synchronisation,
                branches: branches.clone(),
            })
        })
    })
}

fn hide(inner: impl Strategy<Value = Behaviour>) -> impl Strategy<Value = Behaviour> {
    let labels = prop::collection::vec(exp_label(), 1..3);
    (matching(), any::<bool>(), labels, inner).prop_map(|(matching, all_but, labels, inner)| {
        Behaviour::Hide(Hide {
            matching,
            all_but,
            labels,
            behaviour: Box::new(inner),
        })
    })
}

fn rename(inner: impl Strategy<Value = Behaviour>) -> impl Strategy<Value = Behaviour> {
    let new = exp_label().prop_filter("a backslash", |label| !label.contains('\\'));
    let rules = prop::collection::vec((exp_label(), new), 1..3);
    (rules, inner).prop_map(|(rules, inner)| {
        Behaviour::Rename(Rename {
            rules,
            behaviour: Box::new(inner),
        })
    })
}

fn exp_text(behaviour: &Behaviour) -> String {
    let mut text = Vec::new();
    behaviour.write_exp(&mut text).expect("it can be written");
    String::from_utf8(text).expect("text")
}

/// A text with some changes.
fn mutate(text: &[u8], edits: &[(usize, u8, usize)]) -> Vec<u8> {
    test_models::mutate(text, b" 019/\n\r\t\"(),*_|->i\x80", edits)
}

fn edits() -> impl Strategy<Value = Vec<(usize, u8, usize)>> {
    prop::collection::vec((any::<usize>(), any::<u8>(), 0..20_usize), 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn an_lts_is_read_as_it_was_written(text in aut_text()) {
        let lts = read_aut(&text, &ReadOptions::default()).expect("a good file");
        let mut written = Vec::new();
        lts.write_aut(&mut written).expect("written to memory");
        let again = read_aut(&written, &ReadOptions::default()).expect("what was written reads");
        // Labels are numbered in the order of the file, which is by sources only from now on.
        let mut rewritten = Vec::new();
        again.write_aut(&mut rewritten).expect("written to memory");
        prop_assert_eq!(String::from_utf8(written), String::from_utf8(rewritten));
        prop_assert_eq!(lts.num_branches(), again.num_branches());
    }

    #[test]
    fn chunks_change_nothing_in_broken_files(
        text in aut_text(),
        edits in edits(),
        chunk_bytes in 1..60_usize,
    ) {
        let input = mutate(&text, &edits);
        let whole = read_aut(&input, &ReadOptions::default());
        let options = ReadOptions { chunk_bytes, ..ReadOptions::default() };
        prop_assert_eq!(&read_aut(&input, &options), &whole);
        if let Err(error) = whole {
            prop_assert!(!error.to_string().contains('\n'));
        }
    }

    #[test]
    fn a_behaviour_is_read_as_it_was_written(behaviour in behaviour()) {
        let text = exp_text(&behaviour);
        let again = read_exp(text.as_bytes()).map_err(|error| format!("{error}\n{text}"));
        prop_assert_eq!(exp_text(&again.expect("what was written reads")), text);
    }

    #[test]
    fn broken_behaviours_only_fail(behaviour in behaviour(), edits in edits()) {
        let input = mutate(exp_text(&behaviour).as_bytes(), &edits);
        match read_exp(&input) {
            // A label without quotation marks may hold one, which EXP cannot be given.
            Ok(read) => drop(read.write_exp(Vec::new())),
            Err(error) => prop_assert!(!error.to_string().contains('\n')),
        }
    }
}

//! Tests with random models: what is written reads as the same model, and the result does not
//! depend on the chunks into which a file is cut, even if the file is broken.

use prism_explicit::{
    Choice, Dialect, Error, Labels, ReadOptions, RewardedTransition, States, Transitions,
    TransitionsBlock, TransitionsInfo, TransitionsWriter, Visitor, WriteOptions, read_labels,
    read_state_rewards, read_states, read_transition_rewards, read_transitions, visit_in_order,
    visit_transitions, write_state_rewards, write_transition_rewards,
};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::io;

/// Returns the text of a transitions file.
fn model_text() -> impl Strategy<Value = String> {
    let branch = (0..8u32, 1..5u32);
    let choice = (
        prop::collection::vec(branch, 1..5),
        prop::option::of("[a-z_][a-z0-9_]{0,4}"),
    );
    let state = prop::collection::vec(choice, 0..4);
    let body = prop::collection::vec(state, 8);
    let layout = (
        any::<bool>(),
        prop_oneof![
            Just("MDP"),
            Just("LTS"),
            Just("DTMC"),
            Just("CTMC"),
            Just("POMDP"),
            Just("IDTMC"),
            Just("IMDP")
        ],
    );
    (body, layout).prop_map(|(states, (heading, kind))| write_text(&states, kind, heading))
}

type Drawn = Vec<Vec<(Vec<(u32, u32)>, Option<String>)>>;

fn write_text(states: &Drawn, kind: &str, heading: bool) -> String {
    let nondeterministic = matches!(kind, "MDP" | "LTS" | "POMDP" | "IMDP");
    let observed = kind == "POMDP";
    let observation = |state: u32| state % 3;
    let (mut body, mut choices, mut lines) = (String::new(), 0, 0);
    for (state, drawn) in states.iter().enumerate() {
        let most = if nondeterministic { drawn.len() } else { 1 };
        for (index, (branches, action)) in drawn.iter().take(most).enumerate() {
            let mut branches = branches.clone();
            branches.sort_unstable();
            branches.dedup_by_key(|branch| branch.0);
            branches.truncate(if kind == "LTS" { 1 } else { 5 });
            let total: u32 = branches.iter().map(|branch| branch.1).sum();
            for (target, weight) in &branches {
                let value = match kind {
                    "CTMC" => f64::from(*weight) * 1.5,
                    _ => f64::from(*weight) / f64::from(total),
                };
                body += &format!("{state} ");
                body += &if nondeterministic {
                    format!("{index} ")
                } else {
                    String::new()
                };
                body += &target.to_string();
                body += &match kind {
                    "LTS" => String::new(),
                    "IDTMC" | "IMDP" => format!(" [{},{}]", value / 2.0, value + 0.5),
                    _ => format!(" {value}"),
                };
                if observed {
                    body += &format!(" {}", observation(*target));
                }
                body += &action
                    .as_ref()
                    .map_or(String::new(), |action| format!(" {action}"));
                body += "\n";
                lines += 1;
            }
            choices += 1;
        }
    }
    let heading = if heading {
        format!("# Transitions ({kind})\n")
    } else {
        String::new()
    };
    let counts = if nondeterministic {
        format!("{choices} ")
    } else {
        String::new()
    };
    let (mut observations, mut initial) = (String::new(), String::new());
    if observed {
        observations = " 3".to_owned();
        for state in 0..states.len() as u32 {
            initial += &format!("- - {state} - {}\n", observation(state));
        }
    }
    let count = states.len();
    format!("{heading}{count} {counts}{lines}{observations}\n{initial}{body}")
}

/// Returns a text with some changes.
fn mutate(text: &str, edits: &[(usize, u8, usize)]) -> Vec<u8> {
    test_models::mutate(text.as_bytes(), b" 019.\n\r\t#-ax/[", edits)
}

/// Writes a model in blocks of states that end at the cuts.
fn write_blocks(
    model: &Transitions,
    written: &mut Vec<u8>,
    options: WriteOptions,
    cuts: &BTreeSet<u32>,
) -> io::Result<u32> {
    let mut writer = TransitionsWriter::new(written, options, model.info())?;
    let format = writer.line_format();
    let ends = cuts.iter().copied().chain([model.num_states()]);
    let ends: Vec<u32> = ends.map(|end| end.min(model.num_states())).collect();
    let starts = [0].into_iter().chain(ends.iter().copied());
    let blocks = starts.zip(ends.iter()).map(|(start, &end)| Block {
        lines: format.block(start..end),
        end,
    });
    let mut blocks = Blocks(blocks.collect());
    model.visit(&mut blocks);
    for block in blocks.0 {
        writer.append(block.lines)?;
    }
    writer.finish()
}

struct Block {
    lines: TransitionsBlock,
    /// The first state that comes after the block.
    end: u32,
}

/// Passes each choice to the block of its state.
struct Blocks(Vec<Block>);

impl Visitor for Blocks {
    fn choice(&mut self, choice: Choice<'_>) {
        let block = self.0.iter_mut().find(|block| choice.state < block.end);
        block
            .expect("the last block has the last state")
            .lines
            .choice(choice);
    }
}

#[derive(Debug, Default, PartialEq)]
struct Lines(Vec<String>);

impl Visitor for Lines {
    fn choice(&mut self, choice: Choice<'_>) {
        self.0.push(format!("{choice:?}"));
    }
}

/// As [`Lines`], without the actions of Markov chains, which Storm's dialect does not have.
#[derive(Default)]
struct StormLines(Lines);

impl Visitor for StormLines {
    fn choice(&mut self, choice: Choice<'_>) {
        let branch_actions = &[];
        self.0.choice(Choice {
            branch_actions,
            ..choice
        });
    }
}

/// Returns the text of a CTMC in one of the dialects. Rates may be 0; lines for such rates are
/// written or left out.
fn ctmc_text(states: &[Vec<(u32, u32)>], with_zeros: bool, storm: bool) -> String {
    let mut lines = String::new();
    for (state, branches) in states.iter().enumerate() {
        for (target, rate) in branches.iter().filter(|branch| with_zeros || branch.1 > 0) {
            lines += &format!("{state} {target} {}\n", f64::from(*rate) / 2.0);
        }
    }
    match storm {
        true => format!("ctmc\n{lines}"),
        false => {
            let (states, count) = (states.len(), lines.lines().count());
            format!("# Transitions (CTMC)\n{states} {count}\n{lines}")
        }
    }
}

type Outcome = Result<(TransitionsInfo, Vec<String>), Error>;

fn in_chunks(input: &[u8], chunk_bytes: usize) -> Outcome {
    let options = ReadOptions {
        chunk_bytes,
        ..ReadOptions::default()
    };
    let visited = visit_transitions(input, &options, |_, _| Lines::default())?;
    let lines = visited
        .chunks
        .into_iter()
        .flat_map(|lines| lines.0)
        .collect();
    Ok((visited.info, lines))
}

fn in_order(input: &[u8]) -> Outcome {
    let mut lines = Lines::default();
    let info = visit_in_order(input, &ReadOptions::default(), &mut lines)?;
    Ok((info, lines.0))
}

/// Returns the choices of a model, without what depends on the dialect.
fn choices_of(model: &Transitions) -> Vec<String> {
    let mut lines = Lines::default();
    model.visit(&mut lines);
    lines.0
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn a_model_is_written_as_it_was(text in model_text()) {
        let options = ReadOptions { chunk_bytes: 20, ..ReadOptions::default() };
        let model = read_transitions(text.as_bytes(), &options).expect("a good model");
        let heading = text.starts_with('#');
        let mut prism = Vec::new();
        let as_read = WriteOptions { heading, ..WriteOptions::new(Dialect::Prism) };
        model.write(&mut prism, as_read).expect("memory can be written");
        prop_assert_eq!(String::from_utf8_lossy(&prism), &*text);
    }

    #[test]
    fn blocks_of_states_change_nothing(
        text in model_text(),
        cuts in prop::collection::btree_set(0..9u32, 0..5),
        storm: bool,
        fix_deadlocks: bool,
    ) {
        let model = read_transitions(text.as_bytes(), &ReadOptions::default()).expect("a model");
        let dialect = if storm { Dialect::Storm } else { Dialect::Prism };
        let options = WriteOptions { fix_deadlocks, ..WriteOptions::new(dialect) };
        let mut whole = Vec::new();
        let expected = model.write(&mut whole, options);
        let mut written = Vec::new();
        let found = write_blocks(&model, &mut written, options, &cuts);
        // How much was written before an error does not matter.
        prop_assert!(expected.is_err() || written == whole);
        prop_assert_eq!(found.map_err(|e| e.to_string()), expected.map_err(|e| e.to_string()));
    }

    #[test]
    fn the_other_dialect_keeps_the_model(text in model_text()) {
        let model = read_transitions(text.as_bytes(), &ReadOptions::default()).expect("a model");
        let mut storm = Vec::new();
        let model_type = model.info().model_type;
        if model_type.has_observations() || model_type.has_intervals() {
            prop_assert!(model.write(&mut storm, WriteOptions::new(Dialect::Storm)).is_err());
            return Ok(());
        }
        let added = model.write(&mut storm, WriteOptions::new(Dialect::Storm))
            .expect("memory can be written");
        let again = read_transitions(&storm, &ReadOptions::default())
            .expect("Storm's dialect can be read");
        prop_assert_eq!(again.num_states(), model.num_states());
        let kept: Vec<_> = choices_of(&again)
            .into_iter()
            .zip(again.choices())
            .filter(|(_, choice)| model.choices_of(choice.state()).len() > 0)
            .map(|(line, _)| line)
            .collect();
        let mut named = StormLines::default();
        model.visit(&mut named);
        prop_assert_eq!(kept, named.0.0);
        let keep = WriteOptions { fix_deadlocks: false, ..WriteOptions::new(Dialect::Storm) };
        prop_assert_eq!(model.write(Vec::new(), keep).is_err(), added > 0);
    }

    #[test]
    fn rates_of_0_are_as_if_they_were_not_there(
        states in prop::collection::vec(prop::collection::btree_map(0..6u32, 0..3u32, 0..4), 6),
        storm: bool,
    ) {
        // The last state is named, so that both texts have the same number of states in Storm's
        // dialect.
        let mut states: Vec<Vec<_>> =
            states.into_iter().map(|branches| branches.into_iter().collect()).collect();
        states[5] = vec![(5, 1)];
        let zeros = states.iter().flatten().filter(|branch| branch.1 == 0).count() as u64;
        let (mut info, lines) = in_chunks(ctmc_text(&states, true, storm).as_bytes(), 9)?;
        prop_assert_eq!(info.dropped_zero_branches, zeros);
        info.dropped_zero_branches = 0;
        prop_assert_eq!((info, lines), in_order(ctmc_text(&states, false, storm).as_bytes())?);
    }

    #[test]
    fn chunks_change_nothing(
        text in model_text(),
        edits in prop::collection::vec((any::<usize>(), any::<u8>(), 0..20usize), 0..4),
        chunk_bytes in 1..60usize,
    ) {
        let input = mutate(&text, &edits);
        let expected = in_order(&input);
        prop_assert_eq!(&in_chunks(&input, chunk_bytes), &expected);
        prop_assert_eq!(&in_chunks(&input, 1), &expected);
    }

    #[test]
    fn labels_round_trip(
        lists in prop::collection::vec(prop::collection::btree_set(0..30u32, 0..9), 1..5),
        storm in any::<bool>(),
    ) {
        let dialect = if storm { Dialect::Storm } else { Dialect::Prism };
        let named = lists.into_iter().enumerate();
        let named = named.map(|(k, states)| (format!("label{k}"), states.into_iter().collect()));
        let labels = Labels::new(dialect, named);
        let mut written = Vec::new();
        labels.write(&mut written, dialect).expect("memory can be written");
        prop_assert_eq!(read_labels(&written, Some(30), &ReadOptions::default()), Ok(labels));
    }

    #[test]
    fn states_round_trip(
        rows in prop::collection::vec((any::<bool>(), any::<i32>(), any::<i64>()), 0..20),
    ) {
        let mut text = String::from("# States\n(ready,x,wide)\n");
        for (state, (ready, x, wide)) in rows.iter().enumerate() {
            text += &format!("{state}:({ready},{x},{wide})\n");
        }
        let count = rows.len() as u32;
        let states = read_states(text.as_bytes(), Some(count), &ReadOptions::default());
        let states = states.expect("a good file");
        let mut written = Vec::new();
        states.write(&mut written).expect("memory can be written");
        prop_assert_eq!(String::from_utf8_lossy(&written), &*text);

        // States that are assembled from columns are the same. A column that is too short or too
        // long is refused.
        let columns = || states.variables().iter().cloned().zip(states.columns().iter().cloned());
        prop_assert_eq!(States::new(count + 1, columns()), None);
        prop_assert_eq!(States::new(count, columns()), Some(states.clone()));
    }

    #[test]
    fn rewards_round_trip(
        states in prop::collection::vec(prop_oneof![Just(0.0), -1e9..1e9f64], 1..20),
        transitions in prop::collection::btree_map(
            (0..9u32, 0..3u32, 0..9u32),
            1e-9..9.0f64,
            0..20,
        ),
        edits in prop::collection::vec((any::<usize>(), any::<u8>(), 0..20usize), 1..6),
    ) {
        let options = ReadOptions::default();
        let mut text = Vec::new();
        write_state_rewards(&mut text, Some("r"), &states).expect("memory can be written");
        let mut read = vec![0.0; states.len()];
        let count = states.len() as u32;
        let name = read_state_rewards(&text, count, &options, |state, reward| {
            read[state as usize] = reward.to_f64();
        });
        prop_assert_eq!(name, Ok(Some("r".to_owned())));
        prop_assert_eq!(read, states);
        let broken = mutate(&String::from_utf8_lossy(&text), &edits);
        let _ = read_state_rewards(&broken, count, &options, |_, _| ()).map_err(|e| e.to_string());

        let lines = || transitions.iter().map(|(&(state, choice, target), &reward)| {
            (RewardedTransition { state, choice, target }, reward)
        });
        let mut text = Vec::new();
        write_transition_rewards(&mut text, None, (9, Some(27)), lines)
            .expect("memory can be written");
        let mut read = Vec::new();
        let name = read_transition_rewards(&text, 9, Some(27..=27), &options, |transition, reward| {
            read.push((transition, reward.to_f64()));
            Ok(())
        });
        prop_assert_eq!(name, Ok(None));
        prop_assert_eq!(read, lines().collect::<Vec<_>>());
    }

    #[test]
    fn broken_states_and_labels_only_fail(
        edits in prop::collection::vec((any::<usize>(), any::<u8>(), 0..20usize), 1..6),
    ) {
        let options = ReadOptions::default();
        let states = mutate("# States\n(x,ready)\n0:(1,true)\n1:(-2,false)\n", &edits);
        let _ = read_states(&states, Some(2), &options).map_err(|error| error.to_string());
        let labels = mutate("# Labels\n0=\"init\" 1=\"goal\"\n0: 0 1\n1: 1\n", &edits);
        let _ = read_labels(&labels, Some(2), &options).map_err(|error| error.to_string());
        let labels = mutate("#DECLARATION\ninit goal\n#END\n0 init goal\n1 goal\n", &edits);
        let _ = read_labels(&labels, Some(2), &options).map_err(|error| error.to_string());
    }
}

/// A comment with a name that cannot be written gives the rewards no name.
#[test]
fn names_of_rewards_that_cannot_be_written_are_ignored() {
    for (name, expected) in [
        ("steps", Some("steps")),
        ("a b", Some("a b")),
        ("a\"b", None),
        ("a\rb", None),
        ("", None),
    ] {
        let text = format!("# Reward structure \"{name}\"\n# State rewards\n2 1\n1 3\n");
        let each = |_, _| ();
        let found = read_state_rewards(text.as_bytes(), 2, &ReadOptions::default(), each);
        assert_eq!(found.expect("rewards").as_deref(), expected, "{name:?}");
    }
}

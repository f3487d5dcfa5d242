//! Tests of interval models and Markov automata: models in PRISM's language are compared with the
//! same models in file formats, and with files that were written from them.

use super::{Request, Wanted};
use crate::args::ModelArgs;
use crate::export::{self, Target};
use crate::model::Model;
use crate::model::intervals::Intervals;
use crate::progress::Progress;
use decompose::{ComponentSearch, Options, Silent};
use mdp_graph::{ComponentKind, Deadlocks, MdpGraph, StateId};
use prism_explicit::Dialect;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use tempfile::TempDir;

/// A branch: its target, and the bounds of its probability in eighths.
type Branch = (u32, u32, u32);

/// The choices of each state, each with the number of its action.
type Drawn = Vec<Vec<(u8, Vec<Branch>)>>;

/// Returns choices whose intervals contain a distribution. Targets may be equal, upper bounds may
/// be 0, and branches may be impossible because the lower bounds of others sum to 1.
fn drawn() -> impl Strategy<Value = (bool, Drawn)> {
    let bound = || prop_oneof![3 => Just(0u32), 1 => 0..5u32, 1 => Just(8)];
    let branch = (any::<u32>(), bound(), prop_oneof![Just(0u32), 0..9u32]);
    let choice = (0..3u8, prop::collection::vec(branch, 1..5));
    let state = prop::collection::vec(choice, 0..4);
    let states = prop::collection::vec(state, 2..7);
    (any::<bool>(), states).prop_map(|(is_chain, mut states)| {
        let count = states.len() as u32;
        for choices in &mut states {
            choices.truncate(if is_chain { 1 } else { 4 });
            for (_, branches) in choices {
                let low: u32 = branches.iter().map(|branch| branch.1).sum();
                for (target, lower, upper) in branches.iter_mut() {
                    *target %= count;
                    *lower = if low > 8 { 0 } else { *lower };
                    *upper = (*upper).max(*lower);
                }
                let high: u32 = branches.iter().map(|branch| branch.2).sum();
                if high < 8 {
                    branches[0].2 = 8;
                }
            }
        }
        (is_chain, states)
    })
}

/// Writes a number of eighths as a decimal.
fn eighths(number: u32) -> String {
    (f64::from(number) / 8.0).to_string()
}

/// Writes the model in PRISM's language. All states are initial, so they are numbered by their
/// values.
fn in_the_language(is_chain: bool, drawn: &Drawn) -> String {
    let last = drawn.len() - 1;
    let keyword = if is_chain { "dtmc" } else { "mdp" };
    let mut text = format!("{keyword} module m s:[0..{last}];\n[a0] false -> [0,1]: true;\n");
    for (state, choices) in drawn.iter().enumerate() {
        for (action, branches) in choices {
            let branches = branches.iter().map(|&(target, low, high)| {
                format!("[{},{}]:(s'={target})", eighths(low), eighths(high))
            });
            let branches: Vec<String> = branches.collect();
            let branches = branches.join(" + ");
            writeln!(text, "[a{action}] s={state} -> {branches};").unwrap();
        }
    }
    text + "endmodule init true endinit"
}

/// Writes the model as explicit transitions. The bounds of branches with the same target are added.
fn as_transitions(is_chain: bool, drawn: &Drawn, heading: bool) -> String {
    let (mut lines, mut count, mut choices) = (String::new(), 0, 0);
    for (state, of_state) in drawn.iter().enumerate() {
        for (index, (action, branches)) in of_state.iter().enumerate() {
            choices += 1;
            let mut merged = BTreeMap::new();
            for &(target, low, high) in branches {
                let bounds = merged.entry(target).or_insert((0, 0));
                *bounds = (bounds.0 + low, bounds.1 + high);
            }
            for (target, (low, high)) in merged {
                let index = if is_chain {
                    String::new()
                } else {
                    format!("{index} ")
                };
                let (low, high) = (eighths(low), eighths(high));
                writeln!(lines, "{state} {index}{target} [{low},{high}] a{action}").unwrap();
                count += 1;
            }
        }
    }
    let states = drawn.len();
    let (name, choices) = match is_chain {
        true => ("IDTMC", String::new()),
        false => ("IMDP", format!("{choices} ")),
    };
    let comment = if heading {
        format!("# Transitions ({name})\n")
    } else {
        String::new()
    };
    format!("{comment}{states} {choices}{count}\n{lines}")
}

fn as_drn(is_chain: bool, drawn: &Drawn) -> String {
    let (name, states) = (if is_chain { "DTMC" } else { "MDP" }, drawn.len());
    let mut text = format!(
        "@type: {name}\n@value_type: double-interval\n@reward_models\n\n@nr_states\n{states}\n@model\n"
    );
    for (state, choices) in drawn.iter().enumerate() {
        writeln!(text, "state {state} init").unwrap();
        for (action, branches) in choices {
            writeln!(text, "\taction a{action}").unwrap();
            for &(target, low, high) in branches {
                let (low, high) = (eighths(low), eighths(high));
                writeln!(text, "\t\t{target} : [{low}, {high}]").unwrap();
            }
        }
    }
    text
}

fn load(path: &Path, deadlocks: Deadlocks) -> Model {
    let args = ModelArgs::new(path, &[]);
    let wanted = Wanted::everything(None, None);
    let request = Request {
        deadlocks,
        ..Request::new(&args, wanted, Progress::new(false))
    };
    let model = super::load_model(request);
    model.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Reads a model from a text with this name.
fn read(folder: &TempDir, name: &str, text: &str, deadlocks: Deadlocks) -> Model {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    load(&path, deadlocks)
}

/// Rounds a value, so that values which differ only by rounding are equal.
fn rounded(value: f64) -> i64 {
    (value * 1e9).round() as i64
}

/// A choice: its state, its action, and the bounds for each target.
type Compared = (u32, String, BTreeMap<u32, (i64, i64)>);

#[derive(Debug, PartialEq)]
struct Facts {
    model_type: &'static str,
    states: usize,
    deadlocks: u64,
    initial: Vec<u32>,
    markovian: Option<Vec<bool>>,
    choices: Vec<Compared>,
}

fn facts(model: &Model) -> Facts {
    let graph = &model.graph;
    let details = model.choices.details.as_ref().expect("they were wanted");
    let lower = model
        .choices
        .lower_bounds
        .as_ref()
        .unwrap_or(&details.values);
    assert_eq!(lower.len(), graph.num_branches());
    let mut choices = Vec::new();
    for state in graph.states() {
        for choice in graph.choices(state) {
            let offsets = &graph.branch_offsets()[choice.index()..];
            let branches = (offsets[0] as usize..offsets[1] as usize).map(|branch| {
                let bounds = (rounded(lower[branch]), rounded(details.values[branch]));
                (graph.all_targets()[branch].0, bounds)
            });
            let action = &details.names[details.actions[choice.index()] as usize];
            choices.push((state.0, action.clone(), branches.collect()));
        }
    }
    Facts {
        model_type: model.model_type.name(),
        states: graph.num_states(),
        deadlocks: graph.states().filter(|&s| graph.is_deadlock(s)).count() as u64,
        initial: model.initial_states(),
        markovian: model.states.markovian.clone(),
        choices,
    }
}

/// Returns the component of each state, in both readings.
fn components(model: &Model) -> [Vec<Option<u32>>; 2] {
    let intervals = Intervals {
        graph: &model.graph,
        lower: model.choices.lower_bounds.as_ref().expect("intervals"),
        upper: &model
            .choices
            .details
            .as_ref()
            .expect("they were wanted")
            .values,
    };
    let with_help = intervals.with_help(&Silent).expect("on the CPU");
    let of = |graph: &MdpGraph| -> Vec<Option<u32>> {
        let options = Options {
            search: ComponentSearch::Tarjan,
            ..Options::default()
        };
        let found = decompose::decompose(graph, ComponentKind::Mec, &options).expect("on the CPU");
        let states = (0..graph.num_states()).map(StateId::from_index);
        states
            .map(|state| found.component(state).map(|id| id.0))
            .collect()
    };
    [of(&model.graph), of(&with_help)]
}

/// Returns the model as it is read back from each format that can express it.
fn written(folder: &TempDir, model: &Model) -> Vec<Model> {
    let is_automaton = model.states.markovian.is_some();
    let targets = [
        ("w.umb", Target::Umb),
        ("w.drn", Target::Drn),
        ("w.tra", Target::Explicit(Dialect::Prism)),
    ];
    let held = targets.into_iter().take(if is_automaton { 2 } else { 3 });
    let again = held.map(|(name, target)| {
        let path = folder.path().join(name);
        let out = export::write(model, target, &path, Progress::new(false));
        out.unwrap_or_else(|error| panic!("{name}: {error}"));
        load(&path, Deadlocks::Keep)
    });
    again.collect()
}

/// A state of a Markov automaton: rates in quarters, and choices with weights.
type Automaton = Vec<(Vec<(u32, u32)>, Vec<Vec<(u32, u32)>>)>;

fn automaton() -> impl Strategy<Value = Automaton> {
    let branches = || prop::collection::vec((0..5u32, 1..9u32), 1..4);
    let rates = prop_oneof![Just(Vec::new()), branches()];
    let choices = prop_oneof![Just(Vec::new()), prop::collection::vec(branches(), 0..3)];
    prop::collection::vec((rates, choices), 5)
}

/// Writes the branches of a choice. Each weight is multiplied by `scale`.
fn branches(all: &[(u32, u32)], scale: f64, form: fn(f64, u32) -> String) -> String {
    let branches = all
        .iter()
        .map(|&(target, weight)| form(f64::from(weight) * scale, target));
    branches.collect::<Vec<_>>().join("")
}

fn automaton_in_the_language(automaton: &Automaton) -> String {
    let form = |value: f64, target: u32| format!(" + {value}:(s'={target})");
    let mut text = "ma module m s:[0..4];\n<> false -> 1:true;\n".to_owned();
    for (state, (rates, choices)) in automaton.iter().enumerate() {
        if !rates.is_empty() {
            let rates = branches(rates, 0.25, form);
            writeln!(text, "<> s={state} -> {};", &rates[3..]).unwrap();
        }
        for choice in choices {
            let total: u32 = choice.iter().map(|branch| branch.1).sum();
            let choice = branches(choice, 1.0 / f64::from(total), form);
            writeln!(text, "[go] s={state} -> {};", &choice[3..]).unwrap();
        }
    }
    text + "endmodule init true endinit"
}

/// Writes the automaton as DRN. If a state has both, the Markovian choice comes first, as Storm
/// writes automata that are not closed.
fn automaton_as_drn(automaton: &Automaton) -> String {
    let form = |value: f64, target: u32| format!("\t\t{target} : {value}\n");
    let header = "@type: Markov Automaton\n@value_type: double\n@parameters\n\n@reward_models\n\n";
    let mut text = format!("{header}@nr_states\n5\n@model\n");
    for (state, (rates, choices)) in automaton.iter().enumerate() {
        let exit: u32 = rates.iter().map(|branch| branch.1).sum();
        writeln!(text, "state {state} !{} init", f64::from(exit) / 4.0).unwrap();
        let markovian = Some(rates).filter(|rates| !rates.is_empty());
        for (action, choice) in (markovian.map(|rates| ("__NOLABEL__", rates)).into_iter())
            .chain(choices.iter().map(|choice| ("go", choice)))
        {
            let total: u32 = choice.iter().map(|branch| branch.1).sum();
            writeln!(text, "\taction {action}").unwrap();
            text += &branches(choice, 1.0 / f64::from(total), form);
        }
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn interval_models_are_the_same_in_all_formats((is_chain, drawn) in drawn(), heading: bool) {
        let folder = TempDir::new().unwrap();
        let language = in_the_language(is_chain, &drawn);
        let heading = heading || drawn.iter().all(Vec::is_empty);
        let texts = [
            ("m.tra", as_transitions(is_chain, &drawn, heading)),
            ("m.drn", as_drn(is_chain, &drawn)),
        ];
        for deadlocks in [Deadlocks::Keep, Deadlocks::SelfLoop] {
            let model = read(&folder, "m.prism", &language, deadlocks);
            let mut expected = facts(&model);
            for (name, text) in &texts {
                let found = read(&folder, name, text, deadlocks);
                if name.ends_with("tra") {
                    // The text has no labels, so state 0 is assumed to be initial.
                    expected.initial = vec![0];
                } else {
                    expected.initial = model.initial_states();
                }
                prop_assert_eq!(&facts(&found), &expected, "{}", text);
                prop_assert_eq!(components(&found), components(&model));
            }
        }
        let model = read(&folder, "m.prism", &language, Deadlocks::SelfLoop);
        for again in written(&folder, &model) {
            prop_assert_eq!(facts(&again), facts(&model), "{}", again.file.format);
            prop_assert_eq!(components(&again), components(&model));
        }
    }

    #[test]
    fn markov_automata_are_the_same_in_all_formats(automaton in automaton()) {
        let folder = TempDir::new().unwrap();
        let language = automaton_in_the_language(&automaton);
        let text = automaton_as_drn(&automaton);
        for deadlocks in [Deadlocks::Keep, Deadlocks::SelfLoop] {
            let model = read(&folder, "m.prism", &language, deadlocks);
            let found = read(&folder, "m.drn", &text, deadlocks);
            prop_assert_eq!(facts(&found), facts(&model), "{}", text);
        }
        let model = read(&folder, "m.prism", &language, Deadlocks::SelfLoop);
        for again in written(&folder, &model) {
            prop_assert_eq!(facts(&again), facts(&model), "{}", again.file.format);
        }
    }
}

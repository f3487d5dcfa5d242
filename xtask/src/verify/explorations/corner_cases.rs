//! Networks and programs for code of the kernels that other inputs do not reach.

use std::collections::BTreeMap;

use lts_formats::Behaviour;
use prism_language::Program;

use super::processes::{labelled, parallel};
use super::programs::initial;
use super::setup::{FEW_PLACES, SMALL_CACHE, SMALL_LISTS, Setup, USUAL};
use crate::rng::Rng;

/// Returns networks, each with a name and the way to explore it.
pub(super) fn networks(rng: &mut Rng) -> Vec<(&'static str, Setup, Behaviour)> {
    let small = Setup {
        scales: SMALL_LISTS,
        ..USUAL
    };
    let large = |candidates| Setup {
        candidates: Some(candidates),
        ..USUAL
    };
    let limited = Setup {
        has_limits: true,
        ..USUAL
    };
    let crowded = Setup {
        scales: FEW_PLACES,
        ..USUAL
    };
    let refused = Setup {
        refuses: true,
        has_whole_levels: true,
        ..USUAL
    };
    let successors = 3 + rng.below(4);
    let compared = Setup {
        compared: Some([2 * successors - rng.below(2), 2 * successors]),
        ..USUAL
    };
    vec![
        ("counters", small, counters(rng, 5)),
        ("dense network", small, dense(rng)),
        ("tree", large(1 << 14), tree(rng)),
        ("cut tree", large(1000), tree(rng)),
        ("limited network", limited, dense(rng)),
        ("equal successors", compared, equal_successors(successors)),
        // In a table where each state has a single place, many states have places of their own only
        // if it is larger than the interpreter allows.
        ("crowded counters", crowded, counters(rng, 3)),
        ("crowded network", crowded, dense(rng)),
        ("deadlocks", refused, deadlocks(rng)),
        ("branching", small, branching()),
    ]
}

/// The largest number of ways in which one rule may change a state in the paper's search on the
/// interpreter.
pub(super) const MAX_WAYS: u32 = 60_000 / 64;

/// Returns a process with as many steps as the paper's search supports, and with one more, alone
/// and with another process.
pub(super) fn widest() -> Vec<(&'static str, Setup, Behaviour)> {
    let fan = |ways: u32| labelled(ways + 1, 0, (1..=ways).map(|to| (0, "a", to)));
    let other = || labelled(2, 0, [(0, "a", 1), (1, "b", 0)]);
    let with = |ways: u32, shared: Vec<String>| {
        let setup = Setup {
            ways: Some(ways),
            ..USUAL
        };
        ("fan", setup, parallel(vec![fan(ways), other()], shared))
    };
    let alone = [MAX_WAYS, MAX_WAYS + 1].map(|ways| with(ways, Vec::new()));
    let together = [MAX_WAYS, MAX_WAYS + 1].map(|ways| with(ways, vec!["a".to_owned()]));
    alone.into_iter().chain(together).collect()
}

/// Returns a process with so many labels and states that a transition takes two words.
pub(super) fn two_words() -> (&'static str, Setup, Behaviour) {
    const LABELS: u32 = 1 << 14;
    const STATES: u32 = (1 << 16) + 1;
    let names: Vec<String> = (0..LABELS).map(|label| format!("l{label}")).collect();
    // Most transitions belong to unreachable states.
    let reached = [
        (0, 5, STATES - 1),
        (0, 9000, 1),
        (1, 5, 0),
        (STATES - 1, 300, 2),
        (2, 9000, 1),
        (2, 9000, STATES - 1),
    ];
    let others = (0..LABELS).map(|label| (3 + label, label, 4 + label));
    let all = reached.into_iter().chain(others);
    let all = all.map(|(from, label, to)| (from, &*names[label as usize], to));
    let wide = labelled(STATES, 0, all);
    let other = labelled(2, 0, [(0, "a", 1), (1, "l5", 0)]);
    let shared = vec!["l5".to_owned()];
    (
        "process of many labels",
        USUAL,
        parallel(vec![wide, other], shared),
    )
}

/// Returns parallel processes that count up to `longest` states each: each state has several
/// successors, and many states have the same successors.
pub(super) fn counters(rng: &mut Rng, longest: u32) -> Behaviour {
    let counter = |length: u32| {
        let steps = (1..length).map(move |at| (at - 1, "a", at));
        let back = std::iter::once((length - 1, "b", 0));
        labelled(length, 0, steps.chain(back))
    };
    let all = (0..3 + rng.below(2)).map(|_| counter(2 + rng.below(longest - 1)));
    parallel(all.collect(), Vec::new())
}

/// Returns processes with many transitions. They synchronise on one label, some of them with many
/// transitions. Half of the networks also have processes without transitions between the others, so
/// that a state takes two words.
fn dense(rng: &mut Rng) -> Behaviour {
    let mut process = |states: u32| {
        let mut all = Vec::new();
        for from in 0..states {
            for _ in 0..2 + rng.below(5) {
                let label = rng.one_of(&["a", "a", "b", "c"]);
                all.push((from, label, rng.below(states)));
            }
        }
        labelled(states, 0, all)
    };
    let two = vec![process(5), process(4)];
    let third = process(3);
    let mut all = vec![parallel(two, vec!["a".to_owned()])];
    if rng.one_in(2) {
        let still = |_| labelled(4, rng.below(4), []);
        all.extend((0..16).map(still));
    }
    all.push(third);
    parallel(all, Vec::new())
}

/// Returns groups of processes that move together, whose states take eight words.
pub(super) fn many_words() -> (&'static str, Setup, Behaviour) {
    let copies = 119;
    let cached = Setup {
        scales: SMALL_CACHE,
        ..USUAL
    };
    let group = |label: &'static str| {
        let turns = labelled(2, 0, [(0, label, 1), (1, label, 0)]);
        parallel(vec![turns; copies], vec![label.to_owned()])
    };
    let mut all: Vec<Behaviour> = ["a", "b"].map(group).into();
    all.push(labelled(3, 0, [(0, "c", 1), (1, "c", 2), (2, "d", 0)]));
    ("network of many words", cached, parallel(all, Vec::new()))
}

/// Returns a process whose first state has many successors. These have more transitions than a
/// block holds, but many of them have none.
fn tree(rng: &mut Rng) -> Behaviour {
    let first = 300 + rng.below(100);
    let states = first + 200 + rng.below(200);
    let mut all: Vec<_> = (1..=first).map(|state| (0, "a", state)).collect();
    for state in 1..=first {
        for _ in 0..rng.below(16) {
            let to = rng.between(first + 1, states - 1);
            all.push((state, rng.one_of(&["a", "b"]), to));
        }
    }
    for state in first + 1..states {
        if rng.one_in(2) {
            all.push((state, "b", rng.between(state, states - 1)));
        }
    }
    labelled(states, 0, all)
}

/// Returns three processes that synchronise in each step, in one of two ways, and never return.
/// Each state is found in one way only, so none may be missed.
pub(super) fn branching() -> Behaviour {
    const INNER: u32 = 31;
    let tree = || {
        let steps = |from| [(from, "a", 2 * from + 1), (from, "b", 2 * from + 2)];
        labelled(2 * INNER + 1, 0, (0..INNER).flat_map(steps))
    };
    let all = vec![tree(), tree(), tree()];
    parallel(all, vec!["a".to_owned(), "b".to_owned()])
}

/// Returns a process whose first state leads to others, most of which are deadlocks.
pub(super) fn deadlocks(rng: &mut Rng) -> Behaviour {
    let states = 12 + rng.below(8);
    let mut all: Vec<_> = (1..states).map(|state| (0, "a", state)).collect();
    for state in 1..states {
        if rng.one_in(4) {
            all.push((state, "b", 0));
        }
    }
    labelled(states, 0, all)
}

/// Returns two processes, each of which may take the same step to many states.
fn equal_successors(targets: u32) -> Behaviour {
    let process = || {
        let steps = (0..targets).map(|to| (0, "a", to));
        labelled(targets + 1, 0, steps)
    };
    parallel(vec![process(), process()], Vec::new())
}

/// Returns random programs, each with the way to explore it.
pub(super) fn programs(rng: &mut Rng) -> Vec<(Setup, String)> {
    let limited = Setup {
        has_limits: true,
        ..USUAL
    };
    let computed = Setup {
        is_computed: true,
        ..USUAL
    };
    let branches = 2 + rng.below(4);
    let compared = Setup {
        compared: Some([branches - rng.below(2), branches]),
        ..USUAL
    };
    let wide = Setup {
        candidates: Some(1 << 14),
        ..USUAL
    };
    let together = Setup {
        has_whole_levels: true,
        ..USUAL
    };
    let few_rows = Setup {
        has_few_rows: true,
        ..USUAL
    };
    vec![
        (wide, wide_choice(rng)),
        (few_rows, many_initial_states()),
        (together, failing_level(rng)),
        (
            Setup {
                is_computed: true,
                ..together
            },
            failing_level(rng),
        ),
        (USUAL, failing_party()),
        (computed, failing_party()),
        (limited, wide_program(rng)),
        (computed, wide_program(rng)),
        (computed, wide_program(rng)),
        (USUAL, failing_program(rng)),
        (computed, failing_program(rng)),
        (computed, failing_program(rng)),
        (compared, equal_branches(branches)),
    ]
}

/// Returns a Markov chain or a Markov decision process. Its modules have several commands with the
/// same action, and some of its variables cross the ends of words.
fn wide_program(rng: &mut Rng) -> String {
    let kind = rng.one_of(&["mdp", "dtmc", "dtmc"]);
    let before = 1 << (13 + rng.below(17));
    let most = rng.one_of(&[5, 1000, 5000]);
    let still = format!("module p still: [0..{before}]; endmodule\n");
    let mut text = format!("{kind}\n");
    let is_first = rng.one_in(2);
    if is_first {
        text.push_str(&still);
    }
    text.push_str(&format!("module m x: [0..{most}] init 1; b: bool;\n"));
    for _ in 0..3 + rng.below(3) {
        text.push_str(&wide_command(rng));
    }
    text.push_str("endmodule\n");
    if !is_first {
        text.push_str(&still);
    }
    text.push_str("module n y: [0..3];\n");
    for _ in 0..2 + rng.below(3) {
        let label = rng.one_of(&["", "a", "a", "c"]);
        let guard = rng.one_of(&["true", "y<3", "y=0", "b", "y!=x", "y>=1"]);
        let value = rng.one_of(&["mod(y+1,4)", "0", "3-y", "min(3,x)", "y"]);
        let choice = rng.one_of(&["", "0.5: (y'=0) + 0.5: "]);
        text.push_str(&format!("[{label}] {guard} -> {choice}(y'={value});\n"));
    }
    text.push_str("endmodule\n");
    text.replace("most", &most.to_string())
}

/// Returns a command of the first module of such a program.
fn wide_command(rng: &mut Rng) -> String {
    let label = rng.one_of(&["", "a", "a", "c"]);
    let guard = rng.one_of(&[
        "b",
        "!b",
        "x<3",
        "x>0",
        "x!=2",
        "x=most",
        "b | x<2",
        "!(b & x>1)",
        "b=(x>y)",
        "(x<y)!=b",
        "true",
    ]);
    let value = rng.one_of(&[
        "x",
        "0",
        "most",
        "most-x",
        "mod(x,2)",
        "mod(x,3)",
        "mod(-x,3)",
        "mod(x+1,5)",
        "max(0,x-most+2)",
        "(b?1:x)",
        "(x=0?most:0)",
        "mod(x+y,6)",
    ]);
    let also = rng.one_of(&[
        "",
        "&(b'=!b)",
        "&(b'=x>1)",
        "&(b'=x<=y)",
        "&(b'=mod(x,2)=0)",
    ]);
    format!("[{label}] {guard} -> (x'={value}){also};\n")
}

/// Returns a program in which, in some states, a guard or a value is undefined, or a value is out
/// of range.
fn failing_program(rng: &mut Rng) -> String {
    let value = rng.one_of(&["x+1", "mod(9,4-x)", "mod(9,x-7)", "x-y", "x+y", "7-2*y"]);
    let guard = rng.one_of(&[
        "true",
        "mod(5,3-x)>=0",
        "y<2 & mod(y,x)=0",
        "x>0",
        "mod(x,y-2)<9",
    ]);
    let other = rng.one_of(&["true", "x=2", "mod(7,5-x)=1"]);
    let label = rng.one_of(&["", "a"]);
    format!(
        "mdp\nmodule m x: [0..6] init 1;\n\
         [] x<6 -> (x'=x+1);\n[{label}] {guard} -> (x'={value});\nendmodule\n\
         module n y: [0..2];\n[] true -> (y'=mod(y+1,3));\n\
         [{label}] {other} -> (y'=0);\nendmodule\n"
    )
}

/// Returns a program with a state that has many branches. Each of their targets has a choice with
/// two branches to the same state. Together, these are more than the invocations of a workgroup.
fn wide_choice(rng: &mut Rng) -> String {
    let targets = 280 + rng.below(100);
    let branch = |to: u32| format!("1/{targets}: (x'={to})");
    let all: Vec<String> = (1..=targets).map(branch).collect();
    let all = all.join(" + ");
    format!(
        "mdp\nmodule m x: [0..{targets}];\n[] x=0 -> {all};\n\
         [] x>0 -> 0.5: (x'=0) + 0.5: (x'=0);\nendmodule\n"
    )
}

/// Returns a program with far more states than transitions.
fn many_initial_states() -> String {
    "mdp\nmodule m x: [0..40];\n[] x=40 -> (x'=0);\nendmodule\ninit true endinit\n".to_owned()
}

/// Returns a program in which guards or values are undefined in several states of a level.
pub(super) fn failing_level(rng: &mut Rng) -> String {
    let states = 9 + rng.below(20);
    let branch = |to: u32| format!("1/{states}: (x'={to})");
    let all: Vec<String> = (1..=states).map(branch).collect();
    let all = all.join(" + ");
    let fails = rng.one_of(&[
        "mod(7,max(0,4-x))>=0 -> (x'=0)",
        "x>3 -> (x'=x+100)",
        "mod(x,max(0,5-x))>=0 -> (x'=1)",
        "x>2 -> (x'=x+200)",
    ]);
    format!("mdp\nmodule m x: [0..{states}];\n[] x=0 -> {all};\n[] x>0 & {fails};\nendmodule\n")
}

/// Returns a program with an undefined guard, of a command that cannot be taken because another
/// module does not take part.
fn failing_party() -> String {
    "mdp\nmodule m x: [0..4];\n[] x<4 -> (x'=x+1);\n[a] mod(5,3-x)>=0 -> (x'=0);\nendmodule\n\
     module n y: [0..1];\n[a] x=2 -> (y'=1);\nendmodule\n"
        .to_owned()
}

/// Returns a choice with this many branches, all of which lead to one or two states.
fn equal_branches(branches: u32) -> String {
    let branch = |k: u32| format!("1/{branches}: (x'={})", 1 + k % 2);
    let all: Vec<String> = (0..branches).map(branch).collect();
    let all = all.join(" + ");
    format!("mdp\nmodule m x: [0..2];\n[] x=0 -> {all};\n[] x=1 -> (x'=0);\nendmodule\n")
}

/// Returns the first state whose successors cannot be computed, if there is one.
pub(super) fn first_failure(program: &Program) -> Option<u32> {
    let mut scratch = program.scratch();
    let mut numbers: BTreeMap<Vec<u64>, u32> = BTreeMap::new();
    let mut states: Vec<Vec<u64>> = Vec::new();
    let mut add = |states: &mut Vec<Vec<u64>>, state: &[u64]| {
        let next = states.len() as u32;
        if *numbers.entry(state.to_owned()).or_insert(next) == next {
            states.push(state.to_owned());
        }
    };
    for state in initial(program).chunks(program.words()) {
        add(&mut states, state);
    }
    let mut at = 0;
    while at < states.len() {
        let mut found = Targets(Vec::new());
        if program
            .successors(&mut scratch, &states[at].clone(), &mut found)
            .is_err()
        {
            return Some(at as u32);
        }
        found.0.iter().for_each(|state| add(&mut states, state));
        at += 1;
    }
    None
}

struct Targets(Vec<Vec<u64>>);

impl prism_language::Visitor for Targets {
    fn choice(&mut self, _action: Option<prism_language::ActionId>) {}

    fn branch(&mut self, weight: f64, target: &[u64]) {
        if weight > 0.0 {
            self.0.push(target.to_owned());
        }
    }
}

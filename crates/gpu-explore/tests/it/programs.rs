//! Tests with models in PRISM's language: a device finds the same as the CPU, bit by bit, or stops
//! at the same state.

use crate::random_text::{model, with_all_actions};
use crate::same::{gpu, tight, tiny};
use explore::{Choices, Exploration, InitialStates, NO_ACTION, States, System};
use gpu::Gpu;
use gpu_explore::{
    Counts, DeviceOrHost, Error, Model, Options, Tuning, count, explore, explore_resident,
};
use mdp_graph::Deadlocks;
use prism_language::{ActionId, Program, Scratch, TableBits, Unsuited, Visitor, WordTables, parse};
use proptest::prelude::*;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use test_models::small_instances;

/// A program as the CPU explores it.
pub(crate) struct Prism(Program);

struct Fill<'c, 'a>(&'c mut Choices<'a>);

impl Visitor for Fill<'_, '_> {
    fn choice(&mut self, action: Option<ActionId>) {
        self.0
            .begin(action.map_or(NO_ACTION, |action| action.0 + 1));
    }

    fn branch(&mut self, weight: f64, target: &[u64]) {
        self.0.branch(target, weight);
    }
}

impl System for Prism {
    type Scratch = Scratch;
    type Error = prism_language::Error;

    fn words(&self) -> usize {
        self.0.words()
    }

    fn scratch(&self) -> Scratch {
        self.0.scratch()
    }

    fn initial_states(
        &self,
        _: &mut Scratch,
        initial: &mut InitialStates<'_, '_>,
    ) -> Result<(), Self::Error> {
        let add = |state: &[u64]| {
            initial.add(state);
            ControlFlow::Continue(())
        };
        self.0.initial_states(add).map(drop)
    }

    fn successors(
        &self,
        scratch: &mut Scratch,
        state: &[u64],
        choices: &mut Choices<'_>,
    ) -> Result<(), Self::Error> {
        self.0.successors(scratch, state, &mut Fill(choices))
    }
}

/// A visitor that ignores all events.
struct Nobody;

impl Visitor for Nobody {
    fn choice(&mut self, _: Option<ActionId>) {}
    fn branch(&mut self, _: f64, _: &[u64]) {}
}

/// Settings with which tables replace all instructions that depend on few bits, and with which no
/// table replaces an instruction.
const BITS: [TableBits; 2] = [
    TableBits {
        conditions: 11,
        values: 8,
        most: 16,
    },
    TableBits {
        conditions: 0,
        values: 0,
        most: 16,
    },
];

pub(crate) fn compiled(text: &[u8], constants: &[(&str, &str)]) -> Prism {
    let model = parse(text).expect("a model");
    Prism(model.compile(constants).expect("a program"))
}

fn explore_options(deadlocks: Deadlocks) -> explore::Options<'static> {
    explore::Options {
        deadlocks,
        actions: true,
        probabilities: true,
        limits: explore::Limits {
            states: Some(200_000),
            memory: None,
        },
        ..explore::Options::default()
    }
}

/// Explores a model on a device, with tables of the given sizes.
fn on_device(
    gpu: &Gpu,
    system: &Prism,
    bits: TableBits,
    options: &Options<'_>,
) -> Result<Result<Exploration, Error>, Unsuited> {
    let tables = system.0.word_tables(bits)?;
    let initial = initial_states(system);
    let found = explore(gpu, of(&tables, &initial), options);
    Ok(found.map(|mut found| {
        explore::describe(system, &mut found, &options.explore).expect("it was explored");
        found
    }))
}

fn of<'a>(tables: &'a WordTables, initial: &'a States) -> Model<'a> {
    Model::Program { tables, initial }
}

fn initial_states(system: &Prism) -> States {
    let mut initial = Vec::new();
    let add = |state: &[u64]| {
        initial.extend_from_slice(state);
        ControlFlow::Continue(())
    };
    system.0.initial_states(add).expect("initial states");
    States::from_packed(system.0.words(), initial)
}

/// Explores a model on a device, and keeps the graph there if possible.
pub(crate) fn on_device_resident(gpu: &Gpu, system: &Prism, options: &Options<'_>) -> DeviceOrHost {
    let tables = system.0.word_tables(TableBits::default()).expect("suited");
    let initial = initial_states(system);
    explore_resident(gpu, of(&tables, &initial), options).expect("no limits")
}

/// Explores a model on a device. This may fail.
pub(crate) fn try_on_device(
    gpu: &Gpu,
    system: &Prism,
    options: &Options<'_>,
) -> Result<Exploration, Error> {
    let tables = system.0.word_tables(TableBits::default()).expect("suited");
    explore(gpu, of(&tables, &initial_states(system)), options)
}

/// Returns a model among the fixtures.
pub(crate) fn program(name: &str) -> Prism {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures")
        .join(name);
    let text = fs::read(path).expect("a file");
    let values = constants(&text);
    let values: Vec<_> = values
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .collect();
    compiled(&text, &values)
}

/// The outcome of a comparison.
#[derive(Debug, PartialEq)]
enum Outcome {
    Same,
    /// Both stopped at the same state.
    Stopped(String),
    /// Only the CPU can explore the model.
    Cpu,
    Unsuited(Unsuited),
    /// There are too many states.
    Large,
}

/// Asserts that a device finds the same as the CPU, unless the device cannot explore the model.
fn compare(
    gpu: &Gpu,
    system: &Prism,
    bits: TableBits,
    tuning: Tuning,
    deadlocks: Deadlocks,
) -> Outcome {
    let explore = explore_options(deadlocks);
    let found = match on_device(gpu, system, bits, &Options { explore, tuning }) {
        Ok(found) => found,
        Err(unsuited) => return Outcome::Unsuited(unsuited),
    };
    let expected = match explore::explore(system, &explore) {
        Err(explore::Error::TooManyStates { .. }) => return Outcome::Large,
        expected => expected,
    };
    if let Err(Error::Broken { packed, .. }) = &found {
        let mut scratch = system.0.scratch();
        return match system.0.successors(&mut scratch, packed, &mut Nobody) {
            Ok(()) => Outcome::Cpu,
            Err(error) => {
                assert_eq!(expected.err(), Some(explore::Error::System(error.clone())));
                Outcome::Stopped(error.to_string())
            }
        };
    }
    let (found, expected) = (found.expect("it was explored"), expected.expect("no error"));
    assert!(found.states == expected.states, "states: {tuning:?}");
    assert!(found.graph == expected.graph, "graph: {tuning:?}");
    assert!(found.actions == expected.actions, "actions: {tuning:?}");
    assert_eq!(found.probabilities, expected.probabilities);
    assert_eq!(found.num_initial, expected.num_initial);
    assert_eq!(found.deadlocks, expected.deadlocks);
    assert_eq!(found.dropped_branches, expected.dropped_branches);
    let tables = system.0.word_tables(bits).expect("suited");
    let initial = initial_states(system);
    let options = Options { explore, tuning };
    let counts = count(gpu, of(&tables, &initial), &options);
    assert_eq!(counts, Ok(Counts::of(&expected)));
    Outcome::Same
}

/// Returns sizes with which batches are cut, and rows are often copied to the host.
fn small(gpu: &Gpu) -> Tuning {
    Tuning {
        workgroups: 2,
        states: 3,
        candidates: 500,
        batch: 300,
        transitions: 700,
        ..Tuning::of(gpu)
    }
}

/// Returns sizes with which the batches of larger models are cut, too.
fn medium(gpu: &Gpu) -> Tuning {
    Tuning {
        workgroups: 5,
        states: 50,
        candidates: 9_000,
        batch: 2_000,
        transitions: 30_000,
        ..Tuning::of(gpu)
    }
}

/// Returns the paths of this project's models, in order.
fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = ["fixtures", "crates/cli/tests/good"].map(|folder| root.join(folder));
    let entries = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).expect("a folder"));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let is_model = |path: &PathBuf| {
        let ending = path.extension().unwrap_or_default();
        ["prism", "nm", "pm", "sm"]
            .iter()
            .any(|known| ending == *known)
    };
    let mut models: Vec<PathBuf> = paths.filter(is_model).collect();
    models.sort();
    models
}

/// Returns values for the constants that a model does not define.
fn constants(text: &[u8]) -> Vec<(String, &'static str)> {
    let model = parse(text).expect("a model");
    let open = model.constants.iter().filter(|c| c.value.is_none());
    let value = |of| match of {
        prism_language::ast::Type::Int => "2",
        prism_language::ast::Type::Double => "0.5",
        prism_language::ast::Type::Bool => "true",
    };
    open.map(|c| (c.name.value.clone(), value(c.of))).collect()
}

#[test]
fn every_model_is_explored_as_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let models = models();
    assert!(models.len() >= 12, "{}", models.len());
    for path in &models {
        eprintln!("{}", path.display());
        let text = fs::read(path).expect("a file");
        let constants = constants(&text);
        let given: Vec<(&str, &str)> = constants.iter().map(|(n, v)| (&**n, *v)).collect();
        let system = compiled(&text, &given);
        let on = |bits, tuning, deadlocks| {
            let outcome = compare(gpu, &system, bits, tuning, deadlocks);
            // In the first model, more modules move together than a device supports. The second one
            // has Markovian commands.
            let unsuited = ["together.prism", "repair.prism"];
            match unsuited.iter().any(|name| path.ends_with(name)) {
                true => assert!(matches!(outcome, Outcome::Unsuited(_)), "{outcome:?}"),
                false => assert_eq!(outcome, Outcome::Same),
            }
        };
        on(BITS[0], Tuning::of(gpu), Deadlocks::Keep);
        on(BITS[1], medium(gpu), Deadlocks::SelfLoop);
    }
}

#[test]
fn reference_models_are_explored_as_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let instances = small_instances().unwrap_or_default();
    for instance in instances
        .iter()
        .filter(|instance| instance.counts[0] <= 10_000)
    {
        let system = compiled(&instance.text(), &instance.constants());
        let tuning = Tuning::of(gpu);
        let outcome = compare(
            gpu,
            &system,
            TableBits::default(),
            tuning,
            Deadlocks::SelfLoop,
        );
        assert_eq!(outcome, Outcome::Same, "{}", instance.name);
    }
}

/// Returns the error of a model, which is the same on the device and on the CPU.
fn fault(gpu: &Gpu, text: &str) -> String {
    let system = compiled(text.as_bytes(), &[]);
    let outcomes = BITS.map(|bits| compare(gpu, &system, bits, small(gpu), Deadlocks::Keep));
    let [Outcome::Stopped(first), Outcome::Stopped(second)] = &outcomes else {
        panic!("{outcomes:?}")
    };
    assert_eq!(first, second);
    first.clone()
}

#[test]
fn faults_are_found_in_the_state_in_which_the_cpu_finds_them() {
    let Some(gpu) = gpu() else { return };
    let module =
        |body: &str| format!("mdp module m x : [0..9]; y : [-5..900]; b : bool; {body} endmodule");
    let faults = [
        "[] true -> (x'=x+1);",
        "[] x<9 -> (x'=x+1); [] x=7 -> (y'=y*y-800);",
        "[] x<9 -> (x'=x+1); [] mod(y, x-4)=0 & b -> (b'=false);",
        "[] mod(y, x-4)=0 -> true;",
        "[] mod(y, x-4)>0 -> true;",
        "[] b | !(mod(y, x-4)=0 & !b) -> true;",
        "[] x<9 -> (x'=x+1); [] x>6 -> x/8 : (b'=true) + 1/8 : (b'=false);",
        "[] x<9 -> (x'=x+1); [] x>6 -> 7-x : (b'=true) + x-6 : (b'=false);",
        "[] x<9 -> 0.5 : (x'=x+1) + 0.4 : true;",
        "[] x<9 -> 1.5 : (x'=x+1) + -0.5 : true;",
        "[] x<9 -> (x'=x+1); [] true -> (y'=floor(y/(x-3)));",
        "[] x<9 -> (x'=x+1); [] true -> (y'=min(900, pow(9223372036, x)));",
    ];
    let all: Vec<String> = faults
        .iter()
        .map(|body| fault(gpu, &module(body)))
        .collect();
    insta::assert_snapshot!(all.join("\n"));
}

/// An error in a module does not matter if another module prevents the step.
#[test]
fn faults_in_commands_that_are_not_taken_are_ignored() {
    let Some(gpu) = gpu() else { return };
    let text = "mdp module m x : [0..3]; [a] mod(5, x)=1 -> (x'=x+7); [] x<3 -> (x'=x+1); endmodule
        module n z : [0..1]; [a] z=1 -> true; endmodule";
    let system = compiled(text.as_bytes(), &[]);
    for bits in BITS {
        let outcome = compare(gpu, &system, bits, small(gpu), Deadlocks::Keep);
        assert_eq!(outcome, Outcome::Same);
    }
}

/// There are choices with many branches, branches with the same target, and choices of which
/// several are the same.
#[test]
fn branches_that_meet_are_merged() {
    let Some(gpu) = gpu() else { return };
    let sides: Vec<String> = (0..8)
        .map(|i| format!("1/8 : (x'=mod(x+{i}, 5))"))
        .collect();
    let sides = sides.join(" + ");
    for kind in ["mdp", "dtmc", "ctmc"] {
        let text = format!(
            "{kind} module m x : [0..9]; [a] true -> {sides}; [] x=3 -> 1 : true; endmodule
            module n = m [x=y] endmodule module o = m [x=z] endmodule"
        );
        let system = compiled(text.as_bytes(), &[]);
        let options = Tuning {
            compared: 1 << 12,
            ..small(gpu)
        };
        // 8^3 branches lead to 5^3 states.
        let outcome = compare(gpu, &system, BITS[0], options, Deadlocks::Keep);
        assert_eq!(outcome, Outcome::Same);
    }
}

/// The states have several widths, with variables across the ends of words of 32 bits, and there
/// are many initial states.
#[test]
fn states_have_one_to_eight_words() {
    let Some(gpu) = gpu() else { return };
    // Each width has a kernel of its own, which takes seconds to compile.
    for words in [1_usize, 2, 8] {
        // With five variables of 11 bits for 64 bits, or two for 32 bits, there is room for the 7
        // bits of `f`.
        let count = 5 * (words / 2) + 2 * (words % 2);
        let variables: Vec<String> = (0..count).map(|i| format!("v{i} : [-3..1500];")).collect();
        let last = count - 1;
        let text = format!(
            "mdp module m {} f : [0..{}]; [] v{last}<20 -> 0.5:(v{last}'=v{last}+1)&(v0'=-3) + \
             0.5:(v0'=v{last}); [] v0=1500 -> (v0'=v{last}+4); \
             [] f>0 -> (f'=f-1)&(v0'=7); endmodule init {} & f<24 & (v0=1500|v0=2) endinit",
            variables.concat(),
            127,
            (1..count)
                .map(|i| format!("v{i}=0"))
                .chain(["true".to_owned()])
                .collect::<Vec<_>>()
                .join(" & "),
        );
        let system = compiled(text.as_bytes(), &[]);
        for bits in BITS {
            let outcome = compare(gpu, &system, bits, small(gpu), Deadlocks::SelfLoop);
            assert_eq!(outcome, Outcome::Same, "{words} words");
        }
    }
}

#[test]
fn unsupported_requests_are_refused_by_name() {
    let Some(gpu) = gpu() else { return };
    let sides = vec!["0.01 : (x'=1)"; 100].join(" + ");
    let meet = compiled(
        format!("mdp module m x : [0..9]; [] true -> {sides}; endmodule").as_bytes(),
        &[],
    );
    let options = Options {
        explore: explore_options(Deadlocks::Keep),
        tuning: Tuning {
            compared: 50,
            ..small(gpu)
        },
    };
    let refused = on_device(gpu, &meet, BITS[0], &options)
        .expect("the model has tables")
        .expect_err("the model is refused");
    let said = "a state has 100 successors, some of which may be equal: a GPU compares up to 50";
    assert_eq!(refused.to_string(), said);
    let wide: Vec<String> = (0..300).map(|i| format!("v{i} : bool;")).collect();
    let weights = vec!["x/310 : true"; 31].join(" + ");
    let many: Vec<String> = (0..33)
        .map(|i| format!("module m{i} [a] true -> true; endmodule"))
        .collect();
    let texts = [
        format!(
            "mdp module m {} [] v0 -> (v299'=true); endmodule",
            wide.concat()
        ),
        "mdp module m x : [0..9]; endmodule".to_owned(),
        "mdp module m x : [0..1000000000]; [] true -> (x'=0); endmodule".to_owned(),
        "mdp module m x : [0..1000000]; [] true -> 1/(x+1):true + x/(x+1):(x'=0); endmodule"
            .to_owned(),
        "mdp module m x : [0..1000000]; [] x/3>2.5 -> true; endmodule".to_owned(),
        format!("mdp module m x : [0..9]; [] x=1 -> {weights}; endmodule"),
        format!("mdp {}", many.join(" ")),
    ];
    let said = texts.iter().map(|text| {
        let system = compiled(text.as_bytes(), &[]);
        match compare(gpu, &system, BITS[0], Tuning::of(gpu), Deadlocks::Keep) {
            Outcome::Unsuited(unsuited) => unsuited.to_string(),
            other => format!("{other:?}"),
        }
    });
    insta::assert_snapshot!("unsuited", said.collect::<Vec<_>>().join("\n"));
}

/// A branch exists if each of its factors is above 0, even if their product is rounded to 0.
#[test]
fn products_that_are_rounded_to_0_are_branches() {
    let Some(gpu) = gpu() else { return };
    let module = |i| {
        let branches = format!("1e-200:true + 1-1e-200:(b{i}'=!b{i})");
        format!("module m{i} b{i} : bool; [a] true -> {branches}; endmodule\n")
    };
    let modules: String = (0..3).map(module).collect();
    let system = compiled(format!("mdp {modules}").as_bytes(), &[]);
    let outcome = compare(gpu, &system, BITS[0], Tuning::of(gpu), Deadlocks::Keep);
    assert_eq!(outcome, Outcome::Same);
}

/// Mesa's software adapter silently ends long loops, such as those for a state with many
/// successors. The host notices this, and returns an error.
#[test]
fn software_adapters_do_not_lose_successors() {
    let Some(gpu) = gpu() else { return };
    let sides: Vec<String> = (0..24)
        .map(|i| format!("1/24 : (x'=mod(x+{i}, 9))"))
        .collect();
    let sides = sides.join(" + ");
    let text = format!(
        "mdp module m x : [0..9]; [a] true -> {sides}; endmodule
        module n = m [x=y] endmodule module o = m [x=z] endmodule"
    );
    let system = compiled(text.as_bytes(), &[]);
    let options = Options {
        explore: explore_options(Deadlocks::Keep),
        tuning: Tuning::of(gpu),
    };
    let refused = on_device(gpu, &system, BITS[0], &options)
        .expect("the model has tables")
        .expect_err("the model is refused");
    match gpu.info().kind {
        gpu::AdapterKind::Software => assert!(matches!(refused, Error::Broken { .. }), "{refused}"),
        _ => assert!(
            matches!(refused, Error::TooManyToCompare { count: 13_824, .. }),
            "{refused}"
        ),
    }
}

/// Integers that need more than 32 bits are left to the CPU.
#[test]
fn wide_integers_are_left_to_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let text = "mdp module m x : [0..1000]; y : [0..1000]; z : [0..1000];
        [] x<1000 -> (x'=x+1); [] (x+900)*(y+1000)*(z+4000)>=0 -> (y'=min(y+100, 500)); endmodule";
    let system = compiled(text.as_bytes(), &[]);
    let outcome = compare(gpu, &system, BITS[0], Tuning::of(gpu), Deadlocks::Keep);
    assert_eq!(outcome, Outcome::Cpu);
}

/// The documented layout of the words agrees with the constants of the kernels.
#[test]
fn words_are_laid_out_as_kernels_read_them() {
    for &(name, value) in prism_language::LAYOUT {
        let known = gpu::kernels::explore::CONSTANTS.iter();
        let found = known
            .filter(|(other, _)| *other == name)
            .map(|&(_, value)| value);
        assert_eq!(found.collect::<Vec<_>>(), [value], "{name}");
    }
}

/// A model is explored several times, with other numbers of workgroups each time.
#[test]
fn answers_do_not_depend_on_the_number_of_workgroups() {
    let Some(gpu) = gpu() else { return };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/consensus.prism");
    let text = fs::read(path).expect("a file");
    let constants = constants(&text);
    let given: Vec<(&str, &str)> = constants.iter().map(|(n, v)| (&**n, *v)).collect();
    let system = compiled(&text, &given);
    for workgroups in [1, 2, 3, 5, 8, 12] {
        let tuning = Tuning {
            workgroups,
            ..small(gpu)
        };
        let outcome = compare(gpu, &system, BITS[0], tuning, Deadlocks::Keep);
        assert_eq!(outcome, Outcome::Same);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn random_models_are_explored_as_on_the_cpu(
        text in model(),
        candidates in 1..400_u32,
        batch in 1..200_u32,
        keep in any::<bool>(),
    ) {
        let Some(gpu) = gpu() else { return Ok(()) };
        let system = compiled(with_all_actions(&text).as_bytes(), &[]);
        let deadlocks = if keep { Deadlocks::Keep } else { Deadlocks::SelfLoop };
        let tuning = Tuning { candidates, batch, transitions: 500, states: 2, ..Tuning::of(gpu) };
        for (bits, tuning) in BITS.into_iter().zip([tuning, tight(gpu)]) {
            let outcome = compare(gpu, &system, bits, tuning, deadlocks);
            prop_assert!(!matches!(outcome, Outcome::Unsuited(Unsuited::TooLarge)), "{outcome:?}");
        }
    }
}

#[test]
fn small_models_are_explored_in_buffers_of_one() {
    let Some(gpu) = gpu() else { return };
    let text = "mdp module m x : [0..6]; [] x<6 -> 0.5:(x'=x+1) + 0.5:(x'=0); [a] x>2 -> true; \
        endmodule module n y : bool; [a] !y -> 0.1:(y'=true) + 0.9:true; [a] y -> true; endmodule";
    let system = compiled(text.as_bytes(), &[]);
    let outcome = compare(gpu, &system, BITS[0], tiny(gpu), Deadlocks::Keep);
    assert_eq!(outcome, Outcome::Same);
}

//! Explores very small networks of LTSs and models in PRISM's language on the interpreter, and
//! checks the results.
//!
//! `drawn.rs` draws larger ones, `corner_cases.rs` makes some for code that these do not reach, and
//! `scheduled.rs` has some for errors that few schedules reveal. Those in `batches.rs` and
//! `tables.rs` are for batches that are cut and for hash tables. `setup.rs` says how all are run.
//! `by_paper.rs` has the runs of the paper's search.

mod batches;
mod by_paper;
mod corner_cases;
mod drawn;
mod processes;
mod programs;
mod scheduled;
mod setup;
mod tables;

use std::convert::Infallible;
use std::fmt;

use certify::Observer;
use decompose::gpu::DeviceGraph;
use explore::{Exploration, States};
use gpu::Gpu;
use gpu_explore::{Counts, DeviceOrHost, Error, Model, Options};
use lts_formats::Behaviour;
use lts_network::Network;
use maxend::library::{check_explored_network, check_explored_program};
use mdp_graph::{Deadlocks, MdpGraph, StateId};
use prism_language::{Program, TableBits};
use verify::run::{Interpreter, Settings};

use processes::{labelled, parallel};
use programs::initial;
use setup::{Setup, USUAL, tuning};

use super::trial::{HostLoop, Trial, WRONG_ANSWER};
use crate::rng::Rng;

/// A network or a program that is explored.
struct Explored {
    name: String,
    system: System,
    seed: u64,
    setup: Setup,
}

enum System {
    Network(Box<Network>),
    Program(Box<Program>),
}

impl fmt::Display for Explored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// The interval at which the 65,536 networks of two processes with two labels are tried.
const EVERY: usize = 257;

/// Returns this many random networks, and as many random programs.
pub(super) fn drawn(count: u64) -> Vec<Box<dyn Trial>> {
    let trial = |(seed, (name, system))| explored(name, system, seed, USUAL);
    let each = (0..count).flat_map(|seed| {
        let rng = &mut Rng::new(seed);
        let network = system_of(&drawn::network(rng));
        let text = drawn::program(rng);
        [
            (format!("drawn network {seed}"), network),
            (text.clone(), compiled(&text)),
        ]
    });
    // The seeds are such that networks and programs are run with all kinds of settings.
    (0..)
        .map(|k| k / 2 + 3 * (k % 2))
        .zip(each)
        .map(trial)
        .collect()
}

/// Returns this many trials of each kind that is made for code which other inputs do not reach.
pub(super) fn corner_cases(count: u64) -> Vec<Box<dyn Trial>> {
    let mut all = Vec::new();
    for seed in 0..count {
        let rng = &mut Rng::new(seed);
        if seed == 0 {
            let few = [corner_cases::two_words(), corner_cases::many_words()];
            for (name, setup, network) in few.into_iter().chain(corner_cases::widest()) {
                all.push((name.to_owned(), system_of(&network), setup));
            }
        }
        for (name, setup, network) in corner_cases::networks(rng) {
            all.push((format!("{name} {seed}"), system_of(&network), setup));
        }
        for (setup, text) in corner_cases::programs(rng) {
            all.push((text.clone(), compiled(&text), setup));
        }
    }
    for seed in 0..count {
        let (networks, setup, text) = scheduled::scheduled(&mut Rng::new(seed));
        for (name, setup, network) in networks {
            all.push((format!("{name} {seed}"), system_of(&network), setup));
        }
        all.push((text.clone(), compiled(&text), setup));
    }
    for seed in 0..count {
        let rng = &mut Rng::new(seed);
        for (name, setup, network) in batches::batches(rng).into_iter().chain(tables::tables(rng)) {
            all.push((format!("{name} {seed}"), system_of(&network), setup));
        }
        let (setup, text) = batches::same_target(rng);
        all.push((text.clone(), compiled(&text), setup));
    }
    for seed in 0..count {
        for (name, setup, network) in tables::crowded(&mut Rng::new(seed)) {
            all.push((format!("{name} {seed}"), system_of(&network), setup));
        }
    }
    // Each kind is run with all kinds of settings.
    (0..)
        .zip(all)
        .map(|(seed, (name, system, setup))| explored(name, system, seed, setup))
        .collect()
}

fn explored(name: String, system: System, seed: u64, setup: Setup) -> Box<dyn Trial> {
    Box::new(Explored {
        name,
        system,
        seed,
        setup,
    })
}

fn system_of(network: &Behaviour) -> System {
    let network = Network::compile::<Infallible>(network, |_| unreachable!("no file"));
    System::Network(Box::new(network.expect("a network")))
}

fn compiled(text: &str) -> System {
    let program = prism_language::parse(text.as_bytes()).expect("a model");
    System::Program(Box::new(program.compile(&[]).expect("a right model")))
}

/// Returns one of every `every` of the following inputs: all networks of one process with two
/// states and two labels; all of two processes with two states and one label, on which they may
/// synchronise; some of two processes that synchronise on one of two labels; some with states of
/// two to four words; and all Markov decision processes of three states in PRISM's language in
/// which each state has at most one command, some with a second module.
pub(super) fn trials(every: usize) -> Vec<Box<dyn Trial>> {
    let alone = (0..256).map(|set| (format!("process {set}"), process(set, &["a", "b"])));
    let two = |labels: &'static [&'static str], first, second, shared: Vec<&str>| {
        let name = format!("processes {first} and {second} of {labels:?} over {shared:?}");
        let shared = shared.into_iter().map(str::to_owned).collect();
        (
            name,
            parallel(
                vec![process(first, labels), process(second, labels)],
                shared,
            ),
        )
    };
    let one_label = (0..2 * 16 * 16).map(|pair| {
        let shared = if pair & 1 == 0 { vec!["a"] } else { vec![] };
        two(&["a"], pair >> 1 & 15, pair >> 5, shared)
    });
    let two_labels = (0..1 << 16).step_by(EVERY);
    let two_labels = two_labels.map(|pair| two(&["a", "b"], pair & 255, pair >> 8, vec!["a"]));
    // These have 36 to 102 bits: two, three or four words.
    let wide = [12, 17, 22, 25, 34].map(|copies| (format!("{copies} copies"), wide(copies)));
    let networks = alone
        .chain(one_label)
        .chain(two_labels)
        .chain(wide)
        .map(|(name, behaviour)| (name, system_of(&behaviour)));
    let programs = (1..8 * 8 * 8).map(|rows| {
        let text = program(rows);
        let system = compiled(&text);
        (text, system)
    });
    let trial = |(seed, (name, system))| explored(name, system, seed, USUAL);
    (0..)
        .zip(networks.chain(programs))
        .map(trial)
        .step_by(every)
        .collect()
}

/// Returns a process of two states. The bits of `set` are its transitions.
fn process(set: u32, labels: &[&'static str]) -> Behaviour {
    let all = labels
        .iter()
        .flat_map(|&label| [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(from, to)| (from, label, to)));
    let chosen = (0..).zip(all).filter(|&(bit, _)| set >> bit & 1 == 1);
    labelled(2, 0, chosen.map(|(_, transition)| transition))
}

/// Returns three groups of this many processes each. The processes of a group move together from
/// one state to another and back, so there are eight states.
fn wide(copies: usize) -> Behaviour {
    let groups = ["a", "b", "c"].map(|label| {
        let turns = labelled(2, 0, [(0, label, 1), (1, label, 0)]);
        parallel(vec![turns; copies], vec![label.to_owned()])
    });
    parallel(groups.into(), Vec::new())
}

/// Returns a model in PRISM's language. Three bits describe each state.
fn program(rows: u32) -> String {
    let command = |state: u32| match rows >> (3 * state) & 7 {
        0 => String::new(),
        to @ 1..=3 => format!("[a] x={state} -> (x'={});\n", to - 1),
        coin => {
            let (one, two) = [(0, 1), (0, 2), (1, 2), (1, 1)][coin as usize - 4];
            format!("[a] x={state} -> 0.5: (x'={one}) + 0.5: (x'={two});\n")
        }
    };
    let commands: String = (0..3).map(command).collect();
    let second = match rows % 3 {
        0 => "",
        1 => "module n y: [0..1]; [a] true -> 0.5: (y'=0) + 0.5: (y'=1); endmodule\n",
        _ => {
            "module n y: bool; [a] !y -> (y'=true); [] y -> (y'=x>0); [] x=(y?1:2) -> true; endmodule\n"
        }
    };
    format!("mdp\nmodule m x: [0..2];\n{commands}endmodule\n{second}")
}

/// Returns the usual limits of tables of expressions, or limits that make the kernels use
/// instructions where possible.
fn table_bits(seed: u64, setup: Setup) -> TableBits {
    match seed / 3 % 2 {
        0 if !setup.is_computed => TableBits::default(),
        _ => TableBits {
            conditions: 0,
            values: 0,
            ..TableBits::default()
        },
    }
}

impl Trial for Explored {
    fn seed(&self) -> u64 {
        self.seed
    }

    fn settings(&self, by_seed: Settings) -> Settings {
        self.setup.settings(by_seed)
    }

    fn operations(&self) -> u64 {
        self.setup.operations()
    }

    fn wrong_answers(&self, device: &Interpreter, loops: &[HostLoop]) -> Vec<String> {
        let wrong = self.check(&device.gpu(), loops).err();
        wrong
            .into_iter()
            .map(|wrong| format!("{self}: {wrong}"))
            .collect()
    }
}

impl Explored {
    /// Explores with a limit equal to the number of states, and with a limit lower by one.
    fn check_limits(
        &self,
        gpu: &Gpu,
        options: &Options<'_>,
        found: &Exploration,
    ) -> Result<(), String> {
        let states = found.graph.num_states() as u64;
        let limited = |states| {
            let mut limited = *options;
            limited.explore.limits.states = Some(states);
            // A search that makes room without end is found sooner.
            limited.explore.limits.memory = Some(1 << 20);
            limited
        };
        let bits = table_bits(self.seed, self.setup);
        let enough = self.system.explore(gpu, &limited(states), bits);
        let (enough, _) = enough.map_err(|error| error.to_string())?;
        let mut is_right = enough.graph == found.graph;
        let few = states.saturating_sub(1);
        let is_too_many = |error: Error| {
            let is_limit = matches!(error, Error::Ended(explore::Error::TooManyStates { .. }));
            is_limit.then_some(()).ok_or_else(|| error.to_string())
        };
        match self.system.explore(gpu, &limited(few), bits) {
            Ok(_) => is_right = false,
            Err(error) => is_too_many(error)?,
        }
        if let System::Network(network) = &self.system {
            count_only(gpu, network, &limited(states), found)?;
            match gpu_explore::count(gpu, &**network, &limited(few)) {
                Ok(_) => is_right = false,
                Err(error) => is_too_many(error)?,
            }
        }
        match is_right {
            true => Ok(()),
            false => Err(format!("with a limit of states: {WRONG_ANSWER}")),
        }
    }

    /// Explores with deadlocks as errors. The first deadlock must be reported.
    fn check_refused(
        &self,
        gpu: &Gpu,
        options: &Options<'_>,
        found: &Exploration,
    ) -> Result<(), String> {
        let mut refusing = *options;
        refusing.explore.deadlocks = Deadlocks::Refuse;
        let graph = &found.graph;
        let leads_nowhere =
            |&state: &StateId| graph.is_deadlock(state) || graph.successors(state) == [state];
        let expected = graph.states().find(leads_nowhere);
        let bits = table_bits(self.seed, self.setup);
        match self.system.explore(gpu, &refusing, bits) {
            Err(Error::Ended(explore::Error::Deadlock { first, count, .. }))
                if Some(first) == expected && count == found.deadlocks =>
            {
                Ok(())
            }
            Err(Error::Ended(explore::Error::Deadlock { .. })) | Ok(_) => {
                Err(format!("with no deadlocks: {WRONG_ANSWER}"))
            }
            Err(error) => Err(error.to_string()),
        }
    }

    /// Explores on a device in some ways, and checks the results.
    fn check(&self, gpu: &Gpu, loops: &[HostLoop]) -> Result<(), String> {
        let policy = match self.seed % 2 {
            0 => Deadlocks::Keep,
            _ => Deadlocks::SelfLoop,
        };
        let options = Options {
            explore: explore::Options {
                deadlocks: policy,
                actions: matches!(self.system, System::Network(_)),
                ..explore::Options::default()
            },
            tuning: self.setup.tune(tuning(gpu, self.seed)),
        };
        let by_paper = loops.contains(&HostLoop::PapersExploration);
        if !loops.contains(&HostLoop::Exploration) {
            return match by_paper && self.system.error(self.setup).is_none() {
                true => self.check_by_paper(gpu, &options),
                false => Ok(()),
            };
        }
        let explored = self
            .system
            .explore(gpu, &options, table_bits(self.seed, self.setup));
        if let Some(expected) = self.system.error(self.setup) {
            return match explored {
                Err(error) if expected.is_of(&error) => Ok(()),
                Err(error) => Err(error.to_string()),
                Ok(_) => Err(format!("no error: {WRONG_ANSWER}")),
            };
        }
        let (found, kept) = explored.map_err(|error| error.to_string())?;
        if self.setup.has_limits {
            self.check_limits(gpu, &options, &found)?;
        }
        if self.setup.refuses {
            self.check_refused(gpu, &options, &found)?;
        }
        let certified = self.system.certify(&found, policy);
        certified.map_err(|why| format!("{why}: {WRONG_ANSWER}"))?;
        if by_paper {
            self.check_by_paper(gpu, &options)?;
        }
        if let System::Network(network) = &self.system {
            count_only(gpu, network, &options, &found)?;
        }
        match downloaded(gpu, kept)? == found.graph {
            true => Ok(()),
            false => Err(format!(
                "the graph that stays on the device: {WRONG_ANSWER}"
            )),
        }
    }
}

/// An expected error.
#[derive(Debug)]
enum Expected {
    /// The successors of this state cannot be computed.
    Broken(u32),
    /// A state has too many successors to be compared.
    TooManyToCompare(u32),
}

impl Expected {
    fn is_of(&self, error: &Error) -> bool {
        match (self, error) {
            (Self::Broken(own), Error::Broken { state, .. }) => *own == state.0,
            (Self::TooManyToCompare(own), Error::TooManyToCompare { count, .. }) => {
                u64::from(*own) == *count
            }
            _ => false,
        }
    }
}

/// Counts the states, and compares the counts with the exploration.
fn count_only(
    gpu: &Gpu,
    network: &Network,
    options: &Options<'_>,
    found: &Exploration,
) -> Result<(), String> {
    let counts = gpu_explore::count(gpu, network, options).map_err(|error| error.to_string())?;
    let expected = Counts::of(found);
    match counts == expected {
        true => Ok(()),
        false => Err(format!("{counts:?} without numbers: {WRONG_ANSWER}")),
    }
}

/// Returns the graph of an exploration, copied from the device if necessary.
fn downloaded(gpu: &Gpu, found: DeviceOrHost) -> Result<MdpGraph, String> {
    match found {
        DeviceOrHost::OnHost(found) => Ok(found.graph),
        DeviceOrHost::OnDevice(found) => {
            let gpu_explore::GraphBuffers {
                choice_offsets,
                branch_offsets,
                targets,
            } = found.graph;
            let graph = DeviceGraph::new(gpu, choice_offsets, branch_offsets, targets);
            graph.download().map_err(|error| error.to_string())
        }
    }
}

impl System {
    /// Returns the expected error, if there is one.
    fn error(&self, setup: Setup) -> Option<Expected> {
        if let Some([limit, count]) = setup.compared
            && limit < count
        {
            return Some(Expected::TooManyToCompare(count));
        }
        match self {
            Self::Network(_) => None,
            Self::Program(program) => corner_cases::first_failure(program).map(Expected::Broken),
        }
    }

    /// Returns the results of an exploration on the host, and of one that stays on the device.
    fn explore(
        &self,
        gpu: &Gpu,
        options: &Options<'_>,
        bits: TableBits,
    ) -> Result<(Exploration, DeviceOrHost), Error> {
        match self {
            Self::Network(network) => {
                let model = Model::Network(network);
                gpu_explore::explore(gpu, model, options).and_then(|found| {
                    Ok((found, gpu_explore::explore_resident(gpu, model, options)?))
                })
            }
            Self::Program(program) => {
                let tables = program.word_tables(bits).expect("a program for a device");
                let initial = States::from_packed(program.words(), initial(program));
                let model = Model::Program {
                    tables: &tables,
                    initial: &initial,
                };
                let found = gpu_explore::explore(gpu, model, options);
                found.and_then(|found| {
                    Ok((found, gpu_explore::explore_resident(gpu, model, options)?))
                })
            }
        }
    }

    /// Certifies an exploration.
    fn certify(&self, found: &Exploration, policy: Deadlocks) -> Result<(), String> {
        match self {
            Self::Network(network) => check_explored_network(network, found, policy, &Nobody)
                .map_err(|error| error.to_string()),
            Self::Program(program) => {
                check_explored_program(program, &initial(program), found, policy, &Nobody)
                    .map_err(|error| error.to_string())
            }
        }
    }
}

struct Nobody;

impl Observer for Nobody {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::trial::{faults, settings};

    /// Runs some of the trials of `cargo xtask verify`.
    #[test]
    fn explorations_are_right_under_the_interpreter() {
        for trial in trials(67).into_iter().chain(drawn(6)) {
            let device = Interpreter::new(settings(&*trial));
            assert_eq!(
                faults(&*trial, &device, &HostLoop::ALL),
                Vec::<String>::new()
            );
            assert!(device.runs().len() > 8, "{trial}");
        }
    }
}

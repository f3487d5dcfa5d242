//! Runs the searches for cycle means and long-run averages on small models under the interpreter,
//! and checks the answers.
//!
//! `gains.rs` computes the gains of components as the device does.

mod gains;

use std::fmt;

use cycle_mean::{MeanSearch, Objective, solve_components};
use decompose::scc;
use long_run::{Bounds, MecGain, Rewards, Subject};
use mdp_graph::{ComponentId, ComponentKind, Components, MdpGraph, StateId};
use verify::run::Interpreter;
use verify::small::{Model, digraphs, mdps};

use super::trial::{HostLoop, Trial, WRONG_ANSWER, is_small};
use crate::rng::Rng;

/// A graph with weights, and perhaps with times.
struct Cycles {
    graph: MdpGraph,
    weights: Vec<i64>,
    times: Option<Vec<u32>>,
    seed: u64,
}

/// A Markov decision process whose choices have rewards.
struct LongRun {
    graph: MdpGraph,
    probabilities: Vec<f64>,
    rewards: Vec<f64>,
    seed: u64,
}

/// Returns one of every `every` of the following models, and more of the last ones: all digraphs of
/// up to two states with all weights of three values; all digraphs of three states, and some with a
/// long row, with random weights and times; all Markov decision processes of two states, and some
/// of three.
pub(super) fn trials(every: usize) -> Vec<Box<dyn Trial>> {
    let weighted = (1..=2).flat_map(digraphs).flat_map(|model| {
        let graph = graph(&model);
        let kinds = 3_u64.pow(graph.num_branches() as u32);
        (0..kinds).map(move |kind| (graph.clone(), Some(kind)))
    });
    let drawn = digraphs(3).map(|model| (graph(&model), None));
    let long = (0..LONG_ROWS).map(|more| (graph(&long_row(1025 + more)), None));
    let cycles = (0..).zip(weighted.chain(drawn).chain(long)).map(cycles);
    let live = |model: &Model| model.iter().all(|choices| !choices.is_empty());
    let models = mdps(2).chain(mdps(3).step_by(39_989)).filter(live);
    let runs = (0..)
        .zip(models)
        .map(|(seed, model)| long_run(graph(&model), seed));
    let runs = runs.step_by(every.div_ceil(16));
    cycles.step_by(every).chain(runs).collect()
}

/// Returns this many random graphs, with several components and weights of all sizes.
pub(super) fn drawn(count: u64) -> Vec<Box<dyn Trial>> {
    let trial = |seed| {
        let mut rng = Rng::new(seed);
        let states = 4 + rng.below(24);
        let model: Model = (0..states)
            .map(|state| drawn_row(&mut rng, state, states))
            .collect();
        let graph = graph(&model);
        // The weights are small, so that many are equal, or take more than one word, or are larger.
        let most = rng.one_of(&[3, 1 << 20, 1 << 34, 1 << 50]);
        let mut number = |most: u64| {
            let [high, low] = [0, 1].map(|_| u64::from(rng.below(1 << 28)));
            (high << 28 | low) % (most + 1)
        };
        let branches = 0..graph.num_branches();
        let weights = branches
            .clone()
            .map(|_| number(2 * most) as i64 - most as i64);
        let weights = weights.collect();
        let times = branches.map(|_| number([2, 1 << 20][seed as usize / 2 % 2]) as u32);
        let times: Vec<u32> = times.collect();
        let trial: Box<dyn Trial> = Box::new(Cycles {
            graph,
            weights,
            times: (seed % 3 == 2).then_some(times),
            seed,
        });
        trial
    };
    (0..count).map(trial).collect()
}

/// Returns this many graphs of each kind, for code that other graphs do not reach: many cycles of
/// the same value in a component; states that lose their last predecessors at the same time; and a
/// row with exactly as many edges as one invocation handles alone.
pub(super) fn corner_cases(count: u64) -> Vec<Box<dyn Trial>> {
    // Several workgroups run at a time.
    let seeds = (8..).filter(|&seed| is_small(seed)).take(count as usize);
    let each = seeds.flat_map(|seed| {
        let rng = &mut Rng::new(seed);
        let models = [equal_cycles(rng), sink_of_many(rng)];
        models.map(|(model, weights)| (seed, model, weights))
    });
    let mut trials: Vec<Box<dyn Trial>> = Vec::new();
    for (seed, model, weights) in each {
        trials.push(Box::new(Cycles {
            graph: graph(&model),
            weights,
            times: None,
            seed,
        }));
    }
    trials.push(cycles((0, (graph(&long_row(1024)), None))));
    trials
}

/// Returns pairs of states whose cycles have the same value, in a ring of edges that cost more.
fn equal_cycles(rng: &mut Rng) -> (Model, Vec<i64>) {
    let pairs = 4 + rng.below(12);
    let costs = rng.one_of(&[(1, 9), (-2, 1), (0, 3)]);
    let states = 2 * pairs;
    let row = |state: u32| vec![vec![state ^ 1, (state + 1 + state % 2) % states]];
    let weights = (0..states).flat_map(|_| [costs.0, costs.1]);
    ((0..states).map(row).collect(), weights.collect())
}

/// Returns many states that lead to one state. From this state a cycle is reached, which leads back
/// to them at a price.
fn sink_of_many(rng: &mut Rng) -> (Model, Vec<i64>) {
    let many = 6 + rng.below(20);
    let mut model: Model = (0..many).map(|_| vec![vec![many]]).collect();
    let all = (0..many).chain([many + 2]).collect();
    model.extend([vec![vec![many + 1]], vec![all], vec![vec![many + 1]]]);
    let mut weights = vec![1; many as usize + 1];
    weights.extend((0..many).map(|_| 50));
    weights.extend([-1, -1]);
    (model, weights)
}

/// Returns edges to states nearby, and sometimes to a distant one.
fn drawn_row(rng: &mut Rng, state: u32, states: u32) -> Vec<Vec<u32>> {
    let first = state / 7 * 7;
    let last = (first + 6).min(states - 1);
    let targets = (0..rng.below(5)).map(|_| match rng.below(8) {
        0 => rng.between(state, states - 1),
        _ => rng.between(first, last),
    });
    let targets: Vec<u32> = targets.collect();
    match targets.is_empty() {
        true => Vec::new(),
        false => vec![targets],
    }
}

/// The number of graphs with a long row.
const LONG_ROWS: u32 = 6;

/// Returns this many edges from state 0 to two others, from each of which one edge leads back.
/// Their row is longer than the rows that one invocation handles alone.
fn long_row(edges: u32) -> Model {
    let row = (0..edges).map(|k| 1 + k % 2).collect();
    vec![vec![row], vec![vec![0]], vec![vec![0]]]
}

fn graph(model: &Model) -> MdpGraph {
    MdpGraph::from_choices(model).expect("a small model is well formed")
}

/// Returns a graph whose weights are the digits of a number, or are random. Random weights have
/// both signs, and many are equal; every third graph has times, some of which are 0.
fn cycles((seed, (graph, digits)): (u64, (MdpGraph, Option<u64>))) -> Box<dyn Trial> {
    let branches = 0..graph.num_branches();
    let mixed = |branch: usize, factor: u64| (branch as u64 + 3).wrapping_mul(seed + 5) * factor;
    let weight = |branch| match digits {
        Some(digits) => [0, -1, 2][(digits / 3_u64.pow(branch as u32) % 3) as usize],
        None => (mixed(branch, 7) % 5) as i64 - 2,
    };
    let weights = branches.clone().map(weight).collect();
    let has_times = digits.is_none() && seed.is_multiple_of(3);
    let time = |branch| (mixed(branch, 11) % 3) as u32;
    Box::new(Cycles {
        weights,
        times: has_times.then(|| branches.map(time).collect()),
        graph,
        seed,
    })
}

fn long_run(graph: MdpGraph, seed: u64) -> Box<dyn Trial> {
    let choices = graph.choice_offsets().last().copied().unwrap_or_default();
    let lengths = graph.branch_offsets().windows(2).map(|row| row[1] - row[0]);
    let each = |length| (0..length).map(move |_| 1.0 / f64::from(length));
    let reward = |choice: u32| ((u64::from(choice) + 3) * (seed + 5) % 7) as f64 - 3.0;
    Box::new(LongRun {
        probabilities: lengths.flat_map(each).collect(),
        rewards: (0..choices).map(reward).collect(),
        graph,
        seed,
    })
}

impl fmt::Display for Cycles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (graph, weights, times) = (&self.graph, &self.weights, &self.times);
        write!(f, "{graph:?} with weights {weights:?} and times {times:?}")
    }
}

impl fmt::Display for LongRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} with rewards {:?}", self.graph, self.rewards)
    }
}

impl Trial for Cycles {
    fn seed(&self) -> u64 {
        self.seed
    }

    fn wrong_answers(&self, device: &Interpreter, loops: &[HostLoop]) -> Vec<String> {
        if !loops.contains(&HostLoop::CycleMean) {
            return Vec::new();
        }
        let searches = [Objective::Min, Objective::Max].map(|objective| {
            [MeanSearch::Howard, MeanSearch::Paper].map(|search| (objective, search))
        });
        let wrong = |(objective, search)| {
            let what = match self.is_right(device, objective, search) {
                Ok(true) => return None,
                Ok(false) => WRONG_ANSWER.to_owned(),
                Err(error) => error,
            };
            Some(format!("{self}, {objective:?}, {search:?}: {what}"))
        };
        searches.into_iter().flatten().filter_map(wrong).collect()
    }
}

impl Cycles {
    /// Returns whether the interpreter and the CPU find the same.
    fn is_right(
        &self,
        device: &Interpreter,
        objective: Objective,
        search: MeanSearch,
    ) -> Result<bool, String> {
        let problem = match &self.times {
            Some(times) => cycle_mean::Problem::ratio(&self.graph, &self.weights, times, objective),
            None => cycle_mean::Problem::mean(&self.graph, &self.weights, objective),
        };
        let solve = |search, device| {
            let options = cycle_mean::Options {
                search,
                device,
                ..cycle_mean::Options::default()
            };
            let components = scc(&self.graph, &decompose::Options::default());
            let components = components.map_err(|error| error.to_string())?;
            match solve_components(&problem, components, &options) {
                Ok(answer) => Ok(Ok((answer.optima().to_vec(), answer.potentials().to_vec()))),
                // A cycle without time is a valid answer, too.
                Err(error @ cycle_mean::Error::Gpu(_)) => Err(error.to_string()),
                Err(error) => Ok(Err(error.to_string())),
            }
        };
        let expected = solve(MeanSearch::Howard, cycle_mean::OpenDevice::Cpu)?;
        Ok(solve(search, cycle_mean::OpenDevice::Gpu(device.gpu()))? == expected)
    }
}

impl Trial for LongRun {
    fn seed(&self) -> u64 {
        self.seed
    }

    fn wrong_answers(&self, device: &Interpreter, loops: &[HostLoop]) -> Vec<String> {
        if !loops.contains(&HostLoop::LongRun) {
            return Vec::new();
        }
        let goals = [long_run::Objective::Min, long_run::Objective::Max];
        let wrong = |objective| {
            let what = match self.is_right(device, objective) {
                Ok(true) => return None,
                Ok(false) => WRONG_ANSWER.to_owned(),
                Err(error) => error,
            };
            Some(format!("{self}, {objective:?}: {what}"))
        };
        goals.into_iter().filter_map(wrong).collect()
    }
}

/// The largest distance of bounds.
const EPSILON: f64 = 0.01;

impl LongRun {
    /// Returns whether the bounds from the interpreter contain the exact averages, and took the
    /// expected number of iterations.
    fn is_right(
        &self,
        device: &Interpreter,
        objective: long_run::Objective,
    ) -> Result<bool, String> {
        let rewards = Rewards {
            choices: Some(&self.rewards),
            ..Rewards::default()
        };
        let problem = long_run::Problem::new(&self.graph, &self.probabilities, rewards, objective);
        let problem = problem.map_err(|error| error.to_string())?;
        let options = long_run::Options {
            epsilon: EPSILON,
            device: long_run::OpenDevice::Gpu(device.gpu()),
            max_iterations: self.most_iterations(),
            ..long_run::Options::default()
        };
        let states: Vec<StateId> = self.graph.states().collect();
        let iterations = self.iterations(objective)?;
        let found = match long_run::solve(&problem, &states, &options) {
            Ok(found) => found,
            Err(long_run::Error::NotReached {
                of: whose,
                iterations: made,
                ..
            }) if self.most_iterations() == FEW => {
                // The values of states may take more iterations than allowed, too.
                let of = |smallest| iterations.iter().find(|(own, _)| *own == smallest);
                return Ok(match whose {
                    Subject::Component(smallest) => of(smallest) == Some(&(smallest, made)),
                    Subject::From(_) => true,
                });
            }
            Err(error) => return Err(error.to_string()),
        };
        let mut both = found.gains().iter().zip(&iterations);
        let is_wrong = |(gain, (_, expected)): (&MecGain, &(StateId, u64))| {
            gain.iterations != *expected && self.is_iterated(found.mecs(), gain.component)
        };
        if both.any(is_wrong) {
            return Ok(false);
        }
        let exact = long_run::solve_exactly(&problem, &long_run::Options::default());
        let exact = exact.map_err(|error| error.to_string())?;
        Ok(states.iter().all(|&state| {
            let (bounds, value) = (found.value(state), Bounds::enclosing(exact.value(state)));
            bounds.lower <= value.upper && value.lower <= bounds.upper
        }))
    }

    /// Returns whether the gain of a component is found by iterations. If no choice of several
    /// states branches, it is a cycle mean.
    fn is_iterated(&self, mecs: &Components, id: ComponentId) -> bool {
        let own = self.graph.states();
        let mut own = own.filter(|&state| mecs.component(state) == Some(id));
        let branches = |state| {
            let mut retained = mecs.retained_choices(&self.graph, state);
            retained.any(|choice| {
                let targets = self.graph.targets(choice);
                targets.iter().any(|&target| target != targets[0])
            })
        };
        mecs.size(id) == 1 || own.any(branches)
    }

    /// Returns the largest number of iterations. It is too small for every third model.
    fn most_iterations(&self) -> u64 {
        match self.seed % 3 {
            1 => FEW,
            _ => long_run::Options::default().max_iterations,
        }
    }

    /// Returns the smallest state of each component, and the number of iterations that its gain
    /// takes.
    fn iterations(&self, objective: long_run::Objective) -> Result<Vec<(StateId, u64)>, String> {
        let sign = match objective {
            long_run::Objective::Max => 1.0,
            long_run::Objective::Min => -1.0,
        };
        let earned: Vec<f64> = self.rewards.iter().map(|reward| sign * reward).collect();
        let mecs = decompose::decompose(
            &self.graph,
            ComponentKind::Mec,
            &decompose::Options::default(),
        );
        let mecs = mecs.map_err(|error| error.to_string())?;
        let model = gains::Earning {
            graph: &self.graph,
            probabilities: &self.probabilities,
            earned: &earned,
        };
        // The bounds on gains are twice as close as those on averages.
        let all = gains::iterations(&model, &mecs, EPSILON / 2.0, self.most_iterations());
        Ok(all
            .into_iter()
            .map(|(id, iterations)| (mecs.smallest(id), iterations))
            .collect())
    }
}

/// A number of iterations that is too small for most models.
const FEW: u64 = 5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::trial::{faults, settings};

    /// Returns the number of kernels that a trial has run, after checking that its answers are
    /// right.
    fn kernels(trial: &dyn Trial) -> usize {
        let device = Interpreter::new(settings(trial));
        assert_eq!(faults(trial, &device, &HostLoop::ALL), Vec::<String>::new());
        device.runs().len()
    }

    /// Runs some of the trials of `cargo xtask verify`. A graph without cycles needs no kernel.
    #[test]
    fn averages_are_right_under_the_interpreter() {
        let mut all = trials(41);
        all.extend(drawn(8));
        let ran: Vec<usize> = all.iter().map(|trial| kernels(&**trial)).collect();
        let idle = ran.iter().filter(|&&kernels| kernels == 0).count();
        assert!(3 * idle < ran.len(), "{ran:?}");
    }

    /// The graph has more states than a workgroup has invocations, and a long row.
    #[test]
    fn the_cycle_means_of_a_wheel_with_a_hub() {
        let rim = 1100;
        let hub: Vec<Vec<u32>> = (1..=rim).map(|state| vec![state]).collect();
        let spoke = |state: u32| vec![vec![0], vec![state % rim + 1]];
        let model: Model = [hub].into_iter().chain((1..=rim).map(spoke)).collect();
        assert!(kernels(&*cycles((1, (graph(&model), None)))) > 10);
    }
}

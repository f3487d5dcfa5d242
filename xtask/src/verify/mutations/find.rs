//! Determines which layer finds a change first: the compiler, the lints, or runs of the kernels.

use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use verify::lint::lint;
use verify::mutate::{Site, mutate};
use verify::run::{Fault, Interpreter, Mutant, Settings};

use super::changes::{Change, Chosen, ITERATIONS, Kernels, MAX_BUFFER_BYTES, Places};
use crate::verify::cores::lock;
use crate::verify::trial::{Trial, WRONG_ANSWER, settings};

/// The largest number of kernels in which the lints examine a change.
const LINTED: usize = 6;
/// The verdict on a change.
pub(super) type Finding<'a> = (Verdict, &'a Site);

/// The layers that may find a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Layer {
    /// The changed kernel is not valid.
    Compiler,
    Lint,
    /// A data race.
    Race,
    /// A claim that the kernel promises does not hold.
    Promise,
    /// An index outside its array, a division by zero, or a barrier that some invocations do not
    /// reach.
    Check,
    /// An invocation or a loop does not end, or does something after its end.
    End,
    /// The host reports an error, or panics.
    Host,
    /// The answer is wrong.
    Answer,
}

impl Layer {
    pub(super) const ALL: [(Self, &'static str); 8] = [
        (Self::Compiler, "compiler"),
        (Self::Lint, "lints"),
        (Self::Race, "race"),
        (Self::Promise, "promise"),
        (Self::Check, "bounds, barriers"),
        (Self::End, "end"),
        (Self::Host, "host"),
        (Self::Answer, "answer"),
    ];

    /// Returns the name of a layer, or the text for a change that no layer finds.
    pub(super) fn name(layer: Option<Self>) -> &'static str {
        let mut all = Self::ALL.iter();
        let named = all.find(|(own, _)| Some(*own) == layer);
        named.map_or(SURVIVES, |(_, name)| name)
    }

    /// Returns the layer with this name; `Some(None)` for the text that no layer finds the change.
    pub(super) fn of_name(name: &str) -> Option<Option<Self>> {
        let mut all = Self::ALL.iter();
        let named = all.find(|(_, own)| *own == name).map(|(layer, _)| *layer);
        (named.is_some() || name == SURVIVES).then_some(named)
    }

    fn of(fault: Fault) -> Self {
        match fault {
            Fault::Race => Self::Race,
            Fault::Claim | Fault::Promise => Self::Promise,
            Fault::OutOfBounds | Fault::DivisionByZero | Fault::Barrier => Self::Check,
            Fault::Endless | Fault::AfterEnd => Self::End,
        }
    }
}

/// The text for a change that no layer finds.
const SURVIVES: &str = "survives";

/// The result for a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    /// The layer that finds it, if any does.
    pub(super) layer: Option<Layer>,
    /// The number of runs that were made, and of those that were planned. They are equal if the
    /// change survives and there was enough time.
    pub(super) runs: usize,
    pub(super) of: usize,
}

impl Verdict {
    pub(super) fn survives(&self) -> bool {
        self.layer.is_none()
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { layer, runs, of } = self;
        write!(f, "{}, {runs} of {of} runs", Layer::name(*layer))?;
        match self.survives() && runs < of {
            true => write!(f, ", takes too long"),
            false => Ok(()),
        }
    }
}

/// The result of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tried {
    Found(Layer),
    NotFound,
    /// The run was ended, and had found nothing so far.
    TookTooLong,
}

/// Returns the layer that finds a change first. Several runs are made at a time; the first of those
/// that find the change, or have too little time, decides. `limit` is for the sum of their times. A
/// run that exceeds it is ended, and no other is started.
pub(super) fn find(
    change: &Change,
    trials: &[Box<dyn Trial>],
    kernels: &Kernels,
    limit: Duration,
) -> Verdict {
    let each = change.places.iter().map(|places| kernels.chosen(places));
    let each = in_order(each.collect());
    let of = each.len();
    let verdict = |layer, runs| Verdict { layer, runs, of };
    let mut places = change.places.iter();
    if let Some(layer) = places.find_map(|places| statically(places, kernels)) {
        return verdict(Some(layer), 0);
    }
    let mutants = change.places.iter().map(|places| {
        let labels = places.iter();
        let labels = labels.map(|(label, site)| ((*label).to_owned(), *site));
        Arc::new(Mutant::new(labels.collect()))
    });
    let mutants: Vec<Arc<Mutant>> = mutants.collect();
    let spent = Mutex::new(Duration::ZERO);
    let decides = |&(runs, (place, ref chosen)): &(usize, (usize, Chosen))| {
        let begin = Instant::now();
        let left = limit.saturating_sub(*lock(&spent));
        let tried = found_by(&*trials[chosen.trial], &mutants[place], chosen, left);
        *lock(&spent) += begin.elapsed();
        match tried {
            Tried::Found(layer) => Some(verdict(Some(layer), runs + 1)),
            Tried::NotFound => None,
            Tried::TookTooLong => Some(verdict(None, runs)),
        }
    };
    // If each change had one core, the last changes would leave most cores idle. Runs behind the
    // one that decides are in vain, so only as many begin together as there are cores.
    let each: Vec<_> = each.into_iter().enumerate().collect();
    let mut together = each.chunks(rayon::current_num_threads());
    let decided = together.find_map(|runs| runs.par_iter().find_map_first(decides));
    decided.unwrap_or_else(|| verdict(None, of))
}

/// Returns the trials of all places of a change, each with the number of its place. Those with few
/// steps come first, so that the longest trial of one place does not take the time of the others.
fn in_order(each: Vec<Vec<Chosen>>) -> Vec<(usize, Chosen)> {
    let of_place =
        |(place, all): (usize, Vec<Chosen>)| all.into_iter().map(move |own| (place, own));
    let mut all: Vec<(usize, Chosen)> = each.into_iter().enumerate().flat_map(of_place).collect();
    all.sort_by_key(|(_, chosen)| chosen.most_steps);
    all
}

/// Returns the layer that finds a change without a run.
fn statically(places: &Places, kernels: &Kernels) -> Option<Layer> {
    let step = places.len().div_ceil(LINTED);
    let mut some = places.iter().step_by(step);
    some.find_map(
        |(label, site)| match mutate(kernels.program(label), *site) {
            Ok(changed) if lint(&changed).is_empty() => None,
            Ok(_) => Some(Layer::Lint),
            Err(_) => Some(Layer::Compiler),
        },
    )
}

/// Returns the layer that finds a change in one trial, in at most this time.
pub(super) fn found_by(
    trial: &dyn Trial,
    mutant: &Arc<Mutant>,
    chosen: &Chosen,
    limit: Duration,
) -> Tried {
    let settings = Settings {
        max_operations: trial.operations(),
        iterations: ITERATIONS,
        steps: chosen.most_steps,
        limit,
        max_buffer_bytes: MAX_BUFFER_BYTES,
        fails_early: true,
        ..settings(trial)
    };
    let device = Interpreter::with_mutant(settings, mutant.clone());
    let run = || trial.wrong_answers(&device, &chosen.loops);
    let answers = panic::catch_unwind(AssertUnwindSafe(run));
    let faults = device.findings().into_iter();
    let by_device = faults.map(|(_, finding)| Layer::of(finding.fault)).min();
    if let Some(layer) = by_device {
        return Tried::Found(layer);
    }
    // What the host says of a device that failed for lack of time is no fault.
    if device.is_late() {
        return Tried::TookTooLong;
    }
    match answers.as_deref().map(<[String]>::first) {
        Err(_) => Tried::Found(Layer::Host),
        Ok(None) => Tried::NotFound,
        Ok(Some(wrong)) if wrong.ends_with(WRONG_ANSWER) => Tried::Found(Layer::Answer),
        Ok(Some(_)) => Tried::Found(Layer::Host),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last trial of one place may take all of the time.
    #[test]
    fn short_trials_come_first() {
        let chosen = |most_steps| Chosen {
            trial: 0,
            loops: Vec::new(),
            most_steps,
        };
        let each = [[1, 900], [2, 800]].map(|steps| steps.map(chosen).to_vec());
        let all = in_order(each.to_vec()).into_iter();
        let order: Vec<(usize, u64)> = all.map(|(place, own)| (place, own.most_steps)).collect();
        assert_eq!(order, [(0, 1), (1, 2), (1, 800), (0, 900)]);
    }
}

//! [`Request`]: the model to read, and the parts of it that are needed.

use crate::args::ModelArgs;
use crate::load::size_hint::SizeHint;
use crate::progress::Progress;
use gpu::Gpu;
use mdp_graph::Deadlocks;
use std::cell::RefCell;
use std::path::Path;

/// The data of a model that are wanted in addition to its graph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) valuations: Origin<'a>,
    pub(crate) labels: Origin<'a>,
    pub(crate) details: Extent,
    /// The sizes of the models of which values and details are wanted.
    pub(crate) sizes: Sizes,
    /// Whether the actions of a Markov chain's branches are wanted, for choices without an action.
    pub(crate) branch_actions: bool,
    pub(crate) rewards: Structures<'a>,
    /// Whether those probabilities of explicit transitions that are fractions are also wanted
    /// without rounding.
    pub(crate) fractions: bool,
}

/// The form of the warning that deadlocks were given self-loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeadlockWarning {
    /// It mentions the option `--deadlocks`.
    WithOption,
    /// It mentions no option, because the command has no such option.
    Plain,
    /// It is not printed while the model is read: the command prints it later.
    Later,
}

/// The details of choices that are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    Nothing,
    /// The names of the actions. Other details may be kept, too.
    Actions,
    /// Actions and probabilities.
    Everything,
}

/// Sizes of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sizes {
    All,
    /// Those of models that can be drawn.
    Small,
}

impl Sizes {
    /// Returns whether a model with this many states has such a size.
    pub(super) fn include(self, num_states: usize) -> bool {
        self == Self::All || num_states <= report::CONDENSE_OVER
    }

    /// Returns whether a model whose text has this many bytes may have such a size. If it turns out
    /// to be too large, its details have taken no more memory than its text.
    pub(super) fn may_include_text(self, bytes: usize) -> bool {
        /// No small model has a text that is longer than this.
        const LONGEST: usize = 1 << 20;
        self == Self::All || bytes <= LONGEST
    }
}

/// The reward structures that are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Structures<'a> {
    Nothing,
    All,
    /// Those with these names or numbers; `None` stands for the only one. The rewards of others may
    /// be missing.
    These(&'a [Option<&'a str>]),
}

impl Structures<'_> {
    /// Returns whether any are wanted.
    pub(super) fn are_wanted(self) -> bool {
        self != Structures::Nothing
    }
}

impl<'a> Wanted<'a> {
    /// Returns a request for all data, with labels and values from these files if they are named.
    pub(crate) fn everything(states: Option<&'a Path>, labels: Option<&'a Path>) -> Self {
        Self {
            valuations: Origin::named(states, Origin::Beside),
            labels: Origin::named(labels, Origin::Beside),
            details: Extent::Everything,
            sizes: Sizes::All,
            fractions: false,
            branch_actions: false,
            rewards: Structures::All,
        }
    }

    /// Returns a request for all data except the values of variables, with labels from this file if
    /// it is named.
    pub(crate) fn but_valuations(labels: Option<&'a Path>) -> Self {
        Self {
            valuations: Origin::Nowhere,
            ..Self::everything(None, labels)
        }
    }

    /// Returns a request for the graph alone.
    pub(crate) const fn graph() -> Self {
        Self {
            valuations: Origin::Nowhere,
            labels: Origin::Nowhere,
            details: Extent::Nothing,
            sizes: Sizes::All,
            fractions: false,
            branch_actions: false,
            rewards: Structures::Nothing,
        }
    }
}

/// The source of values or labels of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin<'a> {
    /// They are not wanted.
    Nowhere,
    /// The model's file if it can contain them, or otherwise the file beside it.
    Beside,
    /// From this file.
    File(&'a Path),
}

impl<'a> Origin<'a> {
    /// Returns the named file as the source, if there is one.
    pub(crate) fn named(file: Option<&'a Path>, otherwise: Self) -> Self {
        file.map_or(otherwise, Self::File)
    }

    /// Returns whether they are read from the model's own file.
    pub(super) fn reads_model_file(self) -> bool {
        self == Self::Beside
    }
}

/// A request to read a model, and the receivers of information about it.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) args: &'a ModelArgs,
    pub(crate) wanted: Wanted<'a>,
    pub(crate) deadlocks: Deadlocks,
    /// The form of the warning that deadlocks were given self-loops.
    pub(crate) deadlock_warning: DeadlockWarning,
    pub(crate) progress: Progress,
    /// A function that is called with the size of the model, as soon as it is known or can be
    /// estimated.
    pub(crate) size_hint: &'a (dyn Fn(SizeHint) + Sync),
    /// The device on which the states of a network or a program are explored.
    pub(crate) explore_on: &'a ExploreOn<'a>,
    /// Whether to check the explored states.
    pub(crate) certify: bool,
    /// The goals of the exploration, if it may end when they are reached.
    pub(crate) until: Option<Until<'a>>,
}

impl<'a> Request<'a> {
    /// Makes a request to read the model without changes. It is explored on the CPU, and its size
    /// is not reported.
    pub(crate) fn new(args: &'a ModelArgs, wanted: Wanted<'a>, progress: Progress) -> Self {
        Self {
            args,
            wanted,
            deadlocks: Deadlocks::Keep,
            deadlock_warning: DeadlockWarning::WithOption,
            progress,
            size_hint: &|_| {},
            explore_on: &ExploreOn::Cpu,
            certify: false,
            until: None,
        }
    }
}

/// The goals of an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Until<'a> {
    pub(crate) deadlock: bool,
    pub(crate) action: Option<&'a str>,
    /// A label of a program.
    pub(crate) label: Option<&'a str>,
}

/// The device on which the states of a network or a program are explored.
pub(crate) enum ExploreOn<'a> {
    /// On all cores.
    Cpu,
    /// The device that this function opens. It is called once for each exploration: a small model
    /// that is to be drawn is explored twice. If the CPU has to explore the model, the second value
    /// is the reason that a message has given last.
    Gpu(Box<OpenGpu<'a>>, RefCell<Option<String>>),
    /// All cores and, if that takes long, also the device that this function opens. The faster one
    /// wins.
    Auto(Box<OpenLater<'a>>),
}

/// A function that opens a device.
pub(crate) type OpenGpu<'a> = dyn Fn() -> Result<Gpu, gpu::Error> + 'a;

/// A function that returns a function which opens a device on another thread.
pub(crate) type OpenLater<'a> = dyn Fn() -> Opener + 'a;
pub(crate) type Opener = Box<dyn FnOnce() -> Result<Gpu, gpu::Error> + Send>;

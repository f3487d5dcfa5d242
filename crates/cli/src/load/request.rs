//! [`Request`]: the model to read, and the parts of it that are needed.

use crate::args::ModelArgs;
use crate::load::size_hint::SizeHint;
use crate::progress::Progress;
use gpu::Gpu;
use mdp_graph::Deadlocks;
use std::path::Path;

/// What is wanted of a model besides its graph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) valuations: Origin<'a>,
    pub(crate) labels: Origin<'a>,
    pub(crate) details: Extent,
    /// Whether the actions of a chain's branches are wanted where their choice has none.
    pub(crate) branch_actions: bool,
    pub(crate) rewards: bool,
    /// Whether values and details are wanted only of small models, which can be drawn.
    pub(crate) only_of_few: bool,
}

/// How it is said that deadlocks were given self-loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeadlockWarning {
    /// With the option `--deadlocks`, by which users choose what becomes of them.
    WithOption,
    /// Without it, as the command has no such option.
    Plain,
    /// Not while the model is read: the command says it later.
    Later,
}

/// Which details of choices are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    Nothing,
    /// The names of the actions; others may come with them.
    Actions,
    /// Actions and probabilities.
    Everything,
}

/// The most states that a small model has.
pub(super) const FEW_STATES: usize = report::CONDENSE_OVER;

impl<'a> Wanted<'a> {
    /// Everything, with labels and values from these files if they are named.
    pub(crate) fn everything(states: Option<&'a Path>, labels: Option<&'a Path>) -> Self {
        Self {
            valuations: Origin::named(states, Origin::Beside),
            labels: Origin::named(labels, Origin::Beside),
            details: Extent::Everything,
            branch_actions: false,
            rewards: true,
            only_of_few: false,
        }
    }

    /// Everything but the values of variables, with labels from this file if it is named.
    pub(crate) fn but_valuations(labels: Option<&'a Path>) -> Self {
        Self {
            valuations: Origin::Nowhere,
            ..Self::everything(None, labels)
        }
    }

    /// Nothing but the graph.
    pub(crate) const fn graph() -> Self {
        Self {
            valuations: Origin::Nowhere,
            labels: Origin::Nowhere,
            details: Extent::Nothing,
            branch_actions: false,
            rewards: false,
            only_of_few: false,
        }
    }
}

/// Where values or labels of states are taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin<'a> {
    /// They are not wanted.
    Nowhere,
    /// From the model's file if it can hold them, or else from the one beside it.
    Beside,
    /// From this file.
    File(&'a Path),
}

impl<'a> Origin<'a> {
    /// The file that was named, if there was one.
    pub(crate) fn named(file: Option<&'a Path>, otherwise: Self) -> Self {
        file.map_or(otherwise, Self::File)
    }

    /// Whether the model's own file is to be read for them.
    pub(super) fn reads_model_file(self) -> bool {
        self == Self::Beside
    }
}

/// How a model is to be read, and who is told about it meanwhile.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) args: &'a ModelArgs,
    pub(crate) wanted: Wanted<'a>,
    pub(crate) deadlocks: Deadlocks,
    /// How it is said that deadlocks were given self-loops.
    pub(crate) says_of_deadlocks: DeadlockWarning,
    pub(crate) progress: Progress,
    /// Is told how large the model is as soon as that is known or can be estimated.
    pub(crate) size_hint: &'a (dyn Fn(SizeHint) + Sync),
    /// Where the states of a network or a program are found.
    pub(crate) explore_on: &'a ExploreOn<'a>,
    /// Whether what is explored is to be checked.
    pub(crate) certify: bool,
    /// What the exploration is for: it may end when that was found.
    pub(crate) until: Option<Until<'a>>,
    /// The reward structures that are needed of those that are wanted, by their names or numbers,
    /// or the only one; otherwise all. Others may be empty.
    pub(crate) structures: Option<&'a [Option<&'a str>]>,
}

impl<'a> Request<'a> {
    /// The model as it is, explored on the CPU; nobody is told how large it is.
    pub(crate) fn new(args: &'a ModelArgs, wanted: Wanted<'a>, progress: Progress) -> Self {
        Self {
            args,
            wanted,
            deadlocks: Deadlocks::Keep,
            says_of_deadlocks: DeadlockWarning::WithOption,
            progress,
            size_hint: &|_| {},
            explore_on: &ExploreOn::Cpu,
            certify: false,
            until: None,
            structures: None,
        }
    }
}

/// What is looked for while states are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Until<'a> {
    pub(crate) deadlock: bool,
    pub(crate) action: Option<&'a str>,
    /// A label of a program.
    pub(crate) label: Option<&'a str>,
}

/// Where the states of a network or a program are found.
pub(crate) enum ExploreOn<'a> {
    /// On all cores.
    Cpu,
    /// On the device that this opens, or not at all.
    Gpu(Box<OpenGpu<'a>>),
    /// On all cores, and on the device that this opens if that takes long; the faster one wins.
    Auto(Box<OpenLater<'a>>),
}

/// Opens a device.
pub(crate) type OpenGpu<'a> = dyn Fn() -> Result<Gpu, gpu::Error> + 'a;

/// What opens a device, on another thread.
pub(crate) type OpenLater<'a> = dyn Fn() -> Opener + 'a;
pub(crate) type Opener = Box<dyn FnOnce() -> Result<Gpu, gpu::Error> + Send>;

//! The options of searches on a GPU, which include every column of the papers' tables.

use super::bytes::bytes;
use super::help;
use super::number::number;
use clap::builder::NonEmptyStringValueParser as NonEmpty;
use clap::{Args, ValueEnum};
use decompose::gpu::{FbtOptions, GpuOptions};
use gpu::Request;

/// The largest number of levels that a workgroup may explore in its own memory at a time.
const MAX_HOPS: u32 = 255;

/// The heading of the options of the papers' engine.
const OF_PAPERS: &str =
    "Papers' engine: Wijs, Katoen and Bošnački, 2016 (each of these options selects it, on a GPU)";

fn hops(text: &str) -> Result<u32, String> {
    let hops = number::<u32>(text).ok().filter(|&hops| hops <= MAX_HOPS);
    hops.ok_or_else(|| format!("expected a whole number from 0 to {MAX_HOPS}"))
}

/// The options of a search on a GPU. Options that are not given are as in [`GpuOptions::default`]
/// and [`FbtOptions::default`].
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "GPU (each of these options requires one)")]
pub(crate) struct GpuArgs {
    #[arg(long, value_name = "TEXT", value_parser = NonEmpty::new(), help = help::ADAPTER)]
    pub(crate) adapter: Option<String>,
    /// Use several GPUs of this machine, each for a part of the model: `all` (all of the same kind
    /// as the best one), a number of these, such as 2, or a list of the numbers that `maxend
    /// devices` prints, such as 0,1. A list of one GPU ends in a comma: 0,
    #[arg(long, value_name = "WHICH", value_parser = adapters, conflicts_with = "adapter")]
    pub(crate) adapters: Option<Adapters>,
    /// Interleave the edges of states that have at most U edges [default: 7]
    #[arg(long, help_heading = OF_PAPERS, value_name = "U", value_parser = number::<u32>)]
    pub(crate) segment_interval: Option<u32>,
    /// Let a workgroup explore I levels in its own memory before all states are scanned again
    /// [default: 3]
    #[arg(long, help_heading = OF_PAPERS, value_name = "I", value_parser = hops)]
    pub(crate) cache_hops: Option<u32>,
    /// Search backward after the forward search, not at the same time
    #[arg(long, help_heading = OF_PAPERS)]
    pub(crate) no_hybrid: bool,
    /// Search backward without a transposed graph, which saves half of the memory
    #[arg(long, help_heading = OF_PAPERS)]
    pub(crate) no_transpose: bool,
    /// How the pivots of regions are selected [default: aggregated]
    #[arg(long, help_heading = OF_PAPERS, value_name = "HOW")]
    pub(crate) pivot: Option<Pivot>,
    /// Which states may become pivots in the search for maximal end components [default: all]
    #[arg(long, help_heading = OF_PAPERS, value_name = "WHICH")]
    pub(crate) candidates: Option<Candidates>,
    /// Bind at most this many bytes of edges at once, such as 65536 or 128M [default: what the
    /// adapter allows]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub(crate) max_binding: Option<u64>,
}

/// The GPUs that `--adapters` names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Adapters {
    /// All GPUs of the same kind as the best one.
    All,
    /// The first GPUs of this kind.
    First(usize),
    /// The GPUs with these numbers. A number may occur more than once.
    These(Vec<usize>),
}

/// Reads `all`, a number of GPUs, or a list of their numbers. A single number followed by a comma
/// is a list; without the comma, it is a number of GPUs.
fn adapters(text: &str) -> Result<Adapters, String> {
    let number = |text: &str| {
        let number = text.trim().parse::<usize>();
        number.map_err(|_| {
            "expected `all`, a number of GPUs, or a list of their numbers such as 0,1 or 0,"
                .to_owned()
        })
    };
    match text {
        "all" => Ok(Adapters::All),
        list if list.contains(',') => {
            let list = list.strip_suffix(',').unwrap_or(list);
            let numbers = list.split(',').map(number);
            numbers.collect::<Result<_, _>>().map(Adapters::These)
        }
        count => match number(count)? {
            0 => Err("at least one GPU is needed; `0,` is the one with the number 0".to_owned()),
            count => Ok(Adapters::First(count)),
        },
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Pivot {
    /// All states of a region compete
    Plain,
    /// One invocation of each subgroup competes for each region
    Aggregated,
}

impl From<Pivot> for decompose::gpu::Pivot {
    fn from(value: Pivot) -> Self {
        match value {
            Pivot::Plain => Self::Plain,
            Pivot::Aggregated => Self::Aggregated,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Candidates {
    /// All states of a region
    All,
    /// After the first round, the states that lost a choice in the previous one
    Join,
}

impl From<Candidates> for decompose::gpu::Candidates {
    fn from(value: Candidates) -> Self {
        match value {
            Candidates::All => Self::All,
            Candidates::Join => Self::Join,
        }
    }
}

impl GpuArgs {
    /// Returns the names of the given options.
    pub(crate) fn given(&self) -> Vec<&'static str> {
        let adapters = [
            ("--adapter", self.adapter.is_some()),
            ("--adapters", self.adapters.is_some()),
        ];
        let binding = [("--max-binding", self.max_binding.is_some())];
        let options = adapters
            .into_iter()
            .chain(self.of_papers())
            .chain(binding)
            .filter(|&(_, given)| given);
        options.map(|(name, _)| name).collect()
    }

    /// Returns the names of the options of the papers' engine, and whether they are given.
    fn of_papers(&self) -> [(&'static str, bool); 6] {
        [
            ("--segment-interval", self.segment_interval.is_some()),
            ("--cache-hops", self.cache_hops.is_some()),
            ("--no-hybrid", self.no_hybrid),
            ("--no-transpose", self.no_transpose),
            ("--pivot", self.pivot.is_some()),
            ("--candidates", self.candidates.is_some()),
        ]
    }

    /// Returns whether an option of the papers' engine is given, which selects this engine.
    pub(crate) fn selects_papers(&self) -> bool {
        self.of_papers().into_iter().any(|(_, given)| given)
    }

    /// Returns the options of the papers' engine, if one of them is given, even with its default
    /// value.
    fn papers(&self) -> Option<FbtOptions> {
        let default = FbtOptions::default();
        self.selects_papers().then(|| FbtOptions {
            segment_interval: self.segment_interval.unwrap_or(default.segment_interval),
            cache_hops: self.cache_hops.unwrap_or(default.cache_hops),
            hybrid: !self.no_hybrid,
            transpose: !self.no_transpose,
            pivot: self.pivot.map_or(default.pivot, Into::into),
            candidates: self.candidates.map_or(default.candidates, Into::into),
            ..default
        })
    }
}

impl From<&GpuArgs> for GpuOptions {
    fn from(args: &GpuArgs) -> Self {
        Self {
            request: Request {
                name: args.adapter.clone(),
                ..Request::default()
            },
            max_binding: args.max_binding,
            papers: args.papers(),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Adapters, GpuArgs, adapters};
    use crate::args::Cli;
    use clap::CommandFactory as _;
    use decompose::gpu::{Candidates, FbtOptions, GpuOptions, Pivot};

    #[test]
    fn a_comma_makes_a_list_of_adapters() {
        for (text, expected) in [
            ("all", Adapters::All),
            ("2", Adapters::First(2)),
            ("0,", Adapters::These(vec![0])),
            ("2,", Adapters::These(vec![2])),
            ("0,1", Adapters::These(vec![0, 1])),
            ("1, 1, 0", Adapters::These(vec![1, 1, 0])),
        ] {
            assert_eq!(adapters(text), Ok(expected), "{text}");
        }
        let refused = ["0", "", ",", "0,,", "-1", "0;1", "ALL"];
        let refused = refused.map(|text| {
            let why = adapters(text).expect_err("it is neither");
            format!("{text:?}: {why}")
        });
        insta::assert_snapshot!(refused.join("\n"), @r#"
        "0": at least one GPU is needed; `0,` is the one with the number 0
        "": expected `all`, a number of GPUs, or a list of their numbers such as 0,1 or 0,
        ",": expected `all`, a number of GPUs, or a list of their numbers such as 0,1 or 0,
        "0,,": expected `all`, a number of GPUs, or a list of their numbers such as 0,1 or 0,
        "-1": expected `all`, a number of GPUs, or a list of their numbers such as 0,1 or 0,
        "0;1": expected `all`, a number of GPUs, or a list of their numbers such as 0,1 or 0,
        "ALL": expected `all`, a number of GPUs, or a list of their numbers such as 0,1 or 0,
        "#);
    }

    #[test]
    fn options_that_are_not_given_have_the_engines_defaults() {
        let options = GpuOptions::from(&GpuArgs::default());
        assert_eq!(options, GpuOptions::default());
        // The help texts mention these values.
        let options = FbtOptions::default();
        let mut command = Cli::command();
        let decompose = command.find_subcommand_mut("decompose");
        let help = decompose.expect("there is one").render_help().to_string();
        let named = |option: &str| {
            let (_, text) = help.split_once(option).expect("the option is there");
            let (_, text) = text.split_once("[default:").expect("the default is there");
            text.split_once(']').expect("a bracket").0.trim().to_owned()
        };
        assert_eq!(
            named("--segment-interval"),
            options.segment_interval.to_string()
        );
        assert_eq!(named("--cache-hops"), options.cache_hops.to_string());
        assert_eq!(options.pivot, Pivot::Aggregated);
        assert_eq!(named("--pivot"), "aggregated");
        assert_eq!(options.candidates, Candidates::All);
        assert_eq!(named("--candidates"), "all");
    }
}

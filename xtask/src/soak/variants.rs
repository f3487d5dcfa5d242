//! Random variants of searches: an engine, and all of its options.

use crate::rng::Rng;
use decompose::ComponentSearch;
use decompose::gpu::worklist::Tuning;
use decompose::gpu::{Candidates, FbtOptions, GpuOptions, Pivot};
use mdp_graph::{ComponentKind, Digraph, MdpGraph, StateId};

/// The numbers of threads of the CPU engines. The answer with the first number is the one with
/// which all others are compared.
pub(super) const THREADS: [usize; 4] = [1, 2, 3, 8];
/// The papers' engine makes a pass over all states for each level of a search. Larger models than
/// this are rarely given to it.
const FEW_STATES: usize = 1_000;
/// If each round settles one component, the device needs a round for each. In larger graphs, the
/// host may always take over.
const MANY_STATES: usize = 4_000;
/// The papers' algorithm on the CPU looks at the whole graph in each round.
const SOME_STATES: usize = 20_000;
/// The largest number of shards.
const MAX_SHARDS: u32 = 40;

/// The kind of components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Sccs,
    Mecs,
}

impl From<Kind> for ComponentKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Sccs => Self::Scc,
            Kind::Mecs => Self::Mec,
        }
    }
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sccs => "scc",
            Self::Mecs => "mec",
        }
    }
}

/// A variant of a search.
pub(super) enum Variant {
    Cpu {
        pool: usize,
        search: ComponentSearch,
    },
    /// The worklist engine; with `None`, its default tuning.
    Fast {
        tuning: Option<Tuning>,
        options: GpuOptions,
        counts: bool,
    },
    Papers {
        search: ComponentSearch,
        options: GpuOptions,
    },
}

/// Returns variants for a graph. The first one runs on one thread of the CPU.
pub(super) fn draw(rng: &mut Rng, graph: &MdpGraph, kind: Kind, has_gpu: bool) -> Vec<Variant> {
    let cpu = |pool, search| Variant::Cpu { pool, search };
    let pool = rng.between(1, THREADS.len() as u32 - 1) as usize;
    let mut variants = vec![
        cpu(0, ComponentSearch::Auto),
        cpu(pool, ComponentSearch::Auto),
    ];
    if graph.num_states() <= SOME_STATES {
        variants.push(cpu(0, ComponentSearch::Tarjan));
    }
    if !has_gpu {
        return variants;
    }
    let longest = longest_row(graph, kind);
    let as_for_users = Variant::Fast {
        tuning: None,
        options: GpuOptions::default(),
        counts: rng.one_in(16),
    };
    variants.push(as_for_users);
    for _ in 0..2 {
        let options = GpuOptions {
            max_binding: binding(rng, graph, longest),
            laid_out_row: rng.one_of(&[2, 64, 1 << 14, 1 << 14]),
            ..GpuOptions::default()
        };
        let tuning = (!rng.one_in(3)).then(|| tuning(rng, graph.num_states()));
        variants.push(Variant::Fast {
            tuning,
            options,
            counts: rng.one_in(16),
        });
    }
    if graph.num_states() <= FEW_STATES || rng.one_in(16) {
        for search in [ComponentSearch::Fbt, ComponentSearch::Bfbt] {
            variants.push(Variant::Papers {
                search,
                options: papers(rng, graph, longest),
            });
        }
    }
    variants
}

/// Returns the largest number of edges from or to a state, including self-loops.
fn longest_row(graph: &MdpGraph, kind: Kind) -> u64 {
    let mut reaching = vec![0_u64; graph.num_states()];
    let mut count = |targets: &[StateId]| {
        targets
            .iter()
            .for_each(|target| reaching[target.index()] += 1);
        targets.len() as u64
    };
    let leaving = match kind {
        Kind::Sccs => {
            let edges = Digraph::new(graph);
            graph
                .states()
                .map(|state| count(edges.successors(state)))
                .max()
        }
        Kind::Mecs => graph
            .states()
            .map(|state| count(graph.successors(state)))
            .max(),
    };
    reaching.into_iter().max().max(leaving).unwrap_or(0).max(1)
}

/// Returns the number of bytes to bind at once: often the limit of the adapter, otherwise little.
fn binding(rng: &mut Rng, graph: &MdpGraph, longest: u64) -> Option<u64> {
    if rng.one_in(2) {
        return None;
    }
    let all = 4 * graph.num_branches() as u64;
    let shards = u64::from(rng.magnitude(2, MAX_SHARDS));
    Some((all / shards).max(4 * longest).max(4))
}

/// Draws a tuning.
fn tuning(rng: &mut Rng, num_states: usize) -> Tuning {
    let base = Tuning::default();
    // Mostly the device does all of the work. Otherwise, the host takes over at once, or soon.
    let host_percent = match num_states <= MANY_STATES {
        true => rng.one_of(&[None, None, None, Some(0), Some(1)]),
        false => rng.one_of(&[base.host_percent, Some(0), Some(1)]),
    };
    Tuning {
        share: rng.one_of(&[1, 2, base.share, 64]),
        most_groups: rng.one_of(&[1, 2, 7, 64, 256, base.most_groups]),
        hops: rng.one_of(&[0, 1, 3, base.hops]),
        search_hops: rng.one_of(&[0, 1, base.search_hops]),
        narrow: rng.one_of(&[0, 2, 64, base.narrow]),
        spill_limit: rng.one_of(&[0, 1, 16, base.spill_limit]),
        wide: rng.one_of(&[1, 32, base.wide]),
        wide_states: rng.one_of(&[0, base.wide_states]),
        most_thin: rng.one_of(&[1, 2, base.most_thin, 1000]),
        left_times: rng.one_of(&[0, 1, base.left_times, 1000]),
        most_slow_rounds: rng.one_of(&[1, 2, base.most_slow_rounds, 1000]),
        most_propagations: rng.one_of(&[1, 3, base.most_propagations]),
        hub_degree: rng.one_of(&[1, 2, 16, 300, base.hub_degree]),
        by_degree: !rng.one_in(3),
        one_component_degree: rng.one_of(&[0, base.one_component_degree, u32::MAX]),
        host_percent,
        fixed_grid: rng.one_in(4),
        inline_degree: rng.one_of(&[0, base.inline_degree, u32::MAX]),
        functional_states: rng.one_of(&[0, base.functional_states, u32::MAX]),
        walk_steps: rng.one_of(&[1, 20, base.walk_steps]),
    }
}

/// Returns a variant of the papers' engine.
fn papers(rng: &mut Rng, graph: &MdpGraph, longest: u64) -> GpuOptions {
    let papers = FbtOptions {
        segment_interval: rng.one_of(&[0, 1, 3, 7]),
        cache_hops: rng.one_of(&[0, 1, 3]),
        hybrid: !rng.one_in(3),
        transpose: !rng.one_in(3),
        pivot: rng.one_of(&[Pivot::Plain, Pivot::Aggregated]),
        candidates: rng.one_of(&[Candidates::All, Candidates::Join]),
        lanes: rng.one_of(&[None, Some(4), Some(32), Some(128)]),
        long_row: rng.one_of(&[1, 3, 50, 1024]),
    };
    GpuOptions {
        max_binding: binding(rng, graph, 128 * longest),
        ..papers.into()
    }
}

impl Variant {
    /// Returns the name by which runs are counted.
    pub(super) fn engine(&self, kind: Kind) -> String {
        let kind = kind.name();
        match self {
            Self::Cpu {
                search: ComponentSearch::Tarjan,
                ..
            } => format!("{kind} CPU, tarjan"),
            Self::Cpu { pool, .. } => format!("{kind} CPU, {} threads", THREADS[*pool]),
            Self::Fast {
                tuning: None,
                options,
                ..
            } if options.max_binding.is_none() => format!("{kind} GPU"),
            Self::Fast { tuning: None, .. } => format!("{kind} GPU, shards"),
            Self::Fast { .. } => format!("{kind} GPU, tuned"),
            Self::Papers {
                search: ComponentSearch::Fbt,
                ..
            } => format!("{kind} GPU, fbt"),
            Self::Papers { .. } => format!("{kind} GPU, bfbt"),
        }
    }

    /// Returns a description of all options.
    pub(super) fn description(&self) -> String {
        match self {
            Self::Cpu { .. } => String::new(),
            Self::Fast {
                tuning,
                options,
                counts,
            } => {
                format!(
                    ", max_binding {:?}, counts {counts}, {tuning:?}",
                    options.max_binding
                )
            }
            Self::Papers { options, .. } => format!(", {options:?}"),
        }
    }

    /// Returns the equivalent options of `maxend decompose`.
    pub(super) fn flags(&self, kind: Kind) -> String {
        let how = match self {
            Self::Cpu {
                search: ComponentSearch::Tarjan,
                ..
            } => "--device cpu --search tarjan".to_owned(),
            Self::Cpu { pool, .. } => format!("--device cpu --threads {}", THREADS[*pool]),
            Self::Fast { options, .. } => format!("--device gpu{}", binding_flag(options)),
            Self::Papers { search, options } => papers_flags(*search, options),
        };
        format!("--components {} {how}", kind.name())
    }

    pub(super) fn is_on_gpu(&self) -> bool {
        !matches!(self, Self::Cpu { .. })
    }

    /// Returns whether the variant may take too long. The time of the papers' engines grows with
    /// the depth of a graph.
    pub(super) fn may_be_late(&self) -> bool {
        matches!(self, Self::Papers { .. })
    }
}

fn binding_flag(options: &GpuOptions) -> String {
    options
        .max_binding
        .map_or_else(String::new, |bytes| format!(" --max-binding {bytes}"))
}

fn papers_flags(search: ComponentSearch, options: &GpuOptions) -> String {
    let papers = options.papers.unwrap_or_default();
    let is_plain = papers.pivot == Pivot::Plain;
    let joins = papers.candidates == Candidates::Join;
    let mut flags = format!(
        "--search {} --segment-interval {} --cache-hops {}",
        if search == ComponentSearch::Fbt {
            "fbt"
        } else {
            "bfbt"
        },
        papers.segment_interval,
        papers.cache_hops
    );
    let others = [
        (!papers.hybrid, " --no-hybrid"),
        (!papers.transpose, " --no-transpose"),
        (is_plain, " --pivot plain"),
        (joins, " --candidates join"),
    ];
    others
        .iter()
        .filter(|(is_set, _)| *is_set)
        .for_each(|(_, flag)| flags.push_str(flag));
    flags + &binding_flag(options)
}

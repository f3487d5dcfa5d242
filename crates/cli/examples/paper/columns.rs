//! What the papers compare: a column for each variant of their experiments, on the CPU and by their
//! engine.

use decompose::ComponentSearch;
use decompose::gpu::{Candidates, FbtOptions, Pivot};
use mdp_graph::ComponentKind::{self, Mec, Scc};

/// A column of an experiment.
pub(crate) struct Column {
    /// As the papers call it.
    pub(crate) name: &'static str,
    pub(crate) search: ComponentSearch,
    /// How a GPU is to search; the CPU does, if not set.
    pub(crate) options: Option<FbtOptions>,
}

/// A table or figure of the papers.
pub(crate) struct Experiment {
    pub(crate) name: &'static str,
    /// What is found.
    pub(crate) kind: ComponentKind,
    pub(crate) columns: Vec<Column>,
}

/// `F_{i,j}`.
fn configuration(cache_hops: u32, segment_interval: u32) -> FbtOptions {
    FbtOptions {
        cache_hops,
        segment_interval,
        ..FbtOptions::default()
    }
}

fn on_cpu(name: &'static str) -> Column {
    Column {
        name,
        search: ComponentSearch::Tarjan,
        options: None,
    }
}

fn fbt(name: &'static str, options: FbtOptions) -> Column {
    Column {
        name,
        search: ComponentSearch::Fbt,
        options: Some(options),
    }
}

fn bfbt(name: &'static str) -> Column {
    Column {
        search: ComponentSearch::Bfbt,
        ..fbt(name, configuration(0, 7))
    }
}

/// 2014, Table 1, with the bounding search of 2016 and the search without the transpose. Columns
/// that share a layout stand together.
fn table_1() -> Experiment {
    let no_hybrid = FbtOptions {
        hybrid: false,
        ..configuration(0, 1)
    };
    let no_transpose = FbtOptions {
        transpose: false,
        ..configuration(0, 7)
    };
    Experiment {
        name: "Table 1",
        kind: Scc,
        columns: vec![
            on_cpu("Tar"),
            fbt("F0,7", configuration(0, 7)),
            fbt("F3,7", configuration(3, 7)),
            bfbt("BFBT0,7"),
            fbt("F0,1", configuration(0, 1)),
            fbt("F3,1", configuration(3, 1)),
            fbt("F0,1-nh", no_hybrid),
            fbt("F0,7 no transpose", no_transpose),
        ],
    }
}

/// 2014, Table 2.
fn table_2() -> Experiment {
    Experiment {
        name: "Table 2",
        kind: Mec,
        columns: vec![on_cpu("BM"), fbt("GM", configuration(0, 7))],
    }
}

/// 2016, Figure 9: ways to select pivots, all with `F_{0,7}`.
fn figure_9() -> Experiment {
    let pivots = |pivot, candidates| FbtOptions {
        pivot,
        candidates,
        ..configuration(0, 7)
    };
    Experiment {
        name: "Figure 9",
        kind: Mec,
        columns: vec![
            fbt("plain", pivots(Pivot::Plain, Candidates::All)),
            fbt("plain, J", pivots(Pivot::Plain, Candidates::Join)),
            fbt("aggregated", pivots(Pivot::Aggregated, Candidates::All)),
            fbt("aggregated, J", pivots(Pivot::Aggregated, Candidates::Join)),
            bfbt("BFBT, aggregated"),
        ],
    }
}

/// All of them, with the columns of some names; of all names, if there are none.
pub(crate) fn experiments(names: &[String]) -> Vec<Experiment> {
    let mut all = vec![table_1(), table_2(), figure_9()];
    let is_wanted =
        |column: &Column| names.is_empty() || names.iter().any(|name| name == column.name);
    for experiment in &mut all {
        experiment.columns.retain(is_wanted);
    }
    all.retain(|experiment| !experiment.columns.is_empty());
    all
}

/// Whether a graph that was laid out for `one` can be searched as `other` asks.
pub(crate) fn share_a_layout(one: &FbtOptions, other: &FbtOptions) -> bool {
    one.segment_interval == other.segment_interval && one.transpose == other.transpose
}

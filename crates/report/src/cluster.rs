//! A decomposition by several workers, none of which has the whole model, as a table and as JSON.

use crate::run::Seconds;
use crate::schema::{Constants, Schema};
use crate::table::{self, Row, states};
use crate::{DeadlockStates, Run, indented, summary};
use mdp_graph::{ComponentKind, SizeClass, counted, grouped};
use serde::Serialize;
use std::io::{self, Write};

/// The version of the JSON schema.
const SCHEMA_VERSION: u32 = 1;

/// The numbers of a decomposition, and of the workers that computed it.
#[derive(Clone, Debug)]
pub struct Cluster<'a> {
    /// The number of states.
    pub states: u64,
    /// The number of choices.
    pub choices: u64,
    /// The number of branches.
    pub branches: u64,
    /// The states without a choice.
    pub deadlocks: DeadlockStates<'a>,
    /// The kind of the components.
    pub kind: ComponentKind,
    /// The number of components.
    pub components: u64,
    /// The number of trivial components.
    pub trivial: u64,
    /// The number of states of the smallest component.
    pub smallest: u64,
    /// The number of states of the largest component.
    pub largest: u64,
    /// The number of states that are in a component.
    pub members: u64,
    /// For each class of sizes, from a power of two to below the next one: this power, the number
    /// of components, and the number of their states.
    pub sizes: Vec<(u64, u64, u64)>,
    /// The number of processes.
    pub processes: u64,
    /// The number of workers of all processes.
    pub workers: u64,
    /// The number of branches that lead to a state of another worker.
    pub crossing: u64,
    /// The number of bytes that workers sent to each other.
    pub bytes_sent: u64,
    /// The number of times that all workers waited for each other.
    pub supersteps: u64,
    /// The largest memory use of a process, in bytes, if the system reports it.
    pub memory: Option<u64>,
}

impl Cluster<'_> {
    /// Returns the number of bytes that were sent for each branch.
    fn bytes_a_branch(&self) -> f64 {
        self.bytes_sent as f64 / self.branches.max(1) as f64
    }
}

/// Writes a short table.
///
/// # Errors
/// Errors of `out`.
pub fn write_cluster_summary(
    out: &mut dyn Write,
    cluster: &Cluster<'_>,
    run: &Run<'_>,
) -> io::Result<()> {
    let size = (cluster.states, cluster.choices, cluster.branches);
    let mut rows = summary::model_rows(&run.heading, size, cluster.deadlocks);
    rows.extend(component_rows(cluster));
    rows.extend(worker_rows(cluster));
    rows.push(("device", run.device.to_owned()));
    if run.certified {
        rows.push(("certificate", "accepted".to_owned()));
    }
    rows.extend(summary::time_rows(run));
    table::write(out, &rows)
}

fn component_rows<'a>(cluster: &Cluster<'_>) -> Vec<Row<'a>> {
    let (name, trivial) = summary::kind_names(cluster.kind);
    let mut rows = vec![
        (name, grouped(cluster.components)),
        (
            "trivial",
            format!("{} ({trivial})", grouped(cluster.trivial)),
        ),
        ("largest", states(cluster.largest)),
    ];
    if cluster.kind == ComponentKind::Mec {
        let share = summary::percent(cluster.members, cluster.states);
        rows.insert(2, ("smallest", states(cluster.smallest)));
        rows.push(("in a MEC", format!("{} ({share})", states(cluster.members))));
    }
    let class = |&(from, components, states): &(u64, u64, u64)| SizeClass {
        from: from as u32,
        to: (2 * from - 1) as u32,
        components,
        states,
    };
    // The table has sizes of 32 bits, and JSON has all.
    let small = cluster.sizes.iter().filter(|size| size.0 < 1 << 31);
    rows.extend(summary::size_rows(&small.map(class).collect::<Vec<_>>()));
    rows
}

fn worker_rows<'a>(cluster: &Cluster<'_>) -> Vec<Row<'a>> {
    let workers = counted(cluster.workers, "worker", "workers");
    let processes = counted(cluster.processes, "process", "processes");
    let share = summary::percent(cluster.crossing, cluster.branches);
    let mut rows = vec![
        ("workers", format!("{workers} in {processes}")),
        (
            "crossing",
            format!("{} branches ({share})", grouped(cluster.crossing)),
        ),
        (
            "sent",
            format!(
                "{} bytes ({:.1} a branch)",
                grouped(cluster.bytes_sent),
                cluster.bytes_a_branch()
            ),
        ),
        ("supersteps", grouped(cluster.supersteps)),
    ];
    if let Some(memory) = cluster.memory {
        let text = format!("{} MiB in the largest process", grouped(memory >> 20));
        rows.push(("memory", text));
    }
    rows
}

/// Writes one JSON document. It has no list of components, because no process has all of them.
///
/// # Errors
/// Errors of `out`.
pub fn write_cluster_json(
    out: &mut dyn Write,
    cluster: &Cluster<'_>,
    run: &Run<'_>,
) -> io::Result<()> {
    let document = Document {
        schema: Schema::new("maxend-cluster", SCHEMA_VERSION, run.heading.version),
        model: Model {
            file: run.heading.model,
            r#type: run.heading.model_type,
            states: cluster.states,
            choices: cluster.choices,
            branches: cluster.branches,
            constants: Constants::of(run.heading.constants),
            deadlocks: cluster.deadlocks.count,
            deadlock_policy: cluster.deadlocks.policy,
        },
        decomposition: Decomposition {
            kind: match cluster.kind {
                ComponentKind::Scc => "scc",
                ComponentKind::Mec => "mec",
                ComponentKind::Bscc => "bscc",
            },
            certificate: run.certified.then_some("accepted"),
            components: cluster.components,
            trivial: cluster.trivial,
            largest: cluster.largest,
            smallest: cluster.smallest,
            states: cluster.members,
            sizes: cluster.sizes.iter().map(Size::of).collect(),
        },
        cluster: Workers {
            processes: cluster.processes,
            workers: cluster.workers,
            crossing_branches: cluster.crossing,
            bytes_sent: cluster.bytes_sent,
            bytes_sent_a_branch: cluster.bytes_a_branch(),
            supersteps: cluster.supersteps,
            largest_process_bytes: cluster.memory,
            device: run.device,
        },
        seconds: Seconds(run.phases),
    };
    indented::write(out, 2, &document)
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    schema: Schema<'a>,
    model: Model<'a>,
    decomposition: Decomposition,
    cluster: Workers<'a>,
    seconds: Seconds<'a>,
}

#[derive(Serialize)]
struct Model<'a> {
    file: &'a str,
    r#type: &'a str,
    states: u64,
    choices: u64,
    branches: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    constants: Option<Constants<'a>>,
    deadlocks: u64,
    deadlock_policy: &'a str,
}

#[derive(Serialize)]
struct Decomposition {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<&'static str>,
    components: u64,
    trivial: u64,
    largest: u64,
    smallest: u64,
    states: u64,
    sizes: Vec<Size>,
}

#[derive(Serialize)]
struct Size {
    from: u64,
    to: u64,
    components: u64,
    states: u64,
}

impl Size {
    fn of(&(from, components, states): &(u64, u64, u64)) -> Self {
        Self {
            from,
            to: from + (from - 1),
            components,
            states,
        }
    }
}

#[derive(Serialize)]
struct Workers<'a> {
    processes: u64,
    workers: u64,
    crossing_branches: u64,
    bytes_sent: u64,
    bytes_sent_a_branch: f64,
    supersteps: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    largest_process_bytes: Option<u64>,
    /// The device on which workers decompose their parts, as far as process 0 knows.
    device: &'a str,
}

//! Decomposes a graph on the device that is expected to be faster, or on the one that is asked for.

use super::devices::{DeviceChoice, Observer};
use super::pool::on_threads;
use super::{Failure, Supervisor};
use crate::certificate;
use crate::device::auto_device::{AutoDevice, Verdict};
use crate::device::{Job, Plan};
use crate::error::Error;
use decompose::cost::EdgeSample;
use decompose::{Device, Options};
use mdp_graph::{ComponentKind, Components, Index, MdpGraph, Table, UncheckedRows};
use std::num::NonZeroUsize;

/// The options of a decomposition.
#[derive(Clone, Debug)]
pub struct Decomposing {
    /// The kind of components.
    pub kind: ComponentKind,
    /// The device to be used.
    pub device: DeviceChoice,
    /// The number of threads; by default one for each core.
    pub threads: Option<NonZeroUsize>,
    /// Whether to prove the answer, with code that shares nothing with the search.
    pub certify: bool,
}

/// The components of a graph.
#[derive(Clone, Debug)]
pub struct Decomposition {
    /// The components.
    pub components: Components,
    /// The name of the device that found them, as it is printed.
    pub device: String,
}

/// Decomposes a graph.
///
/// # Errors
/// What `maxend decompose` would print.
pub fn decompose(
    graph: &MdpGraph,
    how: &Decomposing,
    supervisor: &Supervisor,
) -> Result<Decomposition, Failure> {
    let found = on_threads(how.threads, || {
        let observer = Observer::new("decomposing", graph.num_states(), supervisor);
        // A certificate of bottom components needs all components.
        let kind = match how.kind {
            ComponentKind::Bscc if how.certify => ComponentKind::Scc,
            kind => kind,
        };
        let find = |options: &Options<'_>| decompose::decompose(graph, kind, options);
        let auto = AutoDevice::new(kind);
        let verdict = || auto.judge(graph, None);
        let (states, branches) = (graph.num_states() as u64, graph.num_branches() as u64);
        let plan = plan(how.device.clone(), auto, states, branches);
        let components = search(plan, verdict, &observer, find)?;
        let device = observer.device();
        if how.kind == kind {
            if how.certify {
                certificate::check_supervised(graph, &components, None, supervisor)?;
            }
            return Ok(Decomposition { components, device });
        }
        let bottom = components.only_bottom(graph);
        certificate::check_supervised(graph, &components, Some(&bottom), supervisor)?;
        Ok(Decomposition {
            components: bottom,
            device,
        })
    });
    Ok(found?)
}

/// Returns the number of weakly connected components of a graph, and the number of each state's
/// component.
///
/// # Errors
/// If the supervisor stops the search.
pub fn weak_components(
    graph: &MdpGraph,
    supervisor: &Supervisor,
) -> Result<(usize, Vec<u32>), Failure> {
    let found = graph.weak_components_unless(|| supervisor.is_stopped());
    found.ok_or_else(|| Error::Cancelled.into())
}

/// Returns the number of strongly connected components of a graph, and the number of each state's
/// component. This is less information than [`decompose()`] returns, and is computed faster.
///
/// # Errors
/// What `maxend decompose` would print.
pub fn scc_numbers<I: Index>(
    rows: &UncheckedRows<I>,
    supervisor: &Supervisor,
) -> Result<(usize, Table<u32>), Failure> {
    let (states, edges) = (rows.num_states(), rows.targets().len());
    let sample = || {
        EdgeSample::of_rows(states as u64, |state| {
            let targets = rows.targets_of(state as usize).iter();
            targets.map(|target| target.as_usize() as u64)
        })
    };
    let found = on_threads(None, || {
        let auto = AutoDevice::new(ComponentKind::Scc);
        let verdict = || auto.judge_sample(states as u64, edges as u64, sample(), None);
        let observer = Observer::new("decomposing", states, supervisor);
        let plan = plan(DeviceChoice::Auto, auto, states as u64, edges as u64);
        search(plan, verdict, &observer, |options| {
            if let Device::Cpu = options.device {
                return decompose::scc_numbers(rows, options.observer);
            }
            let rows = rows.check().map_err(decompose::Error::InvalidRows)?;
            let components = decompose::scc(&MdpGraph::from(rows), options)?;
            Ok((components.len(), components.into_numbers()))
        })
    });
    Ok(found?)
}

/// Returns the devices on which to search a graph of this size. If no GPU can be faster, whatever
/// the edges are, no sample of them is needed; it would take longer than to search a small graph.
fn plan(device: DeviceChoice, auto: AutoDevice, states: u64, branches: u64) -> Plan {
    match device == DeviceChoice::Auto && !auto.may_take_gpu(states, branches) {
        true => Plan::Cpu,
        false => device.plan(),
    }
}

/// Calls `find` on one device after another until it succeeds, and returns its result.
fn search<T>(
    plan: Plan,
    verdict: impl FnOnce() -> Verdict,
    observer: &Observer<'_>,
    find: impl Fn(&Options<'_>) -> Result<T, decompose::Error>,
) -> Result<T, Error> {
    let wrong = |error: &decompose::Error| Error::wrong(error.to_string());
    let mut attempt = |device| {
        find(&Options {
            device,
            observer,
            ..Options::default()
        })
    };
    plan.run_observed(Job::DECOMPOSE, verdict, observer, &mut attempt, &wrong)
}

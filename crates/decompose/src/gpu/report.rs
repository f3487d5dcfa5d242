//! Reports to an observer what the device did, and the bandwidth of the device for comparison.

use super::fbt::{FbtRun, Statistics};
use super::worklist::Profile;
use crate::{Error, Level, Observer, Phase, Work};
use ::gpu::kernels::basic::Copy;
use ::gpu::{Gpu, Groups, Recording};
use std::time::{Duration, Instant};

/// The number of bytes that are copied at once: more than caches hold.
const BYTES: u64 = 128 << 20;

/// A shorter measurement is repeated with more copies.
const LONG_ENOUGH: Duration = Duration::from_millis(10);

/// The work of a search on the device.
#[derive(Debug)]
pub(super) struct RunStatistics {
    counts: Vec<(&'static str, u64)>,
    edges_touched: Vec<(&'static str, u64)>,
    levels: Vec<Level>,
}

/// Returns what the worklist engine did. There are levels only if they were requested.
pub(super) fn of_worklist(profile: &Profile) -> RunStatistics {
    let steps = profile.steps.iter().flatten();
    let levels = steps.map(|step| Level {
        pass: profile.phases[step.phase].name,
        dispatches: profile.dispatches,
        workgroups: Some(step.groups),
        entries: Some(step.entries),
        time: Duration::from_nanos(step.nanoseconds),
    });
    let phases = profile.phases.iter().filter(|phase| phase.iterations > 0);
    RunStatistics {
        counts: vec![
            ("rounds", profile.rounds),
            ("iterations", profile.iterations),
            ("submissions", profile.submissions),
            ("states left to the host", profile.host_states),
        ],
        edges_touched: phases.map(|phase| (phase.name, phase.edges)).collect(),
        levels: levels.collect(),
    }
}

/// Returns what the papers' engine did: one level for each dispatch, named after its kernel.
pub(super) fn of_fbt(run: &FbtRun) -> RunStatistics {
    let Statistics {
        mec_rounds,
        attractor_steps,
        rounds,
        trim_iterations,
        levels,
        submissions,
    } = run.statistics;
    let dispatches = run.dispatches.iter();
    let dispatches = dispatches.map(|dispatch| Level {
        pass: dispatch.kernel,
        dispatches: 1,
        workgroups: None,
        entries: None,
        time: Duration::from_nanos(dispatch.nanoseconds),
    });
    RunStatistics {
        counts: vec![
            ("rounds of MECs", mec_rounds),
            ("rounds", rounds),
            ("levels of searches", levels),
            ("iterations of trimming", trim_iterations),
            ("steps of attractors", attractor_steps),
            ("submissions", submissions),
        ],
        edges_touched: Vec::new(),
        levels: dispatches.collect(),
    }
}

/// Reports a search in a graph of this many states and edges to `observer`, if it wants to know.
///
/// # Errors
/// [`Error::Gpu`] if the device fails.
pub(super) fn report(
    observer: &dyn Observer,
    gpu: &Gpu,
    run: RunStatistics,
    [states, edges]: [usize; 2],
) -> Result<(), Error> {
    let RunStatistics {
        counts,
        edges_touched,
        levels,
    } = run;
    tracing::debug!(?counts, "searched");
    if !observer.wants_work() {
        return Ok(());
    }
    observer.phase(Phase::Measure);
    observer.work(&Work {
        states: states as u64,
        edges: edges as u64,
        bandwidth: bandwidth(gpu)?,
        counts,
        edges_touched,
        levels,
    });
    Ok(())
}

/// Returns the bytes that the device reads and writes in a second when it copies.
fn bandwidth(gpu: &Gpu) -> Result<f64, Error> {
    let limits = gpu.limits();
    let bytes = BYTES
        .min(limits.max_binding_bytes)
        .min(limits.max_buffer_bytes);
    let blocks = bytes / 16;
    let from = gpu.zeroed::<[u32; 4]>("copied", blocks)?;
    let to = gpu.zeroed::<[u32; 4]>("copy", blocks)?;
    // A kernel's copy: what a device has for transfers may be slower by far.
    let pass = Copy {
        from_blocks: &from,
        to_blocks: &to,
    };
    let time = |copies: u32| -> Result<Duration, Error> {
        let mut recording = Recording::new();
        for _ in 0..copies {
            recording.dispatch(&pass, Groups::Over(blocks));
        }
        let start = Instant::now();
        gpu.run(&recording)?;
        Ok(start.elapsed())
    };
    // The first copy finds memory that was never touched.
    time(1)?;
    let mut copies = 1;
    loop {
        let took = time(copies)?;
        if took >= LONG_ENOUGH || copies >= 1 << 10 {
            let moved = 2.0 * bytes as f64 * f64::from(copies);
            return Ok(moved / took.as_secs_f64().max(f64::MIN_POSITIVE));
        }
        copies *= 2;
    }
}

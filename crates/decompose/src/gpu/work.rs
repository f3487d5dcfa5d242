//! Tells an observer what the device did, with the device's bandwidth to compare it with.

use super::fast::Profile;
use crate::{Error, Level, Observer, Phase, Work};
use ::gpu::kernels::basic::Copy;
use ::gpu::{Gpu, Groups, Recording};
use std::time::{Duration, Instant};

/// So many bytes are copied at once: more than caches hold.
const BYTES: u64 = 128 << 20;

/// A measurement that takes less is repeated with more copies.
const LONG_ENOUGH: Duration = Duration::from_millis(10);

/// Tells `observer` of a search in a graph of so many states and edges, if it wants to know.
///
/// # Errors
/// [`Error::Gpu`] if the device fails.
pub(super) fn tell(
    observer: &dyn Observer,
    gpu: &Gpu,
    profile: &Profile,
    [states, edges]: [usize; 2],
) -> Result<(), Error> {
    tracing::debug!(
        iterations = profile.iterations,
        submissions = profile.submissions,
        rounds = profile.rounds,
        "searched"
    );
    let Some(steps) = profile.steps.as_deref().filter(|_| observer.wants_work()) else {
        return Ok(());
    };
    observer.phase(Phase::Measure);
    let levels = steps.iter().map(|step| Level {
        pass: profile.parts[step.part].name,
        dispatches: profile.dispatches,
        workgroups: step.groups,
        entries: step.entries,
        time: Duration::from_nanos(step.nanoseconds),
    });
    observer.work(&Work {
        states: states as u64,
        edges: edges as u64,
        bandwidth: bandwidth(gpu)?,
        levels: levels.collect(),
    });
    Ok(())
}

/// The bytes that the device reads and writes in a second when it copies.
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

//! Tests of devices that run out of memory during an exploration: they find the same as others, or
//! return an error.

use crate::limits::{late_fan, rings};
use crate::resident::brought;
use crate::same::gpu;
use explore::Exploration;
use gpu::{
    AdapterInfo, BufferId, DeviceMemory, Error as GpuError, Executor, Gpu, Outcome, Recording,
    Result as GpuResult, RunOptions, Zeroing,
};
use gpu_explore::{DeviceOrHost, Error, Options, Tuning, explore, explore_resident};
use lts_network::Network;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A device with this many bytes of memory.
struct Small {
    own: Gpu,
    bytes: u64,
    held: Mutex<HashMap<BufferId, u64>>,
    /// The number of buffers for which it had no memory.
    refused: AtomicU64,
}

impl Small {
    fn new(own: &Gpu, bytes: u64) -> Arc<Self> {
        Arc::new(Self {
            own: own.clone(),
            bytes,
            held: Mutex::default(),
            refused: AtomicU64::new(0),
        })
    }

    fn held(&self) -> MutexGuard<'_, HashMap<BufferId, u64>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DeviceMemory for Small {
    fn free(&self, id: BufferId) {
        self.held().remove(&id);
        self.own.executor().free(id);
    }
}

impl Executor for Small {
    fn info(&self) -> &AdapterInfo {
        self.own.info()
    }

    fn create(&self, id: BufferId, name: &str, bytes: u64, zeroing: Zeroing) -> GpuResult<()> {
        let mut held = self.held();
        let in_use = held.values().sum();
        if in_use + bytes > self.bytes {
            self.refused.fetch_add(1, Relaxed);
            return Err(GpuError::OutOfMemory {
                what: name.to_owned(),
                needed: bytes,
                in_use,
            });
        }
        held.insert(id, bytes);
        self.own.executor().create(id, name, bytes, zeroing)
    }

    fn upload(&self, to: BufferId, at: u64, data: &[u8]) -> GpuResult<()> {
        self.own.executor().upload(to, at, data)
    }

    fn download(&self, from: BufferId, at: u64, data: &mut [u8]) -> GpuResult<()> {
        self.own.executor().download(from, at, data)
    }

    fn lose(&self) {
        self.own.executor().lose();
    }

    fn run(&self, recording: &Recording, options: &mut RunOptions<'_>) -> GpuResult<Outcome> {
        self.own.executor().run(recording, options)
    }
}

/// The outcomes of explorations with more and more memory.
#[derive(Debug, Default)]
struct Tally {
    failed: u32,
    /// The number of explorations that succeeded although the device refused a buffer.
    went_on: u32,
    /// The number of explorations whose graph was to stay on the device, but was moved to the host
    /// to free memory.
    moved_rows: u32,
}

/// Tries this many bytes of memory, and then repeatedly a larger number: by a half, a third and so
/// on. Ends when the device refuses no buffer any more.
fn try_all(own: &Gpu, network: &Network, tuning: Tuning, tried: Range<u64>, part: u64) -> Tally {
    let expected = explore::explore(network, &explore::Options::default()).expect("no limits");
    let is_right = |found: &Exploration| {
        found.graph == expected.graph
            && found.states == expected.states
            && found.deadlocks == expected.deadlocks
    };
    let mut tally = Tally::default();
    let mut bytes = tried.start;
    while bytes < tried.end {
        let options = Options {
            tuning,
            ..Options::new(own)
        };
        let small = Small::new(own, bytes);
        let on_host = explore(&Gpu::on(small.clone()), network, &options);
        let has_found = on_host.is_ok();
        match on_host {
            Ok(found) => assert!(is_right(&found), "{bytes} bytes, {tuning:?}"),
            Err(Error::Gpu(GpuError::OutOfMemory { .. })) => tally.failed += 1,
            Err(other) => panic!("{bytes} bytes: {other}"),
        }
        assert!(small.held().is_empty(), "all buffers are freed");
        let refused = small.refused.load(Relaxed);
        tally.went_on += u32::from(has_found && refused > 0);
        let small = Small::new(own, bytes);
        let gpu = Gpu::on(small.clone());
        match explore_resident(&gpu, network, &options) {
            Ok(DeviceOrHost::OnDevice(found)) => {
                assert!(
                    brought(&gpu, &found.graph) == expected.graph,
                    "{bytes} bytes"
                );
                if small.refused.load(Relaxed) == 0 {
                    return tally;
                }
            }
            Ok(DeviceOrHost::OnHost(found)) => {
                assert!(is_right(&found), "{bytes} bytes, {tuning:?}");
                tally.moved_rows += 1;
            }
            Err(Error::Gpu(GpuError::OutOfMemory { .. })) => {}
            Err(other) => panic!("{bytes} bytes: {other}"),
        }
        bytes += bytes / part;
    }
    tally
}

#[test]
fn results_do_not_depend_on_the_sizes_of_buffers() {
    let Some(gpu) = gpu() else { return };
    // Every buffer that can grow is too small at first.
    let tuning = Tuning {
        workgroups: 2,
        states: 1,
        candidates: 1,
        batch: 40,
        transitions: 64,
        ..Tuning::of(gpu)
    };
    let roomy = Tuning {
        candidates: 256,
        ..tuning
    };
    let mut sum = Tally::default();
    for tuning in [tuning, roomy] {
        let tally = try_all(gpu, &rings(4), tuning, 1 << 12..u64::MAX, 3);
        sum.failed += tally.failed;
        sum.went_on += tally.went_on;
    }
    assert!(sum.failed > 0 && sum.went_on > 0, "{sum:?}");
}

/// When rows are on the device already, there may be no memory for a batch that has become wide.
#[test]
fn rows_are_copied_once_if_memory_runs_out_after_them() {
    let Some(gpu) = gpu() else { return };
    let tuning = Tuning {
        workgroups: 2,
        states: 1 << 15,
        candidates: 8,
        batch: 1 << 9,
        transitions: 1 << 12,
        ..Tuning::of(gpu)
    };
    let tally = try_all(gpu, &late_fan(), tuning, 960_000..1_050_000, 60);
    assert!(tally.moved_rows > 0, "{tally:?}");
}

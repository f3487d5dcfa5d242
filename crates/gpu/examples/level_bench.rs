//! Measures the overhead of a level, in a search along a path with one state per level:
//! `level_bench [LEVELS] [ADAPTER]`.
//!
//! Nearly all of the time of such a level is overhead: its dispatch, its barrier, and its share of
//! the submissions. Prints microseconds per level, the median of seven runs, for bodies of one and
//! of three passes.
#![allow(clippy::print_stdout, reason = "it is what the example is for")]

use std::time::Instant;

use gpu::kernels::{BfsParams, test::BfsLevel};
use gpu::{Gpu, LoopHandle, Recording, Repeat, Request, RunOptions};

fn main() -> gpu::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let levels = arguments
        .next()
        .and_then(|text| text.parse().ok())
        .unwrap_or(5_000_u32);
    let gpu = Gpu::open(&arguments.next().map_or_else(Request::any, Request::named))?;
    println!("{}: {levels} levels", gpu.info());

    let offsets: Vec<u32> = (0..=levels).map(|state| state.min(levels - 1)).collect();
    let targets: Vec<u32> = (1..levels.max(2)).collect();
    let (offsets, targets) = (
        gpu.upload("offsets", &offsets)?,
        gpu.upload("targets", &targets)?,
    );
    let distances = gpu.zeroed::<u32>("distances", levels.into())?;
    for passes in [1, 3] {
        let pass = BfsLevel {
            offsets: &offsets,
            targets: &targets,
            distances: &distances,
            params: BfsParams {
                first_state: 0,
                end_state: levels,
                first_edge: 0,
            },
            counted: false,
        };
        let mut search = Recording::new();
        search.fill(&distances, u32::MAX).write(&distances, 0, &[0]);
        let handle = search.repeat(Repeat::over("search", levels.into()), |level| {
            for _ in 0..passes {
                level.dispatch(&pass);
            }
        });
        print!("{passes} passes: ");
        measure(&gpu, &search, handle, levels)?;
    }
    Ok(())
}

/// Runs a search several times, and prints the time of a level.
fn measure(gpu: &Gpu, search: &Recording, handle: LoopHandle, levels: u32) -> gpu::Result<()> {
    // The first run compiles the kernels.
    gpu.run(search)?;
    let mut each = Vec::new();
    let mut submissions = 0;
    for _ in 0..7 {
        let start = Instant::now();
        let outcome = gpu.run(search)?;
        each.push(start.elapsed().as_secs_f64() * 1e6 / f64::from(levels));
        let iterations = outcome[handle].iterations;
        assert_eq!(
            iterations,
            u64::from(levels),
            "a search takes one level for each state"
        );
        submissions = outcome.submissions;
    }
    each.sort_by(f64::total_cmp);
    println!(
        "median {:.2} us a level ({:.2} to {:.2}), {submissions} submissions",
        each[3], each[0], each[6]
    );
    let mut timed = RunOptions {
        time_passes: true,
        ..RunOptions::default()
    };
    for time in gpu.run_with(search, &mut timed)?.times {
        let each = time.nanoseconds as f64 / 1e3 / time.calls as f64;
        let (name, calls) = (time.name, time.calls);
        println!("  {name}: {each:.2} us on the device, {calls} calls");
    }
    Ok(())
}

//! Measures transfer rates between host and device: `upload_bench [MEGABYTES] [ADAPTER]`.
//!
//! Prints the median of seven transfers, and the first one, which includes the allocation of
//! staging buffers. An upload ends when a word at its end has been read back.
#![allow(clippy::print_stdout, reason = "it is what the example is for")]

use std::time::Instant;

use gpu::{Gpu, Request};

fn main() -> gpu::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let megabytes = arguments
        .next()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1_024_u64);
    let gpu = Gpu::open(&arguments.next().map_or_else(Request::any, Request::named))?;
    let words = (megabytes << 20).min(gpu.limits().max_binding_bytes) / 4;
    let data: Vec<u32> = (0..words as u32)
        .map(|i| i.wrapping_mul(2_654_435_761))
        .collect();
    let gigabytes = words as f64 * 4e-9;
    println!("{}: {gigabytes:.2} GB", gpu.info());

    let buffer = gpu.zeroed::<u32>("data", words)?;
    report("upload", gigabytes, || {
        gpu.write(&buffer, 0, &data)?;
        gpu.read_range(&buffer, words - 1..words).map(|_| ())
    })?;
    let mut back = Vec::new();
    report("download", gigabytes, || {
        gpu.read(&buffer).map(|read| back = read)
    })?;
    assert!(
        back == data,
        "the data read back is the data that was written"
    );
    report("fresh buffer", gigabytes, || {
        let fresh = gpu.upload("fresh", &data)?;
        gpu.read_range(&fresh, words - 1..words).map(|_| ())
    })
}

fn report(what: &str, gigabytes: f64, mut act: impl FnMut() -> gpu::Result<()>) -> gpu::Result<()> {
    let mut rates = Vec::new();
    for _ in 0..7 {
        let start = Instant::now();
        act()?;
        rates.push(gigabytes / start.elapsed().as_secs_f64());
    }
    let first = rates[0];
    rates.sort_by(f64::total_cmp);
    let [least, .., most] = rates[..] else {
        return Ok(());
    };
    println!(
        "{what:<14} median {:6.2} GB/s (first {first:.2}, {least:.2} to {most:.2})",
        rates[3]
    );
    Ok(())
}

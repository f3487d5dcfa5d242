//! Converts a transitions file from PRISM's dialect to Storm's or back, without holding the model
//! in memory. The file is read twice: the first time it is checked and its choices are counted, the
//! second time it is written.
//!
//! ```text
//! cargo run --release -p prism-explicit --example convert -- storm < model.tra > storm.tra
//! cargo run --release -p prism-explicit --example convert -- prism < storm.tra > model.tra
//! ```

use std::error::Error;
use std::io::{BufWriter, Read, stdin, stdout};
use std::process::exit;

use prism_explicit::{
    Dialect, ReadOptions, TransitionsWriter, WriteOptions, visit_in_order, visit_transitions,
};

fn main() {
    if let Err(error) = run() {
        eprintln!("error: {error}");
        exit(1);
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let dialect: Dialect = std::env::args()
        .nth(1)
        .ok_or("usage: convert prism|storm")?
        .parse()?;
    let mut bytes = Vec::new();
    stdin().read_to_end(&mut bytes)?;
    let text = decompress::inflate(&bytes, &Default::default())?;

    let options = ReadOptions::default();
    // If this fails, nothing is written.
    let info = visit_transitions(&text, &options, |_, _| ())?.info;
    let out = BufWriter::new(stdout());
    let mut writer = TransitionsWriter::new(out, WriteOptions::new(dialect), &info)?;
    visit_in_order(&text, &options, &mut writer)?;
    let deadlocks = writer.finish()?;

    eprintln!(
        "{} {} to {dialect}: {} states",
        info.dialect, info.model_type, info.num_states
    );
    if deadlocks > 0 {
        eprintln!("warning: {deadlocks} states without a choice were given a self-loop");
    }
    Ok(())
}

//! Prints the number of transitions with each label in an Aldebaran file.
//!
//! ```text
//! cargo run --release -p lts-formats --example labels -- model.aut
//! ```

use lts_formats::{ReadOptions, is_internal, read_aut};
use std::error::Error;
use std::process::exit;

fn main() {
    if let Err(error) = run() {
        eprintln!("error: {error}");
        exit(1);
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: labels FILE.aut")?;
    let lts = read_aut(&std::fs::read(path)?, &ReadOptions::default())?;
    let mut counts = vec![0_u64; lts.names().len()];
    for transition in lts.transitions() {
        counts[transition.label_number() as usize] += 1;
    }
    let mut rows: Vec<(&String, u64)> = lts.names().iter().zip(counts).collect();
    rows.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    for (name, count) in rows {
        let remark = if is_internal(name) {
            "  (internal)"
        } else {
            ""
        };
        println!("{count:>12}  {name}{remark}");
    }
    Ok(())
}

//! How fast archives are written and read, in megabytes a second of the archive that is not
//! compressed.
//!
//! ```text
//! cargo bench -p umb --bench reading [-- FILE]
//! ```
//!
//! Reading a plain archive checks everything and copies nothing; the graph's arrays are then made
//! from it, with 32 bits for each number, which is the only copy. Without FILE, the model is made
//! here: as many states, choices and branches as six dining philosophers have. Medians of five
//! runs.

use std::hint::black_box;
use std::time::Instant;

use umb::{Compression, Indices, Model, ModelType, ReadOptions, Umb, UmbWriter};

fn main() {
    let file = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with("--"));
    let plain = match &file {
        Some(path) => {
            let bytes = std::fs::read(path).expect("a readable file");
            unpacked(&bytes)
        }
        None => Arrays::generated().archive(Compression::None),
    };
    let umb = Umb::read(&plain, &ReadOptions::default()).expect("a sound archive");
    let name = file.as_deref().unwrap_or("generated");
    let (states, choices, branches) = (umb.num_states(), umb.num_choices(), umb.num_branches());
    println!("{name}: {states} states, {choices} choices, {branches} branches");

    let mut packed = Vec::new();
    let writer = UmbWriter::copy_of(&umb);
    let written = writer.write(&mut packed, Compression::Gzip);
    written.expect("written to memory");
    println!("{} bytes, {} compressed", plain.len(), packed.len());

    let writing = |compression| {
        let mut file = Vec::with_capacity(plain.len() + 4096);
        let written = writer.write(&mut file, compression);
        written.expect("written to memory");
        file.len()
    };
    let measure = |what: &str, work: &dyn Fn() -> usize| measure(what, plain.len(), work);
    measure("write, plain", &|| writing(Compression::None));
    measure("write, gzip", &|| writing(Compression::Gzip));
    measure("read, plain", &|| read(&plain, &ReadOptions::default()));
    let unchecked = ReadOptions {
        check_sums: false,
        ..ReadOptions::default()
    };
    measure("read, plain, without sums", &|| read(&plain, &unchecked));
    measure("read, plain, and the graph's arrays", &|| graph(&plain));
    measure("inflate", &|| unpacked(&packed).len());
    measure("inflate, read, and the graph's arrays", &|| {
        graph(&unpacked(&packed))
    });
}

fn measure(what: &str, bytes: usize, work: &dyn Fn() -> usize) {
    let mut seconds: Vec<f64> = (0..5)
        .map(|_| {
            let began = Instant::now();
            black_box(work());
            began.elapsed().as_secs_f64()
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    let speed = bytes as f64 / seconds[2] / 1e6;
    println!("{what}: {:.1} ms, {speed:.0} MB/s", seconds[2] * 1e3);
}

fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let unpacked = decompress::inflate(bytes, &Default::default());
    unpacked.expect("a sound archive").into_owned()
}

fn read(archive: &[u8], options: &ReadOptions) -> usize {
    let umb = Umb::read(archive, options).expect("a sound archive");
    umb.targets().len()
}

/// Reads an archive, and makes the three arrays of a graph.
fn graph(archive: &[u8]) -> usize {
    let umb = Umb::read(archive, &ReadOptions::default()).expect("a sound archive");
    let ends = |range: std::ops::Range<u64>| range.end as u32;
    let choices = (0..umb.num_states()).map(|state| ends(umb.choice_offsets().range(state)));
    let choice_offsets: Vec<u32> = std::iter::once(0).chain(choices).collect();
    let branches = (0..umb.num_choices()).map(|choice| ends(umb.branch_offsets().range(choice)));
    let branch_offsets: Vec<u32> = std::iter::once(0).chain(branches).collect();
    let targets: Vec<u32> = umb.targets().iter().map(|&target| target as u32).collect();
    black_box(choice_offsets).len() + black_box(branch_offsets).len() + black_box(targets).len()
}

/// The arrays of a model.
#[derive(Default)]
struct Arrays {
    choice_offsets: Vec<u32>,
    branch_offsets: Vec<u32>,
    targets: Vec<u32>,
    probabilities: Vec<f64>,
}

impl Arrays {
    /// Seven choices a state, of which one in nine is a coin, to states that are not far.
    fn generated() -> Self {
        let states = 917_424_u64;
        let mut arrays = Self {
            choice_offsets: vec![0],
            branch_offsets: vec![0],
            ..Self::default()
        };
        for state in 0..states {
            for choice in 0..7_u64 {
                let random = (state * 7 + choice).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let branches = if random >> 32 & 15 < 2 { 2 } else { 1 };
                for branch in 0..branches {
                    let target = (state + (random >> 40) % 4096 + branch) % states;
                    arrays.targets.push(target as u32);
                    arrays.probabilities.push(1.0 / branches as f64);
                }
                arrays.branch_offsets.push(arrays.targets.len() as u32);
            }
            let choices = arrays.branch_offsets.len() as u32 - 1;
            arrays.choice_offsets.push(choices);
        }
        arrays
    }

    fn archive(&self, compression: Compression) -> Vec<u8> {
        let model = Model {
            initial_states: &[0],
            choice_offsets: Indices::U32(&self.choice_offsets),
            branch_offsets: Indices::U32(&self.branch_offsets),
            targets: Indices::U32(&self.targets),
            probabilities: Some(&self.probabilities),
            ..Model::new(ModelType::Mdp)
        };
        let writer = UmbWriter::new(&model).expect("a sound model");
        let mut file = Vec::new();
        writer
            .write(&mut file, compression)
            .expect("written to memory");
        file
    }
}

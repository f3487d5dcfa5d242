//! Interprets kernels step by step, in naga's IR.
//!
//! ```
//! use verify::Program;
//! use verify::run::{Dispatch, Schedule, compile};
//!
//! let text = "@group(0) @binding(0) var<storage, read_write> sum: array<u32>;
//! @compute @workgroup_size(2)
//! fn main(@builtin(local_invocation_index) local: u32) {
//!     sum[0] += local + 1u;
//! }";
//! let code = compile(&Program::parse("sum.wgsl", text)?)?;
//! let dispatch = Dispatch::new(&code, [1, 1, 1]).bind(0, 0, vec![0]);
//!
//! // One schedule shows the race already.
//! let ended = dispatch.run(Schedule::Random, 7);
//! assert!(ended.findings[0].message.starts_with("data race on word 0 of `sum`"));
//!
//! // All schedules: the sum may be 3, or one of the two additions gets lost.
//! let all = dispatch.explore(1000);
//! assert!(all.is_complete);
//! let mut sums: Vec<u32> = all.endings.iter().map(|ending| ending.buffers[0][0]).collect();
//! sums.sort_unstable();
//! assert_eq!(sums, [1, 2, 3]);
//! # Ok::<(), verify::Error>(())
//! ```
//!
//! WGSL initialises all memory of a kernel with zeros. [`Finding`]s are data races, indices outside
//! their arrays, divisions by zero, barriers that not all invocations of a workgroup reach, and
//! invocations that do not end. After a finding, the run continues as on a device that checks
//! indices.

mod arithmetic;
mod claims;
mod code;
mod compile;
mod compiled;
mod device;
mod explore;
mod finding;
mod fuse;
mod machine;
mod promised;
mod races;
mod random;
mod schedule;
mod settings;
mod spare;
mod stale;
mod together;

use std::collections::HashMap;

pub use code::Code;
pub use compile::compile;
pub use compiled::Mutant;
pub use device::{Interpreter, KernelRuns};
pub use explore::{Ending, Exploration, Step};
pub use finding::{Fault, Finding};
pub use schedule::Schedule;
pub use settings::{STEPS_OF_A_DISPATCH, Scale, Settings};

use code::Space;
use finding::Findings;
use machine::{Buffers, Launch};
use random::Random;

/// The number of operations after which an invocation counts as endless.
const MAX_OPERATIONS: u64 = 5_000_000;

/// A kernel, the number of workgroups, and the bound buffers.
#[derive(Clone, Debug)]
pub struct Dispatch<'a> {
    code: &'a Code,
    groups: [u32; 3],
    bound: HashMap<(u32, u32), Vec<u32>>,
    subgroup: u32,
    stale: bool,
}

/// The end of a dispatch.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The contents of the kernel's variables, in the order of their declarations.
    pub buffers: Vec<Vec<u32>>,
    /// The faults found.
    pub findings: Vec<Finding>,
    /// The number of steps, that is, of accesses to memory that invocations share.
    pub steps: u64,
}

impl<'a> Dispatch<'a> {
    /// Makes a dispatch of this many workgroups, with nothing bound, and with subgroups of 32
    /// invocations.
    #[must_use]
    pub fn new(code: &'a Code, groups: [u32; 3]) -> Self {
        Self {
            code,
            groups,
            bound: HashMap::new(),
            subgroup: 32,
            stale: false,
        }
    }

    /// Binds words to a storage or uniform variable. A variable that is not bound is empty.
    #[must_use]
    pub fn bind(mut self, group: u32, binding: u32, words: Vec<u32>) -> Self {
        self.bound.insert((group, binding), words);
        self
    }

    /// Sets the size of subgroups, 1 to 128.
    #[must_use]
    pub fn subgroup(self, size: u32) -> Self {
        Self {
            subgroup: size.clamp(1, 128),
            ..self
        }
    }

    /// Lets relaxed atomic loads see old values, as far as the memory model of WGSL permits.
    #[must_use]
    pub fn stale(self) -> Self {
        Self {
            stale: true,
            ..self
        }
    }

    fn launch(&self) -> (Launch<'a>, Buffers) {
        let objects = self.code.objects.iter();
        let buffers: Buffers = objects
            .map(|object| match object.space {
                Space::Storage { group, binding, .. } | Space::Uniform { group, binding } => {
                    let bound = self.bound.get(&(group, binding));
                    bound.cloned().unwrap_or_default()
                }
                Space::Workgroup { .. } => Vec::new(),
            })
            .collect();
        let launch = Launch {
            code: self.code,
            groups: self.groups,
            subgroup: self.subgroup,
            bindings: (0..buffers.len()).collect(),
            stale: self.stale,
            resident: self.groups.iter().product(),
            max_operations: MAX_OPERATIONS,
            fails_early: false,
            deadline: None,
        };
        (launch, buffers)
    }

    /// Runs one schedule. It is determined by the seed.
    #[must_use]
    pub fn run(&self, schedule: Schedule, seed: u64) -> Ended {
        let (launch, mut buffers) = self.launch();
        let mut findings = Findings::default();
        let mut random = Random::new(seed);
        let steps = schedule::run(&launch, &mut buffers, &mut findings, schedule, &mut random);
        Ended {
            buffers,
            findings: findings.all,
            steps,
        }
    }

    /// Runs all schedules that can make a difference, but at most `most`.
    #[must_use]
    pub fn explore(&self, most: u64) -> Exploration {
        let (launch, buffers) = self.launch();
        explore::explore(&launch, &buffers, most)
    }
}

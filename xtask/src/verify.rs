//! `cargo xtask verify`: examines every variant of every kernel, runs the host loops on small
//! graphs under an interpreter that looks for data races, and writes the results to
//! `docs/verification.md`.
//!
//! ```text
//! runs.rs         all runs on the interpreter
//! trial.rs        an input, and the host loops that are run on it
//! graphs.rs       small graphs, and checks of the answers; graphs/corner_cases.rs has graphs that
//!                 are made to find changes of the kernels
//! explorations.rs the same for small networks and programs
//! averages.rs     the same for cycle means and long-run averages of small models
//! tuned.rs        random tuning of the worklist engine
//! cores.rs        distributes long work over all cores
//! mutations.rs    changes of kernels, and the layers that find them
//! proofs.rs       the proofs in proofs/, checked by Coq
//! races.rs        the results of z3 about races
//! shapes.rs       indices within their arrays, and the monotone shape
//! small_inputs.rs all inputs of the smallest sizes, with all options
//! small.rs        kernels with small workgroups, lists and limits
//! ```

mod averages;
mod cores;
mod explorations;
mod graphs;
mod mutations;
mod proofs;
mod races;
mod runs;
mod shapes;
mod small;
mod small_inputs;
mod trial;
mod tuned;

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use gpu::Kernel;
use races::Races;
use runs::Ran;
use verify::Program;
use verify::lint::{Discipline, disciplines, lint};
use verify::run::compile;

use crate::shell::{Outcome, root};

/// Examine all kernels, run them on small graphs, and write docs/verification.md
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Run every Nth of the two million MDPs of three states
    #[arg(long, value_name = "N", default_value_t = 9973, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Also draw N larger models at random, and a quarter as many wide ones
    #[arg(long, value_name = "N", default_value_t = 200)]
    drawn: u64,
    /// Change the kernels, one place at a time, and write the results to docs/mutations.md
    #[arg(long)]
    mutations: bool,
    /// Change only the kernels of this folder of shaders/, and write only its section; can be given
    /// several times, for the folders in that order
    #[arg(long, value_name = "NAME", requires = "mutations")]
    folder: Vec<String>,
    /// Change only this line of a file of shaders/, and print which check finds the changes; can be
    /// given several times
    #[arg(
        long,
        value_name = "FILE:LINE",
        requires = "mutations",
        requires = "check"
    )]
    place: Vec<String>,
    /// Try at most N changes of each folder, always the same ones, spread over its files
    #[arg(long, value_name = "N", requires = "mutations", value_parser = clap::value_parser!(u32).range(1..))]
    sample: Option<u32>,
    /// Keep the result of each change in this file, and skip changes whose results it has
    #[arg(long, value_name = "FILE", requires = "mutations", group = "kept")]
    verdicts: Option<PathBuf>,
    /// Try only the changes for whose runs there was too little time, according to the page, and
    /// replace their results
    #[arg(long, requires = "mutations")]
    unfinished: bool,
    /// Write the page from the results in the file, without running anything
    #[arg(long, requires = "kept")]
    only_page: bool,
    /// The time limit for a change, which survives if it is not found by then, and for a trial of
    /// the unchanged kernels, where exceeding it is an error
    #[arg(
        long,
        value_name = "SECONDS",
        requires = "mutations",
        default_value_t = 300
    )]
    limit: u64,
    /// Run all small inputs with all settings instead, and write docs/small-inputs.md; results are
    /// kept in this file, and inputs with results are skipped
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "mutations",
        group = "kept"
    )]
    small_inputs: Option<PathBuf>,
    /// Run every Nth of the small inputs, from the Kth on, so that several machines can share them;
    /// the lines of their files can be put together
    #[arg(
        long,
        value_name = "K/N",
        requires = "small_inputs",
        default_value = "0/1"
    )]
    share: small_inputs::Share,
    /// Check the proofs in proofs/ instead; installs Coq if necessary
    #[arg(long, conflicts_with = "mutations")]
    proofs: bool,
    /// Print the results of mutations instead of writing them
    #[arg(long)]
    check: bool,
}

impl Arguments {
    /// Returns the request for mutations.
    fn mutations(&self) -> mutations::Request<'_> {
        mutations::Request {
            folders: &self.folder,
            places: &self.place,
            most: self.sample.map(|most| most as usize),
            verdicts: self.verdicts.clone(),
            limit: Duration::from_secs(self.limit),
            unfinished: self.unfinished,
            tries_nothing: self.only_page,
            prints: self.check,
        }
    }
}

/// The beginning of the page.
const HEAD: &str = "\
# Verification of the kernels

`cargo xtask verify` wrote this page. It examines every variant of every kernel in `shaders/`, in
the intermediate representation of the shader compiler (naga), and runs the kernels on small inputs.
It fails, and does not write this page, if a lint, a proof or a run finds an error.
";

/// What the columns of the table mean, and what is run.
const CHECKS: &str = "
**Lints.** The column *lints* has the findings of the lints. They require that barriers are in
uniform control flow, that no loop waits for another workgroup, and that a buffer is not both read
and written without atomic operations. The last rule has two exceptions: each invocation accesses
only its own elements, or the kernel declares why the accesses are disjoint (`//@ disjoint NAME:
why`, or `//@ owned NAME: why`, which has to be proved).

**Races.** If a kernel only reads a buffer (*read*), or all its accesses are atomic (*atomic*), no
two invocations race on it, whatever the graph. For every other buffer, z3 searches for two
invocations of a dispatch that access the same element, at least one of which writes. The buffer is
*proved* if z3 shows that there are none. The proof assumes that indices of the grid do not wrap,
that different names are bound to different buffers, that no index lies outside its array, that
barriers are in uniform control flow, and that the host keeps the promises below. If z3 finds two
such invocations, or gives up, the kernel has to say why none race on the buffer (*declared*, `//@
disjoint NAME: why`); otherwise the task fails. The section below the table lists these reasons,
each with two invocations and their lines. Every dispatch on the interpreter checks the declared
buffers. This is a test, not a proof.

These proofs do not cover workgroup memory. Every dispatch on the interpreter checks that no two
invocations race on it between barriers (happens-before by vector clocks).

**Promises of the host.** A kernel may state what its host guarantees. Proofs rely on these lines:

- `//@ assume 2 * params.n <= arrayLength(&a): why` compares lengths, parameters, numbers of
  workgroups, or words of a buffer. Debug builds of the host check it at each dispatch, unless it
  contains words of a buffer, which the host does not know.
- `//@ distinct a below params.n: why`: no two of these entries are equal.
- `//@ ascending a.x: why`: no entry is less than the previous one.
- `//@ tickets a: why`: in a dispatch, `atomicAdd` returns no number twice, whichever word of `a` it
  adds to.

Only runs on the interpreter check promises about the contents of buffers: before each dispatch, and
for tickets at each addition.

**Claims.** A kernel may promise that a function returns true at most once in a dispatch for the
same arguments (`//@ once FUNCTION(ARGUMENT, ...): why`). Such a claim decides which invocation
acts, so that, for example, a state is entered once. Each run checks these promises.

**Runs.** The host loops of both engines for SCCs and MECs and of every breadth-first search run on
the interpreter, on small graphs. The worklist engine runs with its usual settings, and with random
settings twice for each graph. The scheduler picks the next invocation at random, by random
priorities that change, in turns, or such that several invocations are about to access the same
word. Subgroups have 4 to 64 invocations, and 1 to 4 workgroups run at a time. In half of the runs,
atomic loads see old values, as far as WGSL's memory model allows. Some graphs are made for special
cases of the search by levels: windows that are not full at the end of the array of edges, levels of
several windows that one workgroup explores alone, long rows that are found at the same time as
others, and levels that hardly grow, which workgroups explore without waiting for each other.
[small-inputs.md](small-inputs.md) covers all inputs of the smallest sizes with all settings. A run
covers one interleaving of each dispatch. Each answer is compared with that of the CPU. Each run
looks for data races, broken promises, indices outside their arrays, divisions by zero, barriers
that not all invocations of a workgroup reach, invocations that do not end, and iterations after the
end of a loop that change a buffer.

**Explorations.** The search for states runs on the interpreter, too. Its inputs are all networks of
one process with two states and two labels, all networks of two processes with two states and one
label, some of two processes with two labels, and all MDPs of three states in PRISM's language with
at most one command per state, some of them with a second module. In turns, buffers and the hash
table are too small at first. The certificate of each result is checked, and the graph that stays on
the device is compared with this result.

**Averages.** Howard's algorithm runs on all digraphs of up to two states with all weights of three
values, on all digraphs of three states with random weights and times, and on some graphs with a row
of more than 1,024 edges. It evaluates policies in both ways, by pointer doubling and by the paper's
kernels, and finds the least and the greatest cycle mean or ratio. Bounds on long-run averages are
computed for all MDPs of two states without deadlocks, and for some of three states. They must
contain the exact averages. In addition, the device must take as many iterations as the same integer
iteration on the CPU. This test is needed because the bounds would be right even after a fault of
the device: the host corrects the values that it receives.

**Small workgroups.** In two of three trials, kernels have workgroups of four or eight invocations,
and small lists and limits (`xtask/src/verify/small.rs`). So small graphs have rows that are too
long for one invocation, full lists, and several workgroups. Kernels of explorations and of prefix
sums keep their sizes, because hosts reserve memory by them.

**The table.** *Dispatches* and *steps* count what ran on the interpreter; a step is an access to
memory that invocations share.

";

/// The end of the page, after its table.
const FOOT: &str = "
Some kernels have no dispatches in these runs, for the following reasons:

- `test/bfs_level` belongs to the tests of the crate `gpu`, which run it on a device.
- `COUNTED` counts the edges that are visited, for reports, and has no other effect.
- `basic/copy` measures the bandwidth of a device, for the same reports.
- `csr/far` and `csr/loops` are for graphs that were explored on the device and stay there.
";

/// Runs the task.
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    if arguments.proofs {
        return proofs::run();
    }
    if let Some(path) = &arguments.small_inputs {
        return small_inputs::run(path, arguments.share, arguments.only_page, arguments.check);
    }
    if arguments.mutations {
        return mutations::run(&arguments.mutations());
    }
    let mut races = Races::begin()?;
    let Ran {
        digraphs,
        mdps,
        drawn,
        explorations,
        averages,
        kernels,
        mut faults,
    } = runs::all(arguments.every as usize, arguments.drawn);
    let dispatches: u64 = kernels.values().map(|runs| runs.dispatches).sum();
    let steps: u64 = kernels.values().map(|runs| runs.steps).sum();
    let mut page = HEAD.to_owned();
    writeln!(
        page,
        "\nThe last run had {digraphs} digraphs and {mdps} MDPs of up to three states, and \
         {drawn} models of up to\n100 states that were drawn at random. It explored {explorations} \
         networks and programs, and found\naverages of {averages} models. This took {dispatches} \
         dispatches with {steps} steps."
    )?;
    page.push_str(CHECKS);
    page.push_str("| kernel | read | atomic | race | lints | dispatches | steps |\n");
    page.push_str("| --- | --- | --- | --- | --- | --: | --: |\n");
    for kernel in gpu::kernels::ALL {
        let runs = kernels.get(&kernel.label()).copied().unwrap_or_default();
        let examined = examine(kernel, &mut races, &mut faults)?;
        writeln!(
            page,
            "| {} | {examined} | {} | {} |",
            kernel.label(),
            runs.dispatches,
            runs.steps
        )?;
    }
    page.push_str(FOOT);
    page.push_str(&races.below()?);
    page.push_str(&shapes::section(&mut faults)?);
    if !faults.is_empty() {
        return Err(faults.join("\n").into());
    }
    if !arguments.check {
        let path = root().join("docs/verification.md");
        fs::write(&path, page).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Returns the row of a kernel: the buffers on which it cannot race, z3's results for the others,
/// and the results of the lints.
fn examine(
    kernel: &'static Kernel,
    races: &mut Races,
    faults: &mut Vec<String>,
) -> Outcome<String> {
    let constants: Vec<_> = kernel.constants.iter().map(|&name| (name, 32)).collect();
    let program = Program::of_kernel(kernel, &constants)?;
    compile(&program)?;
    let found = lint(&program);
    let said = found.iter();
    faults.extend(said.map(|finding| format!("{}: {finding}", kernel.label())));
    let buffers = disciplines(&program);
    let columns = [Discipline::Read, Discipline::Atomic].map(|wanted| {
        let names = buffers
            .iter()
            .filter(|(_, discipline)| *discipline == wanted);
        let names: Vec<_> = names.map(|(name, _)| format!("`{name}`")).collect();
        names.join(", ")
    });
    let lints = match found.len() {
        0 => "pass".to_owned(),
        count => format!("{count} findings"),
    };
    let race = races.column(kernel, &program, faults)?;
    Ok(format!("{} | {race} | {lints}", columns.join(" | ")))
}

//! The graphs for the measurements: from dumps, from `.tra` files, or generated.
//!
//! A dump is a file of little-endian 32-bit words. With choices, its name ends in `.mdp`:
//!
//! ```text
//! n c m              states, choices, branches
//! n + 1 words        where the choices of each state start, and the end: 0 .. c
//! c + 1 words        where the branches of each choice start, and the end: 0 .. m
//! m words            the targets, states below n
//! ```
//!
//! A dump of a graph without choices has `n m`, then `n + 1` offsets of states into the edges, and
//! `m` targets.
//!
//! A generated graph is one of `layers:STATES:DEPTH` (random edges to the next of DEPTH layers, the
//! last of which leads to the first), `path:STATES` (each state may step on or back),
//! `random:STATES:DEGREE`, `dag:STATES:DEGREE`, `hub:LEAVES` (one choice among LEAVES states, which
//! return, and a tenth more states that stay), or `FAMILY=SIZE`, a model as `cargo xtask generate`
//! writes it. Two have choices of their own, and take many rounds of the papers' algorithms for
//! MECs; in both each block of WIDTH states is a MEC in the end:
//!
//! - `ladder:RUNGS:WIDTH`: from each rung but the last, a choice leads to the next rung or back.
//!   Each round splits off the last rung that is left, so that there are RUNGS rounds;
//! - `tree:LEVELS:WIDTH`: from each node but the root, a choice leads to its neighbour, to its
//!   children, or back to its parent. Each round splits a level into its nodes and the trees below
//!   them, so that there are LEVELS rounds, with twice as many regions in each.

#[path = "../../../../xtask/src/generate/families/mod.rs"]
pub(crate) mod families;

use families::Family;
use flate2::read::GzDecoder;
use mdp_graph::{ChunkBuilder, Deadlocks, MdpGraph, StateId, assemble};
use rayon::prelude::*;
use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::num::NonZeroU32;

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Returns the graph with this name. If the graph says nothing about choices, `together` edges of a
/// state are one choice.
pub(crate) fn graph(name: &str, together: usize) -> Result<MdpGraph> {
    let parts: Vec<&str> = name.split(':').collect();
    let ahead = |n: u32, s: u32, draw: u32| s + draw % (n - s).clamp(1, 1000);
    if let Some((family, size)) = name.split_once('=') {
        return generated(family, size.parse()?);
    }
    match parts[..] {
        ["layers", n, depth] => layers(n.parse()?, depth.parse()?, together),
        ["path", n] => path(n.parse()?, together),
        ["random", n, degree] => random(n.parse()?, degree.parse()?, together, |n, _, d| d % n),
        ["dag", n, degree] => random(n.parse()?, degree.parse()?, together, ahead),
        ["hub", leaves] => hub(leaves.parse()?),
        ["ladder", rungs, width] => ladder(rungs.parse()?, width.parse()?),
        ["tree", levels, width] => tree(levels.parse()?, width.parse()?),
        _ if name.ends_with(".mdp") => with_choices(name),
        _ if name.ends_with(".tra") || name.ends_with(".tra.gz") => transitions(name),
        _ => edges(name, together),
    }
}

/// Generated models, and how many million states each has. All have more than ten million edges.
const TRAPS: &[(Family, u32)] = &[
    (Family::TwoCycles, 8),
    (Family::Permutation, 11),
    (Family::Cycle, 11),
    (Family::ShuffledCycle, 11),
    (Family::Chain, 11),
    (Family::BitReversed, 17),
    (Family::Mesh, 5),
    (Family::Scattered, 5),
    (Family::Comb, 10),
    (Family::CycleTree, 9),
    (Family::Ribbon, 4),
    (Family::PowerLaw, 2),
    (Family::Holes, 6),
    (Family::Giant, 4),
    (Family::GiantChains, 7),
    (Family::Giants, 5),
    (Family::Lotteries, 1),
    (Family::Lottery, 6),
    (Family::Fan, 8),
    (Family::Drift, 6),
    (Family::Dag, 3),
    (Family::Beads, 4),
    (Family::Ladder, 4),
    (Family::Ladders, 4),
    (Family::Stairs, 11),
];

/// The names of generated models that are the worst for some search, of some ten million edges
/// divided by `divisor`.
pub(crate) fn traps(divisor: NonZeroU32) -> impl Iterator<Item = String> {
    TRAPS.iter().map(move |&(family, millions)| {
        let size = family.size_for(millions * 1_000_000 / divisor);
        format!("{}={size}", family.described().0)
    })
}

/// Returns the last part of a path.
pub(crate) fn short(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Writes a graph as a dump with choices.
pub(crate) fn write(graph: &MdpGraph, path: &str) -> Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    let counts = [
        graph.num_states(),
        graph.num_choices(),
        graph.num_branches(),
    ];
    let counts = counts.iter().map(|&count| count as u32);
    let choices =
        std::iter::once(0).chain(graph.states().map(|s| graph.choice_range(s).end as u32));
    let mut end = 0;
    let branches = graph.states().flat_map(|s| graph.choices(s)).map(|choice| {
        end += graph.targets(choice).len() as u32;
        end
    });
    for word in counts
        .chain(choices)
        .chain(std::iter::once(0))
        .chain(branches)
    {
        file.write_all(&word.to_le_bytes())?;
    }
    for target in graph.states().flat_map(|s| graph.successors(s)) {
        file.write_all(&target.0.to_le_bytes())?;
    }
    Ok(file.flush()?)
}

fn words(path: &str) -> Result<Vec<u32>> {
    let bytes = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    let word = |word: &[u8]| u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
    Ok(bytes.chunks_exact(4).map(word).collect())
}

fn with_choices(path: &str) -> Result<MdpGraph> {
    let words = words(path)?;
    let [n, c, m, arrays @ ..] = &words[..] else {
        return Err(format!("{path}: too short").into());
    };
    let sizes = [*n as usize + 1, *c as usize + 1, *m as usize];
    if arrays.len() != sizes.iter().sum::<usize>() {
        let found = words.len();
        return Err(format!("{path}: {n} states, {c} choices, {m} branches, {found} words").into());
    }
    let (choices, rest) = arrays.split_at(sizes[0]);
    let (branches, targets) = rest.split_at(sizes[1]);
    let targets = StateId::cast_slice(targets).to_vec();
    Ok(MdpGraph::from_parts(
        choices.to_vec(),
        branches.to_vec(),
        targets,
    )?)
}

fn edges(path: &str, together: usize) -> Result<MdpGraph> {
    let words = words(path)?;
    let [n, m, rows @ ..] = &words[..] else {
        return Err(format!("{path}: too short").into());
    };
    let (n, m) = (*n as usize, *m as usize);
    if rows.len() != n + 1 + m {
        let found = words.len();
        return Err(format!("{path}: {n} states, {m} edges, {found} words").into());
    }
    let (offsets, targets) = rows.split_at(n + 1);
    from_rows(offsets, StateId::cast_slice(targets).to_vec(), together)
}

/// Reads a well-formed `.tra` file of an MDP: after the header, lines `state choice target
/// probability`.
fn transitions(path: &str) -> Result<MdpGraph> {
    let file = File::open(path).map_err(|error| format!("{path}: {error}"))?;
    let bytes: Box<dyn Read> = match path.ends_with(".gz") {
        true => Box::new(GzDecoder::new(file)),
        false => Box::new(file),
    };
    let mut chunk = ChunkBuilder::default();
    let mut header = None;
    let mut open = None;
    let mut targets = Vec::new();
    for line in BufReader::new(bytes).lines() {
        let line = line?;
        let numbers: Vec<u32> = line
            .split(' ')
            .map_while(|word| word.parse().ok())
            .collect();
        match (header, &numbers[..]) {
            (None, &[states, _, _]) => header = Some(states),
            (Some(_), &[state, choice, target, ..]) => {
                if let Some((source, _)) = open.filter(|&open| open != (state, choice)) {
                    chunk.push_choice(StateId(source), &targets);
                    targets.clear();
                }
                open = Some((state, choice));
                targets.push(StateId(target));
            }
            _ if line.starts_with('#') || line.is_empty() => {}
            _ => return Err(format!("{path}: not a line of an MDP: {line}").into()),
        }
    }
    if let Some((source, _)) = open {
        chunk.push_choice(StateId(source), &targets);
    }
    let states = header.ok_or_else(|| format!("{path}: no header"))?;
    Ok(assemble(states, vec![chunk.finish()], Deadlocks::SelfLoop)?.graph)
}

/// Returns a model of a family, built on all threads.
fn generated(family: &str, size: u32) -> Result<MdpGraph> {
    const PIECE: u32 = 1 << 16;
    let family = Family::named(family).ok_or_else(|| format!("no family {family}"))?;
    let model = family.model(size, 0)?;
    let n = model.num_states();
    let pieces = (0..n.div_ceil(PIECE)).into_par_iter().map(|piece| {
        let mut chunk = ChunkBuilder::default();
        let mut targets = Vec::new();
        for state in piece * PIECE..n.min((piece + 1) * PIECE) {
            model.choices(state, &mut |_, branches| {
                targets.clear();
                targets.extend(branches.iter().map(|&(target, _)| StateId(target)));
                chunk.push_choice(StateId(state), &targets);
            });
        }
        chunk.finish()
    });
    Ok(assemble(n, pieces.collect(), Deadlocks::Keep)?.graph)
}

/// Returns a graph with these rows, each divided into choices.
fn from_rows(offsets: &[u32], targets: Vec<StateId>, together: usize) -> Result<MdpGraph> {
    let mut choices = vec![0];
    let mut branches = vec![0];
    for pair in offsets.windows(2) {
        let cuts = (pair[0]..pair[1]).step_by(together);
        branches.extend(cuts.skip(1));
        if pair[0] < pair[1] {
            branches.push(pair[1]);
        }
        choices.push(branches.len() as u32 - 1);
    }
    Ok(MdpGraph::from_parts(choices, branches, targets)?)
}

/// Returns a graph in which all states have the same number of edges. `target` returns the target
/// of an edge, given the number of states, the state and a random number.
fn random(
    n: u32,
    degree: u32,
    together: usize,
    target: impl Fn(u32, u32, u32) -> u32,
) -> Result<MdpGraph> {
    let mut draw = draws();
    let mut targets = Vec::with_capacity(n as usize * degree as usize);
    for state in 0..n {
        targets.extend((0..degree).map(|_| StateId(target(n, state, draw()))));
    }
    let offsets: Vec<u32> = (0..=n).map(|state| state * degree).collect();
    from_rows(&offsets, targets, together)
}

/// Returns a graph in which each state has three random edges to the next layer, so that a search
/// takes a level for each layer.
fn layers(n: u32, depth: u32, together: usize) -> Result<MdpGraph> {
    let width = (n / depth).max(1);
    random(width * depth, 3, together, |_, state, draw| {
        (state / width + 1) % depth * width + draw % width
    })
}

fn path(n: u32, together: usize) -> Result<MdpGraph> {
    let targets = (0..n).flat_map(|s| [StateId(s.saturating_sub(1)), StateId((s + 1).min(n - 1))]);
    let offsets: Vec<u32> = (0..=n).map(|state| 2 * state).collect();
    from_rows(&offsets, targets.collect(), together)
}

/// Returns a hub. The states that stay have the last numbers, so that searches close them first,
/// and then look ahead in the choice.
fn hub(leaves: u32) -> Result<MdpGraph> {
    let states = u32::try_from(u64::from(leaves) + u64::from(leaves / 10) + 1)?;
    let mut chunk = ChunkBuilder::default();
    chunk.push_choice(StateId(0), &(1..=leaves).map(StateId).collect::<Vec<_>>());
    for state in 1..states {
        let target = if state <= leaves { 0 } else { state };
        chunk.push_choice(StateId(state), &[StateId(target)]);
    }
    Ok(assemble(states, vec![chunk.finish()], Deadlocks::Keep)?.graph)
}

fn ladder(rungs: u32, width: u32) -> Result<MdpGraph> {
    blocks(rungs, width, |rung| match rung + 1 < rungs {
        true => vec![rung.saturating_sub(1), rung + 1],
        false => Vec::new(),
    })
}

/// Returns a tree of blocks. Nodes are numbered level by level: node `i`, counted from 1, has the
/// children `2 i` and `2 i + 1`.
fn tree(levels: u32, width: u32) -> Result<MdpGraph> {
    let nodes = 1u32.checked_shl(levels).ok_or("too many levels")? - 1;
    blocks(nodes, width, |block| match block + 1 {
        1 => Vec::new(),
        node => {
            let (child, parent) = (2 * node, node / 2);
            let near = [node ^ 1, parent, child, child + 1].into_iter();
            near.filter(|&node| node <= nodes)
                .map(|node| node - 1)
                .collect()
        }
    })
}

/// Returns blocks of `width` states, each a ring with a random choice within. Each state also has a
/// choice that leads to random states of the blocks that `gamble` returns, if there are any.
fn blocks(count: u32, width: u32, gamble: impl Fn(u32) -> Vec<u32>) -> Result<MdpGraph> {
    let states = count.checked_mul(width).ok_or("more than 2^32 states")?;
    let mut draw = draws();
    let mut chunk = ChunkBuilder::default();
    for state in 0..states {
        let (block, place) = (state / width, state % width);
        let within = |block, place| StateId(block * width + place % width);
        chunk.push_choice(StateId(state), &[within(block, place + 1)]);
        chunk.push_choice(StateId(state), &[within(block, draw())]);
        let targets: Vec<_> = gamble(block)
            .iter()
            .map(|&block| within(block, draw()))
            .collect();
        if !targets.is_empty() {
            chunk.push_choice(StateId(state), &targets);
        }
    }
    Ok(assemble(states, vec![chunk.finish()], Deadlocks::Keep)?.graph)
}

/// Returns pseudo-random numbers (xorshift) that are the same in each run.
fn draws() -> impl FnMut() -> u32 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u32
    }
}

//! Paths: from a state along the successors, until something is known.
//!
//! A path that meets no splitter ends in a state without a successor, or goes around a cycle.
//! Brent's algorithm finds such a cycle: the path remembers a state, replaces it by the current one
//! whenever the number of steps is a power of two, and returns to it.
#import functional/lib/params

/// For each state its only successor, or the state itself if it has none.
@group(0) @binding(1) var<storage, read> successors: array<u32>;
/// A word that is not 0 once a path was too long.
@group(0) @binding(2) var<storage, read_write> given_up: array<atomic<u32>>;

/// The ways in which a path ends, of which this one is a state without a successor.
const DEAD_END = 0u;
const SPLITTER = 1u;
/// In a cycle without splitters.
const CYCLE = 2u;
const TOO_LONG = 3u;

/// The current position of a path.
struct Path {
    /// The first state of the path.
    start: u32,
    at: u32,
    remembered: u32,
    steps: u32,
    /// After so many steps another state is remembered.
    forget: u32,
}

fn path_from(state: u32) -> Path {
    return Path(state, state, state, 0u, 1u);
}

/// Returns whether and how a path ends with the next state; `goes_on()` if it does not.
fn end_of(path: Path, next: u32) -> u32 {
    if next == path.at {
        return DEAD_END;
    }
    if is_splitter(next) {
        return SPLITTER;
    }
    if next == path.start || next == path.remembered {
        return CYCLE;
    }
    return select(GOES_ON, TOO_LONG, path.steps >= params.most_steps);
}

/// A path does not end yet.
const GOES_ON = 4u;

/// Returns the path after a step.
fn step_to(path: Path, next: u32) -> Path {
    var after = path;
    after.at = next;
    after.steps += 1u;
    if after.steps == path.forget {
        after.remembered = next;
        after.forget = 2u * path.forget;
    }
    return after;
}

/// Returns the least state of the cycle that a state is on.
fn least_on_cycle(state: u32) -> u32 {
    var least = state;
    for (var at = successors[state]; at != state; at = successors[at]) {
        least = min(least, at);
    }
    return least;
}

/// Notes that a path is too long, so that the answer of this search does not count.
fn give_up() {
    atomicStore(&given_up[0], 1u);
}

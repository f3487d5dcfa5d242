//! Graphs, from the arrays of a caller.

use crate::borrowed::borrowed;
use crate::error::{Error, Fault, Status, answer};
use mdp_graph::{Array, MAX_COUNT, MdpGraph, StateId, check_room};

/// A graph: states, their choices, and the branches of the choices.
pub struct Graph(pub(crate) MdpGraph);

/// Makes a graph from arrays, WITHOUT COPYING THEM. Do not change or free the arrays before the
/// graph is freed. Components do not need them.
///
/// State s has the choices from `choices[s]` to `choices[s + 1] - 1`, choice c has the branches
/// from `branches[c]` to `branches[c + 1] - 1`, and `targets` has the target of each branch. So
/// `choices` has `num_states + 1` numbers, `branches` has `num_choices + 1`, and `targets` has
/// `num_branches`. Leave out branches whose probability is 0.
///
/// For a graph without choices, such as a Markov chain, `choices` is NULL and `num_choices` is the
/// number of states. Then `branches` and `targets` are the rows of a sparse matrix (CSR).
///
/// # Safety
/// The arrays have these lengths, and are neither changed nor freed before the graph.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_graph_borrow(
    num_states: u64,
    num_choices: u64,
    num_branches: u64,
    choices: *const u32,
    branches: *const u32,
    targets: *const u32,
    out: *mut *mut Graph,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        check_counts(num_states, num_choices, num_branches)?;
        let is_plain = is_plain(num_states, num_choices, choices.is_null())?;
        // SAFETY: the caller has promised that the array has this length.
        let branches = unsafe { borrowed("branches", branches, num_choices + 1) }?;
        // SAFETY: as above.
        let targets = unsafe { borrowed("targets", targets, num_branches) }?;
        if is_plain {
            return Ok(Graph(MdpGraph::from_rows(branches, targets)?));
        }
        // SAFETY: as above.
        let choices = unsafe { borrowed("choices", choices, num_states + 1) }?;
        Ok(Graph(MdpGraph::from_arrays(choices, branches, targets)?))
    };
    // SAFETY: the last two are NULL or can be written to, as all callers in C see to.
    unsafe { answer(out, error, work) }
}

/// Does the same as `maxend_graph_borrow`, from arrays of 64-bit numbers, which are copied: they
/// may be freed as soon as this function returns. Targets may be fields of records: the distance
/// between two targets is `stride` bytes (8 if they are contiguous).
///
/// # Safety
/// The arrays have these lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_graph_copy(
    num_states: u64,
    num_choices: u64,
    num_branches: u64,
    choices: *const u64,
    branches: *const u64,
    targets: *const u64,
    stride: usize,
    out: *mut *mut Graph,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        check_counts(num_states, num_choices, num_branches)?;
        let is_plain = is_plain(num_states, num_choices, choices.is_null())?;
        let lengths = [num_states + 1, num_choices + 1, num_branches];
        let room = check_room("the graph", &lengths.map(|length| 4 * length as usize));
        room.map_err(|error| Fault::model(error.to_string()))?;
        // SAFETY: the caller has promised that the array has this length.
        let branches = unsafe { copied("branches", branches, 8, num_choices + 1) }?;
        // SAFETY: as above.
        let targets = unsafe { copied("targets", targets, stride, num_branches) }?;
        let targets: Vec<StateId> = targets.into_iter().map(StateId).collect();
        let (branches, targets): (Array<u32>, Array<StateId>) = (branches.into(), targets.into());
        if is_plain {
            return Ok(Graph(MdpGraph::from_rows(branches, targets)?));
        }
        // SAFETY: as above.
        let choices = unsafe { copied("choices", choices, 8, num_states + 1) }?;
        Ok(Graph(MdpGraph::from_arrays(
            choices.into(),
            branches,
            targets,
        )?))
    };
    // SAFETY: the last two are NULL or can be written to, as all callers in C see to.
    unsafe { answer(out, error, work) }
}

/// Copies an array of 64-bit numbers that must fit 32 bits.
///
/// # Safety
/// The pointer is null, or so many values are there, each `stride` bytes after the last.
unsafe fn copied(
    what: &str,
    values: *const u64,
    stride: usize,
    len: u64,
) -> Result<Vec<u32>, Fault> {
    if len == 0 {
        return Ok(Vec::new());
    }
    if values.is_null() {
        return Err(Fault::argument(format!("{what} is NULL")));
    }
    if stride < size_of::<u64>() {
        let message = format!("stride is {stride}, but records of {what} have at least 8 bytes");
        return Err(Fault::argument(message));
    }
    let bytes = (len as usize).checked_mul(stride);
    if bytes.is_none_or(|bytes| bytes > isize::MAX as usize) {
        let message = format!("stride is {stride}, so that no memory holds all records of {what}");
        return Err(Fault::argument(message));
    }
    let value = |i: u64| {
        // SAFETY: it is there, as the caller says; it may stand at any address.
        let value = unsafe { values.byte_add(i as usize * stride).read_unaligned() };
        let too_large = || Fault::model(format!("{what}[{i}] is {value}, which is too large"));
        u32::try_from(value).map_err(|_| too_large())
    };
    (0..len).map(value).collect()
}

/// Whether the arrays are rows of a matrix.
fn is_plain(num_states: u64, num_choices: u64, has_no_choices: bool) -> Result<bool, Fault> {
    if has_no_choices && num_choices != num_states {
        let message = "choices is NULL, but num_choices is not num_states";
        return Err(Fault::argument(message));
    }
    Ok(has_no_choices)
}

fn check_counts(states: u64, choices: u64, branches: u64) -> Result<(), Fault> {
    let limit = MAX_COUNT;
    for (what, count) in [
        ("states", states),
        ("choices", choices),
        ("branches", branches),
    ] {
        if count > limit {
            let message = format!("the graph has {count} {what}, but at most {limit} fit");
            return Err(Fault::model(message));
        }
    }
    Ok(())
}

/// Returns the number of states.
///
/// # Safety
/// `graph` is NULL or a graph of this library that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_graph_num_states(graph: *const Graph) -> u64 {
    // SAFETY: as the caller says.
    unsafe { graph.as_ref() }.map_or(0, |graph| graph.0.num_states() as u64)
}

/// Returns the number of choices of all states.
///
/// # Safety
/// `graph` is NULL or a graph of this library that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_graph_num_choices(graph: *const Graph) -> u64 {
    // SAFETY: as the caller says.
    unsafe { graph.as_ref() }.map_or(0, |graph| graph.0.num_choices() as u64)
}

/// Returns the number of branches of all choices.
///
/// # Safety
/// `graph` is NULL or a graph of this library that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_graph_num_branches(graph: *const Graph) -> u64 {
    // SAFETY: as the caller says.
    unsafe { graph.as_ref() }.map_or(0, |graph| graph.0.num_branches() as u64)
}

/// Returns the `num_states + 1` offsets of states into the choices, as for `maxend_graph_borrow`.
/// They live as long as the graph.
///
/// # Safety
/// `graph` is NULL or a graph of this library that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_graph_choices(graph: *const Graph) -> *const u32 {
    // SAFETY: as the caller says.
    let graph = unsafe { graph.as_ref() };
    graph.map_or(std::ptr::null(), |graph| graph.0.choice_offsets().as_ptr())
}

/// Returns the `num_choices + 1` offsets of choices into the branches. They live as long as the
/// graph.
///
/// # Safety
/// `graph` is NULL or a graph of this library that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_graph_branches(graph: *const Graph) -> *const u32 {
    // SAFETY: as the caller says.
    let graph = unsafe { graph.as_ref() };
    graph.map_or(std::ptr::null(), |graph| graph.0.branch_offsets().as_ptr())
}

/// Returns the targets of the branches. They live as long as the graph.
///
/// # Safety
/// `graph` is NULL or a graph of this library that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_graph_targets(graph: *const Graph) -> *const u32 {
    // SAFETY: as the caller says.
    let graph = unsafe { graph.as_ref() };
    graph.map_or(std::ptr::null(), |graph| {
        graph.0.all_targets().as_ptr().cast()
    })
}

/// Frees a graph. The arrays that it borrowed are not freed.
///
/// # Safety
/// `graph` is NULL or a graph of this library that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_graph_free(graph: *mut Graph) {
    if !graph.is_null() {
        // SAFETY: as the caller says, it was given away by `answer`.
        drop(unsafe { Box::from_raw(graph) });
    }
}

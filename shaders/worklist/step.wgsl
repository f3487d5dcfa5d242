//! One iteration of the worklist engine's loop, over one shard of the edges of each direction. It
//! finds SCCs in rounds (Fleischer, Hendrickson and Pınar, 2000) with trimming (McLendon et al.,
//! 2005; `docs/algorithms.md`, "SCCs on a GPU"). The whole decomposition is one loop, without
//! waiting for the host between phases. All workgroups share a phase (`worklist/lib/iteration`):
//!
//!     INIT             counts edges; trims states that no edge enters, or none leaves
//!     TRIM             subtracts the edges of trimmed states, and trims more states
//!     PIVOT            finds the best candidate of every region
//!     SEED             makes it the region's pivot: the first SEARCH of a round
//!     SEARCH           what the pivots reach in their regions, forward and backward at once
//!     FINISH           if both searches reached all live states, every region is a component
//!     UPDATE_DEGREES   edges between the regions that will be no longer count; trims states
//!     RELABEL          components are done; what one search alone has reached becomes a region
//!
//! TRIM, SEARCH, UPDATE_DEGREES and ATTRACTOR explore a queue (`worklist/lib/explore`), or follow
//! it hop by hop if few entries wait (`worklist/lib/local_bfs`). PRUNE and COUNT_DEGREES explore
//! the edges of the states that they find. The other phases scan states (`worklist/lib/scan`), one
//! invocation per state. Self-loops are not among the edges.
//!
//! With CHOICES the loop searches for maximal end components (`worklist/lib/mec_rounds`), in
//! rounds:
//!
//!     INIT             states without a choice are dead
//!     ATTRACTOR        removes the choices that may lead to dead states; more states die
//!     CLASSIFY         components that lost nothing are end components, the others become regions
//!     COUNT_DEGREES    counts the edges of the choices that are left
//!     FIND_TRIMMED     trims states that no edge enters, or none leaves
//!     ...              the phases above, until no state is live
//!     PRUNE            removes the choices that leave their component; states die
//!
//! flags: CHOICES, INLINE, COUNTED
//! checks: debug
//!
//! Shares, by atomics: `regions`, `degrees`, `reached`, `pivots`, `removed`, `retained`. In `queue`
//! and `hubs` an iteration reads what earlier ones wrote, and writes elsewhere, every place once.
//! `removed_snapshot` is written by CLASSIFY alone, and read by other phases.
#import worklist/lib/local_bfs
#import worklist/lib/mec_rounds
#import worklist/lib/scan
#import lib/grid

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let iteration = start_iteration(load_iteration(grid.workgroup.x, grid.count.x));
    if is_over() {
        return;
    }
    if iteration.group >= iteration.groups {
        return;
    }
    let is_first_shard = params.is_first_shard == 1u;
    switch iteration.phase {
        case
            PHASE_TRIM,
            PHASE_SEARCH,
            PHASE_UPDATE_DEGREES,
            PHASE_ATTRACTOR,
            PHASE_COUNT_DEGREES,
            PHASE_PRUNE: {
            explore_edges(iteration, local);
        }
        case PHASE_END, PHASE_HALT: {}
        default: {
            if is_first_shard {
                scan(iteration, local);
            }
        }
    }
    if iteration.hubs != 0u {
        expand_hubs(iteration, local);
    }
    spill(iteration, 0u, local);
    report_visits(reported_phase(iteration), local);
    if is_first_shard && grid.workgroup.x == 0u && local == 0u {
        next_phase(iteration);
    }
}

/// The phases that look at edges. Called once for all of them, because compilers copy a function to
/// each of its calls.
fn explore_edges(iteration: Iteration, local: u32) {
    if is_local(iteration) {
        local_bfs(iteration, local);
    } else {
        explore(iteration, local);
    }
}

fn scan(iteration: Iteration, local: u32) {
    switch iteration.phase {
        case PHASE_PIVOT: {
            choose_pivots(iteration, local);
        }
        case PHASE_RELABEL: {
            if iteration.hubs == 0u {
                relabel(iteration, local);
            }
        }
        case PHASE_FINISH: {
            finish(iteration, local);
        }
#ifdef CHOICES
        case PHASE_INIT: {
            init_choices(iteration, local);
        }
        case PHASE_CLASSIFY: {
            classify(iteration, local);
        }
        default: {
            if iteration.hubs == 0u {
                find_trimmed(iteration, local);
            }
        }
#else
        default: {
            init(iteration, local);
        }
#endif
    }
}

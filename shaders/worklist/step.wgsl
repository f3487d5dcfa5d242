//! One iteration of the fast engine's loop, over one shard of the edges of each direction.
//!
//! The whole decomposition is one loop, so that the host is not asked between its parts. Which part an iteration
//! does is known to all its workgroups when it starts (`worklist/lib/control.wgsl`):
//!
//!     INIT      counts edges; states that no edge reaches, or none leaves, fall
//!     PEEL      removes the edges of the fallen; more states fall
//!     PIVOT     every region's best candidate
//!     SEED      becomes its pivot: the first SEARCH of a round
//!     SEARCH    what pivots reach in their regions, forward and backward at once
//!     FINISH    if all live states were reached by both, each region is a component
//!     RECOUNT   edges between what will be different regions no longer count; states fall
//!     RELABEL   components are done; what one search alone reached becomes a region
//!
//! PEEL, SEARCH, RECOUNT and STARVE explore a queue (`worklist/lib/explore.wgsl`), or dive if few entries wait (`worklist/lib/local_bfs.wgsl`);
//! the others scan (`worklist/lib/scan.wgsl`), but that LEAVE and COUNT explore the edges of what they find.
//! Self-loops are none of the edges.
//!
//! With CHOICES it searches for maximal end components (`worklist/lib/mec_rounds.wgsl`), in rounds:
//!
//!     INIT      states without a choice are dead
//!     STARVE    removes the choices that may lead to the dead; more states die
//!     REOPEN    components that lost nothing are done, the others become regions
//!     COUNT     counts edges of the choices that are left
//!     FALL      states that no edge reaches, or none leaves, fall; then the parts above, until no state is live
//!     LEAVE     removes the choices that leave their component; states die
//!
//! flags: CHOICES, HEADED, COUNTED
//! checks: debug
//!
//! Shares, by atomics: `regions`, `degrees`, `reached`, `pivots`, `removed`, `retained`. In `queue` and `heavy` an iteration reads what
//! earlier ones wrote, and writes elsewhere, every place once. `absent` is written by REOPEN alone, and read by others.
#import worklist/lib/local_bfs
#import worklist/lib/mec_rounds
#import worklist/lib/scan

@compute @workgroup_size(SIZE)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let turn = settled(turn_of(workgroup.x, count.x));
    if is_over() {
        return;
    }
    if turn.group >= turn.groups {
        return;
    }
    let leads = params.leads == 1u;
    switch turn.part {
        case PEEL, SEARCH, RECOUNT, STARVE, COUNT, LEAVE: {
            follow(turn, local);
        }
        case END, HALT: {}
        default: {
            if leads {
                scan(turn, local);
            }
        }
    }
    if turn.heavy != 0u {
        explore_heavy(turn, local);
    }
    hand_over(turn, 0u, local);
    tell_touched(part_told(turn), local);
    if leads && workgroup.x == 0u && local == 0u {
        lead(turn);
    }
}

/// What lies at edges. Once for all parts, as compilers copy what is called to where it is called from.
fn follow(turn: Turn, local: u32) {
    if dives(turn) {
        dive(turn, local);
    } else {
        explore(turn, local);
    }
}

fn scan(turn: Turn, local: u32) {
    switch turn.part {
        case PIVOT: {
            choose_pivots(turn, local);
        }
        case RELABEL: {
            if turn.heavy == 0u {
                relabel(turn, local);
            }
        }
        case FINISH: {
            finish(turn, local);
        }
#ifdef CHOICES
        case INIT: {
            begin(turn, local);
        }
        case REOPEN: {
            reopen(turn, local);
        }
        default: {
            if turn.heavy == 0u {
                fall(turn, local);
            }
        }
#else
        default: {
            init(turn, local);
        }
#endif
    }
}

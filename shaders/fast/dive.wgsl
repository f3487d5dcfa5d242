//! An iteration of the fast engine's loop where few entries wait, over one shard of the edges of each direction.
//!
//! It explores the queue in the place of `fast/step.wgsl`, in the same iteration. A kernel of its own: what it keeps in
//! registers would leave the others fewer workgroups at a time, which makes wide searches half as slow again. But one
//! dispatch more an iteration takes its time, too, which deep graphs of few edges a state feel.
//!
//! flags: CHOICES
//!
//! Shares, by atomics: `regions`, `degrees`, `reached`, `pivots`, `removed`, `retained`. In `queue` and `heavy` it reads what
//! earlier iterations wrote, and writes elsewhere, every place once.
#import fast/dive

@compute @workgroup_size(SIZE)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let turn = turn_of(workgroup.x, count.x, local);
    if dives(turn) {
        dive(turn, local);
    }
}

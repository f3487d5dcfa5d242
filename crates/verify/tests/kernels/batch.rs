//! All interleavings of a batch of levels of the breadth-first search: workgroups go on from what
//! they find without waiting for each other, and the distances are exact nevertheless.

use gpu::kernels::bfs::{
    CONTROL_ADDED, CONTROL_EDGES, CONTROL_LEVEL, CONTROL_LOWERED, CONTROL_ROWS_BEFORE, CONTROL_SPAN,
};
use verify::Program;
use verify::run::{Code, Dispatch, Ending, compile};

/// Before the words of a record are the workgroups and the number of the iteration.
const HEAD: usize = 4;
const RECORD: usize = 32;
const UNREACHED: u32 = u32::MAX;

/// Buffers, in the order in which the kernel declares them.
const LOOP_NEXT: usize = 1;
const DISTANCES: usize = 5;
const QUEUE: usize = 6;

/// The kernel with workgroups of one invocation, each of which takes one row.
fn code() -> Code {
    let mut all = gpu::kernels::ALL.iter();
    let kernel = all.find(|kernel| kernel.name == "bfs/level");
    let values = [("SIZE", 1), ("BATCH_SHARE", 1), ("BATCH_ROWS", 1)];
    let program = Program::with_values(kernel.expect("it is there"), &[], &values);
    compile(&program.expect("it is valid")).expect("it is supported")
}

/// 0 and 1 are sources. 0 leads to 3 by way of 2, and 1 leads there at once; 3 leads to 4, and 4 to
/// itself. So 3 is at distance 1, and a workgroup that comes from 0 claims it for distance 2 if it
/// comes first.
const OFFSETS: [u32; 6] = [0, 1, 2, 3, 4, 5];
const TARGETS: [u32; 5] = [2, 3, 3, 4, 4];
/// The rows of 3 and of 4.
const DETOUR: [u32; 2] = [3, 4];
const LAST: [u32; 2] = [4, 5];

/// A batch of two levels from states 0 and 1, by two workgroups.
fn batch(code: &Code) -> Dispatch<'_> {
    let mut now = vec![0; RECORD];
    now[..3].copy_from_slice(&[2, 1, 1]);
    let words = [
        (CONTROL_ADDED, 2),
        (CONTROL_EDGES, 2),
        (CONTROL_LEVEL, 0),
        (CONTROL_SPAN, 1),
        (CONTROL_ROWS_BEFORE, 2),
    ];
    for (word, value) in words {
        now[HEAD + word as usize] = value;
    }
    // States, edges, workgroups, levels, the edges of a dense frontier, the workgroups of dense
    // iterations, the longest batch, and the most early rows.
    let params = vec![5, 5, 2, 9, 99, 0, 2, 4];
    let mut queue = vec![0; 16];
    queue[..4].copy_from_slice(&[0, 1, 1, 2]);
    let mut distances = vec![UNREACHED; 5];
    distances[..2].fill(0);
    Dispatch::new(code, [2, 1, 1])
        .bind(0, 0, OFFSETS.to_vec())
        .bind(0, 1, TARGETS.to_vec())
        .bind(0, 2, distances)
        .bind(0, 3, queue)
        .bind(0, 4, params)
        .bind(0, 5, vec![0; 8])
        .bind(1, 0, now)
        .bind(1, 1, vec![0; RECORD])
}

/// What the record for the next iteration says.
fn said(ending: &Ending, word: u32) -> u32 {
    ending.buffers[LOOP_NEXT][HEAD + word as usize]
}

#[test]
fn a_batch_is_exact_in_every_order() {
    let code = code();
    let found = batch(&code).explore(200_000);
    assert!(found.is_complete && found.findings.is_empty(), "{found:#?}");
    for ending in &found.endings {
        assert_eq!(ending.buffers[DISTANCES], [0, 0, 1, 1, 2], "{ending:#?}");
        assert_eq!(said(ending, CONTROL_LEVEL), 2);
        // The next frontier is state 4, and 3 if it was first taken for a state at distance 2.
        let rows = said(ending, CONTROL_ADDED) as usize;
        let queue = ending.buffers[QUEUE][4..][..2 * rows].chunks(2);
        let mut queue: Vec<&[u32]> = queue.collect();
        queue.sort_unstable();
        let expected: &[[u32; 2]] = match said(ending, CONTROL_LOWERED) {
            0 => &[LAST],
            _ => &[DETOUR, LAST],
        };
        assert_eq!(queue, expected, "{ending:#?}");
    }
    let lowered = |ending: &Ending| said(ending, CONTROL_LOWERED) == 1;
    assert!(found.endings.iter().any(lowered));
    assert!(!found.endings.iter().all(lowered));
}

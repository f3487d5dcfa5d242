//! The end of dense iterations.
#import bfs/lib/control
#import bfs/lib/bits

/// Whether dense iterations end before this frontier: it is empty, or it has few edges, like some
/// before it or after a sparse iteration.
fn ends_dense(frontier: Frontier) -> bool {
    let levels = loop_now.words[CONTROL_SPARSE_LEVELS];
    return frontier.head == frontier.end || has_few_edges(frontier) && levels == SPARSE_LEVELS;
}

fn has_few_edges(frontier: Frontier) -> bool {
    return frontier.edges <= params.dense_edges / 2u;
}

//! Decides when dense iterations end, so that the host goes on with sparse ones.
#import bfs/lib/control
#import bfs/lib/bits

/// Returns whether dense iterations end before this frontier: it is empty, or it has few edges,
/// like some before it or after a sparse iteration, and does not grow fast.
fn ends_dense(frontier: Frontier) -> bool {
    let levels = loop_now.words[CONTROL_SPARSE_LEVELS];
    let is_sparse = has_few_edges(frontier) && levels == SPARSE_LEVELS;
    return frontier.head == frontier.end || is_sparse && !grows_fast(frontier);
}

/// Returns whether a frontier has more than half as many rows again as the one before. Then it will
/// soon be dense, and another loop of sparse iterations would take longer.
fn grows_fast(frontier: Frontier) -> bool {
    let before = loop_now.words[CONTROL_ROWS_BEFORE];
    return frontier.end - frontier.head > before + before / 2u;
}

fn has_few_edges(frontier: Frontier) -> bool {
    return frontier.edges <= params.dense_edges / 2u;
}

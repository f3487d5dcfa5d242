//! Finds cycles whose time is 0: their ratio is not defined.

use crate::arc::Arc;
use crate::region::Region;

/// In the marks: the state is on the current path, or is done.
const OPEN: u8 = 1;
const DONE: u8 = 2;

/// Returns the states of a cycle whose edges all have time 0, if there is one. This is a
/// depth-first search.
pub(crate) fn cycle<A: Arc>(region: &Region<'_, A>) -> Option<Vec<usize>> {
    if region.all().all(|arc| region.arc(arc).time() > 0) {
        return None;
    }
    let mut marks = vec![0u8; region.len()];
    // The states on the path, and the next edge of each.
    let mut path: Vec<(usize, usize)> = Vec::new();
    for start in 0..region.len() {
        if marks[start] > 0 {
            continue;
        }
        marks[start] = OPEN;
        path.push((start, region.row(start).start));
        while let Some((state, next)) = path.last_mut() {
            let row = region.row(*state);
            let timeless = (*next..row.end).find(|&arc| region.arc(arc).time() == 0);
            let Some(number) = timeless else {
                marks[*state] = DONE;
                path.pop();
                continue;
            };
            *next = number + 1;
            let target = region.arc(number).target();
            match marks[target] {
                OPEN => {
                    let on_path = path.iter().map(|&(state, _)| state);
                    return Some(on_path.skip_while(|&state| state != target).collect());
                }
                DONE => {}
                _ => {
                    marks[target] = OPEN;
                    path.push((target, region.row(target).start));
                }
            }
        }
    }
    None
}

//! Orders definitions such that each comes after those that it depends on.

use crate::ast::Ident;
use crate::error::{ErrorKind, Fault};

/// Sorts `0..count` so that each element comes after those that it depends on. If that is
/// impossible, the error is a cycle: each element depends on the next one, and the last on the
/// first.
pub(crate) fn order(
    count: usize,
    needs: impl Fn(usize) -> Vec<usize>,
) -> Result<Vec<usize>, Vec<usize>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; count];
    let mut ordered = Vec::with_capacity(count);
    // The elements that are being visited, each with its dependencies that have not been visited.
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    for start in 0..count {
        if marks[start] != Mark::New {
            continue;
        }
        marks[start] = Mark::Open;
        open.push((start, needs(start)));
        while let Some((item, unseen)) = open.last_mut() {
            let item = *item;
            match unseen.pop() {
                None => {
                    marks[item] = Mark::Done;
                    ordered.push(item);
                    open.pop();
                }
                Some(needed) => match marks[needed] {
                    Mark::Done => {}
                    Mark::New => {
                        marks[needed] = Mark::Open;
                        open.push((needed, needs(needed)));
                    }
                    Mark::Open => {
                        let path = open.iter().map(|&(item, _)| item);
                        return Err(path.skip_while(|&item| item != needed).collect());
                    }
                },
            }
        }
    }
    Ok(ordered)
}

/// Returns the error for definitions that depend on each other.
pub(crate) fn cyclic<'m>(cycle: &[usize], name: impl Fn(usize) -> &'m Ident) -> Box<Fault> {
    let ring = cycle.iter().chain(cycle.first());
    let kind = ErrorKind::Cycle {
        path: ring.map(|&item| name(item).value.clone()).collect(),
    };
    Fault::new(name(cycle[0]).span, kind)
}

#[cfg(test)]
mod tests {
    use super::order;

    #[test]
    fn what_is_needed_comes_first() {
        let needs = [vec![1, 2], vec![2], vec![], vec![0]];
        assert_eq!(order(4, |i| needs[i].clone()), Ok(vec![2, 1, 0, 3]));
    }

    #[test]
    fn a_cycle_is_named() {
        let needs = [vec![1], vec![2], vec![3], vec![1]];
        assert_eq!(order(4, |i| needs[i].clone()), Err(vec![1, 2, 3]));
    }
}

//! Decides whether no cycle has a value below a given fraction. This is a search for shortest paths
//! by the scanning method (Algorithm 1 of Barnat, Bauch, Brim and Češka, 2011), pass by pass.

use crate::Error;
use crate::arc::Arc;
use crate::policy::Cycle;
use crate::region::Region;
use crate::search::Ticker;

/// The result of a search for shortest paths.
pub(crate) enum Verdict {
    /// No cycle has a value below the fraction. The distances are those from an additional state
    /// that has an edge of length 0 to each state.
    Feasible(Vec<i128>),
    /// A cycle with a value below the fraction, and its edges in order.
    Negative(Cycle, Vec<u32>),
}

/// Stands for the last edge of a path without edges.
const NONE: u32 = u32::MAX;

/// A search for shortest paths.
struct Paths<'a, A> {
    region: Region<'a, A>,
    distances: Vec<i128>,
    /// For each state, the number of the last edge of its path, and the source of this edge.
    arcs: Vec<u32>,
    sources: Vec<u32>,
    marks: Vec<u32>,
}

/// Decides whether no cycle has a value below p/q.
pub(crate) fn feasible<A: Arc>(
    region: &Region<'_, A>,
    p: i128,
    q: i128,
    ticker: &Ticker<'_>,
) -> Result<Verdict, Error> {
    let states = region.len();
    let mut paths = Paths {
        region: *region,
        distances: vec![0; states],
        arcs: vec![NONE; states],
        sources: vec![NONE; states],
        marks: vec![0; states],
    };
    let mut found: Vec<u32> = (0..states as u32).collect();
    let mut is_found = vec![true; states];
    let mut scanned = 0;
    while !found.is_empty() {
        ticker.check()?;
        let mut next = Vec::new();
        for state in found {
            is_found[state as usize] = false;
            scanned += region.arcs(state as usize).len();
            for number in region.row(state as usize) {
                let arc = region.arc(number);
                let length = q * i128::from(arc.weight()) - p * i128::from(arc.time());
                let distance = paths.distances[state as usize] + length;
                let target = arc.target();
                if distance < paths.distances[target] {
                    paths.distances[target] = distance;
                    paths.arcs[target] = number as u32;
                    paths.sources[target] = state;
                    if !std::mem::replace(&mut is_found[target], true) {
                        next.push(target as u32);
                    }
                }
            }
        }
        found = next;
        // The tree is examined each time that the search has scanned as many edges as there are
        // states.
        if scanned >= states {
            scanned = 0;
            if let Some((cycle, arcs)) = paths.cycle() {
                return Ok(Verdict::Negative(cycle, arcs));
            }
        }
    }
    Ok(Verdict::Feasible(paths.distances))
}

impl<A: Arc> Paths<'_, A> {
    /// Returns a cycle among the last edges of the paths, if there is one. Its length is below 0.
    fn cycle(&mut self) -> Option<(Cycle, Vec<u32>)> {
        self.marks.fill(0);
        for start in 0..self.region.len() {
            let walk = start as u32 + 1;
            let mut state = start;
            while self.marks[state] == 0 && self.sources[state] != NONE {
                self.marks[state] = walk;
                state = self.sources[state] as usize;
            }
            if self.marks[state] == walk && self.sources[state] != NONE {
                return Some(self.measure(state));
            }
            self.marks[state] = walk;
        }
        None
    }

    /// Returns the cycle through `start`, and its edges.
    fn measure(&self, start: usize) -> (Cycle, Vec<u32>) {
        let mut cycle = Cycle {
            root: start,
            weight: 0,
            time: 0,
        };
        let mut arcs = Vec::new();
        let mut state = start;
        loop {
            let arc = self.region.arc(self.arcs[state] as usize);
            cycle.weight += arc.weight();
            cycle.time += arc.time();
            arcs.push(self.arcs[state]);
            state = self.sources[state] as usize;
            if state == start {
                // The edges were followed backwards.
                arcs.reverse();
                return (cycle, arcs);
            }
        }
    }
}

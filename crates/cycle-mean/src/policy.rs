//! The policy graph: one edge for each state of a component. Finds its best cycle, and leads all
//! states to this cycle.

use crate::arc::Arc;
use crate::region::{Region, Transposed};
use crate::search::Ticker;
use crate::{Error, Ratio};
use mdp_graph::OutOfMemory;
use rayon::prelude::*;
use std::ops::Range;

/// The minimum number of states that a thread handles at a time.
const BLOCK: usize = 1 << 12;

/// In [`Policy::marks`]: the state leads to the best cycle, and its value is known.
const KNOWN: u32 = u32::MAX;

/// In [`Policy::marks`], while states are led to the best cycle: the state is in the next level.
const QUEUED: u32 = u32::MAX - 1;

/// A choice of one edge for each state.
pub(crate) struct Policy<A> {
    /// The number of the edge.
    arcs: Vec<u32>,
    /// The edge itself. It is next to that of the state, for code that follows the policy.
    chosen: Vec<A>,
    /// The weight of the path to the root of the best cycle, where each edge has the weight q
    /// weight - p time, and p/q is the value of that cycle.
    pub(crate) values: Vec<i64>,
    /// The walk that visited the state, counted from 1; 0 if none did; or [`KNOWN`].
    marks: Vec<u32>,
    /// The walk whose cycle each walk reached.
    ends: Vec<u32>,
    /// All states, in the order in which walks visited them.
    visited: Vec<u32>,
    /// The start of each walk in `visited`, and the end of the last one.
    starts: Vec<u32>,
}

/// A cycle of the policy graph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cycle {
    /// Its smallest state.
    pub(crate) root: usize,
    pub(crate) weight: i64,
    pub(crate) time: i64,
}

impl Cycle {
    /// Returns whether its value is less than that of another cycle.
    pub(crate) fn is_better_than(&self, other: &Self) -> bool {
        let product = |a: i64, b: i64| i128::from(a) * i128::from(b);
        product(self.weight, other.time) < product(other.weight, self.time)
    }

    /// Returns whether it is preferred to another cycle. Of several cycles with the least value,
    /// the one with the smallest state is preferred.
    fn is_preferred_to(&self, other: &Self) -> bool {
        let is_first = self.root < other.root;
        self.is_better_than(other) || is_first && !other.is_better_than(self)
    }

    /// Returns the cycle through `start`, if the states choose these edges.
    pub(crate) fn through<A: Arc>(start: usize, chosen: impl Fn(usize) -> A) -> Self {
        let mut cycle = Self {
            root: start,
            weight: 0,
            time: 0,
        };
        let mut state = start;
        loop {
            let arc = chosen(state);
            cycle.weight += arc.weight();
            cycle.time += arc.time();
            cycle.root = cycle.root.min(state);
            state = arc.target();
            if state == start {
                return cycle;
            }
        }
    }

    /// Returns the value of the cycle in lowest terms, p and q.
    pub(crate) fn lowest(&self) -> (i64, i64) {
        let value = Ratio::new(self.weight.into(), self.time as u64);
        (value.numerator() as i64, value.denominator() as i64)
    }
}

impl<A: Arc> Policy<A> {
    /// Chooses the edge with the least weight for each state. If there are several, chooses the
    /// first.
    pub(crate) fn cheapest(region: &Region<'_, A>) -> Self {
        let cheapest = |state| {
            let least = region
                .row(state)
                .min_by_key(|&arc| region.arc(arc).weight());
            least.unwrap_or_default() as u32
        };
        let states = (0..region.len()).into_par_iter().with_min_len(BLOCK);
        Self::of(region, states.map(cheapest).collect())
    }

    /// Makes the policy that chooses these edges, one for each state.
    pub(crate) fn of(region: &Region<'_, A>, arcs: Vec<u32>) -> Self {
        let each = arcs.par_iter().with_min_len(BLOCK);
        Self {
            chosen: each.map(|&arc| region.arc(arc as usize)).collect(),
            values: vec![0; arcs.len()],
            marks: vec![0; arcs.len()],
            ends: Vec::new(),
            visited: Vec::with_capacity(arcs.len()),
            starts: Vec::new(),
            arcs,
        }
    }

    /// Returns the edges of the cycle through `root`, beginning there.
    pub(crate) fn cycle(&self, region: &Region<'_, A>, root: usize) -> Vec<u32> {
        cycle(region, &self.arcs, root)
    }

    /// Returns the cycle with the least value, and whether it is the only cycle. Of several cycles
    /// with this value, it is the one with the smallest state. Marks the states by the walks to
    /// their cycles.
    pub(crate) fn best_cycle(&mut self, ticker: &Ticker<'_>) -> Result<Best, Error> {
        self.marks.fill(0);
        self.ends.clear();
        self.visited.clear();
        self.starts.clear();
        let mut best: Option<Best> = None;
        for start in 0..self.arcs.len() {
            if self.marks[start] > 0 {
                continue;
            }
            let walk = self.ends.len() as u32 + 1;
            self.starts.push(self.visited.len() as u32);
            let mut state = start;
            while self.marks[state] == 0 {
                self.marks[state] = walk;
                self.visited.push(state as u32);
                state = self.chosen[state].target();
            }
            if self.marks[state] < walk {
                self.ends.push(self.ends[self.marks[state] as usize - 1]);
                continue;
            }
            ticker.check()?;
            self.ends.push(walk);
            let cycle = Cycle::through(state, |state| self.chosen[state]);
            let is_only = best.is_none();
            match &mut best {
                Some(best) if !cycle.is_preferred_to(&best.cycle) => best.is_only = false,
                _ => {
                    best = Some(Best {
                        cycle,
                        end: walk,
                        is_only,
                    });
                }
            }
        }
        self.starts.push(self.visited.len() as u32);
        // Every walk ends in a cycle, and a component has a state.
        best.ok_or(Error::Cancelled)
    }

    /// Computes the values of the states that lead to the best cycle, and leads all others there,
    /// along the edges that are cheapest when they are reached.
    pub(crate) fn evaluate(
        &mut self,
        region: &Region<'_, A>,
        best: Best,
        transposed: &mut Option<Transposed<u32>>,
    ) -> Result<Scale, OutOfMemory> {
        let (p, q) = best.cycle.lowest();
        let scale = Scale { p, q };
        for walk in best.end as usize..=self.ends.len() {
            if self.ends[walk - 1] == best.end {
                let states = self.starts[walk - 1] as usize..self.starts[walk] as usize;
                match walk == best.end as usize {
                    true => self.value_walk_around(scale, best.cycle.root, states),
                    false => self.value_walk(scale, states),
                }
            }
        }
        if !best.is_only {
            let edges = match transposed.take() {
                Some(edges) => edges,
                None => region.transposed(|source, _| source)?,
            };
            self.connect(region, scale, &edges);
            *transposed = Some(edges);
        }
        Ok(scale)
    }

    /// Computes the values on a walk, or a part of one, that leads to a state whose value is known.
    fn value_walk(&mut self, scale: Scale, walk: Range<usize>) {
        for &state in self.visited[walk].iter().rev() {
            let arc = self.chosen[state as usize];
            self.values[state as usize] = scale.of(arc) + self.values[arc.target()];
            self.marks[state as usize] = KNOWN;
        }
    }

    /// Computes the values on the walk that ends in the best cycle, by going around it.
    fn value_walk_around(&mut self, scale: Scale, root: usize, walk: Range<usize>) {
        let place = |state: usize| {
            let states = &self.visited[walk.clone()];
            let place = states.iter().position(|&visited| visited as usize == state);
            walk.start + place.unwrap_or_default()
        };
        let last = self.visited[walk.end - 1] as usize;
        let (entry, root_place) = (place(self.chosen[last].target()), place(root));
        self.values[root] = 0;
        self.marks[root] = KNOWN;
        self.value_walk(scale, entry..root_place);
        self.value_walk(scale, root_place + 1..walk.end);
        self.value_walk(scale, walk.start..entry);
    }

    /// Leads all states whose values are not known to states whose values are known, in a
    /// breadth-first search, level by level.
    fn connect(&mut self, region: &Region<'_, A>, scale: Scale, transposed: &Transposed<u32>) {
        let is_known = |policy: &Self, target: usize| policy.marks[target] == KNOWN;
        let mut level: Vec<u32> = Vec::new();
        for state in 0..region.len() {
            let touches = !is_known(self, state)
                && region
                    .arcs(state)
                    .iter()
                    .any(|arc| is_known(self, arc.target()));
            if touches {
                level.push(state as u32);
            }
        }
        while !level.is_empty() {
            // The choice of a state does not depend on the other states of its level.
            for &state in &level {
                self.choose_known(region, scale, state as usize);
            }
            for &state in &level {
                self.marks[state as usize] = KNOWN;
            }
            let mut next = Vec::new();
            for &state in &level {
                for &source in transposed.row(state as usize) {
                    let mark = &mut self.marks[source as usize];
                    if *mark != KNOWN && *mark != QUEUED {
                        *mark = QUEUED;
                        next.push(source);
                    }
                }
            }
            level = next;
        }
    }

    /// Chooses for a state the cheapest of its edges to states whose values are known.
    fn choose_known(&mut self, region: &Region<'_, A>, scale: Scale, state: usize) {
        let known = region.row(state).filter_map(|number| {
            let arc = region.arc(number);
            let is_known = self.marks[arc.target()] == KNOWN;
            is_known.then(|| (scale.of(arc) + self.values[arc.target()], number))
        });
        if let Some((value, number)) = known.min() {
            self.values[state] = value;
            self.arcs[state] = number as u32;
            self.chosen[state] = region.arc(number);
        }
    }

    /// Chooses the edge with the least value for each state. Keeps the present edge if no other is
    /// better. Returns the number of states that have changed their edges.
    pub(crate) fn improve(&mut self, region: &Region<'_, A>, scale: Scale) -> usize {
        let values = &self.values;
        let improve = |(state, (choice, chosen)): (usize, (&mut u32, &mut A))| {
            let mut least = values[state];
            let mut improved = false;
            for (number, &arc) in region.row(state).zip(region.arcs(state)) {
                let value = scale.of(arc) + values[arc.target()];
                if value < least {
                    least = value;
                    (*choice, *chosen) = (number as u32, arc);
                    improved = true;
                }
            }
            usize::from(improved)
        };
        let both = self.arcs.par_iter_mut().zip(&mut self.chosen);
        both.with_min_len(BLOCK).enumerate().map(improve).sum()
    }
}

/// Returns the edges of the cycle through `root`, beginning there, if the states choose these
/// edges.
pub(crate) fn cycle<A: Arc>(region: &Region<'_, A>, choices: &[u32], root: usize) -> Vec<u32> {
    let mut arcs = Vec::new();
    let mut state = root;
    loop {
        arcs.push(choices[state]);
        state = region.arc(choices[state] as usize).target();
        if state == root {
            return arcs;
        }
    }
}

/// The best cycle of a policy graph.
#[derive(Clone, Copy)]
pub(crate) struct Best {
    pub(crate) cycle: Cycle,
    /// The walk that found the cycle.
    end: u32,
    /// Whether there is no other cycle.
    is_only: bool,
}

/// The value p/q of a cycle, by which edges are scaled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    pub(crate) p: i64,
    pub(crate) q: i64,
}

impl Scale {
    /// Returns q weight - p time of an edge.
    #[inline]
    pub(crate) fn of<A: Arc>(self, arc: A) -> i64 {
        self.q * arc.weight() - self.p * arc.time()
    }
}

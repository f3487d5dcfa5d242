//! Bounds on the values of a strongly connected component of the quotient, from values v that are
//! about right.
//!
//! Let T be one step of value iteration, where what lies outside the component has the middle of
//! its bounds, and let H be the greatest distance from such a middle to its bounds. Let w(s) be at
//! least the longest expected time until the component is left from s:
//!
//! ```text
//! w(s) >= 1 + the sum of p w(t) over the branches to states t of the component, for each choice
//! ```
//!
//! If (T v)(s) - v(s) is at most r in each state, the values are at most v + H + r w: that vector
//! does not increase in a step, as T (v + H + r w) <= T v + H + r (w - 1) <= v + H + r w, and the
//! quotient has no end component, so that what does not increase lies above the values. Bounds from
//! below are found likewise. So v and w may come from anywhere: they are found by sweeps with
//! ordinary rounding, accelerated where that takes long, and only T v - v and w are checked with
//! directed rounding.

use crate::anderson::{self, Acceleration};
use crate::bounds::{Bounds, add_down, add_up};
use crate::control::Control;
use crate::error::Error;
use crate::nodes::Nodes;
use mdp_graph::StateId;
use rayon::prelude::*;

/// In `places`: not in the component.
const OUTSIDE: u32 = u32::MAX;

/// So many states are swept over one after the other; blocks of states side by side.
const BLOCK: usize = 1 << 12;
/// Sweeps between two looks at how far they have come.
const PERIOD: u64 = 16;
/// Sweeps change less and less, and by so much less than what they are to come to they end.
const MARGIN: f64 = 0.25;
/// Sweeps may change the last digits of values again and again: this part of them.
const LAST_DIGITS: f64 = 4.0 * f64::EPSILON;

/// A component, with what one sweep after the other needs.
pub(crate) struct Part<'a> {
    nodes: &'a Nodes,
    members: &'a [StateId],
    /// Where the choices of each state begin, and where the last ones end.
    states: Vec<u32>,
    /// Where the branches of each choice begin that stay in the component, and where the last ones
    /// end.
    choices: Vec<u32>,
    /// Where these lead, counted within the component, and how often.
    branches: Vec<(u32, f64)>,
    /// What is expected of the other branches of each choice.
    outside: Vec<f64>,
    /// What each state may stay for: the middle.
    gains: Vec<f64>,
    /// The greatest distance of a middle to its bounds.
    half_width: f64,
}

/// What sweeps are to find.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sought {
    Values,
    /// The longest expected times until the component is left.
    Times,
}

/// How many sweeps may still be made, and who may stop them.
pub(crate) struct Effort<'e> {
    pub(crate) sweeps: u64,
    pub(crate) control: &'e Control<'e>,
}

/// Arrays with an entry for each node, for one component after another.
pub(crate) struct Scratch {
    /// Where the nodes of the present component are in it; otherwise `OUTSIDE`.
    places: Vec<u32>,
    /// The values of these nodes, and the middles of others that the component leads to.
    middles: Vec<Bounds>,
    /// 0 between two searches.
    times: Vec<Bounds>,
}

impl Scratch {
    pub(crate) fn new(nodes: usize) -> Self {
        Self {
            places: vec![OUTSIDE; nodes],
            middles: vec![Bounds::default(); nodes],
            times: vec![Bounds::default(); nodes],
        }
    }
}

impl<'a> Part<'a> {
    /// A component, by its states; `values` are those of all nodes.
    pub(crate) fn new(
        nodes: &'a Nodes,
        members: &'a [StateId],
        values: &[Bounds],
        scratch: &mut Scratch,
    ) -> Self {
        for (place, node) in (0..).zip(members) {
            scratch.places[node.index()] = place;
        }
        let mut part = Self {
            nodes,
            members,
            states: vec![0],
            choices: vec![0],
            branches: Vec::new(),
            outside: Vec::new(),
            gains: Vec::with_capacity(members.len()),
            half_width: 0.0,
        };
        for &node in members {
            let gain = nodes.gain(node);
            let gain = gain.map(|gain| part.middle(gain));
            part.gains.push(gain.unwrap_or(f64::NEG_INFINITY));
            for choice in nodes.graph().choices(node) {
                let (scale, branches) = nodes.branches(choice);
                let mut outside = 0.0;
                for (target, p) in branches {
                    match scratch.places[target.index()] {
                        OUTSIDE => {
                            let middle = part.middle(values[target.index()]);
                            scratch.middles[target.index()] = Bounds::exactly(middle);
                            outside += p * scale * middle;
                        }
                        place => part.branches.push((place, p * scale)),
                    }
                }
                part.choices.push(part.branches.len() as u32);
                part.outside.push(outside);
            }
            part.states.push(part.outside.len() as u32);
        }
        for node in members {
            scratch.places[node.index()] = OUTSIDE;
        }
        part
    }

    /// The middle of some bounds, from which they are no further than `half_width`.
    fn middle(&mut self, bounds: Bounds) -> f64 {
        let middle = bounds.middle().max(0.0);
        let distance = add_up(bounds.upper, -middle).max(add_up(middle, -bounds.lower));
        self.half_width = self.half_width.max(distance);
        middle
    }

    /// Bounds on the values, no further apart than `width` and what those outside make necessary;
    /// `None` if that is not reached. `guess` is where sweeps begin.
    pub(crate) fn bounds(
        &self,
        guess: Vec<f64>,
        width: f64,
        scratch: &mut Scratch,
        effort: &mut Effort<'_>,
    ) -> Result<Option<Vec<Bounds>>, Error> {
        let Some(times) = self.times(scratch, effort)? else {
            return Ok(None);
        };
        let longest = times.iter().copied().fold(1.0, f64::max);
        let greatest = guess.iter().copied().fold(0.0, f64::max);
        let limit = add_up(2.0 * self.half_width, width);
        let mut wanted = width / 2.0 / longest;
        let mut values = guess;
        while wanted > LAST_DIGITS * greatest {
            let change = (wanted * MARGIN).max(LAST_DIGITS * greatest);
            let swept = self.swept(Sought::Values, values, change, effort)?;
            let Some(swept) = swept else {
                return Ok(None);
            };
            let bounds = self.checked(&swept, &times, &mut scratch.middles);
            if bounds.iter().all(|bounds| bounds.width() <= limit) {
                return Ok(Some(bounds));
            }
            values = swept;
            wanted *= MARGIN;
        }
        Ok(None)
    }

    /// The bounds that follow from values, by the longest times.
    fn checked(&self, values: &[f64], times: &[f64], middles: &mut [Bounds]) -> Vec<Bounds> {
        // Rounding is only bounded for numbers that are not negative.
        for (&node, &value) in self.members.iter().zip(values) {
            middles[node.index()] = Bounds::exactly(value.max(0.0));
        }
        let middles = &*middles;
        let residual = |(&node, &gain): (&StateId, &f64)| {
            let stepped = self.nodes.best(node, Bounds::exactly(gain), middles);
            stepped.minus(middles[node.index()])
        };
        let both = self.members.par_iter().zip(&self.gains).map(residual);
        let worst = both.reduce(Bounds::default, |a, b| Bounds {
            lower: a.lower.min(b.lower),
            upper: a.upper.max(b.upper),
        });
        let around = |(&node, &time): (&StateId, &f64)| {
            let value = middles[node.index()].lower;
            let away = |residual: f64| {
                let by_time = (residual * time).next_up();
                add_up(self.half_width, if residual > 0.0 { by_time } else { 0.0 })
            };
            Bounds {
                lower: add_down(value, -away(-worst.lower)).max(0.0),
                upper: add_up(value, away(worst.upper)),
            }
        };
        self.members.par_iter().zip(times).map(around).collect()
    }

    /// At least the longest expected times until the component is left.
    fn times(
        &self,
        scratch: &mut Scratch,
        effort: &mut Effort<'_>,
    ) -> Result<Option<Vec<f64>>, Error> {
        const ENOUGH: f64 = 0.5;
        let ones = vec![1.0; self.members.len()];
        let Some(mut times) = self.swept(Sought::Times, ones, ENOUGH * MARGIN, effort)? else {
            return Ok(None);
        };
        for (&node, time) in self.members.iter().zip(&mut times) {
            *time = time.max(1.0);
            scratch.times[node.index()] = Bounds::exactly(*time);
        }
        let beyond = |(&node, &time): (&StateId, &f64)| {
            let behind = self.nodes.best(node, Bounds::default(), &scratch.times);
            add_up(add_up(behind.upper, 1.0), -time)
        };
        let all = self.members.par_iter().zip(&times).map(beyond);
        let beyond = all.reduce(|| 0.0, f64::max);
        for node in self.members {
            scratch.times[node.index()] = Bounds::default();
        }
        // If 1 + the sum of p w(t) is at most w(s) + beyond, w / (1 - beyond) is great enough.
        let factor = (1.0 / (1.0 - beyond).next_down()).next_up();
        times
            .iter_mut()
            .for_each(|time| *time = (*time * factor).next_up());
        Ok((beyond <= ENOUGH).then_some(times))
    }

    /// Sweeps until that changes no value by more than `change`; `None` if it never does.
    fn swept(
        &self,
        sought: Sought,
        mut values: Vec<f64>,
        change: f64,
        effort: &mut Effort<'_>,
    ) -> Result<Option<Vec<f64>>, Error> {
        let mut acceleration = Acceleration::of_values(values.len());
        let mut before = values.clone();
        for sweep in 1.. {
            if effort.sweeps == 0 {
                break;
            }
            effort.sweeps -= 1;
            std::mem::swap(&mut values, &mut before);
            self.sweep(sought, &before, &mut values);
            if sweep % PERIOD == 0 {
                effort.control.check()?;
                if anderson::furthest(&values, &before) <= change {
                    return Ok(Some(values));
                }
            }
            acceleration.advance(&mut values, &before);
        }
        Ok(None)
    }

    /// One sweep, in each block from the last state to the first.
    fn sweep(&self, sought: Sought, before: &[f64], values: &mut [f64]) {
        values.copy_from_slice(before);
        let blocks = values.par_chunks_mut(BLOCK).enumerate();
        blocks.for_each(|(block, values)| {
            let first = block * BLOCK;
            for place in (0..values.len()).rev() {
                let state = first + place;
                let choices = self.states[state] as usize..self.states[state + 1] as usize;
                let outcome = |choice: usize| {
                    let branches = self.choices[choice] as usize..self.choices[choice + 1] as usize;
                    let inside = self.branches[branches].iter().map(|&(target, p)| {
                        let target = target as usize;
                        let here = values.get(target.wrapping_sub(first));
                        p * here.copied().unwrap_or_else(|| before[target])
                    });
                    let inside: f64 = inside.sum();
                    inside
                        + if sought == Sought::Times {
                            1.0
                        } else {
                            self.outside[choice]
                        }
                };
                let stays = match sought {
                    Sought::Values => self.gains[state],
                    Sought::Times => 0.0,
                };
                values[place] = choices.map(outcome).fold(stays, f64::max);
            }
        });
    }
}

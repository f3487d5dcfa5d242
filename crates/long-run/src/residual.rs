//! Bounds on the values of a strongly connected component of the quotient, from values v that are
//! approximately right.
//!
//! Let T be one step of value iteration, in which each state outside the component has the middle
//! of its bounds as its value. Let H be the greatest distance from such a middle to its bounds. The
//! *Q-value* of a choice is what T computes for it from v. A choice of a state s is *near* if its
//! Q-value is v(s), or little less. Let w(s) be an upper bound on the longest expected time until
//! near choices leave the component from s:
//!
//! ```text
//! w(s) >= 1 + the sum of p w(t) over the branches to states t of the component, for near choices
//! ```
//!
//! Suppose that no choice has a Q-value above v(s) + r, and that no choice that is not near has one
//! above v(s) - r W, where W is the greatest w(t). Then the values are at most u = v + H + r w. For
//! from u, T computes at most v(s) + r + H + r (w(s) - 1) = u(s) for a near choice, and at most
//! v(s) - r W + H + r W <= u(s) for any other. So u increases in no state in a step. The quotient
//! has no end component, so such a vector is an upper bound on the values.
//!
//! If in each state some near choice has a Q-value of at least v(s) - r, or staying earns that
//! much, the values are at least v - H - r w, because the strategy that takes these choices earns
//! at least that much.
//!
//! So it does not matter how v and w are found. Sweeps with ordinary rounding find them; if that
//! takes long, the sweeps are accelerated, and policies are solved by elimination. Only the
//! Q-values and the inequality for w are checked with directed rounding.

mod policies;

use crate::anderson::{self, Acceleration};
use crate::bounds::{Bounds, add_down, add_up};
use crate::context::Context;
use crate::error::Error;
use crate::nodes::Nodes;
use crate::order::Order;
use crate::shared::SharedBounds;
use crate::visit::BusyComponents;
use mdp_graph::{ChoiceId, StateId};
use rayon::prelude::*;

/// The number of states that are swept one after another. Blocks of states are swept in parallel.
const BLOCK: usize = 1 << 12;
/// The number of sweeps between two checks of their progress.
const PERIOD: u64 = 16;
/// Sweeps end when they change values by less than this part of the required accuracy.
const MARGIN: f64 = 0.25;
/// Sweeps may change the last digits of values forever: this part of each value.
const LAST_DIGITS: f64 = 4.0 * f64::EPSILON;
/// If near choices take too long to leave the component, the limit for near choices is multiplied
/// by this.
const CLOSER: f64 = 1.0 / 16.0;
/// After this many sweeps, states are eliminated. This may look at as many branches as these sweeps
/// have looked at. If these are too few, it is tried again after four times as many sweeps.
const PATIENCE: u64 = 256;
/// The minimum number of sweeps that may be made to find the longest times for the first time.
const FIRST_TIMES: u64 = 1 << 9;

/// A component, with the data that sweeps need.
pub(crate) struct Part<'a> {
    nodes: &'a Nodes,
    order: &'a Order,
    members: &'a [StateId],
    /// The values of all nodes. Only those outside the component are read.
    known: &'a SharedBounds,
    /// The first choice of each state, and the end of the last one.
    states: Vec<u32>,
    /// For each choice, the first of its branches that stay in the component, and the end of the
    /// last one.
    choices: Vec<u32>,
    /// The target of each of these branches, counted within the component, and its probability.
    branches: Vec<(u32, f64)>,
    /// For each choice, the expected value of its other branches.
    outside: Vec<f64>,
    /// For each choice, the sum of the probabilities of these.
    exits: Vec<f64>,
    /// The gain for which each state may stay: the middle of its bounds.
    gains: Vec<f64>,
    /// The greatest distance between a middle and its bounds.
    half_width: f64,
}

/// The quantity that sweeps compute.
#[derive(Clone, Copy)]
enum Sought<'s> {
    Values,
    /// The longest expected times until near choices leave the component. The flags say which
    /// choices are near.
    Times(&'s [bool]),
}

/// The number of sweeps that may still be made, the observer, and the other components that are
/// being solved.
pub(crate) struct Effort<'e> {
    pub(crate) sweeps: u64,
    pub(crate) context: &'e Context<'e>,
    pub(crate) busy: &'e BusyComponents,
}

/// The Q-values of choices minus the values of their states, rounded away.
#[derive(Clone, Copy)]
struct Residual {
    /// The maximum over all choices, and the minimum over all states of the best near choice.
    most: f64,
    least: f64,
    /// The maximum over all choices that are not near.
    other: f64,
}

impl Residual {
    const NOTHING: Self = Self {
        most: f64::NEG_INFINITY,
        least: f64::INFINITY,
        other: f64::NEG_INFINITY,
    };

    fn join(self, other: Self) -> Self {
        Self {
            most: self.most.max(other.most),
            least: self.least.min(other.least),
            other: self.other.max(other.other),
        }
    }
}

impl<'a> Part<'a> {
    /// Makes a component from its states. `known` has the values of all nodes.
    pub(crate) fn new(
        nodes: &'a Nodes,
        order: &'a Order,
        members: &'a [StateId],
        known: &'a SharedBounds,
    ) -> Self {
        let mut part = Self {
            nodes,
            order,
            members,
            known,
            states: vec![0],
            choices: vec![0],
            branches: Vec::new(),
            outside: Vec::new(),
            exits: Vec::new(),
            gains: Vec::with_capacity(members.len()),
            half_width: 0.0,
        };
        for &node in members {
            let gain = nodes.gain(node);
            let gain = gain.map(|gain| part.noted_middle(gain));
            part.gains.push(gain.unwrap_or(f64::NEG_INFINITY));
            for choice in nodes.graph().choices(node) {
                let (scale, branches) = nodes.branches(choice);
                let (mut outside, mut exit) = (0.0, 0.0);
                for (target, p) in branches {
                    match order.place_beside(node, target) {
                        Some(place) => part.branches.push((place, p * scale)),
                        None => {
                            outside += p * scale * part.noted_middle(known.get(target));
                            exit += p * scale;
                        }
                    }
                }
                part.choices.push(part.branches.len() as u32);
                part.outside.push(outside);
                part.exits.push(exit);
            }
            part.states.push(part.outside.len() as u32);
        }
        part
    }

    /// Returns the middle of bounds, and extends `half_width` to their distance from it.
    fn noted_middle(&mut self, bounds: Bounds) -> f64 {
        let middle = middle(bounds);
        let distance = add_up(bounds.upper, -middle).max(add_up(middle, -bounds.lower));
        self.half_width = self.half_width.max(distance);
        middle
    }

    /// Computes bounds on the values, which are no further apart than `width` plus the distance
    /// that values outside make necessary. Returns `None` if this is not reached. Sweeps begin at
    /// `guess`.
    pub(crate) fn bounds(
        &self,
        guess: Vec<f64>,
        width: f64,
        effort: &mut Effort<'_>,
    ) -> Result<Option<Vec<Bounds>>, Error> {
        let greatest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        let limit = add_up(2.0 * self.half_width, width);
        let most = effort.sweeps;
        // Only the best choices are near at first.
        let (mut wanted, mut near, mut is_closer) = (width / 2.0, 0.0, false);
        let (mut values, mut times) = (guess, vec![1.0; self.members.len()]);
        while wanted > LAST_DIGITS * greatest(&values) {
            let change = (wanted * MARGIN).max(LAST_DIGITS * greatest(&values));
            if !self.settle(Sought::Values, &mut values, change, effort)? {
                return Ok(None);
            }
            // Rounding is only bounded for numbers that are not negative.
            values.iter_mut().for_each(|value| *value = value.max(0.0));
            let near_choices = self.near(&values, near);
            // Some of these choices may be slow only because the values are not right yet.
            let so_far = most - effort.sweeps;
            let found = self.find_times(&mut times, &near_choices, FIRST_TIMES + so_far, effort)?;
            wanted *= MARGIN;
            let Some(enough) = found else {
                near *= CLOSER;
                continue;
            };
            let residual = self.residual(&values, &near_choices, effort);
            let longest = greatest(&enough);
            let change = by_time(residual.most, longest);
            if residual.other > -change {
                // Choices that are as good as near ones, up to rounding, become near.
                let needed = MARGIN * -residual.other / longest;
                is_closer = !is_closer && needed > LAST_DIGITS * greatest(&values);
                match is_closer {
                    true => wanted = wanted.min(needed),
                    false => near = change / MARGIN,
                }
                continue;
            }
            let bounds = self.bounds_from(&values, &enough, residual);
            if bounds.iter().all(|bounds| bounds.width() <= limit) {
                return Ok(Some(bounds));
            }
            wanted = wanted.min(width / 2.0 / longest);
        }
        Ok(None)
    }

    /// Returns the choices of a state, by their numbers within the component and in the graph of
    /// the nodes.
    fn choices(&self, place: usize) -> impl Iterator<Item = (usize, ChoiceId)> {
        let own = self.states[place] as usize..self.states[place + 1] as usize;
        own.zip(self.nodes.graph().choices(self.members[place]))
    }

    /// Returns the branches of a choice that stay in the component.
    #[inline]
    fn branches(&self, choice: usize) -> &[(u32, f64)] {
        &self.branches[self.choices[choice] as usize..self.choices[choice + 1] as usize]
    }

    /// Returns the choices whose Q-values are at most `distance` below the best one of their state.
    fn near(&self, values: &[f64], distance: f64) -> Vec<bool> {
        let q_value = |choice: usize| {
            let inside = self.branches(choice).iter();
            let inside: f64 = inside.map(|&(to, p)| p * values[to as usize]).sum();
            inside + self.outside[choice]
        };
        let mut near = vec![true; self.outside.len()];
        for (ends, &gain) in self.states.windows(2).zip(&self.gains) {
            let own = ends[0] as usize..ends[1] as usize;
            let best = own.clone().map(q_value).fold(gain, f64::max);
            for choice in own {
                near[choice] = q_value(choice) >= best - distance;
            }
        }
        near
    }

    /// Computes the residual of values, which must not be negative.
    fn residual(&self, values: &[f64], near: &[bool], effort: &Effort<'_>) -> Residual {
        let of_state = |place: usize| {
            let node = self.members[place];
            let value_of = |target| match self.order.place_beside(node, target) {
                Some(place) => Bounds::exactly(values[place as usize]),
                None => Bounds::exactly(middle(self.known.get(target))),
            };
            let gain = self.gains[place];
            let mut all = Bounds::exactly(gain);
            let mut other = f64::NEG_INFINITY;
            for (number, choice) in self.choices(place) {
                let q_value = self.nodes.expected(choice, &value_of);
                all.upper = all.upper.max(q_value.upper);
                match near[number] {
                    true => all.lower = all.lower.max(q_value.lower),
                    false => other = other.max(q_value.upper),
                }
            }
            let value = values[place];
            Residual {
                most: add_up(all.upper, -value),
                least: add_down(all.lower, -value),
                other: add_up(other, -value),
            }
        };
        let least = effort.busy.grain(BLOCK);
        let places = (0..self.members.len()).into_par_iter().with_min_len(least);
        let each = places.map(of_state);
        each.reduce(|| Residual::NOTHING, Residual::join)
    }

    /// Returns the bounds that follow from values and the longest times.
    fn bounds_from(&self, values: &[f64], times: &[f64], residual: Residual) -> Vec<Bounds> {
        let bounds_of = |(&value, &time): (&f64, &f64)| {
            let away = |residual| add_up(self.half_width, by_time(residual, time));
            Bounds {
                lower: add_down(value, -away(-residual.least)).max(0.0),
                upper: add_up(value, away(residual.most)),
            }
        };
        values.iter().zip(times).map(bounds_of).collect()
    }

    /// Returns upper bounds on the longest expected times until near choices leave the component,
    /// or `None` if this many sweeps do not find them. `times` becomes the best guess.
    fn find_times(
        &self,
        times: &mut Vec<f64>,
        near: &[bool],
        most: u64,
        effort: &mut Effort<'_>,
    ) -> Result<Option<Vec<f64>>, Error> {
        const ENOUGH: f64 = 0.5;
        let mut part = Effort {
            sweeps: most.min(effort.sweeps),
            ..*effort
        };
        let before = part.sweeps;
        let is_found = self.settle(Sought::Times(near), times, ENOUGH * MARGIN, &mut part)?;
        effort.sweeps -= before - part.sweeps;
        if !is_found {
            return Ok(None);
        }
        times.iter_mut().for_each(|time| *time = time.max(1.0));
        let times = &*times;
        let beyond = |place: usize| {
            let node = self.members[place];
            let time_from = |target| match self.order.place_beside(node, target) {
                Some(place) => Bounds::exactly(times[place as usize]),
                None => Bounds::default(),
            };
            let near = self.choices(place).filter(|&(number, _)| near[number]);
            let behind = near.map(|(_, choice)| self.nodes.expected(choice, &time_from).upper);
            add_up(add_up(behind.fold(0.0, f64::max), 1.0), -times[place])
        };
        let least = effort.busy.grain(BLOCK);
        let all = (0..times.len()).into_par_iter().with_min_len(least);
        let beyond = all.map(beyond).reduce(|| 0.0, f64::max);
        // If 1 + the sum of p w(t) is at most w(s) + beyond, then w / (1 - beyond) satisfies the
        // inequality.
        let factor = (1.0 / (1.0 - beyond).next_down()).next_up();
        let enough = times.iter().map(|time| (time * factor).next_up());
        Ok((beyond <= ENOUGH).then(|| enough.collect()))
    }

    /// Sweeps until a sweep changes no value by more than `change`. Returns false if this does not
    /// happen.
    fn settle(
        &self,
        sought: Sought<'_>,
        values: &mut Vec<f64>,
        change: f64,
        effort: &mut Effort<'_>,
    ) -> Result<bool, Error> {
        let mut acceleration = Acceleration::of_values(values.len());
        let mut before = values.clone();
        let mut due = PATIENCE;
        for sweep in 1.. {
            if effort.sweeps == 0 {
                break;
            }
            effort.sweeps -= 1;
            std::mem::swap(values, &mut before);
            let grain = effort.busy.grain(BLOCK);
            self.sweep(sought, &before, values, grain);
            if sweep % PERIOD == 0 {
                effort.context.check()?;
                if anderson::furthest(values, &before, grain) <= change {
                    return Ok(true);
                }
            }
            if sweep == due {
                let mut room = self.room(sweep, effort.context);
                let is_solved = self.eliminate(sought, values, &mut room, effort.context)?;
                due = room.retry_after(sweep);
                if is_solved {
                    acceleration = Acceleration::of_values(values.len());
                    continue;
                }
            }
            acceleration.advance(values, &before, grain);
        }
        Ok(false)
    }

    /// Makes one sweep, in each block from the last state to the first.
    fn sweep(&self, sought: Sought<'_>, before: &[f64], values: &mut [f64], grain: usize) {
        values.copy_from_slice(before);
        let blocks = values.par_chunks_mut(BLOCK).enumerate();
        blocks
            .with_min_len(grain.div_ceil(BLOCK))
            .for_each(|(block, values)| {
                let first = block * BLOCK;
                for place in (0..values.len()).rev() {
                    let state = first + place;
                    let value = |to: usize| match values.get(to.wrapping_sub(first)) {
                        Some(&here) => here,
                        None => before[to],
                    };
                    values[place] = self.best(sought, state, value);
                }
            });
    }

    /// Returns the greatest Q-value of a choice of a state, or the longest time of a near choice.
    #[inline]
    fn best(&self, sought: Sought<'_>, state: usize, value: impl Fn(usize) -> f64) -> f64 {
        let own = self.states[state] as usize..self.states[state + 1] as usize;
        let inside = |choice: usize| -> f64 {
            let branches = self.branches(choice).iter();
            branches.map(|&(to, p)| p * value(to as usize)).sum()
        };
        match sought {
            Sought::Values => own
                .map(|choice| inside(choice) + self.outside[choice])
                .fold(self.gains[state], f64::max),
            Sought::Times(near) => own
                .filter(|&choice| near[choice])
                .map(|choice| inside(choice) + 1.0)
                .fold(1.0, f64::max),
        }
    }
}

/// Returns the product of a residual and a time, rounded up, or 0 if the residual is not above 0.
fn by_time(residual: f64, time: f64) -> f64 {
    match residual > 0.0 {
        true => (residual * time).next_up(),
        false => 0.0,
    }
}

/// Returns the middle of bounds, or 0 if it is negative.
fn middle(bounds: Bounds) -> f64 {
    bounds.middle().max(0.0)
}

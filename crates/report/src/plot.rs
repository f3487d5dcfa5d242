//! Plots as SVG: groups of bars, and points, on logarithmic scales, because times differ by orders
//! of magnitude.
//!
//! This module does not know the meaning of the data. A point that has no position on a logarithmic
//! scale is left out. If a bar is missing, the reason is written in its place.

mod names;
mod scale;
mod svg;

use names::Names;
use scale::Scale;
use std::io::{self, Write};
use svg::{Anchor, Stroke, Svg, colour};

/// The size of a plot. Values are drawn in a frame within it.
const SIZE: [f64; 2] = [760.0, 440.0];
const LEFT: f64 = 70.0;
const RIGHT: f64 = 560.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 340.0;

/// The radius of the circle of a point.
const RADIUS: f64 = 4.0;

/// If a name is further away from its point than this, a line connects them.
const FAR: f64 = 24.0;

/// The style of lines at powers of ten.
const GRID: Stroke = Stroke::plain("#ddd");
/// The style of lines for comparison.
const GUIDE: Stroke = Stroke {
    colour: "#888",
    dashed: true,
};

/// Groups of adjacent bars.
#[derive(Clone, Copy, Debug)]
pub struct Bars<'a> {
    /// The title above the plot.
    pub title: &'a str,
    /// What the bars measure.
    pub y: &'a str,
    /// The names of the bars of a group, in order.
    pub series: &'a [&'a str],
    /// The name of each group, and its bars.
    pub groups: &'a [(&'a str, Vec<Bar>)],
}

/// A bar of a group.
#[derive(Clone, Debug, PartialEq)]
pub enum Bar {
    /// Its height: a positive number.
    Height(f64),
    /// The reason why there is no bar, in few words.
    Missing(String),
}

/// Points with two coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Points<'a> {
    /// The title above the plot.
    pub title: &'a str,
    /// The name of the horizontal coordinate.
    pub x: &'a str,
    /// The name of the vertical coordinate.
    pub y: &'a str,
    /// The series of points, each in one colour.
    pub series: &'a [Series<'a>],
    /// Dashed lines `y = factor · x`, each with a name.
    pub guides: &'a [(f64, &'a str)],
}

/// A series of points.
#[derive(Clone, Copy, Debug)]
pub struct Series<'a> {
    /// The name of the series.
    pub name: &'a str,
    /// Whether a line connects consecutive points.
    pub joined: bool,
    /// For each point, a name, which may be empty, and the two coordinates.
    pub points: &'a [(&'a str, f64, f64)],
}

/// Draws bars.
///
/// # Errors
/// Errors of `out`.
pub fn write_bars(out: &mut dyn Write, bars: &Bars<'_>) -> io::Result<()> {
    let heights = bars.groups.iter().flat_map(|(_, bars)| bars);
    let heights = heights.filter_map(|bar| match bar {
        Bar::Height(height) => Some(*height),
        Bar::Missing(_) => None,
    });
    // The shortest bar must be visible, too.
    let heights = heights.flat_map(|height| [0.8 * height, height]);
    let scale = Scale::new(heights, [BOTTOM, TOP]);
    let mut svg = Svg::new(SIZE, bars.title);
    upward_axis(&mut svg, &scale, bars.y);
    let width = (RIGHT - LEFT) / bars.groups.len().max(1) as f64;
    let bar_width = 0.8 * width / bars.series.len().max(1) as f64;
    for (index, (name, group)) in bars.groups.iter().enumerate() {
        let left = LEFT + (index as f64 + 0.1) * width;
        group_of_bars(&mut svg, &scale, left, bar_width, group);
        svg.slanted_text([left + 0.4 * width, BOTTOM + 14.0], name);
    }
    legend(&mut svg, bars.series.iter().copied());
    svg.write(out)
}

/// Draws the bars of a group from `left` on. If adjacent bars are missing for the same reason, it
/// is written once.
fn group_of_bars(svg: &mut Svg, scale: &Scale, left: f64, width: f64, bars: &[Bar]) {
    let mut series = 0;
    for run in bars.chunk_by(|a, b| a == b && matches!(a, Bar::Missing(_))) {
        let x = left + series as f64 * width;
        match &run[0] {
            Bar::Height(height) => {
                if let Some(top) = scale.at(*height) {
                    svg.rectangle([x, top], [width, BOTTOM - top], colour(series));
                }
            }
            Bar::Missing(reason) => {
                let middle = x + width * run.len() as f64 / 2.0;
                svg.rising_text([middle + 4.0, BOTTOM - 6.0], reason);
            }
        }
        series += run.len();
    }
}

/// Draws points.
///
/// # Errors
/// Errors of `out`.
pub fn write_points(out: &mut dyn Write, plot: &Points<'_>) -> io::Result<()> {
    let all = || plot.series.iter().flat_map(|series| series.points);
    let across = Scale::new(all().map(|&(_, x, _)| x), [LEFT, RIGHT]);
    let up = Scale::new(all().map(|&(_, _, y)| y), [BOTTOM, TOP]);
    let mut svg = Svg::new(SIZE, plot.title);
    upward_axis(&mut svg, &up, plot.y);
    for (value, x) in across.decades() {
        svg.line([x, TOP], [x, BOTTOM], GRID);
        svg.text([x, BOTTOM + 18.0], Anchor::Middle, &scale::name(value));
    }
    svg.text(
        [(LEFT + RIGHT) / 2.0, BOTTOM + 40.0],
        Anchor::Middle,
        plot.x,
    );
    let mut names = Names::new([LEFT, TOP, RIGHT, BOTTOM]);
    for &(factor, name) in plot.guides {
        if let Some(place) = guide(&mut svg, &across, &up, factor) {
            svg.text(place, Anchor::End, name);
            names.avoid_text(place, Anchor::End, name);
        }
    }
    let mut named = Vec::new();
    for (index, series) in plot.series.iter().enumerate() {
        let places = series.points.iter().filter_map(|&(name, x, y)| {
            let (x, y) = (across.at(x)?, up.at(y)?);
            Some((name, [x, y]))
        });
        let places: Vec<(&str, [f64; 2])> = places.collect();
        if series.joined {
            for pair in places.windows(2) {
                svg.line(pair[0].1, pair[1].1, Stroke::plain(colour(index)));
            }
        }
        for &(_, place) in &places {
            svg.circle(place, RADIUS, colour(index));
            names.avoid_circle(place, RADIUS);
        }
        named.extend(places.into_iter().filter(|(name, _)| !name.is_empty()));
    }
    // A name must not cover a circle, so all circles come first.
    for (name, point) in named {
        let (place, anchor) = names.place(point, name);
        if (place[1] - point[1]).abs() > FAR {
            svg.line(point, place, GRID);
        }
        svg.text(place, anchor, name);
    }
    legend(&mut svg, plot.series.iter().map(|series| series.name));
    svg.write(out)
}

/// Draws the vertical axis, with its powers of ten and its name.
fn upward_axis(svg: &mut Svg, scale: &Scale, name: &str) {
    for (value, y) in scale.decades() {
        svg.line([LEFT, y], [RIGHT, y], GRID);
        svg.text([LEFT - 8.0, y + 4.0], Anchor::End, &scale::name(value));
    }
    svg.text([LEFT - 8.0, TOP - 14.0], Anchor::End, name);
}

/// Draws the part of a line `y = factor · x` that is in the frame. On two logarithmic scales, it is
/// straight. Returns the position at which its name ends, if any part of it is visible.
fn guide(svg: &mut Svg, across: &Scale, up: &Scale, factor: f64) -> Option<[f64; 2]> {
    let start = across.first().max(up.first() / factor);
    let end = across.last().min(up.last() / factor);
    let place = |x: f64| Some([across.at(x)?, up.at(factor * x)?]);
    if start >= end {
        return None;
    }
    let (from, to) = place(start).zip(place(end))?;
    svg.line(from, to, GUIDE);
    Some([to[0] - 4.0, to[1] + 12.0])
}

fn legend<'a>(svg: &mut Svg, names: impl Iterator<Item = &'a str>) {
    for (index, name) in names.enumerate() {
        let y = TOP + 20.0 * index as f64;
        svg.rectangle([RIGHT + 16.0, y], [12.0, 12.0], colour(index));
        svg.text([RIGHT + 34.0, y + 10.0], Anchor::Start, name);
    }
}

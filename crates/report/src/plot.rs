//! Plots as SVG: groups of bars, and points, on logarithmic scales, since times differ by decades.
//!
//! Knows nothing of what is plotted. What is not a positive number is left out.

mod scale;
mod svg;

use scale::Scale;
use std::io::{self, Write};
use svg::{Anchor, Stroke, Svg, colour};

/// The size of a plot, and of the frame that values are in.
const SIZE: [f64; 2] = [760.0, 440.0];
const LEFT: f64 = 70.0;
const RIGHT: f64 = 560.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 340.0;

/// Lines at decades.
const GRID: Stroke = Stroke::plain("#ddd");
/// Lines that points are to be compared with.
const GUIDE: Stroke = Stroke {
    colour: "#888",
    dashed: true,
};

/// Groups of bars side by side.
#[derive(Clone, Copy, Debug)]
pub struct Bars<'a> {
    /// What stands above it all.
    pub title: &'a str,
    /// What the bars measure.
    pub y: &'a str,
    /// The names of the bars of a group, in order.
    pub series: &'a [&'a str],
    /// The name of each group, and a value for each of its bars; one that is not known is no number.
    pub groups: &'a [(&'a str, Vec<f64>)],
}

/// Points by two numbers.
#[derive(Clone, Copy, Debug)]
pub struct Points<'a> {
    /// What stands above it all.
    pub title: &'a str,
    /// What the numbers measure, from left to right and upwards.
    pub x: &'a str,
    /// See `x`.
    pub y: &'a str,
    /// Points of one colour each.
    pub series: &'a [Series<'a>],
    /// Dashed lines `y = factor · x`, with a name each.
    pub guides: &'a [(f64, &'a str)],
}

/// Points that belong together.
#[derive(Clone, Copy, Debug)]
pub struct Series<'a> {
    /// What they are.
    pub name: &'a str,
    /// Whether a line goes from each to the next.
    pub joined: bool,
    /// A name, which may be empty, and the two numbers.
    pub points: &'a [(&'a str, f64, f64)],
}

/// Draws bars.
///
/// # Errors
/// Those of `out`.
pub fn write_bars(out: &mut dyn Write, bars: &Bars<'_>) -> io::Result<()> {
    let values = bars.groups.iter().flat_map(|(_, values)| values);
    // The shortest bar is to be seen too.
    let values = values.flat_map(|&value| [0.8 * value, value]);
    let scale = Scale::new(values, [BOTTOM, TOP]);
    let mut svg = Svg::new(SIZE, bars.title);
    upward_axis(&mut svg, &scale, bars.y);
    let width = (RIGHT - LEFT) / bars.groups.len().max(1) as f64;
    let bar = 0.8 * width / bars.series.len().max(1) as f64;
    for (group, (name, values)) in bars.groups.iter().enumerate() {
        let left = LEFT + (group as f64 + 0.1) * width;
        for (series, &value) in values.iter().enumerate() {
            if let Some(top) = scale.at(value) {
                let corner = [left + series as f64 * bar, top];
                svg.rectangle(corner, [bar, BOTTOM - top], colour(series));
            }
        }
        svg.slanted_text([left + 0.4 * width, BOTTOM + 14.0], name);
    }
    legend(&mut svg, bars.series.iter().copied());
    svg.write(out)
}

/// Draws points.
///
/// # Errors
/// Those of `out`.
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
    for &(factor, name) in plot.guides {
        guide(&mut svg, &across, &up, factor, name);
    }
    let mut names = Names::default();
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
        for (name, [x, y]) in places {
            svg.circle([x, y], 4.0, colour(index));
            svg.text(names.place([x + 6.0, y - 6.0], name), Anchor::Start, name);
        }
    }
    legend(&mut svg, plot.series.iter().map(|series| series.name));
    svg.write(out)
}

/// Where names stand, none on top of another.
#[derive(Default)]
struct Names(Vec<([f64; 2], f64)>);

impl Names {
    /// A place for a name that would stand at `[x, y]`, there or below.
    fn place(&mut self, [x, y]: [f64; 2], name: &str) -> [f64; 2] {
        const LINE: f64 = 13.0;
        let width = 7.0 * name.chars().count() as f64;
        let overlaps = |y: f64| {
            let mut taken = self.0.iter();
            taken.any(|([left, line], w)| {
                (line - y).abs() < LINE && x < left + w && *left < x + width
            })
        };
        let mut lines = (0..=2 * self.0.len()).map(|line| y + LINE * line as f64);
        let y = lines.find(|&y| !overlaps(y)).unwrap_or(y);
        if !name.is_empty() {
            self.0.push(([x, y], width));
        }
        [x, y]
    }
}

/// The decades from bottom to top, and what they measure.
fn upward_axis(svg: &mut Svg, scale: &Scale, name: &str) {
    for (value, y) in scale.decades() {
        svg.line([LEFT, y], [RIGHT, y], GRID);
        svg.text([LEFT - 8.0, y + 4.0], Anchor::End, &scale::name(value));
    }
    svg.text([LEFT - 8.0, TOP - 14.0], Anchor::End, name);
}

/// The part of a line `y = factor · x` that is in the frame; on two logarithmic scales it is straight.
fn guide(svg: &mut Svg, across: &Scale, up: &Scale, factor: f64, name: &str) {
    let start = across.first().max(up.first() / factor);
    let end = across.last().min(up.last() / factor);
    let place = |x: f64| Some([across.at(x)?, up.at(factor * x)?]);
    if start < end
        && let Some((from, to)) = place(start).zip(place(end))
    {
        svg.line(from, to, GUIDE);
        svg.text([to[0] - 4.0, to[1] + 12.0], Anchor::End, name);
    }
}

fn legend<'a>(svg: &mut Svg, names: impl Iterator<Item = &'a str>) {
    for (index, name) in names.enumerate() {
        let y = TOP + 20.0 * index as f64;
        svg.rectangle([RIGHT + 16.0, y], [12.0, 12.0], colour(index));
        svg.text([RIGHT + 34.0, y + 10.0], Anchor::Start, name);
    }
}

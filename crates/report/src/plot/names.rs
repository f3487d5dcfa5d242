//! Places the names of points next to their points, without overlaps.

use super::svg::Anchor;

/// The height of a line of text, and the part of it that is above the baseline.
const LINE: f64 = 13.0;
const ASCENT: f64 = 10.0;

/// The approximate width of a letter, rounded up.
const LETTER: f64 = 7.0;

/// The distance of a name from the centre of its point.
const GAP: f64 = 6.0;

/// The largest number of lines by which a name may be moved up or down.
const MAX_LINES: usize = 8;

/// A rectangle of the drawing: left, top, right, bottom.
type Area = [f64; 4];

/// The areas that are occupied, within a frame.
pub(super) struct Names {
    frame: Area,
    taken: Vec<Area>,
}

impl Names {
    pub(super) fn new(frame: Area) -> Self {
        let taken = Vec::new();
        Self { frame, taken }
    }

    /// Marks the area of a circle as occupied.
    pub(super) fn avoid_circle(&mut self, [x, y]: [f64; 2], radius: f64) {
        let area = [x - radius, y - radius, x + radius, y + radius];
        self.taken.push(area);
    }

    /// Marks the area of a text as occupied.
    pub(super) fn avoid_text(&mut self, place: [f64; 2], anchor: Anchor, text: &str) {
        self.taken.push(area(place, anchor, text));
    }

    /// Returns a free position for the name of a point: to the right or left of it, at its height
    /// or some lines above or below. If none of these is free, the first one.
    pub(super) fn place(&mut self, [x, y]: [f64; 2], name: &str) -> ([f64; 2], Anchor) {
        let heights = (0..=MAX_LINES).flat_map(|line| {
            let away = LINE * line as f64;
            [y - GAP - away, y + GAP + ASCENT + away]
        });
        let sides = |y: f64| [([x + GAP, y], Anchor::Start), ([x - GAP, y], Anchor::End)];
        let mut places = heights.flat_map(sides);
        let is_free = |&(place, anchor): &([f64; 2], Anchor)| {
            let area = area(place, anchor, name);
            lies_in(area, self.frame) && !self.taken.iter().any(|&taken| overlap(area, taken))
        };
        let first = ([x + GAP, y - GAP], Anchor::Start);
        let (place, anchor) = places.find(is_free).unwrap_or(first);
        self.avoid_text(place, anchor, name);
        (place, anchor)
    }
}

/// Returns the area of a text.
fn area([x, y]: [f64; 2], anchor: Anchor, text: &str) -> Area {
    let width = LETTER * text.chars().count() as f64;
    let left = match anchor {
        Anchor::Start => x,
        Anchor::Middle => x - width / 2.0,
        Anchor::End => x - width,
    };
    [left, y - ASCENT, left + width, y - ASCENT + LINE]
}

fn overlap(a: Area, b: Area) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

fn lies_in(a: Area, frame: Area) -> bool {
    frame[0] <= a[0] && frame[1] <= a[1] && a[2] <= frame[2] && a[3] <= frame[3]
}

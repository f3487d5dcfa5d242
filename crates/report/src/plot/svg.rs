//! A drawing as SVG: shapes and text, one element on each line.

use std::fmt::{Display, Write as _};
use std::io::{self, Write};

/// Colours that people with any kind of colour vision can distinguish (M. Okabe, K. Ito: *Color
/// Universal Design*).
const COLOURS: [&str; 9] = [
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#000000", "#f0e442",
    "#999999",
];

pub(super) fn colour(index: usize) -> &'static str {
    COLOURS[index % COLOURS.len()]
}

/// The style of a line.
#[derive(Clone, Copy)]
pub(super) struct Stroke {
    pub(super) colour: &'static str,
    pub(super) dashed: bool,
}

impl Stroke {
    pub(super) const fn plain(colour: &'static str) -> Self {
        let dashed = false;
        Self { colour, dashed }
    }
}

/// The part of a text that is at its position.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// The elements so far.
pub(super) struct Svg {
    text: String,
}

impl Svg {
    pub(super) fn new([width, height]: [f64; 2], title: &str) -> Self {
        let mut svg = Self {
            text: String::new(),
        };
        svg.push(format_args!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">"#
        ));
        svg.push(format_args!("<title>{}</title>", escaped(title)));
        svg.push(r#"<rect width="100%" height="100%" fill="white"/>"#);
        svg.text([width / 2.0, 16.0], Anchor::Middle, title);
        svg
    }

    fn push(&mut self, element: impl Display) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{element}");
    }

    pub(super) fn line(&mut self, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2], stroke: Stroke) {
        let Stroke { colour, dashed } = stroke;
        let dashes = if dashed {
            r#" stroke-dasharray="4""#
        } else {
            ""
        };
        self.push(format_args!(
            r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="{colour}"{dashes}/>"#
        ));
    }

    pub(super) fn rectangle(&mut self, [x, y]: [f64; 2], [width, height]: [f64; 2], colour: &str) {
        self.push(format_args!(
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" fill="{colour}"/>"#
        ));
    }

    pub(super) fn circle(&mut self, [x, y]: [f64; 2], radius: f64, colour: &str) {
        self.push(format_args!(
            r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius}" fill="{colour}"/>"#
        ));
    }

    pub(super) fn text(&mut self, [x, y]: [f64; 2], anchor: Anchor, text: &str) {
        if text.is_empty() {
            return;
        }
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.push(format_args!(
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{}</text>"#,
            escaped(text)
        ));
    }

    /// Draws slanted text that ends here and rises towards its end.
    pub(super) fn slanted_text(&mut self, [x, y]: [f64; 2], text: &str) {
        self.push(format_args!(
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="end" transform="rotate(-35 {x:.1} {y:.1})">{}</text>"#,
            escaped(text)
        ));
    }

    /// Draws small grey text that begins here and rises.
    pub(super) fn rising_text(&mut self, [x, y]: [f64; 2], text: &str) {
        self.push(format_args!(
            r##"<text x="{x:.1}" y="{y:.1}" font-size="10" fill="#666" transform="rotate(-90 {x:.1} {y:.1})">{}</text>"##,
            escaped(text)
        ));
    }

    pub(super) fn write(mut self, out: &mut dyn Write) -> io::Result<()> {
        self.push("</svg>");
        out.write_all(self.text.as_bytes())
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

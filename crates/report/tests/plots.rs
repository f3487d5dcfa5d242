//! Plots, drawn from numbers that are easy to place by hand: the frame is 490 wide and 300 high.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use report::{Bar, Bars, Points, Series, write_bars, write_points};

fn bars(groups: &[(&str, Vec<Bar>)]) -> String {
    let mut text = Vec::new();
    let bars = Bars {
        title: "SCCs & MECs, <1 s",
        y: "ms",
        series: &["ours", "ECL-SCC"],
        groups,
    };
    write_bars(&mut text, &bars).unwrap();
    String::from_utf8(text).unwrap()
}

fn heights(heights: &[f64]) -> Vec<Bar> {
    heights.iter().copied().map(Bar::Height).collect()
}

fn missing(reason: &str) -> Bar {
    Bar::Missing(reason.to_owned())
}

fn points(points: &[(&str, f64, f64)], joined: bool) -> String {
    let mut text = Vec::new();
    let name = "phil";
    let plot = Points {
        title: "Time against the floor",
        x: "floor, ms",
        y: "time, ms",
        series: &[Series {
            name,
            joined,
            points,
        }],
        guides: &[
            (1.0, "1 floor"),
            (100.0, "100 floors"),
            (1e9, "out of sight"),
        ],
    };
    write_points(&mut text, &plot).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn plots() {
    let bars = bars(&[
        ("phil7", heights(&[1.0, 10.0])),
        ("wlan6", heights(&[100.0, 1000.0])),
    ]);
    let points = points(&[("a", 0.1, 1.0), ("b", 1.0, 100.0)], true);
    insta::assert_snapshot!(format!("{bars}\n{points}"));
}

/// The attributes of all elements of a kind that are no legend, grid or background.
fn attribute(svg: &str, element: &str, attribute: &str) -> Vec<f64> {
    let start = format!("<{element} ");
    let name = format!(" {attribute}=\"");
    let lines = svg.lines().filter(|line| line.starts_with(&start));
    let values = lines.filter_map(|line| line.split_once(&name)?.1.split_once('"'));
    values.filter_map(|(value, _)| value.parse().ok()).collect()
}

#[test]
fn a_decade_is_as_high_as_any_other() {
    let svg = bars(&[
        ("x", heights(&[10.0, 100.0])),
        ("y", heights(&[1000.0, f64::NAN])),
    ]);
    // Three decades, as the shortest bar is to be seen; then the legend. What is no number has no
    // bar.
    let heights = attribute(&svg, "rect", "height");
    assert_eq!(heights, [100.0, 200.0, 300.0, 12.0, 12.0]);
    let svg = points(&[("", 1.0, 1e3), ("", 10.0, 1e4), ("", 100.0, 1e6)], false);
    assert_eq!(attribute(&svg, "circle", "cx"), [70.0, 315.0, 560.0]);
    assert_eq!(attribute(&svg, "circle", "cy"), [340.0, 240.0, 40.0]);
}

/// The areas of texts, 13 high and 7 a letter wide; those that are slanted or the title are left
/// out.
fn texts(svg: &str) -> Vec<(&str, [f64; 4])> {
    let lines = svg
        .lines()
        .filter(|line| line.starts_with("<text ") && !line.contains("rotate"));
    let number = |line: &str, name: &str| attribute(line, "text", name)[0];
    let areas = lines.skip(1).map(|line| {
        let text = line.split_once('>').unwrap().1.trim_end_matches("</text>");
        let width = 7.0 * text.chars().count() as f64;
        let (x, y) = (number(line, "x"), number(line, "y"));
        let left = match line.split_once("text-anchor=\"").unwrap().1.as_bytes() {
            [b's', ..] => x,
            [b'm', ..] => x - width / 2.0,
            _ => x - width,
        };
        (text, [left, y - 10.0, left + width, y + 3.0])
    });
    areas.collect()
}

#[test]
fn names_stand_on_nothing_else_and_within_the_frame() {
    // Points side by side, on one another, at the edges of the frame, and at the end of a guide.
    let near = [
        ("one", 1.0, 1.0),
        ("two", 1.01, 1.01),
        ("three", 1.0, 1.0),
        ("a name of some length", 99.0, 1.2),
        ("in the corner", 100.0, 100.0),
        ("at the guide", 97.0, 85.0),
        ("left", 0.1, 10.0),
    ];
    let svg = points(&near, false);
    let circles = attribute(&svg, "circle", "cx").into_iter();
    let circles = circles.zip(attribute(&svg, "circle", "cy"));
    let circles = circles.map(|(x, y)| ("a circle", [x - 4.0, y - 4.0, x + 4.0, y + 4.0]));
    let texts = texts(&svg);
    let is_name = |text: &str| near.iter().any(|(name, ..)| *name == text);
    assert_eq!(
        texts.iter().filter(|(text, _)| is_name(text)).count(),
        near.len()
    );
    let all: Vec<_> = texts.iter().copied().chain(circles).collect();
    for (i, &(name, a)) in texts
        .iter()
        .enumerate()
        .filter(|(_, (text, _))| is_name(text))
    {
        assert!(
            a[0] >= 70.0 && a[1] >= 40.0 && a[2] <= 560.0 && a[3] <= 340.0,
            "{name} {a:?}"
        );
        for (j, &(other, b)) in all.iter().enumerate() {
            let meets = a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
            assert!(i == j || !meets, "{name} {a:?} on {other} {b:?}\n{svg}");
        }
    }
}

#[test]
fn a_missing_bar_says_why_once() {
    let group = |name, second: &str| (name, vec![missing("over 4 s"), missing(second)]);
    let svg = bars(&[group("phil7", "over 4 s"), group("wlan6", "no time left")]);
    assert_eq!(svg.matches(">over 4 s</text>").count(), 2, "{svg}");
    assert_eq!(svg.matches(">no time left</text>").count(), 1, "{svg}");
}

#[test]
fn nothing_can_be_drawn_too() {
    for svg in [
        bars(&[]),
        bars(&[("x", heights(&[0.0, -1.0]))]),
        bars(&[("x", vec![missing("over 4 s"), missing("over 4 s")])]),
        points(&[], true),
    ] {
        assert!(svg.ends_with("</svg>\n"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}

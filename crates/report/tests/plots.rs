//! Plots, drawn from numbers that are easy to place by hand: the frame is 490 wide and 300 high.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use report::{Bars, Points, Series, write_bars, write_points};

fn bars(groups: &[(&str, Vec<f64>)]) -> String {
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
    let bars = bars(&[("phil7", vec![1.0, 10.0]), ("wlan6", vec![100.0, 1000.0])]);
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
    let svg = bars(&[("x", vec![10.0, 100.0]), ("y", vec![1000.0, f64::NAN])]);
    // Three decades, as the shortest bar is to be seen; then the legend. What is not known has no bar.
    let heights = attribute(&svg, "rect", "height");
    assert_eq!(heights, [100.0, 200.0, 300.0, 12.0, 12.0]);
    let svg = points(&[("", 1.0, 1e3), ("", 10.0, 1e4), ("", 100.0, 1e6)], false);
    assert_eq!(attribute(&svg, "circle", "cx"), [70.0, 315.0, 560.0]);
    assert_eq!(attribute(&svg, "circle", "cy"), [340.0, 240.0, 40.0]);
}

#[test]
fn names_do_not_stand_on_top_of_each_other() {
    let near = [
        ("one", 1.0, 1.0),
        ("two", 1.01, 1.01),
        ("", 1.0, 1.0),
        ("three", 1.0, 1.0),
    ];
    let svg = points(&near, false);
    let line = |name: &str| {
        let line = svg
            .lines()
            .find(|line| line.ends_with(&format!(">{name}</text>")));
        attribute(line.unwrap(), "text", "y")[0]
    };
    assert!((line("one") - line("two")).abs() >= 12.0);
    assert!((line("three") - line("two")).abs() >= 12.0);
    assert!((line("three") - line("one")).abs() >= 12.0);
}

#[test]
fn nothing_can_be_drawn_too() {
    for svg in [
        bars(&[]),
        bars(&[("x", vec![0.0, -1.0])]),
        points(&[], true),
    ] {
        assert!(svg.ends_with("</svg>\n"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}

//! Where time went: the table for people, and the trace for Perfetto.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use report::{Amount, Level, Phase, Span, Timeline, Work, write_profile, write_trace};
use serde_json::Value;
use std::time::Duration;

fn micros(micros: u64) -> Duration {
    Duration::from_micros(micros)
}

fn phases() -> Vec<Span<'static>> {
    let lengths = [
        ("read", 1_500),
        ("build", 25_250),
        ("upload", 40_000),
        ("decompose", 9_000),
        ("write", 4_250),
    ];
    let mut start = Duration::ZERO;
    let span = |(name, length)| {
        let phase = Phase {
            name,
            time: micros(length),
            amount: Some(Amount::Bytes(100_000_000)),
        };
        let span = Span { phase, start };
        start += phase.time;
        span
    };
    lengths.map(span).to_vec()
}

fn levels(nanoseconds: u64) -> Vec<Level<'static>> {
    let level = |(pass, workgroups, entries, times)| Level {
        pass,
        dispatches: 2,
        workgroups: Some(workgroups),
        entries: Some(entries),
        time: Duration::from_nanos(nanoseconds * times),
    };
    [
        ("trim", 2048, 1_000_000, 800),
        ("pivot", 2048, 0, 100),
        ("search", 1, 1, 5),
        ("search", 700, 180_000, 100),
        ("trim", 3, 40, 5),
    ]
    .map(level)
    .to_vec()
}

fn work<'a>(levels: &'a [Level<'a>]) -> Work<'a> {
    Work {
        device: "NVIDIA H200 (discrete GPU, vulkan)",
        start: micros(66_750),
        states: 3_000_000,
        edges: 20_000_000,
        bandwidth: 4.2e12,
        counts: &[("rounds", 1), ("submissions", 1_234)],
        edges_touched: &[("trim", 12_345_678), ("pivot", 0), ("search", 31_000_000)],
        levels,
    }
}

/// Of a graph so small that its floor is far below any time.
fn tiny<'a>(levels: &'a [Level<'a>]) -> Work<'a> {
    Work {
        states: 2,
        edges: 3,
        ..work(levels)
    }
}

fn single<'a>(levels: &'a [Level<'a>]) -> Work<'a> {
    Work {
        states: 1,
        edges: 1,
        bandwidth: 1e9,
        ..work(levels)
    }
}

fn profile(timeline: &Timeline<'_>) -> String {
    let mut text = Vec::new();
    write_profile(&mut text, timeline).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn profiles() {
    let (phases, timed, untimed) = (phases(), levels(1_000), levels(0));
    let with = |work| {
        profile(&Timeline {
            phases: &phases,
            work,
        })
    };
    let no_queue = timed.iter().map(|level| Level {
        workgroups: None,
        entries: None,
        ..*level
    });
    let no_queue: Vec<_> = no_queue.collect();
    let all = [
        ("on the CPU", with(None)),
        ("on a GPU", with(Some(work(&timed)))),
        ("on one that cannot time passes", with(Some(work(&untimed)))),
        ("without a queue", with(Some(work(&no_queue)))),
        ("of two states", with(Some(tiny(&timed)))),
        ("of one", with(Some(single(&timed)))),
    ];
    let all = all.map(|(name, text)| format!("--- {name}\n{text}"));
    insta::assert_snapshot!(all.concat());
}

/// What the Trace Event Format asks of every event, and of complete ones; and that they are in
/// order.
#[test]
fn traces_are_what_viewers_expect() {
    let (phases, levels) = (phases(), levels(1_000));
    for work in [None, Some(work(&levels))] {
        let has_work = work.is_some();
        let timeline = Timeline {
            phases: &phases,
            work,
        };
        let mut text = Vec::new();
        write_trace(&mut text, &timeline).unwrap();
        let trace: Value = serde_json::from_slice(&text).unwrap();
        let mut last = 0.0;
        let events = trace["traceEvents"].as_array().unwrap();
        for event in events {
            assert!(
                event["name"].is_string() && event["args"].is_object(),
                "{event}"
            );
            assert!(event["pid"].is_u64() && event["tid"].is_u64(), "{event}");
            if event["ph"] == "M" {
                assert!(event["args"]["name"].is_string(), "{event}");
                continue;
            }
            assert_eq!(event["ph"], "X");
            let (ts, dur) = (
                event["ts"].as_f64().unwrap(),
                event["dur"].as_f64().unwrap(),
            );
            assert!(ts >= last && dur >= 0.0, "{event}");
            last = ts;
        }
        let expected = if has_work {
            3 + phases.len() + levels.len()
        } else {
            2 + phases.len()
        };
        assert_eq!(events.len(), expected);
    }
}

/// The events of one kind: thread, name, beginning and end in nanoseconds.
fn events<'v>(trace: &'v Value, kind: &str) -> Vec<(u64, &'v str, u64, u64)> {
    let all = trace["traceEvents"].as_array().unwrap().iter();
    let nanoseconds = |value: &Value| (value.as_f64().unwrap() * 1e3).round() as u64;
    let of_kind = all.filter(|event| event["ph"] == "X" && event["cat"] == kind);
    let event = |event: &'v Value| {
        assert_eq!(event["pid"], 1);
        let (start, length) = (nanoseconds(&event["ts"]), nanoseconds(&event["dur"]));
        let name = event["name"].as_str().unwrap();
        (event["tid"].as_u64().unwrap(), name, start, start + length)
    };
    of_kind.map(event).collect()
}

#[test]
fn traces_hold_every_phase_and_level() {
    let (phases, levels) = (phases(), levels(1_001));
    let timeline = Timeline {
        phases: &phases,
        work: Some(work(&levels)),
    };
    let mut text = Vec::new();
    write_trace(&mut text, &timeline).unwrap();
    let trace: Value = serde_json::from_slice(&text).unwrap();

    let host = events(&trace, "phase");
    let expected = phases.iter().map(|span| {
        let start = span.start.as_nanos() as u64;
        let time = span.phase.time.as_nanos() as u64;
        (1, span.phase.name, start, start + time)
    });
    assert_eq!(host, expected.collect::<Vec<_>>());

    let device = events(&trace, "pass");
    assert_eq!(device.len(), levels.len());
    let mut now = 66_750_000;
    for (&(thread, name, start, end), level) in device.iter().zip(&levels) {
        assert_eq!((thread, name, start), (2, level.pass, now));
        now = end;
    }
    assert_eq!(now - 66_750_000, 1_010 * 1_001);
    let first = &trace["traceEvents"];
    let first = first
        .as_array()
        .unwrap()
        .iter()
        .find(|e| e["cat"] == "pass");
    let entries = &first.unwrap()["args"]["entries"];
    assert_eq!(entries, 1_000_000);

    let names = trace["traceEvents"].as_array().unwrap().iter();
    let names = names.filter(|event| event["ph"] == "M");
    let names: Vec<&str> = names.map(|e| e["args"]["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        ["maxend", "host", "NVIDIA H200 (discrete GPU, vulkan)"]
    );
}

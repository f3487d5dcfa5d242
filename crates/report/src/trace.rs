//! A timeline as events that Perfetto and Chrome's `about:tracing` show (the Trace Event Format,
//! JSON).
//!
//! There is one thread for the host and one for the device. The passes of a device are drawn one
//! after another from the beginning of their phase, because only their durations are known.

use crate::timeline::{Timeline, Work};
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::time::Duration;

/// The only process.
const PROCESS: u32 = 1;
const HOST: u32 = 1;
const DEVICE: u32 = 2;

/// A phase or a pass. Both numbers are in microseconds.
#[derive(Serialize)]
struct Event<'a> {
    name: &'a str,
    cat: &'a str,
    ph: &'a str,
    ts: f64,
    dur: f64,
    pid: u32,
    tid: u32,
    args: Value,
}

/// Writes the trace. Each event has one line, and events are in the order of their starting times.
///
/// # Errors
/// Errors of `out`.
pub fn write_trace(out: &mut dyn Write, timeline: &Timeline<'_>) -> io::Result<()> {
    let phases = timeline.phases.iter();
    let phases = phases.map(|span| {
        let (name, time) = (span.phase.name, span.phase.time);
        event(name, "phase", HOST, span.start, time)
    });
    let mut events: Vec<Event<'_>> = phases.collect();
    writeln!(out, "{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[")?;
    serde_json::to_writer(&mut *out, &name("process_name", 0, "maxend"))?;
    write_event(out, &name("thread_name", HOST, "host"))?;
    if let Some(work) = &timeline.work {
        write_event(out, &name("thread_name", DEVICE, work.device))?;
        events.extend(passes(work));
    }
    events.sort_by(|one, other| one.ts.total_cmp(&other.ts));
    for event in &events {
        write_event(out, event)?;
    }
    writeln!(out, "\n]}}")
}

fn passes<'a>(work: &Work<'a>) -> impl Iterator<Item = Event<'a>> {
    let mut start = work.start;
    work.levels.iter().map(move |level| {
        let event = event(level.pass, "pass", DEVICE, start, level.time);
        start += level.time;
        let args = json!({
            "dispatches": level.dispatches,
            "workgroups": level.workgroups,
            "entries": level.entries,
        });
        Event { args, ..event }
    })
}

fn event<'a>(
    name: &'a str,
    cat: &'a str,
    thread: u32,
    start: Duration,
    time: Duration,
) -> Event<'a> {
    Event {
        name,
        cat,
        ph: "X",
        ts: microseconds(start),
        dur: microseconds(time),
        pid: PROCESS,
        tid: thread,
        args: json!({}),
    }
}

/// Returns the event that names a process or thread.
fn name(what: &str, thread: u32, name: &str) -> Value {
    json!({"name": what, "ph": "M", "pid": PROCESS, "tid": thread, "args": {"name": name}})
}

fn write_event(out: &mut dyn Write, event: &impl Serialize) -> io::Result<()> {
    out.write_all(b",\n")?;
    Ok(serde_json::to_writer(out, event)?)
}

/// Microseconds, exact to the nanosecond as far as a double permits.
fn microseconds(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e3
}

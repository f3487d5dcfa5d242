//! The phases of a command, with their times and amounts: for summaries, `--profile` and `--trace`.

use crate::args::DecomposeArgs;
use crate::device::observer::Span;
use crate::error::Error;
use crate::output::Outputs;
use decompose::Work;
use report::{Amount, Phase};
use std::io::Write as _;
use std::time::{Duration, Instant};

/// The phases so far.
pub(super) struct Timeline {
    began: Instant,
    /// The beginning of the current phase.
    now: Instant,
    spans: Vec<Span>,
    /// The work of a device, and its name.
    work: Option<(Work, String)>,
}

impl Timeline {
    pub(super) fn start() -> Self {
        let began = Instant::now();
        Self {
            began,
            now: began,
            spans: Vec::new(),
            work: None,
        }
    }

    /// Begins a phase, or several that [`add`](Self::add) will name.
    pub(super) fn begin(&mut self) {
        self.now = Instant::now();
    }

    /// Adds the next phase, with its time and the amount of work.
    pub(super) fn add(&mut self, name: &'static str, time: Duration, amount: Option<Amount>) {
        self.spans.push(Span {
            name,
            start: self.now,
            time,
            amount,
        });
        self.now += time;
    }

    /// Ends the phase that began last.
    pub(super) fn end(&mut self, name: &'static str, amount: Option<Amount>) {
        self.add(name, self.now.elapsed(), amount);
    }

    /// Returns all phases, in order; phases with the same name are added up.
    pub(super) fn phases(&self) -> Vec<Phase<'static>> {
        let mut sums: Vec<Phase<'static>> = Vec::new();
        for span in &self.spans {
            match sums.iter_mut().find(|phase| phase.name == span.name) {
                Some(sum) => {
                    sum.time += span.time;
                    sum.amount = None;
                }
                None => sums.push(phase(span)),
            }
        }
        sums
    }

    /// Adds the phases of a decomposition, and the work of the device of this name.
    pub(super) fn decomposed(&mut self, spans: Vec<Span>, work: Option<Work>, device: &str) {
        self.spans.extend(spans);
        self.work = work.map(|work| (work, device.to_owned()));
    }

    /// Prints tables and writes a trace, if they are requested. The trace gets its name together
    /// with the other `outputs`.
    ///
    /// # Errors
    /// If the trace cannot be written, or the outputs cannot get their names.
    pub(super) fn report(&self, args: &DecomposeArgs, mut outputs: Outputs) -> Result<(), Error> {
        let spans: Vec<_> = self.spans.iter().map(|span| self.span(span)).collect();
        let levels = self.work.as_ref().map(|(work, _)| levels(work));
        let work = self.work.as_ref().zip(levels.as_deref());
        let timeline = report::Timeline {
            phases: &spans,
            work: work.map(|((work, device), levels)| report::Work {
                device,
                start: self.search_began(),
                states: work.states,
                edges: work.edges,
                bandwidth: work.bandwidth,
                counts: &work.counts,
                edges_touched: &work.edges_touched,
                levels,
            }),
        };
        if args.profile {
            let mut text = Vec::new();
            // Writing to memory succeeds, and a closed standard error is not a failure.
            let _ = report::write_profile(&mut text, &timeline);
            let _ = std::io::stderr().write_all(&text);
        }
        if let Some(path) = &args.trace {
            outputs.write(path, |out| report::write_trace(out, &timeline))?;
        }
        outputs.finish()
    }

    fn span(&self, span: &Span) -> report::Span<'static> {
        report::Span {
            phase: phase(span),
            start: span.start.duration_since(self.began),
        }
    }

    /// Returns the beginning of the search whose work is known: the last one, if a device failed
    /// before.
    fn search_began(&self) -> Duration {
        let mut searches = self.spans.iter().rev();
        let search = searches.find(|span| span.name == "decompose");
        search.map_or(Duration::ZERO, |span| self.span(span).start)
    }
}

fn phase(span: &Span) -> Phase<'static> {
    Phase {
        name: span.name,
        time: span.time,
        amount: span.amount,
    }
}

fn levels(work: &Work) -> Vec<report::Level<'static>> {
    let levels = work.levels.iter();
    let levels = levels.map(|level| report::Level {
        pass: level.pass,
        dispatches: level.dispatches,
        workgroups: level.workgroups,
        entries: level.entries,
        time: level.time,
    });
    levels.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_with_the_same_name_are_added_up() {
        let mut timeline = Timeline::start();
        let bytes = Some(Amount::Bytes(7));
        let millis = Duration::from_millis;
        for (name, time) in [("open", 1), ("upload", 2), ("decompose", 4), ("open", 8)] {
            timeline.add(name, millis(time), bytes);
        }
        let phases = timeline.phases();
        let told: Vec<_> = phases.iter().map(|p| (p.name, p.time, p.amount)).collect();
        let expected = [
            ("open", millis(9), None),
            ("upload", millis(2), bytes),
            ("decompose", millis(4), bytes),
        ];
        assert_eq!(told, expected);
    }
}

//! What a command did when, for `--profile` and `--trace`.

use crate::args::DecomposeArgs;
use crate::error::Error;
use crate::output;
use crate::watch::Span;
use decompose::Work;
use std::io::Write as _;
use std::time::{Duration, Instant};

/// What was done so far.
pub(crate) struct Timeline {
    began: Instant,
    /// When what is done now began.
    now: Instant,
    spans: Vec<Span>,
    /// What a device did, and what it is called.
    work: Option<(Work, String)>,
}

impl Timeline {
    pub(crate) fn start() -> Self {
        let began = Instant::now();
        Self {
            began,
            now: began,
            spans: Vec::new(),
            work: None,
        }
    }

    /// Something begins now, whose parts will be told.
    pub(crate) fn begin(&mut self) {
        self.now = Instant::now();
    }

    /// The next part of what began last, and how long it took.
    pub(crate) fn add(&mut self, name: &'static str, time: Duration) {
        let start = self.now;
        self.spans.push(Span { name, start, time });
        self.now += time;
    }

    /// What began last ends now, as a whole.
    pub(crate) fn end(&mut self, name: &'static str) {
        self.add(name, self.now.elapsed());
    }

    /// What a decomposition did, and a device of this name for it.
    pub(crate) fn decomposed(&mut self, spans: Vec<Span>, work: Option<Work>, device: &str) {
        self.spans.extend(spans);
        self.work = work.map(|work| (work, device.to_owned()));
    }

    /// Prints tables and writes a trace, if they are wanted.
    ///
    /// # Errors
    /// If the trace cannot be written.
    pub(crate) fn report(&self, args: &DecomposeArgs) -> Result<(), Error> {
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
                levels,
            }),
        };
        if args.profile {
            let mut text = Vec::new();
            // Neither memory nor a closed standard error is anybody's mistake.
            let _ = report::write_profile(&mut text, &timeline);
            let _ = std::io::stderr().write_all(&text);
        }
        match &args.trace {
            Some(path) => output::write(Some(path), |out| report::write_trace(out, &timeline)),
            None => Ok(()),
        }
    }

    fn span(&self, span: &Span) -> report::Span<'static> {
        report::Span {
            name: span.name,
            start: span.start.duration_since(self.began),
            time: span.time,
        }
    }

    /// When the search began whose work is known: the last one, if a device failed before.
    fn search_began(&self) -> Duration {
        let mut searches = self.spans.iter().rev();
        let search = searches.find(|span| span.name == "decompose");
        search.map_or(Duration::ZERO, |span| self.span(span).start)
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

//! Messages on standard error: warnings and notes, and the error that ends the command.

use crate::args::{Color, LogFormat, Messages};
use crate::error::Error;
use crate::error::diagnostic::{Diagnostic, Place};
use crate::error::render::{self, RED, Style, YELLOW};
use crate::progress::line;
use std::fmt;
use std::io::Write as _;
use tracing::level_filters::LevelFilter;
use tracing::subscriber::NoSubscriber;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::FmtContext;
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

/// The form of messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Log {
    format: LogFormat,
    style: Style,
}

impl Log {
    /// Starts to print messages on standard error. Has no effect in a process that already does so.
    pub(crate) fn start(messages: &Messages) -> Self {
        let style = Style::of_messages(messages.color);
        let builder = tracing_subscriber::fmt()
            .with_max_level(LevelFilter::TRACE)
            .with_ansi(style.colour)
            .with_writer(|| line::Messages);
        let filter = filter(messages);
        let _ = match messages.log_format {
            LogFormat::Text => {
                let lines = builder.event_format(Lines(style)).finish();
                lines.with(filter).try_init()
            }
            LogFormat::Json => {
                let objects = builder.json().flatten_event(true).finish();
                objects.with(filter).try_init()
            }
        };
        Self {
            format: messages.log_format,
            style,
        }
    }

    /// Prints the reason why a command ended early, unless the user caused it.
    pub(crate) fn error(self, error: &Error) {
        let plain;
        let diagnostic = match error {
            Error::Found | Error::Cancelled | Error::ClosedPipe | Error::SaidElsewhere(_) => {
                return;
            }
            Error::Usage(message) | Error::Rejected(message) | Error::Elsewhere { message, .. } => {
                plain = Diagnostic::new(message);
                &plain
            }
            Error::Wrong(diagnostic) | Error::Device(diagnostic) => diagnostic,
        };
        match self.format {
            LogFormat::Text => {
                // If standard error is closed, nobody can read the message.
                let mut text = render::error(diagnostic, self.style);
                if matches!(error, Error::Usage(_)) {
                    text.push_str("\nFor more information, try '--help'.\n");
                }
                let _ = line::Messages.write_all(text.as_bytes());
            }
            LogFormat::Json => log_error(diagnostic),
        }
    }
}

/// Prints the error in a command line that asks for messages in JSON, as far as that can be
/// determined: the first paragraph of the parser's message, with the following tips as a note. The
/// usage is left out, as for errors that are found later.
pub(crate) fn usage_as_json(said: &clap::Error) {
    Log::start(&Messages {
        verbose: 0,
        quiet: false,
        log_format: LogFormat::Json,
        color: Color::Never,
    });
    let text = said.render().to_string();
    let in_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let paragraphs = text.strip_prefix("error: ").unwrap_or(&text).split("\n\n");
    let mut paragraphs = paragraphs.take_while(|paragraph| !paragraph.starts_with("Usage:"));
    let message = paragraphs.next().map(in_line).unwrap_or_default();
    let tips = paragraphs.filter(|paragraph| !paragraph.starts_with("For more information"));
    let tips = tips.map(|tip| in_line(tip.trim_start().trim_start_matches("tip: ")));
    let note = Some(tips.collect::<Vec<_>>().join("; ")).filter(|tips| !tips.is_empty());
    tracing::error!(note, "{message}");
}

/// Does `work`, whose warnings another process prints, too, without printing them again. Whoever
/// asks for more messages sees those of each process.
pub(crate) fn warned_elsewhere<T>(work: impl FnOnce() -> T) -> T {
    match tracing::enabled!(Level::DEBUG) {
        true => work(),
        false => tracing::subscriber::with_default(NoSubscriber::new(), work),
    }
}

/// Logs an error as one event, without fields that do not apply.
fn log_error(diagnostic: &Diagnostic) {
    let note = diagnostic.notes_in_line();
    let note = note.as_deref();
    let message = &diagnostic.message;
    match &diagnostic.place {
        None => {
            let file = diagnostic.file.as_deref();
            tracing::error!(file, note, "{message}");
        }
        Some(Place::Text(at)) => tracing::error!(
            file = at.file,
            line = at.line,
            column = at.column,
            note,
            "{message}"
        ),
        Some(Place::Entry {
            file,
            entry,
            element,
        }) => tracing::error!(file, entry, element, note, "{message}"),
    }
}

/// The crates of this project. A name ends in `::` if names of other crates begin with it.
const OURS: &[&str] = &[
    "maxend",
    "decompose",
    "gpu::",
    "gpu_explore",
    "cluster::",
    "certify",
    "xtask",
];

/// Returns the filter of messages: those of this project, and more serious ones of other libraries.
fn filter(messages: &Messages) -> Targets {
    let (ours, others) = match (messages.quiet, messages.verbose) {
        (true, _) => (LevelFilter::ERROR, LevelFilter::OFF),
        (false, 0) => (LevelFilter::INFO, LevelFilter::OFF),
        (false, 1) => (LevelFilter::DEBUG, LevelFilter::WARN),
        (false, 2) => (LevelFilter::TRACE, LevelFilter::INFO),
        // The translation of a model's kernels alone would take 80,000 lines.
        (false, _) => (LevelFilter::TRACE, LevelFilter::DEBUG),
    };
    let filter = Targets::new().with_default(others);
    filter.with_targets(OURS.iter().map(|&name| (name, ours)))
}

/// The format of messages as plain text: one line each, which begins with the level.
struct Lines(Style);

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let metadata = event.metadata();
        match *metadata.level() {
            Level::ERROR => write!(writer, "{}: ", self.0.paint(RED, "error"))?,
            Level::WARN => write!(writer, "{}: ", self.0.paint(YELLOW, "warning"))?,
            Level::INFO => {}
            Level::DEBUG | Level::TRACE => write!(writer, "{}: ", metadata.target())?,
        }
        // Names in models and names of files may have control characters.
        let mut text = String::new();
        context.format_fields(Writer::new(&mut text), event)?;
        writeln!(writer, "{}", render::printable_lines(&text))
    }
}

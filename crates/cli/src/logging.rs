//! What is said on standard error: warnings and notes as they come, and the error that ends it all.

use crate::args::{LogFormat, Messages};
use crate::error::Error;
use crate::render::{self, RED, Style, YELLOW};
use std::fmt;
use std::io::{IsTerminal as _, Write as _, stderr};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::FmtContext;
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer};
use tracing_subscriber::registry::LookupSpan;

/// How messages are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Log {
    format: LogFormat,
    style: Style,
}

impl Log {
    /// Sends messages to standard error from now on. In a process that already does so, nothing
    /// changes.
    pub(crate) fn start(messages: &Messages) -> Self {
        let level = match (messages.quiet, messages.verbose) {
            (true, _) => Level::ERROR,
            (false, 0) => Level::INFO,
            (false, 1) => Level::DEBUG,
            (false, _) => Level::TRACE,
        };
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let style = Style {
            colour: stderr().is_terminal() && !no_colour,
        };
        let builder = tracing_subscriber::fmt()
            .with_max_level(level)
            .with_writer(stderr);
        let _ = match messages.log_format {
            LogFormat::Text => builder.event_format(Lines(style)).try_init(),
            LogFormat::Json => builder.json().flatten_event(true).try_init(),
        };
        Self {
            format: messages.log_format,
            style,
        }
    }

    /// Says why a command ended early, unless its user knows.
    pub(crate) fn error(self, error: &Error) {
        let (message, excerpt) = match error {
            Error::Cancelled | Error::ClosedPipe => return,
            Error::Usage(message) | Error::Device(message) => (message, None),
            Error::Wrong { message, excerpt } => (message, excerpt.as_deref()),
        };
        match (self.format, excerpt) {
            (LogFormat::Text, _) => {
                // If standard error is closed, nobody is there to be told.
                let text = render::error(message, excerpt, self.style);
                let _ = stderr().write_all(text.as_bytes());
                if matches!(error, Error::Usage(_)) {
                    let _ = stderr().write_all(b"\nFor more information, try '--help'.\n");
                }
            }
            (LogFormat::Json, None) => tracing::error!("{message}"),
            (LogFormat::Json, Some(at)) => {
                let note = at.note.as_deref();
                tracing::error!(
                    file = at.file,
                    line = at.line,
                    column = at.column,
                    note,
                    "{message}"
                );
            }
        }
    }
}

/// Messages for people: a line each, whose first word says how grave it is.
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
        context.format_fields(writer.by_ref(), event)?;
        writeln!(writer)
    }
}

//! The binary on a terminal, and the text that remains on the screen.
//!
//! The terminal is one that `script` of util-linux makes; what the program sends to it is drawn
//! here.
#![cfg(target_os = "linux")]

use crate::common;
use crate::common::{maxend, stairs, tests};
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How long anything may take here before a test gives up.
const PATIENCE: Duration = Duration::from_secs(300);

/// A program that runs on a terminal.
struct Session {
    child: Child,
    bytes: Receiver<Vec<u8>>,
    /// All that was sent to the terminal so far.
    sent: Vec<u8>,
    width: usize,
}

impl Session {
    /// Runs a command line of maxend on a terminal of this many columns; None, said loudly, if
    /// there is no `script`.
    fn start(args: &str, width: usize) -> Option<Self> {
        let program = env!("CARGO_BIN_EXE_maxend");
        let line = format!("stty cols {width} rows 50; exec '{program}' {args}");
        let mut command = Command::new("script");
        command.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
        command
            .current_dir(tests())
            .env("TERM", "xterm")
            .env_remove("NO_COLOR");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let Ok(mut child) = command.spawn() else {
            assert!(std::env::var_os("CI").is_none(), "CI needs `script`");
            eprintln!("SKIPPED: there is no `script`");
            return None;
        };
        let mut output = child.stdout.take().unwrap();
        let (send, bytes) = mpsc::channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = output.read(&mut buffer) {
                let _ = send.send(buffer[..length].to_vec());
            }
        });
        let sent = Vec::new();
        Some(Self {
            child,
            bytes,
            sent,
            width,
        })
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.sent).into_owned()
    }

    /// Waits until the program sent `text`.
    fn wait_for(&mut self, text: &str) {
        let start = Instant::now();
        while !self.text().contains(text) {
            assert!(start.elapsed() < PATIENCE, "no {text} in {}", self.text());
            if let Ok(bytes) = self.bytes.recv_timeout(Duration::from_millis(50)) {
                self.sent.extend(bytes);
            }
            let ended = self.child.try_wait().unwrap();
            assert!(
                ended.is_none() || self.text().contains(text),
                "{}",
                self.text()
            );
        }
    }

    /// Types something on the terminal.
    fn types(&mut self, keys: &[u8]) {
        let keyboard = self.child.stdin.as_mut().unwrap();
        keyboard.write_all(keys).unwrap();
        keyboard.flush().unwrap();
    }

    /// Waits for the end. Returns the exit code, all that was sent, and what stays on the screen.
    fn end(mut self) -> (Option<i32>, String, Vec<String>) {
        let start = Instant::now();
        loop {
            match self.bytes.recv_timeout(Duration::from_millis(50)) {
                Ok(bytes) => self.sent.extend(bytes),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    assert!(start.elapsed() < PATIENCE, "still runs: {}", self.text());
                }
            }
        }
        let code = self.child.wait().unwrap().code();
        let mut screen = Screen::new(self.width);
        screen.draw(&self.text());
        (code, self.text(), screen.lines())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // A test that failed may have left it running.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// As much of a terminal as is needed.
struct Screen {
    width: usize,
    rows: Vec<Vec<char>>,
    row: usize,
    column: usize,
}

impl Screen {
    fn new(width: usize) -> Self {
        let rows = vec![Vec::new()];
        let (row, column) = (0, 0);
        Self {
            width,
            rows,
            row,
            column,
        }
    }

    fn draw(&mut self, text: &str) {
        let mut letters = text.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '\r' => self.column = 0,
                '\n' => self.down(),
                // Only colours are sent besides text.
                '\x1b' => {
                    let sequence: String = letters.by_ref().take_while(|&c| c != 'm').collect();
                    let is_colour = |c: char| c == '[' || c == ';' || c.is_ascii_digit();
                    assert!(sequence.chars().all(is_colour), "ESC {sequence}");
                }
                _ => self.put(letter),
            }
        }
    }

    fn put(&mut self, letter: char) {
        if self.column == self.width {
            self.down();
            self.column = 0;
        }
        let row = &mut self.rows[self.row];
        row.resize(row.len().max(self.column + 1), ' ');
        row[self.column] = letter;
        self.column += 1;
    }

    fn down(&mut self) {
        self.row += 1;
        if self.row == self.rows.len() {
            self.rows.push(Vec::new());
        }
    }

    /// The lines that have something in them.
    fn lines(self) -> Vec<String> {
        let lines = self.rows.into_iter().map(|row| row.into_iter().collect());
        let lines = lines.map(|line: String| line.trim_end().to_owned());
        lines.filter(|line| !line.is_empty()).collect()
    }
}

#[test]
fn the_screen_is_like_a_terminals() {
    let mut screen = Screen::new(4);
    screen.draw("abcdef\r\n\x1b[1;31mxyz\x1b[0m\rX\r\n1234\rABCD\r\n1234E");
    assert_eq!(screen.lines(), ["abcd", "ef", "Xyz", "ABCD", "1234", "E"]);
}

/// States enough for some seconds of exploring, and of a search by the papers' engine.
const WALK: &str = "good/walk.prism --const N=500000";

#[test]
fn progress_leaves_nothing_behind() {
    for width in [100, 30] {
        let args = format!("decompose {WALK} --device cpu");
        let Some(session) = Session::start(&args, width) else {
            return;
        };
        let (code, sent, lines) = session.end();
        assert_eq!(code, Some(0), "{sent}");
        // It was there; a narrow terminal shows its beginning.
        assert!(sent.contains("  exploring "), "{sent}");
        if width == 100 {
            let expected = "warning: 1 state without a choice given a self-loop (see --deadlocks)";
            assert_eq!(lines[0], expected, "{lines:#?}");
            assert_eq!(lines[1], "model      good/walk.prism", "{lines:#?}");
            assert!(lines.last().unwrap().starts_with("limit  "), "{lines:#?}");
        }
        let stale = lines
            .iter()
            .find(|line| line.contains("exploring ") && !line.contains("limit"));
        assert_eq!(stale, None, "{lines:#?}");
    }
}

#[test]
fn progress_is_shown_on_terminals_unless_it_is_disabled() {
    let args = format!("decompose {WALK} --device cpu -f labels -o /dev/null");
    let piped = maxend(&args);
    assert_eq!(piped.code, Some(0));
    let warning = "warning: 1 state without a choice given a self-loop (see --deadlocks)\n";
    assert_eq!(piped.stderr, warning);
    let Some(session) = Session::start(&format!("{args} -q"), 100) else {
        return;
    };
    assert_eq!(session.end().1, "");
}

#[test]
fn ctrl_c_removes_the_line_of_progress() {
    for width in [100, 30] {
        let args = "decompose good/walk.prism --const N=800000000 --device cpu";
        let Some(mut session) = Session::start(args, width) else {
            return;
        };
        session.wait_for("  exploring ");
        session.types(b"\x03");
        let start = Instant::now();
        let (code, sent, lines) = session.end();
        assert_eq!(code, Some(130), "{sent}");
        assert_eq!(lines, [""; 0], "{sent}");
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "it stops at once"
        );
    }
}

/// On a GPU, opening it takes long enough for a line of progress, and then its name is told.
#[test]
fn messages_are_printed_above_progress() {
    if maxend("devices").result().is_empty() {
        eprintln!("SKIPPED: there is no adapter");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let model = common::file(&folder, "stairs.tra", stairs(200_000).as_bytes());
    let args = format!(
        "decompose -v {} --device gpu -f labels -o /dev/null",
        model.display()
    );
    let Some(mut session) = Session::start(&args, 100) else {
        return;
    };
    session.wait_for("decomposing [");
    session.wait_for("running on ");
    session.wait_for("decomposing [");
    session.types(b"\x03");
    let (_, sent, lines) = session.end();
    // A driver that has not kept the kernels compiles them first.
    let messages = ["maxend::", "decompose::", "gpu::", "compiling GPU kernels"];
    let is_message = |line: &&String| messages.iter().any(|name| line.starts_with(name));
    assert!(
        lines.iter().all(|line| is_message(&line)),
        "{lines:#?}\n{sent:?}"
    );
}

#[test]
fn errors_are_coloured_on_a_terminal() {
    let Some(session) = Session::start("decompose bad/syntax.tra", 100) else {
        return;
    };
    let (code, sent, lines) = session.end();
    assert_eq!(code, Some(1));
    assert!(sent.contains("\x1b[1;31merror\x1b[0m: "), "{sent:?}");
    assert!(lines[0].starts_with("error: "), "{lines:#?}");
}

//! The question whether two invocations race, in SMT-LIB, and z3's answer.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdout, Command, Stdio};

use super::value::{Owner, Term, numbers_in};
use super::verdict::{Verdict, Witness};
use super::walk::{Access, AccessKind, Walked};
use crate::Program;

/// The limit on the work of z3 for a pair of accesses, in z3's own units, so that the answer does
/// not depend on the speed of the machine.
pub(super) const LIMIT: u32 = 60_000_000;
/// The limit if the kernel declares why there is no race, so that a proof is only attempted.
pub(super) const SMALL_LIMIT: u32 = 300_000;

/// The reason why there is no verdict.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// z3 cannot be run.
    #[error("cannot run `z3`: {0}")]
    Missing(#[from] std::io::Error),
    /// The answer of z3 has an unexpected form.
    #[error("z3 answered: {0}")]
    Answer(String),
}

/// Returns whether z3 can be run.
#[must_use]
pub fn is_there() -> bool {
    let mut command = Command::new("z3");
    let quiet = command.arg("--version").stdout(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Returns whether two of these accesses, all of which are to the same buffer, race. `limit` is
/// the limit on the work of z3 for a pair.
pub(super) fn find_race(
    program: &Program,
    walked: &Walked,
    accesses: &[&Access],
    limit: u32,
) -> Result<Verdict, Error> {
    let mut pairs = Vec::new();
    for (k, &first) in accesses.iter().enumerate() {
        for &second in &accesses[k..] {
            match (first.kind, second.kind) {
                (AccessKind::Write, _) => pairs.push((first, second)),
                (AccessKind::Read, AccessKind::Write) => pairs.push((second, first)),
                (AccessKind::Read, AccessKind::Read) => {}
            }
        }
    }
    let terms = accesses.iter();
    let terms = terms.flat_map(|access| access.conditions.iter().chain(&access.index));
    // Contradictory premises would prove anything, so it is checked first whether they are.
    let mut script = premises(program, walked, terms, limit) + "(check-sat)\n";
    for &(first, second) in &pairs {
        question(&mut script, first, second);
    }
    let mut answers = Answers::to(script)?;
    let first = answers.line()?;
    if !matches!(first.as_str(), "sat" | "unknown") {
        return Err(Error::Answer(first));
    }
    for (first, second) in pairs {
        let answer = answers.line()?;
        let mut known = Vec::new();
        loop {
            match answers.line()?.as_str() {
                "next" => break,
                line => known.push(line.to_owned()),
            }
        }
        match answer.as_str() {
            "unsat" => {}
            "sat" | "unknown" => {
                return Ok(Verdict::Open(Box::new(Witness {
                    invocations: ["a", "b"].map(|which| invocation(&known, which)),
                    places: [first, second].map(|access| program.place(access.span)),
                })));
            }
            _ => return Err(Error::Answer(answer)),
        }
    }
    Ok(Verdict::Free)
}

/// Returns the facts about any two invocations that are relevant to these accesses.
pub(super) fn premises<'t>(
    program: &Program,
    walked: &Walked,
    terms: impl Iterator<Item = &'t Term>,
    limit: u32,
) -> String {
    let bits = "(_ BitVec 32)";
    let needed = walked.names.needed(terms.map(|term| term.text.as_str()));
    let is_needed = |text: &str| numbers_in(text).all(|number| needed.contains(&number));
    let size: u32 = program.entry().workgroup_size.iter().product();
    let mut script = format!("(set-option :rlimit {limit})\n{}", walked.names.common);
    for count in ["cx", "cy", "cz"] {
        if !script.contains(&format!("(declare-const {count} ")) {
            let _ = writeln!(script, "(declare-const {count} {bits})");
        }
    }
    for which in ["a", "b"] {
        for name in ["local", "wx", "wy", "wz"] {
            let _ = writeln!(script, "(declare-const {name}{which} {bits})");
        }
        let _ = writeln!(script, "(assert (bvult local{which} #x{size:08x}))");
        for axis in ["x", "y", "z"] {
            let _ = writeln!(script, "(assert (bvult w{axis}{which} c{axis}))");
        }
        for &number in &needed {
            script.push_str(&walked.names.own[number].replace('@', which));
            script.push('\n');
        }
    }
    for line in walked.promised.lines().filter(|line| is_needed(line)) {
        script.push_str(line);
        script.push('\n');
    }
    let elsewhere = "(or (distinct wxa wxb) (distinct wya wyb) (distinct wza wzb))";
    let _ = writeln!(script, "(define-fun elsewhere () Bool {elsewhere})");
    let _ = writeln!(script, "(assert (or elsewhere (distinct locala localb)))");
    let owned = walked.names.owned.iter();
    let owned: Vec<_> = owned.filter(|(name, _)| is_needed(name)).collect();
    for one in &owned {
        for other in &owned {
            tell_apart(&mut script, one, other);
        }
    }
    script
}

/// Asserts that two numbers that belong to different invocations are different.
fn tell_apart(script: &mut String, one: &(String, Owner), other: &(String, Owner)) {
    let (first, second) = (one.0.replace('@', "a"), other.0.replace('@', "b"));
    let differ = format!("(distinct {first} {second})");
    let _ = match (one.1, other.1) {
        (Owner::Ticket(one), Owner::Ticket(other)) if one != other => Ok(()),
        (Owner::Invocation, Owner::Invocation) | (Owner::Ticket(_), Owner::Ticket(_)) => {
            writeln!(script, "(assert {differ})")
        }
        (Owner::Workgroup, Owner::Workgroup) => {
            writeln!(script, "(assert (=> elsewhere {differ}))")
        }
        _ => Ok(()),
    };
}

fn question(script: &mut String, first: &Access, second: &Access) {
    script.push_str("(push)\n");
    for (access, which) in [(first, "a"), (second, "b")] {
        for condition in &access.conditions {
            let _ = writeln!(script, "(assert {})", condition.text.replace('@', which));
        }
    }
    if first.epoch != second.epoch {
        // There is a barrier between them.
        script.push_str("(assert elsewhere)\n");
    }
    if let (Some(one), Some(other)) = (&first.index, &second.index) {
        let (one, other) = (one.text.replace('@', "a"), other.text.replace('@', "b"));
        let _ = writeln!(script, "(assert (= {one} {other}))");
    }
    script.push_str("(check-sat)\n");
    for which in ["a", "b"] {
        for name in ["wx", "wy", "wz", "local"] {
            let _ = writeln!(script, "(eval {name}{which})");
        }
    }
    script.push_str("(echo \"next\")\n(pop)\n");
}

/// Returns the description of an invocation in z3's answer.
fn invocation(known: &[String], which: &str) -> String {
    let first = if which == "a" { 0 } else { 4 };
    let number = |k: usize| {
        let text = known
            .get(first + k)
            .and_then(|line| line.strip_prefix("#x"));
        text.and_then(|digits| u32::from_str_radix(digits, 16).ok())
    };
    match [number(0), number(1), number(2), number(3)] {
        [Some(x), Some(0), Some(0), Some(local)] => {
            format!("invocation {local} of workgroup {x}")
        }
        [Some(x), Some(y), Some(z), Some(local)] => {
            format!("invocation {local} of workgroup [{x}, {y}, {z}]")
        }
        _ => "some invocation".to_owned(),
    }
}

/// The answers of z3 to a script, line by line. z3 is stopped when this is dropped.
pub(super) struct Answers {
    z3: Child,
    lines: BufReader<ChildStdout>,
}

impl Answers {
    pub(super) fn to(script: String) -> Result<Self, Error> {
        let mut z3 = Command::new("z3")
            .arg("-in")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (stdin, stdout) = (z3.stdin.take(), z3.stdout.take());
        // z3 answers while it reads. If it ends early, its answer shows the reason.
        std::thread::spawn(move || stdin.map(|mut pipe| pipe.write_all(script.as_bytes())));
        match stdout {
            Some(stdout) => Ok(Self {
                z3,
                lines: BufReader::new(stdout),
            }),
            None => Err(Error::Answer("it has no output".to_owned())),
        }
    }

    pub(super) fn line(&mut self) -> Result<String, Error> {
        let mut line = String::new();
        match self.lines.read_line(&mut line)? {
            0 => Err(Error::Answer("nothing more".to_owned())),
            _ => Ok(line.trim_end().to_owned()),
        }
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        // z3 may have ended by itself.
        let _ = self.z3.kill();
        let _ = self.z3.wait();
    }
}

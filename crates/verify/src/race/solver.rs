//! The question whether two invocations race, in SMT-LIB, and z3's answer.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use super::value::Owner;
use super::verdict::{Verdict, Witness};
use super::walk::{Access, Walked};
use crate::Program;

/// For how long z3 thinks about a pair of accesses, in milliseconds.
const PATIENCE: u32 = 5_000;

/// Why there is no verdict.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It cannot be run.
    #[error("cannot run `z3`: {0}")]
    Missing(#[from] std::io::Error),
    /// It does not say what was asked for.
    #[error("z3 answered: {0}")]
    Answer(String),
}

/// Whether z3 can be run.
#[must_use]
pub fn is_there() -> bool {
    let mut command = Command::new("z3");
    let quiet = command.arg("--version").stdout(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Whether any two of these accesses, which are to one buffer, race.
pub(super) fn ask(
    program: &Program,
    walked: &Walked,
    accesses: &[&Access],
) -> Result<Verdict, Error> {
    let mut pairs = Vec::new();
    for (k, &first) in accesses.iter().enumerate() {
        for &second in &accesses[k..] {
            match (first.is_write, second.is_write) {
                (true, _) => pairs.push((first, second)),
                (false, true) => pairs.push((second, first)),
                (false, false) => {}
            }
        }
    }
    // Premises that contradict each other would prove anything.
    let mut script = premises(program, walked) + "(check-sat)\n";
    for &(first, second) in &pairs {
        question(&mut script, first, second);
    }
    let said = z3(&script)?;
    let mut lines = said.lines();
    if !matches!(lines.next(), Some("sat" | "unknown")) {
        return Err(Error::Answer(said));
    }
    for (first, second) in pairs {
        let answer = lines.next().unwrap_or_default();
        let known: Vec<&str> = lines.by_ref().take_while(|line| *line != "next").collect();
        match answer {
            "unsat" => {}
            "sat" | "unknown" => {
                return Ok(Verdict::Open(Box::new(Witness {
                    invocations: ["a", "b"].map(|which| invocation(&known, which)),
                    places: [first, second].map(|access| program.place(access.span)),
                })));
            }
            _ => return Err(Error::Answer(said)),
        }
    }
    Ok(Verdict::Free)
}

/// What holds of any two invocations.
fn premises(program: &Program, walked: &Walked) -> String {
    let bits = "(_ BitVec 32)";
    let size: u32 = program.entry().workgroup_size.iter().product();
    let mut script = format!("(set-option :timeout {PATIENCE})\n{}", walked.names.common);
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
        script.push_str(&walked.names.own.replace('@', which));
    }
    if program.declares("grid", "x") {
        script.push_str("(assert (= cy #x00000001))\n(assert (= cz #x00000001))\n");
    }
    let elsewhere = "(or (distinct wxa wxb) (distinct wya wyb) (distinct wza wzb))";
    let _ = writeln!(script, "(define-fun elsewhere () Bool {elsewhere})");
    let _ = writeln!(script, "(assert (or elsewhere (distinct locala localb)))");
    for (one, owner) in &walked.names.owned {
        for (other, other_owner) in &walked.names.owned {
            let differ = format!(
                "(distinct {} {})",
                one.replace('@', "a"),
                other.replace('@', "b")
            );
            let _ = match (owner, other_owner) {
                (Owner::Invocation, Owner::Invocation) => writeln!(script, "(assert {differ})"),
                (Owner::Workgroup, Owner::Workgroup) => {
                    writeln!(script, "(assert (=> elsewhere {differ}))")
                }
                _ => Ok(()),
            };
        }
    }
    script
}

fn question(script: &mut String, first: &Access, second: &Access) {
    script.push_str("(push)\n");
    for (access, which) in [(first, "a"), (second, "b")] {
        for condition in &access.conditions {
            let _ = writeln!(script, "(assert {})", condition.text.replace('@', which));
        }
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

/// An invocation as z3 describes it.
fn invocation(known: &[&str], which: &str) -> String {
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

fn z3(script: &str) -> Result<String, Error> {
    let mut child = Command::new("z3")
        .arg("-in")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut stdin = child.stdin.take();
    let output = std::thread::scope(|scope| {
        // z3 answers as it reads. If it ends early, its answer says why.
        scope.spawn(move || stdin.as_mut().map(|pipe| pipe.write_all(script.as_bytes())));
        child.wait_with_output()
    })?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

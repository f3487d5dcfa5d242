//! The line that shows what limits the speed of a run.

use crate::run::{Amount, Phase};

/// Returns the phase that takes most of the time, its share, and its speed: `exploring, 71 % of
/// 0.86 s,
/// 95.1 M branches/s`. `None` if the run took no time.
pub(crate) fn limit(phases: &[Phase<'_>]) -> Option<String> {
    let total: f64 = phases.iter().map(|phase| phase.time.as_secs_f64()).sum();
    let longest = phases.iter().max_by_key(|phase| phase.time)?;
    let seconds = longest.time.as_secs_f64();
    if seconds == 0.0 {
        return None;
    }
    let share = 100.0 * seconds / total;
    let rate = longest.amount.map(|amount| match amount {
        Amount::Bytes(bytes) => {
            let (number, letter) = scaled(bytes as f64 / seconds);
            format!("{number} {letter}B/s")
        }
        Amount::Branches(count) | Amount::Found(count) => {
            let (number, letter) = scaled(count as f64 / seconds);
            let space = if letter.is_empty() { "" } else { " " };
            format!("{number} {letter}{space}branches/s")
        }
    });
    let rate = rate.map_or(String::new(), |rate| format!(", {rate}"));
    let total = rounded(total);
    Some(format!(
        "{}, {share:.0} % of {total} s{rate}",
        doing(longest)
    ))
}

/// Returns a description of a phase.
fn doing<'a>(phase: &Phase<'a>) -> &'a str {
    match (phase.name, phase.amount) {
        ("build", Some(Amount::Found(_))) => "exploring",
        ("build", _) => "building the graph",
        ("read", _) => "reading",
        ("open", _) => "opening the device",
        ("upload", _) => "uploading",
        ("decompose", _) => "decomposing",
        ("download", _) => "downloading",
        ("measure", _) => "measuring the device",
        ("certify", _) => "certifying",
        ("check", _) => "checking the certificate",
        ("write", _) => "writing",
        (name, _) => name,
    }
}

/// Returns a number below a thousand, and the letter for the power of a thousand by which it is
/// multiplied.
fn scaled(number: f64) -> (String, &'static str) {
    let letters = [(1e9, "G"), (1e6, "M"), (1e3, "k")];
    let letter = letters.iter().find(|(unit, _)| number >= *unit);
    match letter {
        Some((unit, letter)) => (format!("{:.1}", number / unit), letter),
        None => (format!("{number:.0}"), ""),
    }
}

/// Seconds with at least two significant digits.
fn rounded(seconds: f64) -> String {
    match seconds {
        10.0.. => format!("{seconds:.0}"),
        0.1..10.0 => format!("{seconds:.2}"),
        _ => format!("{seconds:.4}"),
    }
}

#[cfg(test)]
mod tests {
    use super::limit;
    use crate::run::{Amount, Phase};
    use std::time::Duration;

    fn phase(name: &str, millis: u64, amount: Option<Amount>) -> Phase<'_> {
        let time = Duration::from_millis(millis);
        Phase { name, time, amount }
    }

    #[test]
    fn the_longest_phase_limits() {
        let runs = [
            vec![
                phase("read", 1, Some(Amount::Bytes(5_000))),
                phase("build", 600, Some(Amount::Found(82_000_000))),
                phase("upload", 110, Some(Amount::Bytes(600 << 20))),
                phase("decompose", 5, Some(Amount::Branches(82_000_000))),
            ],
            vec![
                phase("read", 7_000, Some(Amount::Bytes(13_300_000_000))),
                phase("build", 6_500, Some(Amount::Branches(1))),
            ],
            vec![
                phase("upload", 30, Some(Amount::Bytes(250))),
                phase("open", 40, None),
            ],
            vec![
                phase("decompose", 9, Some(Amount::Branches(1_234))),
                phase("download", 8, Some(Amount::Bytes(9))),
            ],
            vec![phase("read", 1, Some(Amount::Bytes(0)))],
        ];
        let lines = runs.iter().map(|run| limit(run).expect("it took time"));
        insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @"
        exploring, 84 % of 0.72 s, 136.7 M branches/s
        reading, 52 % of 14 s, 1.9 GB/s
        opening the device, 57 % of 0.0700 s
        decomposing, 53 % of 0.0170 s, 137.1 k branches/s
        reading, 100 % of 0.0010 s, 0 B/s
        ");
        assert_eq!(limit(&[]), None);
        assert_eq!(limit(&[phase("read", 0, None)]), None);
    }
}

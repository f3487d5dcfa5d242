//! Networks of processes in EXP, in every size. They are written as text here, so that an error
//! which the writer and the reader of networks have in common is noticed.

use std::fmt::Write as _;

/// The families of networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Network {
    /// Cells in a row.
    Pipeline,
    /// Stations in a ring.
    TokenRing,
}

/// The largest size. The length of the text grows with the square of the size.
const LARGEST_SIZE: u32 = 1000;

impl Network {
    /// All families.
    pub(super) const ALL: &[Self] = &[Self::Pipeline, Self::TokenRing];

    /// Returns the name of the family, and a description of its networks.
    pub(super) fn described(self) -> (&'static str, &'static str) {
        match self {
            Self::Pipeline => (
                "pipeline",
                "A network of SIZE cells that each hold an item, which moves on: 2^SIZE states (.exp)",
            ),
            Self::TokenRing => (
                "token-ring",
                "A network of SIZE stations, of which the one with the token may work: 2 SIZE states \
                 (.exp)",
            ),
        }
    }

    /// Returns the network of this size, as text.
    ///
    /// # Errors
    /// Says why, if there is no network of that size.
    pub(crate) fn text(self, size: u32) -> Result<String, String> {
        if !(1..=LARGEST_SIZE).contains(&size) {
            return Err(format!("the size must lie between 1 and {LARGEST_SIZE}"));
        }
        Ok(match self {
            Self::Pipeline => pipeline(size),
            Self::TokenRing => token_ring(size),
        })
    }
}

/// Cells that hold at most one item each, which moves on to the next cell: 2^`cells` states.
fn pipeline(cells: u32) -> String {
    let mut vectors = vec![vector(cells, &[(0, "get")], "in")];
    for cell in 1..cells {
        let parts = [(cell - 1, "put"), (cell, "get")];
        vectors.push(vector(cells, &parts, &format!("move !{cell}")));
    }
    vectors.push(vector(cells, &[(cells - 1, "put")], "out"));
    parallel(&vectors, cells, |_| "des (0, 2, 2) (0, get, 1) (1, put, 0)")
}

/// Stations in a ring. The station with the token may work: 2 states for each station.
fn token_ring(stations: u32) -> String {
    let mut vectors = Vec::new();
    for station in 0..stations {
        let number = station + 1;
        let next = number % stations;
        if stations > 1 {
            let parts = [(station, "give"), (next, "take")];
            vectors.push(vector(stations, &parts, &format!("pass !{number}")));
        }
        vectors.push(vector(
            stations,
            &[(station, "begin")],
            &format!("begin !{number}"),
        ));
        vectors.push(vector(
            stations,
            &[(station, "end")],
            &format!("end !{number}"),
        ));
    }
    parallel(&vectors, stations, |station| match station {
        0 => "des (1, 4, 3) (0, take, 1) (1, give, 0) (1, \"begin\", 2) (2, \"end\", 1)",
        _ => "des (0, 4, 3) (0, take, 1) (1, give, 0) (1, \"begin\", 2) (2, \"end\", 1)",
    })
}

/// Returns a synchronisation vector in which some of the processes take part.
fn vector(processes: u32, parts: &[(u32, &str)], result: &str) -> String {
    let part = |process| {
        let own = parts.iter().find(|part| part.0 == process);
        own.map_or("_".to_owned(), |(_, label)| format!("\"{label}\""))
    };
    let parts: Vec<String> = (0..processes).map(part).collect();
    format!("{} -> \"{result}\"", parts.join(" * "))
}

/// Returns a parallel composition of processes.
fn parallel(vectors: &[String], processes: u32, process: impl Fn(u32) -> &'static str) -> String {
    let mut text = format!("par using\n    {}\nin\n", vectors.join(",\n    "));
    for number in 0..processes {
        let or = if number == 0 { "  " } else { "||" };
        // Writing to a string cannot fail.
        let _ = writeln!(text, " {or} {}", process(number));
    }
    text + "end par\n"
}

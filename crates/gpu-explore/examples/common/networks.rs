//! Networks of any size whose state spaces have known sizes.

use gpu_explore::Counts;
use lts_network::Network;
use std::error::Error;

/// The number of states of a ring.
const RING: usize = 32;

/// A network, and the size of its state space.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) network: Network,
    pub(crate) counts: Counts,
}

pub(crate) fn compile(text: &str) -> Result<Network, Box<dyn Error>> {
    let behaviour = lts_formats::read_exp(text.as_bytes())?;
    Ok(Network::compile(&behaviour, |file| {
        Err(format!("no file {}", file.path))
    })?)
}

/// Returns a pipeline of this many cells, each of which consists of this many processes.
pub(crate) fn pipeline(cells: u32, replicas: usize) -> Result<Case, Box<dyn Error>> {
    let n = cells as usize;
    let vector = |put: Option<usize>, get: Option<usize>, result: &str| {
        let part = |cell| match Some(cell) {
            cell if cell == put => "put",
            cell if cell == get => "get",
            _ => "_",
        };
        let parts: Vec<&str> = (0..n).flat_map(|cell| vec![part(cell); replicas]).collect();
        format!("{} -> {result}", parts.join(" * "))
    };
    let mut vectors = vec![vector(None, Some(0), "\"in\"")];
    vectors.extend((1..n).map(|cell| vector(Some(cell - 1), Some(cell), &format!("m{cell}"))));
    vectors.push(vector(Some(n - 1), None, "\"out\""));
    let cell = "des (0, 2, 2) (0, get, 1) (1, put, 0)";
    let text = format!(
        "par using {} in {} end par",
        vectors.join(", "),
        vec![cell; n * replicas].join(" || ")
    );
    let transitions = (1 << cells) + (u64::from(cells) - 1) * (1 << (cells - 2));
    Ok(Case {
        name: format!("pipeline of {cells} cells of {replicas}"),
        network: compile(&text)?,
        counts: Counts {
            states: 1 << cells,
            choices: transitions,
            transitions,
            deadlocks: 0,
        },
    })
}

/// Returns a network of this many rings.
pub(crate) fn rings(count: u32) -> Result<Case, Box<dyn Error>> {
    let steps = (0..RING).map(|state| format!("({state}, turn, {})", (state + 1) % RING));
    let steps: Vec<String> = steps.collect();
    let ring = format!("des (0, {RING}, {RING}) {}", steps.join(" "));
    let states = (RING as u64).pow(count);
    Ok(Case {
        name: format!("{count} rings"),
        network: compile(&format!(
            "par {} end par",
            vec![ring; count as usize].join(" || ")
        ))?,
        counts: Counts {
            states,
            choices: u64::from(count) * states,
            transitions: u64::from(count) * states,
            deadlocks: 0,
        },
    })
}

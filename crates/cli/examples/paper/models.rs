//! The eight models of the table, how others do on them, and how they are built.

use crate::system::PrismSystem;
use explore::{Options, explore};
use mdp_graph::MdpGraph;
use std::error::Error;
use std::path::Path;

/// A model, and what its times are compared with.
pub(crate) struct Model {
    pub(crate) name: &'static str,
    /// The source in PRISM's language, and its constants.
    pub(crate) source: (&'static str, &'static [(&'static str, &'static str)]),
    /// How others do, where that was measured.
    pub(crate) peers: Option<Peers>,
}

/// How others do on a model.
pub(crate) struct Peers {
    /// Milliseconds of ECL-SCC (M. Burtscher et al.: *A High-Performance GPU Implementation of Strongly Connected
    /// Components*, SC 2023) on an H200, from a graph on the device to components there.
    pub(crate) ecl_ms: f64,
    /// Seconds of scipy's SCCs and of Storm 2.0's MECs, on one core of the H200's host.
    pub(crate) scipy_s: f64,
    pub(crate) storm_s: f64,
    /// Milliseconds that SCCs and MECs are to take.
    pub(crate) aims_ms: [f64; 2],
}

pub(crate) const MODELS: [Model; 8] = [
    Model {
        name: "phil7",
        source: ("phil7.nm", &[]),
        peers: Some(Peers {
            ecl_ms: 6.7,
            scipy_s: 5.8,
            storm_s: 14.7,
            aims_ms: [3.0, 5.0],
        }),
    },
    Model {
        name: "rabin5",
        source: ("rabin5.nm", &[]),
        peers: Some(Peers {
            ecl_ms: 26.0,
            scipy_s: 8.6,
            storm_s: 23.0,
            aims_ms: [10.0, 16.0],
        }),
    },
    Model {
        name: "mutual6",
        source: ("mutual6.nm", &[]),
        peers: Some(Peers {
            ecl_ms: 3.1,
            scipy_s: 0.49,
            storm_s: 3.7,
            aims_ms: [1.5, 2.5],
        }),
    },
    Model {
        name: "coin6 K=6",
        source: ("coin6.nm", &[("K", "6")]),
        peers: Some(Peers {
            ecl_ms: 44.0,
            scipy_s: 0.30,
            storm_s: 3.3,
            aims_ms: [15.0, 25.0],
        }),
    },
    Model {
        name: "zeroconf T=100 K=4",
        source: (
            "zeroconf_time_bounded.nm",
            &[("reset", "false"), ("T", "100"), ("N", "1000"), ("K", "4")],
        ),
        peers: Some(Peers {
            ecl_ms: 125.0,
            scipy_s: 0.85,
            storm_s: 5.8,
            aims_ms: [12.0, 16.0],
        }),
    },
    Model {
        name: "wlan6 TTM=2500",
        source: ("wlan6.nm", &[("TRANS_TIME_MAX", "2500")]),
        peers: Some(Peers {
            ecl_ms: 1160.0,
            scipy_s: 0.65,
            storm_s: 5.1,
            aims_ms: [40.0, 60.0],
        }),
    },
    Model {
        name: "wlan6 TTM=500",
        source: ("wlan6.nm", &[("TRANS_TIME_MAX", "500")]),
        peers: Some(Peers {
            ecl_ms: 558.0,
            scipy_s: 0.34,
            storm_s: 1.6,
            aims_ms: [25.0, 40.0],
        }),
    },
    Model {
        name: "leader6",
        source: ("leader6.nm", &[]),
        peers: Some(Peers {
            ecl_ms: 2.4,
            scipy_s: 0.0135,
            storm_s: 0.11,
            aims_ms: [1.5, 3.0],
        }),
    },
];

/// Zeroconf with a deadline of `T`, as [`MODELS`] has it with 100: from 150 thousand to 46 million edges.
pub(crate) const GROWING: [Model; 5] = [
    zeroconf(
        "T=11",
        &[("reset", "false"), ("T", "11"), ("N", "1000"), ("K", "4")],
    ),
    zeroconf(
        "T=20",
        &[("reset", "false"), ("T", "20"), ("N", "1000"), ("K", "4")],
    ),
    zeroconf(
        "T=40",
        &[("reset", "false"), ("T", "40"), ("N", "1000"), ("K", "4")],
    ),
    zeroconf(
        "T=70",
        &[("reset", "false"), ("T", "70"), ("N", "1000"), ("K", "4")],
    ),
    zeroconf(
        "T=100",
        &[("reset", "false"), ("T", "100"), ("N", "1000"), ("K", "4")],
    ),
];

const fn zeroconf(name: &'static str, constants: &'static [(&'static str, &'static str)]) -> Model {
    Model {
        name,
        source: ("zeroconf_time_bounded.nm", constants),
        peers: None,
    }
}

/// Explores the states of a model whose source lies in `folder`; deadlocks get a self-loop.
pub(crate) fn build(model: &Model, folder: &Path) -> Result<MdpGraph, Box<dyn Error>> {
    let (file, constants) = model.source;
    let path = folder.join(file);
    let source = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let program = prism_language::parse(&source)?.compile(constants)?;
    Ok(explore(&PrismSystem(program), &Options::default())?.graph)
}

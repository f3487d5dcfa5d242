//! The eight models of the table, how others do on them, the papers' other models, and how all are
//! built.

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
    /// Milliseconds of ECL-SCC (M. Burtscher et al.: *A High-Performance GPU Implementation of
    /// Strongly Connected Components*, SC 2023) on an H200, from a graph on the device to
    /// components there.
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

/// The papers' own models at full size that are not among [`MODELS`]; where the text of today
/// differs from theirs, `docs/benchmarks/history/2026-11-h200-papers.md` says how.
pub(crate) const LARGE: [Model; 6] = [
    plain("leader7", "leader7.nm", &[]),
    plain("diningcrypt10", "dining_crypt10.nm", &[]),
    plain("mutual7", "mutual7.nm", &[]),
    plain(
        "zeroconf T=200 K=6",
        "zeroconf_time_bounded.nm",
        &[("reset", "false"), ("T", "200"), ("N", "1000"), ("K", "6")],
    ),
    plain(
        "firewire deadline=800",
        "firewire_deadline.nm",
        &[("delay", "36"), ("deadline", "800"), ("fast", "0.2")],
    ),
    plain("coin8 K=3", "coin8.nm", &[("K", "3")]),
];

const fn plain(
    name: &'static str,
    file: &'static str,
    constants: &'static [(&'static str, &'static str)],
) -> Model {
    Model {
        name,
        source: (file, constants),
        peers: None,
    }
}

/// A model at five sizes over two decades and more.
pub(crate) struct Family {
    pub(crate) name: &'static str,
    pub(crate) models: [Model; 5],
}

/// One strongly connected model, and one without cycles that gets deeper as it grows.
pub(crate) const GROWING: [Family; 2] = [
    Family {
        name: "phil_lss4",
        models: [
            philosophers("phil_lss4 K=3", &[("K", "3")]),
            philosophers("phil_lss4 K=4", &[("K", "4")]),
            philosophers("phil_lss4 K=6", &[("K", "6")]),
            philosophers("phil_lss4 K=8", &[("K", "8")]),
            philosophers("phil_lss4 K=10", &[("K", "10")]),
        ],
    },
    Family {
        name: "zeroconf",
        models: [
            zeroconf(
                "zeroconf T=11",
                &[("reset", "false"), ("T", "11"), ("N", "1000"), ("K", "4")],
            ),
            zeroconf(
                "zeroconf T=20",
                &[("reset", "false"), ("T", "20"), ("N", "1000"), ("K", "4")],
            ),
            zeroconf(
                "zeroconf T=40",
                &[("reset", "false"), ("T", "40"), ("N", "1000"), ("K", "4")],
            ),
            zeroconf(
                "zeroconf T=70",
                &[("reset", "false"), ("T", "70"), ("N", "1000"), ("K", "4")],
            ),
            zeroconf(
                "zeroconf T=100",
                &[("reset", "false"), ("T", "100"), ("N", "1000"), ("K", "4")],
            ),
        ],
    },
];

const fn philosophers(
    name: &'static str,
    constants: &'static [(&'static str, &'static str)],
) -> Model {
    plain(name, "phil_lss4.nm", constants)
}

const fn zeroconf(name: &'static str, constants: &'static [(&'static str, &'static str)]) -> Model {
    plain(name, "zeroconf_time_bounded.nm", constants)
}

/// Explores the states of a model whose source lies in `folder`; deadlocks get a self-loop.
pub(crate) fn build(model: &Model, folder: &Path) -> Result<MdpGraph, Box<dyn Error>> {
    let (file, constants) = model.source;
    let path = folder.join(file);
    let source = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let program = prism_language::parse(&source)?.compile(constants)?;
    Ok(explore(&PrismSystem(program), &Options::default())?.graph)
}

//! The device under test, and graphs on it.
//!
//! The device is Mesa's lavapipe, or the adapter that `MAXEND_ADAPTER` names. Without it, tests
//! print a message and are skipped; if `CI` or `MAXEND_REQUIRE_GPU` is set, they fail.

use crate::common::graph;
use crate::variants::{Kind, Variant};
use decompose::gpu::{FbtGraph, FbtOptions, GpuOptions, HostGraph, Statistics};
use decompose::{ComponentSearch, Error, Silent};
use gpu::{Gpu, Request};
use mdp_graph::{Components, Digraph, MdpGraph};
use std::sync::OnceLock;
use test_models::{Devices, adapter, device_or_skip};

/// Opens the adapter under test, if it exists.
pub(crate) fn open() -> Option<Gpu> {
    open_on(&Request::named(adapter()))
}

/// Returns the same device for all tests. Its kernels run without checks, as in release builds,
/// unless they need them.
pub(crate) fn unchecked() -> Option<&'static Gpu> {
    static UNCHECKED: OnceLock<Option<Gpu>> = OnceLock::new();
    let request = || Request {
        checks: Some(false),
        ..Request::named(adapter())
    };
    UNCHECKED.get_or_init(|| open_on(&request())).as_ref()
}

fn open_on(request: &Request) -> Option<Gpu> {
    device_or_skip(Gpu::open(request))
}

/// Returns the device of a test.
pub(crate) fn engine() -> Option<&'static Gpu> {
    static ENGINES: Devices<Gpu> = Devices::new();
    ENGINES.of_thread(open)
}

/// A graph on the device, for either kind of search.
#[derive(Debug)]
pub(crate) struct Ready {
    pub(crate) kind: Kind,
    pub(crate) loaded: FbtGraph,
}

impl Ready {
    pub(crate) fn load(
        engine: &Gpu,
        graph: &MdpGraph,
        kind: Kind,
        options: &FbtOptions,
    ) -> Result<Self, Error> {
        Self::load_in_shards(engine, graph, kind, &GpuOptions::from(*options))
    }

    fn load_in_shards(
        engine: &Gpu,
        graph: &MdpGraph,
        kind: Kind,
        options: &GpuOptions,
    ) -> Result<Self, Error> {
        let digraph = Digraph::new(graph);
        let host = match kind {
            Kind::Sccs => HostGraph::Edges(&digraph),
            Kind::Mecs => HostGraph::Choices(graph),
        };
        let loaded = FbtGraph::load(engine, host, options)?;
        Ok(Self { kind, loaded })
    }

    /// Loads a graph in the layout of `variant`, which may ask for shards.
    pub(crate) fn of_variant(
        engine: &Gpu,
        graph: &MdpGraph,
        kind: Kind,
        variant: &Variant,
    ) -> Self {
        if !variant.shards {
            return Self::load(engine, graph, kind, &variant.options).expect("the graph fits");
        }
        let mut options = GpuOptions::from(variant.options);
        let mut bytes = (graph.num_branches() as u64 * 4 / 5).max(256);
        loop {
            options.max_binding = Some(bytes);
            match Self::load_in_shards(engine, graph, kind, &options) {
                Err(Error::BindingTooSmall { least, .. }) => bytes = bytes.max(least),
                loaded => return loaded.expect("the graph fits in shards"),
            }
        }
    }

    pub(crate) fn set_search_options(&mut self, options: &FbtOptions) {
        self.loaded.set_search_options(options);
    }

    pub(crate) fn components(
        &self,
        graph: &MdpGraph,
        search: ComponentSearch,
    ) -> (Components, Statistics) {
        let found = self.loaded.find_components(search, &Silent);
        let (marks, statistics) = found.expect("it succeeds");
        let components = match self.kind {
            Kind::Sccs => Components::from_scc_marks(graph, marks),
            Kind::Mecs => Components::from_mec_marks(marks),
        };
        (components, statistics)
    }

    pub(crate) fn is_restored(&self) -> bool {
        let restored = self.loaded.is_restored();
        restored.expect("the graph can be read back")
    }
}

/// Checks what variants find, and that they leave the graph as it was. Loads each layout once if
/// its variants come together.
pub(crate) fn check(
    engine: &Gpu,
    graph: &MdpGraph,
    kind: Kind,
    expected: &Components,
    variants: &[Variant],
) {
    for variants in variants.chunk_by(|a, b| a.layout() == b.layout()) {
        let mut ready = Ready::of_variant(engine, graph, kind, &variants[0]);
        for variant in variants {
            ready.set_search_options(&variant.options);
            let (found, _) = ready.components(graph, variant.search);
            assert!(found == *expected, "{kind:?}: {variant:?}");
        }
        assert!(
            ready.is_restored(),
            "{kind:?}: {variants:?} have changed the graph"
        );
    }
}

/// Returns the components that the CPU finds.
pub(crate) fn expected(graph: &MdpGraph, kind: Kind) -> Components {
    let options = decompose::Options::default();
    let found = match kind {
        Kind::Sccs => decompose::scc(graph, &options),
        Kind::Mecs => decompose::mec(graph, &options),
    };
    found.expect("the CPU never fails")
}

/// Returns a path of `n` states, each of which also leads back.
pub(crate) fn path_both_ways(n: u32) -> MdpGraph {
    let row = |s: u32| {
        let mut targets = vec![s.saturating_sub(1), (s + 1).min(n - 1)];
        targets.dedup();
        vec![targets]
    };
    graph(&(0..n).map(row).collect())
}

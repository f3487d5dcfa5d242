//! A graph that is to be searched on a GPU: [`HostGraph`], in the memory of the host, or
//! [`GraphLocation`], there or on the GPU.

use super::device_graph::DeviceGraph;
use mdp_graph::{ComponentKind, Digraph, MdpGraph};

/// A graph in the memory of the host. What it consists of says which components are searched for.
#[derive(Clone, Copy, Debug)]
pub enum HostGraph<'g> {
    /// Edges, to be searched for strongly connected components.
    Edges(&'g Digraph),
    /// Choices, to be searched for maximal end components.
    Choices(&'g MdpGraph),
}

impl HostGraph<'_> {
    /// Returns the components to be searched for.
    pub fn kind(self) -> ComponentKind {
        match self {
            Self::Edges(_) => ComponentKind::Scc,
            Self::Choices(_) => ComponentKind::Mec,
        }
    }

    /// Returns the number of states.
    pub fn num_states(self) -> usize {
        match self {
            Self::Edges(graph) => graph.num_states(),
            Self::Choices(graph) => graph.num_states(),
        }
    }

    /// Returns the number of edges, or of branches.
    pub fn num_edges(self) -> usize {
        match self {
            Self::Edges(graph) => graph.num_edges(),
            Self::Choices(graph) => graph.num_branches(),
        }
    }

    /// Returns the number of numbers in all arrays.
    pub(super) fn num_numbers(self) -> usize {
        let offsets = match self {
            Self::Edges(graph) => graph.offsets().len(),
            Self::Choices(graph) => graph.choice_offsets().len() + graph.branch_offsets().len(),
        };
        offsets + self.num_edges()
    }
}

/// A graph to be searched, and where it is.
#[derive(Clone, Copy, Debug)]
pub enum GraphLocation<'g> {
    /// In the memory of the host.
    OnHost(HostGraph<'g>),
    /// On the GPU, to be searched for components of this kind. A state may have several edges to
    /// the same target.
    OnDevice(&'g DeviceGraph, ComponentKind),
}

impl GraphLocation<'_> {
    /// Returns the components to be searched for. Bottom components are found from the strongly
    /// connected ones.
    pub(super) fn kind(self) -> ComponentKind {
        match self {
            Self::OnHost(graph) => graph.kind(),
            Self::OnDevice(_, ComponentKind::Mec) => ComponentKind::Mec,
            Self::OnDevice(_, ComponentKind::Scc | ComponentKind::Bscc) => ComponentKind::Scc,
        }
    }

    pub(super) fn num_states(self) -> usize {
        match self {
            Self::OnHost(graph) => graph.num_states(),
            Self::OnDevice(graph, _) => graph.num_states(),
        }
    }

    /// Returns the number of choices, or 0 if they do not matter.
    pub(super) fn num_choices(self) -> usize {
        match self {
            Self::OnHost(HostGraph::Choices(graph)) => graph.num_choices(),
            Self::OnHost(HostGraph::Edges(_)) => 0,
            Self::OnDevice(graph, _) => graph.num_choices(),
        }
    }
}

impl<'g> From<HostGraph<'g>> for GraphLocation<'g> {
    fn from(graph: HostGraph<'g>) -> Self {
        Self::OnHost(graph)
    }
}

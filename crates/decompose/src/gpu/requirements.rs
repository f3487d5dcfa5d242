//! The requirements of a search on an adapter. They are checked before anything is laid out. The
//! error names the kernel, what it needs, and what the adapter allows.

use super::options::{Candidates, FbtOptions, Pivot};
use crate::Error;
use ::gpu::{AdapterInfo, Kernel, kernels};
use mdp_graph::ComponentKind;

/// Checks that an adapter can search for components of a kind as the papers do, with the kernels
/// that `options` choose. WebGPU guarantees eight storage buffers per kernel, which are enough for
/// SCCs but not for MECs; most drivers allow many more.
///
/// # Errors
/// [`Error::Gpu`], which names the kernel that needs most, how much it needs, and what the adapter
/// allows.
pub fn can_search(
    info: &AdapterInfo,
    kind: ComponentKind,
    options: &FbtOptions,
) -> Result<(), Error> {
    can_run(info, |kernel| is_of_fbt(kernel, kind, options))
}

/// Checks the same for the worklist engine, which needs more: 12 storage buffers per kernel for
/// SCCs, and 17 for MECs.
///
/// # Errors
/// As [`can_search`].
pub fn can_search_worklist(info: &AdapterInfo, kind: ComponentKind) -> Result<(), Error> {
    can_run(info, |kernel| is_of_worklist(kernel, kind))
}

/// Returns whether the worklist engine can search with inline adjacency
/// (`shaders/worklist/lib/inline_adjacency.wgsl`).
pub(super) fn can_search_inline(info: &AdapterInfo, kind: ComponentKind) -> bool {
    let variant = match kind {
        ComponentKind::Scc | ComponentKind::Bscc => "INLINE",
        ComponentKind::Mec => "CHOICES+INLINE",
    };
    can_run(info, |kernel| {
        kernel.name == "csr/inline_adjacency"
            || kernel.name == "worklist/step" && kernel.variant == variant
    })
    .is_ok()
}

/// Returns whether the worklist engine needs this kernel, to lay out the graph or to search it.
/// Kernels that it can do without are not among these.
fn is_of_worklist(kernel: &Kernel, kind: ComponentKind) -> bool {
    let is_there = ["worklist/", "functional/", "csr/", "basic/"]
        .iter()
        .any(|folder| kernel.name.starts_with(folder))
        && kernel.name != "csr/inline_adjacency";
    let has_choices = kernels::ALL
        .iter()
        .any(|other| other.name == kernel.name && other.variant == "CHOICES");
    let variant = match kind {
        ComponentKind::Mec if has_choices => "CHOICES",
        _ => "plain",
    };
    is_there && kernel.variant == variant
}

fn can_run(info: &AdapterInfo, is_taken: impl Fn(&Kernel) -> bool) -> Result<(), Error> {
    let mut taken: Vec<_> = kernels::ALL
        .iter()
        .filter(|kernel| is_taken(kernel))
        .collect();
    taken.sort_by_key(|kernel| std::cmp::Reverse(kernel.storage_buffers()));
    Ok(taken
        .into_iter()
        .try_for_each(|kernel| info.can_run(kernel))?)
}

/// Returns whether a search may run this kernel. (If there turns out to be no room for the
/// transpose, other kernels replace its kernels; they are checked when they are compiled.)
fn is_of_fbt(kernel: &Kernel, kind: ComponentKind, options: &FbtOptions) -> bool {
    let is_chosen = |flag| match flag {
        "plain" | "TELL" | "LONG" => true,
        "HYBRID" => options.hybrid && options.transpose,
        "CACHED" => options.cache_hops > 0,
        "AGGREGATED" => options.pivot == Pivot::Aggregated,
        "JOIN" => options.candidates == Candidates::Join,
        "CHOICES" => kind == ComponentKind::Mec,
        "PULL" => !options.transpose,
        _ => false,
    };
    let is_of_kind = kind == ComponentKind::Mec || !kernel.name.starts_with("fbt/mec_");
    kernel.name.starts_with("fbt/") && is_of_kind && kernel.variant.split('+').all(is_chosen)
}

#[cfg(test)]
mod tests;

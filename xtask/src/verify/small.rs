//! Kernels with small workgroups, lists and limits. With them, small inputs reach code that
//! otherwise requires rows of thousands of edges, full lists, or many workgroups.
//!
//! Sizes by which hosts reserve memory stay as they are.

use verify::run::Scale;

/// The number of invocations of a small workgroup.
const SIZE: (&str, u32) = ("SIZE", 4);

/// The changes of constants. The first one that matches a kernel is applied.
pub(super) const SMALL: &[Scale] = &[
    // The host reserves memory for a sum for each block.
    scale("csr/sum", &[], 1),
    scale("csr/carry", &[], 1),
    // Each invocation of this kernel has a place in a list of 32.
    scale("csr/lengths", &[("SIZE", 32)], 4),
    scale("csr/", &[SIZE], 4),
    scale("basic/", &[SIZE], 4),
    scale(
        "bfs/level",
        &[
            SIZE,
            ("LAID_OUT_ROW", 9),
            ("NARROW_ROWS", 12),
            ("NARROW_EDGES", 64),
            ("WIDE_ROWS", 2),
            ("WIDE_LEVELS", 2),
            ("BATCH_SHARE", 1),
            ("BATCH_ROWS", 2),
            ("GROWTH", 1),
            ("SHARE", 2),
            ("FOUND", 24),
            ("HALF", 12),
            ("SPILL_ABOVE", 3),
        ],
        1,
    ),
    scale(
        "bfs/",
        &[
            SIZE,
            ("BLOCK_WORDS", 1),
            ("BLOCK", 32),
            ("SPARSE_LEVELS", 1),
            ("TEAM", 2),
            ("STEPS", 1),
            ("EDGES_ALONE", 5),
            ("LINE_LOG2", 1),
        ],
        4,
    ),
    scale(
        "fbt/",
        &[
            SIZE,
            ("BLOCK", 32),
            ("LONG_LIST", 3),
            ("LONG_BUDGET", 20),
            ("CACHE", 8),
            ("WORDS", 1),
        ],
        4,
    ),
    scale("functional/", &[SIZE], 4),
    scale("cycle_mean/", &[SIZE], 4),
    scale("long_run/", &[SIZE], 4),
    scale("worklist/", SMALL_WORKLIST, 1),
];

/// Changes of constants of the worklist engine, whose host uses one workgroup for a certain number
/// of states: small graphs get several workgroups.
pub(super) const SEVERAL_GROUPS: &[Scale] = &[scale("worklist/", SMALL_WORKLIST, 8)];

const SMALL_WORKLIST: &[(&str, u32)] = &[
    ("SIZE", 8),
    ("LOG_SIZE", 3),
    ("FEW", 1),
    ("NARROW", 8),
    ("LITTLE", 4),
    ("PIVOT_BATCH", 32),
    ("FULL_SHARES", 2),
    ("MAX_PASSES_BY_NUMBER", 2),
    ("MANY_CHAINED", 2),
    ("SMALL_REGION", 4),
    ("MAX_REPEATS", 3),
];

const fn scale(
    kernels: &'static str,
    values: &'static [(&'static str, u32)],
    groups: u32,
) -> Scale {
    Scale {
        kernels,
        values,
        groups,
    }
}

#[cfg(test)]
mod tests {
    use verify::Program;
    use verify::mutate::sites;

    use super::*;

    /// Each constant is one of a kernel, and the changed kernels are the same programs: a change at
    /// a place of one is at the same place of the other.
    #[test]
    fn small_kernels_are_valid() {
        for scale in SMALL {
            let first = |name: &str| {
                let mut all = SMALL.iter();
                let first = all.find(|scale| name.starts_with(scale.kernels));
                first.is_some_and(|first| first.kernels == scale.kernels)
            };
            let mut unknown: Vec<&str> = scale.values.iter().map(|(name, _)| *name).collect();
            for kernel in gpu::kernels::ALL.iter().filter(|kernel| first(kernel.name)) {
                let constants: Vec<_> = kernel.constants.iter().map(|&name| (name, 32)).collect();
                let usual = Program::of_kernel(kernel, &constants).expect("it is valid");
                let small = Program::with_values(kernel, &constants, scale.values);
                let small = small.unwrap_or_else(|error| panic!("{}: {error}", kernel.label()));
                let places = |program| -> Vec<_> {
                    let sites = sites(program).into_iter();
                    let places =
                        sites.map(|site| (site.mutation, site.place.file, site.place.line));
                    places.collect()
                };
                assert_eq!(places(&usual), places(&small), "{}", kernel.label());
                let source = kernel.source;
                unknown.retain(|name| !source.contains(&format!("\nconst {name} = ")));
            }
            assert_eq!(unknown, Vec::<&str>::new(), "{}", scale.kernels);
        }
    }
}

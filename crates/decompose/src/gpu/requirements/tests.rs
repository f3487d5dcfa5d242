//! Tests of which adapters are refused, and with which messages.

use super::can_search;
use crate::gpu::{Candidates, FbtOptions, Pivot};
use ::gpu::{AdapterInfo, AdapterKind, Limits};
use mdp_graph::ComponentKind;

/// Returns an adapter whose kernels bind at most this many storage buffers.
fn small_adapter(max_bindings: u32, subgroups: bool) -> AdapterInfo {
    AdapterInfo {
        name: "a small adapter".to_owned(),
        backend: "vulkan".to_owned(),
        driver: "a driver".to_owned(),
        kind: AdapterKind::Integrated,
        subgroup_sizes: (16, 16),
        subgroups,
        timestamps: false,
        limits: Limits {
            max_binding_bytes: 128 << 20,
            max_buffer_bytes: 256 << 20,
            max_bindings,
            max_workgroups: 65_535,
            max_invocations: 256,
            max_workgroup_bytes: 16 << 10,
            max_params_bytes: 64 << 10,
        },
    }
}

#[test]
fn an_adapter_that_binds_too_few_buffers_is_refused_by_name_and_number() {
    let default = FbtOptions::default;
    let small =
        |bindings, kind, options| can_search(&small_adapter(bindings, true), kind, &options);
    let refused = |bindings, options| {
        small(bindings, ComponentKind::Mec, options)
            .unwrap_err()
            .to_string()
    };
    // The limits that WebGPU guarantees are enough for SCCs, in all variants.
    for (hybrid, transpose) in [(true, true), (true, false), (false, true)] {
        let options = FbtOptions {
            hybrid,
            transpose,
            candidates: Candidates::Join,
            ..default()
        };
        assert_eq!(small(8, ComponentKind::Scc, options), Ok(()));
    }
    insta::assert_snapshot!(refused(8, default()), @"the kernel `fbt/search (HYBRID+CHOICES)` (storage buffers) needs 12, the adapter allows 8");
    insta::assert_snapshot!(refused(11, FbtOptions { transpose: false, ..default() }), @"the kernel `fbt/mec_leaving (PULL)` (storage buffers) needs 13, the adapter allows 11");
    insta::assert_snapshot!(refused(10, FbtOptions { hybrid: false, ..default() }), @"the kernel `fbt/mec_leaving` (storage buffers) needs 11, the adapter allows 10");
    assert_eq!(small(12, ComponentKind::Mec, default()), Ok(()));
    assert_eq!(
        small(
            13,
            ComponentKind::Mec,
            FbtOptions {
                transpose: false,
                ..default()
            }
        ),
        Ok(())
    );
}

#[test]
fn an_adapter_without_subgroups_can_take_plain_pivots() {
    let adapter = small_adapter(16, false);
    let with = |pivot| {
        can_search(
            &adapter,
            ComponentKind::Scc,
            &FbtOptions {
                pivot,
                ..FbtOptions::default()
            },
        )
    };
    assert_eq!(with(Pivot::Plain), Ok(()));
    insta::assert_snapshot!(with(Pivot::Aggregated).unwrap_err(), @"the kernel `fbt/select_pivots (AGGREGATED)` needs subgroup operations, which this adapter does not have");
}

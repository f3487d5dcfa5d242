//! Tests the output for invented adapters, so that it is the same on every machine.

use super::{size, write_json, write_text};
use gpu::{AdapterInfo, AdapterKind, Limits};
use std::io::{self, Write};

fn adapters() -> Vec<AdapterInfo> {
    let card = AdapterInfo {
        name: "A \"Card\" 200".to_owned(),
        backend: "vulkan".to_owned(),
        driver: "NVIDIA 570.1".to_owned(),
        kind: AdapterKind::Discrete,
        subgroup_sizes: (32, 32),
        subgroups: true,
        timestamps: true,
        limits: Limits {
            max_binding_bytes: (2 << 30) - 4,
            max_buffer_bytes: 4 << 30,
            max_bindings: 16,
            max_workgroups: 65_535,
            max_invocations: 1024,
            max_workgroup_bytes: 48 << 10,
            max_params_bytes: 64 << 10,
        },
    };
    // The adapter supports only what WebGPU guarantees everywhere.
    let software = AdapterInfo {
        name: "llvmpipe".to_owned(),
        driver: "Mesa 25.0".to_owned(),
        kind: AdapterKind::Software,
        subgroup_sizes: (8, 8),
        subgroups: false,
        timestamps: false,
        limits: Limits {
            max_bindings: 8,
            ..card.limits
        },
        ..card.clone()
    };
    vec![card, software]
}

fn text(write: fn(&mut dyn Write, &[AdapterInfo]) -> io::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes, &adapters()).expect("memory can be written to");
    String::from_utf8(bytes).expect("it is text")
}

#[test]
fn as_text() {
    insta::assert_snapshot!(text(write_text), @r#"
    A "Card" 200
      number            0
      kind              discrete GPU
      backend           vulkan
      driver            NVIDIA 570.1
      binding           2,147,483,644 bytes (2.0 GiB)
      buffer            4,294,967,296 bytes (4.0 GiB)
      workgroup memory  49,152 bytes (48.0 KiB)
      storage buffers   16
      subgroup sizes    32 to 32
      subgroups         yes
      timestamps        yes
      finds SCCs        yes
      finds MECs        yes, but only by the slower `--search fbt`: the kernel `worklist/colouring (CHOICES)` (storage buffers) needs 17, the adapter allows 16

    llvmpipe
      number            1
      kind              software
      backend           vulkan
      driver            Mesa 25.0
      binding           2,147,483,644 bytes (2.0 GiB)
      buffer            4,294,967,296 bytes (4.0 GiB)
      workgroup memory  49,152 bytes (48.0 KiB)
      storage buffers   8
      subgroup sizes    8 to 8
      subgroups         no
      timestamps        no
      finds SCCs        no: the kernel `fbt/select_pivots (AGGREGATED)` needs subgroup operations, which this adapter does not have
      finds MECs        no: the kernel `fbt/search (HYBRID+CHOICES)` (storage buffers) needs 12, the adapter allows 8
    "#);
}

#[test]
fn as_json() {
    insta::assert_snapshot!(text(write_json), @r#"
    {
      "schema": "maxend-devices",
      "schema_version": 1,
      "adapters": [
        {
          "name": "A \"Card\" 200",
          "kind": "discrete",
          "backend": "vulkan",
          "driver": "NVIDIA 570.1",
          "max_binding_bytes": 2147483644,
          "max_buffer_bytes": 4294967296,
          "max_workgroup_bytes": 49152,
          "max_storage_buffers": 16,
          "subgroup_sizes": [
            32,
            32
          ],
          "subgroups": true,
          "timestamps": true
        },
        {
          "name": "llvmpipe",
          "kind": "software",
          "backend": "vulkan",
          "driver": "Mesa 25.0",
          "max_binding_bytes": 2147483644,
          "max_buffer_bytes": 4294967296,
          "max_workgroup_bytes": 49152,
          "max_storage_buffers": 8,
          "subgroup_sizes": [
            8,
            8
          ],
          "subgroups": false,
          "timestamps": false
        }
      ]
    }
    "#);
}

#[test]
fn sizes_are_in_the_largest_unit_below() {
    let sizes = [0, 1, 1023, 32768, 128 << 20, 5 << 40, u64::MAX].map(size);
    insta::assert_snapshot!(sizes.join("\n"), @"
    0 bytes
    1 byte
    1,023 bytes
    32,768 bytes (32.0 KiB)
    134,217,728 bytes (128.0 MiB)
    5,497,558,138,880 bytes (5.0 TiB)
    18,446,744,073,709,551,615 bytes (16,777,216 TiB)
    ");
}

//! Tests of single dispatches of any size, and of transfers to the device, on it, and back.

use gpu::{Groups, Recording, Request};

use crate::common;

#[test]
fn more_workgroups_than_a_dimension_holds_fold_into_two() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    // With 256 invocations in each, there are 70,000 workgroups.
    let words = 70_000 * 256 - 3;
    let buffer = gpu.zeroed::<u32>("words", words).unwrap();
    let mut recording = Recording::new();
    recording.fill(&buffer, 0xDEAD_BEEF);
    gpu.run(&recording).unwrap();
    assert!(
        gpu.read(&buffer)
            .unwrap()
            .iter()
            .all(|word| *word == 0xDEAD_BEEF)
    );
}

#[test]
fn transfers_happen_where_they_were_recorded() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let a = gpu.upload("a", &(0..10_u32).collect::<Vec<_>>()).unwrap();
    let b = gpu.zeroed::<u32>("b", 6).unwrap();
    let mut recording = Recording::new();
    let before = recording.read(&b, 0..6);
    recording.copy(&a, 3..7, &b, 1).write(&b, 0, &[90, 91]);
    let middle = recording.read(&b, 0..6);
    recording.fill(&b, 0);
    let after = recording.read(&b, 2..4);
    let nothing = recording.read(&b, 6..6);
    let outcome = gpu.run(&recording).unwrap();
    assert_eq!(outcome.get(before), [0; 6]);
    assert_eq!(outcome.get(middle), [90, 91, 4, 5, 6, 0]);
    assert_eq!(outcome.get(after), [0, 0]);
    assert_eq!(outcome.get(nothing), [0_u32; 0]);
    assert_eq!(outcome.submissions, 1);
}

#[test]
fn large_transfers_come_back_as_they_went() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    // The first transfer takes several rounds of the ring, and its last chunk is shorter than the
    // others. The second one writes a part that begins at an odd place.
    let data: Vec<u32> = (0..26_000_001_u32)
        .map(|i| i.wrapping_mul(2_654_435_761))
        .collect();
    let buffer = gpu.upload("data", &data).unwrap();
    assert!(gpu.read(&buffer).unwrap() == data);
    gpu.write(&buffer, 1_000_003, &data[..7_000_001]).unwrap();
    let back = gpu.read_range(&buffer, 1_000_000..9_000_000).unwrap();
    assert!(back[..3] == data[1_000_000..1_000_003] && back[3..7_000_004] == data[..7_000_001]);
    assert!(back[7_000_004..] == data[8_000_004..9_000_000]);
}

#[test]
fn blocks_are_copied_whole_by_any_number_of_workgroups() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let blocks: Vec<[u32; 4]> = (0..1000).map(|i| [i, !i, i * i, 7]).collect();
    for groups in [Groups::Over(1000), Groups::Fixed([3, 1, 1])] {
        let from = gpu.upload("from", &blocks).unwrap();
        let to = gpu.zeroed("to", 1000).unwrap();
        let pass = gpu::kernels::basic::Copy {
            from_blocks: &from,
            to_blocks: &to,
        };
        gpu.run(Recording::new().dispatch(&pass, groups)).unwrap();
        assert_eq!(gpu.read(&to).unwrap(), blocks);
    }
}

#[test]
fn empty_buffers_can_be_uploaded_and_read() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let buffer = gpu.upload::<u32>("nothing", &[]).unwrap();
    assert!(buffer.is_empty());
    assert_eq!(gpu.read(&buffer).unwrap(), []);
}

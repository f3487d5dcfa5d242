//! Tests of cases that only code inside the executor can cause.

use std::sync::Arc;
use std::time::Duration;

use super::WgpuExecutor;
use super::sync::lock;
use super::transfer::Place;
use crate::adapter::{AdapterKind, Request};
use crate::buffer::{Buffer, BufferId, DeviceMemory};
use crate::error::{Error, Result};
use crate::executor::{Executor, Zeroing};
use crate::gpu::Gpu;
use crate::recording::Recording;
use crate::run_options::RunOptions;

fn open(request: &Request) -> Option<WgpuExecutor> {
    test_models::device_or_skip(WgpuExecutor::open(request))
}

fn is_lost<T: std::fmt::Debug>(result: &Result<T>) {
    assert!(
        matches!(result, Err(Error::DeviceLost { .. })),
        "{result:?}"
    );
}

#[test]
fn a_lost_device_is_an_error_from_then_on() {
    let Some(executor) = open(&Request::any()) else {
        return;
    };
    let id = BufferId::fresh();
    executor.create(id, "words", 16, Zeroing::Now).unwrap();
    executor.resources.device.raw.destroy();
    let mut data = [0; 16];
    is_lost(&executor.download(id, 0, &mut data));
    is_lost(&executor.upload(id, 0, &data));
    is_lost(&executor.create(BufferId::fresh(), "more", 16, Zeroing::Now));
}

#[test]
fn a_freed_buffer_cannot_be_read() {
    let Some(executor) = open(&Request::any()) else {
        return;
    };
    let id = BufferId::fresh();
    executor.create(id, "words", 16, Zeroing::Now).unwrap();
    executor.free(id);
    let error = executor.download(id, 0, &mut [0; 16]).unwrap_err();
    insta::assert_snapshot!(error, @"the device: a buffer it does not hold");
}

/// A buffer in memory that was freed holds zeros, and kernels can access only its own length.
#[test]
fn freed_memory_is_used_again_as_if_it_were_new() {
    let Some(executor) = open(&Request::named(test_models::adapter())) else {
        return;
    };
    let executor = Arc::new(executor);
    let (gpu, resources) = (Gpu::on(executor.clone()), &executor.resources);
    let raw = |buffer: &Buffer<u32>| resources.buffers.get(buffer.any().id()).unwrap().buffer;
    let fill = |buffer: &Buffer<u32>, word| {
        let mut recording = Recording::new();
        recording.fill(buffer, word);
        gpu.run(&recording).unwrap();
    };
    let words = 8 << 20;
    let first = gpu.zeroed("first", words).unwrap();
    let memory = raw(&first);
    fill(&first, 7);
    drop(first);
    let second = gpu.zeroed("second", words / 2).unwrap();
    assert_eq!(raw(&second), memory);
    assert!(gpu.read(&second).unwrap().iter().all(|&word| word == 0));
    fill(&second, 5);
    let behind = Place {
        buffer: &memory,
        at: 4 * second.len(),
    };
    let mut data = [0_u32; 16];
    let bytes = bytemuck::cast_slice_mut(&mut data);
    let read = lock(&executor.downloads).read(&resources.device, behind, bytes);
    read.unwrap();
    assert_eq!(data, [7; 16]);

    drop(second);
    assert!(resources.buffers.give_back(&resources.device).unwrap());
    assert!(!resources.buffers.give_back(&resources.device).unwrap());
    let third = gpu.zeroed("third", words).unwrap();
    assert_ne!(raw(&third), memory);
}

/// This test needs a software device: hardware may finish before any timeout.
#[test]
fn a_device_that_does_not_answer_in_time_is_given_up() {
    let Some(mut executor) = open(&Request::named(test_models::adapter())) else {
        return;
    };
    if executor.info().kind != AdapterKind::Software {
        return eprintln!("SKIPPED: the adapter under test is hardware");
    }
    let resources = Arc::get_mut(&mut executor.resources).expect("they are not shared yet");
    let device = Arc::get_mut(&mut resources.device).expect("it is not shared yet");
    device.patience = Duration::ZERO;
    let gpu = Gpu::on(Arc::new(executor));
    let words = gpu.zeroed::<u32>("words", 1 << 22).unwrap();
    let mut recording = Recording::new();
    for word in 0..32 {
        recording.fill(&words, word + 1);
    }
    let error = gpu
        .run_with(&recording, &mut RunOptions::default())
        .unwrap_err();
    insta::assert_snapshot!(error, @"the device was lost: a submission was not done within 0 seconds");
    is_lost(&gpu.read(&words));
}

//! Starts the workers of one process of several.

use crate::meet::Meeting;
use crate::net::Net;
use crate::start::{Event, Loss, run};
use crate::watch::{Peer, Stage, Watched};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::channel;
use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::{AllocatorBuilder, Hooks};

/// Meets the other processes and runs `work` on so many workers of this one; all processes have as
/// many. Returns what they return, in their order.
///
/// # Errors
/// Every [`Loss`].
pub fn on_processes<T: Send + 'static>(
    meeting: &Meeting,
    workers: usize,
    work: impl Fn(&mut Net<'_>) -> T + Send + Sync + 'static,
) -> Result<Vec<T>, Loss> {
    let streams = meeting.meet()?;
    let (sender, receiver) = channel();
    let stage = Arc::new(Stage::default());
    stage.working.store(workers, Ordering::SeqCst);
    stage.here.store(workers, Ordering::SeqCst);
    let watched = streams.into_iter().enumerate().map(|(process, stream)| {
        let sender = sender.clone();
        let peer = Peer {
            process,
            host: meeting.hosts.address(process).to_owned(),
            stage: Arc::clone(&stage),
            report: Box::new(move |loss| {
                // Nobody waits any more if something else was lost.
                let _ = sender.send(Event::Lost(loss));
            }),
        };
        stream.map(|stream| Watched::new(stream, peer))
    });
    let hooks = Hooks::default();
    let local = ProcessBuilder::new_typed_vector(workers, hooks.refill.clone(), None);
    let watched = watched.collect();
    let started =
        initialize_networking_from_sockets(local, watched, meeting.process, workers, hooks);
    let (builders, threads) = started.map_err(|error| Loss::Start(error.to_string()))?;
    let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
    let work = move |net: &mut Net<'_>| {
        let result = work(net);
        stage.working.fetch_sub(1, Ordering::SeqCst);
        // Nobody goes before all have ended.
        net.gather(0u64);
        stage.here.fetch_sub(1, Ordering::SeqCst);
        result
    };
    run(
        builders,
        Box::new(threads),
        work,
        sender,
        &receiver,
        &|| meeting.is_cancelled(),
    )
}

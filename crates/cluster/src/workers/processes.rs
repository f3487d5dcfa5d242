//! Starts the workers of a process that is one of several.

use super::rendezvous::Rendezvous;
use super::start::{Event, WorkerFailure, run, start_threads};
use super::watch::{Peer, Stage, Watched};
use crate::net::Net;
use mdp_graph::check_room;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::{AllocatorBuilder, Hooks};

/// The address space of a thread, in bytes: its stack, and a buffer for messages. There is one for
/// each worker, and three for each other process. If one cannot be started, timely panics; without
/// memory for a buffer, the process would be aborted.
const THREAD: usize = 3 << 20;

/// Connects to the other processes, and runs `work` on this many workers of this one. All processes
/// must have the same number of workers. Returns the results of the workers of this process, in
/// their order.
///
/// # Errors
/// Every [`WorkerFailure`] is possible.
pub fn on_processes<T: Send + 'static>(
    rendezvous: &Rendezvous,
    workers: usize,
    work: impl Fn(&mut Net<'_>) -> T + Send + Sync + 'static,
) -> Result<Vec<T>, WorkerFailure> {
    let streams = rendezvous.connect()?;
    // If this fails, the other processes notice that the connections are closed.
    start_threads()?;
    let peers = streams.iter().flatten().count();
    check_room(
        "the threads of the workers",
        &vec![THREAD; workers + 3 * peers],
    )
    .map_err(|error| WorkerFailure::Start(error.to_string()))?;
    let (sender, receiver) = channel();
    let stage = Arc::new(Stage::default());
    stage.working.store(workers, Ordering::SeqCst);
    stage.here.store(workers, Ordering::SeqCst);
    let ends: io::Result<Vec<_>> = streams.iter().flatten().map(TcpStream::try_clone).collect();
    let ends = ends.map_err(|error| start(&error))?;
    let watched = watched(rendezvous, streams, &stage, &sender).map_err(|error| start(&error))?;
    let hooks = Hooks::default();
    let local = ProcessBuilder::new_typed_vector(workers, hooks.refill.clone(), None);
    let started =
        initialize_networking_from_sockets(local, watched, rendezvous.process, workers, hooks);
    let (builders, threads) = started.map_err(|error| start(&error))?;
    let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
    let work = move |net: &mut Net<'_>| {
        let result = work(net);
        stage.working.fetch_sub(1, Ordering::SeqCst);
        // No process ends before all workers have ended.
        net.gather(0u64);
        stage.here.fetch_sub(1, Ordering::SeqCst);
        result
    };
    let threads = Box::new(threads);
    let result = run(builders, threads, work, (sender, receiver), &|| {
        rendezvous.is_cancelled()
    });
    if matches!(result, Err(WorkerFailure::Panic | WorkerFailure::Start(_))) {
        // The other processes are notified now, even if this process continues to run. If a process
        // is lost, the others have to detect that themselves.
        for end in ends {
            let _ = end.shutdown(Shutdown::Both);
        }
    }
    result
}

/// Returns the connections to the other processes. Each of them reports if that process is lost.
fn watched<T: Send + 'static>(
    rendezvous: &Rendezvous,
    streams: Vec<Option<TcpStream>>,
    stage: &Arc<Stage>,
    sender: &Sender<Event<T>>,
) -> io::Result<Vec<Option<Watched>>> {
    let watch = |(process, stream): (usize, Option<TcpStream>)| {
        let sender = sender.clone();
        let peer = Peer {
            process,
            host: rendezvous.hosts.address(process).to_owned(),
            stage: Arc::clone(stage),
            report: Box::new(move |failure| {
                // If another process was lost before, the receiver is gone.
                let _ = sender.send(Event::Lost(failure));
            }),
            turn: Mutex::new(()),
        };
        stream.map(|stream| Watched::new(stream, peer)).transpose()
    };
    streams.into_iter().enumerate().map(watch).collect()
}

fn start(error: &io::Error) -> WorkerFailure {
    WorkerFailure::Start(error.to_string())
}

//! Connects the processes: each listens for those after it in the host file, and connects to those
//! before it.

use super::handshake::{self, Failure};
use super::hosts::Hosts;
use super::start::WorkerFailure;
use std::io;
use std::net::{TcpListener, TcpStream, ToSocketAddrs as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The information that a process needs to connect to the others.
#[derive(Clone, Debug)]
pub struct Rendezvous {
    /// The addresses of all processes.
    pub hosts: Hosts,
    /// The number of this process.
    pub process: usize,
    /// The secret that all processes share.
    pub token: Vec<u8>,
    /// The facts that have to be the same for all processes, such as the version: names and values
    /// of one line each.
    pub facts: Vec<(String, String)>,
    /// The time to wait for the other processes.
    pub wait: Duration,
    /// Set when the user asks to stop.
    pub interrupt: Option<&'static AtomicBool>,
    /// The number of a process that is known to have ended; 0 if there is none.
    pub ended: Arc<AtomicUsize>,
}

/// The time in which a caller has to complete the handshake.
const HELLO: Duration = Duration::from_secs(5);
/// The time between two attempts.
const PAUSE: Duration = Duration::from_millis(50);
/// The number of callers that are heard at once. Others wait in the queue of the system.
const MAX_CALLERS: usize = 64;

/// A caller that has completed the handshake.
type Caller = Result<(usize, TcpStream), WorkerFailure>;

impl Rendezvous {
    /// Connects to all other processes. Returns a connection to each of them.
    pub(super) fn connect(&self) -> Result<Vec<Option<TcpStream>>, WorkerFailure> {
        let until = Instant::now() + self.wait;
        self.look_up()?;
        let (sender, callers) = channel();
        let own = self.hosts.address(self.process);
        let listener = TcpListener::bind(own)
            .and_then(|listener| listener.set_nonblocking(true).map(|()| listener))
            .map_err(|error| WorkerFailure::Start(format!("cannot listen at {own}: {error}")))?;
        let mut streams: Vec<Option<TcpStream>> = (0..self.hosts.len()).map(|_| None).collect();
        for (process, stream) in streams.iter_mut().enumerate().take(self.process) {
            *stream = Some(self.call(process, until)?);
        }
        let heard = Arc::new(AtomicUsize::new(0));
        while let Some(missing) = (self.process + 1..streams.len()).find(|&p| streams[p].is_none())
        {
            if let Ok(caller) = callers.try_recv() {
                let (process, stream): (usize, TcpStream) = caller?;
                match &mut streams[process] {
                    Some(_) => return Err(self.lost(process, "it called twice")),
                    place => *place = Some(stream),
                }
                continue;
            }
            if self.is_cancelled() {
                return Err(WorkerFailure::Cancelled);
            }
            if Instant::now() > until {
                return Err(self.lost(missing, "it did not call in time"));
            }
            let ended = self.ended.load(Ordering::Relaxed);
            if ended > 0 {
                return Err(self.lost(ended, "it ended before all had met"));
            }
            if let Some(gone) = (0..streams.len()).find(|&p| has_gone(streams[p].as_ref())) {
                return Err(self.lost(gone, "it ended before all had met"));
            }
            self.hear(&listener, &heard, &sender)?;
        }
        for stream in streams.iter().flatten() {
            let ready = stream
                .set_read_timeout(None)
                .and_then(|()| stream.set_write_timeout(None));
            ready.map_err(|error| WorkerFailure::Start(error.to_string()))?;
        }
        Ok(streams)
    }

    /// Fails if the address of a process cannot be resolved, in which case it is useless to wait.
    fn look_up(&self) -> Result<(), WorkerFailure> {
        for process in (0..self.hosts.len()).filter(|&process| process != self.process) {
            match self.hosts.address(process).to_socket_addrs() {
                Ok(_) => {}
                // An error with a number from the system may be temporary, for instance if a
                // network is down.
                Err(error) if error.raw_os_error().is_some() => {}
                Err(error) => return Err(self.lost(process, error.to_string())),
            }
        }
        Ok(())
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.interrupt
            .is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    fn lost(&self, process: usize, reason: impl Into<String>) -> WorkerFailure {
        WorkerFailure::Process {
            process,
            host: self.hosts.address(process).to_owned(),
            reason: reason.into(),
        }
    }

    /// Returns the facts of this process as text, with its number.
    fn own_facts(&self) -> String {
        let facts = self
            .facts
            .iter()
            .map(|(name, value)| format!("\n{name}={value}"));
        format!("{}{}", self.process, facts.collect::<String>())
    }

    /// Returns the number of the other process, after its facts have been checked.
    fn check(&self, theirs: &str) -> Result<usize, WorkerFailure> {
        let mut lines = theirs.lines();
        let process = lines.next().and_then(|line| line.parse::<usize>().ok());
        let process = process.filter(|&p| p < self.hosts.len() && p != self.process);
        let Some(process) = process else {
            let reason = "a process with the number of another, or with one that no host has";
            return Err(WorkerFailure::Start(reason.to_owned()));
        };
        let others: Vec<&str> = lines.collect();
        for (i, (name, own)) in self.facts.iter().enumerate() {
            let other = others
                .get(i)
                .and_then(|line| line.strip_prefix(&format!("{name}=")));
            if other != Some(own) {
                let other = other.unwrap_or("none");
                let reason = format!("its {name} is {other}, and {own} here");
                return Err(self.lost(process, reason));
            }
        }
        Ok(process)
    }

    /// Connects to a process, and retries until it answers.
    fn call(&self, process: usize, until: Instant) -> Result<TcpStream, WorkerFailure> {
        let host = self.hosts.address(process);
        loop {
            let result = TcpStream::connect(host);
            let reason = match result {
                Ok(mut stream) => {
                    let greeted = prepare(&stream).map_err(Failure::Io).and_then(|()| {
                        handshake::to_listener(&mut stream, &self.token, &self.own_facts())
                    });
                    match greeted {
                        Ok(facts) if self.check(&facts)? == process => return Ok(stream),
                        Ok(_) => return Err(self.lost(process, "another process listens there")),
                        Err(Failure::Stranger(what)) => return Err(self.lost(process, what)),
                        Err(Failure::Io(error)) if is_late(&error) => {
                            "it does not answer".to_owned()
                        }
                        // A process with a different token is disconnected.
                        Err(Failure::Io(_)) => {
                            let reason = "it hung up: does it have the same token?";
                            return Err(self.lost(process, reason));
                        }
                    }
                }
                // A name that cannot be resolved now will not be resolved later.
                Err(error) if error.raw_os_error().is_none() => {
                    return Err(self.lost(process, error.to_string()));
                }
                Err(error) => error.to_string(),
            };
            if self.is_cancelled() {
                return Err(WorkerFailure::Cancelled);
            }
            if Instant::now() > until {
                return Err(self.lost(process, reason));
            }
            thread::sleep(PAUSE);
        }
    }

    /// Accepts a connection, if there is one, and handles it on a separate thread.
    fn hear(
        &self,
        listener: &TcpListener,
        heard: &Arc<AtomicUsize>,
        sender: &Sender<Caller>,
    ) -> Result<(), WorkerFailure> {
        let is_full = heard.load(Ordering::SeqCst) >= MAX_CALLERS;
        let caller = if is_full {
            None
        } else {
            listener.accept().ok()
        };
        let Some((mut stream, address)) = caller else {
            thread::sleep(PAUSE);
            return Ok(());
        };
        heard.fetch_add(1, Ordering::SeqCst);
        let (rendezvous, heard, sender) = (self.clone(), Arc::clone(heard), sender.clone());
        let hearing = thread::Builder::new().spawn(move || {
            let greeted = prepare(&stream).map_err(Failure::Io).and_then(|()| {
                handshake::to_caller(&mut stream, &rendezvous.token, &rendezvous.own_facts())
            });
            heard.fetch_sub(1, Ordering::SeqCst);
            let caller = match greeted {
                Ok(facts) => rendezvous.check(&facts).map(|process| (process, stream)),
                Err(Failure::Stranger(what)) => {
                    return tracing::warn!("turned away {address}: {what}");
                }
                Err(Failure::Io(error)) => {
                    return tracing::warn!("turned away {address}: {error}");
                }
            };
            // If the rendezvous has failed, the receiver is gone.
            let _ = sender.send(caller);
        });
        let failed = |error| WorkerFailure::Start(format!("cannot start a thread: {error}"));
        hearing.map(drop).map_err(failed)
    }
}

/// Returns whether an operation timed out.
fn is_late(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}

/// Sets time limits for a new connection.
fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(HELLO))?;
    stream.set_write_timeout(Some(HELLO))?;
    let probes = socket2::TcpKeepalive::new()
        .with_time(Duration::from_secs(10))
        .with_interval(Duration::from_secs(5));
    // A machine that is switched off sends nothing.
    socket2::SockRef::from(stream).set_tcp_keepalive(&probes)
}

/// Returns whether the process at the other end is gone.
fn has_gone(stream: Option<&TcpStream>) -> bool {
    let Some(stream) = stream else {
        return false;
    };
    let peeked = stream
        .set_nonblocking(true)
        .and_then(|()| stream.peek(&mut [0]));
    let is_back = stream.set_nonblocking(false).is_ok();
    match peeked {
        Ok(count) => count == 0 || !is_back,
        Err(error) => error.kind() != io::ErrorKind::WouldBlock,
    }
}

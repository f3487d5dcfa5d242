//! [`Watched`]: a connection that reports which process is gone if the connection breaks, or if the
//! process is silent for too long.
//!
//! When a connection breaks, timely panics on one of its threads, and the workers wait forever.
//! Therefore such an error is not passed to timely; it is reported to the thread that waits for the
//! workers instead.
//!
//! If a process hangs or is stopped, its connections do not break. Therefore the data that timely
//! writes are sent in frames, each preceded by its length, and a separate thread sends an empty
//! frame once a second, the *pulse*. If nothing arrives from a process for some seconds, it is
//! considered lost.

use super::start::WorkerFailure;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use timely::communication::allocator::zero_copy::stream::Stream;

/// The time that a worker may need to notice that all workers have ended, after another process has
/// exited.
const FAREWELL: Duration = Duration::from_secs(5);

/// The time between two pulses.
const PULSE: Duration = Duration::from_secs(1);
/// The number of missing pulses after which a process is considered lost. They are counted one by
/// one: a process that was itself stopped for a while has missed only one.
const MISSED: u32 = 10;
/// The largest number of bytes of a frame.
const FRAME: usize = 1 << 20;
/// The number of bytes of a frame's length.
const HEADER: usize = size_of::<u32>();

/// The progress of the workers of this process.
#[derive(Debug, Default)]
pub(super) struct Stage {
    /// The number of workers that are still working.
    pub(super) working: AtomicUsize,
    /// The number of workers that have not noticed yet that all others have ended, too.
    pub(super) here: AtomicUsize,
}

/// The process at the other end, and the receiver of reports about it.
pub(super) struct Peer {
    pub(super) process: usize,
    pub(super) host: String,
    pub(super) stage: Arc<Stage>,
    pub(super) report: Box<dyn Fn(WorkerFailure) + Send + Sync>,
    /// Locked while a frame is written.
    pub(super) turn: Mutex<()>,
}

/// A connection to another process.
pub(super) struct Watched {
    stream: TcpStream,
    peer: Arc<Peer>,
    /// The number of bytes of a frame that are still to be read.
    left: usize,
    /// The frame that is being written.
    frame: Vec<u8>,
}

impl Watched {
    /// Makes a connection to a process, and starts its pulse.
    pub(super) fn new(stream: TcpStream, peer: Peer) -> io::Result<Self> {
        stream.set_read_timeout(Some(PULSE))?;
        let peer = Arc::new(peer);
        let (mut out, to) = (stream.try_clone()?, Arc::clone(&peer));
        thread::Builder::new().spawn(move || {
            while to.stage.here.load(Ordering::SeqCst) > 0 {
                {
                    let _turn = to.turn.lock().unwrap_or_else(PoisonError::into_inner);
                    if out.write_all(&[0; HEADER]).is_err() {
                        // The thread that reads notices this as well.
                        return;
                    }
                }
                thread::sleep(PULSE);
            }
        })?;
        Ok(Self {
            stream,
            peer,
            left: 0,
            frame: Vec::new(),
        })
    }

    /// Reads some bytes. Returns 0 if all workers have ended.
    fn receive(&mut self, bytes: &mut [u8]) -> usize {
        let mut missed = 0;
        loop {
            match self.stream.read(bytes) {
                Ok(0) => self.broken("it ended before the work was done"),
                Ok(count) => return count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if is_late(&error) && missed < MISSED => {
                    missed += 1;
                    continue;
                }
                Err(error) if is_late(&error) => {
                    self.broken(&format!("it has said nothing for {MISSED} seconds"));
                }
                Err(error) => self.broken(&error.to_string()),
            }
            return 0;
        }
    }

    /// Sends a frame.
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.frame.clear();
        self.frame
            .extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        self.frame.extend_from_slice(bytes);
        let _turn = self
            .peer
            .turn
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        self.stream.write_all(&self.frame)
    }

    /// Returns if the other process has exited because all workers have ended. Otherwise, reports
    /// that it is lost, and does not return.
    fn broken(&self, reason: &str) {
        let stage = &self.peer.stage;
        let since = Instant::now();
        // No process exits before all workers have ended their work. By then, the messages that
        // they need to notice this have arrived here.
        while stage.working.load(Ordering::SeqCst) == 0 && since.elapsed() < FAREWELL {
            if stage.here.load(Ordering::SeqCst) == 0 {
                return;
            }
            thread::sleep(Duration::from_millis(2));
        }
        (self.peer.report)(WorkerFailure::Process {
            process: self.peer.process,
            host: self.peer.host.clone(),
            reason: reason.to_owned(),
        });
        loop {
            thread::park();
        }
    }
}

/// Returns whether an operation timed out.
fn is_late(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}

impl Read for Watched {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        while self.left == 0 {
            let (mut header, mut have) = ([0; HEADER], 0);
            while have < HEADER {
                match self.receive(&mut header[have..]) {
                    0 => return Ok(0),
                    count => have += count,
                }
            }
            self.left = u32::from_le_bytes(header) as usize;
        }
        let len = bytes.len().min(self.left);
        let count = self.receive(&mut bytes[..len]);
        self.left -= count;
        Ok(count)
    }
}

impl Write for Watched {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let bytes = &bytes[..bytes.len().min(FRAME)];
        if bytes.is_empty() {
            return Ok(0);
        }
        if let Err(error) = self.send(bytes) {
            // If this returns, all workers have ended, and the remaining bytes are not needed.
            self.broken(&error.to_string());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl Stream for Watched {
    fn try_clone(&self) -> io::Result<Self> {
        Ok(Self {
            stream: self.stream.try_clone()?,
            peer: Arc::clone(&self.peer),
            left: 0,
            frame: Vec::new(),
        })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.stream.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        // If the other process is gone, it has shut down both sides.
        let _ = self.stream.shutdown(how);
        Ok(())
    }
}

//! [`Watched`]: a connection that reports which process is gone when the connection breaks, or when
//! the process is silent for too long.
//!
//! When a connection breaks, timely panics on one of its threads, and the workers wait forever.
//! Therefore no such error is passed to timely: the thread that waits for the workers is told
//! instead.
//!
//! A process that hangs or is stopped breaks no connection. Therefore the data that timely writes
//! are sent in frames, each preceded by its length, and a separate thread sends an empty frame once
//! a second, the *pulse*. If nothing arrives from a process for some seconds, it counts as lost.

use crate::start::WorkerFailure;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use timely::communication::allocator::zero_copy::stream::Stream;

/// How long a worker may take to see that all have ended, once another process has gone for that.
const FAREWELL: Duration = Duration::from_secs(5);

/// How often a process says that it is there.
const PULSE: Duration = Duration::from_secs(1);
/// After how many pulses that did not come a process is lost. They are counted one by one: a
/// process that was stopped itself for a while has missed one.
const MISSED: u32 = 10;
/// The most bytes of a frame.
const FRAME: usize = 1 << 20;
/// The bytes of a frame's length.
const HEADER: usize = size_of::<u32>();

/// How far the workers of this process are.
#[derive(Debug, Default)]
pub(crate) struct Stage {
    /// How many still work.
    pub(crate) working: AtomicUsize,
    /// How many do not know yet that all others have ended too.
    pub(crate) here: AtomicUsize,
}

/// The process at the other end, and whom to tell of it.
pub(crate) struct Peer {
    pub(crate) process: usize,
    pub(crate) host: String,
    pub(crate) stage: Arc<Stage>,
    pub(crate) report: Box<dyn Fn(WorkerFailure) + Send + Sync>,
    /// Held while a frame is written.
    pub(crate) turn: Mutex<()>,
}

/// A connection to another process.
pub(crate) struct Watched {
    stream: TcpStream,
    peer: Arc<Peer>,
    /// How many bytes of a frame are still to be read.
    left: usize,
    /// The frame that is written.
    frame: Vec<u8>,
}

impl Watched {
    /// A connection to a process, and the pulse that it hears.
    pub(crate) fn new(stream: TcpStream, peer: Peer) -> io::Result<Self> {
        stream.set_read_timeout(Some(PULSE))?;
        let peer = Arc::new(peer);
        let (mut out, to) = (stream.try_clone()?, Arc::clone(&peer));
        thread::Builder::new().spawn(move || {
            while to.stage.here.load(Ordering::SeqCst) > 0 {
                {
                    let _turn = to.turn.lock().unwrap_or_else(PoisonError::into_inner);
                    if out.write_all(&[0; HEADER]).is_err() {
                        // Whoever reads sees that too.
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

    /// Reads some bytes. None come if all is done.
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

    /// Returns if the other process has gone because all is done; else reports that it is lost, and
    /// does not return.
    fn broken(&self, reason: &str) {
        let stage = &self.peer.stage;
        let since = Instant::now();
        // Nobody goes before all workers have ended their work. What they need to see that of one
        // another has arrived here by then.
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

/// Whether nothing came in time.
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
            // If this returns all is done, and the rest is of no use to anybody.
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
        // Whoever has gone has shut down both sides.
        let _ = self.stream.shutdown(how);
        Ok(())
    }
}

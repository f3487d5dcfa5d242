//! [`Watched`]: a connection that says which process is gone when it breaks.
//!
//! timely panics on a thread of its own when a connection breaks, and the workers wait for ever.
//! So no such error reaches it: the thread that waits for the workers is told instead.

use crate::start::Loss;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use timely::communication::allocator::zero_copy::stream::Stream;

/// How long a worker may take to see that all have ended, once another process has gone for that.
const FAREWELL: Duration = Duration::from_secs(5);

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
    pub(crate) report: Box<dyn Fn(Loss) + Send + Sync>,
}

/// A connection to another process.
pub(crate) struct Watched {
    stream: TcpStream,
    peer: Arc<Peer>,
}

impl Watched {
    pub(crate) fn new(stream: TcpStream, peer: Peer) -> Self {
        Self {
            stream,
            peer: Arc::new(peer),
        }
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
        (self.peer.report)(Loss::Process {
            process: self.peer.process,
            host: self.peer.host.clone(),
            reason: reason.to_owned(),
        });
        loop {
            thread::park();
        }
    }
}

impl Read for Watched {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.stream.read(bytes) {
                Ok(0) => self.broken("it ended before the work was done"),
                Ok(count) => return Ok(count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => self.broken(&error.to_string()),
            }
            return Ok(0);
        }
    }
}

impl Write for Watched {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.stream.write(bytes) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                self.broken(&error.to_string());
                // All is done, and the rest is of no use to anybody.
                Ok(bytes.len())
            }
            result => result,
        }
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

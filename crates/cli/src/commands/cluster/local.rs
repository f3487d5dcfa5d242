//! Processes on this machine, which process 0 starts.

use crate::args::ClusterArgs;
use crate::error::Error;
use ::cluster::Hosts;
use std::ffi::OsString;
use std::io::Write as _;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The time that the other processes have to end after this one has failed.
const FAREWELL: Duration = Duration::from_secs(2);

/// The time between two checks whether a process has ended.
const PAUSE: Duration = Duration::from_millis(50);

/// The processes from number 1 on, and their shared data.
pub(super) struct Processes {
    hosts: Hosts,
    token: Vec<u8>,
    children: Arc<Mutex<Vec<Child>>>,
    /// The number of a process that has ended, or 0.
    ended: Arc<AtomicUsize>,
    /// Holds the host file and the token.
    _folder: TempDir,
}

impl Processes {
    /// Starts `count - 1` processes beside this one, with the same arguments and this many workers
    /// each.
    pub(super) fn start(count: usize, workers: usize, args: &ClusterArgs) -> Result<Self, Error> {
        let command = &args.command;
        let failed =
            |error: std::io::Error| Error::wrong(format!("cannot start processes: {error}"));
        let folder = tempfile::Builder::new()
            .prefix("maxend-")
            .tempdir()
            .map_err(failed)?;
        let hosts = free_addresses(count).map_err(failed)?.join("\n");
        let mut token = vec![0; 32];
        getrandom::fill(&mut token).map_err(|error| failed(std::io::Error::other(error)))?;
        let token: String = token.iter().map(|byte| format!("{byte:02x}")).collect();
        let (host_file, token_file) = (folder.path().join("hosts"), folder.path().join("token"));
        std::fs::write(&host_file, &hosts).map_err(failed)?;
        // The folder is private.
        std::fs::File::create(&token_file)
            .and_then(|mut file| file.write_all(token.as_bytes()))
            .map_err(failed)?;
        let processes = Self {
            hosts: Hosts::parse(&hosts).map_err(|error| Error::wrong(error.to_string()))?,
            token: token.into_bytes(),
            children: Arc::default(),
            ended: Arc::default(),
            _folder: folder,
        };
        for process in 1..count {
            let program = std::env::current_exe().map_err(failed)?;
            let child = Command::new(program)
                .arg("cluster")
                .args(&args.messages)
                .arg("--is-started")
                .arg("--hosts")
                .arg(&host_file)
                .args(["--process", &process.to_string()])
                .arg("--token-file")
                .arg(&token_file)
                .args(args.gather.then_some("--gather"))
                .args(args.unordered.then_some("--unordered"))
                .arg("--")
                .args(command)
                .args((!has_threads(command)).then(|| format!("--threads={workers}")))
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .spawn();
            lock(&processes.children).push(child.map_err(failed)?);
        }
        processes.watch().map_err(failed)?;
        Ok(processes)
    }

    /// Records when a process ends.
    fn watch(&self) -> std::io::Result<()> {
        let (children, ended) = (Arc::downgrade(&self.children), Arc::clone(&self.ended));
        let watching = thread::Builder::new().spawn(move || {
            while let Some(children) = children.upgrade() {
                let has_ended = |child: &mut Child| !matches!(child.try_wait(), Ok(None));
                if let Some(first) = lock(&children).iter_mut().position(has_ended) {
                    return ended.store(first + 1, Ordering::Relaxed);
                }
                drop(children);
                thread::sleep(PAUSE);
            }
        });
        watching.map(drop)
    }

    /// Returns the number of a process that has ended, or 0.
    pub(super) fn ended(&self) -> &Arc<AtomicUsize> {
        &self.ended
    }

    pub(super) fn hosts(&self) -> &Hosts {
        &self.hosts
    }

    pub(super) fn token(&self) -> &[u8] {
        &self.token
    }

    /// Waits for the processes, which end after this one has finished. If this one failed, gives
    /// them time to report the cause, and then kills them. An error that one of them has reported
    /// is not reported again.
    pub(super) fn finish(self, result: Result<(), Error>) -> Result<(), Error> {
        // If the user asked to stop, there is no cause to report.
        let farewell = match &result {
            Err(Error::Cancelled) => Duration::ZERO,
            _ => FAREWELL,
        };
        let until = Instant::now() + farewell;
        let failed = match &result {
            Err(Error::Elsewhere { process, .. }) => *process,
            _ => 0,
        };
        let mut said = None;
        for (child, process) in lock(&self.children).iter_mut().zip(1..) {
            while result.is_err() && matches!(child.try_wait(), Ok(None)) && Instant::now() < until
            {
                thread::sleep(Duration::from_millis(10));
            }
            if result.is_err() {
                // The process may have ended by itself.
                let _ = child.kill();
            }
            let code = child.wait().ok().and_then(|status| status.code());
            if process == failed {
                said = code.and_then(|code| u8::try_from(code).ok());
            }
        }
        match said {
            Some(code) if code > 0 => Err(Error::SaidElsewhere(code)),
            _ => result,
        }
    }
}

/// Ends the processes, also those that were started before another one could not be.
impl Drop for Processes {
    fn drop(&mut self) {
        for child in lock(&self.children).iter_mut() {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn lock(children: &Mutex<Vec<Child>>) -> MutexGuard<'_, Vec<Child>> {
    children.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns whether a command has the option `--threads`.
fn has_threads(command: &[OsString]) -> bool {
    command.iter().any(|word| {
        word.to_str()
            .is_some_and(|word| word.starts_with("--threads"))
    })
}

/// Returns addresses of this machine with free ports.
fn free_addresses(count: usize) -> std::io::Result<Vec<String>> {
    let listeners: Vec<TcpListener> = (0..count)
        .map(|_| TcpListener::bind("127.0.0.1:0"))
        .collect::<Result<_, _>>()?;
    let address = |listener: &TcpListener| Ok(listener.local_addr()?.to_string());
    listeners.iter().map(address).collect()
}

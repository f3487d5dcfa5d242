//! The signals that ask the program to end, and the one that would end it when a file is too large.

pub(crate) use system::{on_end, survive_large_files};

#[cfg(unix)]
mod system {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::flag;
    use signal_hook::low_level::pipe;
    use std::ffi::c_int;
    use std::io::{self, Read as _};
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;
    use std::{fs, thread};

    /// Calls `handler`, on a thread of its own, for each signal that asks the program to end:
    /// Ctrl-C, SIGTERM and SIGHUP. Those that are ignored from the start stay ignored: `nohup` and
    /// shells, for jobs in the background, start programs like that.
    pub(crate) fn on_end(mut handler: impl FnMut() + Send + 'static) -> io::Result<()> {
        let ignored = ignored();
        let (mut arrived, end) = UnixStream::pair()?;
        // Signals are caught only once there is somebody to act on them.
        thread::Builder::new().spawn(move || {
            while arrived.read_exact(&mut [0]).is_ok() {
                handler();
            }
        })?;
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            if !is_among(signal, ignored) {
                pipe::register(signal, end.try_clone()?)?;
            }
        }
        Ok(())
    }

    /// Lets writing fail with an error when a file reaches the limit that the system sets for its
    /// size (`ulimit -f`). Otherwise SIGXFSZ would end the program, without a message.
    pub(crate) fn survive_large_files() -> io::Result<()> {
        // Nobody reads the flag: the error is enough.
        flag::register(SIGXFSZ, Arc::default()).map(drop)
    }

    /// Returns the set of signals that the program ignores, if the system reports it.
    fn ignored() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mut lines = status.lines();
        let set = lines.find_map(|line| line.strip_prefix("SigIgn:"));
        set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok())
            .unwrap_or(0)
    }

    fn is_among(signal: c_int, set: u64) -> bool {
        set >> (signal - 1) & 1 == 1
    }
}

#[cfg(not(unix))]
mod system {
    use std::io;

    /// Calls `handler`, on a thread of its own, for each Ctrl-C.
    pub(crate) fn on_end(handler: impl FnMut() + Send + 'static) -> io::Result<()> {
        ctrlc::set_handler(handler).map_err(io::Error::other)
    }

    /// Does nothing: this system has no limits for files that end programs.
    pub(crate) fn survive_large_files() -> io::Result<()> {
        Ok(())
    }
}

//! The options of long work: the device, the number of threads, and the callback that receives
//! progress and may stop the work.

use crate::error::Fault;
use crate::text::to_c;
use maxend::library::{self, Failure, Supervisor};
use std::ffi::{CString, c_char, c_int, c_void};
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// A GPU if it is expected to be faster; otherwise, or if the GPU fails, the CPU.
pub const MAXEND_DEVICE_AUTO: u32 = 0;
/// The CPU.
pub const MAXEND_DEVICE_CPU: u32 = 1;
/// A GPU; an error if there is none.
pub const MAXEND_DEVICE_GPU: u32 = 2;

/// The time between two calls of the progress callback.
const INTERVAL: Duration = Duration::from_millis(50);

/// A function that is called with the progress of work. `data` is the pointer from the options.
/// `what` is the name of the current step, such as `decomposing`, which lives for this call. `done`
/// is the work done, and `total` the total work, or 0 if it is not known. The function returns 0 to
/// continue, and any other number to stop the work soon. It is called on the thread that called the
/// library, once before the work begins and then about twenty times a second. It must return: no
/// `longjmp` and no exception of C++ may leave it.
pub type Progress = Option<
    unsafe extern "C" fn(data: *mut c_void, what: *const c_char, done: u64, total: u64) -> c_int,
>;

/// The progress callback of a caller, and its data.
pub(crate) struct Callback {
    pub(crate) progress: Progress,
    pub(crate) data: *mut c_void,
}

impl Callback {
    /// Returns a callback that does nothing, and never stops the work.
    pub(crate) fn none() -> Self {
        Self {
            progress: None,
            data: std::ptr::null_mut(),
        }
    }

    /// Calls the callback. Returns whether to stop.
    fn says_stop(&self, what: &CString, done: u64, total: u64) -> bool {
        // SAFETY: the caller has passed the function to be called like this, with these data.
        let call = |tell: unsafe extern "C" fn(_, _, _, _) -> c_int| unsafe {
            tell(self.data, what.as_ptr(), done, total)
        };
        self.progress.is_some_and(|tell| call(tell) != 0)
    }

    /// Does `work` on a separate thread, if this thread has a callback to call.
    pub(crate) fn supervise<T: Send>(
        &self,
        work: impl FnOnce(&Arc<Supervisor>) -> Result<T, Failure> + Send,
    ) -> Result<T, Fault> {
        let supervisor = Arc::new(Supervisor::default());
        if self.progress.is_none() {
            return Ok(work(&supervisor)?);
        }
        if self.says_stop(&to_c("starting"), 0, 0) {
            return Err(Fault::stopped());
        }
        thread::scope(|scope| {
            let (end, has_ended) = channel::<()>();
            let worker = scope.spawn(|| {
                let _end = end;
                work(&supervisor)
            });
            while has_ended.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                let Some(library::Progress { what, done, total }) = supervisor.progress() else {
                    continue;
                };
                if self.says_stop(&to_c(what), done, total.unwrap_or(0)) {
                    supervisor.stop();
                }
            }
            let result = worker.join();
            Ok(result.unwrap_or_else(|payload| resume_unwind(payload))?)
        })
    }
}

/// Returns the number of threads that a caller asks for.
pub(crate) fn threads(asked: u32) -> Option<NonZeroUsize> {
    NonZeroUsize::new(asked as usize)
}

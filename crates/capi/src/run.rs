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

/// A GPU where one is expected to be faster, and the processor otherwise, or if it fails.
pub const MAXEND_DEVICE_AUTO: u32 = 0;
/// The processor.
pub const MAXEND_DEVICE_CPU: u32 = 1;
/// A GPU, or none at all.
pub const MAXEND_DEVICE_GPU: u32 = 2;

/// How often progress is told.
const INTERVAL: Duration = Duration::from_millis(50);

/// Is told of progress: `data` is as it was given; `what` is being done, such as `decomposing`, and
/// lives for this call; so much is `done` of `total`, which is 0 if it is not known. Returns 0 to
/// go on, and anything else to stop soon. It is called on the thread that called the library, once
/// before the work begins and then some twenty times a second. It must return: no `longjmp` and no
/// exception of C++ may leave it.
pub type Progress = Option<
    unsafe extern "C" fn(data: *mut c_void, what: *const c_char, done: u64, total: u64) -> c_int,
>;

/// Who is told of progress.
pub(crate) struct Callback {
    pub(crate) progress: Progress,
    pub(crate) data: *mut c_void,
}

impl Callback {
    /// Nobody is told, and nothing stops the work.
    pub(crate) fn none() -> Self {
        Self {
            progress: None,
            data: std::ptr::null_mut(),
        }
    }

    /// Tells of progress. Says whether to stop.
    fn says_stop(&self, what: &CString, done: u64, total: u64) -> bool {
        // SAFETY: the caller has passed the function to be called like this, with these data.
        let call = |tell: unsafe extern "C" fn(_, _, _, _) -> c_int| unsafe {
            tell(self.data, what.as_ptr(), done, total)
        };
        self.progress.is_some_and(|tell| call(tell) != 0)
    }

    /// Does `work` on a thread of its own, if somebody is to be told of its progress on this one.
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

/// The number of threads that a caller asks for.
pub(crate) fn threads(asked: u32) -> Option<NonZeroUsize> {
    NonZeroUsize::new(asked as usize)
}

//! Errors: a status, which is the kind of an error, and a handle with its message and place.

use crate::text::to_c;
use maxend::library::{Failure, FailureKind};
use mdp_graph::BuildError;
use std::any::Any;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

/// The result of a call: [`MAXEND_OK`], or the kind of the error.
pub type Status = u32;

/// Success.
pub const MAXEND_OK: Status = 0;
/// An argument is wrong, such as a null pointer, or arguments contradict each other.
pub const MAXEND_ARGUMENT: Status = 1;
/// The model, its file or the arrays of a graph are wrong, or too large.
pub const MAXEND_MODEL: Status = 2;
/// The requested GPU is missing, has failed, or cannot hold the graph.
pub const MAXEND_DEVICE: Status = 3;
/// The certificate of the answer was rejected: the answer is wrong, and is not returned.
pub const MAXEND_REJECTED: Status = 4;
/// The progress callback asked to stop.
pub const MAXEND_STOPPED: Status = 5;
/// An internal error of the library.
pub const MAXEND_INTERNAL: Status = 6;

/// The reason why a call failed.
pub struct Error {
    message: CString,
    file: Option<CString>,
    line: u64,
    column: u64,
}

/// The reason why a call fails, before it is converted for C.
pub(crate) struct Fault {
    status: Status,
    message: String,
    file: Option<String>,
    line: Option<u64>,
    column: Option<u64>,
}

impl Fault {
    fn new(status: Status, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
            file: None,
            line: None,
            column: None,
        }
    }

    /// An argument is wrong.
    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self::new(MAXEND_ARGUMENT, message)
    }

    /// The arrays of a graph are wrong.
    pub(crate) fn model(message: impl Into<String>) -> Self {
        Self::new(MAXEND_MODEL, message)
    }

    /// The callback asked to stop.
    pub(crate) fn stopped() -> Self {
        Self::new(MAXEND_STOPPED, "stopped")
    }

    fn panicked(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        let text = text.unwrap_or("no message");
        Self::new(MAXEND_INTERNAL, format!("mistake in the library: {text}"))
    }

    fn tell(self) -> Error {
        Error {
            message: to_c(&self.message),
            file: self.file.as_deref().map(to_c),
            line: self.line.unwrap_or(0),
            column: self.column.unwrap_or(0),
        }
    }
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        let status = match failure.kind {
            FailureKind::Usage => MAXEND_ARGUMENT,
            FailureKind::Device => MAXEND_DEVICE,
            FailureKind::Rejected => MAXEND_REJECTED,
            FailureKind::Stopped => MAXEND_STOPPED,
            _ => MAXEND_MODEL,
        };
        Self {
            file: failure.file,
            line: failure.line,
            column: failure.column,
            ..Self::new(status, failure.message)
        }
    }
}

impl From<BuildError> for Fault {
    fn from(error: BuildError) -> Self {
        Self::model(error.to_string())
    }
}

/// Does what a function is for, and puts its result in `out` or its error in `error`.
///
/// # Safety
/// `out` and `error` are null or can be written to.
pub(crate) unsafe fn answer<T>(
    out: *mut *mut T,
    error: *mut *mut Error,
    work: impl FnOnce() -> Result<T, Fault>,
) -> Status {
    let checked = || match out.is_null() {
        true => Err(Fault::argument("nowhere to put the result: out is NULL")),
        false => work().map(Box::new),
    };
    let result = catch_unwind(AssertUnwindSafe(checked));
    let result = result.unwrap_or_else(|payload| Err(Fault::panicked(&*payload)));
    let (status, made, fault) = match result {
        Ok(made) => (MAXEND_OK, Box::into_raw(made), ptr::null_mut()),
        Err(fault) => {
            let status = fault.status;
            (
                status,
                ptr::null_mut(),
                Box::into_raw(Box::new(fault.tell())),
            )
        }
    };
    if !out.is_null() {
        // SAFETY: it can be written to, as the caller says.
        unsafe { out.write(made) };
    }
    // SAFETY: it is null or can be written to, and what was made is given away once.
    unsafe { put(error, fault) };
    status
}

/// Gives an error away, if there is one and somebody takes it.
///
/// # Safety
/// `place` is null or can be written to, and `error` null or of [`Box::into_raw`].
unsafe fn put(place: *mut *mut Error, error: *mut Error) {
    if !place.is_null() {
        // SAFETY: it can be written to, as the caller says.
        unsafe { place.write(error) };
    } else if !error.is_null() {
        // SAFETY: nobody else has it.
        drop(unsafe { Box::from_raw(error) });
    }
}

/// Returns the message: what is wrong, where, and hints, in one or more lines of UTF-8. The text
/// lives as long as the error.
///
/// # Safety
/// `error` is NULL or an error of this library that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_error_message(error: *const Error) -> *const c_char {
    // SAFETY: as the caller says.
    let error = unsafe { error.as_ref() };
    error.map_or(c"".as_ptr(), |error| error.message.as_ptr())
}

/// Returns the file in which the error is, or NULL. The text lives as long as the error.
///
/// # Safety
/// `error` is NULL or an error of this library that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_error_file(error: *const Error) -> *const c_char {
    // SAFETY: as the caller says.
    let error = unsafe { error.as_ref() };
    let file = error.and_then(|error| error.file.as_ref());
    file.map_or(ptr::null(), |file| file.as_ptr())
}

/// Returns the line in the file, counted from 1, or 0 if it is not known.
///
/// # Safety
/// `error` is NULL or an error of this library that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_error_line(error: *const Error) -> u64 {
    // SAFETY: as the caller says.
    unsafe { error.as_ref() }.map_or(0, |error| error.line)
}

/// Returns the column in the line, counted from 1, or 0 if it is not known.
///
/// # Safety
/// `error` is NULL or an error of this library that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_error_column(error: *const Error) -> u64 {
    // SAFETY: as the caller says.
    unsafe { error.as_ref() }.map_or(0, |error| error.column)
}

/// Frees an error.
///
/// # Safety
/// `error` is NULL or an error of this library that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_error_free(error: *mut Error) {
    if !error.is_null() {
        // SAFETY: as the caller says, it was given away by `answer`.
        drop(unsafe { Box::from_raw(error) });
    }
}

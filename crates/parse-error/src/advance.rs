//! Reports the progress of a reader, and lets the caller cancel it.

use crate::fault::{Checked, Fault};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Adds `bytes` to the progress that the caller observes, and checks whether the caller has
/// cancelled reading.
///
/// # Errors
///
/// `interrupted`, without a place, if the interrupt is set.
pub fn advance<K>(
    bytes: usize,
    progress: Option<&AtomicU64>,
    interrupt: Option<&AtomicBool>,
    interrupted: K,
) -> Checked<(), K> {
    if let Some(progress) = progress {
        progress.fetch_add(bytes as u64, Ordering::Relaxed);
    }
    match interrupt {
        Some(interrupt) if interrupt.load(Ordering::Relaxed) => Err(Fault::placeless(interrupted)),
        _ => Ok(()),
    }
}

//! Models of files, of all formats that maxend reads.

use crate::error::{Error, Fault, Status, answer};
use crate::from_c::{from_c, path};
use crate::graph::Graph;
use crate::run::{Callback, Progress, threads};
use crate::text::to_c;
use maxend::library::{self, Reading};
use mdp_graph::Deadlocks;
use std::ffi::{CString, c_char, c_void};
use std::ptr;

/// A state without a choice gets a self-loop.
pub const MAXEND_DEADLOCKS_SELF_LOOP: u32 = 0;
/// A state without a choice stays as it is.
pub const MAXEND_DEADLOCKS_KEEP: u32 = 1;
/// A model with a state without a choice is refused.
pub const MAXEND_DEADLOCKS_REFUSE: u32 = 2;

/// The options of reading a model. All zeros (`{0}` in C) are the defaults.
#[repr(C)]
pub struct ReadOptions {
    /// MAXEND_DEADLOCKS_SELF_LOOP, MAXEND_DEADLOCKS_KEEP or MAXEND_DEADLOCKS_REFUSE.
    pub deadlocks: u32,
    /// The number of threads, or 0 for one for each core.
    pub threads: u32,
    /// Values for the constants that the model declares without a value: texts such as `N=7`.
    pub constants: *const *const c_char,
    /// The number of these texts.
    pub num_constants: usize,
    /// The type of the model, such as `dtmc`, which overrides what its file says; or NULL.
    pub model_type: *const c_char,
    /// Whether to accept distributions whose probabilities do not sum to 1.
    pub allow_any_sum: bool,
    /// The largest number of states that the model may have; 0 for no limit.
    pub max_states: u64,
    /// The largest number of bytes that the states and the graph may take; 0 for 90 % of the memory
    /// that is available.
    pub max_memory: u64,
    /// A function that is called with the progress and may stop the work; or NULL.
    pub progress: Progress,
    /// The pointer that is passed to `progress`.
    pub progress_data: *mut c_void,
}

/// A model that was read from a file.
pub struct Model {
    graph: Graph,
    labels: Vec<(CString, Vec<u32>)>,
    warnings: Vec<CString>,
    initial: Vec<u32>,
}

/// Reads a model of any format that `maxend` reads. `options` may be NULL. One model is read at a
/// time in a process; other threads wait for their turn.
///
/// # Safety
/// The pointers are NULL or point to what their types say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_read(
    file: *const c_char,
    options: *const ReadOptions,
    out: *mut *mut Model,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: as the caller says.
        let mut reading = Reading::new(unsafe { path(file) }?);
        let mut callback = Callback::none();
        // SAFETY: as the caller says.
        if let Some(options) = unsafe { options.as_ref() } {
            // SAFETY: as the caller says.
            unsafe { set(&mut reading, options) }?;
            callback = Callback {
                progress: options.progress,
                data: options.progress_data,
            };
        }
        let model = callback.supervise(|supervisor| library::read(&reading, supervisor))?;
        let labels = model.labels();
        Ok(Model {
            labels: labels.map(|(name, of)| (to_c(name), of.to_vec())).collect(),
            warnings: model.warnings().iter().map(|text| to_c(text)).collect(),
            initial: model.initial_states().to_vec(),
            graph: Graph(model.graph().clone()),
        })
    };
    // SAFETY: the last two are NULL or can be written to, as the caller says.
    unsafe { answer(out, error, work) }
}

/// # Safety
/// The texts are texts or NULL, and there are so many constants.
unsafe fn set(reading: &mut Reading, options: &ReadOptions) -> Result<(), Fault> {
    reading.deadlocks = match options.deadlocks {
        MAXEND_DEADLOCKS_SELF_LOOP => Deadlocks::SelfLoop,
        MAXEND_DEADLOCKS_KEEP => Deadlocks::Keep,
        MAXEND_DEADLOCKS_REFUSE => Deadlocks::Refuse,
        other => {
            return Err(Fault::argument(format!(
                "there is no policy {other} for deadlocks"
            )));
        }
    };
    if options.num_constants > 0 && options.constants.is_null() {
        return Err(Fault::argument("constants is NULL"));
    }
    for i in 0..options.num_constants {
        // SAFETY: there are so many, as the caller says, and each is a text or NULL.
        let text = unsafe { from_c("a constant", *options.constants.add(i)) }?.unwrap_or_default();
        let expected =
            || Fault::argument(format!("a constant is {text:?}, not a text such as N=7"));
        let (name, value) = text.split_once('=').ok_or_else(expected)?;
        reading
            .constants
            .push((name.trim().to_owned(), value.trim().to_owned()));
    }
    // SAFETY: it is a text or NULL, as the caller says.
    let model_type = unsafe { from_c("model_type", options.model_type) }?;
    reading.model_type = model_type.map(str::to_owned);
    reading.allow_any_sum = options.allow_any_sum;
    reading.max_states = (options.max_states > 0).then_some(options.max_states);
    reading.max_memory = (options.max_memory > 0).then_some(options.max_memory);
    reading.threads = threads(options.threads);
    Ok(())
}

/// Returns the graph of a model. It lives as long as the model; do not free it.
///
/// # Safety
/// `model` is NULL or a model of this library that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_model_graph(model: *const Model) -> *const Graph {
    // SAFETY: as the caller says.
    unsafe { model.as_ref() }.map_or(ptr::null(), |model| &raw const model.graph)
}

/// Returns the initial states, in ascending order, and sets `count` to their number, which is 0 if
/// the file does not give them. They live as long as the model.
///
/// # Safety
/// `model` is NULL or a model of this library that was not freed; `count` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_model_initial(model: *const Model, count: *mut u64) -> *const u32 {
    // SAFETY: as the caller says.
    let states = unsafe { model.as_ref() }.map_or(&[][..], |model| &model.initial);
    // SAFETY: as the caller says.
    unsafe { give(states, count) }
}

/// Returns the number of labels.
///
/// # Safety
/// `model` is NULL or a model of this library that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_model_num_labels(model: *const Model) -> u64 {
    // SAFETY: as the caller says.
    unsafe { model.as_ref() }.map_or(0, |model| model.labels.len() as u64)
}

/// Returns the name of label `i`, or NULL if there is no such label. It lives as long as the model.
///
/// # Safety
/// `model` is NULL or a model of this library that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_model_label_name(model: *const Model, i: u64) -> *const c_char {
    // SAFETY: as the caller says.
    let label = unsafe { model.as_ref() }.and_then(|model| model.labels.get(i as usize));
    label.map_or(ptr::null(), |(name, _)| name.as_ptr())
}

/// Returns the states with label `i`, in ascending order, and sets `count` to their number. They
/// live as long as the model.
///
/// # Safety
/// `model` is NULL or a model of this library that was not freed; `count` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_model_label_states(
    model: *const Model,
    i: u64,
    count: *mut u64,
) -> *const u32 {
    // SAFETY: as the caller says.
    let label = unsafe { model.as_ref() }.and_then(|model| model.labels.get(i as usize));
    // SAFETY: as the caller says.
    unsafe { give(label.map_or(&[][..], |(_, states)| states), count) }
}

/// Returns the number of warnings about parts of the model that were changed or left out.
///
/// # Safety
/// `model` is NULL or a model of this library that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_model_num_warnings(model: *const Model) -> u64 {
    // SAFETY: as the caller says.
    unsafe { model.as_ref() }.map_or(0, |model| model.warnings.len() as u64)
}

/// Returns warning `i`, or NULL if there is no such warning. It lives as long as the model.
///
/// # Safety
/// `model` is NULL or a model of this library that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_model_warning(model: *const Model, i: u64) -> *const c_char {
    // SAFETY: as the caller says.
    let warning = unsafe { model.as_ref() }.and_then(|model| model.warnings.get(i as usize));
    warning.map_or(ptr::null(), |text| text.as_ptr())
}

/// Frees a model, and its graph.
///
/// # Safety
/// `model` is NULL or a model of this library that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_model_free(model: *mut Model) {
    if !model.is_null() {
        // SAFETY: as the caller says, it was given away by `answer`.
        drop(unsafe { Box::from_raw(model) });
    }
}

/// Returns where the states are, and sets `count` to their number.
///
/// # Safety
/// `count` is NULL or can be written to. (It may be uninitialised, so it cannot be a reference.)
unsafe fn give(states: &[u32], count: *mut u64) -> *const u32 {
    if !count.is_null() {
        // SAFETY: as the caller says.
        unsafe { count.write(states.len() as u64) };
    }
    states.as_ptr()
}

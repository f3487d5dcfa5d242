//! Decomposes graphs, and returns their components.

use crate::error::{Error, Fault, Status, answer};
use crate::from_c::from_c;
use crate::graph::Graph;
use crate::run::{
    Callback, MAXEND_DEVICE_AUTO, MAXEND_DEVICE_CPU, MAXEND_DEVICE_GPU, Progress, threads,
};
use crate::text::to_c;
use maxend::library::{Decomposing, DeviceChoice, decompose};
use mdp_graph::{ComponentKind, StateId};
use std::ffi::{CString, c_char, c_void};
use std::ptr;

/// Maximal end components.
pub const MAXEND_MEC: u32 = 0;
/// Strongly connected components.
pub const MAXEND_SCC: u32 = 1;
/// Bottom strongly connected components, which no branch leaves.
pub const MAXEND_BSCC: u32 = 2;

/// Stands for the component of a state that is in none.
pub const MAXEND_NONE: u32 = u32::MAX;

/// The options of a decomposition. All zeros (`{0}` in C) are the defaults.
#[repr(C)]
pub struct DecomposeOptions {
    /// MAXEND_DEVICE_AUTO, MAXEND_DEVICE_CPU or MAXEND_DEVICE_GPU.
    pub device: u32,
    /// The number of threads, or 0 for one for each core.
    pub threads: u32,
    /// A part of the name of the GPU to be used, or NULL.
    pub adapter: *const c_char,
    /// Whether to prove the answer, by code that shares nothing with the search.
    pub certify: bool,
    /// A function that is called with the progress and may stop the work; or NULL.
    pub progress: Progress,
    /// The pointer that is passed to `progress`.
    pub progress_data: *mut c_void,
}

/// The components of a graph. They are numbered from 0, in the order of their smallest states,
/// whichever device found them.
pub struct Components {
    found: maxend::library::Decomposition,
    device: CString,
}

/// Finds the components of a graph: MAXEND_MEC, MAXEND_SCC or MAXEND_BSCC. `options` may be NULL.
///
/// # Safety
/// The pointers are NULL or point to what their types say, and are not freed in the meantime.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_decompose(
    graph: *const Graph,
    kind: u32,
    options: *const DecomposeOptions,
    out: *mut *mut Components,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: as the caller says.
        let (graph, options) = unsafe { (graph.as_ref(), options.as_ref()) };
        let graph = graph.ok_or_else(|| Fault::argument("graph is NULL"))?;
        let (mut device, mut callback) = (DeviceChoice::Auto, Callback::none());
        if let Some(options) = options {
            // SAFETY: as the caller says.
            device = unsafe { chosen_device(options) }?;
            callback = Callback {
                progress: options.progress,
                data: options.progress_data,
            };
        }
        let how = Decomposing {
            kind: match kind {
                MAXEND_MEC => ComponentKind::Mec,
                MAXEND_SCC => ComponentKind::Scc,
                MAXEND_BSCC => ComponentKind::Bscc,
                _ => return Err(Fault::argument(format!("there is no kind {kind}"))),
            },
            device,
            threads: options.and_then(|options| threads(options.threads)),
            certify: options.is_some_and(|options| options.certify),
        };
        let found = callback.supervise(|supervisor| decompose(&graph.0, &how, supervisor))?;
        let device = to_c(&found.device);
        Ok(Components { found, device })
    };
    // SAFETY: the last two are NULL or can be written to, as the caller says.
    unsafe { answer(out, error, work) }
}

/// The device that a caller asks for.
///
/// # Safety
/// The name of the adapter is a text or NULL.
unsafe fn chosen_device(options: &DecomposeOptions) -> Result<DeviceChoice, Fault> {
    // SAFETY: as the caller says.
    let adapter = unsafe { from_c("adapter", options.adapter) }?;
    match (options.device, adapter.map(str::to_owned)) {
        (MAXEND_DEVICE_AUTO, None) => Ok(DeviceChoice::Auto),
        (MAXEND_DEVICE_CPU, None) => Ok(DeviceChoice::Cpu),
        (MAXEND_DEVICE_CPU, Some(_)) => {
            let message = "adapter is for a GPU, but device is MAXEND_DEVICE_CPU";
            Err(Fault::argument(message))
        }
        (MAXEND_DEVICE_AUTO | MAXEND_DEVICE_GPU, adapter) => Ok(DeviceChoice::Gpu(adapter)),
        (other, _) => Err(Fault::argument(format!("there is no device {other}"))),
    }
}

/// Returns the number of components.
///
/// # Safety
/// `components` is NULL or components of this library that were not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_components_count(components: *const Components) -> u64 {
    // SAFETY: as the caller says.
    let components = unsafe { components.as_ref() };
    components.map_or(0, |all| all.found.components.len() as u64)
}

/// Returns the name of the device that found the components, as it is printed. The text lives as
/// long as the components.
///
/// # Safety
/// `components` is NULL or components of this library that were not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_components_device(components: *const Components) -> *const c_char {
    // SAFETY: as the caller says.
    let components = unsafe { components.as_ref() };
    components.map_or(ptr::null(), |all| all.device.as_ptr())
}

/// Writes the component of each state, or MAXEND_NONE, to `labels`, which has room for as many
/// numbers as the graph has states.
///
/// # Safety
/// The components are NULL or not freed, and the array has enough room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_components_labels(components: *const Components, labels: *mut u32) {
    // SAFETY: as the caller says.
    let Some(all) = (unsafe { components.as_ref() }).filter(|_| !labels.is_null()) else {
        return;
    };
    let components = &all.found.components;
    for state in 0..components.num_states() {
        let component = components.component(StateId::from_index(state));
        let number = component.map_or(MAXEND_NONE, |id| id.0);
        // SAFETY: there is room for a number a state, as the caller says.
        unsafe { labels.add(state).write(number) };
    }
}

/// Writes the number of states of each component to `sizes`, which has room for as many numbers as
/// there are components.
///
/// # Safety
/// The components are NULL or not freed, and the array has enough room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_components_sizes(components: *const Components, sizes: *mut u32) {
    // SAFETY: as the caller says.
    let Some(all) = (unsafe { components.as_ref() }).filter(|_| !sizes.is_null()) else {
        return;
    };
    for id in all.found.components.ids() {
        let size = all.found.components.size(id);
        // SAFETY: there is room for a number a component, as the caller says.
        unsafe { sizes.add(id.index()).write(size) };
    }
}

/// Writes to `retained`, for each choice of the graph, 1 if it stays in the component of its state,
/// and 0 otherwise. `retained` has room for as many bytes as the graph has choices. For maximal end
/// components, these are the choices that they retain. `graph` is the graph that was decomposed; if
/// it has another number of states, nothing is written.
///
/// # Safety
/// The components and the graph are NULL or not freed, and the array has enough room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_components_retained(
    components: *const Components,
    graph: *const Graph,
    retained: *mut u8,
) {
    // SAFETY: as the caller says.
    let (all, graph) = unsafe { (components.as_ref(), graph.as_ref()) };
    let (Some(all), Some(Graph(graph)), false) = (all, graph, retained.is_null()) else {
        return;
    };
    let components = &all.found.components;
    if components.num_states() != graph.num_states() {
        return;
    }
    for choice in 0..graph.num_choices() {
        // SAFETY: there is room for a byte a choice, as the caller says.
        unsafe { retained.add(choice).write(0) };
    }
    for state in graph.states() {
        for choice in components.retained_choices(graph, state) {
            // SAFETY: as above.
            unsafe { retained.add(choice.index()).write(1) };
        }
    }
}

/// Frees components.
///
/// # Safety
/// `components` is NULL or components of this library that were not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn maxend_components_free(components: *mut Components) {
    if !components.is_null() {
        // SAFETY: as the caller says, it was given away by `answer`.
        drop(unsafe { Box::from_raw(components) });
    }
}

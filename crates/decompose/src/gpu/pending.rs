//! Opens a device and compiles its kernels on a thread of its own, while the graph is still being
//! read.
//!
//! Kernels are compiled when they first run. So to compile them, a small graph is decomposed. Some
//! kernels take seconds to compile if the driver has not cached them in an earlier run. Therefore
//! only the kernels that the search will use are compiled. If the graph is explored on the device
//! itself, its average degree is not known in time; then kernels are compiled for typical degrees.

use super::options::GpuOptions;
use super::worklist::Tuning;
use crate::{Error, Observer};
use ::gpu::Gpu;
use mdp_graph::{ChunkBuilder, Deadlocks, MdpGraph, StateId, assemble};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tracing::subscriber::{NoSubscriber, with_default};

/// The interval at which the observer is notified while a device is awaited.
const INTERVAL: Duration = Duration::from_millis(20);

/// The facts that are known about a graph before it exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    /// The number of edges that a state has on average.
    Degree(u32),
    /// It will be found on the device.
    OnDevice,
}

/// The state of the opening of a device.
#[derive(Clone, Debug)]
pub enum Opening {
    /// The device is open, or could not be opened.
    Done(::gpu::Result<Gpu>),
    /// The device is still being opened.
    Pending,
    /// The device is not being opened.
    NotStarted,
}

/// A small graph to warm up with.
#[derive(Debug)]
pub struct WarmUp {
    /// The graph.
    pub graph: MdpGraph,
    /// Whether it stands for one that will be on the device.
    pub on_device: bool,
}

/// The numbers of edges per state for which kernels are compiled while a graph is found on the
/// device. Most models in PRISM's language have five or more, for which a search uses other
/// kernels; many have about two.
const USUAL: [u32; 2] = [8, 2];

/// A GPU that is being opened.
#[derive(Debug)]
pub struct PendingGpu {
    /// Sends what is known of the graph.
    degrees: Option<Sender<Expected>>,
    /// Sends the device as soon as it is open, and ends when its kernels are compiled.
    opening: Receiver<::gpu::Result<Gpu>>,
    /// The device, once it has come.
    opened: Option<::gpu::Result<Gpu>>,
    thread: Option<JoinHandle<()>>,
}

impl PendingGpu {
    /// Begins to open the device that `options` ask for. Once the number of edges per state is
    /// known ([`expect`](Self::expect)), or the graph is to be found on the device
    /// ([`expect_on_device`](Self::expect_on_device)), `warm_up` is called with the device and a
    /// small graph of this kind. It is to decompose the graph, so that the device compiles its
    /// kernels.
    pub fn begin(options: &GpuOptions, warm_up: impl Fn(&Gpu, &WarmUp) + Send + 'static) -> Self {
        let (degrees, expected) = mpsc::channel();
        let options = options.clone();
        let (sender, opening) = mpsc::channel();
        let open = move || {
            let opened = Gpu::open(&options.request);
            // This fails if the device is not wanted any more.
            let is_wanted = sender.send(opened.clone()).is_ok();
            let (Ok(gpu), true) = (opened, is_wanted) else {
                return;
            };
            // An error occurs again in the decomposition itself, which reports it. A caller that
            // explores on the device should not wait for this.
            with_default(NoSubscriber::new(), || {
                let gpu = beside(gpu);
                warm_up_by(&expected, |graph| warm_up(&gpu, &graph));
            });
            drop(sender);
        };
        // If there is no thread, `finish` says so.
        let thread = thread::Builder::new().spawn(open).ok();
        Self {
            degrees: Some(degrees),
            opening,
            opened: None,
            thread,
        }
    }

    /// Says that the graph will have about this many edges a state. The first call starts the
    /// compilation of the kernels that search such a graph.
    pub fn expect(&mut self, degree: u32) {
        // This fails if the device did not open, which `finish` reports.
        if let Some(degrees) = self.degrees.take() {
            let _ = degrees.send(Expected::Degree(degree));
        }
    }

    /// Says that the graph will be found on this device. The first call starts the compilation of
    /// kernels that search most graphs; [`expect`](Self::expect) may still say which are needed.
    pub fn expect_on_device(&mut self) {
        if let Some(degrees) = &self.degrees {
            let _ = degrees.send(Expected::OnDevice);
        }
    }

    /// Says whether the device is open already; its kernels may be compiled meanwhile. This is
    /// [`Opening::NotStarted`] if no thread could be started. Errors are those of
    /// [`Gpu::open`].
    pub fn poll(&mut self) -> Opening {
        if self.thread.is_none() {
            return Opening::NotStarted;
        }
        if let Some(opened) = &self.opened {
            return Opening::Done(opened.clone());
        }
        match self.opening.try_recv() {
            Ok(opened) => Opening::Done(self.opened.insert(opened).clone()),
            Err(TryRecvError::Empty) => Opening::Pending,
            Err(TryRecvError::Disconnected) => Opening::NotStarted,
        }
    }

    /// Waits for the device and its kernels, and notifies the observer meanwhile. If the observer
    /// cancels, the thread is abandoned, as by [`abandon`](Self::abandon). Returns `None` if no
    /// thread could be started.
    ///
    /// # Errors
    /// Those of [`Gpu::open`]; [`Error::Cancelled`].
    pub fn finish(mut self, observer: &dyn Observer) -> Option<Result<Gpu, Error>> {
        self.degrees = None;
        self.thread.as_ref()?;
        loop {
            match self.opening.recv_timeout(INTERVAL) {
                Ok(opened) => self.opened = Some(opened),
                Err(RecvTimeoutError::Timeout) => {
                    observer.compiling();
                    if observer.is_cancelled() {
                        self.abandon();
                        return Some(Err(Error::Cancelled));
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    self.join();
                    return self.opened.take().map(|opened| opened.map_err(Error::from));
                }
            }
        }
    }

    /// Abandons the thread, which may be busy in a driver for seconds. The process then has to exit
    /// without waiting for it ([`gpu::exit`]).
    pub fn abandon(mut self) {
        self.thread = None;
    }

    /// Waits for the thread, and passes on its panic.
    fn join(&mut self) {
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join) {
            std::panic::resume_unwind(panic);
        }
    }
}

impl Drop for PendingGpu {
    /// Waits for the thread: a process must not exit in the usual way while a driver starts up.
    fn drop(&mut self) {
        self.degrees = None;
        if !thread::panicking() {
            self.join();
        }
    }
}

/// Returns the same device for another thread, so that neither waits for the work of the other.
/// Returns this device itself if it cannot be shared in this way.
fn beside(gpu: Gpu) -> Gpu {
    match gpu.beside() {
        Ok(Some(beside)) => beside,
        _ => gpu,
    }
}

/// Calls `warm_up` with small graphs that are like what is expected, until it is known which graph
/// comes, or that none does.
fn warm_up_by(expected: &Receiver<Expected>, warm_up: impl Fn(WarmUp)) {
    let warm_up = |degree: u32, on_device| {
        if let Ok(graph) = circulant(degree.clamp(1, 16)) {
            warm_up(WarmUp { graph, on_device });
        }
    };
    match expected.recv() {
        Ok(Expected::Degree(degree)) => return warm_up(degree, false),
        Ok(Expected::OnDevice) => {}
        Err(_) => return,
    }
    let mut done = None;
    for usual in USUAL {
        match latest(expected) {
            Ok(Some(degree)) => {
                let usual = usual_of(degree);
                if done != Some(usual) {
                    warm_up(usual, true);
                }
                return;
            }
            Ok(None) => warm_up(usual, true),
            // The device is needed now, so no other kernels are compiled.
            Err(_) => return,
        }
        done = Some(usual);
    }
}

/// Returns the number of edges per state, if it is known by now; an error if it will not become
/// known.
fn latest(expected: &Receiver<Expected>) -> Result<Option<u32>, TryRecvError> {
    loop {
        match expected.try_recv() {
            Ok(Expected::Degree(degree)) => return Ok(Some(degree)),
            Ok(Expected::OnDevice) => {}
            Err(TryRecvError::Empty) => return Ok(None),
            Err(error) => return Err(error),
        }
    }
}

/// Returns the one of the usual numbers for which the same kernels are taken.
fn usual_of(degree: u32) -> u32 {
    let [many, few] = USUAL;
    match degree >= Tuning::default().one_component_degree {
        true => many,
        false => few,
    }
}

/// Returns a graph of one component, in which each state leads to the `degree` states after it, and
/// not to itself.
fn circulant(degree: u32) -> Result<MdpGraph, mdp_graph::BuildError> {
    let states = 2 * degree;
    let mut chunk = ChunkBuilder::default();
    for state in 0..states {
        let targets = (1..=degree).map(|step| StateId((state + step) % states));
        chunk.push_choice(StateId(state), &targets.collect::<Vec<_>>());
    }
    Ok(assemble(states, vec![chunk.finish()], Deadlocks::Keep)?.graph)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use ::gpu::Request;
    use std::cell::RefCell;

    #[test]
    fn graphs_to_warm_up_with_have_the_degree_and_one_component() {
        for degree in [1, 5, 6, 16] {
            let graph = circulant(degree).expect("it is small");
            assert_eq!(graph.num_branches(), graph.num_states() * degree as usize);
            let edges = mdp_graph::Digraph::new(&graph);
            assert_eq!(edges.num_edges(), graph.num_branches());
            let sccs = crate::scc(&graph, &crate::Options::default()).expect("nobody cancels");
            assert_eq!(sccs.len(), 1);
        }
    }

    /// Returns the graphs to warm up with after these messages. The messages in `meanwhile` arrive
    /// while the first graph is searched.
    fn warmed_up(before: &[Expected], meanwhile: &[Expected], is_over: bool) -> Vec<(u32, bool)> {
        let (sender, expected) = mpsc::channel();
        let tell = |sender: &Sender<Expected>, all: &[Expected]| {
            all.iter()
                .for_each(|&message| sender.send(message).expect("the other end receives it"));
        };
        tell(&sender, before);
        let held = (!is_over || !meanwhile.is_empty()).then_some(sender);
        let (held, all) = (RefCell::new(held), RefCell::new(Vec::new()));
        warm_up_by(&expected, |WarmUp { graph, on_device }| {
            let degree = graph.num_branches() / graph.num_states();
            all.borrow_mut().push((degree as u32, on_device));
            if let Some(sender) = held.borrow().as_ref().filter(|_| all.borrow().len() == 1) {
                tell(sender, meanwhile);
            }
            if is_over {
                held.take();
            }
        });
        all.into_inner()
    }

    #[test]
    fn kernels_are_compiled_for_the_graphs_that_are_expected() {
        use Expected::{Degree, OnDevice};
        assert_eq!(warmed_up(&[], &[], true), []);
        assert_eq!(warmed_up(&[Degree(3)], &[], true), [(3, false)]);
        // First the degree stays unknown; then it becomes known before, or while, the first graph
        // is searched.
        let both = [(8, true), (2, true)];
        assert_eq!(warmed_up(&[OnDevice, OnDevice], &[], false), both);
        assert_eq!(warmed_up(&[OnDevice, Degree(3)], &[], true), [(2, true)]);
        assert_eq!(warmed_up(&[OnDevice], &[Degree(5)], true), [(8, true)]);
        assert_eq!(warmed_up(&[OnDevice], &[OnDevice, Degree(4)], true), both);
        // The device is needed already.
        assert_eq!(warmed_up(&[OnDevice], &[], true), []);
    }

    struct Impatient;

    impl Observer for Impatient {
        fn is_cancelled(&self) -> bool {
            true
        }
    }

    #[test]
    fn a_device_that_is_not_there_is_reported_when_it_is_wanted() {
        let options = GpuOptions::from(Request::named("no such adapter"));
        for expects in [false, true] {
            let mut pending = PendingGpu::begin(&options, |_, _| {});
            if expects {
                pending.expect_on_device();
                pending.expect(3);
            }
            let error = pending.finish(&Silent).expect("a thread was started").err();
            assert_eq!(error, Gpu::open(&options.request).err().map(Error::from));
            assert!(matches!(
                error,
                Some(Error::Gpu(::gpu::Error::NoAdapter { .. }))
            ));
        }
        // The wait for a device may be cancelled, and a pending device may be dropped without
        // waiting.
        let pending = PendingGpu::begin(&options, |_, _| {});
        assert!(matches!(
            pending.finish(&Impatient),
            Some(Err(Error::Cancelled | Error::Gpu(_)))
        ));
        drop(PendingGpu::begin(&options, |_, _| {}));
    }
}

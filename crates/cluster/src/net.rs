//! [`Net`]: the communication of a worker with the others, in supersteps.
//!
//! A worker's dataflow is an input, an exchange by the receiver that a batch names, and a probe. A
//! superstep sends batches at one timestamp, advances the input, and steps the worker until the
//! probe says that no worker can still send at that timestamp. So timely's progress tracking is the
//! only barrier.

mod batch;
mod compute;
mod inbox;
pub(crate) mod pool;
mod progress;
mod tuning;
pub(crate) mod words;

pub use inbox::{Inbox, Messages};
pub use progress::Progress;
pub use tuning::Tuning;

use batch::{Batch, Bytes};
use bytemuck::Pod;
use compute::Compute;
use mdp_graph::{ComponentKind, Components, MdpGraph};
use pool::SharedPool;
use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::rc::Rc;
use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::generic::Operator as _;
use timely::dataflow::operators::{Input as _, Probe as _};
use timely::dataflow::{InputHandle, ProbeHandle};
use timely::worker::Worker;

/// A batch is sent when it has this many bytes.
const BATCH: usize = 1 << 16;

/// The connection of one worker to all workers, including itself.
pub struct Net<'w> {
    worker: &'w mut Worker,
    input: InputHandle<u64, CapacityContainerBuilder<Vec<Batch>>>,
    probe: ProbeHandle<u64>,
    inbox: Rc<RefCell<Vec<Batch>>>,
    step: u64,
    /// The number of outboxes, and the one from which batches have left in this superstep.
    outboxes: Cell<u64>,
    open: Option<u64>,
    /// The number of bytes of messages to other workers.
    sent: u64,
    observer: Option<Observer<'w>>,
    /// The threads and the device for this worker's own computations.
    pub(crate) compute: Compute<'w>,
    tuning: Tuning,
}

/// The function that receives the progress of all workers.
type Observer<'w> = Box<dyn Fn(&Progress) + 'w>;

impl<'w> Net<'w> {
    /// Makes the connection of a worker, with the pool that it shares with others of its process.
    /// All workers must do this at the same point.
    pub(crate) fn new(worker: &'w mut Worker, shared: SharedPool) -> Self {
        let inbox: Rc<RefCell<Vec<Batch>>> = Rc::default();
        let sink = Rc::clone(&inbox);
        let (input, probe) = worker.dataflow(|scope| {
            let (input, batches) = scope.new_input::<Vec<Batch>>();
            let to_receiver = Exchange::new(|batch: &Batch| u64::from(batch.to));
            let probe = batches
                .unary::<CapacityContainerBuilder<Vec<()>>, _, _, _>(
                    to_receiver,
                    "Inbox",
                    |_, _| {
                        move |arrived, _| {
                            arrived.for_each_stamp(|_, containers| {
                                for batches in containers {
                                    sink.borrow_mut().append(batches);
                                }
                            });
                        }
                    },
                )
                .probe()
                .0;
            (input, probe)
        });
        Self {
            worker,
            input,
            probe,
            inbox,
            step: 0,
            outboxes: Cell::new(0),
            open: None,
            sent: 0,
            observer: None,
            compute: Compute::new(shared),
            tuning: Tuning::default(),
        }
    }

    /// Sets the number of threads for this worker's own work. The default is one, because there is
    /// usually a worker for each core, so that more threads would exceed the number of cores. All
    /// workers of a process must call this at the beginning.
    pub fn use_threads(&mut self, threads: usize) {
        self.compute.use_threads(threads);
    }

    /// Changes the tuning of decompositions. All workers must set the same one.
    pub fn tune(&mut self, tuning: Tuning) {
        self.tuning = tuning;
    }

    /// Returns the tuning of decompositions.
    pub(crate) fn tuning(&self) -> Tuning {
        self.tuning
    }

    /// Lets this worker decompose its own part with the function `device`, for instance on a GPU,
    /// instead of on its threads of the CPU. If `device` returns `None`, the CPU does it.
    pub fn decompose_on(
        &mut self,
        device: impl FnMut(&MdpGraph, ComponentKind) -> Result<Option<Components>, decompose::Error>
        + 'w,
    ) {
        self.compute.decompose_on(Box::new(device));
    }

    /// Lets this worker report the progress of all workers to `observer` from time to time.
    pub fn observe(&mut self, observer: impl Fn(&Progress) + 'w) {
        self.observer = Some(Box::new(observer));
    }

    /// Reports the progress to the observer, if there is one.
    pub(crate) fn report(&self, progress: &Progress) {
        if let Some(observer) = &self.observer {
            observer(progress);
        }
    }

    /// Returns the number of this worker.
    #[must_use]
    pub fn me(&self) -> usize {
        self.worker.index()
    }

    /// Returns the number of workers.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.worker.peers()
    }

    /// Returns the number of bytes of messages that this worker has sent to others.
    #[must_use]
    pub fn bytes_sent(&self) -> u64 {
        self.sent
    }

    /// Returns the number of supersteps.
    #[must_use]
    pub fn supersteps(&self) -> u64 {
        self.step
    }

    /// Returns an empty outbox.
    #[must_use]
    pub fn outbox<T: Pod>(&self) -> Outbox<T> {
        self.outboxes.set(self.outboxes.get() + 1);
        Outbox {
            id: self.outboxes.get(),
            batches: vec![Vec::new(); self.workers()],
            numbers: vec![0; self.workers()],
            sent: 0,
            of: PhantomData,
        }
    }

    /// Sends the batch with this number of an outbox to a worker.
    fn send_messages(&mut self, to: usize, number: u32, messages: Vec<u8>) {
        self.send(Batch {
            from: self.me() as u32,
            to: to as u32,
            step: self.step,
            number,
            is_count: false,
            bytes: Bytes(messages),
        });
    }

    /// Tells a worker how many messages this worker has sent to all workers in this superstep.
    fn send_count(&mut self, to: usize, messages: u64) {
        self.send(Batch {
            from: self.me() as u32,
            to: to as u32,
            step: self.step,
            number: 0,
            is_count: true,
            bytes: Bytes(bytemuck::bytes_of(&messages).to_vec()),
        });
    }

    fn send(&mut self, batch: Batch) {
        if batch.to != batch.from {
            self.sent += batch.bytes.0.len() as u64;
        }
        self.input.send_batch(&mut vec![batch]);
    }

    /// Ends a superstep: sends the remaining messages of the outbox, waits until all workers have
    /// ended the superstep, and returns the messages received.
    ///
    /// # Panics
    /// Panics if batches of another outbox were sent in this superstep, because they could not be
    /// distinguished.
    pub fn exchange<T: Pod>(&mut self, mut outbox: Outbox<T>) -> Inbox<T> {
        for to in 0..self.workers() {
            outbox.flush(self, to);
        }
        assert!(
            self.open.take().is_none_or(|id| id == outbox.id),
            "one outbox a superstep"
        );
        for to in 0..self.workers() {
            self.send_count(to, outbox.sent);
        }
        let step = self.step;
        self.step += 1;
        self.input.advance_to(self.step);
        let (probe, next) = (&self.probe, self.step);
        self.worker
            .step_or_park_while(None, || probe.less_than(&next));
        let arrived = std::mem::take(&mut *self.inbox.borrow_mut());
        let (mut batches, early) = arrived
            .into_iter()
            .partition::<Vec<_>, _>(|b| b.step == step);
        self.inbox.borrow_mut().extend(early);
        batches.sort_by_key(|batch| (batch.from, batch.number));
        let (counts, batches): (Vec<Batch>, Vec<Batch>) =
            batches.into_iter().partition(|batch| batch.is_count);
        let read = |batch: &Batch| bytemuck::pod_read_unaligned::<u64>(&batch.bytes.0);
        Inbox::new(counts.iter().map(read).sum(), batches)
    }

    /// Does the same as [`exchange`](Self::exchange), and leaves an empty outbox in the place of
    /// this one.
    pub(crate) fn send_all<T: Pod>(&mut self, outbox: &mut Outbox<T>) -> Inbox<T> {
        let full = std::mem::replace(outbox, self.outbox());
        self.exchange(full)
    }

    /// Returns the values of all workers, in the order of the workers.
    pub fn gather<T: Pod>(&mut self, own: T) -> Vec<T> {
        let mut outbox = self.outbox();
        for to in 0..self.workers() {
            outbox.push(self, to, own);
        }
        self.exchange(outbox)
            .into_iter()
            .map(|(_, value)| value)
            .collect()
    }

    /// Returns the sums of the numbers of all workers, each of which has a list of the same length.
    pub fn sums(&mut self, own: &[u64]) -> Vec<u64> {
        let mut outbox = self.outbox();
        for to in 0..self.workers() {
            for &value in own {
                outbox.push(self, to, value);
            }
        }
        let mut sums = vec![0; own.len()];
        let places = (0..own.len()).cycle();
        for ((_, value), place) in self.exchange(outbox).into_iter().zip(places) {
            sums[place] += value;
        }
        sums
    }

    /// Returns the sum of the numbers of all workers.
    pub fn sum(&mut self, own: u64) -> u64 {
        self.gather(own).iter().sum()
    }
}

/// Outgoing messages, with a batch for each worker. Full batches are sent at once.
pub struct Outbox<T> {
    id: u64,
    batches: Vec<Vec<u8>>,
    numbers: Vec<u32>,
    sent: u64,
    of: PhantomData<T>,
}

impl<T: Pod> Outbox<T> {
    /// Adds a message to a worker.
    #[inline]
    pub fn push(&mut self, net: &mut Net<'_>, to: usize, message: T) {
        self.sent += 1;
        let batch = &mut self.batches[to];
        batch.extend_from_slice(bytemuck::bytes_of(&message));
        if batch.len() >= BATCH {
            self.flush(net, to);
        }
    }

    /// Adds several messages to the same worker.
    #[inline]
    pub fn push_all(&mut self, net: &mut Net<'_>, to: usize, messages: &[T]) {
        self.sent += messages.len() as u64;
        let batch = &mut self.batches[to];
        batch.extend_from_slice(bytemuck::cast_slice(messages));
        if batch.len() >= BATCH {
            self.flush(net, to);
        }
    }

    fn flush(&mut self, net: &mut Net<'_>, to: usize) {
        let bytes = std::mem::take(&mut self.batches[to]);
        if !bytes.is_empty() {
            net.open = Some(self.id);
            net.send_messages(to, self.numbers[to], bytes);
            self.numbers[to] += 1;
        }
    }
}

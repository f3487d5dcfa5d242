//! A GPU is opened while the model is still being read, if it will be asked.
//!
//! PendingDevice one takes a fifth of a second, and compiling what runs there some seconds the first time; closing it, a twentieth.

use crate::args::{DecomposeArgs, Kind};
use crate::device::{BRANCHES_WORTH_A_GPU, Plan};
use crate::interrupt;
use decompose::gpu::{GpuContext, GpuOptions, PendingDevice, Target};
use decompose::{Error, Observer, Search};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// A branch takes so many bytes of a large text at least.
const LEAST_BRANCH_BYTES: u64 = 8;

/// What will be asked of a GPU, and the GPU that is being opened.
pub(crate) struct Ahead {
    target: Target,
    search: Search,
    state: Mutex<State>,
}

enum State {
    /// Nobody knows yet whether a GPU is worth it.
    Waiting(GpuOptions),
    PendingDevice(PendingDevice),
    Open(GpuContext),
    Closing(JoinHandle<()>),
    /// There is no use for one.
    Idle,
}

impl Ahead {
    /// Begins at once, if a GPU will be asked whatever the model.
    pub(crate) fn new(args: &DecomposeArgs, plan: &Plan) -> Self {
        let (target, search) = (
            match args.components {
                Kind::Mec => Target::Mecs,
                Kind::Scc | Kind::Bscc => Target::Sccs,
            },
            args.search.into(),
        );
        let state = Mutex::new(match plan {
            Plan::Cpu => State::Idle,
            Plan::Auto(options) => State::Waiting(options.clone()),
            Plan::Gpu(options) => {
                State::PendingDevice(PendingDevice::begin(target, search, options))
            }
        });
        Self {
            target,
            search,
            state,
        }
    }

    /// The model has a text of so many bytes.
    pub(crate) fn expect_bytes(&self, bytes: usize) {
        self.begin_if_worth(&mut self.state(), bytes as u64 / LEAST_BRANCH_BYTES);
    }

    /// The model has or will have about so many states and branches.
    pub(crate) fn expect(&self, states: u64, branches: u64) {
        let state = &mut self.state();
        self.begin_if_worth(state, branches);
        if let State::PendingDevice(opening) = &mut **state {
            opening.expect((branches / states.max(1)) as u32);
        }
    }

    fn begin_if_worth(&self, state: &mut State, branches: u64) {
        if let State::Waiting(options) = state
            && branches >= BRANCHES_WORTH_A_GPU
        {
            *state = State::PendingDevice(PendingDevice::begin(self.target, self.search, options));
        }
    }

    /// The GPU, opened now if it is not yet. One that was asked for before is opened anew.
    ///
    /// # Errors
    /// Those of [`GpuContext::open_for`].
    pub(crate) fn engine(
        &self,
        options: &GpuOptions,
        observer: &dyn Observer,
    ) -> Result<GpuContext, Error> {
        let state = std::mem::replace(&mut *self.state(), State::Idle);
        let opened = match state {
            State::PendingDevice(opening) => opening.finish(observer),
            _ => None,
        };
        let engine = opened.unwrap_or_else(|| GpuContext::open_for(options))?;
        *self.state() = State::Open(engine.clone());
        Ok(engine)
    }

    /// Nothing more will be asked: what is open is closed, which takes its time, while the caller goes on.
    pub(crate) fn close(&self) {
        let state = &mut *self.state();
        *state = match std::mem::replace(state, State::Idle) {
            State::Open(engine) => match thread::Builder::new().spawn(move || drop(engine)) {
                Ok(thread) => State::Closing(thread),
                Err(_) => State::Idle,
            },
            other => other,
        };
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Ahead {
    /// A process must not end as usual while a driver is at work. For one that has not been asked yet nobody waits:
    /// something went wrong, which is to be said at once.
    fn drop(&mut self) {
        let state = std::mem::replace(&mut *self.state(), State::Idle);
        match state {
            State::Closing(thread) => {
                let _ = thread.join();
            }
            State::PendingDevice(opening) => {
                interrupt::leave_behind();
                opening.abandon();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;

//! The interpreter as a device: it runs recordings of passes on named buffers, as a GPU does.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use gpu::{
    AdapterInfo, AdapterKind, BufferId, Call, Condition, DeviceMemory, Error, Executor, Gpu,
    Limits, LoopOutcome, LoopRecord, Outcome, Progress, Recording, Repeated, Result, RunOptions,
    Step, Zeroing,
};

use super::code::{Code, Space};
use super::compiled::{Codes, Mutant, compiled, validation};
use super::finding::{Fault, Finding, Findings};
use super::machine::{Buffers, Launch};
use super::promised;
use super::random::Random;
use super::schedule;
use super::settings::{STEPS_OF_A_DISPATCH, Settings};

/// The binding group of the records of loops.
const LOOP_GROUP: u32 = 1;

/// The number of runs of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelRuns {
    /// The number of dispatches.
    pub dispatches: u64,
    /// The number of steps of all invocations, that is, of accesses to memory that they share.
    pub steps: u64,
}

/// A device that interprets kernels, and records faults. Clones share the same device.
#[derive(Clone)]
pub struct Interpreter {
    shared: Arc<Shared>,
}

struct Shared {
    info: AdapterInfo,
    settings: Settings,
    mutant: Option<Arc<Mutant>>,
    /// The time at which the device fails.
    deadline: Option<Instant>,
    state: Mutex<State>,
}

struct State {
    buffers: BTreeMap<BufferId, Vec<u32>>,
    codes: Codes,
    findings: HashMap<String, Findings>,
    runs: BTreeMap<String, KernelRuns>,
    /// The number of steps of all kernels.
    steps: u64,
    random: Random,
    is_lost: bool,
    /// Whether the device has failed because its time is over.
    is_late: bool,
}

impl std::fmt::Debug for Interpreter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Interpreter({:?})", self.shared.settings)
    }
}

impl Interpreter {
    /// Makes a device.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self::on(settings, None)
    }

    /// Makes a device on which some kernels are changed.
    #[must_use]
    pub fn with_mutant(settings: Settings, mutant: Arc<Mutant>) -> Self {
        Self::on(settings, Some(mutant))
    }

    fn on(settings: Settings, mutant: Option<Arc<Mutant>>) -> Self {
        let info = AdapterInfo {
            name: "interpreter".to_owned(),
            backend: "naga".to_owned(),
            driver: String::new(),
            kind: AdapterKind::Software,
            subgroup_sizes: (settings.subgroup, settings.subgroup),
            subgroups: true,
            timestamps: false,
            limits: Limits {
                max_bindings: 32,
                max_invocations: 1024,
                max_workgroup_bytes: 48 << 10,
                max_buffer_bytes: settings.max_buffer_bytes,
                ..Limits::WEBGPU
            },
        };
        let state = State {
            buffers: BTreeMap::new(),
            codes: HashMap::new(),
            findings: HashMap::new(),
            runs: BTreeMap::new(),
            steps: 0,
            random: Random::new(settings.seed),
            is_lost: false,
            is_late: false,
        };
        Self {
            shared: Arc::new(Shared {
                info,
                settings,
                mutant,
                deadline: Instant::now().checked_add(settings.limit),
                state: Mutex::new(state),
            }),
        }
    }

    /// Returns the device as a [`Gpu`].
    #[must_use]
    pub fn gpu(&self) -> Gpu {
        Gpu::on(self.shared.clone())
    }

    /// Returns the faults found so far, each with the name of the kernel.
    #[must_use]
    pub fn findings(&self) -> Vec<(String, Finding)> {
        let state = self.shared.state();
        let each = state.findings.iter().flat_map(|(kernel, findings)| {
            let all = findings.all.iter().cloned();
            all.map(|finding| (kernel.clone(), finding))
        });
        let mut all: Vec<_> = each.collect();
        all.sort();
        all
    }

    /// Returns whether the device has failed because of [`Settings::limit`]. Then answers and
    /// findings are incomplete.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.shared.state().is_late
    }

    /// Returns the kernels that were run, with the number of runs.
    #[must_use]
    pub fn runs(&self) -> BTreeMap<String, KernelRuns> {
        self.shared.state().runs.clone()
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn alive(&self) -> Result<MutexGuard<'_, State>> {
        let mut state = self.state();
        if state.is_lost {
            return Err(Error::DeviceLost {
                reason: "it was lost on request".to_owned(),
            });
        }
        self.check_time(&mut state)?;
        Ok(state)
    }

    /// Fails if the time of the device is over.
    fn check_time(&self, state: &mut State) -> Result<()> {
        state.is_late |= self.deadline.is_some_and(|end| Instant::now() >= end);
        match state.is_late {
            true => Err(Error::DeviceLost {
                reason: "its time is over".to_owned(),
            }),
            false => Ok(()),
        }
    }

    /// Returns the code of a call's kernel.
    fn code(&self, state: &mut State, call: &Call) -> Result<Arc<Code>> {
        let key = (call.kernel.label(), call.constants.clone());
        if let Some(code) = state.codes.get(&key) {
            return Ok(code.clone());
        }
        let values = self.settings.scale(call.kernel).values;
        let mutated = self.mutant.as_ref();
        let mutated = mutated.and_then(|mutant| mutant.code(call, values));
        let code = mutated.unwrap_or_else(|| compiled(call, values))?;
        state.codes.insert(key, code.clone());
        Ok(code)
    }

    /// Runs a kernel. `records` are those of a loop, for the current iteration and the next one.
    fn dispatch(
        &self,
        state: &mut State,
        call: &Call,
        groups: [u32; 3],
        records: &mut [LoopRecord; 2],
    ) -> Result<()> {
        let code = self.code(state, call)?;
        let mut table = Table::of(state, call, records)?;
        let broken = promised::broken(call, groups, |binding| {
            &table.buffers[table.place(call, 0, binding)]
        });
        let bindings = code.objects.iter().map(|object| match object.space {
            Space::Storage { group, binding, .. } | Space::Uniform { group, binding } => {
                table.place(call, group, binding)
            }
            Space::Workgroup { .. } => Table::NOTHING,
        });
        let launch = Launch {
            code: &code,
            groups,
            subgroup: self.settings.subgroup,
            bindings: bindings.collect(),
            stale: self.settings.stale,
            resident: self.settings.resident,
            max_operations: self.settings.max_operations,
            fails_early: self.settings.fails_early,
            deadline: self.deadline,
        };
        let label = call.kernel.label();
        let findings = state.findings.entry(label.clone()).or_default();
        for (number, message) in broken {
            findings.add(Fault::Promise, &[number], || Finding {
                fault: Fault::Promise,
                message,
                at: Vec::new(),
            });
        }
        let steps = schedule::run(
            &launch,
            &mut table.buffers,
            findings,
            self.settings.schedule,
            &mut state.random,
        );
        state.steps += steps + STEPS_OF_A_DISPATCH;
        note_endless(findings, state.steps, self.settings.steps);
        let has_failed = self.settings.fails_early && !findings.all.is_empty();
        let runs = state.runs.entry(label.clone()).or_default();
        runs.dispatches += 1;
        runs.steps += steps;
        table.give_back(state, records);
        match has_failed {
            true => Err(validation(label, "something went wrong")),
            // A dispatch that was ended leaves buffers that keep no promise.
            false => self.check_time(state),
        }
    }
}

/// Records a fault if all kernels together have made more steps than permitted.
fn note_endless(findings: &mut Findings, steps: u64, most: u64) {
    if steps > most {
        findings.add(Fault::Endless, &[], || Finding {
            fault: Fault::Endless,
            message: format!("the kernels have made more than {most} steps"),
            at: Vec::new(),
        });
    }
}

/// The buffers of a dispatch, taken from the device while it runs.
struct Table {
    buffers: Buffers,
    ids: Vec<BufferId>,
}

impl Table {
    const NOTHING: usize = 0;
    const NOW: usize = 1;
    const NEXT: usize = 2;
    const PARAMS: usize = 3;
    const FIRST: usize = 4;

    fn of(state: &mut State, call: &Call, records: &[LoopRecord; 2]) -> Result<Self> {
        let record = |record: &LoopRecord| bytemuck::cast_slice(&[*record]).to_vec();
        let params = bytemuck::pod_collect_to_vec(&call.params);
        let mut table = Self {
            buffers: vec![Vec::new(), record(&records[0]), record(&records[1]), params],
            ids: Vec::new(),
        };
        for buffer in &call.buffers {
            if !table.ids.contains(&buffer.id()) {
                let held = state.buffers.get_mut(&buffer.id());
                let held = held.ok_or_else(|| validation(buffer.name(), "is gone"))?;
                table.buffers.push(std::mem::take(held));
                table.ids.push(buffer.id());
            }
        }
        Ok(table)
    }

    /// Returns the index of the buffer with this binding.
    fn place(&self, call: &Call, group: u32, binding: u32) -> usize {
        if group == LOOP_GROUP {
            return if binding == 0 { Self::NOW } else { Self::NEXT };
        }
        if call
            .kernel
            .params
            .is_some_and(|params| params.binding == binding)
        {
            return Self::PARAMS;
        }
        let slots = call.kernel.buffers.iter();
        let slot = slots
            .zip(&call.buffers)
            .find(|(slot, _)| slot.binding == binding);
        let place = slot.and_then(|(_, buffer)| self.ids.iter().position(|id| *id == buffer.id()));
        place.map_or(Self::NOTHING, |place| Self::FIRST + place)
    }

    fn give_back(mut self, state: &mut State, records: &mut [LoopRecord; 2]) {
        records[1] = bytemuck::cast_slice(&self.buffers[Self::NEXT])[0];
        for (id, words) in self.ids.drain(..).zip(self.buffers.drain(Self::FIRST..)) {
            state.buffers.insert(id, words);
        }
    }
}

impl DeviceMemory for Shared {
    fn free(&self, id: BufferId) {
        self.state().buffers.remove(&id);
    }
}

impl Executor for Shared {
    fn info(&self) -> &AdapterInfo {
        &self.info
    }

    fn create(&self, id: BufferId, _: &str, bytes: u64, _: Zeroing) -> Result<()> {
        let words = vec![0; (bytes / 4) as usize];
        self.alive()?.buffers.insert(id, words);
        Ok(())
    }

    fn upload(&self, to: BufferId, at: u64, data: &[u8]) -> Result<()> {
        let mut state = self.alive()?;
        let held = state.buffers.get_mut(&to);
        let held = held.ok_or_else(|| validation("upload", "the buffer is gone"))?;
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(held);
        bytes[at as usize..][..data.len()].copy_from_slice(data);
        Ok(())
    }

    fn download(&self, from: BufferId, at: u64, data: &mut [u8]) -> Result<()> {
        let state = self.alive()?;
        let held = state.buffers.get(&from);
        let held = held.ok_or_else(|| validation("download", "the buffer is gone"))?;
        let bytes: &[u8] = bytemuck::cast_slice(held);
        data.copy_from_slice(&bytes[at as usize..][..data.len()]);
        Ok(())
    }

    fn lose(&self) {
        self.state().is_lost = true;
    }

    fn run(&self, recording: &Recording, options: &mut RunOptions<'_>) -> Result<Outcome> {
        let mut outcome = Outcome {
            submissions: 1,
            ..Outcome::default()
        };
        // The step up to which steps are skipped, because they depend on a condition that does not
        // hold.
        let mut left_out = 0;
        for (at, step) in recording.steps().iter().enumerate() {
            let runs = at >= left_out;
            match step {
                Step::Repeat(repeated) => {
                    let ended = match runs {
                        true => self.repeat(repeated, options)?,
                        false => LoopOutcome::default(),
                    };
                    outcome.loops.push(ended);
                }
                Step::Read(buffer, bytes) => {
                    let mut data = vec![0; (bytes.end - bytes.start) as usize];
                    if runs {
                        self.download(buffer.id(), bytes.start, &mut data)?;
                    }
                    outcome.reads.push(data);
                }
                Step::Guard(guard) if runs => {
                    let holds = self.holds(&guard.condition, &outcome)?;
                    let count = guard.steps.unwrap_or(recording.steps().len());
                    left_out = if holds { left_out } else { at + count + 1 };
                }
                _ if runs => self.transfer(step)?,
                _ => {}
            }
        }
        Ok(outcome)
    }
}

/// Runs recordings.
impl Shared {
    fn holds(&self, condition: &Condition, outcome: &Outcome) -> Result<bool> {
        Ok(match condition {
            Condition::Word(buffer, at) => {
                let mut word = [0; 4];
                self.download(buffer.id(), *at, &mut word)?;
                word != [0; 4]
            }
            Condition::Without(handle, dimension) => outcome[*handle].last.groups[*dimension] == 0,
            Condition::With(handle, dimension) => outcome[*handle].last.groups[*dimension] != 0,
        })
    }

    /// Runs a step that is not a loop, a read or a condition.
    fn transfer(&self, step: &Step) -> Result<()> {
        match step {
            Step::Dispatch(dispatch) => {
                let mut records = [LoopRecord::default(); 2];
                let mut state = self.alive()?;
                let call = &dispatch.call;
                let groups = self.settings.groups(call.kernel, dispatch.groups);
                self.dispatch(&mut state, call, groups, &mut records)
            }
            Step::Clear(buffer) => {
                let zeros = vec![0; buffer.bytes() as usize];
                self.upload(buffer.id(), 0, &zeros)
            }
            Step::Copy { from, to } => {
                let (source, bytes) = from;
                let mut data = vec![0; (bytes.end - bytes.start) as usize];
                self.download(source.id(), bytes.start, &mut data)?;
                self.upload(to.0.id(), to.1, &data)
            }
            Step::Write { to, data } => self.upload(to.0.id(), to.1, data),
            _ => Ok(()),
        }
    }

    fn repeat(&self, repeated: &Repeated, options: &mut RunOptions<'_>) -> Result<LoopOutcome> {
        let mut now = LoopRecord {
            groups: self.start(repeated),
            iteration: 0,
            words: repeated.options.words,
        };
        let mut iterations = 0;
        while !now.is_last() {
            if iterations == repeated.options.at_most.min(self.settings.iterations) {
                return Err(Error::LoopLimit {
                    what: repeated.name.clone(),
                    iterations,
                });
            }
            let done = now;
            now = self.iteration(repeated, now, iterations)?;
            iterations += 1;
            if let Some(observer) = &mut options.observer {
                let progress = Progress {
                    name: &repeated.name,
                    is_compiling: false,
                    iterations,
                    records: &[done],
                };
                if observer(progress).is_break() {
                    return Err(Error::Cancelled);
                }
            }
        }
        if repeated.options.fixed_grid {
            self.check_end(repeated, now, iterations)?;
        }
        Ok(LoopOutcome {
            iterations,
            last: now,
        })
    }

    /// Returns the number of workgroups of the first iteration.
    fn start(&self, repeated: &Repeated) -> [u32; 3] {
        let settings = &self.settings;
        let first = repeated.body.first();
        first.map_or(repeated.start, |call| {
            settings.groups(call.kernel, repeated.start)
        })
    }

    /// Runs one iteration. Returns the record of the next one.
    fn iteration(&self, repeated: &Repeated, now: LoopRecord, number: u64) -> Result<LoopRecord> {
        let next = LoopRecord {
            groups: repeated.options.fresh,
            iteration: (number + 1) as u32,
            words: [0; LoopRecord::WORDS],
        };
        let mut records = [now, next];
        let groups = match repeated.options.fixed_grid {
            true => self.start(repeated),
            false => now.groups,
        };
        let mut state = self.alive()?;
        for call in repeated.calls_in(number).map(|at| &repeated.body[at]) {
            self.dispatch(&mut state, call, groups, &mut records)?;
        }
        Ok(records[1])
    }

    /// Runs one iteration after the end of a loop, as devices do. It must not change anything.
    fn check_end(&self, repeated: &Repeated, last: LoopRecord, number: u64) -> Result<()> {
        let before = self.alive()?.buffers.clone();
        let next = self.iteration(repeated, last, number)?;
        let mut state = self.alive()?;
        if next.is_last() && state.buffers == before {
            return Ok(());
        }
        let findings = state.findings.entry(repeated.name.clone()).or_default();
        findings.add(Fault::AfterEnd, &[], || Finding {
            fault: Fault::AfterEnd,
            message: format!(
                "an iteration behind the end of the loop `{}` changes something",
                repeated.name
            ),
            at: Vec::new(),
        });
        Ok(())
    }
}

//! A running dispatch: its invocations, their shared memory, and the execution of single steps.
//!
//! A step consists of one access to shared memory, and of all local operations up to the next such
//! access. The caller of [`Machine::step`] decides which invocation makes the next step. Local
//! operations are in `local`.

mod local;

use std::time::Instant;

use super::arithmetic::rmw;
use super::claims::{Claims, Granted};
use super::code::{Address, Code, Input, NONE, Op, Rmw, Space};
use super::finding::{Fault, Finding, Findings};
use super::races::{Kind, Stamp};
use super::spare::{Frames, Notes};

/// The words of all storage and uniform buffers that a dispatch binds.
pub(super) type Buffers = Vec<Vec<u32>>;

/// A dispatch: a kernel, the number of workgroups, and the bound buffers.
#[derive(Clone, Debug)]
pub(super) struct Launch<'a> {
    pub(super) code: &'a Code,
    pub(super) groups: [u32; 3],
    /// The size of subgroups.
    pub(super) subgroup: u32,
    /// The index of the buffer of each object. It is not used for the memory of workgroups.
    pub(super) bindings: Vec<usize>,
    /// Whether relaxed loads may see old values, and weak exchanges may fail spuriously.
    pub(super) stale: bool,
    /// The maximum number of workgroups that run at a time, under a scheduler.
    pub(super) resident: u32,
    /// The number of operations after which an invocation counts as endless.
    pub(super) max_operations: u64,
    /// Whether the dispatch ends at the first fault.
    pub(super) fails_early: bool,
    /// The time at which the dispatch ends, although invocations are still running.
    pub(super) deadline: Option<Instant>,
}

impl Launch<'_> {
    pub(super) fn num_groups(&self) -> u32 {
        self.groups.iter().product()
    }

    /// Returns whether its time is over.
    pub(super) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|end| Instant::now() >= end)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// It is about to access shared memory.
    Ready,
    /// It waits at a barrier or a subgroup operation.
    Waiting,
    Done,
}

#[derive(Debug)]
pub(super) struct Invocation {
    pub(super) pc: u32,
    pub(super) status: Status,
    /// Its registers; empty once it has ended.
    pub(super) frame: Vec<u32>,
    operations: u64,
}

/// A workgroup that has been started.
#[derive(Debug)]
pub(super) struct Group {
    /// The memory of each object that belongs to the workgroup.
    memory: Vec<Vec<u32>>,
    /// The accesses to this memory. They are kept here because nobody needs them after the end of
    /// the workgroup: together, those of thousands of workgroups would not fit a cache.
    notes: Notes,
    pub(super) invocations: Vec<Invocation>,
    pub(super) ready: u32,
    /// The number of invocations of each subgroup that are ready.
    pub(super) ready_in: Vec<u32>,
    pub(super) done: u32,
    pub(super) storage_epoch: u32,
    pub(super) workgroup_epoch: u32,
}

/// The access that a step will make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    /// The number of the first word; see [`Machine::word`].
    pub(super) word: u64,
    pub(super) n: u32,
    pub(super) is_write: bool,
    /// Whether it is an atomic load, which may see old values.
    pub(super) is_atomic_load: bool,
    /// Whether it is an atomic store, which does not read.
    pub(super) is_atomic_store: bool,
}

impl Access {
    /// Returns whether the order of the two accesses matters.
    pub(super) fn conflicts(self, other: Self) -> bool {
        (self.is_write || other.is_write)
            && self.word < other.word + u64::from(other.n)
            && other.word < self.word + u64::from(self.n)
    }
}

/// The operation that an invocation executes.
#[derive(Clone, Copy)]
struct Executing {
    group: u32,
    /// The number of the invocation in its workgroup.
    local: u32,
    pc: u32,
}

/// A word of an object.
#[derive(Clone, Copy)]
struct Target {
    object: u32,
    /// The index of the word.
    at: u32,
}

impl Target {
    /// Returns the word at an address.
    fn of(frame: &[u32], address: Address) -> Self {
        let at = match address.at {
            NONE => address.base,
            at => address.base.wrapping_add(frame[at as usize]),
        };
        let object = address.object;
        Self { object, at }
    }

    /// Returns a word that comes later.
    fn plus(self, k: u32) -> Self {
        let at = self.at + k;
        Self { at, ..self }
    }
}

/// The largest number of words of frames that are kept for a kernel.
const MAX_SPARE_WORDS: usize = 1 << 18;

/// The function that decides nondeterministic choices: which of `n` values a load sees, where 0 is
/// the last one.
pub(super) type Choose<'c> = dyn FnMut(usize) -> usize + 'c;

/// A dispatch that is being run.
pub(super) struct Machine<'a> {
    pub(super) launch: &'a Launch<'a>,
    pub(super) buffers: &'a mut Buffers,
    pub(super) groups: Vec<Option<Group>>,
    frames: Frames,
    /// The accesses to storage.
    notes: Notes,
    claims: Claims,
    pub(super) findings: &'a mut Findings,
    /// The invocations that have become ready since this was last cleared.
    pub(super) woken: Vec<u32>,
    /// The invocations that have waited for each other since this was last cleared, if this is
    /// recorded.
    pub(super) met: Option<Vec<Vec<u32>>>,
}

impl<'a> Machine<'a> {
    pub(super) fn new(
        launch: &'a Launch<'a>,
        buffers: &'a mut Buffers,
        findings: &'a mut Findings,
    ) -> Self {
        let groups = launch.num_groups() as usize;
        Self {
            launch,
            buffers,
            groups: (0..groups).map(|_| None).collect(),
            frames: launch.code.frames.take(),
            notes: Notes::take(),
            claims: Claims::default(),
            findings,
            woken: Vec::new(),
            met: None,
        }
    }

    pub(super) fn size(&self) -> u32 {
        self.launch.code.invocations()
    }

    /// Starts a workgroup: runs its invocations up to their first accesses.
    pub(super) fn start(&mut self, group: u32) {
        let code = self.launch.code;
        let objects = code.objects.iter();
        let memory = objects.map(|object| match object.space {
            Space::Workgroup { words } => vec![0; words as usize],
            _ => Vec::new(),
        });
        let memory = memory.collect();
        let size = self.size();
        let invocations = (0..size).map(|_| Invocation {
            pc: 0,
            status: Status::Ready,
            frame: Vec::new(),
            operations: 0,
        });
        let subgroups = (0..size).step_by(self.launch.subgroup as usize);
        let ready_in = subgroups.map(|first| self.launch.subgroup.min(size - first));
        self.groups[group as usize] = Some(Group {
            memory,
            notes: Notes::take(),
            ready: size,
            ready_in: ready_in.collect(),
            invocations: invocations.collect(),
            done: 0,
            storage_epoch: 0,
            workgroup_epoch: 0,
        });
        // Invocations that end at once use the same frame, one after another.
        for local in 0..size {
            let frame = self.frame(group, local);
            if let Some(one) = self.one(group, local) {
                one.frame = frame;
            }
            self.advance(group, local);
        }
        self.settle(group, 0..usize::MAX);
    }

    /// Returns the frame of an invocation that starts.
    fn frame(&mut self, group: u32, local: u32) -> Vec<u32> {
        let code = self.launch.code;
        let mut frame = self.frames.pop().unwrap_or_else(|| code.frame.clone());
        for &(input, register) in &code.inputs {
            let (words, n) = self.launch.input(input, group, local);
            frame[register as usize..][..n].copy_from_slice(&words[..n]);
        }
        frame
    }

    /// Returns whether all invocations of a workgroup have ended.
    pub(super) fn is_done(&self, group: u32) -> bool {
        match &self.groups[group as usize] {
            Some(group) => group.done == self.size(),
            None => false,
        }
    }

    /// Releases the memory of a workgroup that has ended.
    pub(super) fn drop_group(&mut self, group: u32) {
        if let Some(group) = self.groups[group as usize].take() {
            let frames = group.invocations.into_iter().map(|one| one.frame);
            self.frames.extend(frames.filter(|frame| !frame.is_empty()));
            group.notes.give_back();
        }
    }

    /// Returns the access of the next step of an invocation.
    pub(super) fn next(&self, invocation: u32) -> Option<Access> {
        let (group, local) = (invocation / self.size(), invocation % self.size());
        let one = &self.groups[group as usize].as_ref()?.invocations[local as usize];
        if one.status != Status::Ready {
            return None;
        }
        let access = |at: Address, n: u32, is_write: bool, is_atomic: bool| Access {
            word: self.word(group, Target::of(&one.frame, at)),
            n,
            is_write,
            is_atomic_load: is_atomic && !is_write,
            is_atomic_store: is_atomic && is_write,
        };
        match self.launch.code.ops[one.pc as usize] {
            Op::Load {
                from, n, is_atomic, ..
            } => Some(access(from, n, false, is_atomic)),
            Op::Store {
                to, n, is_atomic, ..
            } => Some(access(to, n, true, is_atomic)),
            Op::Atomic { at, .. } => Some(access(at, 1, true, false)),
            _ => None,
        }
    }

    /// Returns the current operation of an invocation.
    pub(super) fn pc(&self, invocation: u32) -> u32 {
        let (group, local) = (invocation / self.size(), invocation % self.size());
        let group = self.groups[group as usize].as_ref();
        group.map_or(0, |group| group.invocations[local as usize].pc)
    }

    /// Returns the number of a word among all that are shared in the dispatch.
    fn word(&self, group: u32, target: Target) -> u64 {
        let objects = self.launch.code.objects.len() as u64;
        let object = u64::from(target.object);
        let variable = match self.launch.code.objects[target.object as usize].space {
            Space::Workgroup { .. } => objects * (u64::from(group) + 1) + object,
            _ => object,
        };
        variable << 32 | u64::from(target.at)
    }

    /// Makes a step of an invocation, which must be ready.
    pub(super) fn step(&mut self, invocation: u32, choose: &mut Choose<'_>) {
        let (group, local) = (invocation / self.size(), invocation % self.size());
        self.access(group, local, choose);
        self.advance(group, local);
        let own = (local / self.launch.subgroup) as usize;
        self.settle(group, own..own + 1);
    }

    fn one(&mut self, group: u32, local: u32) -> Option<&mut Invocation> {
        let group = self.groups[group as usize].as_mut()?;
        Some(&mut group.invocations[local as usize])
    }

    fn memory(&mut self, group: u32, object: u32) -> &mut Vec<u32> {
        match self.launch.code.objects[object as usize].space {
            Space::Workgroup { .. } => match &mut self.groups[group as usize] {
                Some(group) => &mut group.memory[object as usize],
                None => &mut self.buffers[0],
            },
            _ => &mut self.buffers[self.launch.bindings[object as usize]],
        }
    }

    /// Returns the accesses to the memory of an object.
    fn notes(&mut self, group: u32, object: u32) -> &mut Notes {
        match self.launch.code.objects[object as usize].space {
            Space::Workgroup { .. } => match &mut self.groups[group as usize] {
                Some(group) => &mut group.notes,
                None => &mut self.notes,
            },
            _ => &mut self.notes,
        }
    }

    /// Returns the stamp of an access to an object.
    fn stamp(&self, who: Executing, object: u32) -> Stamp {
        let Executing { group, local, pc } = who;
        let is_workgroup = matches!(
            self.launch.code.objects[object as usize].space,
            Space::Workgroup { .. }
        );
        let epoch = self.groups[group as usize]
            .as_ref()
            .map(|group| match is_workgroup {
                true => group.workgroup_epoch,
                false => group.storage_epoch,
            });
        Stamp {
            invocation: group * self.size() + local,
            group,
            epoch: epoch.unwrap_or(0),
            pc,
        }
    }

    /// Executes the access of an invocation.
    fn access(&mut self, group: u32, local: u32, choose: &mut Choose<'_>) {
        let Some(one) = self.one(group, local) else {
            return;
        };
        let pc = one.pc;
        one.pc += 1;
        let mut frame = std::mem::take(&mut one.frame);
        let who = Executing { group, local, pc };
        match self.launch.code.ops[pc as usize] {
            Op::Load {
                dst,
                from,
                n,
                is_atomic,
            } => {
                let first = Target::of(&frame, from);
                let kind = if is_atomic { Kind::Atomic } else { Kind::Read };
                for k in 0..n {
                    let target = first.plus(k);
                    let stamp = self.note(who, target, kind);
                    let memory = self.memory(group, from.object);
                    let mut value = memory.get(target.at as usize).copied().unwrap_or(0);
                    if is_atomic && self.launch.stale {
                        let word = self.word(group, target);
                        let stale = &mut self.notes(group, from.object).stale;
                        let back = choose(stale.choices(word, stamp));
                        value = stale.read(word, stamp, back, value);
                    }
                    frame[(dst + k) as usize] = value;
                }
            }
            Op::Store {
                src,
                to,
                n,
                is_atomic,
            } => {
                let first = Target::of(&frame, to);
                let kind = if is_atomic { Kind::Atomic } else { Kind::Write };
                for k in 0..n {
                    let stamp = self.note(who, first.plus(k), kind);
                    let value = frame[(src + k) as usize];
                    self.put(stamp, first.plus(k), value, is_atomic);
                }
            }
            op @ Op::Atomic { .. } => self.exchange(who, op, &mut frame, choose),
            _ => {}
        }
        if let Some(one) = self.one(group, local) {
            one.frame = frame;
        }
    }

    /// Executes an atomic read-modify-write operation.
    fn exchange(&mut self, who: Executing, op: Op, frame: &mut [u32], choose: &mut Choose<'_>) {
        let Op::Atomic {
            op,
            dst,
            at,
            value,
            expected,
        } = op
        else {
            return;
        };
        let target = Target::of(frame, at);
        let stamp = self.note(who, target, Kind::Atomic);
        let memory = self.memory(who.group, target.object);
        let old = memory.get(target.at as usize).copied().unwrap_or(0);
        let given = match expected {
            NONE => 0,
            register => frame[register as usize],
        };
        // A weak exchange may fail although the expected value was found.
        let fails =
            op == Rmw::CompareExchange && self.launch.stale && old == given && choose(8) == 7;
        let new = match fails {
            true => old,
            false => rmw(op, old, frame[value as usize], given),
        };
        self.put(stamp, target, new, true);
        if dst != NONE {
            if op == Rmw::Add && self.launch.code.objects[at.object as usize].gives_tickets {
                let granted = Granted {
                    invocation: stamp.invocation,
                    pc: who.pc,
                };
                self.take_ticket(at.object, old, granted);
            }
            frame[dst as usize] = old;
            if op == Rmw::CompareExchange {
                frame[dst as usize + 1] = u32::from(old == given && !fails);
            }
        }
    }

    /// Stores a word, if the object has it.
    fn put(&mut self, who: Stamp, target: Target, new: u32, is_atomic: bool) {
        let word = self.word(who.group, target);
        let memory = self.memory(who.group, target.object);
        let Some(place) = memory.get_mut(target.at as usize) else {
            return;
        };
        let old = std::mem::replace(place, new);
        if is_atomic && self.launch.stale {
            let stale = &mut self.notes(who.group, target.object).stale;
            stale.write(word, who, old, new);
        }
    }

    /// Records an access, and reports it if it races.
    fn note(&mut self, who: Executing, target: Target, kind: Kind) -> Stamp {
        let Target { object, at } = target;
        let new = self.stamp(who, object);
        let word = self.word(who.group, target);
        let races = &mut self.notes(who.group, object).races;
        if let Some((earlier, other)) = races.access(word, kind, new) {
            let launch = self.launch;
            self.findings.add(Fault::Race, &[earlier.pc, new.pc], || {
                let name = &launch.code.objects[object as usize].name;
                let verb = |kind| match kind {
                    Kind::Read => "reads",
                    Kind::Write => "writes",
                    Kind::Atomic => "accesses atomically",
                };
                let who = |stamp: Stamp, kind| {
                    format!("{} {}", launch.invocation(stamp.invocation), verb(kind))
                };
                Finding {
                    fault: Fault::Race,
                    message: format!("data race on word {at} of `{name}`"),
                    at: vec![
                        (who(earlier, other), launch.code.place(earlier.pc)),
                        (who(new, kind), launch.code.place(new.pc)),
                    ],
                }
            });
        }
        new
    }
}

impl Drop for Machine<'_> {
    /// Keeps memory for later dispatches.
    fn drop(&mut self) {
        for group in 0..self.groups.len() as u32 {
            self.drop_group(group);
        }
        let code = self.launch.code;
        let most = MAX_SPARE_WORDS / code.frame.len().max(1);
        self.frames.truncate(most);
        code.frames.give_back(std::mem::take(&mut self.frames));
        std::mem::take(&mut self.notes).give_back();
    }
}

/// Returns the number of words in a register; 0 if there is no register.
pub(super) fn offset(frame: &[u32], base: u32) -> u32 {
    match base {
        NONE => 0,
        base => frame[base as usize],
    }
}

impl Launch<'_> {
    /// Returns the words of an input of an invocation, and their number.
    fn input(&self, input: Input, group: u32, local: u32) -> ([u32; 3], usize) {
        let [x, y, _] = self.code.workgroup;
        let [columns, rows, _] = self.groups;
        let place = [
            group % columns,
            group / columns % rows,
            group / columns / rows,
        ];
        let own = [local % x, local / x % y, local / x / y];
        let size = self.subgroup;
        let one = |word| ([word, 0, 0], 1);
        match input {
            Input::GlobalId => {
                let at = |k: usize| place[k] * self.code.workgroup[k] + own[k];
                ([at(0), at(1), at(2)], 3)
            }
            Input::LocalId => (own, 3),
            Input::LocalIndex => one(local),
            Input::WorkgroupId => (place, 3),
            Input::NumWorkgroups => (self.groups, 3),
            Input::NumSubgroups => one(self.code.invocations().div_ceil(size)),
            Input::SubgroupId => one(local / size),
            Input::SubgroupSize => one(size),
            Input::SubgroupInvocation => one(local % size),
        }
    }

    /// Returns the name of an invocation in messages.
    pub(super) fn invocation(&self, invocation: u32) -> String {
        let size = self.code.invocations();
        let local = invocation % size;
        let (place, _) = self.input(Input::WorkgroupId, invocation / size, local);
        match place {
            [x, 0, 0] => format!("invocation {local} of workgroup {x}"),
            place => format!("invocation {local} of workgroup {place:?}"),
        }
    }
}

//! Collective operations of a workgroup: barriers and subgroup operations.

use std::ops::Range;

use super::arithmetic::binary;
use super::code::{Gather, Op, Reg, Scan};
use super::finding::{Fault, Finding};
use super::machine::{Invocation, Machine, Status, offset};

/// Collective operations.
impl Machine<'_> {
    /// Releases the invocations that have waited for each other. Only the subgroups in `changed`
    /// have changed since the last call.
    pub(super) fn settle(&mut self, at: u32, mut changed: Range<usize>) {
        loop {
            let Some(group) = &self.groups[at as usize] else {
                return;
            };
            if group.ready > 0 && !self.launch.code.uses_subgroups || group.done == self.size() {
                return;
            }
            let released = match self.subgroups(at, changed.clone()) {
                Some((number, released)) => {
                    // The subgroups before this one cannot continue.
                    changed.start = number;
                    released
                }
                None => {
                    changed = 0..usize::MAX;
                    self.barrier(at)
                }
            };
            if released.is_empty() {
                return;
            }
            let base = at * self.size();
            if let Some(met) = &mut self.met {
                met.push(released.iter().map(|local| base + local).collect());
            }
            if let Some(group) = &mut self.groups[at as usize] {
                for &local in &released {
                    let one = &mut group.invocations[local as usize];
                    one.pc += 1;
                    one.status = Status::Ready;
                    group.ready_in[(local / self.launch.subgroup) as usize] += 1;
                }
                group.ready += released.len() as u32;
            }
            for local in released {
                self.advance(at, local);
            }
        }
    }

    /// Executes the subgroup operation of the first of some subgroups in which all invocations
    /// wait. Returns the index of this subgroup, and the invocations that are released.
    fn subgroups(&mut self, at: u32, among: Range<usize>) -> Option<(usize, Vec<u32>)> {
        if !self.launch.code.uses_subgroups {
            return None;
        }
        let size = self.launch.subgroup as usize;
        let ops = &self.launch.code.ops;
        let group = self.groups[at as usize].as_mut()?;
        for number in among.start..among.end.min(group.ready_in.len()) {
            if group.ready_in[number] > 0 {
                continue;
            }
            let first = number * size;
            let end = (first + size).min(group.invocations.len());
            let members = &mut group.invocations[first..end];
            let waiting = members.iter().filter(|one| one.status == Status::Waiting);
            let together = waiting.map(|one| one.pc);
            let together = together.filter(|&pc| !matches!(ops[pc as usize], Op::Barrier { .. }));
            let Some(pc) = together.min() else {
                continue;
            };
            let active = |one: &Invocation| one.status == Status::Waiting && one.pc == pc;
            let active: Vec<usize> = (0..members.len())
                .filter(|&k| active(&members[k]))
                .collect();
            exchange(ops[pc as usize], members, &active);
            let released = active.iter().map(|&k| (first + k) as u32);
            return Some((number, released.collect()));
        }
        None
    }

    /// Opens a barrier once all invocations of a workgroup wait at it. Returns the invocations that
    /// are released.
    fn barrier(&mut self, at: u32) -> Vec<u32> {
        let Some(group) = &self.groups[at as usize] else {
            return Vec::new();
        };
        if group.ready > 0 {
            return Vec::new();
        }
        let waits = |local: &usize| group.invocations[*local].status == Status::Waiting;
        let waiting: Vec<usize> = (0..group.invocations.len()).filter(waits).collect();
        let Some(&first) = waiting.first() else {
            return Vec::new();
        };
        let pc = group.invocations[first].pc;
        let others = (0..group.invocations.len()).find(|&local| {
            let other = &group.invocations[local];
            other.status == Status::Done || other.pc != pc
        });
        if let Some(other) = others {
            let other_pc = group.invocations[other].pc;
            self.report_barrier(at, (first as u32, pc), (other as u32, other_pc));
        }
        let Op::Barrier { storage, workgroup } = self.launch.code.ops[pc as usize] else {
            return Vec::new();
        };
        let Some(group) = &mut self.groups[at as usize] else {
            return Vec::new();
        };
        group.storage_epoch += u32::from(storage);
        group.workgroup_epoch += u32::from(workgroup);
        waiting.into_iter().map(|local| local as u32).collect()
    }

    fn report_barrier(&mut self, group: u32, first: (u32, u32), other: (u32, u32)) {
        let launch = self.launch;
        let base = group * self.size();
        self.findings.add(Fault::Barrier, &[first.1, other.1], || {
            let at =
                |(local, pc): (u32, u32)| (launch.invocation(base + local), launch.code.place(pc));
            Finding {
                fault: Fault::Barrier,
                message: "not all invocations of a workgroup come to the same barrier".to_owned(),
                at: vec![at(first), at(other)],
            }
        });
    }
}

/// Executes a subgroup operation for those members of a subgroup that take part.
fn exchange(op: Op, members: &mut [Invocation], active: &[usize]) {
    match op {
        Op::Ballot { dst, predicate } => ballot(members, active, dst, predicate),
        Op::Gather { .. } => gather(op, members, active),
        Op::Scan { .. } => scan(op, members, active),
        _ => {}
    }
}

/// Sets the result of each member to the bits of the members whose predicate holds.
fn ballot(members: &mut [Invocation], active: &[usize], dst: Reg, predicate: Reg) {
    let mut words = [0_u32; 4];
    for &k in active {
        let bit = u32::from(members[k].frame[predicate as usize] != 0);
        words[k / 32] |= bit << (k % 32);
    }
    for &k in active {
        let dst = dst as usize;
        members[k].frame[dst..dst + 4].copy_from_slice(&words);
    }
}

/// Sets the result of each member to the value of another one.
fn gather(op: Op, members: &mut [Invocation], active: &[usize]) {
    let Op::Gather {
        how,
        dst,
        src,
        at,
        n,
    } = op
    else {
        return;
    };
    let (src, dst, n) = (src as usize, dst as usize, n as usize);
    // The value of an invocation that does not take part is indeterminate. Here, nothing is copied.
    let count = members.len();
    let mut values = vec![0; count * n];
    for &k in active {
        values[k * n..][..n].copy_from_slice(&members[k].frame[src..src + n]);
    }
    for &k in active {
        let by = offset(&members[k].frame, at) as usize;
        let from = match how {
            Gather::First => active[0],
            Gather::From => by,
            Gather::Down => k.wrapping_add(by),
            Gather::Up => k.wrapping_sub(by),
            Gather::Xor => k ^ by,
        };
        let own = &mut members[k].frame[dst..dst + n];
        match from < count {
            true => own.copy_from_slice(&values[from * n..][..n]),
            false => own.fill(0),
        }
    }
}

/// Sets the result of each member to the combination of the values of all members, or of those
/// before it.
fn scan(op: Op, members: &mut [Invocation], active: &[usize]) {
    let Op::Scan {
        how,
        op,
        dst,
        src,
        identity,
    } = op
    else {
        return;
    };
    let value = |members: &[Invocation], k: usize| members[k].frame[src as usize];
    let values: Vec<u32> = active.iter().map(|&k| value(members, k)).collect();
    let all = values
        .iter()
        .fold(identity, |sum, &one| binary(op, sum, one));
    let mut before = identity;
    for (&k, &own) in active.iter().zip(&values) {
        let through = binary(op, before, own);
        members[k].frame[dst as usize] = match how {
            Scan::Reduce => all,
            Scan::Inclusive => through,
            Scan::Exclusive => before,
        };
        before = through;
    }
}

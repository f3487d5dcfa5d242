//! What the invocations of a workgroup do together: barriers and subgroup operations.

use super::arithmetic::binary;
use super::code::{Gather, Op, Scan};
use super::finding::{Fault, Finding};
use super::machine::{Invocation, Machine, Status, offset};

/// What invocations do together.
impl Machine<'_> {
    /// Lets those go on that have waited for each other.
    pub(super) fn settle(&mut self, at: u32) {
        loop {
            let Some(group) = &self.groups[at as usize] else {
                return;
            };
            if group.ready > 0 && !self.launch.code.uses_subgroups || group.done == self.size() {
                return;
            }
            let released = self.subgroups(at);
            let released = match released.is_empty() {
                true => self.barrier(at),
                false => released,
            };
            if released.is_empty() {
                return;
            }
            let base = at * self.size();
            self.met
                .push(released.iter().map(|local| base + local).collect());
            if let Some(group) = &mut self.groups[at as usize] {
                for &local in &released {
                    let one = &mut group.invocations[local as usize];
                    one.pc += 1;
                    one.status = Status::Ready;
                }
                group.ready += released.len() as u32;
            }
            for local in released {
                self.advance(at, local);
            }
        }
    }

    /// Carries out the subgroup operation of a subgroup all of which waits; whom that releases.
    fn subgroups(&mut self, at: u32) -> Vec<u32> {
        let size = self.launch.subgroup;
        let ops = &self.launch.code.ops;
        let Some(group) = &mut self.groups[at as usize] else {
            return Vec::new();
        };
        for subgroup in group.invocations.chunks_mut(size as usize).enumerate() {
            let (number, members) = subgroup;
            if members.iter().any(|one| one.status == Status::Ready) {
                continue;
            }
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
            let first = number as u32 * size;
            return active.iter().map(|&k| first + k as u32).collect();
        }
        Vec::new()
    }

    /// Opens a barrier once all invocations of a workgroup wait at it; whom that releases.
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

/// A subgroup operation among those members of a subgroup that take part.
fn exchange(op: Op, members: &mut [Invocation], active: &[usize]) {
    match op {
        Op::Ballot { dst, predicate } => {
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
        Op::Gather {
            how,
            dst,
            src,
            at,
            n,
        } => {
            let (src, dst, n) = (src as usize, dst as usize, n as usize);
            let values = members.iter().map(|one| one.frame[src..src + n].to_vec());
            let values: Vec<_> = values.collect();
            for &k in active {
                let by = offset(&members[k].frame, at) as usize;
                let from = match how {
                    Gather::First => active[0],
                    Gather::From => by,
                    Gather::Down => k.wrapping_add(by),
                    Gather::Up => k.wrapping_sub(by),
                    Gather::Xor => k ^ by,
                };
                // What an invocation that takes no part has is indeterminate: nothing, here.
                let value = active.contains(&from).then(|| values[from].clone());
                let value = value.unwrap_or_else(|| vec![0; n]);
                members[k].frame[dst..dst + n].copy_from_slice(&value);
            }
        }
        Op::Scan {
            how,
            op,
            dst,
            src,
            identity,
        } => {
            let values: Vec<u32> = members.iter().map(|one| one.frame[src as usize]).collect();
            let combine = |sum: u32, &k: &usize| binary(op, sum, values[k]);
            for (place, &k) in active.iter().enumerate() {
                let counted = match how {
                    Scan::Reduce => active,
                    Scan::Inclusive => &active[..=place],
                    Scan::Exclusive => &active[..place],
                };
                members[k].frame[dst as usize] = counted.iter().fold(identity, combine);
            }
        }
        _ => {}
    }
}

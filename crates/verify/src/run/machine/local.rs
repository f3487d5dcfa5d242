//! Local operations of an invocation, on its registers, and on memory that no invocation writes.

use super::super::arithmetic::{binary, extract, unary};
use super::super::claims::Granted;
use super::super::code::{Address, NONE, Op, Reg};
use super::super::finding::{Fault, Finding};
use super::{Invocation, Machine, Status, Target, offset};

/// Executes jumps, and operations that were fused. Returns the next operation.
#[inline]
fn go(op: Op, frame: &mut [u32], pc: u32) -> u32 {
    match op {
        Op::Jump { to } => return to,
        Op::JumpUnless { condition, to } => {
            let is_true = frame[condition as usize] != 0;
            return if is_true { pc + 1 } else { to };
        }
        Op::Call { to, back } => {
            frame[back as usize] = pc + 1;
            return to;
        }
        Op::Return { back } => return frame[back as usize],
        Op::CopyBinary {
            to,
            src,
            op,
            dst,
            a,
            b,
        } => {
            frame[to as usize] = frame[src as usize];
            frame[dst as usize] = binary(op, frame[a as usize], frame[b as usize]);
        }
        Op::CopyCopy {
            to,
            src,
            dst,
            second,
        } => {
            frame[to as usize] = frame[src as usize];
            frame[dst as usize] = frame[second as usize];
        }
        Op::BinaryJumpUnless { op, dst, a, b, to } => {
            let holds = binary(op, frame[a as usize], frame[b as usize]);
            frame[dst as usize] = holds;
            if holds == 0 {
                return to;
            }
        }
        _ => {}
    }
    pc + 2
}

impl Machine<'_> {
    /// Runs an invocation up to its next access, until it has to wait, or to its end.
    pub(in crate::run) fn advance(&mut self, group: u32, local: u32) {
        let Some(one) = self.one(group, local) else {
            return;
        };
        let mut frame = std::mem::take(&mut one.frame);
        let (mut pc, mut operations) = (one.pc, one.operations);
        let who = group * self.size() + local;
        let code = self.launch.code;
        let status = loop {
            operations += 1;
            if operations > self.launch.max_operations {
                self.report_endless(who, pc);
                break Status::Done;
            }
            let op = code.ops[pc as usize];
            match op {
                Op::Load { dst, from, n, .. } => {
                    if code.objects[from.object as usize].is_shared() {
                        break Status::Ready;
                    }
                    self.read_constant(dst, from, n, &mut frame);
                }
                Op::Store { .. } | Op::Atomic { .. } => break Status::Ready,
                Op::Barrier { .. } | Op::Ballot { .. } | Op::Gather { .. } | Op::Scan { .. } => {
                    break Status::Waiting;
                }
                Op::End => break Status::Done,
                // Most operations are fused ones.
                Op::CopyBinary { .. }
                | Op::CopyCopy { .. }
                | Op::BinaryJumpUnless { .. }
                | Op::Jump { .. }
                | Op::JumpUnless { .. }
                | Op::Call { .. }
                | Op::Return { .. } => {
                    pc = go(op, &mut frame, pc);
                    continue;
                }
                Op::Copy { dst, src, n: 1 } => frame[dst as usize] = frame[src as usize],
                Op::Binary { op, dst, a, b } if !op.divides() => {
                    frame[dst as usize] = binary(op, frame[a as usize], frame[b as usize]);
                }
                _ => self.compute(op, &mut frame, who, pc),
            }
            pc += 1;
        };
        let one = Invocation {
            pc,
            status,
            frame,
            operations,
        };
        self.leave(group, local, one);
    }

    /// Saves the state of an invocation.
    fn leave(&mut self, group: u32, local: u32, mut now: Invocation) {
        match now.status {
            Status::Ready => self.woken.push(group * self.size() + local),
            Status::Waiting => {}
            Status::Done => self.frames.push(std::mem::take(&mut now.frame)),
        }
        if let Some(group) = &mut self.groups[group as usize] {
            if now.status != Status::Ready {
                group.ready -= 1;
                group.ready_in[(local / self.launch.subgroup) as usize] -= 1;
            }
            group.done += u32::from(now.status == Status::Done);
            group.invocations[local as usize] = now;
        }
    }

    /// Reads from memory that no invocation writes.
    fn read_constant(&self, dst: Reg, from: Address, n: u32, frame: &mut [u32]) {
        let at = Target::of(frame, from).at as usize;
        let memory = &self.buffers[self.launch.bindings[from.object as usize]];
        for k in 0..n as usize {
            frame[dst as usize + k] = memory.get(at + k).copied().unwrap_or(0);
        }
    }

    /// Executes operations on registers alone.
    fn compute(&mut self, op: Op, frame: &mut [u32], who: u32, pc: u32) {
        match op {
            Op::Copy { dst, src, n } => {
                let src = src as usize;
                frame.copy_within(src..src + n as usize, dst as usize);
            }
            Op::Unary { op, dst, a } => frame[dst as usize] = unary(op, frame[a as usize]),
            Op::Binary { op, dst, a, b } => {
                let (a, b) = (frame[a as usize], frame[b as usize]);
                if op.divides() && b == 0 {
                    self.report(Fault::DivisionByZero, who, pc, || {
                        format!("{a} is divided by zero")
                    });
                }
                frame[dst as usize] = binary(op, a, b);
            }
            Op::Select {
                dst,
                condition,
                accept,
                reject,
            } => {
                let from = if frame[condition as usize] == 0 {
                    reject
                } else {
                    accept
                };
                frame[dst as usize] = frame[from as usize];
            }
            Op::Extract {
                dst,
                a,
                from,
                count,
                is_signed,
            } => {
                let [a, from, count] = [a, from, count].map(|register| frame[register as usize]);
                frame[dst as usize] = extract(a, from, count, is_signed);
            }
            Op::Peek { dst, base, at, n } => {
                let src = (base + frame[at as usize]) as usize;
                frame.copy_within(src..src + n as usize, dst as usize);
            }
            Op::Poke { base, at, src, n } => {
                let dst = (base + frame[at as usize]) as usize;
                frame.copy_within(src as usize..(src + n) as usize, dst);
            }
            Op::Claim { claim } => self.claim(claim, frame, who),
            _ => self.address(op, frame, who, pc),
        }
    }

    /// Executes operations that compute addresses.
    fn address(&mut self, op: Op, frame: &mut [u32], who: u32, pc: u32) {
        match op {
            Op::Index {
                dst,
                index,
                base,
                stride,
                length,
            } => {
                let at = self.index(frame[index as usize], length, None, who, pc);
                frame[dst as usize] = offset(frame, base) + at * stride;
            }
            Op::IndexRest {
                dst,
                index,
                base,
                stride,
                object,
                offset: before,
            } => {
                let length = self.length(object, before, stride);
                let at = self.index(frame[index as usize], length, Some(object), who, pc);
                frame[dst as usize] = offset(frame, base) + at * stride;
            }
            Op::Length {
                dst,
                object,
                offset,
                stride,
            } => frame[dst as usize] = self.length(object, offset, stride),
            _ => {}
        }
    }

    fn length(&self, object: u32, offset: u32, stride: u32) -> u32 {
        let words = self.buffers[self.launch.bindings[object as usize]].len() as u32;
        words.saturating_sub(offset) / stride
    }

    /// Returns an index, or the last one of the array if it is out of bounds, as kernels with
    /// bounds checks do on a device.
    fn index(&mut self, index: u32, length: u32, object: Option<u32>, who: u32, pc: u32) -> u32 {
        if index < length {
            return index;
        }
        let code = self.launch.code;
        self.report(Fault::OutOfBounds, who, pc, || {
            let of = object.map(|object| code.objects[object as usize].name.as_str());
            let of = of.map_or(String::new(), |name| format!(" of `{name}`"));
            format!("index {index} into {length} elements{of}")
        });
        length.saturating_sub(1)
    }

    /// Records the return of a function about which there is a promise, and reports a fault if it
    /// has returned true before.
    fn claim(&mut self, claim: u32, frame: &[u32], who: u32) {
        let launch = self.launch;
        let claim = &launch.code.claims[claim as usize];
        let is_promised = claim.condition == NONE || offset(frame, claim.condition) != 0;
        if !is_promised || frame[claim.result as usize] == 0 {
            return;
        }
        let words = |&(register, n): &(u32, u32)| &frame[register as usize..][..n as usize];
        let arguments: Vec<u32> = claim.arguments.iter().flat_map(words).copied().collect();
        let now = Granted {
            invocation: who,
            pc: frame[claim.back as usize] - 1,
        };
        let Some(before) = self.claims.grant(&claim.function, &arguments, now) else {
            return;
        };
        self.findings.add(Fault::Claim, &[before.pc, now.pc], || {
            let arguments: Vec<String> = arguments.iter().map(u32::to_string).collect();
            let at = |granted: Granted| {
                let who = format!("{} is told so", launch.invocation(granted.invocation));
                (who, launch.code.place(granted.pc))
            };
            Finding {
                fault: Fault::Claim,
                message: format!(
                    "`{}({})` is true twice",
                    claim.function,
                    arguments.join(", ")
                ),
                at: vec![at(before), at(now)],
            }
        });
    }

    /// Records a result of `atomicAdd` for which the host promises that none occurs twice, and
    /// reports a fault if this one does.
    pub(super) fn take_ticket(&mut self, object: u32, number: u32, now: Granted) {
        let launch = self.launch;
        let name = &launch.code.objects[object as usize].name;
        let Some(before) = self
            .claims
            .grant(&format!("tickets {name}"), &[number], now)
        else {
            return;
        };
        self.findings.add(Fault::Promise, &[before.pc, now.pc], || {
            let at = |granted: Granted| {
                let who = format!("{} is given it", launch.invocation(granted.invocation));
                (who, launch.code.place(granted.pc))
            };
            Finding {
                fault: Fault::Promise,
                message: format!("`tickets {name}` does not hold: {number} is given twice"),
                at: vec![at(before), at(now)],
            }
        });
    }

    fn report(&mut self, fault: Fault, who: u32, pc: u32, message: impl FnOnce() -> String) {
        let launch = self.launch;
        self.findings.add(fault, &[pc], || Finding {
            fault,
            message: message(),
            at: vec![(launch.invocation(who), launch.code.place(pc))],
        });
    }

    fn report_endless(&mut self, who: u32, pc: u32) {
        let max_operations = self.launch.max_operations;
        self.report(Fault::Endless, who, pc, || {
            format!("no end after {max_operations} operations")
        });
    }
}

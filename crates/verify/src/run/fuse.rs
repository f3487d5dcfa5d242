//! Fuses operations that often follow each other, because an interpreter spends most of its time on
//! the transition from one operation to the next.
//!
//! The second operation stays in place as a target of jumps.

use super::code::Op;

/// Joins operations with the ones after them.
pub(super) fn fuse(ops: &mut [Op]) {
    for at in 1..ops.len() {
        if let Some(both) = joined(ops[at - 1], ops[at]) {
            ops[at - 1] = both;
        }
    }
}

/// Returns the operation that replaces two.
fn joined(first: Op, second: Op) -> Option<Op> {
    Some(match (first, second) {
        (Op::Copy { dst: to, src, n: 1 }, Op::Binary { op, dst, a, b }) if !op.divides() => {
            Op::CopyBinary {
                to,
                src,
                op,
                dst,
                a,
                b,
            }
        }
        (
            Op::Copy { dst: to, src, n: 1 },
            Op::Copy {
                dst,
                src: second,
                n: 1,
            },
        ) => Op::CopyCopy {
            to,
            src,
            dst,
            second,
        },
        (Op::Binary { op, dst, a, b }, Op::JumpUnless { condition, to })
            if condition == dst && !op.divides() =>
        {
            Op::BinaryJumpUnless { op, dst, a, b, to }
        }
        _ => return None,
    })
}

//! The code that the interpreter runs: operations of a register machine.
//!
//! WGSL has no recursion, so each function has its own registers, at places that are fixed when the
//! kernel is compiled. All registers together are the frame of an invocation. Values of all types
//! are laid out in the frame word by word; scalars and booleans take one word.

use super::spare::SpareFrames;
use crate::Place;
use crate::program::Program;

/// A register's place in the frame of an invocation.
pub(super) type Reg = u32;

/// No register.
pub(super) const NONE: Reg = Reg::MAX;

/// Where a shared variable lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Space {
    /// A storage buffer, by group and binding.
    Storage {
        group: u32,
        binding: u32,
        is_written: bool,
    },
    /// A uniform buffer, by group and binding.
    Uniform { group: u32, binding: u32 },
    /// The memory of a workgroup: this many words, zeros at first.
    Workgroup { words: u32 },
}

/// A variable that invocations share.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) name: String,
    pub(super) space: Space,
    /// Whether the host promises that `atomicAdd` returns nothing twice (`//@ tickets`).
    pub(super) gives_tickets: bool,
}

impl Object {
    /// Whether accesses of several invocations can conflict.
    pub(super) fn is_shared(&self) -> bool {
        match self.space {
            Space::Storage { is_written, .. } => is_written,
            Space::Uniform { .. } => false,
            Space::Workgroup { .. } => true,
        }
    }
}

/// A place in a shared variable: `base` words, and as many as `at` holds, from its beginning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Address {
    pub(super) object: u32,
    pub(super) base: u32,
    pub(super) at: Reg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    Negate,
    NegateFloat,
    Not,
    Complement,
    CountOnes,
    TrailingZeros,
    LeadingZeros,
    Reverse,
    FirstLeading,
    FirstLeadingSigned,
    FirstTrailing,
    AbsSigned,
    AbsFloat,
    FloatToUnsigned,
    FloatToSigned,
    UnsignedToFloat,
    SignedToFloat,
    ToBool,
    FloatToBool,
    BoolToFloat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    DivideSigned,
    Modulo,
    ModuloSigned,
    Equal,
    NotEqual,
    Less,
    LessSigned,
    LessEqual,
    LessEqualSigned,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    Min,
    MinSigned,
    Max,
    MaxSigned,
    AddFloat,
    SubtractFloat,
    MultiplyFloat,
    DivideFloat,
    ModuloFloat,
    EqualFloat,
    NotEqualFloat,
    LessFloat,
    LessEqualFloat,
    MinFloat,
    MaxFloat,
}

impl Binary {
    /// Whether the second operand must not be zero.
    pub(super) fn divides(self) -> bool {
        matches!(
            self,
            Self::Divide | Self::DivideSigned | Self::Modulo | Self::ModuloSigned
        )
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rmw {
    Add,
    Subtract,
    And,
    Or,
    Xor,
    Min,
    MinSigned,
    Max,
    MaxSigned,
    Exchange,
    /// With an expected value; the result is followed by whether it was there.
    CompareExchange,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gather {
    First,
    From,
    Down,
    Up,
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scan {
    Reduce,
    Inclusive,
    Exclusive,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    Copy {
        dst: Reg,
        src: Reg,
        n: u32,
    },
    Unary {
        op: Unary,
        dst: Reg,
        a: Reg,
    },
    Binary {
        op: Binary,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Select {
        dst: Reg,
        condition: Reg,
        accept: Reg,
        reject: Reg,
    },
    /// `count` bits of `a` from bit `from` on.
    Extract {
        dst: Reg,
        a: Reg,
        from: Reg,
        count: Reg,
        is_signed: bool,
    },
    /// An index into an array of `length` elements, as words, added to `base`.
    Index {
        dst: Reg,
        index: Reg,
        base: Reg,
        stride: u32,
        length: u32,
    },
    /// The same for an array that takes the rest of a buffer from word `offset` on.
    IndexRest {
        dst: Reg,
        index: Reg,
        base: Reg,
        stride: u32,
        object: u32,
        offset: u32,
    },
    /// How many elements such an array has.
    Length {
        dst: Reg,
        object: u32,
        offset: u32,
        stride: u32,
    },
    /// Registers at an index.
    Peek {
        dst: Reg,
        base: Reg,
        at: Reg,
        n: u32,
    },
    Poke {
        base: Reg,
        at: Reg,
        src: Reg,
        n: u32,
    },
    Load {
        dst: Reg,
        from: Address,
        n: u32,
        is_atomic: bool,
    },
    Store {
        src: Reg,
        to: Address,
        n: u32,
        is_atomic: bool,
    },
    Atomic {
        op: Rmw,
        dst: Reg,
        at: Address,
        value: Reg,
        expected: Reg,
    },
    /// A copy of one word, and an operator that does not divide, which is after it too.
    CopyBinary {
        to: Reg,
        src: Reg,
        op: Binary,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// Two copies of one word, of which the second is after this one too.
    CopyCopy {
        to: Reg,
        src: Reg,
        dst: Reg,
        second: Reg,
    },
    /// An operator that does not divide, and a jump on its result, which is after it too.
    BinaryJumpUnless {
        op: Binary,
        dst: Reg,
        a: Reg,
        b: Reg,
        to: u32,
    },
    Jump {
        to: u32,
    },
    JumpUnless {
        condition: Reg,
        to: u32,
    },
    /// Goes on at `to`; the register takes the way back.
    Call {
        to: u32,
        back: Reg,
    },
    Return {
        back: Reg,
    },
    /// A function returns about which there is a promise: `Code::claims`.
    Claim {
        claim: u32,
    },
    Barrier {
        storage: bool,
        workgroup: bool,
    },
    Ballot {
        dst: Reg,
        predicate: Reg,
    },
    Gather {
        how: Gather,
        dst: Reg,
        src: Reg,
        at: Reg,
        n: u32,
    },
    Scan {
        how: Scan,
        op: Binary,
        dst: Reg,
        src: Reg,
        identity: u32,
    },
    End,
}

/// What the interpreter sets in a frame before it starts an invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    GlobalId,
    LocalId,
    LocalIndex,
    WorkgroupId,
    NumWorkgroups,
    NumSubgroups,
    SubgroupId,
    SubgroupSize,
    SubgroupInvocation,
}

/// A function that returns true at most once in a dispatch for the same arguments.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub(super) function: String,
    /// The registers of the arguments, and of how many words each consists.
    pub(super) arguments: Vec<(Reg, u32)>,
    /// Where it says whether the promise holds for a call, or `NONE`.
    pub(super) condition: Reg,
    pub(super) result: Reg,
    pub(super) back: Reg,
}

/// A kernel, compiled.
#[derive(Clone, Debug)]
pub struct Code {
    pub(super) program: Program,
    pub(super) ops: Vec<Op>,
    /// The line of the expanded WGSL that each operation comes from.
    pub(super) lines: Vec<u32>,
    pub(super) objects: Vec<Object>,
    /// A frame as it is before an invocation starts: constants are there, all else is zero.
    pub(super) frame: Vec<u32>,
    /// Frames of invocations that have ended.
    pub(super) frames: SpareFrames,
    pub(super) inputs: Vec<(Input, Reg)>,
    pub(super) claims: Vec<Claim>,
    pub(super) workgroup: [u32; 3],
    /// Whether there are subgroup operations in it.
    pub(super) uses_subgroups: bool,
}

impl Code {
    /// The invocations of a workgroup.
    #[must_use]
    pub fn invocations(&self) -> u32 {
        self.workgroup.iter().product()
    }

    /// Whether it has a variable at this place.
    #[must_use]
    pub fn is_bound(&self, group: u32, binding: u32) -> bool {
        self.objects.iter().any(|object| match object.space {
            Space::Storage {
                group: g,
                binding: b,
                ..
            }
            | Space::Uniform {
                group: g,
                binding: b,
            } => (g, b) == (group, binding),
            Space::Workgroup { .. } => false,
        })
    }

    /// Where operation `pc` was written.
    pub(super) fn place(&self, pc: u32) -> Place {
        self.program.place_of_line(self.lines[pc as usize])
    }
}

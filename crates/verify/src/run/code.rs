//! The code that the interpreter runs: operations of a register machine.
//!
//! WGSL has no recursion, so each function has its own registers, at positions that are fixed when
//! the kernel is compiled. All registers together are the frame of an invocation. Values of all
//! types are stored in the frame word by word; scalars and booleans take one word.

use super::spare::SpareFrames;
use crate::Place;
use crate::program::Program;

/// The position of a register in the frame of an invocation.
pub(super) type Reg = u32;

/// No register.
pub(super) const NONE: Reg = Reg::MAX;

/// The address space of a shared variable.
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
    /// The memory of a workgroup, with this many words, which are initially 0.
    Workgroup { words: u32 },
}

/// A variable that invocations share.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) name: String,
    pub(super) space: Space,
    /// Whether the host promises that no result of `atomicAdd` occurs twice (`//@ tickets`).
    pub(super) gives_tickets: bool,
}

impl Object {
    /// Returns whether accesses of several invocations can conflict.
    pub(super) fn is_shared(&self) -> bool {
        match self.space {
            Space::Storage { is_written, .. } => is_written,
            Space::Uniform { .. } => false,
            Space::Workgroup { .. } => true,
        }
    }
}

/// A position in a shared variable: `base` words, plus the number of words in the register `at`.
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
    /// Returns whether the second operand must not be zero.
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
    /// Has an expected value. The result is followed by a flag that says whether it was found.
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
    /// Extracts `count` bits of `a`, from bit `from` on.
    Extract {
        dst: Reg,
        a: Reg,
        from: Reg,
        count: Reg,
        is_signed: bool,
    },
    /// Multiplies an index into an array of `length` elements by their size, and adds it to `base`.
    Index {
        dst: Reg,
        index: Reg,
        base: Reg,
        stride: u32,
        length: u32,
    },
    /// As `Index`, for an array that extends to the end of a buffer from word `offset` on.
    IndexRest {
        dst: Reg,
        index: Reg,
        base: Reg,
        stride: u32,
        object: u32,
        offset: u32,
    },
    /// The number of elements of such an array.
    Length {
        dst: Reg,
        object: u32,
        offset: u32,
        stride: u32,
    },
    /// Reads registers at an index.
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
    /// A copy of one word, followed by an operator that does not divide, which is also the next
    /// operation.
    CopyBinary {
        to: Reg,
        src: Reg,
        op: Binary,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// Two copies of one word, the second of which is also the next operation.
    CopyCopy {
        to: Reg,
        src: Reg,
        dst: Reg,
        second: Reg,
    },
    /// An operator that does not divide, followed by a jump on its result, which is also the next
    /// operation.
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
    /// Continues at `to`. The register receives the return address.
    Call {
        to: u32,
        back: Reg,
    },
    Return {
        back: Reg,
    },
    /// Return of a function about which there is a promise; see `Code::claims`.
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

/// The inputs that the interpreter sets in a frame before it starts an invocation.
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
    /// The registers of the arguments, and the number of words of each.
    pub(super) arguments: Vec<(Reg, u32)>,
    /// The register that says whether the promise applies to a call, or `NONE`.
    pub(super) condition: Reg,
    pub(super) result: Reg,
    pub(super) back: Reg,
}

/// A compiled kernel.
#[derive(Clone, Debug)]
pub struct Code {
    pub(super) program: Program,
    pub(super) ops: Vec<Op>,
    /// The line of the expanded WGSL for each operation.
    pub(super) lines: Vec<u32>,
    pub(super) objects: Vec<Object>,
    /// The initial frame of an invocation: constants are set, and everything else is 0.
    pub(super) frame: Vec<u32>,
    /// The frames of invocations that have ended.
    pub(super) frames: SpareFrames,
    pub(super) inputs: Vec<(Input, Reg)>,
    pub(super) claims: Vec<Claim>,
    pub(super) workgroup: [u32; 3],
    /// Whether the kernel has subgroup operations.
    pub(super) uses_subgroups: bool,
}

impl Code {
    /// Returns the number of invocations of a workgroup.
    #[must_use]
    pub fn invocations(&self) -> u32 {
        self.workgroup.iter().product()
    }

    /// Returns whether the kernel has a variable with this group and binding.
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

    /// Returns the place in the source of operation `pc`.
    pub(super) fn place(&self, pc: u32) -> Place {
        self.program.place_of_line(self.lines[pc as usize])
    }
}

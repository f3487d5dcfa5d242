//! The layout of the words of a program. `shaders/explore/lib/program.wgsl` has the same layout for
//! the kernels that read it; a test of `gpu-explore` compares the two.

macro_rules! layout {
    ($($(#[$docs:meta])* $name:ident = $value:expr;)*) => {
        $($(#[$docs])* pub(super) const $name: u32 = $value;)*
        /// All of these numbers, by name.
        pub static LAYOUT: &[(&str, u32)] = &[$((stringify!($name), $name)),*];
    };
}

layout! {
    /// No position, or no variable.
    NOWHERE = u32::MAX;

    VARIABLE_WORDS = 2;
    RULE_WORDS = 2;
    GROUP_WORDS = 2;
    COMMAND_WORDS = 4;
    BRANCH_WORDS = 4;
    FIXED_WORDS = 3;
    COMPUTED_WORDS = 4;
    INSTRUCTION_WORDS = 4;

    /// In the descriptor of a field, the width comes after this many bits, which are the position.
    FIELD_BITS = 8;

    // The kinds of functions.
    /// A table of words.
    TABLE = 0;
    /// Instructions.
    CODE = 1;
    /// A variable plus a constant.
    SUM = 2;
    /// A table of results of conditions, with two bits each.
    CONDITIONS = 3;

    // Results of conditions.
    FALSE = 0;
    TRUE = 1;
    /// In a table: the condition has no result.
    FAILED_CONDITION = 2;
    /// In a table: there is no value, or it does not fit.
    NO_VALUE = u32::MAX;
    /// In a table of sets of branches: there is no such set.
    NO_WEIGHTS = 1 << 31;

    // Instructions.
    PUSH = 0;
    LOAD = 1;
    LOOK_UP = 2;
    NEGATE = 3;
    ADD = 4;
    SUBTRACT = 5;
    MULTIPLY = 6;
    MINIMUM = 7;
    MAXIMUM = 8;
    MODULO = 9;
    JUMP = 10;
    TEST = 11;
    COMPARE = 12;
    IN_SET = 13;
    COMPARE_CONSTANT = 14;
    COMPARE_VARIABLES = 15;
    RETURN = 16;
    ANSWER = 17;
    /// In the first word of an instruction, the comparison comes after this many bits,
    COMPARISON_SHIFT = 8;
    /// and the result for which a test jumps comes after this many.
    ON_SHIFT = 16;

    // Comparisons.
    EQUAL = 0;
    NOT_EQUAL = 1;
    LESS = 2;
    LESS_EQUAL = 3;
    GREATER = 4;
    GREATER_EQUAL = 5;

    // Limits.
    /// The largest number of words of a state.
    MAX_STATE_WORDS = 8;
    /// The largest number of modules that take part in a step.
    MAX_PARTIES = 32;
    /// The largest number of values on the stack.
    MAX_STACK = 16;
}

//! Evaluates the commands of a program in a state, from its tables (`prism_language::WordTables`,
//! which documents their layout).
//!
//! If something cannot be computed in 32 bits, `has_failed` is set, and the host asks the CPU.

@group(0) @binding(0) var<storage, read> program: array<u32>;
@group(0) @binding(1) var<storage, read> states: array<u32>;

/// The number of words of a state.
override WORDS: u32;

const NOWHERE = 0xffffffffu;

const VARIABLE_WORDS = 2u;
const RULE_WORDS = 2u;
const GROUP_WORDS = 2u;
const COMMAND_WORDS = 4u;
const BRANCH_WORDS = 4u;
const FIXED_WORDS = 3u;
const COMPUTED_WORDS = 4u;
const INSTRUCTION_WORDS = 4u;
const FIELD_BITS = 8u;

const TABLE = 0u;
const CODE = 1u;
const SUM = 2u;
const CONDITIONS = 3u;

const FALSE = 0u;
const TRUE = 1u;
const FAILED_CONDITION = 2u;
const NO_VALUE = 0xffffffffu;
const NO_WEIGHTS = 0x80000000u;

const PUSH = 0u;
const LOAD = 1u;
const LOOK_UP = 2u;
const NEGATE = 3u;
const ADD = 4u;
const SUBTRACT = 5u;
const MULTIPLY = 6u;
const MINIMUM = 7u;
const MAXIMUM = 8u;
const MODULO = 9u;
const JUMP = 10u;
const TEST = 11u;
const COMPARE = 12u;
const IN_SET = 13u;
const COMPARE_CONSTANT = 14u;
const COMPARE_VARIABLES = 15u;
const RETURN = 16u;
const ANSWER = 17u;
const COMPARISON_SHIFT = 8u;
const ON_SHIFT = 16u;

const EQUAL = 0u;
const NOT_EQUAL = 1u;
const LESS = 2u;
const LESS_EQUAL = 3u;
const GREATER = 4u;
const GREATER_EQUAL = 5u;

const MAX_STATE_WORDS = 8u;
const MAX_PARTIES = 32u;
const MAX_STACK = 16u;

/// The least and the greatest integer.
const LEAST_INTEGER = -2147483647 - 1;

/// Whether something could not be computed in the state.
var<private> has_failed: bool;

/// The stack of values of the expression that is being computed.
var<private> stack: array<i32, MAX_STACK>;

/// Returns the value in a field of a state.
fn in_field(state: u32, field: u32) -> u32 {
    let first = field & ((1u << FIELD_BITS) - 1u);
    let width = field >> FIELD_BITS;
    let at = state * WORDS + first / 32u;
    let shift = first % 32u;
    var bits = states[at] >> shift;
    if shift + width > 32u {
        bits |= states[at + 1u] << (32u - shift);
    }
    return bits & ((1u << width) - 1u);
}

/// Returns the value of a variable.
fn value_of(state: u32, variable: u32) -> i32 {
    return bitcast<i32>(program[variable + 1u]) + bitcast<i32>(in_field(state, program[variable]));
}

/// Returns where the positions of the commands of a group that may be enabled begin, and end.
fn row_of(state: u32, group: u32) -> vec2<u32> {
    let field = program[group];
    var row = program[group + 1u];
    if field != NOWHERE {
        row += in_field(state, field);
    }
    return vec2(program[row], program[row + 1u]);
}

/// Returns the first enabled command of a group from a place on, or the end.
fn next_enabled(state: u32, begin: u32, end: u32) -> u32 {
    var at = begin;
    while at < end && !holds(state, program[program[at]]) {
        at++;
    }
    return at;
}

/// Returns whether a guard holds. If it cannot be computed, it holds, and the state has failed.
fn holds(state: u32, function: u32) -> bool {
    if function == NOWHERE {
        return true;
    }
    if program[function] == CODE {
        let had_failed = has_failed;
        has_failed = false;
        let holds = run(state, program[function + 1u]) != 0 || has_failed;
        has_failed = has_failed || had_failed;
        return holds;
    }
    let key = key_of(state, function);
    let result = (program[program[function + 2u] + key / 16u] >> (2u * (key % 16u))) & 3u;
    if result == FAILED_CONDITION {
        has_failed = true;
    }
    return result != FALSE;
}

/// Returns a state's key in a table: the values of the fields that the table depends on, packed.
fn key_of(state: u32, function: u32) -> u32 {
    let fields = program[function + 1u];
    var key = 0u;
    var width = 0u;
    for (var i = 0u; i < fields; i++) {
        let field = program[function + 3u + i];
        key |= in_field(state, field) << width;
        width += field >> FIELD_BITS;
    }
    return key;
}

/// Returns the branches of a command that have a probability above 0, as a set of bits; NOWHERE,
/// if all branches have one in every state.
fn positive_of(state: u32, command: u32) -> u32 {
    let function = program[command + 3u];
    if function == NOWHERE {
        return NOWHERE;
    }
    let branches = program[program[function + 2u] + key_of(state, function)];
    if branches == NO_WEIGHTS {
        has_failed = true;
    }
    return branches;
}

/// Returns the number of branches of a command with a probability above 0.
fn num_branches(state: u32, command: u32) -> u32 {
    let positive = positive_of(state, command);
    if positive == NOWHERE {
        return program[command + 2u];
    }
    return countOneBits(positive);
}

/// Returns the offset of a computed value from the least one of its variable.
fn computed_offset(state: u32, computed: u32) -> u32 {
    let function = program[computed + 3u];
    let kind = program[function];
    if kind == TABLE {
        let offset = program[program[function + 2u] + key_of(state, function)];
        if offset == NO_VALUE {
            has_failed = true;
        }
        return offset;
    }
    var value = 0;
    if kind == SUM {
        value = value_of(state, program[function + 1u]) + bitcast<i32>(program[function + 2u]);
    } else {
        value = run(state, program[function + 1u]);
    }
    let least = bitcast<i32>(program[computed + 1u]);
    if value < least || value > bitcast<i32>(program[computed + 2u]) {
        has_failed = true;
    }
    return bitcast<u32>(value - least);
}

/// Runs the instructions from a place on. Jumps lead forward only.
fn run(state: u32, start: u32) -> i32 {
    let end = arrayLength(&program);
    var at = start;
    var top = 0u;
    while at < end {
        let head = program[at];
        let operand = program[at + 1u];
        var to = at + INSTRUCTION_WORDS;
        let op = head & 0xffu;
        switch op {
            case PUSH: {
                put_value(top, bitcast<i32>(operand));
                top++;
            }
            case LOAD: {
                put_value(top, value_of(state, operand));
                top++;
            }
            case LOOK_UP: {
                let entry = program[at + 2u] + in_field(state, program[operand]);
                put_value(top, bitcast<i32>(program[entry]));
                top++;
            }
            case NEGATE: {
                put_value(top - 1u, subtract(0, value_at(top - 1u)));
            }
            case ADD, SUBTRACT, MULTIPLY, MINIMUM, MAXIMUM, MODULO: {
                top--;
                put_value(top - 1u, combine(op, value_at(top - 1u), value_at(top)));
            }
            case RETURN: {
                return value_at(top - 1u);
            }
            case ANSWER: {
                return bitcast<i32>(operand);
            }
            default: {
                top -= popped_by(op);
                if jumps(state, at, top) {
                    to = max(program[at + 3u], to);
                }
            }
        }
        at = to;
    }
    return 0;
}

fn put_value(at: u32, value: i32) {
    stack[at % MAX_STACK] = value;
}

fn value_at(at: u32) -> i32 {
    return stack[at % MAX_STACK];
}

/// Returns the number of values that a test takes from the stack.
fn popped_by(op: u32) -> u32 {
    if op == COMPARE {
        return 2u;
    }
    return select(0u, 1u, op == TEST);
}

/// Returns whether a test or jump jumps; its operands on the stack are from `top` on.
fn jumps(state: u32, at: u32, top: u32) -> bool {
    let head = program[at];
    let first = program[at + 1u];
    let second = program[at + 2u];
    let comparison = (head >> COMPARISON_SHIFT) & 0xffu;
    let on = ((head >> ON_SHIFT) & 1u) != 0u;
    switch head & 0xffu {
        case TEST: {
            return (value_at(top) != 0) == on;
        }
        case COMPARE: {
            return compare(comparison, value_at(top), value_at(top + 1u)) == on;
        }
        case IN_SET: {
            let bit = in_field(state, program[first]);
            let word = program[second + (bit / 32u) % 2u];
            return (((word >> (bit % 32u)) & 1u) != 0u) == on;
        }
        case COMPARE_CONSTANT: {
            return compare(comparison, value_of(state, first), bitcast<i32>(second));
        }
        case COMPARE_VARIABLES: {
            return compare(comparison, value_of(state, first), value_of(state, second));
        }
        default: {
            return true;
        }
    }
}

fn compare(comparison: u32, left: i32, right: i32) -> bool {
    switch comparison {
        case EQUAL: {
            return left == right;
        }
        case NOT_EQUAL: {
            return left != right;
        }
        case LESS: {
            return left < right;
        }
        case LESS_EQUAL: {
            return left <= right;
        }
        case GREATER: {
            return left > right;
        }
        default: {
            return left >= right;
        }
    }
}

/// Returns the result of an operation of two integers, if there is one that fits.
fn combine(op: u32, left: i32, right: i32) -> i32 {
    switch op {
        case ADD: {
            return add(left, right);
        }
        case SUBTRACT: {
            return subtract(left, right);
        }
        case MULTIPLY: {
            return multiply(left, right);
        }
        case MINIMUM: {
            return min(left, right);
        }
        case MAXIMUM: {
            return max(left, right);
        }
        default: {
            return modulo(left, right);
        }
    }
}

fn add(left: i32, right: i32) -> i32 {
    let sum = left + right;
    if ((left ^ sum) & (right ^ sum)) < 0 {
        has_failed = true;
    }
    return sum;
}

fn subtract(left: i32, right: i32) -> i32 {
    let difference = left - right;
    if ((left ^ right) & (left ^ difference)) < 0 {
        has_failed = true;
    }
    return difference;
}

fn multiply(left: i32, right: i32) -> i32 {
    let product = left * right;
    if left == 0 || left == -1 {
        if left == -1 && right == LEAST_INTEGER {
            has_failed = true;
        }
        return product;
    }
    if product / left != right {
        has_failed = true;
    }
    return product;
}

/// Returns the remainder that is not negative.
fn modulo(left: i32, right: i32) -> i32 {
    if right <= 0 {
        has_failed = true;
        return 0;
    }
    let rest = left % right;
    return select(rest, rest + right, rest < 0);
}

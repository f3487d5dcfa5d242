//! One iteration of value iteration for the gains of all maximal end components at once
//! (`docs/averages.md`). Let v be the values, T v the greatest sum of a step's reward and the
//! expected value after it, and c the value of T v - v in the first state of the component. The
//! values become v + 7/8 (T v - v - c). One invocation per state.
//!
//! Owns `to_values`, an entry per state, and `to_changes`, one a component. Shares `far` (atomic),
//! a word a component: the number of the last iteration, counted from 1, in which T v - v - c was
//! not close to 0 in some state. Reads the rest. If no state was far in the previous iteration,
//! nothing is iterated any more: the values are copied once, so that both buffers have them. The
//! host computes the bounds on the gain from these values; for that, it does not matter how they
//! were found.
//!
//! Values and rewards are integers of 64 bits, in a unit that the host chooses; probabilities are
//! 64 binary digits. An entry of `rows` is the first choice of a state, and its component; one of
//! `branches`, a target, and the place of its probability. The probability of the first branch of a
//! choice is what the others leave.
#import lib/grid
#import lib/int64
#import lib/loop

const SIZE = 256u;

struct GainParams {
    states: u32,
    /// The iterations of the loop have two dispatches: 1 for the first, 2 for the second.
    half: u32,
    /// The iteration after which no more are requested.
    most_iterations: u32,
    padding: u32,
    /// The largest absolute value that is close to 0.
    tolerance_low: u32,
    tolerance_high: u32,
    /// No value is further from 0: beyond it, sums would leave 64 bits.
    limit_low: u32,
    limit_high: u32,
}

@group(0) @binding(0) var<storage, read> rows: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read> choices: array<u32>;
@group(0) @binding(2) var<storage, read> earned: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> branches: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> probabilities: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read> from_values: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read_write> to_values: array<vec2<u32>>;
@group(0) @binding(7) var<storage, read> from_changes: array<vec2<u32>>;
//@ ascending rows.y below params.states: the states of a component follow one another
@group(0) @binding(8) var<storage, read_write> to_changes: array<vec2<u32>>;
@group(0) @binding(9) var<storage, read_write> far: array<atomic<u32>>;
@group(0) @binding(10) var<uniform> params: GainParams;

fn is_negative(number: vec2<u32>) -> bool {
    return (number.y & SIGN) != 0u;
}

fn negated(number: vec2<u32>) -> vec2<u32> {
    return subtract64(vec2<u32>(), number);
}

/// Returns a signed number times a fraction of 64 binary digits, rounded towards 0.
fn share(number: vec2<u32>, fraction: vec2<u32>) -> vec2<u32> {
    if is_negative(number) {
        return negated(product128(negated(number), fraction).zw);
    }
    return product128(number, fraction).zw;
}

/// Returns an eighth of a signed number, rounded down.
fn eighth(number: vec2<u32>) -> vec2<u32> {
    return vec2<u32>((number.x >> 3u) | (number.y << 29u), u32(i32(number.y) >> 3u));
}

/// Returns a value within the limit.
fn limited(value: vec2<u32>) -> vec2<u32> {
    let limit = vec2<u32>(params.limit_low, params.limit_high);
    if is_less64(limit, value) {
        return limit;
    }
    let least = negated(limit);
    if is_less64(value, least) {
        return least;
    }
    return value;
}

/// Returns whether a difference is not close to 0.
fn is_far(difference: vec2<u32>) -> bool {
    let tolerance = vec2<u32>(params.tolerance_low, params.tolerance_high);
    return is_less64(tolerance, difference) || is_less64(difference, negated(tolerance));
}

/// Returns the reward of a choice plus the expected value after it.
fn outcome(choice: u32) -> vec2<u32> {
    let first = choices[choice];
    let base = from_values[branches[first].x];
    var sum = add64(earned[choice], base);
    for (var number = first + 1u; number < choices[choice + 1u]; number++) {
        let branch = branches[number];
        let difference = subtract64(from_values[branch.x], base);
        sum = add64(sum, share(difference, probabilities[branch.y]));
    }
    return sum;
}

/// Returns the best outcome of a state's choices.
fn best_outcome(state: u32) -> vec2<u32> {
    let first = rows[state].x;
    var best = outcome(first);
    for (var choice = first + 1u; choice < rows[state + 1u].x; choice++) {
        let other = outcome(choice);
        if is_less64(best, other) {
            best = other;
        }
    }
    return best;
}

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let now = 2u * loop_now.iteration + params.half;
    for (var i = grid_index(grid, local, SIZE); i < params.states; i += grid_stride(grid, SIZE)) {
        let component = rows[i].y;
        let value = from_values[i];
        let last = atomicLoad(&far[component]);
        if last + 1u < now {
            if last + 2u == now {
                to_values[i] = value;
            }
            continue;
        }
        let change = subtract64(best_outcome(i), value);
        if i == 0u || rows[i - 1u].y != component {
            to_changes[component] = change;
        }
        let difference = subtract64(change, from_changes[component]);
        to_values[i] = limited(add64(value, subtract64(difference, eighth(difference))));
        if is_far(difference) {
            if atomicLoad(&far[component]) < now {
                // RESULT UNUSED: whoever finds it first, it is the same number.
                atomicMax(&far[component], now);
            }
            if now < params.most_iterations {
                loop_again(grid.count.x);
            }
        }
    }
}

//! For programs, at the end of step 1 of a batch (`docs/exploring.md`): writes the successors of
//! its states, which the commands determine, to their places. One invocation per state.
//!
//! flags: LABELLED
//! checks: debug
//!
//! Reads `program`, `states`, `control`, `offsets`, `sums`. Owns `candidates` and, with LABELLED,
//! `labels`: for each its number in its choice. Shares, by atomics, `tallies`.
#import explore/lib/program
#import explore/lib/write_batch

@group(0) @binding(7) var<storage, read_write> tallies: array<atomic<u32>>;
@group(0) @binding(8) var<uniform> params: ExploreParams;

/// The successor that is being written.
var<private> successor: array<u32, MAX_STATE_WORDS>;
/// The number of branches of the choice before this one.
var<private> before: u32;

/// A group of a rule in a step: the places of its first enabled command, of the one that it takes,
/// and of the end; that command's branches with a probability above 0, and the one that it takes.
struct Party {
    first: u32,
    taken: u32,
    end: u32,
    positive: u32,
    branch: u32,
}

/// The groups of a rule.
//@ within parties: the last loop counts down from the number of parties, at most MAX_PARTIES
var<private> parties: array<Party, MAX_PARTIES>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    write_batch(grid, local);
}

fn write_self_loop(state: u32) {
    before = 0u;
    load(state);
    put();
}

fn write_successors(state: u32) {
    before = 0u;
    has_failed = false;
    for (var rule = 0u; rule < params.num_rules; rule++) {
        let at = params.rules + RULE_WORDS * rule;
        let begin = program[at];
        let end = program[at + 1u];
        if end - begin == 1u {
            write_alone(state, program[begin]);
        } else {
            write_together(state, begin, min(end - begin, MAX_PARTIES));
        }
    }
    if has_failed {
        // RESULT UNUSED: the minimum of all is looked at by a later dispatch.
        atomicMin(&tallies[FAILED], state);
    }
}

/// Begins a new choice, unless all branches of a state belong to one choice.
fn begin_choice() {
    if params.is_chain == 0u {
        before = 0u;
    }
}

/// Writes what a group does by itself.
fn write_alone(state: u32, group: u32) {
    let row = row_of(state, group);
    var at = next_enabled(state, row.x, row.y);
    while at < row.y {
        let command = program[at];
        let positive = positive_of(state, command);
        begin_choice();
        let branches = program[command + 2u];
        var i = next_positive(positive, 0u);
        while i < branches {
            load(state);
            apply(state, program[command + 1u] + BRANCH_WORDS * i);
            put();
            i = next_positive(positive, i + 1u);
        }
        at = next_enabled(state, at + 1u, row.y);
    }
}

/// Returns the first branch of a set that is not before `first`; beyond all if there is none.
fn next_positive(positive: u32, first: u32) -> u32 {
    if positive == NOWHERE {
        return first;
    }
    if first >= 32u {
        return NOWHERE;
    }
    // 2^32 - 1 if no bit is left.
    return firstTrailingBit(positive & (NOWHERE << first));
}

/// Writes what groups do together, if each can do something: all ways to take one command of each,
/// the last group fastest, and for each all ways to take one branch of each, likewise.
fn write_together(state: u32, begin: u32, count: u32) {
    let failed_before = has_failed;
    for (var i = 0u; i < count; i++) {
        let row = row_of(state, program[begin + i]);
        let first = next_enabled(state, row.x, row.y);
        if first >= row.y {
            has_failed = failed_before;
            return;
        }
        parties[i].first = first;
        parties[i].end = row.y;
        take_command(state, i, first);
    }
    loop {
        begin_choice();
        write_branches(state, count);
        // The next combination of commands.
        var i = count;
        var is_over = true;
        while i > 0u && is_over {
            i--;
            let next = next_enabled(state, parties[i].taken + 1u, parties[i].end);
            is_over = next >= parties[i].end;
            take_command(state, i, select(next, parties[i].first, is_over));
        }
        if is_over {
            return;
        }
    }
}

/// Makes a group take a command.
fn take_command(state: u32, i: u32, at: u32) {
    parties[i].taken = at;
    parties[i].positive = positive_of(state, program[at]);
    parties[i].branch = next_positive(parties[i].positive, 0u);
}

/// Returns whether the branch that a group takes is one of its command's.
fn has_branch(i: u32) -> bool {
    return parties[i].branch < program[program[parties[i].taken] + 2u];
}

/// Writes all ways to take one branch of the command of each group.
fn write_branches(state: u32, count: u32) {
    for (var i = 0u; i < count; i++) {
        if !has_branch(i) {
            return;
        }
    }
    loop {
        load(state);
        for (var i = 0u; i < count; i++) {
            let branches = program[program[parties[i].taken] + 1u];
            apply(state, branches + BRANCH_WORDS * parties[i].branch);
        }
        put();
        // The next combination of branches.
        var i = count;
        var is_over = true;
        while i > 0u && is_over {
            i--;
            let positive = parties[i].positive;
            parties[i].branch = next_positive(positive, parties[i].branch + 1u);
            is_over = !has_branch(i);
            if is_over {
                parties[i].branch = next_positive(positive, 0u);
            }
        }
        if is_over {
            return;
        }
    }
}

/// Begins a successor that is equal to the state.
fn load(state: u32) {
    for (var word = 0u; word < WORDS; word++) {
        successor[word % MAX_STATE_WORDS] = states[state * WORDS + word];
    }
}

/// Changes what a branch writes, which depends on the state.
fn apply(state: u32, branch: u32) {
    let fixed = program[branch];
    let fixed_end = fixed + FIXED_WORDS * program[branch + 1u];
    for (var at = fixed; at < fixed_end; at += FIXED_WORDS) {
        let word = program[at] % MAX_STATE_WORDS;
        successor[word] = (successor[word] & program[at + 1u]) | program[at + 2u];
    }
    let computed = program[branch + 2u];
    let computed_end = computed + COMPUTED_WORDS * program[branch + 3u];
    for (var at = computed; at < computed_end; at += COMPUTED_WORDS) {
        change(program[at], computed_offset(state, at));
    }
}

/// Changes a field.
fn change(field: u32, offset: u32) {
    let first = field & ((1u << FIELD_BITS) - 1u);
    let width = field >> FIELD_BITS;
    let word = (first / 32u) % MAX_STATE_WORDS;
    let shift = first % 32u;
    let mask = (1u << width) - 1u;
    let bits = offset & mask;
    successor[word] = (successor[word] & ~(mask << shift)) | (bits << shift);
    if shift + width > 32u {
        let next = (word + 1u) % MAX_STATE_WORDS;
        let rest = 32u - shift;
        successor[next] = (successor[next] & ~(mask >> rest)) | (bits >> rest);
    }
}

/// Writes the successor.
fn put() {
    for (var word = 0u; word < WORDS; word++) {
        candidates[next_place * WORDS + word] = successor[word % MAX_STATE_WORDS];
    }
#ifdef LABELLED
    labels[next_place] = before;
#endif
    before++;
    next_place++;
}

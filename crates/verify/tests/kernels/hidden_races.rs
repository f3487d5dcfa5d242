//! Pairs of kernels: one has a race that is easily missed, and the other is the same without the
//! race. z3 must prove the second, and must not prove the first.

use verify::Program;
use verify::race::{Verdict, is_there, verdicts};

const GRID: &str = include_str!("../../../../shaders/lib/grid.wgsl");

/// Whether no buffer of a kernel has a race, as far as z3 can prove. The kernel has
/// `lib/grid.wgsl`, and this body.
fn is_proved(declarations: &str, body: &str) -> bool {
    let text = format!(
        "{GRID}
struct Pair {{ first: u32, second: u32 }}
struct Table {{ count: u32, free: u32, rows: array<u32> }}
@group(0) @binding(0) var<storage, read> given: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
{declarations}
@compute @workgroup_size(64)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {{
    {body}
}}
"
    );
    let program = Program::parse("lib/grid.wgsl", &text).expect("it is valid");
    let found = verdicts(&program).expect("z3 answers");
    assert!(!found.is_empty(), "a buffer is written in {body}");
    found.values().all(|verdict| *verdict == Verdict::Free)
}

/// Fails unless the second body is proved free of races, and the first is not.
#[track_caller]
fn told_apart(declarations: &str, racing: &str, free: &str) {
    if !is_there() {
        eprintln!("SKIPPED: there is no z3 (Debian's package `z3`)");
        return;
    }
    assert!(is_proved(declarations, free), "not proved: {free}");
    assert!(!is_proved(declarations, racing), "proved: {racing}");
}

#[test]
fn the_same_index_by_two_paths() {
    told_apart(
        "",
        "let i = grid_index(grid, local, 64u);
         if i < 100u { if given[i] == 0u { out[2u * i] = 1u; } else { out[i + 100u] = 2u; } }",
        "let i = grid_index(grid, local, 64u);
         if i < 100u { if given[i] == 0u { out[2u * i] = 1u; } else { out[2u * i + 1u] = 2u; } }",
    );
}

#[test]
fn an_index_that_wraps_around() {
    told_apart(
        "",
        "let i = grid_index(grid, local, 64u); out[i * 2u] = 1u;",
        "let i = grid_index(grid, local, 64u); if i < arrayLength(&given) { out[i * 2u] = 1u; }",
    );
}

#[test]
fn a_vector_as_a_whole_and_its_component() {
    told_apart(
        "@group(0) @binding(2) var<storage, read_write> sums: vec4<u32>;",
        "let i = grid_index(grid, local, 64u);
         if i == 0u { sums = vec4(1u); }
         if i == 1u { out[0] = sums.y; }",
        "let i = grid_index(grid, local, 64u);
         if i == 0u { sums.x = 1u; }
         if i == 1u { out[0] = sums.y; }",
    );
}

#[test]
fn a_structure_as_a_whole_and_its_member() {
    told_apart(
        "@group(0) @binding(2) var<storage, read_write> pair: Pair;",
        "let i = grid_index(grid, local, 64u);
         if i == 0u { pair = Pair(1u, 2u); }
         if i == 1u { pair.second = 3u; }",
        "let i = grid_index(grid, local, 64u);
         if i == 0u { pair.first = 1u; }
         if i == 1u { pair.second = 3u; }",
    );
}

#[test]
fn an_array_as_a_whole_and_its_element() {
    told_apart(
        "@group(0) @binding(2) var<storage, read_write> few: array<u32, 4>;",
        "let i = grid_index(grid, local, 64u);
         if i == 0u { few = array(1u, 2u, 3u, 4u); }
         if i == 1u { few[3] = 5u; }",
        "let i = grid_index(grid, local, 64u);
         if i == 0u { few[0] = 1u; }
         if i == 1u { few[3] = 5u; }",
    );
}

#[test]
fn members_of_one_structure() {
    told_apart(
        "@group(0) @binding(2) var<storage, read_write> table: Table;",
        "let i = grid_index(grid, local, 64u);
         if i == 0u { table.count = 1u; } else { table.count = 2u; }",
        "let i = grid_index(grid, local, 64u);
         if i == 0u { table.count = 1u; } else if i == 1u { table.free = 2u; }",
    );
}

#[test]
fn components_of_an_element() {
    told_apart(
        "@group(0) @binding(2) var<storage, read_write> pairs: array<vec2<u32>>;",
        "let i = grid_index(grid, local, 64u);
         if i < 100u { pairs[i].x = 1u; pairs[i / 2u].y = 2u; }",
        "let i = grid_index(grid, local, 64u);
         if i < 100u { pairs[i].x = 1u; pairs[i].y = 2u; }",
    );
}

#[test]
fn a_function_that_changes_what_its_argument_points_to_and_returns() {
    told_apart(
        "fn choose(i: ptr<function, u32>, own: u32, stops: bool) {
             if stops { *i = 0u; return; }
             *i = own;
         }
         fn keep(i: ptr<function, u32>, own: u32) { *i = own; }",
        "let own = grid_index(grid, local, 64u);
         var i = own;
         choose(&i, own, given[own] == 7u);
         out[i] = 1u;",
        "let own = grid_index(grid, local, 64u);
         var i = 0u;
         keep(&i, own);
         out[i] = 1u;",
    );
}

#[test]
fn a_pointer_that_is_handed_on() {
    told_apart(
        "fn inner(i: ptr<function, u32>) { if *i == 5u { *i = 6u; return; } *i += 0u; }
         fn outer(i: ptr<function, u32>) { inner(i); }
         fn plain(i: ptr<function, u32>) { *i += 0u; }",
        "var i = grid_index(grid, local, 64u); outer(&i); out[i] = 1u;",
        "var i = grid_index(grid, local, 64u); plain(&i); out[i] = 1u;",
    );
}

#[test]
fn a_variable_that_is_changed_in_a_loop_or_a_switch() {
    told_apart(
        "",
        "var i = grid_index(grid, local, 64u);
         switch given[i] { case 0u: { i = 3u; } case 1u, 2u: { i += 1u; } default: {} }
         out[i] = 1u;",
        "let i = grid_index(grid, local, 64u);
         var other = i;
         switch given[i] { case 0u: { other = 3u; } default: {} }
         out[i] = other;",
    );
    told_apart(
        "",
        "var i = grid_index(grid, local, 64u);
         for (var k = 0u; k < given[0]; k += 1u) { let i = k; out[i] = 1u; }",
        "var i = grid_index(grid, local, 64u);
         for (var k = 0u; k < given[0]; k += 1u) { let k = i; out[k] = 1u; }",
    );
}

#[test]
fn a_condition_that_another_invocation_changes() {
    told_apart(
        "@group(0) @binding(2) var<storage, read_write> owner: array<u32>;",
        "let i = grid_index(grid, local, 64u);
         if owner[i] == i { out[given[i]] = 1u; }",
        "let i = grid_index(grid, local, 64u);
         if given[0] == i { out[7] = 1u; }
         owner[i] = i;",
    );
    // Both read the same word, so both conditions cannot hold; but the word is written between.
    told_apart(
        "@group(0) @binding(2) var<storage, read_write> turn: atomic<u32>;",
        "let i = grid_index(grid, local, 64u);
         if atomicLoad(&turn) == i { out[0] = 1u; atomicStore(&turn, i + 1u); }",
        "let i = grid_index(grid, local, 64u);
         if given[0] == i { out[0] = 1u; atomicStore(&turn, i + 1u); }",
    );
}

#[test]
fn two_loops_that_stride_through_the_grid() {
    told_apart(
        "",
        "for (var i = grid_index(grid, local, 64u); i < 900u; i += grid_stride(grid, 64u)) {
             out[i] = 1u;
         }
         for (var i = grid_index(grid, local, 64u); i < 900u; i += grid_stride(grid, 64u)) {
             out[i + 1u] = 1u;
         }",
        "for (var i = grid_index(grid, local, 64u); i < 900u; i += grid_stride(grid, 64u)) {
             out[i] = 1u;
         }
         for (var i = grid_index(grid, local, 64u); i < 900u; i += grid_stride(grid, 64u)) {
             out[i] += 1u;
         }",
    );
}

#[test]
fn a_loop_with_another_stride() {
    let own = "for (var i = grid_index(grid, local, 64u); i < 900u; i += grid_stride(grid, 64u)) \
               { out[i] = 1u; }";
    for stride in [
        "grid_stride(grid, 32u)",
        "64u",
        "grid_stride(Grid(grid.workgroup, vec3(1u)), 64u)",
    ] {
        told_apart("", &own.replace("grid_stride(grid, 64u)", stride), own);
    }
}

#[test]
fn a_stride_that_is_computed_before_the_loop() {
    let own = "let stride = grid_stride(grid, 64u);
         for (var i = grid_index(grid, local, 64u); i < 900u; i += stride) { out[i] = 1u; }";
    told_apart("", &own.replace("grid, 64u);\n", "grid, 32u);\n"), own);
}

#[test]
fn an_index_in_a_grid_that_the_kernel_made() {
    told_apart(
        "",
        "let other = Grid(vec3(0u), grid.count);
         out[grid_index(other, local, 64u)] = 1u;",
        "out[grid_index(grid, local, 64u)] = 1u;",
    );
}

/// Only the function in `lib/grid.wgsl` returns an index that no other invocation has.
#[test]
fn a_function_that_is_only_called_grid_index() {
    if !is_there() {
        eprintln!("SKIPPED: there is no z3 (Debian's package `z3`)");
        return;
    }
    let text = GRID.replace("at.x) * size + local", "at.x) * size")
        + "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(64)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    out[grid_index(grid, local, 64u)] = 1u;
}
";
    assert!(text.contains("at.x) * size;"), "the index was changed");
    let program = Program::parse("other.wgsl", &text).expect("it is valid");
    let found = verdicts(&program).expect("z3 answers");
    assert!(matches!(found["out"], Verdict::Open(_)), "{found:?}");
}

#[test]
fn a_stretch_of_each_invocation() {
    let own = "let i = grid_index(grid, local, 64u);
         if i < 100u { for (var k = 4u * i; k < 4u * i + 4u; k++) { out[k] = out[k] + 1u; } }";
    // One more; a first element that is not checked; and one that is changed in the body.
    told_apart("", &own.replace("+ 4u; k", "+ 5u; k"), own);
    told_apart("", &own.replace("k < 4u * i + 4u", "k != given[i]"), own);
    told_apart("", &own.replace("{ out[k]", "{ k = given[k]; out[k]"), own);
}

#[test]
fn places_as_far_apart_as_a_workgroup_is_wide() {
    let own =
        "for (var block = grid_index(grid, 0u, 1u); block < 9u; block += grid_stride(grid, 1u)) {
             for (var k = local; k < 256u; k += 64u) { out[256u * block + k] = 1u; }
         }";
    told_apart("", &own.replace("k += 64u", "k += 32u"), own);
    told_apart("", &own.replace("256u * block", "255u * block"), own);
    told_apart("", &own.replace("grid_stride(grid, 1u)", "2u"), own);
}

#[test]
fn what_a_function_returns_in_several_places() {
    let choose = "fn choose(own: u32, other: u32) -> u32 {
             if other == 7u { return own; }
             return own + 1000u;
         }";
    let own = "let i = grid_index(grid, local, 64u);
         if i < 900u { out[choose(i, given[i])] = 1u; }";
    told_apart(choose, &own.replace("900u", "1900u"), own);
    let racing = own.replace("900u", "1900u");
    for unclear in [
        "for (var k = 0u; k < other; k++)",
        "switch other { default: {} case 1u:",
    ] {
        let end = if unclear.ends_with(':') {
            "return own; } }"
        } else {
            "return own; }"
        };
        let unclear = choose.replace("if other == 7u", unclear);
        told_apart(&unclear.replace("return own; }", end), &racing, own);
    }
}

#[test]
fn a_stride_that_a_function_returns() {
    let own =
        "for (var i = grid_index(grid, local, 64u); i < 9u; i += stride(grid)) { out[i] = 1u; }";
    let stride = "fn stride(grid: Grid) -> u32 { return grid_stride(grid, 64u); }
         fn other(grid: Grid) -> u32 { return grid_stride(grid, 32u); }
         fn made(grid: Grid) -> u32 { return grid_stride(Grid(grid.count, grid.count), 64u); }";
    told_apart(stride, &own.replace("stride(grid)", "other(grid)"), own);
    told_apart(stride, &own.replace("stride(grid)", "made(grid)"), own);
}

#[test]
fn two_halves_of_a_buffer() {
    let body = "let i = grid_index(grid, local, 64u);
         if i < given[0] { out[i] = out[given[0] + i]; out[given[0] + i] = 0u; }";
    let promise = "//@ assume arrayLength(&out) >= 2 * given[0]: two for each";
    told_apart(
        promise,
        &body.replace("i < given[0]", "i <= given[0]"),
        body,
    );
    told_apart(promise, &body.replace("given[0]", "given[1]"), body);
}

#[test]
fn entries_that_are_distinct() {
    let body = "let i = grid_index(grid, local, 64u); if i < 100u { out[given[i]] = 1u; }";
    let promise = "//@ distinct given below 100: each is there once";
    told_apart(promise, &body.replace("i < 100u", "i < 101u"), body);
    told_apart(promise, &body.replace("given[i]", "given[i] / 2u"), body);
    let promise = "@group(0) @binding(2) var<storage, read> kept: array<u32>;
         //@ distinct given from 50 where kept < 7: of those that are kept";
    let body = "let i = grid_index(grid, local, 64u);
         if i >= 50u && kept[i] < 7u { out[given[i]] = 1u; }";
    told_apart(promise, &body.replace("< 7u", "< 8u"), body);
    told_apart(promise, &body.replace("kept[i]", "kept[i + 1u]"), body);
    told_apart(promise, &body.replace(">= 50u", ">= 49u"), body);
    // A promise about what the kernel changes says nothing of what it reads there later.
    let promise = "@group(0) @binding(2) var<storage, read_write> own: array<u32>;
         //@ distinct own: before the kernel runs
         //@ distinct given: each is there once";
    told_apart(
        promise,
        "let i = grid_index(grid, local, 64u); own[i] = 3u; out[own[i]] = 1u;",
        "let i = grid_index(grid, local, 64u); own[i] = 3u; out[given[i]] = 1u;",
    );
}

#[test]
fn the_first_of_equal_entries() {
    let body = "let i = grid_index(grid, local, 64u);
         if i < 100u { if i == 0u || given[i - 1u] != given[i] { out[given[i]] = 1u; } }";
    let promise = "//@ ascending given below 100: they follow one another";
    told_apart(
        promise,
        &body.replace("given[i - 1u] !=", "given[i + 1u] !="),
        body,
    );
    told_apart(promise, &body.replace("i < 100u", "i < 101u"), body);
    let racing = body.replace("i == 0u ||", "i < 2u ||");
    told_apart(promise, &racing, body);
}

#[test]
fn tickets() {
    let counters = "@group(0) @binding(2) var<storage, read_write> next: array<atomic<u32>>;
         //@ tickets next: rows do not overlap";
    let body = "let place = atomicAdd(&next[given[local]], 1u); out[place] = local;";
    told_apart(counters, &body.replace("1u)", "0u)"), body);
    told_apart(counters, &body.replace("atomicAdd", "atomicOr"), body);
    told_apart(
        counters,
        &body.replace("out[place]", "out[place / 2u]"),
        body,
    );
    let two = "let place = atomicAdd(&next[0], 1u); out[place] = local;
         let other = atomicAdd(&next[1], 1u);";
    told_apart(
        counters,
        &format!("{two} out[grid_index(grid, local, 64u)] = 1u;"),
        two,
    );
    let others = counters.replace("//@ tickets next", "//@ tickets out");
    assert!(
        !is_there() || !is_proved(&others, body),
        "without the promise"
    );
}

#[test]
fn barriers_between_accesses() {
    // By invocations of other workgroups; not by a barrier for storage; not by all; not always.
    let whole = "if grid.workgroup.x != 0u { return; }
         if grid.workgroup.y != 0u { return; }
         if grid.workgroup.z != 0u { return; }
         let first = out[0];
         storageBarrier();
         if local == 5u { out[0] = first; }";
    let other = whole.replace("if grid.workgroup.z != 0u { return; }", "");
    told_apart("", &other, whole);
    told_apart(
        "",
        &whole.replace("storageBarrier", "workgroupBarrier"),
        whole,
    );
    told_apart(
        "",
        &whole.replace(
            "storageBarrier();",
            "if given[0] == 1u { storageBarrier(); }",
        ),
        whole,
    );
    told_apart("", &whole.replace("local == 5u", "local < 6u"), whole);
    let function = "fn together() { storageBarrier(); }
         fn perhaps() { if given[0] == 1u { return; } storageBarrier(); }";
    let called = |name: &str| whole.replace("storageBarrier", name);
    told_apart(function, &called("perhaps"), &called("together"));
    let looped = "for (var k = 0u; k < given[0]; k++) { storageBarrier(); }";
    told_apart("", &whole.replace("storageBarrier();", looped), whole);
}

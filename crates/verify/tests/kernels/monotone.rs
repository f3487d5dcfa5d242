//! The monotone shape: which kernels have it, and that it is refused to those that lack it.

use gpu::Kernel;
use verify::Program;
use verify::monotone::{Shape, shape};

/// A line for each buffer that is written.
fn said(shape: &Shape) -> String {
    let line = |(name, verdict): (&String, &_)| match verdict {
        Ok(()) => format!("{name}: monotone"),
        Err(verify::monotone::Obstacle { what, place }) => {
            format!("{name}: {what}, at `{}`", place.text)
        }
    };
    let lines: Vec<String> = shape.buffers.iter().map(line).collect();
    lines.join("\n")
}

fn kernel(label: &str) -> &'static Kernel {
    let mut all = gpu::kernels::ALL.iter();
    let kernel = all.find(|kernel| kernel.label() == label);
    kernel.unwrap_or_else(|| panic!("no kernel {label}"))
}

fn of_kernel(kernel: &'static Kernel) -> Shape {
    let constants: Vec<_> = kernel.constants.iter().map(|&name| (name, 32)).collect();
    shape(&Program::of_kernel(kernel, &constants).expect("it is valid"))
}

/// What a kernel says of its shape is so: those of relaxation, and of the backward search without a
/// transpose.
#[test]
fn the_kernels_that_say_so_have_the_shape() {
    let mut found = Vec::new();
    for kernel in gpu::kernels::ALL {
        if !kernel.source.contains("//@ monotone ") {
            continue;
        }
        let shape = of_kernel(kernel);
        assert_eq!(
            shape.broken(),
            Vec::<&str>::new(),
            "{}\n{}",
            kernel.label(),
            said(&shape)
        );
        let condition = shape.condition.as_deref().unwrap_or("always");
        let names: Vec<&str> = shape.monotone().collect();
        found.push(format!(
            "{}: {}, {condition}",
            kernel.label(),
            names.join(" ")
        ));
    }
    insta::assert_snapshot!(found.join("\n"));
}

/// Shipped kernels, each changed at one place so that it may compute something else, or end early.
#[test]
fn changed_kernels_are_refused() {
    let changes = [
        ("bfs/edge", "", ""),
        // A plain store instead of a minimum.
        (
            "bfs/edge",
            "if atomicMin(&costs[end], cost + 1u) > cost + 1u {",
            "atomicStore(&costs[end], cost + 1u);\n    {",
        ),
        // The guard reversed: only costs that are lower already are replaced.
        (
            "bfs/edge",
            "atomicLoad(&costs[end]) <= cost + 1u {",
            "atomicLoad(&costs[end]) > cost + 1u {",
        ),
        // The guard looks at another word than the one that is lowered.
        (
            "bfs/edge",
            "atomicLoad(&costs[end]) <= cost + 1u {",
            "atomicLoad(&costs[end + 1u]) <= cost + 1u {",
        ),
        // A value that falls as the cost rises.
        (
            "bfs/vertex",
            "atomicMin(&costs[end], cost + 1u)",
            "atomicMin(&costs[end], 9u - cost)",
        ),
        // A sum that may wrap.
        ("bfs/edge", "cost == INFINITE || ", ""),
        // Nobody asks for another iteration.
        ("bfs/edge", "loop_again(groups);", ""),
        // Or only if a condition holds that says nothing of it.
        (
            "bfs/edge",
            "loop_again(groups);",
            "if end == 7u { loop_again(groups); }",
        ),
        // Only states of a wrong cost are looked at.
        (
            "bfs/vertex",
            "if !is_active(vertex) {",
            "if atomicLoad(&costs[vertex]) == 3u {",
        ),
        // A mark is not set where one is seen.
        (
            "fbt/search_no_transpose",
            "return is_wanted && is_live",
            "return !is_wanted && is_live",
        ),
        // A bit that the region has is set.
        (
            "fbt/search_no_transpose",
            "atomicOr(&results[i], BACKWARD_MARK);",
            "atomicOr(&results[i], BACKWARD_MARK | 1u);",
        ),
        // The search ends where a mark is seen, though others may come.
        (
            "fbt/search_no_transpose",
            "        if entries[j] == EMPTY {\n            break;",
            "        if (atomicLoad(&results[entries[j]]) & BACKWARD_MARK) != 0u {\n            break;",
        ),
    ];
    let mut text = String::new();
    for (label, from, to) in changes {
        let kernel = kernel(label);
        assert!(kernel.source.contains(from), "{label}: {from}");
        let source = kernel.source.replacen(from, to, 1);
        let source = source.replace("override LANES: u32;", "const LANES = 32u;");
        let program = Program::parse(label, &source);
        let program = program.unwrap_or_else(|error| panic!("{label}, {to}: {error}"));
        let shape = shape(&program);
        assert_eq!(
            shape.broken().is_empty(),
            from.is_empty(),
            "{label}: {to}\n{}",
            said(&shape)
        );
        text += &format!(
            "{label}: {} -> {}\n{}\n\n",
            from.trim(),
            to.trim(),
            said(&shape)
        );
    }
    insta::assert_snapshot!(text);
}

/// The beginning of small kernels: words that are lowered, words that are marked, and a record.
const HEAD: &str = "
struct Next { x: atomic<u32>, y: atomic<u32>, z: atomic<u32> }
@group(0) @binding(0) var<storage, read> to: array<u32>;
@group(0) @binding(1) var<storage, read_write> low: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> high: array<atomic<u32>>;
@group(1) @binding(1) var<storage, read_write> next: Next;
fn again() {
    if atomicLoad(&next.x) < 1u {
        atomicMax(&next.x, 1u);
    }
}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
";

/// Small kernels, the first of which have the shape.
#[test]
fn small_kernels() {
    let bodies = [
        // Good: values are copied, conditions only become true.
        "atomicMin(&low[to[i]], atomicLoad(&low[i])); again();",
        "atomicMax(&high[to[i]], atomicLoad(&high[i])); again();",
        "if atomicLoad(&low[i]) < 7u { atomicMin(&low[to[i]], 3u); again(); }",
        "if atomicLoad(&high[i]) >= 7u && to[i] != 2u { atomicMin(&low[to[i]], 3u); again(); }\n    \
         atomicMax(&high[i], 1u);",
        "let bit = 1u << (i % 32u);\n    if (atomicLoad(&high[i / 32u]) & bit) == 0u { \
         atomicOr(&high[i / 32u], bit); }",
        "for (var j = 0u; j < 4u; j += 1u) { if atomicLoad(&low[to[i + j]]) == 0u { \
         atomicMin(&low[i], 5u); again(); return; } }",
        // Bad: the wrong way, or another way each time.
        "atomicMin(&low[to[i]], ~atomicLoad(&low[i])); again();",
        "atomicMax(&high[to[i]], atomicLoad(&low[i])); again(); atomicMin(&low[i], 4u);",
        "if atomicLoad(&low[i]) > 7u { atomicMin(&low[to[i]], 3u); again(); }",
        "if atomicLoad(&low[i]) == 7u { atomicMin(&low[to[i]], 3u); again(); }",
        "atomicMin(&low[atomicLoad(&low[i])], 3u); again();",
        "if atomicMin(&low[i], 3u) == 9u { atomicMin(&low[to[i]], 2u); again(); }",
        "atomicMin(&low[i], 3u); atomicMax(&low[to[i]], 2u);",
        "atomicMin(&low[to[i]], atomicLoad(&low[i]));",
        // Bad: a loop that is left for what was seen, before other words are lowered.
        "for (var j = 0u; j < 4u; j += 1u) { if atomicLoad(&low[to[i + j]]) == 0u { break; } \
         atomicMin(&low[i + j], 5u); again(); }",
        "for (var j = 0u; j < 4u; j += 1u) { if atomicLoad(&low[to[i + j]]) == 0u { \
         atomicMin(&low[i + j], 5u); again(); return; } }",
        // Bad: how often is told by words that change.
        "var k = 0u; loop { if atomicLoad(&low[k]) < 3u { break; } k += 1u; }\n    \
         atomicMin(&low[k], 2u); again();",
        // Bad: a variable remembers what was seen before.
        "var seen = false; for (var j = 0u; j < 4u; j += 1u) { if !seen { \
         atomicMin(&low[to[j]], 5u); again(); } seen = atomicLoad(&low[j]) < 3u; }",
        // Bad: the look is at the word, but the value is another one.
        "if atomicLoad(&low[to[i]]) > 5u { atomicMin(&low[to[i]], 3u); again(); }",
        // Bad: it asks in an iteration of a loop that may have none.
        "atomicMin(&low[to[i]], atomicLoad(&low[i])); for (var j = 0u; j < to[i]; j += 1u) { \
         again(); }",
    ];
    let mut text = String::new();
    for body in bodies {
        let source = format!("{HEAD}    {body}\n}}\n");
        let program = Program::parse("small.wgsl", &source);
        let program = program.unwrap_or_else(|error| panic!("{body}: {error}"));
        text += &format!(
            "{body}\n=> {}\n\n",
            said(&shape(&program)).replace('\n', "\n   ")
        );
    }
    insta::assert_snapshot!(text);
}

//! Indices within their arrays, by z3.

use verify::Program;
use verify::race;

/// Small kernels, with one array in a workgroup's memory and one buffer each.
const HEAD: &str = "
struct Params { n: u32 }
//@ assume params.n <= arrayLength(&a): the host makes it as long
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@group(0) @binding(1) var<uniform> params: Params;
var<workgroup> w: array<atomic<u32>, 64>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
";

#[test]
fn indices_are_proved_by_the_conditions_around_them() {
    if !race::is_there() {
        eprintln!("SKIPPED: there is no z3 (Debian's package `z3`)");
        return;
    }
    let bodies = [
        "if i < params.n { a[i] = 1u; }",
        "for (var j = i; j < params.n; j += 64u) { a[j] = 1u; }",
        "if i <= params.n { a[i] = 1u; }",
        "a[i] = 1u;",
        "a[min(i, arrayLength(&a) - 1u)] = 1u;",
        "atomicStore(&w[i], 1u);",
        "atomicAdd(&w[i + 1u], 1u);",
        "if i < 63u { atomicAdd(&w[i + 1u], 1u); }",
        "let k = atomicLoad(&w[0]); atomicStore(&w[k], 1u);",
        "let k = atomicLoad(&w[0]); atomicStore(&w[k % 64u], 1u);",
        "let k = workgroupUniformLoad(&w[64u - i]); atomicStore(&w[k & 63u], 1u);",
    ];
    let mut text = String::new();
    for body in bodies {
        let source = format!("{HEAD}    {body}\n}}\n");
        let program = Program::parse("small.wgsl", &source).expect("it is valid");
        let found = race::bounds(&program).expect("z3 answers");
        text += body;
        for (name, bounds) in found {
            let said = if bounds.open.is_some() {
                "not proved"
            } else {
                "proved"
            };
            text += &format!("\n    {name}: {said}");
        }
        text.push('\n');
    }
    insta::assert_snapshot!(text);
}

//! The lints: their findings in wrong kernels, and none in right ones.

use std::fs;
use std::path::Path;

use verify::{Program, lint};

/// Returns the findings of the lints in a file of `tests/wgsl/`, or the reason why it is not a
/// kernel.
fn findings(name: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/wgsl")
        .join(name);
    let text = fs::read_to_string(path).expect("a kernel");
    match Program::parse(name, &text) {
        Ok(program) => lint::lint(&program)
            .iter()
            .map(ToString::to_string)
            .collect(),
        Err(error) => vec![error.to_string()],
    }
}

/// Each file of `tests/wgsl/` says in its first line whether it is good or bad.
#[test]
fn bad_kernels_are_told_from_good_ones() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wgsl");
    let entries = fs::read_dir(folder).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<_> = names
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    let mut said = String::new();
    for name in &names {
        let text = fs::read_to_string(
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("tests/wgsl")
                .join(name),
        );
        let is_good = text.expect("a kernel").starts_with("// good: ");
        let found = findings(name);
        assert_eq!(found.is_empty(), is_good, "{name}: {found:#?}");
        said.extend(found.iter().map(|finding| format!("{finding}\n\n")));
    }
    insta::assert_snapshot!(said);
}

/// The lints find nothing in any variant of any kernel of the project.
#[test]
fn the_kernels_of_the_project_pass() {
    let mut all = Vec::new();
    for kernel in gpu::kernels::ALL {
        let constants: Vec<_> = kernel.constants.iter().map(|&name| (name, 32)).collect();
        let program = Program::of_kernel(kernel, &constants).expect("it is valid");
        let findings = lint::lint(&program);
        all.extend(
            findings
                .iter()
                .map(|finding| format!("{}: {finding}", kernel.label())),
        );
    }
    assert!(gpu::kernels::ALL.len() > 20);
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// If a text is not WGSL, or not a single compute shader, the error has the line.
#[test]
fn texts_that_are_not_kernels_are_refused() {
    let refused = |text: &str| {
        Program::parse("k.wgsl", text)
            .expect_err("it is wrong")
            .to_string()
    };
    insta::assert_snapshot!(refused("fn f() {}"), @"k.wgsl: expected one entry point, a compute shader");
    insta::assert_snapshot!(refused("@compute @workgroup_size(1)\nfn main() {\n    let x: u32 = 1.5;\n}"), @"k.wgsl:3: `let x: u32 = 1.5;`: the type of `x` is expected to be `u32`, but got `{AbstractFloat}`");
    insta::assert_snapshot!(refused("@group(0) @binding(0) var<storage, read> a: array<u32>;\n@compute @workgroup_size(1)\nfn main() {\n    a[0] = 1u;\n}"), @"k.wgsl:4: `a[0] = 1u;`: Entry point main at Compute is invalid: The pointer [1] doesn't relate to a valid destination for a store");
    let odd = "var<private> m: mat2x2<f32>;\n@compute @workgroup_size(1)\nfn main() {\n    m[0].x = 1.0;\n}";
    let program = Program::parse("k.wgsl", odd).expect("it is valid");
    let error = verify::run::compile(&program).expect_err("it is not supported");
    insta::assert_snapshot!(error.to_string(), @"k.wgsl:1: `var<private> m: mat2x2<f32>;`: the interpreter does not know values of this type: Matrix { columns: Bi, rows: Bi, scalar: Scalar { kind: Float, width: 4 } }");
}

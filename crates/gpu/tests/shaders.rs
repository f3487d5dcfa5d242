//! Tests of the parts of the build script: expansion, validation and reflection. The tables that it
//! generates agree with the WGSL.

#[path = "../build/expand.rs"]
mod expand;
#[path = "../build/reflect.rs"]
mod reflect;

use std::collections::BTreeMap;

use expand::{Expanded, ShaderError};
use gpu::kernels::{self, BfsParams, FillParams};
use gpu::{BufferSlot, LoopRecord, ParamsSlot};

/// Expands `fbt/k.wgsl` of some files.
fn expand(files: &[(&str, &str)], flags: &[&str]) -> Result<Expanded, ShaderError> {
    let files: BTreeMap<&str, &str> = files.iter().copied().collect();
    let flags: Vec<String> = flags.iter().map(ToString::to_string).collect();
    expand::expand(
        &|path| files.get(path).map(ToString::to_string),
        "fbt/k.wgsl",
        &flags,
    )
}

/// Returns the message of the first error in a shader.
fn wrong(files: &[(&str, &str)], flags: &[&str]) -> String {
    let flags_owned: Vec<String> = flags.iter().map(ToString::to_string).collect();
    let name = expand::variant_name(&flags_owned);
    let checked = expand(files, flags).and_then(|expanded| reflect::reflect(&expanded, &name));
    checked.expect_err("this shader is wrong").to_string()
}

#[test]
fn the_head_gives_documentation_and_flags() {
    let head = expand::head(
        "//! Does a thing.\n//!\n//! flags: A, B\n//! More.\nfn f() {}\n//! flags: C\n",
    );
    assert_eq!(head.docs, ["Does a thing.", "", "More."]);
    assert_eq!(head.flags, ["A", "B"]);
    assert!(!head.is_checked_in_debug);
    assert!(expand::head("//! Does a thing.\n//! checks: debug\n").is_checked_in_debug);
}

#[test]
fn flags_choose_lines_and_imports_come_once() {
    let files = [
        (
            "fbt/k.wgsl",
            "//! flags: A, B\n#import lib/x\n#ifdef A\na\n  #ifndef B\nonly a\n#else\nboth\n#endif\n#else\nno a\n#import lib/y\n#endif\n#import lib/x\nend\n",
        ),
        (
            "lib/x.wgsl",
            "//! flags: A, OTHER\nx\n#ifdef OTHER\nnever\n#endif\n#ifdef A\nx with a\n#endif\n",
        ),
        ("lib/y.wgsl", "#import lib/x\ny\n"),
    ];
    let text = |flags: &[&str]| expand(&files, flags).unwrap().text;
    assert_eq!(text(&[]), "x\nno a\ny\nend\n");
    assert_eq!(text(&["A"]), "x\nx with a\na\nonly a\nend\n");
    assert_eq!(text(&["A", "B"]), "x\nx with a\na\nboth\nend\n");
    let expanded = expand(&files, &["A"]).unwrap();
    let origins: Vec<String> = expanded
        .origins
        .iter()
        .map(|at| format!("{}:{}", at.file, at.line))
        .collect();
    assert_eq!(
        origins,
        [
            "lib/x.wgsl:2",
            "lib/x.wgsl:7",
            "fbt/k.wgsl:4",
            "fbt/k.wgsl:6",
            "fbt/k.wgsl:15"
        ]
    );
    let stretches = expanded.stretches().into_iter();
    let firsts: Vec<usize> = stretches.map(|(first, _)| first).collect();
    assert_eq!(firsts, [1, 2, 3, 4, 5]);
}

/// The table of a kernel says where each of its lines was written.
#[test]
fn tables_know_where_lines_were_written() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders");
    for kernel in kernels::ALL {
        for (line, text) in (1..).zip(kernel.source.lines()) {
            let (file, written) = kernel.origin(line).unwrap();
            let there = std::fs::read_to_string(root.join(file)).unwrap();
            assert_eq!(there.lines().nth(written as usize - 1), Some(text));
        }
        assert_eq!(kernel.origin(0), None);
    }
}

#[test]
fn a_directive_that_is_wrong_is_found_where_it_stands() {
    let of = |text: &str| wrong(&[("fbt/k.wgsl", text)], &[]);
    insta::assert_snapshot!(of("\n#import lib/nothing\n"), @"shaders/fbt/k.wgsl:2: variant plain: there is no shaders/lib/nothing.wgsl to import");
    insta::assert_snapshot!(of("#ifdef TYPO\n#endif\n"), @"shaders/fbt/k.wgsl:1: variant plain: the flag TYPO is not declared in the head of this file");
    insta::assert_snapshot!(of("//! flags: A\n\n#ifdef A\n"), @"shaders/fbt/k.wgsl:3: variant plain: this #ifdef has no #endif");
    insta::assert_snapshot!(of("#endif\n"), @"shaders/fbt/k.wgsl:1: variant plain: #endif without its #ifdef");
    insta::assert_snapshot!(of("//! flags: A\n#ifdef A\n#else\n#else\n#endif\n"), @"shaders/fbt/k.wgsl:4: variant plain: #else without its #ifdef");
    insta::assert_snapshot!(of("#define X\n"), @"shaders/fbt/k.wgsl:1: variant plain: `#define X` is no directive of ours");
}

#[test]
fn wgsl_that_is_wrong_is_found_in_the_file_it_was_written_in() {
    let kernel = "//! flags: BAD\n#import lib/x\n@compute @workgroup_size(1)\nfn main() {\n#ifdef BAD\n    let y = missing;\n#endif\n}\n";
    let files = [("fbt/k.wgsl", kernel), ("lib/x.wgsl", "fn ok() {}\n")];
    assert!(reflect::reflect(&expand(&files, &[]).unwrap(), "plain").is_ok());
    insta::assert_snapshot!(wrong(&files, &["BAD"]), @"shaders/fbt/k.wgsl:6: variant BAD: no definition in scope for identifier: `missing`");
    let broken = [
        ("fbt/k.wgsl", kernel),
        ("lib/x.wgsl", "\nfn not_ok() -> u32 { }\n"),
    ];
    insta::assert_snapshot!(wrong(&broken, &[]), @"shaders/lib/x.wgsl:2: variant plain: Function [0] 'not_ok' is invalid: The `return` expression None does not match the declared return type Some([0])");
}

#[test]
fn kernels_keep_to_what_hosts_can_bind() {
    let of = |text: &str| wrong(&[("fbt/k.wgsl", text)], &[]);
    let with = |declaration: &str, statement: &str| {
        of(&format!(
            "{declaration}\n@compute @workgroup_size(1)\nfn main() {{ {statement} }}\n"
        ))
    };
    insta::assert_snapshot!(of("fn f() {}\n"), @"shaders/fbt/k.wgsl:1: variant plain: a kernel has one entry point, this one has 0");
    insta::assert_snapshot!(with("struct P { a: u32, b: vec2<u32> }\n@group(0) @binding(0) var<uniform> p: P;", "_ = p.a;"), @"shaders/fbt/k.wgsl:2: variant plain: `p`: P has padding before `b`; name it, so that the host sees it");
    insta::assert_snapshot!(with("struct P { b: vec2<u32>, a: u32 }\n@group(0) @binding(0) var<uniform> p: P;", "_ = p.a;"), @"shaders/fbt/k.wgsl:2: variant plain: `p`: P is padded at its end to 16 bytes; name the padding");
    insta::assert_snapshot!(with("@group(2) @binding(0) var<storage> a: array<u32>;", "_ = a[0];"), @"shaders/fbt/k.wgsl:1: variant plain: `a`: group 2 is not ours to bind");
    insta::assert_snapshot!(with("@group(0) @binding(0) var<storage> a: array<vec3<u32>>;", "_ = a[0];"), @"shaders/fbt/k.wgsl:1: variant plain: `a`: elements of 12 bytes lie 16 bytes apart");
    insta::assert_snapshot!(with("override SIZE: f32 = 1;", "_ = SIZE;"), @"shaders/fbt/k.wgsl:1: variant plain: the override `SIZE` is not a u32");
}

/// For each variant, the generated tables agree with what naga reads in the source that they
/// contain.
#[test]
fn tables_agree_with_the_wgsl() {
    let constants = [
        ("csr", kernels::csr::CONSTANTS),
        ("explore", kernels::explore::CONSTANTS),
        ("fbt", kernels::fbt::CONSTANTS),
        ("gpuexplore", kernels::gpuexplore::CONSTANTS),
        ("worklist", kernels::worklist::CONSTANTS),
    ];
    assert!(constants.iter().all(|(_, known)| known.len() > 3));
    for kernel in kernels::ALL {
        let lines = kernel.source.lines().count();
        let origins = vec![
            expand::Origin {
                file: kernel.name.to_owned(),
                line: 1
            };
            lines
        ];
        let expanded = Expanded {
            text: kernel.source.to_owned(),
            origins,
        };
        let read = reflect::reflect(&expanded, kernel.variant).unwrap();
        let name = kernel.label();
        assert_eq!(read.entry, kernel.entry, "{name}");
        assert_eq!(read.workgroup, kernel.workgroup, "{name}");
        assert_eq!(
            (read.reads_loop, read.writes_loop),
            (kernel.reads_loop, kernel.writes_loop),
            "{name}"
        );
        assert_eq!(read.buffers.len(), kernel.buffers.len(), "{name}");
        for (used, slot) in read.buffers.iter().zip(kernel.buffers) {
            let &BufferSlot {
                name,
                binding,
                writes,
                element_bytes,
            } = slot;
            assert_eq!(
                (&*used.name, used.binding, used.writes, used.element.bytes),
                (name, binding, writes, element_bytes)
            );
        }
        let (stage, _) = kernel.name.split_once('/').unwrap();
        let known = constants.iter().find(|(known, _)| *known == stage);
        for (constant, value) in known.into_iter().flat_map(|(_, known)| *known) {
            let read = read.constants.get(*constant).unwrap_or(value);
            assert_eq!(read, value, "{name}: {constant}");
        }
        let params = read.params.map(|params| (params.binding, params.ty.bytes));
        assert_eq!(
            params,
            kernel
                .params
                .map(|ParamsSlot { binding, bytes, .. }| (binding, bytes)),
            "{name}"
        );
    }
}

/// Structs that are passed between host and device have the same sizes and offsets on both sides.
#[test]
fn structs_have_the_layout_of_the_wgsl() {
    let mut known = BTreeMap::new();
    for kernel in kernels::ALL {
        let module = naga::front::wgsl::parse_str(kernel.source).unwrap();
        for (_, ty) in module.types.iter() {
            if let (Some(name), naga::TypeInner::Struct { members, span }) = (&ty.name, &ty.inner) {
                let offsets: Vec<u32> = members.iter().map(|member| member.offset).collect();
                known.insert(name.clone(), (*span as usize, offsets));
            }
        }
    }
    let layout = |name: &str| known[name].clone();
    assert_eq!(
        layout("FillParams"),
        (
            size_of::<FillParams>(),
            vec![std::mem::offset_of!(FillParams, value) as u32]
        )
    );
    let offsets = [
        std::mem::offset_of!(BfsParams, first_state) as u32,
        std::mem::offset_of!(BfsParams, end_state) as u32,
        std::mem::offset_of!(BfsParams, first_edge) as u32,
    ];
    assert_eq!(
        layout("BfsParams"),
        (size_of::<BfsParams>(), offsets.to_vec())
    );
    // The loop's record is the one struct that is written on both sides by hand.
    let groups = std::mem::offset_of!(LoopRecord, groups) as u32;
    let rest = [
        std::mem::offset_of!(LoopRecord, iteration) as u32,
        std::mem::offset_of!(LoopRecord, words) as u32,
    ];
    let record = [groups, groups + 4, groups + 8, rest[0], rest[1]];
    assert_eq!(
        layout("LoopNow"),
        (size_of::<LoopRecord>(), record.to_vec())
    );
    assert_eq!(layout("LoopNext"), layout("LoopNow"));
}

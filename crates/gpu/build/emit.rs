//! Writes the Rust side of the kernels: the structs and constants that they share with the host,
//! one pass type for each kernel, and the table of all variants.
//!
//! The generated items have the types of `src/kernel.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};

use crate::expand::Origin;
use crate::reflect::{BufferUse, HostStruct, Interface, ParamsUse};

/// A shader file with all its variants.
pub(crate) struct Shader {
    /// The path below `shaders/`, without the extension, such as `fbt/trim`.
    pub(crate) name: String,
    pub(crate) docs: Vec<String>,
    pub(crate) flags: Vec<String>,
    pub(crate) is_checked_in_debug: bool,
    /// Variant `i` has flag `k` on where bit `k` of `i` is set.
    pub(crate) variants: Vec<Variant>,
}

/// One variant.
pub(crate) struct Variant {
    pub(crate) name: String,
    pub(crate) source: String,
    /// The origins of the lines of `source` (`Expanded::stretches`).
    pub(crate) stretches: Vec<(usize, Origin)>,
    pub(crate) interface: Interface,
    /// The lines that state what its host promises.
    pub(crate) promises: Vec<String>,
}

/// Returns the text of the generated module, or an error if the shaders contradict each other.
pub(crate) fn emit(shaders: &[Shader]) -> Result<String, String> {
    let mut text = String::new();
    structs(shaders, &mut text)?;
    let mut stages: BTreeMap<&str, String> = BTreeMap::new();
    let mut first = 0;
    for shader in shaders {
        let (stage, _) = split(&shader.name)?;
        pass(shader, first, stages.entry(stage).or_default())?;
        first += shader.variants.len();
    }
    let constants = constants(shaders)?;
    for (stage, body) in stages {
        let hidden = if stage == "test" {
            "#[doc(hidden)]\n"
        } else {
            ""
        };
        let docs = format!("The passes of `shaders/{stage}/`.");
        let constants = constants.get(stage).map_or("", String::as_str);
        write(
            &mut text,
            format_args!("{hidden}#[doc = {docs:?}]\npub mod {stage} {{\n{body}{constants}}}\n"),
        );
    }
    table(shaders, &mut text);
    Ok(text)
}

/// Returns the constants of the kernels of each stage in Rust: one by one, and in a table. A
/// constant whose value differs between kernels or variants of the stage is left out.
fn constants(shaders: &[Shader]) -> Result<BTreeMap<&str, String>, String> {
    let mut values: BTreeMap<&str, BTreeMap<&str, BTreeSet<u32>>> = BTreeMap::new();
    for shader in shaders {
        let (stage, _) = split(&shader.name)?;
        let known = values.entry(stage).or_default();
        for variant in &shader.variants {
            for (name, &value) in &variant.interface.constants {
                known.entry(name).or_default().insert(value);
            }
        }
    }
    let text = |known: BTreeMap<&str, BTreeSet<u32>>| {
        let (mut each, mut table) = (String::new(), String::new());
        for (name, values) in known {
            if let [value] = Vec::from_iter(values)[..] {
                let docs = format!("The WGSL constant `{name}`.");
                write(
                    &mut each,
                    format_args!("    #[doc = {docs:?}]\n    pub const {name}: u32 = {value};\n"),
                );
                write(&mut table, format_args!("({name:?}, {name}), "));
            }
        }
        format!(
            "{each}    /// All of these constants, by name.\n    \
             pub static CONSTANTS: &[(&str, u32)] = &[{table}];\n"
        )
    };
    let stages = values.into_iter();
    Ok(stages.map(|(stage, known)| (stage, text(known))).collect())
}

/// Splits a name: `fbt/trim` is the kernel `trim` of the stage `fbt`.
fn split(name: &str) -> Result<(&str, &str), String> {
    name.split_once('/')
        .ok_or_else(|| format!("shaders/{name}.wgsl lies in no stage's folder"))
}

/// Appends to a `String`, which cannot fail.
fn write(text: &mut String, arguments: fmt::Arguments<'_>) {
    let _ = text.write_fmt(arguments);
}

fn structs(shaders: &[Shader], text: &mut String) -> Result<(), String> {
    let mut known: BTreeMap<&str, (&HostStruct, &str)> = BTreeMap::new();
    for shader in shaders {
        for host in shader
            .variants
            .iter()
            .flat_map(|variant| &variant.interface.structs)
        {
            match known.insert(&host.name, (host, &shader.name)) {
                Some((other, name)) if other != host => {
                    let (ours, struct_name) = (&shader.name, &host.name);
                    return Err(format!(
                        "shaders {name} and {ours} declare different structs `{struct_name}`"
                    ));
                }
                _ => {}
            }
        }
    }
    for (host, _) in known.values() {
        host_struct(host, text);
    }
    Ok(())
}

fn host_struct(host: &HostStruct, text: &mut String) {
    let HostStruct {
        name,
        bytes,
        members,
    } = host;
    let docs = format!("The WGSL struct `{name}`, {bytes} bytes.");
    write(
        text,
        format_args!(
            "#[doc = {docs:?}]\n#[repr(C)]\n\
             #[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]\n\
             #[allow(missing_docs)]\npub struct {name} {{\n"
        ),
    );
    for (field, ty, _) in members {
        write(text, format_args!("    pub {field}: {},\n", ty.rust));
    }
    text.push_str("}\n");
    write(
        text,
        format_args!("const _: () = assert!(size_of::<{name}>() == {bytes});\n"),
    );
    for (field, _, offset) in members {
        write(
            text,
            format_args!(
                "const _: () = assert!(std::mem::offset_of!({name}, {field}) == {offset});\n"
            ),
        );
    }
}

/// A field of a pass: a buffer under a name that some or all variants bind.
struct Field<'a> {
    name: &'a str,
    element: &'a str,
    binding: u32,
    everywhere: bool,
}

fn fields(shader: &Shader) -> Result<Vec<Field<'_>>, String> {
    let mut by_name: BTreeMap<&str, (Field<'_>, usize)> = BTreeMap::new();
    for variant in &shader.variants {
        for buffer in &variant.interface.buffers {
            let field = Field {
                name: &buffer.name,
                element: &buffer.element.rust,
                binding: buffer.binding,
                everywhere: false,
            };
            let (known, count) = by_name.entry(&buffer.name).or_insert((field, 0));
            if known.element != buffer.element.rust || known.binding != buffer.binding {
                let (shader, name) = (&shader.name, &buffer.name);
                return Err(format!(
                    "{shader}: `{name}` changes its type or binding between variants"
                ));
            }
            *count += 1;
        }
    }
    let all = shader.variants.len();
    let mut fields: Vec<_> = by_name
        .into_values()
        .map(|(field, n)| Field {
            everywhere: n == all,
            ..field
        })
        .collect();
    fields.sort_by_key(|field| field.binding);
    Ok(fields)
}

/// The fields of the type of a pass, over all variants of its shader.
struct PassType<'a> {
    shader: &'a Shader,
    name: String,
    fields: Vec<Field<'a>>,
    /// Names, and types in Rust.
    params: BTreeSet<(&'a str, &'a str)>,
    overrides: BTreeSet<&'a str>,
}

impl<'a> PassType<'a> {
    fn of(shader: &'a Shader) -> Result<Self, String> {
        let (_, kernel) = split(&shader.name)?;
        let interfaces = || shader.variants.iter().map(|variant| &variant.interface);
        Ok(Self {
            shader,
            name: camel(kernel),
            fields: fields(shader)?,
            params: interfaces()
                .filter_map(|interface| interface.params.as_ref())
                .map(|params| (params.name.as_str(), params.ty.rust.as_str()))
                .collect(),
            overrides: interfaces()
                .flat_map(|interface| &interface.overrides)
                .map(String::as_str)
                .collect(),
        })
    }

    fn declaration(&self, text: &mut String) {
        for line in documentation(&self.shader.docs) {
            write(text, format_args!("    #[doc = {line:?}]\n"));
        }
        text.push_str("    #[derive(Clone, Copy, Debug)]\n    #[allow(missing_docs)]\n");
        write(text, format_args!("    pub struct {}<'a> {{\n", self.name));
        for field in &self.fields {
            let buffer = format!("&'a crate::Buffer<{}>", field.element);
            let buffer = match field.everywhere {
                true => buffer,
                false => format!("Option<{buffer}>"),
            };
            write(
                text,
                format_args!("        pub {}: {buffer},\n", field.name),
            );
        }
        for (name, rust) in &self.params {
            write(text, format_args!("        pub {name}: {rust},\n"));
        }
        for name in &self.overrides {
            let name = name.to_lowercase();
            write(text, format_args!("        pub {name}: u32,\n"));
        }
        for flag in &self.shader.flags {
            let flag = flag.to_lowercase();
            write(text, format_args!("        pub {flag}: bool,\n"));
        }
        text.push_str("    }\n");
    }

    /// Writes how the pass becomes a call of one of its variants, which are in the table from
    /// `first` on.
    fn implementation(&self, first: usize, text: &mut String) {
        let ty = &self.name;
        write(text, format_args!("    impl crate::Pass for {ty}<'_> {{\n"));
        text.push_str("        fn call(&self) -> crate::Call {\n");
        write(text, format_args!("            let variant = {first}"));
        for (bit, flag) in self.shader.flags.iter().enumerate() {
            let flag = flag.to_lowercase();
            write(text, format_args!(" + (usize::from(self.{flag}) << {bit})"));
        }
        text.push_str(";\n");
        text.push_str("            crate::Call::new(&super::ALL[variant])\n");
        let mut chain = |method: &str, arguments: String| {
            write(
                text,
                format_args!("                .{method}({arguments})\n"),
            );
        };
        for Field {
            name, everywhere, ..
        } in &self.fields
        {
            let given = match everywhere {
                true => format!("Some(self.{name}.erased())"),
                false => format!("self.{name}.map(crate::Buffer::erased)"),
            };
            chain("buffer", format!("{name:?}, {given}"));
        }
        for (name, _) in &self.params {
            chain("params", format!("bytemuck::bytes_of(&self.{name})"));
        }
        for name in &self.overrides {
            chain(
                "constant",
                format!("{name:?}, self.{}", name.to_lowercase()),
            );
        }
        text.push_str("        }\n    }\n");
    }
}

fn pass(shader: &Shader, first: usize, text: &mut String) -> Result<(), String> {
    let ty = PassType::of(shader)?;
    ty.declaration(text);
    ty.implementation(first, text);
    Ok(())
}

/// A shader's head as documentation: what is indented there is pseudo-code, not Rust to be tested.
fn documentation(head: &[String]) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut indented = false;
    for line in head {
        let code = line.starts_with("    ") || indented && line.is_empty();
        if code != indented {
            lines.push(if code { "```text" } else { "```" });
            indented = code;
        }
        lines.push(line);
    }
    lines.extend(indented.then_some("```"));
    lines
}

fn table(shaders: &[Shader], text: &mut String) {
    text.push_str("/// Every variant of every kernel.\npub static ALL: &[crate::Kernel] = &[\n");
    for shader in shaders {
        for variant in &shader.variants {
            kernel(shader, variant, text);
        }
    }
    text.push_str("];\n");
}

/// A row of the table.
fn kernel(shader: &Shader, variant: &Variant, text: &mut String) {
    let Interface {
        entry,
        workgroup,
        params,
        overrides,
        reads_loop,
        writes_loop,
        subgroups,
        workgroup_bytes,
        ..
    } = &variant.interface;
    let checks = match shader.is_checked_in_debug {
        true => "DEBUG",
        false => "ALWAYS",
    };
    let params = match params {
        Some(ParamsUse {
            binding, ty, words, ..
        }) => {
            let bytes = ty.bytes;
            format!(
                "Some(crate::ParamsSlot {{ binding: {binding}, bytes: {bytes}, \
                 words: &{words:?} }})"
            )
        }
        None => "None".to_owned(),
    };
    let (lines, buffers) = (lines(variant), buffers(variant));
    let (name, variant_name, source) = (&shader.name, &variant.name, &variant.source);
    let promises = &variant.promises;
    write(
        text,
        format_args!(
            "    crate::Kernel {{ name: {name:?}, variant: {variant_name:?}, entry: {entry:?}, \
             promises: &{promises:?}, \
             workgroup: {workgroup:?}, source: {source:?}, lines: &[{lines}], \
             buffers: &[{buffers}], params: {params}, constants: &{overrides:?}, \
             reads_loop: {reads_loop}, writes_loop: {writes_loop}, subgroups: {subgroups}, \
             workgroup_bytes: {workgroup_bytes}, checks: crate::Checks::{checks} }},\n"
        ),
    );
}

/// Returns the origins of the lines of a variant.
fn lines(variant: &Variant) -> String {
    let stretches = variant.stretches.iter();
    let each = stretches.map(|(first, Origin { file, line })| {
        format!("crate::Lines {{ first: {first}, file: {file:?}, line: {line} }}, ")
    });
    each.collect()
}

/// The storage buffers of a variant.
fn buffers(variant: &Variant) -> String {
    let buffers = variant.interface.buffers.iter();
    let each = buffers.map(|buffer| {
        let BufferUse {
            name,
            binding,
            writes,
            element,
        } = buffer;
        let bytes = element.bytes;
        format!(
            "crate::BufferSlot {{ name: {name:?}, binding: {binding}, writes: {writes}, \
             element_bytes: {bytes} }}, "
        )
    });
    each.collect()
}

/// Converts a name to that of a type: `bfs_level` becomes `BfsLevel`.
fn camel(kernel: &str) -> String {
    let words = kernel.split('_').map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_uppercase() + rest
    });
    words.collect()
}

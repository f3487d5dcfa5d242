//! The properties of a kernel that a host must know, read from its WGSL by naga: entry point,
//! workgroup size, bindings, constants, and the structs that it shares with the host.
//!
//! This module reads no files. The origins of lines that the expander stores locate errors.

use std::collections::BTreeMap;
use std::error::Error as _;

use naga::valid::{Capabilities, GlobalUse, ModuleInfo, ValidationFlags, Validator};
use naga::{
    AddressSpace, Expression, Handle, Literal, Module, ScalarKind, ShaderStage, StorageAccess,
    Type, TypeInner,
};

use crate::expand::{Expanded, Origin, ShaderError};

/// The group of the buffers and the parameters.
const OWN_GROUP: u32 = 0;
/// The group of the loop records (`shaders/lib/loop.wgsl`).
const LOOP_GROUP: u32 = 1;

/// WebGPU rounds the size of each variable in workgroup memory up to a multiple of this.
const WORKGROUP_ALIGNMENT: u32 = 16;

/// The interface between a variant and its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Interface {
    pub(crate) entry: String,
    pub(crate) workgroup: [u32; 3],
    pub(crate) buffers: Vec<BufferUse>,
    pub(crate) params: Option<ParamsUse>,
    /// The names of the `override` constants, all of type `u32`.
    pub(crate) overrides: Vec<String>,
    pub(crate) reads_loop: bool,
    pub(crate) writes_loop: bool,
    pub(crate) subgroups: bool,
    /// The size of its variables in workgroup memory, as WebGPU counts it, in bytes.
    pub(crate) workgroup_bytes: u32,
    pub(crate) structs: Vec<HostStruct>,
    /// The `const` declarations of type `u32`, by name.
    pub(crate) constants: BTreeMap<String, u32>,
}

/// A storage binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BufferUse {
    pub(crate) name: String,
    pub(crate) binding: u32,
    pub(crate) writes: bool,
    pub(crate) element: HostType,
}

/// The uniform binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParamsUse {
    pub(crate) name: String,
    pub(crate) binding: u32,
    pub(crate) ty: HostType,
    /// Its members that are words, with their byte offsets.
    pub(crate) words: Vec<(String, u32)>,
}

/// A type with the same bytes on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostType {
    /// As Rust writes it.
    pub(crate) rust: String,
    pub(crate) bytes: u32,
}

/// A struct that is generated for the host; it has no padding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostStruct {
    pub(crate) name: String,
    pub(crate) bytes: u32,
    /// Name, type and offset.
    pub(crate) members: Vec<(String, HostType, u32)>,
}

/// Parses and validates a variant, and reads its interface.
pub(crate) fn reflect(expanded: &Expanded, variant: &str) -> Result<Interface, ShaderError> {
    let fail = |line: usize, message: String| ShaderError {
        origin: origin(expanded, line),
        variant: variant.to_owned(),
        message,
    };
    let module = naga::front::wgsl::parse_str(&expanded.text).map_err(|error| {
        let line = error
            .location(&expanded.text)
            .map_or(1, |at| at.line_number as usize);
        fail(line, error.message().to_owned())
    })?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::SUBGROUP)
        .validate(&module)
        .map_err(|error| {
            let spans: Vec<_> = error.spans().collect();
            let line = spans.last().map_or(1, |(span, _)| {
                span.location(&expanded.text).line_number as usize
            });
            fail(line, chain(error.as_inner()))
        })?;
    let mut reader = Reader {
        module: &module,
        info: &info,
        structs: Vec::new(),
    };
    reader
        .interface(&expanded.text)
        .map_err(|(line, message)| fail(line, message))
}

fn origin(expanded: &Expanded, line: usize) -> Origin {
    let last = expanded.origins.len().saturating_sub(1);
    let nowhere = Origin {
        file: "?".to_owned(),
        line,
    };
    expanded
        .origins
        .get((line - 1).min(last))
        .cloned()
        .unwrap_or(nowhere)
}

/// Returns an error and all of its causes, in one line.
fn chain(error: &naga::valid::ValidationError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    text
}

struct Reader<'a> {
    module: &'a Module,
    info: &'a ModuleInfo,
    structs: Vec<HostStruct>,
}

impl Reader<'_> {
    /// Returns the interface of the kernel, or an error and the line of `text` where it is.
    fn interface(&mut self, text: &str) -> Result<Interface, (usize, String)> {
        let entry = self.entry().map_err(|message| (1, message))?;
        let mut interface = Interface {
            entry: entry.name.clone(),
            workgroup: entry.workgroup_size,
            buffers: Vec::new(),
            params: None,
            overrides: self.overrides().map_err(|message| (1, message))?,
            reads_loop: false,
            writes_loop: false,
            subgroups: text.contains("subgroup"),
            workgroup_bytes: 0,
            structs: Vec::new(),
            constants: self.constants(),
        };
        for (handle, variable) in self.module.global_variables.iter() {
            // A declaration that comes from an import, and is not used, does not concern the host.
            if self.info.get_entry_point(0)[handle] == GlobalUse::empty() {
                continue;
            }
            if let Some(place) = variable.binding {
                let span = self.module.global_variables.get_span(handle);
                let line = span.location(text).line_number as usize;
                self.binding(variable, place, &mut interface)
                    .map_err(|message| (line, message))?;
            } else if variable.space == AddressSpace::WorkGroup {
                let bytes = self.module.types[variable.ty]
                    .inner
                    .size(self.module.to_ctx());
                interface.workgroup_bytes += bytes.next_multiple_of(WORKGROUP_ALIGNMENT);
            }
        }
        interface.buffers.sort_by_key(|buffer| buffer.binding);
        interface.structs = std::mem::take(&mut self.structs);
        Ok(interface)
    }

    /// The entry point.
    fn entry(&self) -> Result<&naga::EntryPoint, String> {
        let [entry] = self.module.entry_points.as_slice() else {
            let count = self.module.entry_points.len();
            return Err(format!(
                "a kernel has one entry point, this one has {count}"
            ));
        };
        if entry.stage != ShaderStage::Compute {
            return Err("the entry point is not a compute shader".to_owned());
        }
        let sizes = entry.workgroup_size_overrides;
        if sizes.is_some_and(|sizes| sizes.iter().any(Option::is_some)) {
            return Err("the workgroup size must be a literal".to_owned());
        }
        Ok(entry)
    }

    fn binding(
        &mut self,
        variable: &naga::GlobalVariable,
        place: naga::ResourceBinding,
        interface: &mut Interface,
    ) -> Result<(), String> {
        let name = variable.name.clone().unwrap_or_default();
        match (place.group, variable.space) {
            (LOOP_GROUP, AddressSpace::Storage { access }) => {
                match access.contains(StorageAccess::STORE) {
                    true => interface.writes_loop = true,
                    false => interface.reads_loop = true,
                }
            }
            (OWN_GROUP, AddressSpace::Storage { access }) => {
                let writes = access.contains(StorageAccess::STORE);
                let element = self
                    .element(variable.ty)
                    .map_err(|why| format!("`{name}`: {why}"))?;
                interface.buffers.push(BufferUse {
                    name,
                    binding: place.binding,
                    writes,
                    element,
                });
            }
            (OWN_GROUP, AddressSpace::Uniform) if interface.params.is_none() => {
                let ty = self
                    .host_type(variable.ty)
                    .map_err(|why| format!("`{name}`: {why}"))?;
                interface.params = Some(ParamsUse {
                    name,
                    binding: place.binding,
                    ty,
                    words: self.words(variable.ty),
                });
            }
            (OWN_GROUP, AddressSpace::Uniform) => {
                return Err(format!("`{name}` is a second uniform"));
            }
            (group, _) => return Err(format!("`{name}`: group {group} is not ours to bind")),
        }
        Ok(())
    }

    /// The members of a struct that are words, with their byte offsets.
    fn words(&self, ty: Handle<Type>) -> Vec<(String, u32)> {
        let TypeInner::Struct { members, .. } = &self.module.types[ty].inner else {
            return Vec::new();
        };
        let is_word = |ty: Handle<Type>| {
            let inner = &self.module.types[ty].inner;
            matches!(inner, TypeInner::Scalar(scalar) if scalar.kind == ScalarKind::Uint)
        };
        let words = members.iter().filter(|member| is_word(member.ty));
        words
            .filter_map(|member| Some((member.name.clone()?, member.offset)))
            .collect()
    }

    fn constants(&self) -> BTreeMap<String, u32> {
        let constants = self.module.constants.iter();
        let value = |constant: &naga::Constant| match self.module.global_expressions[constant.init]
        {
            Expression::Literal(Literal::U32(value)) => Some((constant.name.clone()?, value)),
            _ => None,
        };
        constants
            .filter_map(|(_, constant)| value(constant))
            .collect()
    }

    fn overrides(&self) -> Result<Vec<String>, String> {
        let each = self.module.overrides.iter().map(|(_, constant)| {
            let name = constant.name.clone().unwrap_or_default();
            match self.module.types[constant.ty].inner {
                TypeInner::Scalar(scalar) if scalar == naga::Scalar::U32 => Ok(name),
                _ => Err(format!("the override `{name}` is not a u32")),
            }
        });
        each.collect()
    }

    /// The type of an element of a storage binding: the element of its array, or the type itself.
    fn element(&mut self, ty: Handle<Type>) -> Result<HostType, String> {
        match self.module.types[ty].inner {
            TypeInner::Array { base, stride, .. } => self.packed(base, stride),
            _ => self.host_type(ty),
        }
    }

    /// The type of the elements of an array that begin this many bytes apart. There is an error if
    /// the array has padding between them.
    fn packed(&mut self, base: Handle<Type>, stride: u32) -> Result<HostType, String> {
        let element = self.host_type(base)?;
        match element.bytes == stride {
            true => Ok(element),
            false => Err(format!(
                "elements of {} bytes lie {stride} bytes apart",
                element.bytes
            )),
        }
    }

    /// The type of the host with the same bytes.
    fn host_type(&mut self, ty: Handle<Type>) -> Result<HostType, String> {
        let of = |rust: &str, bytes: u32| HostType {
            rust: rust.to_owned(),
            bytes,
        };
        match &self.module.types[ty].inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => {
                match (scalar.kind, scalar.width) {
                    (ScalarKind::Uint, 4) => Ok(of("u32", 4)),
                    (ScalarKind::Sint, 4) => Ok(of("i32", 4)),
                    (ScalarKind::Float, 4) => Ok(of("f32", 4)),
                    other => Err(format!("no host type for the scalar {other:?}")),
                }
            }
            TypeInner::Vector { size, scalar } if scalar.width == 4 => {
                let element = match scalar.kind {
                    ScalarKind::Uint => "u32",
                    ScalarKind::Sint => "i32",
                    ScalarKind::Float => "f32",
                    other => return Err(format!("no host type for a vector of {other:?}")),
                };
                let lanes = *size as u32;
                Ok(of(&format!("[{element}; {lanes}]"), 4 * lanes))
            }
            TypeInner::Array {
                base,
                size: naga::ArraySize::Constant(length),
                stride,
            } => {
                let (length, stride) = (length.get(), *stride);
                let rust = format!("[{}; {length}]", self.packed(*base, stride)?.rust);
                Ok(of(&rust, stride * length))
            }
            TypeInner::Struct { members, span } => self.host_struct(ty, members, *span),
            other => Err(format!("no host type for {other:?}")),
        }
    }

    /// As [`Self::host_type`], for a struct, which is noted to be generated.
    fn host_struct(
        &mut self,
        ty: Handle<Type>,
        members: &[naga::StructMember],
        span: u32,
    ) -> Result<HostType, String> {
        let name = self.module.types[ty]
            .name
            .clone()
            .ok_or("a struct without a name")?;
        let mut end = 0;
        let mut fields = Vec::new();
        for member in members {
            let field = member.name.clone().ok_or("a member without a name")?;
            let host = self.host_type(member.ty)?;
            if member.offset != end {
                return Err(format!(
                    "{name} has padding before `{field}`; name it, so that the host sees it"
                ));
            }
            end += host.bytes;
            fields.push((field, host, member.offset));
        }
        if end != span {
            return Err(format!(
                "{name} is padded at its end to {span} bytes; name the padding"
            ));
        }
        let host = HostType {
            rust: format!("crate::kernels::{name}"),
            bytes: span,
        };
        let known = HostStruct {
            name,
            bytes: span,
            members: fields,
        };
        if !self.structs.contains(&known) {
            self.structs.push(known);
        }
        Ok(host)
    }
}

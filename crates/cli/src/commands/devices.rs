//! `maxend devices`: lists the adapters on which a decomposition may run, best first.

use crate::args::{DevicesArgs, DevicesFormat};
use crate::error::Error;
use crate::output;
use decompose::gpu::{FbtOptions, can_search, can_search_worklist};
use gpu::{AdapterInfo, AdapterKind};
use mdp_graph::ComponentKind;
use report::{counted, grouped};
use serde::Serialize;
use std::io::{self, Write};

/// The version of the JSON schema.
const SCHEMA_VERSION: u32 = 1;

pub(crate) fn run(args: &DevicesArgs) -> Result<(), Error> {
    let adapters = gpu::adapters();
    if adapters.is_empty() {
        tracing::warn!("there is no adapter: everything runs on the CPU");
    }
    output::write(None, |out| match args.format {
        DevicesFormat::Text => write_text(out, &adapters),
        DevicesFormat::Json => write_json(out, &adapters),
    })
}

/// Writes a paragraph for each adapter.
fn write_text(out: &mut dyn Write, adapters: &[AdapterInfo]) -> io::Result<()> {
    for (i, info) in adapters.iter().enumerate() {
        if i > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", info.name)?;
        writeln!(out, "  {:<16}  {i}", "number")?;
        for (name, value) in rows(info) {
            writeln!(out, "  {name:<16}  {value}")?;
        }
    }
    Ok(())
}

fn rows(info: &AdapterInfo) -> [(&'static str, String); 12] {
    let limits = &info.limits;
    let (smallest, largest) = info.subgroup_sizes;
    let yes_no = |yes| if yes { "yes" } else { "no" }.to_owned();
    [
        ("kind", info.kind.to_string()),
        ("backend", info.backend.clone()),
        ("driver", info.driver.clone()),
        ("binding", size(limits.max_binding_bytes)),
        ("buffer", size(limits.max_buffer_bytes)),
        ("workgroup memory", size(limits.max_workgroup_bytes.into())),
        ("storage buffers", limits.max_bindings.to_string()),
        ("subgroup sizes", format!("{smallest} to {largest}")),
        ("subgroups", yes_no(info.subgroups)),
        ("timestamps", yes_no(info.timestamps)),
        ("finds SCCs", finds(info, ComponentKind::Scc)),
        ("finds MECs", finds(info, ComponentKind::Mec)),
    ]
}

/// Says which engine runs a search without options, or why none can.
fn finds(info: &AdapterInfo, kind: ComponentKind) -> String {
    let Err(missing) = can_search_worklist(info, kind) else {
        return "yes".to_owned();
    };
    match can_search(info, kind, &FbtOptions::default()) {
        Ok(()) => format!("yes, but only by the slower `--search fbt`: {missing}"),
        Err(error) => format!("no: {error}"),
    }
}

/// Formats a number of bytes, followed by the same amount in the largest unit below it.
fn size(bytes: u64) -> String {
    let number = counted(bytes, "byte", "bytes");
    let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
    match units.iter().find(|&&(shift, _)| bytes >> shift > 0) {
        Some((shift, unit)) => {
            let scaled = bytes as f64 / (1_u64 << shift) as f64;
            match scaled < 10_000.0 {
                true => format!("{number} ({scaled:.1} {unit})"),
                false => format!("{number} ({} {unit})", grouped(scaled as u64)),
            }
        }
        None => number,
    }
}

/// The document that `--format json` prints; docs/formats.md explains it.
#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    schema_version: u32,
    adapters: Vec<Adapter<'a>>,
}

#[derive(Serialize)]
struct Adapter<'a> {
    name: &'a str,
    kind: &'static str,
    backend: &'a str,
    driver: &'a str,
    max_binding_bytes: u64,
    max_buffer_bytes: u64,
    max_workgroup_bytes: u32,
    max_storage_buffers: u32,
    subgroup_sizes: [u32; 2],
    subgroups: bool,
    timestamps: bool,
}

impl<'a> From<&'a AdapterInfo> for Adapter<'a> {
    fn from(info: &'a AdapterInfo) -> Self {
        Self {
            name: &info.name,
            kind: kind(info.kind),
            backend: &info.backend,
            driver: &info.driver,
            max_binding_bytes: info.limits.max_binding_bytes,
            max_buffer_bytes: info.limits.max_buffer_bytes,
            max_workgroup_bytes: info.limits.max_workgroup_bytes,
            max_storage_buffers: info.limits.max_bindings,
            subgroup_sizes: info.subgroup_sizes.into(),
            subgroups: info.subgroups,
            timestamps: info.timestamps,
        }
    }
}

fn write_json(out: &mut dyn Write, adapters: &[AdapterInfo]) -> io::Result<()> {
    let document = Document {
        schema: "maxend-devices",
        schema_version: SCHEMA_VERSION,
        adapters: adapters.iter().map(Adapter::from).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

/// Returns the kind of an adapter as one word, for programs.
fn kind(kind: AdapterKind) -> &'static str {
    match kind {
        AdapterKind::Discrete => "discrete",
        AdapterKind::Integrated => "integrated",
        AdapterKind::Virtual => "virtual",
        AdapterKind::Other => "other",
        AdapterKind::Software => "software",
    }
}

#[cfg(test)]
mod tests;

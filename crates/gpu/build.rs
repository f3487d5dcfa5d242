//! Turns `shaders/` into the module `kernels`. Every variant of every shader is expanded, validated
//! by naga, and written with everything that a host must know to run it. An invalid shader fails
//! the build, with its file, line and variant.

// These modules are also compiled into a test, which uses items that this script does not use.
#[path = "build/emit.rs"]
mod emit;
#[path = "build/expand.rs"]
mod expand;
#[path = "build/promises.rs"]
mod promises;
#[path = "build/reflect.rs"]
mod reflect;

use std::path::{Path, PathBuf};
use std::{env, fs, process};

fn main() {
    // The published package contains the shaders. In the repository, this folder is a link, if the
    // system supports links.
    let package = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let folders = ["shaders", "../../shaders"].map(|folder| package.join(folder));
    let [own, shared] = folders;
    let shaders = if own.is_dir() { own } else { shared };
    println!("cargo::rerun-if-changed={}", shaders.display());
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src/promise.rs");
    let written = build(&shaders).and_then(|text| {
        let path = Path::new(&variable("OUT_DIR")).join("kernels.rs");
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    });
    if let Err(message) = written {
        println!("cargo::error={message}");
        process::exit(1);
    }
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

fn build(root: &Path) -> Result<String, String> {
    let mut shaders = Vec::new();
    for stage in sorted(root)?
        .into_iter()
        .filter(|path| path.is_dir() && !path.ends_with("lib"))
    {
        for path in sorted(&stage)?
            .into_iter()
            .filter(|path| path.extension().is_some_and(|e| e == "wgsl"))
        {
            let file = path
                .strip_prefix(root)
                .unwrap_or(&path)
                .to_string_lossy()
                .replace('\\', "/");
            shaders.push(shader(root, &file)?);
        }
    }
    emit::emit(&shaders)
}

/// Returns the entries of a folder, sorted by name, because the build must not depend on the order
/// of the file system.
fn sorted(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let describe = |error| format!("{}: {error}", folder.display());
    let entries: Result<Vec<_>, _> = fs::read_dir(folder).map_err(describe)?.collect();
    let mut paths: Vec<PathBuf> = entries
        .map_err(describe)?
        .into_iter()
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    Ok(paths)
}

fn shader(root: &Path, file: &str) -> Result<emit::Shader, String> {
    let read = |path: &str| fs::read_to_string(root.join(path)).ok();
    let expand::Head {
        docs,
        flags,
        is_checked_in_debug,
    } = expand::head(&read(file).unwrap_or_default());
    let variants = (0..1_usize << flags.len()).map(|bits| {
        let on = |k: &usize| bits >> k & 1 == 1;
        let on: Vec<String> = (0..flags.len())
            .filter(on)
            .map(|k| flags[k].clone())
            .collect();
        let expanded = expand::expand(&read, file, &on)?;
        let name = expand::variant_name(&on);
        let interface = reflect::reflect(&expanded, &name)?;
        Ok(emit::Variant {
            promises: promises::read(&expanded, &name, &interface)?,
            name,
            stretches: expanded.stretches(),
            source: expanded.text,
            interface,
        })
    });
    let variants = variants
        .collect::<Result<_, expand::ShaderError>>()
        .map_err(|error| error.to_string())?;
    let name = file.strip_suffix(".wgsl").unwrap_or(file).to_owned();
    Ok(emit::Shader {
        name,
        docs,
        flags,
        is_checked_in_debug,
        variants,
    })
}

//! Reads the lines of a kernel that state what its host promises, and checks that they make sense.

// A host uses more of this module.
#[allow(dead_code, unreachable_pub)]
#[path = "../src/promise.rs"]
mod promise;

use crate::expand::{Expanded, ShaderError};
use crate::reflect::Interface;

/// The promises of a variant, as lines.
pub(crate) fn read(
    expanded: &Expanded,
    variant: &str,
    interface: &Interface,
) -> Result<Vec<String>, ShaderError> {
    let mut lines = Vec::new();
    for (line, origin) in expanded.text.lines().zip(&expanded.origins) {
        let fail = |message: String| ShaderError {
            origin: origin.clone(),
            variant: variant.to_owned(),
            message,
        };
        let Some(promise) = promise::Promise::read(line) else {
            continue;
        };
        let promise = promise.map_err(fail)?;
        let buffers = interface.buffers.iter().map(|buffer| &buffer.name);
        let bound: Vec<_> = buffers
            .chain(interface.params.iter().map(|params| &params.name))
            .collect();
        let is_bound = |name: &_| bound.iter().any(|one| one == name);
        if let Some(name) = promise.names().into_iter().find(|name| !is_bound(name)) {
            return Err(fail(format!("`{name}` is not bound by this variant")));
        }
        lines.push(line.trim().to_owned());
    }
    Ok(lines)
}

//! Tells the linker on macOS that undefined symbols of a Python module are resolved by Python
//! itself.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}

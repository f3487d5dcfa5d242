//! Prints the adapters of this machine, best first.
#![allow(clippy::print_stdout, reason = "it is what the example is for")]

fn main() {
    let adapters = gpu::adapters();
    if adapters.is_empty() {
        println!("no adapter");
    }
    for info in adapters {
        let gpu::Limits {
            max_binding_bytes,
            max_buffer_bytes,
            max_bindings,
            ..
        } = info.limits;
        println!("{info}");
        println!("  driver      {}", info.driver);
        println!(
            "  subgroups   {} to {}",
            info.subgroup_sizes.0, info.subgroup_sizes.1
        );
        println!("  timestamps  {}", info.timestamps);
        println!("  a binding   {max_binding_bytes} bytes, {max_bindings} a kernel");
        println!("  a buffer    {max_buffer_bytes} bytes");
    }
}

//! The header is what cbindgen makes of the source.

use std::path::Path;
use std::{env, fs};

#[test]
fn the_header_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config =
        cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("it is well formed");
    let mut builder = cbindgen::Builder::new().with_config(config);
    for file in ["version", "error", "run", "graph", "model", "components"] {
        builder = builder.with_src(root.join(format!("src/{file}.rs")));
    }
    let mut made = Vec::new();
    builder
        .generate()
        .expect("the source is plain enough")
        .write(&mut made);
    let made = String::from_utf8(made).expect("the header is text");
    let file = root.join("include/maxend.h");
    if env::var_os("MAXEND_HEADER").is_some() {
        fs::write(&file, &made).expect("the header can be written");
    }
    let kept = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        made == kept,
        "include/maxend.h is out of date: MAXEND_HEADER=1 with this test writes it anew"
    );
    assert!(
        !made.contains("Fault") && made.contains("maxend_decompose("),
        "{made}"
    );
}

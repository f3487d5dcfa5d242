//! Partially observable models: observations are checked and kept, whatever the format.

use crate::common::{maxend, tests};
use std::fmt::Write as _;
use std::fs;

/// Runs `maxend` with arguments in which `@x` is the file `x` of a folder.
fn run(folder: &tempfile::TempDir, args: &str) -> String {
    let folder = format!("{}/", folder.path().display());
    maxend(&args.replace('@', &folder)).result()
}

#[test]
fn a_pomdp_is_built_as_prism_writes_it() {
    let folder = tempfile::tempdir().unwrap();
    run(&folder, "build -q good/maze.prism -o @maze.tra");
    let mut all = String::new();
    for ending in ["tra", "sta", "obs", "lab"] {
        let text = fs::read_to_string(folder.path().join("maze").with_extension(ending)).unwrap();
        writeln!(all, "{text}").unwrap();
    }
    insta::assert_snapshot!(all);
}

#[test]
fn observations_are_kept_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let text = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    run(&folder, "build -q good/maze.prism -o @maze.tra");
    run(&folder, "build -q good/maze.prism -o @maze.umb");
    run(&folder, "convert -q @maze.tra @there.umb");
    run(&folder, "convert -q @maze.tra @copy.tra --to prism");
    for (from, to) in [("maze.umb", "back"), ("there.umb", "again")] {
        run(&folder, &format!("convert -q @{from} @{to}.tra --to prism"));
    }
    for ending in ["tra", "obs"] {
        let original = text(&format!("maze.{ending}"));
        for copy in ["copy", "back", "again"] {
            assert_eq!(
                text(&format!("{copy}.{ending}")),
                original,
                "{copy}.{ending}"
            );
        }
    }
    let source = tests().join("good/maze.prism").display().to_string();
    for model in [&source, "@maze.tra", "@maze.umb", "@again.tra"] {
        let info = run(&folder, &format!("info {model}"));
        let row = |name: &str| info.lines().find(|line| line.starts_with(name)).unwrap();
        assert!(row("type").ends_with(" POMDP"), "{info}");
        assert!(row("observations").ends_with(" 3"), "{info}");
        let json = run(&folder, &format!("decompose -q {model} --format json"));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["model"]["type"], "pomdp");
        assert_eq!(json["model"]["observations"], 3);
        // The graph is that of the MDP: the cells are one end component, the start is in none.
        assert_eq!(json["decomposition"]["components"], 1, "{model}");
        assert_eq!(json["components"][0]["size"], 3, "{model}");
    }
}

#[test]
fn real_values_of_observables_are_left_out_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let text = "pomdp observables x endobservables observable \"half\" = x/2; \
        module m x : [0..1]; [a] true -> (x'=1-x); endmodule";
    let source = folder.path().join("half.prism");
    fs::write(&source, text).unwrap();
    let source = source.display();
    for ending in ["tra", "umb"] {
        let out = folder.path().join(format!("half.{ending}"));
        let built = maxend(&format!("build {source} -o {}", out.display()));
        let warning =
            "warning: left out: the values of the observable `half`, which are real numbers\n";
        assert!(built.stderr.contains(warning), "{}", built.stderr);
    }
    let values = fs::read_to_string(folder.path().join("half.obs")).unwrap();
    assert_eq!(values, "# Observations\n(x)\n0:(0)\n1:(1)\n");
}

#[test]
fn storms_dialect_cannot_hold_observations() {
    let refused = maxend("build -q good/maze.prism -o - --to storm");
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""));
    insta::assert_snapshot!(refused.stderr);
}

#[test]
fn a_quotient_is_fully_observable() {
    let folder = tempfile::tempdir().unwrap();
    run(&folder, "quotient -q good/maze.prism -o @quotient.tra");
    let text = fs::read_to_string(folder.path().join("quotient.tra")).unwrap();
    assert!(text.starts_with("# Transitions (MDP)\n2 "), "{text}");
}

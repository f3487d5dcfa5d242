//! Results contain the constants to which the command line gave values.

use crate::common::maxend;

#[test]
fn every_json_document_has_the_constants() {
    let model = "../../../fixtures/clients.prism -c EDITORS=1,READERS=2";
    let commands = [
        "decompose",
        "bfs",
        "components --of 0",
        "cycle-mean",
        "long-run",
        "cluster --local-processes 2 -- decompose",
    ];
    for command in commands {
        let run = maxend(&format!("-q {command} {model} --format json"));
        let document: serde_json::Value = serde_json::from_str(&run.result()).unwrap();
        let constants = &document["model"]["constants"];
        assert_eq!(constants["EDITORS"], 1, "{command}");
        assert_eq!(constants["READERS"], 2, "{command}");
    }
    for command in [commands[0], commands[5]] {
        let text = maxend(&format!("-q {command} {model}")).result();
        let names_them =
            |line: &str| line.starts_with("constants ") && line.ends_with(" EDITORS=1,READERS=2");
        assert!(text.lines().any(names_them), "{command}: {text}");
    }
}

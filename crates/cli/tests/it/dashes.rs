//! Names of files that begin with a dash.

use crate::common::{Folder, command, outcome};
use std::fmt::Write as _;
use std::fs;

#[test]
fn the_tip_names_the_file() {
    let folder = Folder::new();
    for name in ["-dash.tra", "-c.tra", "--dash.tra", "-q\u{7}d.tra"] {
        fs::write(folder.path(name), "1 1 1\n0 0 0 1\n").expect("room for a small file");
    }
    let mut all = String::new();
    for words in [
        &["decompose", "-dash.tra"][..],
        &["decompose", "-c.tra"],
        &["decompose", "--dash.tra"],
        &["decompose", "-q\u{7}d.tra"],
        &["decompose", "-device", "cpu"],
        &["decompose", "-dash.tra.gz"],
        &["decompose", "-y"],
        &["decompose", "x.tra", "-c", "N"],
        &[
            "cluster",
            "--local-processes",
            "2",
            "--",
            "decompose",
            "-dash.tra",
        ],
    ] {
        let mut command = command();
        let run = outcome(command.current_dir(folder.path("")).args(words));
        assert_eq!((run.code, &*run.stdout), (Some(2), ""), "{words:?}");
        writeln!(
            all,
            "$ maxend {}\n{}",
            words.join(" ").escape_debug(),
            run.stderr
        )
        .expect("strings grow");
    }
    insta::assert_snapshot!("dashes", all);
    let mut command = command();
    let run = outcome(command.current_dir(folder.path("")).args([
        "decompose",
        "-f",
        "labels",
        "./-dash.tra",
    ]));
    assert_eq!(run.result(), "0\n");
}

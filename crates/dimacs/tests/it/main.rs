//! The reader from outside: what it accepts, and the words of each error.

use dimacs::{Arc, ErrorKind, Graph, read};
use proptest::prelude::*;
use std::sync::atomic::AtomicBool;

#[test]
fn blanks_comments_and_line_ends_do_not_matter() {
    let text = b"c one\r\n\ncomment\n  p  sp\t3 2 \r\n a 3 1 +4\nc\na 1 1 -9223372036854775808";
    let arc = |source, target, weight| Arc {
        source,
        target,
        weight,
    };
    let graph = read(text, None).expect("a graph");
    assert_eq!(graph.num_vertices, 3);
    assert_eq!(graph.arcs, [arc(2, 0, 4), arc(0, 0, i64::MIN)]);
    assert_eq!(read(b"p sp 0 0", None), Ok(Graph::default()));
    assert_eq!(read(b"\xef\xbb\xbfp sp 0 0", None), Ok(Graph::default()));
}

#[test]
fn every_error_is_worded() {
    let texts = [
        "",
        "a 1 2 3\n",
        "p sp 2 1\np sp 2 1\n",
        "p max 2 1\n",
        "p sp two 1\n",
        "p sp 2\n",
        "p sp -2 1\n",
        "p sp 2 1 3\n",
        "p sp 99999999999999999999 1\n",
        "p sp 4000000000 1\n",
        "p sp 2 2\na 1 2 3\n",
        "p sp 2 1\na 1 2 3\na 1 2 3\n",
        "p sp 2 1\na 0 2 3\n",
        "p sp 2 1\na 1 3 3\n",
        "p sp 2 1\na 1 2\n",
        "p sp 2 1\na 1 2 0.5\n",
        "p sp 2 1\na 1 2 9223372036854775808\n",
        "p sp 2 1\na 1 2 3 4\n",
        "p sp 2 1\ne 1 2 3\n",
        "c\0 \0",
        "c a graph\rp sp 2 1\ra 1 2 3\r",
        "BZh91AY&SY",
    ];
    let mut lines: Vec<String> = texts
        .iter()
        .map(|text| {
            let error = read(text.as_bytes(), None).expect_err("the text is wrong");
            let shown = text.escape_default().to_string().replace("\\n", "⏎");
            format!("{shown}\n    {error}")
        })
        .collect();
    let kind = dimacs::ErrorKind::OutOfMemory { bytes: 1 << 40 };
    lines.push(format!(
        "a very large file: {}",
        dimacs::Error::placeless(kind)
    ));
    insta::assert_snapshot!(lines.join("\n"));
    let stopped = read(b"p sp 0 0\n", Some(&AtomicBool::new(true))).expect_err("interrupted");
    assert_eq!(stopped.kind(), &ErrorKind::Interrupted);
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        arcs in prop::collection::vec((0..9u32, 0..9u32, any::<i64>()), 0..20),
        edits in prop::collection::vec((any::<usize>(), any::<u8>()), 0..3),
    ) {
        let mut text = format!("p sp 9 {}\n", arcs.len());
        for (source, target, weight) in &arcs {
            text += &format!("a {} {} {weight}\n", source + 1, target + 1);
        }
        let graph = read(text.as_bytes(), None).expect("a graph");
        let found: Vec<_> = graph.arcs.iter().map(|a| (a.source, a.target, a.weight)).collect();
        prop_assert_eq!(found, arcs);
        // Broken text only fails.
        let mut bytes = text.into_bytes();
        for (place, byte) in edits {
            let place = place % bytes.len();
            bytes[place] = byte;
        }
        let _ = read(&bytes, None).map_err(|error| error.to_string());
    }
}

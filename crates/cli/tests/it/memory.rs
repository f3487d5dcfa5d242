//! If memory runs out, a run ends with a message, at whatever point.
#![cfg(target_os = "linux")]

use crate::common::{Outcome, file, maxend, outcome, stairs, tests};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

/// Runs the binary in a folder with this many kilobytes of address space.
fn limited(folder: &Path, kilobytes: u64, args: &str) -> Outcome {
    let line = format!("ulimit -v {kilobytes}; exec \"$0\" $1");
    let mut shell = Command::new("sh");
    shell.args(["-c", &line, env!("CARGO_BIN_EXE_maxend"), args]);
    // Otherwise the C library tries for each allocation of a thread to reserve 128 MB of addresses.
    shell.env("MALLOC_ARENA_MAX", "1");
    outcome(shell.current_dir(folder))
}

fn archive(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// A walk whose states, graph, labels and rewards each take more than a process needs to start.
const WALK: &[u8] = b"dtmc
module m
  x : [0..150000];
  [] x<150000 -> 0.5 : (x'=x+1) + 0.5 : (x'=0);
  [] x=150000 -> (x'=0);
endmodule
label \"high\" = x>40000;
rewards \"steps\" true : 1; x>3 : x; endrewards
";

/// A state whose choices have no limit but memory: if modules synchronise, it can have more choices
/// than a computer can list, even if all of them lead to the same state.
#[test]
fn one_state_of_very_many_choices() {
    let folder = tempfile::tempdir().unwrap();
    let module =
        |i| format!("module m{i} x{i}:[0..1]; [a] true -> true; [a] true -> true; endmodule\n");
    let modules: String = (0..30).map(module).collect();
    file(&folder, "few.prism", format!("mdp\n{modules}").as_bytes());
    let kilobytes = (least(folder.path()) + 200) << 10;
    let run = |limits: &str| {
        let args = format!("info few.prism --max-states 1000 {limits}");
        let run = limited(folder.path(), kilobytes, &args);
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (Some(1), ""),
            "{}",
            run.stderr
        );
        let is_kept = |line: &&str| !line.contains("in state");
        let lines: Vec<&str> = run.stderr.lines().filter(is_kept).collect();
        without_numbers(&lines.join("\n"))
    };
    insta::assert_snapshot!(run(""), @r"
    error: few.prism: more than [N] MiB of memory are needed; found so far: [N] state[N] in [N] MiB
      = [N] % of the memory that was available at the start is the limit (see --max-memory)
      = met in one step[N] under action `a`: the state has [N] choices and [N] branches
    ");
    // With a larger limit, the system refuses.
    insta::assert_snapshot!(run("--max-memory 1T"), @r"
    error: few.prism: out of memory: [N] bytes were needed for the choices of one state; found so far: [N] state[N] in [N] MiB
      = met in one step[N] under action `a`: the state has [N] choices and [N] branches
    ");
}

/// The megabytes in which the program starts.
fn least(folder: &Path) -> u64 {
    let starts = |megabytes: &u64| limited(folder, megabytes << 10, "--version").code == Some(0);
    (20..100).step_by(2).find(starts).expect("it starts")
}

/// Runs a command with more and more memory, from hardly more than a process needs to more than the
/// model needs.
fn ends_with_a_message(folder: &Path, args: &str, least: u64) {
    ends_in_each(
        folder,
        args,
        least,
        &[2, 6, 12, 16, 20, 26, 36, 56, 86, 136, 376],
    );
}

/// Runs a command with each of these numbers of megabytes more than a process needs to start. They
/// begin with too little, and end with enough. If twice in a row there was enough, larger numbers
/// are left out: such runs take the most time, and memory does not run out in them.
fn ends_in_each(folder: &Path, args: &str, least: u64, more: &[u64]) {
    let mut codes = Vec::new();
    for more in more {
        if codes.ends_with(&[0, 0]) {
            break;
        }
        let megabytes = least + more;
        let run = limited(folder, megabytes << 10, args);
        let said = run.stderr.as_str();
        // An exploration that finds what it looks for ends with 4.
        let code = run.code.map(|code| if code == 4 { 0 } else { code });
        match code {
            Some(0) => {}
            Some(1) => assert!(
                said.starts_with("error: ") && run.stdout.is_empty(),
                "{args} in {megabytes} MB\n{said}"
            ),
            code => panic!("{args} in {megabytes} MB: {code:?}\n{said}"),
        }
        codes.extend(code);
    }
    assert!(
        codes.starts_with(&[1]) && codes.ends_with(&[0]),
        "{args}: {codes:?}"
    );
}

#[test]
fn too_little_memory_ends_with_a_message() {
    let folder = tempfile::tempdir().unwrap();
    let text = stairs(60_000);
    file(&folder, "stairs.tra", text.as_bytes());
    file(&folder, "stairs.tra.gz", &archive(text.as_bytes()));
    file(&folder, "walk.prism", WALK);
    file(&folder, "labels.umb.gz", &archive(&labelled(10_000)));
    file(&folder, "names.aut", names_in_aldebaran(100_000).as_bytes());
    file(&folder, "coins.aut", coins_in_aldebaran(50_000).as_bytes());
    file(&folder, "arcs.gr", arcs(100_000).as_bytes());
    file(&folder, "named.drn", named_in_drn(30_000).as_bytes());
    file(&folder, "wide.tra", b"1 1 1\n0 0 0 1\n");
    file(&folder, "wide.lab", wide_labels(60_000).as_bytes());
    for (name, rewards) in [("ones", "1"), ("thirds", "1/3")] {
        let rewards = equal_rewards(60_000, rewards);
        file(&folder, &format!("{name}.tra"), text.as_bytes());
        file(&folder, &format!("{name}.srew"), rewards.as_bytes());
    }
    let out = "-q --threads 2";
    let all = [
        format!("decompose {out} --device cpu --format labels stairs.tra"),
        format!("decompose {out} --device cpu --format json --choices --certify stairs.tra.gz"),
        format!(
            "decompose {out} --device cpu --components scc --search tarjan --format prism stairs.tra"
        ),
        format!("decompose {out} --device cpu walk.prism"),
        format!("convert {out} stairs.tra out.umb"),
        format!("convert {out} labels.umb.gz labels.umb"),
        format!("info {out} names.aut"),
        format!("info {out} coins.aut"),
        format!("info {out} arcs.gr"),
        format!("decompose {out} --device cpu --format prism named.drn"),
        format!("info {out} named.drn"),
        format!("info {out} wide.tra"),
        format!("info {out} thirds.tra"),
        format!("build {out} walk.prism -o out.tra"),
        format!("long-run {out} --device cpu walk.prism"),
        format!("long-run {out} --device cpu ones.tra"),
        format!("cycle-mean {out} --device cpu walk.prism --max --certify"),
        format!("explore {out} --device cpu walk.prism --certify --check livelock --find x=140000"),
    ];
    let (folder, least) = (folder.path(), least(folder.path()));
    std::thread::scope(|scope| {
        for args in &all {
            scope.spawn(move || ends_with_a_message(folder, args, least));
        }
    });
}

/// An Aldebaran file in which each transition has a label of its own.
fn names_in_aldebaran(transitions: usize) -> String {
    let line = |number| format!("({}, \"label {number}\", {})\n", number / 2, number / 3);
    let lines: String = (0..transitions).map(line).collect();
    format!("des (0, {transitions}, {transitions})\n{lines}")
}

/// An Aldebaran file with a distribution on each line, and a long one.
fn coins_in_aldebaran(transitions: usize) -> String {
    let line = |number| format!("({number}, toss, {number} 1/3 0 1/3 {})\n", number / 2);
    let lines: String = (1..transitions).map(line).collect();
    let long = " 1/100000 1".repeat(20_000);
    format!("des (0, {transitions}, {transitions})\n(0, toss, 0{long})\n{lines}")
}

/// A weighted graph.
fn arcs(arcs: usize) -> String {
    let line = |number| format!("a {number} {} {number}\n", number / 2 + 1);
    let lines: String = (1..=arcs).map(line).collect();
    format!("p sp {arcs} {arcs}\n{lines}")
}

/// A DRN file in which states have labels, rewards and values of variables.
fn named_in_drn(states: usize) -> String {
    let state = |number| {
        format!(
            "state {number} [1, 1/3] all l{number}\n//[x={number}\t& y={}]\n\taction a{number} \
             [2, 2.5]\n\t\t{number} : 1\n",
            number << 20
        )
    };
    let lines: String = (0..states).map(state).collect();
    format!(
        "@type: MDP\n@parameters\n\n@reward_models\nr s\n@nr_states\n{states}\n@nr_choices\n\
         {states}\n@model\n{lines}"
    )
}

/// A labels file with long lines.
fn wide_labels(labels: usize) -> String {
    let names: String = (0..labels)
        .map(|label| format!("{label}=\"l{label}\" "))
        .collect();
    let numbers: String = (0..labels).map(|label| format!(" {label}")).collect();
    format!("{names}\n0:{numbers}\n")
}

/// A file that gives each state this reward.
fn equal_rewards(states: usize, reward: &str) -> String {
    let lines: String = (0..states)
        .map(|state| format!("{state} {reward}\n"))
        .collect();
    format!("{states} {states}\n{lines}")
}

/// An archive of a model with one state and this many labels.
fn labelled(labels: usize) -> Vec<u8> {
    let model = umb::Model {
        initial_states: &[0],
        choice_offsets: umb::Indices::U32(&[0, 0]),
        probabilities: Some(&[]),
        ..umb::Model::new(umb::ModelType::Mdp)
    };
    let mut writer = umb::UmbWriter::new(&model).unwrap();
    for label in 0..labels {
        let name = format!("l{label}");
        let added = writer.annotate_members("aps", &name, umb::Entity::States, &[0]);
        added.unwrap();
    }
    let mut out = Vec::new();
    writer.write(&mut out, umb::Compression::None).unwrap();
    out
}

/// The labels of an archive take less memory than the archive. An index that would take more memory
/// than there is is refused before it is read.
#[test]
fn the_index_of_an_archive_takes_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = labelled(50_000);
    file(&folder, "labels.umb", &bytes);
    // What is mapped counts, too.
    let kilobytes = (least(folder.path()) << 10) + 3 * (bytes.len() as u64 >> 10);
    let run = limited(folder.path(), kilobytes, "info -q --threads 1 labels.umb");
    assert_eq!(run.code, Some(0), "{}", run.stderr);

    let bytes = labelled(0);
    let sound = umb::Umb::read(&bytes, &umb::ReadOptions::default()).unwrap();
    let mut files: Vec<(&str, &[u8])> = sound.entries().collect();
    let index = files[0].1.strip_prefix(b"{").unwrap();
    let lists = format!(
        "{{\"file-data\": {{\"parameters\": [{}0]}},",
        "[],".repeat(3_000_000)
    );
    let index = [lists.as_bytes(), index].concat();
    files[0].1 = &index;
    let mut all = Vec::new();
    let sizes = files
        .iter()
        .map(|(path, bytes)| (*path, bytes.len() as u64));
    umb::write_files(&mut all, sizes, |file, out| out.write_all(files[file].1)).unwrap();
    file(&folder, "lists.umb", &all);
    let run = limited(folder.path(), 400 << 10, "info -q --threads 1 lists.umb");
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""));
    insta::assert_snapshot!(without_numbers(&run.stderr), @"
    error: the index takes up to [N] bytes of memory: expected at most [N]
     --> lists.umb: index.json
      = half of the memory that is available is the limit
    ");
}

/// A process that is larger than `--max-memory` says is so because of the program and the model,
/// not because of the tables of the exploration.
#[test]
fn an_exploration_takes_hardly_more_memory_than_its_limit() {
    const LIMIT: u64 = 200;
    let folder = tempfile::tempdir().unwrap();
    let grid = "mdp\nmodule m\n  x : [0..4000];\n  y : [0..4000];\n  [] x<4000 -> (x'=x+1);\n  \
                [] y<4000 -> 0.5 : (y'=y+1) + 0.5 : (x'=0);\nendmodule\n";
    file(&folder, "grid.prism", grid.as_bytes());
    let mut run = Command::new(env!("CARGO_BIN_EXE_maxend"));
    let args = format!("explore -q --device cpu --threads 2 --max-memory {LIMIT}M grid.prism");
    run.args(args.split(' ')).current_dir(folder.path());
    // `cargo xtask test` sets these to save time. Users do not, and with them the C library keeps
    // more memory.
    for variable in ["MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"] {
        run.env_remove(variable);
    }
    let mut run = run.stderr(std::process::Stdio::piped()).spawn().unwrap();
    let status = format!("/proc/{}/status", run.id());
    let mut peak = 0;
    while run.try_wait().unwrap().is_none() {
        let status = std::fs::read_to_string(&status).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        peak = peak.max(kilobytes.unwrap_or(0) >> 10);
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let output = run.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("more than 200 MiB of memory are needed"),
        "{said}"
    );
    assert!((LIMIT / 2..LIMIT + 40).contains(&peak), "{peak} MiB");
}

/// The tables of averages are larger than those of the exploration before them, and than what is
/// needed for their own solution, so the memory in which they alone do not fit is looked for.
#[test]
fn too_little_memory_for_averages_ends_with_a_message() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let least = least(&fixtures);
    let options = "-q --threads 2 --device cpu";
    let machines = format!("long-run {options} machines.prism -c MACHINES=5,WORN=3");
    let clients =
        format!("cycle-mean {options} clients.prism -c EDITORS=4,READERS=3 --max --certify");
    let more: Vec<u64> = (24..56).step_by(2).chain([376]).collect();
    std::thread::scope(|scope| {
        for args in [&machines, &clients] {
            let (fixtures, more) = (&fixtures, &more);
            scope.spawn(move || ends_in_each(fixtures, args, least, more));
        }
    });
}

/// A message with its numbers left out, which depend on the machine.
fn without_numbers(text: &str) -> String {
    let is_digit = |c: char| c.is_ascii_digit() || c == ',';
    let mut parts = text.split(is_digit).filter(|part| !part.is_empty());
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + "[N]" + part)
}

#[test]
fn archives_that_exceed_the_memory_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let walk = std::fs::read(tests().join("good/walk.prism")).unwrap();
    let zipped = file(&folder, "walk.prism.gz", &archive(&walk));
    let decompose = |memory: &str| {
        let zipped = zipped.display();
        maxend(&format!(
            "decompose -q {zipped} --const N=3 --max-memory {memory}"
        ))
    };
    decompose("1M").result();
    let run = decompose("100");
    assert_eq!(run.code, Some(1));
    let folder_name = format!("{}/", folder.path().display());
    insta::assert_snapshot!(run.stderr.replace(&folder_name, ""), @"
    error: walk.prism.gz: its text has more than 100 bytes
      = --max-memory is the limit
    ");

    // Zeros, a thousand times as many as bytes of the archive.
    file(&folder, "bomb.tra.gz", &archive(&vec![b'0'; 300 << 20]));
    let run = limited(folder.path(), 400 << 10, "info -q --threads 1 bomb.tra.gz");
    assert_eq!(run.code, Some(1));
    insta::assert_snapshot!(without_numbers(&run.stderr), @"
    error: bomb.tra.gz: its text has more than [N] bytes
      = half of the memory that is available is the limit
    ");
    // The same without end, by a pipe.
    let run = limited(folder.path(), 400 << 10, "info -q --threads 1 /dev/zero");
    assert_eq!(run.code, Some(1));
    insta::assert_snapshot!(without_numbers(&run.stderr), @"
    error: /dev/zero: its text has more than [N] bytes
      = half of the memory that is available is the limit
    ");
}

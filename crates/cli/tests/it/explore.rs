//! `maxend explore`, and labelled transition systems and networks as models of the other commands.

use crate::common::{self, command, maxend, outcome, tests};
use std::fmt::Write as _;
use std::fs;

/// What a terminal shows of a command, and its exit code.
fn transcript(args: &str) -> String {
    shown(args, command().args(args.split_whitespace()))
}

fn shown(args: &str, command: &mut std::process::Command) -> String {
    let run = outcome(command);
    let mut text = format!("$ maxend {args}\n{}", run.stdout);
    for line in run.stderr.lines() {
        writeln!(text, "stderr: {line}").unwrap();
    }
    writeln!(text, "exit code {}\n", run.code.unwrap()).unwrap();
    text
}

#[test]
fn what_is_looked_for() {
    let all: String = [
        "explore ../../../fixtures/traffic_light.exp --check deadlock --find-action crossing",
        "explore ../../../fixtures/forks.exp --check deadlock --check livelock",
        "explore ../../../fixtures/forks.exp --check deadlock",
        "explore ../../../fixtures/alternating_bit.exp --check livelock",
        "explore ../../../fixtures/peterson.exp --check deadlock --threads 2",
        "explore good/turnstile.aut --find-action push",
        "explore good/turnstile.aut --find-action kick",
        "explore good/turnstile.aut --find-action ->",
        "explore good/turnstile.aut --find-action --check",
        "explore good/turnstile.aut --find-action=-",
        "bfs good/turnstile.aut --from-label -a --target -b",
        "components good/turnstile.aut --of -b",
        "explore good/blocked.exp --check deadlock",
        "explore good/strangers.exp",
        "explore good/apart.exp --check livelock",
        "explore good/walk.prism -c N=3 --find x=2 --check deadlock --check livelock",
        "explore good/walk.prism -c N=3 --find x=2 --find-action step",
        "explore good/walk.prism -c N=3 --find y=2",
        "explore good/walk.prism -c N=3 --find \"even\"",
        "explore good/walk.prism -c N=3 --find -x=-2",
        "explore good/walk.prism -c N=3 --find x=9",
        "explore good/walk.prism -c N=3 --find (x=2",
        "explore good/walk.prism -c N=3 --find x=",
        "explore good/walk.prism -c N=3 --find x",
        "explore good/walk.prism -c N=3 --find x+done=1",
        "explore good/walk.prism -c N=3 --find x=2)|(x=3",
        "explore good/walk.prism -c N=3 --find x=2|1/x=1",
        "explore good/turnstile.aut --find x=2",
        "explore good/two_states.tra",
        "explore ../../../fixtures/pipeline.exp --max-states 100",
        "explore ../../../fixtures/pipeline.exp --max-memory 1K",
        "explore ../../../fixtures/pipeline.exp --max-memory 40K",
        "explore good/turnstile.aut -c N=2",
        "explore good/turnstile.aut --type lts",
        "explore good/turnstile.aut --allow-any-sum",
        "explore good/turnstile.aut --max-states 1",
        "explore good/coin.aut",
        "explore good/walk.prism -c N=3 --certify",
        "explore good/turnstile.aut --certify --find-action push",
        "explore good/turnstile.aut --device cpu --adapter nothing",
        "explore good/turnstile.aut --iterations 3",
        "explore good/turnstile.aut --search paper --device cpu",
        "explore good/turnstile.aut --search paper --check deadlock",
        "explore good/turnstile.aut --search paper --workgroups 0",
        "explore good/turnstile.aut --search paper --iterations 0",
        "explore good/walk.prism -c N=3 --search paper",
        "explore good/coin.aut --search paper",
    ]
    .iter()
    .map(|args| transcript(args))
    .collect();
    let stable: Vec<&str> = all
        .lines()
        .filter(|line| !line.contains("found so far"))
        .collect();
    insta::assert_snapshot!(stable.join("\n"));
}

/// A network with many labels has no flood of warnings, and operators inside each other that name
/// the same label have one warning.
#[test]
fn many_remarks_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let chain = |name: &str, labels: usize| {
        let steps = (0..labels).map(|l| format!("({l}, {name}{l}, {})", l + 1));
        let steps = steps.collect::<Vec<_>>().join(" ");
        format!("des (0, {labels}, {}) {steps}", labels + 1)
    };
    let list = |text: fn(usize) -> String| (0..7).map(text).collect::<Vec<_>>().join(", ");
    let (l, k) = (chain("l", 1000), chain("k", 6));
    let vectors = list(|v| format!("l999 * a{v} -> b"));
    let gates = list(|g| format!("k{g}"));
    let mut shown = String::new();
    for (name, text) in [
        (
            "vectors",
            format!("par using {vectors} in\n  {l} || {k}\nend par"),
        ),
        (
            "gates",
            format!("par {gates} in {k} || des (0, 0, 1) end par"),
        ),
        (
            "hidden",
            format!(
                "hide {gates}, b in hide b in hide b in des (0, 0, 1) end hide end hide end hide"
            ),
        ),
    ] {
        let model = common::file(&folder, &format!("{name}.exp"), text.as_bytes());
        let run = maxend(&format!("explore {}", model.display()));
        let text = run
            .stderr
            .replace(&folder.path().display().to_string(), "FOLDER");
        writeln!(shown, "{text}").unwrap();
    }
    insta::assert_snapshot!(shown);
}

/// A program that the CPU has to explore says so once, although wider variables make it begin
/// again.
#[test]
fn the_reason_for_the_cpu_is_given_once() {
    let folder = tempfile::tempdir().unwrap();
    let text = b"mdp module m x : int init 70000; [] x<5000000000 -> (x'=x*100000); endmodule";
    let model = common::file(&folder, "wide.prism", text);
    for options in ["", " --certify"] {
        let args = format!("explore {} --device gpu{options}", model.display());
        let run = maxend(&args);
        let times = run.stderr.matches("exploring on the CPU").count();
        assert_eq!((run.code, times), (Some(0), 1), "{args}: {}", run.stderr);
    }
}

/// Models of these kinds are known before a GPU is opened.
#[test]
fn kinds_of_models_that_a_gpu_cannot_explore_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let said = [
        "mdp module m x : [0..1]; endmodule",
        "ma module m x : [0..1]; <> x=0 -> 2 : (x'=1); endmodule",
        "mdp module m x : [0..1]; [] x=0 -> [0.2,0.5] : (x'=1) + [0.5,0.8] : true; endmodule",
    ]
    .map(|text| {
        let model = common::file(&folder, "model.prism", text.as_bytes());
        maxend(&format!("explore {} --device gpu", model.display())).stderr
    });
    insta::assert_snapshot!(said.concat(), @"
    warning: a GPU cannot explore a model without commands; exploring on the CPU
    warning: a GPU cannot explore Markov automata; exploring on the CPU
    warning: a GPU cannot explore interval models; exploring on the CPU
    ");
}

#[test]
fn bad_networks() {
    let entries = fs::read_dir(tests().join("bad")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let is_lts = |name: &String| name.ends_with(".exp") || name.ends_with(".aut");
    let mut names: Vec<String> = names.filter(is_lts).collect();
    names.sort();
    let mut all = String::new();
    for name in names {
        let run = maxend(&format!("explore bad/{name}"));
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{name}");
        // Every command says the same.
        let other = maxend(&format!("decompose bad/{name} --format labels"));
        assert_eq!(
            (other.code, &other.stderr),
            (Some(1), &run.stderr),
            "{name}"
        );
        writeln!(all, "{}", run.stderr).unwrap();
    }
    insta::assert_snapshot!(all);
}

#[test]
fn other_commands_take_them_too() {
    let all: String = [
        "info good/turnstile.aut",
        "info good/coin.aut",
        "info good/blocked.exp",
        "decompose good/turnstile.aut --format prism --choices",
        "decompose good/coin.aut --format labels",
        "decompose ../../../fixtures/traffic_light.exp --format prism --choices",
        "decompose good/turnstile.aut --format dot",
        "decompose good/turnstile.aut --max-states 3",
        "build good/blocked.exp -o /dev/null/x.tra",
        "convert good/turnstile.aut - --to prism",
        "convert good/coin.aut - --to prism",
        "convert good/coin.aut - --to aut",
        "convert rewards/weights.aut - --to aut",
        "convert rewards/ring.gr - --to aut",
        "convert good/rounds.tra - --to aut",
        "convert good/rates.tra - --to aut",
        "convert good/lts.tra - --to aut",
    ]
    .iter()
    .map(|args| transcript(args))
    .collect();
    insta::assert_snapshot!(all);
}

/// Nothing but PRISM's first state is assumed; an Aldebaran file may begin elsewhere.
#[test]
fn initial_states_are_kept_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let model = common::file(&folder, "model.aut", b"des (1,2,3)\n(0,a,1)\n(1,a,2)\n");
    for (out, options) in [
        ("a.tra", "--to prism"),
        ("b.tra", "--to storm"),
        ("c.umb", ""),
        ("d.drn", "--deadlocks self-loop"),
        ("e.aut", ""),
    ] {
        let out = folder.path().join(out);
        let (model, out) = (model.display(), out.display());
        maxend(&format!("convert -q {model} {out} {options}")).result();
        let text = maxend(&format!("bfs -q {out}")).result();
        assert!(
            text.contains("sources            state 1\n"),
            "{out}: {text}"
        );
    }
    let empty = common::file(&folder, "empty.tra", b"0 0 0\n");
    let run = maxend(&format!(
        "convert {} {}",
        empty.display(),
        folder.path().join("no.aut").display()
    ));
    assert_eq!(run.code, Some(1));
    assert!(
        run.stderr.ends_with("no.aut: there is no state\n"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
}

/// Probabilities are fractions there, in numbers that readers can hold.
#[test]
fn tiny_probabilities_in_aldebaran_files() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.aut");
    let mut all = String::new();
    for tiny in ["1e-20", "3.7e-21", "1e-36", "1e-60"] {
        let text = format!("2 2 3\n0 0 0 1\n1 0 0 1\n1 0 1 {tiny}\n");
        let model = common::file(&folder, "tiny.tra", text.as_bytes());
        fs::write(&out, "before").unwrap();
        let run = maxend(&format!("convert {} {}", model.display(), out.display()));
        let said = run
            .stderr
            .replace(&folder.path().display().to_string(), ".");
        let written = fs::read_to_string(&out).unwrap();
        writeln!(
            all,
            "{tiny}: exit code {:?}\n{said}{written}",
            run.code.unwrap()
        )
        .unwrap();
        let read = maxend(&format!("info {}", out.display()));
        assert_eq!(read.code == Some(0), run.code == Some(0), "{}", read.stderr);
    }
    insta::assert_snapshot!(all);
}

/// The internal action of an LTS has two names, and is found by either.
#[test]
fn the_internal_action_is_found_by_both_names() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| common::file(&folder, name, text.as_bytes());
    file(
        "parts.aut",
        "des (0,3,3)\n(0,a,1)\n(1,\"tau\",2)\n(2,a,0)\n",
    );
    let lts = file("lts.aut", "des (0,3,3)\n(0,a,1)\n(1,tau,2)\n(2,i,0)\n");
    let network = file("net.exp", "par \"parts.aut\" || \"parts.aut\" end par\n");
    for model in [lts, network] {
        for searches in ["", "--check livelock"] {
            let find = |action: &str| {
                let model = model.display();
                maxend(&format!(
                    "explore {model} {searches} --find-action {action} --device cpu"
                ))
            };
            let (by_i, by_tau) = (find("i"), find("tau"));
            assert_eq!(
                (by_i.code, by_tau.code),
                (Some(4), Some(4)),
                "{}",
                by_tau.stderr
            );
            assert_eq!(by_tau.stdout.replace("`tau`", "`i`"), by_i.stdout);
        }
    }
}

/// States are looked for in models of every type, also in those of which more has to be known.
#[test]
fn states_are_found_in_models_of_every_type() {
    let mut searched = 0;
    for of in ["interval", "ma", "pomdp", "smg"] {
        for entry in fs::read_dir(tests().join("types").join(of)).unwrap() {
            let path = entry.unwrap().path().display().to_string();
            let whole = maxend(&format!("explore {path}"));
            if whole.code != Some(0) {
                continue;
            }
            searched += 1;
            let none = maxend(&format!("explore {path} --find false"));
            let expected = format!("{}\nno state with false\n", whole.stdout);
            assert_eq!((none.code, none.stdout), (Some(0), expected), "{path}");
            let first = maxend(&format!("explore {path} --find true"));
            let rows = "searched     1 state\n\nstate with true after 0 transitions\n  0";
            assert_eq!(first.code, Some(4), "{path}: {}", first.stderr);
            assert!(first.stdout.starts_with(rows), "{path}: {}", first.stdout);
        }
    }
    assert!(searched > 40, "{searched}");
}

/// If lower bounds leave no room for a branch, the states that only this branch leads to are no
/// states of the model. The others are numbered as if the program had no such branch.
#[test]
fn states_that_nature_cannot_reach_are_left_out() {
    let program = |more: &str| {
        format!(
            "mdp module m s : [0..5];
            [a] s=0 -> [1,1]:(s'=3){more};
            [b] s=1 -> [0.5,1]:(s'=4) + [0,1]:(s'=1);
            [c] s=3 -> [0.2,0.9]:(s'=2) + [0.1,1]:(s'=0);
            [d] s=2 -> [0.2,0.9]:(s'=5) + [0.1,1]:(s'=0);
            endmodule"
        )
    };
    let dropped = program(" + [0,0.5]:(s'=1) + [0,0.2]:(s'=2)");
    let absent = program("");
    let folder = tempfile::tempdir().unwrap();
    for options in [
        "explore --certify",
        "explore --check deadlock",
        "explore --check livelock",
        "explore --find s=1",
        "explore --find s=2",
        "explore --find-action b",
        "explore --find-action d",
        "bfs --from-label init --target deadlock",
        "decompose --format labels --certify",
        "info",
    ] {
        let [left_out, whole] = [&dropped, &absent].map(|text| {
            let model = common::file(&folder, "model.prism", text.as_bytes());
            let (command, options) = options.split_once(' ').unwrap_or((options, ""));
            let run = maxend(&format!("{command} {} {options}", model.display()));
            (run.code, common::without_times(&run.stdout))
        });
        assert_eq!(left_out, whole, "{options}");
        assert_ne!(whole.1, "", "{options}");
    }
}

/// What an exploration finds is right, on one thread and on several: its certificate is accepted.
#[test]
fn explorations_are_certified() {
    let fixtures = fs::read_dir(tests().join("../../../fixtures")).unwrap();
    let good = fs::read_dir(tests().join("good")).unwrap();
    let paths = fixtures.chain(good).map(|entry| entry.unwrap().path());
    let is_network = |path: &std::path::PathBuf| path.extension().is_some_and(|name| name == "exp");
    for path in paths.filter(is_network) {
        for threads in [1, 2] {
            let path = path.display();
            let limit = "--max-states 100000";
            let run = maxend(&format!(
                "explore {path} --certify --threads {threads} {limit}"
            ));
            let is_large = run.stderr.contains("more than 100,000 states");
            assert!(
                is_large || run.stdout.contains("certificate  accepted"),
                "{path}: {}",
                run.stderr
            );
        }
    }
    for model in [
        "walk.prism -c N=9",
        "duel.prism",
        "maze.prism",
        "queue.prism",
    ] {
        let run = maxend(&format!("decompose good/{model} --certify"));
        assert!(
            run.stdout.contains("certificate  accepted"),
            "{model}: {}",
            run.stderr
        );
        assert!(run.stdout.contains("check  "), "{model}: {}", run.stderr);
    }
}

#[test]
fn a_state_space_is_written_and_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let network = "../../../fixtures/alternating_bit.exp";
    let mut counts = Vec::new();
    for name in ["space.aut.gz", "space.umb", "space.tra"] {
        let run = maxend(&format!("explore {network} --output {}", at(name)));
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let labels = maxend(&format!("decompose {} --format labels", at(name))).result();
        assert_eq!(
            labels,
            maxend(&format!("decompose {network} --format labels")).result()
        );
        let info = maxend(&format!("info {}", at(name))).result();
        let is_count = |line: &&str| line.starts_with("states") || line.starts_with("branches");
        counts.push(
            info.lines()
                .filter(is_count)
                .map(str::to_owned)
                .collect::<Vec<_>>(),
        );
    }
    assert_eq!(counts[0], counts[1]);
    assert_eq!(counts[0], counts[2]);
    // Explored again, it has the same numbers.
    let again = maxend(&format!(
        "explore {} -o {}",
        at("space.aut.gz"),
        at("again.aut")
    ));
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    let convert = |from: &str| maxend(&format!("convert {} - --to aut", at(from))).result();
    assert_eq!(convert("space.aut.gz"), convert("again.aut"));
}

#[test]
fn no_process_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let process = folder.path().join("x.aut");
    fs::copy(tests().join("good/turnstile.aut"), &process).unwrap();
    let network = folder.path().join("net.exp");
    fs::write(&network, "par x.aut || \"x\" end par").unwrap();
    let before = fs::read(&process).unwrap();
    let (network, out) = (network.display(), process.display());
    let run = maxend(&format!("explore {network} --output {out}"));
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(
        run.stderr.contains("would replace a process of the model"),
        "{}",
        run.stderr
    );
    assert_eq!(fs::read(&process).unwrap(), before);
}

//! The binary on a GPU: Mesa's lavapipe, or the adapter that `MAXEND_ADAPTER` names. Without a GPU,
//! these tests fail in CI, and print a message and are skipped elsewhere.

#[cfg(unix)]
mod interrupts;

use crate::common::{Outcome, adapter_is_there, command, maxend, outcome};
use test_models::adapter;

/// The message while a driver takes long to compile kernels.
const COMPILING: &str = "compiling GPU kernels";

/// Runs the binary on the adapter.
fn on_gpu(args: &str) -> Outcome {
    let mut command = command();
    command.arg("decompose").args(args.split_whitespace());
    outcome(command.args(["--adapter", &adapter()]))
}

const VARIANTS: &[&str] = &[
    "",
    "--search fbt",
    "--search bfbt",
    "--segment-interval 0",
    "--cache-hops 0",
    "--no-hybrid",
    "--no-transpose",
    "--pivot plain",
    "--pivot aggregated",
    "--max-binding 1K",
    "--search bfbt --segment-interval 1 --cache-hops 1 --no-hybrid --no-transpose --pivot plain",
];

#[test]
fn every_variant_gives_the_same_labels() {
    if !adapter_is_there() {
        return;
    }
    let args = ["scc", "mec"].map(|kind| format!("good/rounds.tra -f labels --components {kind}"));
    let expected = args
        .each_ref()
        .map(|args| maxend(&format!("decompose {args} --device cpu")).result());
    // Each for one kind, by turns: the library's tests compare all of them.
    for (number, variant) in VARIANTS.iter().enumerate() {
        let run = on_gpu(&format!("{} {variant}", args[number % 2]));
        assert_eq!(run.result(), expected[number % 2], "{variant}");
    }
    let args = "good/rounds.tra --format prism --choices --certify";
    let expected = maxend(&format!("decompose {args} --device cpu")).result();
    assert_eq!(
        on_gpu(&format!("{args} --candidates join")).result(),
        expected
    );
}

#[test]
fn cycle_means_are_those_of_the_cpu() {
    if !adapter_is_there() {
        return;
    }
    for args in [
        "rewards/machine.prism -c HEAT=20 --rewards made --max",
        "rewards/machine.prism -c HEAT=20 --rewards energy --ratio",
        "rewards/costs.tra --each",
    ] {
        let on = |device: &str| -> serde_json::Value {
            let args = format!("cycle-mean -q {args} --certify --format json {device}");
            serde_json::from_str(&maxend(&args).result()).unwrap()
        };
        let (mut expected, mut found) =
            (on("--device cpu"), on(&format!("--adapter {}", adapter())));
        let device = found["problem"]["device"].as_str().unwrap().to_lowercase();
        assert!(device.contains(&adapter().to_lowercase()), "{device}");
        assert!(
            found["problem"]["work"]["doublings"].as_u64() > Some(0),
            "{found}"
        );
        let mut by_steps = on(&format!("--search paper --adapter {}", adapter()));
        assert_eq!(by_steps["problem"]["search"], "paper");
        for json in [&mut expected, &mut found, &mut by_steps] {
            json["problem"] = serde_json::Value::Null;
            json["seconds"] = serde_json::Value::Null;
        }
        assert_eq!(found, expected);
        assert_eq!(by_steps, expected);
    }
    let nothing = maxend("cycle-mean rewards/costs.tra --adapter nonsense");
    assert_eq!((nothing.code, nothing.stdout.as_str()), (Some(3), ""));
}

#[test]
fn the_device_and_its_phases_are_reported() {
    if !adapter_is_there() {
        return;
    }
    let run = on_gpu("good/rounds.tra --components scc");
    // A driver that has not kept the kernels takes its time, which is said.
    let mut said = run.stderr.lines();
    assert!(
        said.all(|line| line.contains(COMPILING)),
        "who named the adapter is not told of it: {}",
        run.stderr
    );
    let summary = run.result();
    let row = |name: &str| {
        let row = summary.lines().find(|row| row.starts_with(name));
        row.unwrap_or_else(|| panic!("no {name} in {summary}"))
    };
    assert!(
        row("device")
            .to_lowercase()
            .contains(&adapter().to_lowercase())
    );
    for phase in [
        "read",
        "build",
        "open",
        "upload",
        "decompose",
        "download",
        "total",
    ] {
        assert!(row(phase).ends_with(" s"), "{phase}");
    }

    let json = on_gpu("good/rounds.tra --components scc --format json --search bfbt").result();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let decomposition = &json["decomposition"];
    assert_eq!(decomposition["search"], "bfbt");
    assert_eq!(
        row("device").split_once("  ").unwrap().1.trim(),
        decomposition["device"]
    );
    let phases: Vec<_> = json["seconds"].as_object().unwrap().keys().collect();
    assert_eq!(
        phases.len(),
        6,
        "read, build, open, upload, decompose, download: {phases:?}"
    );
}

#[test]
fn the_search_that_ran_is_named() {
    if !adapter_is_there() {
        return;
    }
    for (options, expected) in [
        ("", "auto"),
        ("--max-binding 1M", "auto"),
        ("--pivot aggregated", "fbt"),
        ("--segment-interval 7 --no-hybrid", "fbt"),
        ("--search bfbt --pivot plain", "bfbt"),
    ] {
        let json = on_gpu(&format!("good/rounds.tra -f json {options}")).result();
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["decomposition"]["search"], expected, "{options}");
    }
}

#[test]
fn every_level_of_a_search_is_profiled_and_traced() {
    if !adapter_is_there() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace.json");
    let plain = on_gpu("good/rounds.tra --format labels").result();
    let trace = format!("--trace {}", file.display());
    let run = on_gpu(&format!(
        "good/rounds.tra --format labels --profile {trace}"
    ));
    let tables = run.stderr.clone();
    assert_eq!(run.result(), plain);

    let trace: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let of = |category: &str| -> Vec<&str> {
        let events = events.iter().filter(|event| event["cat"] == category);
        events
            .map(|event| event["name"].as_str().unwrap())
            .collect()
    };
    let phases = [
        "read",
        "build",
        "open",
        "upload",
        "decompose",
        "download",
        "measure",
        "write",
    ];
    assert_eq!(of("phase"), phases);
    let levels = of("pass");
    assert!(
        levels.contains(&"trim") && levels.contains(&"finish"),
        "{levels:?}"
    );

    let row = |name: &str| -> Vec<&str> {
        let row = tables.lines().find(|row| row.starts_with(name));
        row.unwrap_or_else(|| panic!("no {name} in {tables}"))
            .split_whitespace()
            .collect()
    };
    assert_eq!(row("pass")[1], "levels");
    let trims = levels.iter().filter(|level| **level == "trim").count();
    assert_eq!(row("trim")[1], trims.to_string());
    assert!(tables.contains("A floor is "), "{tables}");
}

#[test]
fn the_papers_engine_reports_its_kernels() {
    if !adapter_is_there() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (kind, kernel) in [("scc", "fbt/select_pivots"), ("mec", "fbt/mec_leaving")] {
        let file = folder.path().join(format!("{kind}.json"));
        let args = format!("good/rounds.tra --components {kind} --search fbt --profile --trace");
        let run = on_gpu(&format!("{args} {}", file.display()));
        let tables = run.stderr.clone();
        let counts =
            |line: &&str| line.contains("rounds: ") && line.contains(", levels of searches: ");
        assert!(tables.lines().any(|line| counts(&line)), "{tables}");
        let row = tables.lines().find(|row| row.starts_with(kernel));
        let row: Vec<&str> = row.expect(kernel).split_whitespace().collect();
        assert!(
            row[1].parse::<u64>().unwrap() > 0 && row[3] == "-",
            "{row:?}"
        );
        run.result();

        let trace: serde_json::Value =
            serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        let events = trace["traceEvents"].as_array().unwrap().iter();
        let of_kernel = events.filter(|event| event["name"] == kernel && event["cat"] == "pass");
        assert_eq!(of_kernel.count().to_string(), row[1]);
    }
}

#[test]
fn verbose_messages_are_maxends_and_not_the_drivers() {
    if !adapter_is_there() {
        return;
    }
    let run = on_gpu("-v good/rounds.tra --components scc");
    let ours = ["maxend::", "decompose::", "gpu::"];
    for line in run.stderr.lines() {
        let is_ours = ours.iter().any(|name| line.starts_with(name));
        assert!(is_ours || line.starts_with(COMPILING), "{line}");
    }
    assert!(run.stderr.contains("running on "), "{}", run.stderr);
}

#[test]
fn an_error_about_memory_names_the_needed_and_the_available_bytes() {
    if !adapter_is_there() {
        return;
    }
    for (kind, least) in [("scc", 40), ("mec", 60)] {
        let options = format!("-q good/rounds.tra --components {kind} --search fbt --max-binding");
        let run = on_gpu(&format!("{options} 1"));
        assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""));
        let numbers = format!(
            "error: --max-binding 1 is too small for this model, which needs {least} or more: some \
             edges have to be bound together\n"
        );
        assert_eq!(run.stderr, numbers);
        // No less works, and no more is needed.
        assert_eq!(on_gpu(&format!("{options} {}", least - 1)).code, Some(3));
        assert_eq!(on_gpu(&format!("{options} {least}")).code, Some(0));
    }
}

/// A network is explored on the GPU: what is printed and written is what the CPU prints and writes.
#[test]
fn networks_are_explored_as_on_the_cpu() {
    if !adapter_is_there() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let written = |device: &[&str], network: &str| {
        let mut said = Vec::new();
        for name in ["space.tra", "space.aut"] {
            let mut command = command();
            command.args(["explore", network, "--check", "deadlock", "--certify", "-o"]);
            let run = outcome(command.arg(folder.path().join(name)).args(device));
            assert!(
                matches!(run.code, Some(0 | 4)),
                "{device:?}: {}",
                run.stderr
            );
            said.push(run.stdout);
        }
        for name in ["space.tra", "space.sta", "space.lab", "space.aut"] {
            said.push(std::fs::read_to_string(folder.path().join(name)).unwrap());
        }
        said
    };
    for network in ["forks", "peterson", "traffic_light"] {
        let network = format!("../../../fixtures/{network}.exp");
        let on_gpu = written(&["--adapter", &adapter()], &network);
        assert_eq!(on_gpu, written(&["--device", "cpu"], &network));
    }
    let args = "../../../fixtures/peterson.exp --format labels --certify";
    let expected = maxend(&format!("decompose {args} --device cpu")).result();
    assert_eq!(on_gpu(args).result(), expected);
}

/// Files built on a GPU are those of the CPU, byte for byte; what a GPU cannot do, the CPU does.
#[test]
fn models_are_built_as_on_the_cpu() {
    if !adapter_is_there() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // More modules take part in a step than on a GPU.
    let many = folder.path().join("many.prism");
    let module = |i| format!("module m{i} [a] true -> true; endmodule ");
    std::fs::write(&many, (0..33).map(module).collect::<String>()).unwrap();
    let models = [
        "good/walk.prism -c N=4",
        "good/queue.prism",
        "good/counter.prism -c UP=300",
        &many.display().to_string(),
        "../../../fixtures/consensus.prism -c WIDTH=2",
        "../../../fixtures/clients.prism -c EDITORS=1,READERS=1",
    ];
    for model in models {
        let built = |name: &str, device: &str| {
            let out = folder.path().join(name);
            let run = maxend(&format!("build {model} -o {} {device}", out.display()));
            assert_eq!(run.code, Some(0), "{model} {device}: {}", run.stderr);
            let says = run.stderr.contains("exploring on the CPU");
            assert_eq!(
                says,
                !device.is_empty() && model.contains("many.prism"),
                "{}",
                run.stderr
            );
            ["tra", "sta", "lab"].map(|ending| std::fs::read(out.with_extension(ending)).unwrap())
        };
        let device = format!("--device gpu --adapter {}", adapter());
        assert!(built("cpu.tra", "") == built("gpu.tra", &device), "{model}");
    }
    // Limits, and what is wrong with a model, are said as by the CPU.
    for args in [
        "explore good/walk.prism -c N=400 --max-states 20",
        "explore bad/out_of_range.prism",
        "decompose bad/bad_sum.prism",
        "decompose good/walk.prism -c N=4 --deadlocks error",
    ] {
        let expected = maxend(args);
        let found = maxend(&format!("{args} --device gpu --adapter {}", adapter()));
        let first = |run: &Outcome| {
            run.stderr
                .lines()
                .next()
                .map(|line| line.split(';').next().map(str::to_owned))
        };
        assert_eq!(found.code, expected.code, "{args}: {}", found.stderr);
        assert_eq!(first(&found), first(&expected), "{args}");
    }
}

/// Where a model is explored and decomposed on the GPU, and its graph is not brought to the host,
/// the answer is that of the CPU.
#[test]
fn graphs_that_stay_on_the_device_are_decomposed_as_on_the_cpu() {
    if !adapter_is_there() {
        return;
    }
    let models = [
        "good/queue.prism",
        "good/counter.prism -c UP=300",
        "../../../fixtures/consensus.prism -c WIDTH=2",
        "../../../fixtures/peterson.exp",
    ];
    // All rows above the device and its times.
    let counts = |text: String| text.split("\ndevice").next().map(str::to_owned);
    let kinds = ["scc", "mec", "bscc"];
    for (number, model) in models.iter().enumerate() {
        for (place, components) in kinds.into_iter().enumerate() {
            let args = format!("{model} --components {components}");
            // The summary of one kind, the labels of another, nothing of the third, by turns: each
            // run opens the device once more.
            match (number + place) % kinds.len() {
                0 => {
                    let expected = maxend(&format!("decompose {args} --device cpu"));
                    let found = on_gpu(&args);
                    // It may say that kernels are compiled.
                    assert!(found.stderr.starts_with(&expected.stderr), "{args}");
                    assert_eq!(counts(found.stdout), counts(expected.stdout), "{args}");
                }
                1 => {
                    let labels = format!("{args} --format labels");
                    let expected = maxend(&format!("decompose {labels} --device cpu")).result();
                    assert_eq!(on_gpu(&labels).result(), expected, "{labels}");
                }
                _ => {}
            }
        }
    }
}

/// Interval models are explored on the CPU, which is said, and decomposed on the GPU by either
/// reading.
#[test]
fn interval_models_are_decomposed_as_on_the_cpu() {
    if !adapter_is_there() {
        return;
    }
    for model in ["leak", "choices", "two_of_three", "ladder"] {
        for edges in ["possible", "certain"] {
            let args = format!(
                "types/interval/{model}.prism --interval-edges {edges} --format labels --certify"
            );
            let expected = maxend(&format!("decompose -q {args} --device cpu")).result();
            let found = on_gpu(&args);
            let says = found
                .stderr
                .contains("a GPU cannot explore interval models");
            assert!(says, "{}", found.stderr);
            assert_eq!(found.result(), expected, "{args}");
        }
    }
}

#[test]
fn the_papers_search_counts_networks_with_all_options() {
    if !adapter_is_there() {
        return;
    }
    let counts = |run: &Outcome| -> Vec<String> {
        let rows = ["states", "transitions", "deadlocks"];
        let is_count = |line: &&str| rows.iter().any(|row| line.starts_with(row));
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run.stdout.lines().filter(is_count).map(words).collect()
    };
    for model in ["../../../fixtures/forks.exp", "good/turnstile.aut"] {
        let expected = counts(&maxend(&format!("explore {model} --device cpu")));
        assert_eq!(expected.len(), 3);
        for choices in [
            "",
            "--table cuckoo",
            "--table double --local-cache",
            "--local-cache --forwarding --iterations 3 --workgroups 5",
        ] {
            let adapter = adapter();
            let args = format!("explore {model} --search paper {choices}");
            let mut command = command();
            command.args(args.split_whitespace());
            let run = outcome(command.args(["--adapter", &adapter]));
            assert_eq!(counts(&run), expected, "{choices}");
        }
    }
}

#[test]
fn several_adapters_find_what_the_cpu_finds() {
    if !adapter_is_there() {
        return;
    }
    let number = number_of_adapter();
    let lists: Vec<String> = (2..=3)
        .map(|count| vec![number.as_str(); count].join(","))
        .collect();
    let models = [
        "good/rounds.tra",
        "../../../fixtures/deadlocks.tra",
        "../../../fixtures/empty.tra",
        "good/walk.prism -c N=30",
    ];
    let formats = [
        "labels --components scc",
        "labels --certify",
        "labels --components bscc",
        "prism --choices",
    ];
    for (place, model) in models.iter().enumerate() {
        // Half of them, by turns: each run opens the device several times.
        for format in formats.iter().skip(place / 2).step_by(2) {
            let args = format!("decompose {model} -f {format}");
            let expected = maxend(&format!("{args} --device cpu")).result();
            let list = &lists[place % 2];
            let found = maxend(&format!("{args} --adapters {list}"));
            assert_eq!(found.result(), expected, "{args} on {list}");
        }
        let args = format!("decompose {model} -f labels");
        let expected = maxend(&format!("{args} --device cpu")).result();
        let cluster = format!("cluster --local-processes 2 -- {args} --adapters");
        let found = maxend(&format!("{cluster} {number},{number}"));
        assert_eq!(found.result(), expected, "{args}");
    }
    let two = maxend(&format!(
        "decompose good/rounds.tra --adapters {number},{number}"
    ))
    .result();
    let device = two.lines().find(|line| line.starts_with("device"));
    assert!(device.is_some_and(|line| line.contains(" 2 x ")), "{two}");
}

/// The number of the adapter under test in `maxend devices`.
fn number_of_adapter() -> String {
    let devices: serde_json::Value =
        serde_json::from_str(&maxend("devices -f json").result()).unwrap();
    let wanted = adapter().to_lowercase();
    let adapters = devices["adapters"].as_array().unwrap();
    let is_it = |info: &serde_json::Value| {
        let name = info["name"].as_str().unwrap_or_default();
        name.to_lowercase().contains(&wanted)
    };
    adapters.iter().position(is_it).unwrap().to_string()
}

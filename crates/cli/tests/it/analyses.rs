//! What other programs compute by the library is what the commands print.

use crate::common::{self, maxend, tests};
use maxend::library::{
    Averaging, CycleAveraging, DeviceChoice, Failure, FailureKind, GivenRewards, Model, Reading,
    RewardChoice, Searching, Supervisor, check_type, cycle_means, long_run, read, search,
};
use mdp_graph::{MdpGraph, Objective, StateId};
use serde_json::Value;
use std::sync::Arc;

/// Reads a model, whose path begins in the folder of the tests, as the commands do.
fn model(file: &str, constants: &[(&str, &str)]) -> Model {
    let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
    let reading = Reading {
        constants: constants.iter().map(owned).collect(),
        ..Reading::new(tests().join(file))
    };
    read(&reading, &Arc::default()).expect("the model is right")
}

fn searching() -> Searching {
    Searching {
        device: DeviceChoice::Cpu,
        threads: None,
        certify: true,
    }
}

#[test]
fn distances_are_those_of_the_command() {
    for name in [
        "running_example.tra",
        "die.tra",
        "ladder.tra",
        "unreachable.tra",
        "fan.tra.gz",
    ] {
        let file = format!("../../../fixtures/{name}");
        let model = model(&file, &[]);
        for source in [0, 2] {
            let supervisor = Supervisor::default();
            let found = search(model.graph(), &[StateId(source)], &searching(), &supervisor)
                .expect("the search ends");
            let distances = found.tree.distances().iter();
            let shown: String = distances.map(|&d| format!("{}\n", d as i32)).collect();
            let printed = maxend(&format!("bfs {file} --from {source} -f labels")).result();
            assert_eq!((shown, &*found.device), (printed, "cpu"), "{name}");
            let progress = supervisor.progress().expect("it has begun");
            assert_eq!(progress.what, "checking");
        }
    }
}

/// Returns a ring of states, each of which leads to the next.
fn ring(states: u32) -> MdpGraph {
    let next = |state: u32| vec![[(state + 1) % states]];
    let choices: Vec<Vec<[u32; 1]>> = (0..states).map(next).collect();
    MdpGraph::from_choices(&choices).expect("the graph is well formed")
}

#[test]
fn a_supervisor_stops_work() {
    let (graph, supervisor) = (ring(1 << 16), Supervisor::default());
    supervisor.stop();
    let searched = search(&graph, &[StateId(0)], &searching(), &supervisor).err();
    let model = Model::from_graph(graph, "mdp", Some(vec![1.0; 1 << 16])).expect("it is right");
    let averaged = long_run(&model, &averaging(given()), &supervisor).err();
    let cycled = cycle_means(&model, &cycles(given()), &supervisor).err();
    for failure in [searched, averaged, cycled] {
        assert_eq!(failure.expect("it was stopped").kind, FailureKind::Stopped);
    }
}

#[test]
fn a_missing_adapter_is_a_failure_of_the_device() {
    let how = Searching {
        device: DeviceChoice::Gpu(Some("no such adapter".to_owned())),
        ..searching()
    };
    let model = model("../../../fixtures/die.tra", &[]);
    let failure = search(model.graph(), &[StateId(0)], &how, &Supervisor::default()).err();
    assert_eq!(failure.expect("there is none").kind, FailureKind::Device);
}

fn averaging(rewards: RewardChoice) -> Averaging {
    Averaging {
        rewards,
        objective: Objective::Max,
        exact: false,
        epsilon: 1e-6,
        is_relative: false,
        max_iterations: 1_000_000,
        device: DeviceChoice::Cpu,
        threads: None,
    }
}

/// Returns rewards of 0.
fn given() -> RewardChoice {
    RewardChoice::Given(GivenRewards::default())
}

/// Returns the numbers with this name of all averages in a list, which are texts if they are exact.
fn listed(averages: &Value, name: &str) -> Vec<String> {
    let averages = averages.as_array().into_iter().flatten();
    averages.map(|average| average[name].to_string()).collect()
}

#[test]
fn averages_are_those_of_the_command() {
    let named = |name: &str| RewardChoice::Named(Some(name.to_owned()));
    let heat = [("HEAT", "2")];
    for (file, constants, options, rewards) in [
        ("rewards/coin.prism", &[][..], "", RewardChoice::Named(None)),
        ("rewards/costs.tra", &[], "", named("cost")),
        (
            "rewards/machine.prism",
            &heat,
            "-c HEAT=2 --rewards made",
            named("made"),
        ),
        (
            "rewards/machine.prism",
            &heat,
            "-c HEAT=2 --rewards third",
            named("6"),
        ),
    ] {
        let model = model(file, constants);
        let start = model
            .initial_states()
            .first()
            .map_or(0, |&state| state as usize);
        for (exact, objective, more) in [
            (false, Objective::Max, ""),
            (false, Objective::Min, "--min"),
            (true, Objective::Max, "--exact"),
        ] {
            let how = Averaging {
                exact,
                objective,
                ..averaging(rewards.clone())
            };
            let found = long_run(&model, &how, &Supervisor::default()).expect(file);
            let printed = maxend(&format!("long-run {file} {options} {more} -f json")).result();
            let printed: Value = serde_json::from_str(&printed).unwrap();
            let text = |value: &f64| serde_json::to_string(value).unwrap();
            let gains = |values: &[f64]| values.iter().map(text).collect::<Vec<_>>();
            assert_eq!(gains(&found.gains.lower), listed(&printed["mecs"], "lower"));
            assert_eq!(gains(&found.gains.upper), listed(&printed["mecs"], "upper"));
            assert_eq!(
                [text(&found.values.lower[start])][..],
                listed(&printed["initial"], "lower")
            );
            assert_eq!(
                [text(&found.values.upper[start])][..],
                listed(&printed["initial"], "upper")
            );
            let exactly = found
                .values
                .exact
                .map(|values| format!("\"{}\"", values[start]));
            let fractions = listed(&printed["initial"], "fraction");
            assert_eq!(
                exactly.unwrap_or_else(|| "null".to_owned()),
                fractions[0],
                "{file}"
            );
        }
    }
}

#[test]
fn fractions_of_explicit_transitions_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    // The decimals of these doubles do not sum to 1.
    let file = common::file(&folder, "m.tra", b"3 4\n0 1 1/6\n0 2 5/6\n1 1 1\n2 2 1\n");
    let model = read(&Reading::new(file), &Arc::default()).expect("the model is right");
    let rewards = RewardChoice::Given(GivenRewards {
        states: Some(vec![0.0, 1.0, 0.0]),
        ..GivenRewards::default()
    });
    let how = Averaging {
        exact: true,
        ..averaging(rewards)
    };
    let found = long_run(&model, &how, &Supervisor::default()).unwrap();
    assert_eq!(found.values.exact.unwrap()[0].to_string(), "1/6");
}

#[test]
fn what_other_programs_may_get_wrong_is_named() {
    let of_graph =
        |type_name: &str, probabilities| Model::from_graph(ring(2), type_name, probabilities);
    let known = of_graph("mdp", Some(vec![1.0; 2])).unwrap();
    let averages = |model: &Model, how: &Averaging| {
        long_run(model, how, &Supervisor::default()).err().unwrap()
    };
    let means = |how: &CycleAveraging| {
        cycle_means(&known, how, &Supervisor::default())
            .err()
            .unwrap()
    };
    let part = |count| {
        RewardChoice::Given(GivenRewards {
            choices: Some(vec![1.0; count]),
            ..GivenRewards::default()
        })
    };
    let on_gpu = Averaging {
        exact: true,
        device: DeviceChoice::Gpu(None),
        ..averaging(given())
    };
    let failures = [
        of_graph("maze", None).err().unwrap(),
        of_graph("mdp", Some(vec![1.0])).err().unwrap(),
        averages(&of_graph("mdp", None).unwrap(), &averaging(given())),
        averages(&of_graph("ctmc", None).unwrap(), &averaging(given())),
        averages(&known, &averaging(RewardChoice::Named(None))),
        averages(&known, &averaging(part(3))),
        averages(&known, &on_gpu),
        means(&cycles(part(3))),
        means(&CycleAveraging {
            times: Some(given()),
            ..cycles(given())
        }),
        means(&CycleAveraging {
            times: Some(RewardChoice::Given(GivenRewards {
                states: Some(vec![-0.5, 1.0]),
                ..GivenRewards::default()
            })),
            ..cycles(given())
        }),
        means(&cycles(RewardChoice::Given(GivenRewards {
            states: Some(vec![f64::NAN, 1.0]),
            ..GivenRewards::default()
        }))),
    ];
    let shown = |failure: &Failure| format!("{:?}: {failure}", failure.kind);
    insta::assert_snapshot!(failures.iter().map(shown).collect::<Vec<_>>().join("\n"), @r#"
    Usage: "maze" is not one of dtmc, ctmc, mdp, lts, pomdp, smg, ma, idtmc, imdp
    Usage: there are 1 probabilities, but the model needs 2
    Model: the probabilities of the model are not known
    Model: the model is of type CTMC: averages over continuous time are not supported, only averages per step of MDPs, DTMCs and LTSs
    Model: the model has no rewards
    Model: there are 3 rewards of choices, but the model needs 2
    Usage: exact averages are computed on the CPU, but the device is a GPU
    Model: there are 3 rewards of choices, but the model needs 2
    Model: the cycle through states 0, 1 takes no time, and so has no ratio
    Model: `times` gives the edge from state 0 to state 1 time -1/2
      = a time is at least 0
    Model: the rewards do not become integers of 64 bits: NaN is not a finite number
    "#);
}

#[test]
fn messages_name_arguments_instead_of_options() {
    let failed = |file: &str, constants: &[(&str, &str)], how: Averaging| {
        let model = model(file, constants);
        let failure = long_run(&model, &how, &Supervisor::default()).err();
        failure.expect(file).message.replace('\\', "/")
    };
    let impatient = Averaging {
        max_iterations: 2,
        is_relative: true,
        ..averaging(RewardChoice::Named(None))
    };
    let several = averaging(RewardChoice::Named(None));
    let failures = [
        failed("rewards/coin.prism", &[], impatient),
        failed("rewards/machine.prism", &[("HEAT", "2")], several),
    ];
    let folder = format!("{}/", tests().display()).replace('\\', "/");
    insta::assert_snapshot!(failures.join("\n").replace(&folder, ""), @"
    after 2 iterations the average of the component of state 0 is known to lie between 0.6015625 and 0.6992187500000002, which is not within 5e-7 times the average
      = `exact` finds it for models of up to 4,096 states; `epsilon` allows a wider interval; without `relative`, averages close to 0 need no more digits; `max_iterations` allows more iterations
    rewards/machine.prism has several reward structures: rewards chooses one
      = it has `made`, `energy`, `time`, `never`, `negative`, `third`
    ");
}

#[test]
fn a_graph_has_the_shape_of_its_type() {
    // State 1 has no choice, and state 2 has two.
    let choices: [&[&[u32]]; 3] = [&[&[1]], &[], &[&[0], &[2]]];
    let branches: [&[&[u32]]; 3] = [&[&[1]], &[], &[&[0, 1, 2]]];
    let [choices, branches] =
        [choices, branches].map(|states| MdpGraph::from_choices(&states).expect("it is a graph"));
    let refused = |graph: &MdpGraph| {
        let types = [
            "dtmc", "CTMC", "idtmc", "lts", "mdp", "pomdp", "smg", "ma", "imdp",
        ];
        let checked = types.map(|name| match check_type(graph, name) {
            Ok(name) => name.to_owned(),
            Err(failure) => format!("{:?}: {failure}", failure.kind),
        });
        checked.join("\n")
    };
    insta::assert_snapshot!(refused(&choices), @"
    Model: state 2 has 2 choices: expected at most one in a DTMC
    Model: state 2 has 2 choices: expected at most one in a CTMC
    Model: state 2 has 2 choices: expected at most one in an IDTMC
    lts
    mdp
    pomdp
    smg
    ma
    imdp
    ");
    insta::assert_snapshot!(refused(&branches), @"
    dtmc
    ctmc
    idtmc
    Model: choice 0 of state 2 has 3 branches: expected one in an LTS
    mdp
    pomdp
    smg
    ma
    imdp
    ");
    assert!(Model::from_graph(choices, "dtmc", None).is_err());
}

fn cycles(rewards: RewardChoice) -> CycleAveraging {
    CycleAveraging {
        rewards,
        times: None,
        objective: Objective::Min,
        device: DeviceChoice::Cpu,
        threads: None,
        certify: true,
    }
}

#[test]
fn cycle_means_are_those_of_the_command() {
    let named = |name: &str| RewardChoice::Named(Some(name.to_owned()));
    let heat = [("HEAT", "9")];
    for (file, constants, options, rewards) in [
        ("rewards/ring.gr", &[][..], "", RewardChoice::Named(None)),
        ("rewards/acyclic.gr", &[], "", RewardChoice::Named(None)),
        ("rewards/costs.tra", &[], "", named("cost")),
        (
            "rewards/machine.prism",
            &heat,
            "-c HEAT=9 --rewards made",
            named("made"),
        ),
        (
            "rewards/machine.prism",
            &heat,
            "-c HEAT=9 --rewards made --ratio",
            named("made"),
        ),
    ] {
        let times = options.ends_with("--ratio").then(|| named("time"));
        let model = model(file, constants);
        for (objective, more) in [(Objective::Min, "--min"), (Objective::Max, "--max")] {
            let how = CycleAveraging {
                times: times.clone(),
                objective,
                ..cycles(rewards.clone())
            };
            let found = cycle_means(&model, &how, &Supervisor::default()).expect(file);
            let command = format!("cycle-mean {file} {options} {more} --each -f json");
            let with_loops = format!("{command} --deadlocks self-loop");
            let printed: Value = serde_json::from_str(&maxend(&with_loops).result()).unwrap();
            let values = found.optima.iter().map(|of| format!("\"{}\"", of.value));
            assert_eq!(
                values.collect::<Vec<_>>(),
                listed(&printed["components"], "fraction")
            );
            let branches = |cycle: &Value| -> Vec<String> { listed(cycle, "branch") };
            for (of, printed) in found
                .optima
                .iter()
                .zip(printed["components"].as_array().unwrap())
            {
                let cycle = of.cycle.iter().map(|branch| branch.0.to_string());
                assert_eq!(
                    cycle.collect::<Vec<_>>(),
                    branches(&printed["cycle"]),
                    "{file}"
                );
            }
            let best = found.best.map(|best| found.optima[best].value.to_string());
            assert_eq!(
                best.as_deref(),
                printed["optimum"]["fraction"].as_str(),
                "{file}"
            );
        }
    }
}

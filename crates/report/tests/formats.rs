//! Every format on models small enough to check by hand.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use mdp_graph::{ChunkBuilder, Components, Deadlocks, MdpGraph, StateId, assemble};
use report::{
    Amount, ChoiceDetails, Constant, ConstantValue, DeadlockStates, Decomposition, GraphOrigin,
    Heading, Initial, InitialFrom, ModelFacts, Phase, PlayerFacts, RewardFacts, Run, StateLabel,
    Statistics, Valuations, Value,
};
use std::time::Duration;

/// State 0 may stay or try to move on; 1 and 2 go round, and 2 may also leave for 3, which stays.
fn graph() -> MdpGraph {
    MdpGraph::from_choices(&[
        vec![vec![0], vec![0, 1]],
        vec![vec![2]],
        vec![vec![1], vec![1, 3]],
        vec![vec![3]],
        vec![vec![0]],
    ])
    .unwrap()
}

fn mecs() -> Components {
    Components::from_mec_marks(vec![0, 1, 1, 3, Components::NONE])
}

fn sccs(graph: &MdpGraph) -> Components {
    Components::from_scc_marks(graph, vec![0, 1, 1, 3, 4])
}

fn plain<'a>(graph: &'a MdpGraph, components: &'a Components) -> Decomposition<'a> {
    Decomposition {
        graph,
        components,
        origin: ORIGIN,
        retaining: None,
        valuations: None,
        labels: &[],
        details: None,
        statistics: None,
        choices: false,
    }
}

const PHASES: &[Phase<'static>] = &[
    Phase {
        name: "read",
        time: Duration::from_micros(1500),
        amount: Some(Amount::Bytes(300_000)),
    },
    Phase {
        name: "decompose",
        time: Duration::from_micros(250),
        amount: None,
    },
];

const PHASES_ON_GPU: &[Phase<'static>] = &[
    Phase {
        name: "open",
        time: Duration::from_millis(300),
        amount: None,
    },
    Phase {
        name: "upload",
        time: Duration::from_micros(1),
        amount: None,
    },
];

const HEADING: Heading<'static> = Heading {
    version: "1.2.3",
    model: "rounds.tra",
    model_type: "mdp",
    constants: &[],
};

const ORIGIN: GraphOrigin<'static> = GraphOrigin {
    deadlocks: DeadlockStates {
        count: 1234,
        policy: "self-loop",
    },
    observations: None,
    players: None,
    coalition: &[],
    interval_edges: None,
};

fn run() -> Run<'static> {
    Run {
        heading: HEADING,
        device: "cpu",
        search: "auto",
        certified: false,
        phases: PHASES,
    }
}

fn text(write: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// Calls `then` with a decomposition that has everything.
fn with_all(then: impl FnOnce(&Decomposition<'_>)) {
    let (graph, components) = (graph(), mecs());
    let variables = ["count".to_owned(), "done".to_owned()];
    let row = |state: StateId| {
        let count = Value::Int(i64::from(state.0) - 2);
        vec![count, Value::Bool(state.0 == 3)]
    };
    let valuations = Valuations {
        variables: &variables,
        row: Box::new(row),
    };
    let labels = [
        StateLabel {
            name: "init",
            states: &[StateId(0)],
        },
        StateLabel {
            name: "say \"hi\"",
            states: &[StateId(1), StateId(2), StateId(4)],
        },
    ];
    then(&Decomposition {
        valuations: Some(&valuations),
        labels: &labels,
        choices: true,
        ..plain(&graph, &components)
    });
}

#[test]
fn labels_are_smallest_states() {
    assert_eq!(
        text(|out| report::write_labels(out, &mecs())),
        "0\n1\n1\n3\n-1\n"
    );
    assert_eq!(
        text(|out| report::write_labels(out, &sccs(&graph()))),
        "0\n1\n1\n3\n4\n"
    );
}

#[test]
fn labels_of_many_states_are_written_in_blocks() {
    let n = 100_000;
    let components = Components::from_mec_marks((0..n).collect::<Vec<_>>());
    let naive: String = (0..n).map(|state| format!("{state}\n")).collect();
    assert_eq!(text(|out| report::write_labels(out, &components)), naive);
}

#[test]
fn prism() {
    let (graph, mecs) = (graph(), mecs());
    let mec = text(|out| report::write_prism(out, &plain(&graph, &mecs)));
    insta::assert_snapshot!("prism_mec", mec);
    let sccs = sccs(&graph);
    let scc = text(|out| report::write_prism(out, &plain(&graph, &sccs)));
    insta::assert_snapshot!("prism_scc", scc);
    with_all(|all| insta::assert_snapshot!("prism_all", text(|out| report::write_prism(out, all))));
}

#[test]
fn prism_of_no_component_is_the_heading_alone() {
    let graph = assemble(0, Vec::new(), Deadlocks::Keep).unwrap().graph;
    let none = Components::from_mec_marks(Vec::new());
    assert_eq!(
        text(|out| report::write_prism(out, &plain(&graph, &none))),
        "Variables: (x)\n"
    );
}

#[test]
fn json() {
    let (graph, mecs) = (graph(), mecs());
    let json = text(|out| report::write_json(out, &plain(&graph, &mecs), &run()));
    insta::assert_snapshot!("json_plain", json);
    with_all(|all| {
        let certified = Run {
            certified: true,
            ..run()
        };
        let json = text(|out| report::write_json(out, all, &certified));
        let parsed: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(parsed["components"][1]["valuations"][1][0], 0);
        insta::assert_snapshot!("json_all", json);
    });
}

#[test]
fn json_of_the_empty_model_is_whole() {
    let graph = assemble(0, Vec::new(), Deadlocks::Keep).unwrap().graph;
    let none = Components::from_mec_marks(Vec::new());
    let json = text(|out| report::write_json(out, &plain(&graph, &none), &run()));
    let parsed: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(parsed["components"], serde_json::json!([]));
    assert_eq!(parsed["decomposition"]["largest"], 0);
}

/// Small components, which threads write in blocks, lie between large ones.
#[test]
fn json_has_all_components_in_order() {
    let sizes: Vec<usize> = (0..9_000)
        .map(|i| match i {
            0 | 3_000 | 3_001 | 8_999 => 300,
            _ => 1 + i % 3,
        })
        .collect();
    let first_states = |sizes: &[usize]| {
        let mut end = 0;
        let starts = sizes.iter().map(|size| {
            end += size;
            end - size
        });
        starts.collect::<Vec<_>>()
    };
    for sizes in [&sizes[..], &sizes[1..8_999], &sizes[..1], &sizes[1..2]] {
        let marks = (0..).zip(sizes).flat_map(|(i, &size)| vec![i; size]);
        let components = Components::from_mec_marks(marks.collect::<Vec<u32>>());
        let states = components.num_states();
        let own = (0..states as u32).map(|state| vec![vec![state]]);
        let graph = MdpGraph::from_choices(&own.collect::<Vec<_>>()).unwrap();
        let json = text(|out| report::write_json(out, &plain(&graph, &components), &run()));
        let parsed: serde_json::Value = serde_json::from_str(&json).unwrap();
        let found = parsed["components"].as_array().unwrap();
        assert_eq!(found.len(), sizes.len());
        for ((found, first), &size) in found.iter().zip(first_states(sizes)).zip(sizes) {
            assert_eq!(found["smallest"], first);
            let members: Vec<usize> = (first..first + size).collect();
            assert_eq!(found["states"], serde_json::json!(members));
        }
        let lines = json
            .lines()
            .filter(|line| line.starts_with("    {\"smallest\""));
        assert_eq!(lines.count(), sizes.len(), "each has a line");
    }
}

#[test]
fn summary() {
    let (graph, mecs) = (graph(), mecs());
    let mec = text(|out| report::write_summary(out, &(&plain(&graph, &mecs)).into(), &run()));
    insta::assert_snapshot!("summary_mec", mec);
    let sccs = sccs(&graph);
    let on_gpu = Run {
        device: "NVIDIA H200 (discrete GPU, vulkan)",
        search: "fbt",
        certified: true,
        phases: PHASES_ON_GPU,
        ..run()
    };
    let of = Decomposition {
        origin: GraphOrigin {
            deadlocks: DeadlockStates {
                policy: "keep",
                ..ORIGIN.deadlocks
            },
            ..ORIGIN
        },
        ..plain(&graph, &sccs)
    };
    let scc = text(|out| report::write_summary(out, &(&of).into(), &on_gpu));
    insta::assert_snapshot!("summary_scc", scc);
}

#[test]
fn info() {
    let facts = ModelFacts {
        heading: Heading {
            version: "1.2.3",
            model: "rounds.tra",
            model_type: "mdp",
            constants: &[],
        },
        format: "PRISM explicit",
        observations: None,
        players: None,
        labels: &[StateLabel {
            name: "init",
            states: &[StateId(0)],
        }],
        rewards: &[
            RewardFacts {
                name: Some("time"),
                states: 1,
                choices: 1234,
                branches: 0,
            },
            RewardFacts {
                name: None,
                states: 0,
                choices: 0,
                branches: 0,
            },
        ],
    };
    let info = text(|out| report::write_info(out, &graph(), &facts));
    insta::assert_snapshot!("info", info);
    let game = ModelFacts {
        heading: Heading {
            model_type: "smg",
            constants: &[Constant {
                name: "N",
                value: ConstantValue::Int(2),
            }],
            ..facts.heading
        },
        observations: Some(3),
        players: Some(&[
            PlayerFacts {
                name: "one",
                states: 4,
            },
            PlayerFacts {
                name: "two",
                states: 1,
            },
        ]),
        ..facts
    };
    let game = text(|out| report::write_info(out, &graph(), &game))
        + &text(|out| report::write_info_json(out, &graph(), &game));
    insta::assert_snapshot!("info_game", game);
    let empty = ModelFacts {
        labels: &[],
        rewards: &[],
        ..facts
    };
    let nothing = assemble(0, Vec::new(), Deadlocks::Keep).unwrap().graph;
    let empty = text(|out| report::write_info(out, &nothing, &empty))
        + &text(|out| report::write_info_json(out, &nothing, &empty));
    insta::assert_snapshot!("info_empty", empty);
}

#[test]
fn dot() {
    let (graph, mecs) = (graph(), mecs());
    let sccs = sccs(&graph);
    let scc = text(|out| report::write_dot(out, &plain(&graph, &sccs)));
    insta::assert_snapshot!("dot_scc", scc);
    let mec = text(|out| report::write_dot(out, &plain(&graph, &mecs)));
    graphviz_draws(&[&scc, &mec]);
    with_all(|all| {
        let all = text(|out| report::write_dot(out, all));
        graphviz_draws(&[&all]);
        insta::assert_snapshot!("dot_mec", all);
    });
}

/// Two-cycles in a row, each with a way to the next; the last state is alone.
fn row_of_cycles(cycles: u32) -> MdpGraph {
    let n = 2 * cycles + 1;
    let mut chunk = ChunkBuilder::default();
    for state in (0..n - 1).step_by(2) {
        chunk.push_choice(StateId(state), &[StateId(state + 1)]);
        chunk.push_choice(StateId(state + 1), &[StateId(state)]);
        chunk.push_choice(StateId(state + 1), &[StateId(state), StateId(state + 2)]);
    }
    let built = assemble(n, vec![chunk.finish()], Deadlocks::Keep);
    built.unwrap().graph
}

/// The components of such a row, in which all states but the last have their cycles.
fn cycles(cycles: u32) -> Components {
    let marks = (0..2 * cycles).map(|state| state / 2);
    Components::from_mec_marks(marks.chain([Components::NONE]).collect::<Vec<_>>())
}

/// How many nodes and edges a drawing has.
fn size_of(dot: &str) -> (usize, usize) {
    let nodes = dot
        .lines()
        .filter(|line| line.contains(" [") && line.contains("label="));
    let edges = dot.lines().filter(|line| line.contains("->")).count();
    (nodes.filter(|line| !line.contains("->")).count(), edges)
}

#[test]
fn a_model_of_many_states_in_few_components_is_drawn_condensed() {
    // Cycles of two states would be too many nodes, so each component is many cycles.
    let graph = row_of_cycles(150);
    let marks = (0..300).map(|state| state / 30).chain([Components::NONE]);
    let components = Components::from_mec_marks(marks.collect::<Vec<_>>());
    let labels = [StateLabel {
        name: "init",
        states: &[StateId(60)],
    }];
    let of = Decomposition {
        labels: &labels,
        ..plain(&graph, &components)
    };
    let dot = text(|out| report::write_dot(out, &of));
    insta::assert_snapshot!("dot_condensed", dot);
    graphviz_draws(&[&dot]);
}

#[test]
fn what_is_too_much_for_a_drawing_is_merged_and_said() {
    let graph = row_of_cycles(2_500);
    let all = cycles(2_500);
    let dot = text(|out| report::write_dot(out, &plain(&graph, &all)));
    insta::assert_snapshot!("dot_merged", dot);
    let (nodes, edges) = size_of(&dot);
    assert!(
        (50..70).contains(&nodes) && edges <= 200,
        "{nodes} nodes, {edges} edges"
    );
    graphviz_draws(&[&dot]);
}

#[test]
fn few_states_with_many_edges_are_drawn_condensed() {
    // Each of 60 states leads to all after it: no state comes back.
    let mut chunk = ChunkBuilder::default();
    for state in 0..60 {
        for target in state + 1..60 {
            chunk.push_choice(StateId(state), &[StateId(target)]);
        }
    }
    let built = assemble(60, vec![chunk.finish()], Deadlocks::Keep);
    let graph = built.unwrap().graph;
    let sccs = Components::from_scc_marks(&graph, (0..60).collect::<Vec<_>>());
    let dot = text(|out| report::write_dot(out, &plain(&graph, &sccs)));
    let (nodes, edges) = size_of(&dot);
    assert!(nodes < 60 && edges <= 200, "{nodes} nodes, {edges} edges");
    assert!(dot.contains("other trivial SCCs"), "{dot}");
    graphviz_draws(&[&dot]);
}

#[test]
fn actions_and_probabilities_are_drawn() {
    let (graph, mecs) = (graph(), mecs());
    let names = ["", "try", "say \"hi\" & go"].map(str::to_owned);
    let values = [1.0, 0.25, 0.75, 1.0, 1.0, 1.0 / 3.0, 2.0 / 3.0, 2.5, 1.0];
    let details = ChoiceDetails {
        names: &names,
        actions: &[0, 1, 2, 1, 1, 0, 1],
        values: &values,
        lower: &[],
    };
    let of = Decomposition {
        details: Some(&details),
        choices: true,
        ..plain(&graph, &mecs)
    };
    let dot = text(|out| report::write_dot(out, &of));
    insta::assert_snapshot!("dot_details", dot);
    graphviz_draws(&[&dot]);
    insta::assert_snapshot!("prism_actions", text(|out| report::write_prism(out, &of)));
    let json = text(|out| report::write_json(out, &of, &run()));
    let parsed: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        parsed["components"][1]["choices"],
        serde_json::json!([[0], [0]])
    );
    let names = serde_json::json!([["say \"hi\" & go"], ["try"]]);
    assert_eq!(parsed["components"][1]["actions"], names);
}

#[test]
fn statistics_and_constants() {
    let graph = graph();
    let constants = [
        Constant {
            name: "N",
            value: ConstantValue::Int(7),
        },
        Constant {
            name: "p",
            value: ConstantValue::Real(0.1),
        },
        Constant {
            name: "fast",
            value: ConstantValue::Bool(true),
        },
    ];
    let run = Run {
        heading: Heading {
            constants: &constants,
            ..HEADING
        },
        ..run()
    };
    let mut all = String::new();
    for (components, from, states) in [
        (mecs(), InitialFrom::Label, &[StateId(1), StateId(2)][..]),
        (sccs(&graph), InitialFrom::Assumed, &[StateId(0)]),
        (
            sccs(&graph).only_bottom(&graph),
            InitialFrom::Model,
            &[StateId(4)],
        ),
    ] {
        let initial = Initial {
            states,
            from,
            reach_all: false,
        };
        let statistics = Statistics::new(&graph, &components, initial);
        let of = Decomposition {
            statistics: Some(&statistics),
            ..plain(&graph, &components)
        };
        all += &text(|out| report::write_summary(out, &(&of).into(), &run));
        all += &text(|out| report::write_json(out, &of, &run));
        all += &text(|out| report::write_prism(out, &of));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn sizes_of_all_magnitudes_are_a_few_rows() {
    // Components of 1, 2, 4, ... states.
    let marks = (0..12u32).flat_map(|power| std::iter::repeat_n(power, 1 << power));
    let components = Components::from_mec_marks(marks.collect::<Vec<_>>());
    let n = components.num_states() as u32;
    let graph = assemble(n, Vec::new(), Deadlocks::Keep).unwrap().graph;
    let summary =
        text(|out| report::write_summary(out, &(&plain(&graph, &components)).into(), &run()));
    let rows = summary.lines().skip_while(|row| !row.starts_with("sizes"));
    let rows: Vec<&str> = rows.take(3).collect();
    assert_eq!(
        rows,
        [
            "sizes      1 of 1 state, 1 of 2 to 3, 1 of 4 to 7, 1 of 8 to 15",
            "           1 of 16 to 31, 1 of 32 to 63, 1 of 64 to 127, 1 of 128 to 255",
            "           1 of 256 to 511, 1 of 512 to 1,023, 1 of 1,024 to 2,047, 1 of 2,048 to 4,095",
        ]
    );
}

/// Has Graphviz, where it is installed, draw each of `drawings` without a complaint.
fn graphviz_draws(drawings: &[&str]) {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    for drawing in drawings {
        let child = Command::new("dot")
            .arg("-Tsvg")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let Ok(mut child) = child else {
            eprintln!("SKIPPED: no drawing was checked, as Graphviz (dot) is not installed");
            return;
        };
        child
            .stdin
            .take()
            .unwrap()
            .write_all(drawing.as_bytes())
            .unwrap();
        let output = child.wait_with_output().unwrap();
        let complaints = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && complaints.is_empty(),
            "{complaints}\n{drawing}"
        );
        assert!(String::from_utf8_lossy(&output.stdout).contains("</svg>"));
    }
}

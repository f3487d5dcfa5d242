//! The data races of Harish's breadth-first search (J. Smits, *Verifying GPGPU implementation of
//! breadth-first search algorithm*, 2020, section 3.2), each with a schedule that shows it.

use std::fs;
use std::path::Path;

use verify::Program;
use verify::run::{Code, Dispatch, Ending, Exploration, Fault, compile};

const UNKNOWN: u32 = 1_000_000_000;

/// A graph as offsets and targets.
type Graph<'g> = (&'g [u32], &'g [u32]);

/// Figure 3.2: 0 leads to 1 and 2, 1 to 2, and 2 to 3.
const FIGURE_2: Graph<'_> = (&[0, 2, 3, 4, 4], &[1, 2, 2, 3]);
/// Figure 3.3: 0 leads to 1 and 2, 1 to 3, and 2 and 3 to 4.
const FIGURE_3: Graph<'_> = (&[0, 2, 3, 4, 5, 5], &[1, 2, 3, 4, 4]);

fn code(name: &str) -> Code {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/wgsl")
        .join(name);
    let text = fs::read_to_string(path).expect("a kernel");
    compile(&Program::parse(name, &text).expect("it is valid")).expect("it is supported")
}

/// The second dispatch of a search from vertex 0: vertices 1 and 2 are the frontier.
fn second_level(code: &Code, (offsets, targets): Graph<'_>, most: u64) -> Exploration {
    let vertices = offsets.len() - 1;
    let mut costs = vec![UNKNOWN; vertices];
    costs[..3].copy_from_slice(&[0, 1, 1]);
    let mut frontier = vec![0; vertices];
    frontier[1..3].fill(1);
    let mut visited = vec![0; vertices];
    visited[0] = 1;
    let flags_or_level = match code.is_bound(0, 3) {
        true => frontier,
        false => vec![1],
    };
    Dispatch::new(code, [vertices as u32, 1, 1])
        .bind(0, 0, offsets.to_vec())
        .bind(0, 1, targets.to_vec())
        .bind(0, 2, flags_or_level)
        .bind(0, 3, visited)
        .bind(0, 4, costs)
        .explore(most)
}

/// The same, of a kernel that has a race.
fn racing(code: &Code, graph: Graph<'_>) -> Exploration {
    let found = second_level(code, graph, 100_000);
    let mut findings = found.findings.iter();
    assert!(found.is_complete && findings.any(|finding| finding.fault == Fault::Race));
    found
}

fn costs(ending: &Ending) -> &[u32] {
    ending.buffers.last().expect("the costs come last")
}

/// A schedule as text, and what the costs are at its end.
fn witness(ending: &Ending) -> String {
    let steps = ending.schedule.iter();
    let steps = steps.map(|step| format!("{}: {}\n", step.who, step.place));
    steps.collect::<String>() + &format!("costs: {:?}", costs(ending))
}

/// The first race: vertex 1 raises the cost of vertex 2, which is in the frontier too.
#[test]
fn a_neighbour_in_the_frontier_gets_a_wrong_cost() {
    let found = racing(&code("harish.wgsl"), FIGURE_2);
    let right = |ending: &&Ending| costs(ending) == [0, 1, 1, 2];
    let wrong = |ending: &&Ending| costs(ending)[2] == 2;
    assert!(found.endings.iter().any(|ending| right(&ending)));
    let shown = found.endings.iter().find(wrong);
    let shown = shown.expect("a schedule that shows it");
    insta::assert_snapshot!(witness(shown));
    let races = found.findings.iter().map(ToString::to_string);
    insta::assert_snapshot!(races.collect::<Vec<_>>().join("\n"));
}

/// The second race: vertex 3 is put into the frontier and runs at once, and vertex 4 gets its cost
/// from it, although vertex 2 is nearer.
#[test]
fn a_vertex_that_runs_too_early_raises_a_cost() {
    let found = racing(&code("harish_frontier.wgsl"), FIGURE_3);
    let wrong = |ending: &&Ending| costs(ending)[4] == 3;
    assert!(
        found
            .endings
            .iter()
            .any(|ending| costs(ending) == [0, 1, 1, 2, 2])
    );
    let shown = found.endings.iter().find(wrong);
    let shown = shown.expect("a schedule that shows it");
    insta::assert_snapshot!(witness(shown));
}

/// The repaired kernel has no race, and one ending, under all schedules on both graphs.
#[test]
fn the_repaired_search_is_exact() {
    let code = code("bfs_repaired.wgsl");
    for (graph, expected) in [
        (FIGURE_2, vec![0, 1, 1, 2]),
        (FIGURE_3, vec![0, 1, 1, 2, 2]),
    ] {
        let found = second_level(&code, graph, 100_000);
        assert!(found.is_complete && found.findings.is_empty(), "{found:#?}");
        let endings: Vec<_> = found.endings.iter().map(costs).collect();
        assert_eq!(endings, [expected]);
    }
}

//! Certificates in parts: right answers are accepted, wrong ones are not, whatever the number of
//! workers.

use crate::support::{FAR, expected, model, the_violation};
use cluster::{Certificate, ComponentLabels, check, on_threads, part_of, produce};
use mdp_graph::{ComponentKind, MdpGraph};
use proptest::prelude::*;
use std::sync::Arc;

const KINDS: [ComponentKind; 2] = [ComponentKind::Scc, ComponentKind::Mec];

type Answer = Vec<Option<u64>>;
/// Ranks, forward and backward numbers of all states.
type Numbers = [Vec<u64>; 3];

/// Returns the violation that a worker finds in an answer, if there is one. The certificate
/// consists of `numbers` or, by default, is the one that the workers produce.
fn verdict(
    graph: &MdpGraph,
    kind: ComponentKind,
    workers: usize,
    first: u64,
    answer: &Answer,
    numbers: Option<&Numbers>,
) -> Option<String> {
    let (graph, answer) = (Arc::new(graph.clone()), Arc::new(answer.clone()));
    let numbers = numbers.cloned();
    let results = on_threads(workers, move |net| {
        let part = part_of(&graph, first, net)?;
        let start = (part.global(0) - first) as usize;
        let own = start..start + part.num_own();
        let labels: ComponentLabels = answer[own.clone()].iter().copied().collect();
        let certificate = match &numbers {
            None => produce(&part, &labels, kind, net),
            Some(numbers) => {
                let [ranks, forward, backward] =
                    numbers.each_ref().map(|all| all[own.clone()].to_vec());
                Certificate {
                    ranks,
                    forward,
                    backward,
                }
            }
        };
        check(&part, &labels, kind, &certificate, net)
    });
    the_violation(results.expect("the workers start"))
}

/// Another answer: one made by changing the labels of some states, splitting a component, joining
/// two, or calling one after another of its states.
fn mutated(answer: &Answer, first: u64, how: u32, a: usize, b: usize) -> Answer {
    let mut wrong = answer.clone();
    let (a, b) = (a % answer.len(), b % answer.len());
    let number = |state: usize| Some(first + state as u64);
    match how {
        0 => wrong[a] = None,
        1 => wrong[a] = number(b),
        2 => wrong[a] = wrong[b],
        3 => wrong[a] = number(answer.len() + b),
        4 => wrong[a] = number(a),
        5 | 6 => {
            let (from, to) = (answer[a], if how == 5 { answer[b] } else { number(a) });
            for label in &mut wrong {
                if from.is_some() && *label == from {
                    *label = to;
                }
            }
        }
        _ => {
            // The states of a component from one of them on, as a component of their own.
            for (state, label) in wrong.iter_mut().enumerate() {
                if state >= a && *label == answer[a] && label.is_some() {
                    *label = number(a);
                }
            }
        }
    }
    wrong
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn right_answers_are_accepted_and_others_rejected(
        graph in model(30),
        workers in prop::sample::select(vec![1usize, 2, 3]),
        first in prop::sample::select(vec![0, FAR]),
        changes in prop::collection::vec((0..8u32, any::<usize>(), any::<usize>()), 3),
    ) {
        for kind in KINDS {
            let right = expected(&graph, kind, first);
            let violation = verdict(&graph, kind, workers, first, &right, None);
            prop_assert_eq!(violation, None, "{:?}", kind);
            for &(how, a, b) in &changes {
                let wrong = mutated(&right, first, how, a, b);
                let violation = verdict(&graph, kind, workers, first, &wrong, None);
                prop_assert_eq!(violation.is_some(), wrong != right, "{:?} {:?}", kind, wrong);
            }
        }
    }

    #[test]
    fn no_certificate_makes_a_wrong_answer_right(
        graph in model(5),
        workers in prop::sample::select(vec![1usize, 2, 3]),
        answer in prop::collection::vec(prop::option::weighted(0.7, 0..3u64), 5),
        numbers in prop::collection::vec(prop::collection::vec(0..4u64, 5), 3),
    ) {
        let states = graph.num_states();
        let cut = |all: &Vec<u64>| all[..states].to_vec();
        let numbers = [cut(&numbers[0]), cut(&numbers[1]), cut(&numbers[2])];
        for kind in KINDS {
            let right = expected(&graph, kind, 0);
            for answer in [&answer[..states].to_vec(), &right] {
                let violation = verdict(&graph, kind, workers, 0, answer, Some(&numbers));
                prop_assert!(violation.is_some() || *answer == right, "{:?}", kind);
            }
        }
    }
}

#[test]
fn each_obligation_is_named() {
    use ComponentKind::{Mec, Scc};
    // 0 and 1 are a cycle, 1 may leave for 2, which stays or goes on to 3; 3 only leads to 2.
    let choices = [
        vec![vec![1]],
        vec![vec![0], vec![2, 3]],
        vec![vec![2], vec![3]],
        vec![vec![2]],
    ];
    let graph = MdpGraph::from_choices(&choices).expect("well formed");
    let right: Answer = [0, 0, 2, 2].map(Some).into();
    let good = || [vec![2, 2, 1, 1], vec![0, 1, 0, 1], vec![0, 1, 0, 1]];
    let with = |column: usize, state: usize, number: u64| {
        let mut numbers = good();
        numbers[column][state] = number;
        numbers
    };
    let say = |kind, answer: &Answer, numbers: Numbers| {
        let said = [1, 2, 3].map(|w| verdict(&graph, kind, w, 0, answer, Some(&numbers)));
        assert!(said.iter().all(|other| *other == said[0]), "{said:?}");
        said[0].clone().unwrap_or_else(|| "accepted".to_owned())
    };
    let answer = |labels: [Option<u64>; 4]| -> Answer { labels.into() };
    let (cut, lone) = (
        answer([Some(0), Some(0), None, None]),
        answer([Some(0), Some(0), Some(2), None]),
    );
    let lines = [
        say(Scc, &right, good()),
        say(Mec, &right, good()),
        say(Scc, &lone, with(0, 3, 0)),
        say(Scc, &answer([Some(0), Some(0), Some(3), Some(3)]), good()),
        say(Scc, &right, with(0, 1, 3)),
        say(Mec, &right, with(1, 3, 0)),
        say(Scc, &right, with(2, 1, 0)),
        say(
            Scc,
            &right,
            [vec![1; 4], vec![0, 1, 0, 1], vec![0, 1, 0, 1]],
        ),
        say(Mec, &cut, good()),
        say(
            Mec,
            &lone,
            [vec![2, 2, 1, 1], vec![0, 1, 0, 1], vec![0, 1, 0, 1]],
        ),
        say(Mec, &answer([Some(0), None, None, None]), with(0, 1, 1)),
        say(
            Mec,
            &vec![None; 4],
            [vec![2, 3, 1, 1], vec![0; 4], vec![0; 4]],
        ),
    ];
    insta::assert_snapshot!(lines.join("\n"));
}

//! Tests of loops: the number of their iterations, their ends, and steps that depend on words that
//! the device has written.

use gpu::{Condition, Error, Limits, Recording, Repeat, Request};
use proptest::prelude::*;

use crate::common;
use crate::search::{Graph, Uploaded};

#[test]
fn a_loop_runs_as_many_levels_as_there_are() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    for states in [1_usize, 2, 8, 9, 17, 25, 5_000] {
        let graph = Graph::path(states);
        let uploaded = Uploaded::new(&gpu, &graph).unwrap();
        let (recording, found, levels) =
            uploaded.search(Repeat::over("search", states as u64), false);
        let outcome = gpu.run(&recording).unwrap();
        assert_eq!(outcome.get(found), graph.distances());
        assert_eq!(outcome[levels].iterations, states as u64);
        assert!(outcome[levels].last.is_last());
        assert!(
            outcome.submissions <= 5 + states as u64 / 100,
            "{} submissions",
            outcome.submissions
        );
    }
}

#[test]
fn a_pipelined_loop_leaves_nothing_behind_it_undone() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let graphs = [1_usize, 4, 5, 31, 32, 33, 2_000].map(Graph::path);
    let mut recordings = Vec::new();
    for graph in &graphs {
        let how = Repeat::over("search", graph.states().into()).pipelined();
        // A level of the search that finds no state changes nothing, however many workgroups it
        // has.
        for how in [how.clone(), how.fixed_grid()] {
            let uploaded = Uploaded::new(&gpu, graph).unwrap();
            // Because nothing is read, the host does not wait for iterations after the end.
            let mut recording = Recording::new();
            uploaded.start(&mut recording);
            let levels = uploaded.levels(&mut recording, how, false);
            recordings.push((uploaded, recording, levels, graph.distances()));
        }
    }
    for _ in 0..3 {
        for (uploaded, recording, levels, expected) in &recordings {
            let outcome = gpu.run(recording).unwrap();
            assert_eq!(outcome[*levels].iterations, expected.len() as u64);
            assert_eq!(gpu.read(&uploaded.distances).unwrap(), *expected);
        }
    }
}

#[test]
fn a_loop_ends_where_no_pass_has_a_turn() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let graph = Graph::path(40);
    let uploaded = Uploaded::new(&gpu, &graph).unwrap();
    let how = Repeat::over("search", graph.states().into());
    for how in [how.clone(), how.clone().fixed_grid(), how.pipelined()] {
        let mut recording = Recording::new();
        uploaded.start(&mut recording);
        let passes: Vec<_> = uploaded.passes(false).collect();
        let levels = recording.repeat(how, |level| {
            for turn in [0..3, 3..4, 4..12, 20..30] {
                for pass in &passes {
                    level.dispatch_in(turn.clone(), pass);
                }
            }
        });
        for _ in 0..2 {
            let outcome = gpu.run(&recording).unwrap();
            // The last iteration has no passes to run.
            assert_eq!(outcome[levels].iterations, 13);
            let distances = gpu.read(&uploaded.distances).unwrap();
            assert_eq!(distances[..13], graph.distances()[..13]);
            assert!(distances[13..].iter().all(|&distance| distance > 40));
        }
    }
}

#[test]
fn a_loop_may_take_its_limit_and_no_more() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    for (states, pipelined) in [6_u64, 7, 40, 41]
        .into_iter()
        .flat_map(|states| [(states, false), (states, true)])
    {
        let uploaded = Uploaded::new(&gpu, &Graph::path(states as usize)).unwrap();
        let how = Repeat::over("search", states);
        let how = if pipelined { how.pipelined() } else { how };
        let (enough, ..) = uploaded.search(how.clone().at_most(states), false);
        gpu.run(&enough).unwrap();
        let (short, ..) = uploaded.search(how.at_most(states - 1), false);
        let expected = Error::LoopLimit {
            what: "search".to_owned(),
            iterations: states - 1,
        };
        assert_eq!(gpu.run(&short).unwrap_err(), expected);
    }
}

#[test]
fn both_counts_of_a_fresh_record_can_be_required() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let uploaded = Uploaded::new(&gpu, &Graph::path(50)).unwrap();
    // No pass ever asks for workgroups in y, so the loop ends after its first iteration.
    let (recording, _, levels) =
        uploaded.search(Repeat::over("search", 50).fresh([0, 0, 1]), false);
    let outcome = gpu.run(&recording).unwrap();
    assert_eq!(outcome[levels].iterations, 1);
    assert_eq!(outcome[levels].last.groups, [1, 0, 1]);
}

/// Each of the successive loops in one recording has as many levels as its path has states. The
/// number of iterations of one loop says nothing about the next.
#[test]
fn successive_loops_need_not_take_as_long_as_predicted() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let lengths = [3_usize, 3, 3, 3, 40, 2, 1, 7, 300, 5, 5, 5, 5, 6];
    let paths: Vec<_> = lengths.iter().map(|&states| Graph::path(states)).collect();
    let uploaded: Vec<_> = paths
        .iter()
        .map(|path| Uploaded::new(&gpu, path).unwrap())
        .collect();
    for _ in 0..3 {
        let mut recording = Recording::new();
        let searches: Vec<_> = uploaded
            .iter()
            .map(|path| path.search_again(&mut recording))
            .collect();
        let outcome = gpu.run(&recording).unwrap();
        for ((found, levels), path) in searches.into_iter().zip(&paths) {
            assert_eq!(outcome.get(found), path.distances());
            assert_eq!(outcome[levels].iterations, u64::from(path.states()));
        }
    }
}

/// Some paths take one batch of iterations, and others several. The steps after the loop also run
/// after batches that are not the last one, whose results are discarded.
#[test]
fn reads_after_a_loop_are_returned_together_with_its_end() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let copied = gpu.zeroed::<u32>("copied", 3).unwrap();
    let filled = gpu.zeroed::<u32>("filled", 1).unwrap();
    for states in [1_u32, 2, 8, 9, 300, 2_000] {
        let path = Graph::path(states as usize);
        let uploaded = Uploaded::new(&gpu, &path).unwrap();
        for how in [
            Repeat::over("search", states.into()),
            Repeat::over("search", states.into()).pipelined(),
        ] {
            let mut recording = Recording::new();
            recording.fill(&filled, 0);
            uploaded.start(&mut recording);
            let last = u64::from(states - 1);
            let (levels, (copies, found)) = uploaded.levels_then(&mut recording, how, |then| {
                then.fill(&copied, 7);
                then.copy(&uploaded.distances, last..last + 1, &copied, 1);
                (then.read(&copied, 0..3), uploaded.read_last(then))
            });
            // The word is the same as the one that was read just before.
            recording.stop_if_zero(&uploaded.distances, last);
            recording.fill(&filled, 1);
            let outcome = gpu.run(&recording).unwrap();
            assert_eq!(outcome[levels].iterations, u64::from(states));
            assert_eq!(outcome.get(copies), [7, states - 1, 7]);
            assert_eq!(outcome.get(found), [states - 1]);
            let is_filled = gpu.read(&filled).unwrap();
            assert_eq!(is_filled, [u32::from(states > 1)], "{states} states");
        }
    }
}

/// If a search took as long as the last few times, the host continues before it knows where the
/// search ended. The results are right even if the search takes longer this time, and even if
/// nothing comes after it.
#[test]
fn a_loop_that_was_presumed_to_have_ended_is_begun_again() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let copied = gpu.zeroed::<u32>("copied", 1).unwrap();
    let other = Uploaded::new(&gpu, &Graph::path(4)).unwrap();
    for (states, has_next) in [
        5, 5, 5, 9, 9, 9, 2, 2, 1, 1, 1, 40, 40, 40, 200, 200, 200, 5, 5,
    ]
    .into_iter()
    .flat_map(|states| [(states, true), (states, false)])
    {
        let uploaded = Uploaded::new(&gpu, &Graph::path(states as usize)).unwrap();
        gpu.write(&copied, 0, &[0]).unwrap();
        let last = u64::from(states - 1);
        let how = Repeat::over("presumed", states.into()).presumed();
        let mut recording = Recording::new();
        uploaded.start(&mut recording);
        let (levels, found) =
            uploaded.levels_then(&mut recording, how, |then| uploaded.read_last(then));
        recording.stop_if_zero(&uploaded.distances, last);
        recording.copy(&uploaded.distances, last..last + 1, &copied, 0);
        let next = has_next.then(|| other.search_again(&mut recording));
        let outcome = gpu.run(&recording).unwrap();
        assert_eq!(outcome[levels].iterations, u64::from(states));
        assert_eq!(outcome.get(found), [states - 1]);
        assert_eq!(gpu.read(&copied).unwrap(), [states - 1]);
        if let Some((distances, levels)) = next
            && states > 1
        {
            assert_eq!(outcome[levels].iterations, 4);
            assert_eq!(outcome.get(distances), Graph::path(4).distances());
        }
        assert_eq!(
            gpu.read(&uploaded.distances).unwrap(),
            Graph::path(states as usize).distances()
        );
    }
}

#[test]
fn steps_after_a_loop_may_not_disturb_it() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let uploaded = Uploaded::new(&gpu, &Graph::path(2_000)).unwrap();
    let refused = |then: &dyn Fn(&mut Recording)| {
        let mut recording = Recording::new();
        let how = Repeat::over("search", 2_000);
        uploaded.levels_then(&mut recording, how, |recording| then(recording));
        let message = gpu.run(&recording).unwrap_err().to_string();
        assert!(message.contains("between its iterations"), "{message}");
    };
    refused(&|then| {
        then.fill(&uploaded.distances, 1);
    });
    refused(&|then| {
        then.write(&uploaded.distances, 0, &[1]);
    });
    refused(&|then| {
        then.read(&uploaded.distances, 0..2_000);
    });
}

#[test]
fn the_host_does_not_wait_for_an_unwatched_loop() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let paths = [1, 2, 5, 8].map(Graph::path);
    let how = |levels| Repeat::over("search", levels).at_most(levels).unwatched();
    let mut recording = Recording::new();
    let uploaded: Vec<_> = paths
        .iter()
        .map(|path| Uploaded::new(&gpu, path).unwrap())
        .collect();
    for (uploaded, path) in uploaded.iter().zip(&paths) {
        uploaded.start(&mut recording);
        uploaded.levels(&mut recording, how(path.states().into()), false);
    }
    // Another loop in the same submission is watched.
    let watched = Uploaded::new(&gpu, &Graph::path(9)).unwrap();
    let (found, levels) = watched.search_again(&mut recording);
    let outcome = gpu.run(&recording).unwrap();
    assert_eq!(outcome[levels].iterations, 9);
    assert_eq!(outcome.get(found), Graph::path(9).distances());
    for (uploaded, path) in uploaded.iter().zip(&paths) {
        assert_eq!(gpu.read(&uploaded.distances).unwrap(), path.distances());
    }
    let (many, ..) = uploaded[0].search(how(9), false);
    let refused = gpu.run(&many);
    assert!(
        matches!(refused, Err(Error::Validation { .. })),
        "{refused:?}"
    );
}

#[test]
fn a_recording_stops_at_a_word_that_is_zero() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let words = gpu.upload("words", &[7_u32, 0]).unwrap();
    let uploaded = Uploaded::new(&gpu, &Graph::path(9)).unwrap();
    let filled = gpu.zeroed::<u32>("filled", 3).unwrap();
    let mut recording = Recording::new();
    recording.stop_if_zero(&words, 0).fill(&filled, 1);
    let (found, first) = uploaded.search_again(&mut recording);
    recording.stop_if_zero(&words, 1).fill(&filled, 2);
    let (_, second) = uploaded.search_again(&mut recording);
    let outcome = gpu.run(&recording).unwrap();
    assert_eq!(outcome[first].iterations, 9);
    assert_eq!(outcome.get(found), Graph::path(9).distances());
    assert_eq!(outcome[second].iterations, 0);
    assert_eq!(gpu.read(&filled).unwrap(), [1; 3]);
    let beyond = gpu.run(Recording::new().stop_if_zero(&words, 2));
    assert!(
        matches!(beyond, Err(Error::Validation { .. })),
        "{beyond:?}"
    );
}

#[test]
fn steps_can_depend_on_how_a_loop_ended() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    // If the record of an iteration has no workgroups in y, the loop ends even if there are some in
    // x.
    for (fresh, states) in [
        ([0, 0, 1], 50),
        ([0, 1, 1], 50),
        ([0, 1, 1], 4),
        ([0, 0, 1], 4),
    ] {
        let uploaded = Uploaded::new(&gpu, &Graph::path(states)).unwrap();
        let filled = gpu.zeroed::<u32>("filled", 2).unwrap();
        let mut recording = Recording::new();
        uploaded.start(&mut recording);
        let how = Repeat::over("search", states as u64).fresh(fresh);
        let ended = uploaded.levels(&mut recording, how, false);
        let mut fill = |condition, value| {
            recording.when(condition, |recording| {
                recording.fill(&filled, value);
            });
        };
        fill(Condition::With(ended, 0), 3);
        fill(Condition::Without(ended, 0), 5);
        let found = recording.read(&filled, 0..2);
        let outcome = gpu.run(&recording).unwrap();
        let expected = if fresh == [0, 0, 1] { 3 } else { 5 };
        assert_eq!(outcome.get(found), [expected; 2], "{fresh:?} {states}");
    }
}

/// The loops and the steps around them need no more than the limits that every adapter has.
#[test]
fn loops_run_on_a_device_that_has_no_more_than_webgpu_guarantees() {
    let request = Request {
        at_most: Some(Limits::WEBGPU),
        ..Request::any()
    };
    let Some(gpu) = common::open(&request) else {
        return;
    };
    assert_eq!(*gpu.limits(), Limits::WEBGPU);
    let graph = Graph::path(600);
    let uploaded = Uploaded::new(&gpu, &graph).unwrap();
    let how = Repeat::over("search", 600);
    for how in [how.clone(), how.clone().pipelined(), how.fixed_grid()] {
        let mut recording = Recording::new();
        uploaded.start(&mut recording);
        let levels = uploaded.levels(&mut recording, how, true);
        recording.when(Condition::Without(levels, 0), |recording| {
            uploaded.search_again(recording);
        });
        recording.stop_if_zero(&uploaded.distances, 599);
        let found = recording.read(&uploaded.distances, 0..600);
        let outcome = gpu.run(&recording).unwrap();
        assert_eq!(outcome[levels].iterations, 600);
        assert_eq!(outcome.get(found), graph.distances());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// For every graph, in one piece or cut into tiny shards, the distances are those of the
    /// sequential search.
    #[test]
    fn sharded_searches_agree_with_the_plain_one(
        states in 1_usize..60,
        raw in prop::collection::vec((0_usize..60, 0_u32..60), 0..120),
        counted: bool,
    ) {
        let Some(gpu) = common::open(&Request::any()) else { return Ok(()) };
        let edges: Vec<_> = raw.iter().map(|(s, t)| (s % states, t % states as u32)).collect();
        let graph = Graph::new(states, &edges);
        // No state of these graphs has more edges than a shard.
        let uploaded = Uploaded::sharded(&gpu, &graph, 128).unwrap();
        let (recording, found, _) = uploaded.search(Repeat::over("search", states as u64), counted);
        prop_assert_eq!(gpu.run(&recording).unwrap().get(found), graph.distances());
    }
}

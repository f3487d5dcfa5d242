//! Recordings on a real device (Mesa's lavapipe will do), against what they should compute.

mod common;

use std::ops::ControlFlow;

use gpu::kernels::{BfsParams, test::BfsLevel};
use gpu::{Buffer, Condition, Control, Error, Gpu, Groups, Recording, Repeat, Request, Shard};
use proptest::prelude::*;

/// A graph as offsets and targets.
struct Graph {
    offsets: Vec<u32>,
    targets: Vec<u32>,
}

impl Graph {
    fn new(states: usize, edges: &[(usize, u32)]) -> Self {
        let mut rows = vec![Vec::new(); states];
        for &(source, target) in edges {
            rows[source].push(target);
        }
        let mut offsets = vec![0];
        for row in &rows {
            offsets.push(offsets[offsets.len() - 1] + row.len() as u32);
        }
        Self {
            offsets,
            targets: rows.concat(),
        }
    }

    fn path(states: usize) -> Self {
        let edges: Vec<_> = (1..states).map(|s| (s - 1, s as u32)).collect();
        Self::new(states, &edges)
    }

    fn states(&self) -> u32 {
        self.offsets.len() as u32 - 1
    }

    /// Distances from state 0, the plain way.
    fn distances(&self) -> Vec<u32> {
        let mut distances = vec![u32::MAX; self.states() as usize];
        distances[0] = 0;
        let mut queue = std::collections::VecDeque::from([0]);
        while let Some(s) = queue.pop_front() {
            for &t in &self.targets[self.offsets[s] as usize..self.offsets[s + 1] as usize] {
                if distances[t as usize] == u32::MAX {
                    distances[t as usize] = distances[s] + 1;
                    queue.push_back(t as usize);
                }
            }
        }
        distances
    }
}

/// A graph on a device, its edges in shards.
struct Uploaded {
    offsets: Buffer<u32>,
    shards: Vec<Shard<u32>>,
    distances: Buffer<u32>,
    zero: Buffer<u32>,
}

impl Uploaded {
    fn new(gpu: &Gpu, graph: &Graph) -> gpu::Result<Self> {
        let start = |row: u32| u64::from(graph.offsets[row as usize]);
        Ok(Self {
            offsets: gpu.upload("offsets", &graph.offsets)?,
            shards: gpu.upload_sharded("targets", graph.states(), start, &graph.targets)?,
            distances: gpu.zeroed("distances", graph.states().into())?,
            zero: gpu.zeroed("zero", 1)?,
        })
    }

    fn passes(&self, counted: bool) -> impl Iterator<Item = BfsLevel<'_>> {
        self.shards.iter().map(move |shard| BfsLevel {
            offsets: &self.offsets,
            targets: &shard.buffer,
            distances: &self.distances,
            params: BfsParams {
                first_state: shard.rows.start,
                end_state: shard.rows.end,
                first_edge: shard.elements.start as u32,
            },
            counted,
        })
    }

    /// Records a search from state 0 behind what is recorded already.
    fn search_again(&self, recording: &mut Recording) -> (gpu::Ticket<u32>, gpu::LoopTicket) {
        let start = gpu::kernels::basic::Fill {
            target_words: &self.distances,
            params: gpu::kernels::FillParams { value: u32::MAX },
        };
        recording.dispatch(&start, Groups::Over(self.distances.len()));
        recording.copy(&self.zero, 0..1, &self.distances, 0);
        let how = Repeat::over("search", self.distances.len());
        let levels = recording.repeat(how, |_, level| {
            for pass in self.passes(false) {
                level.dispatch(&pass);
            }
        });
        let found = recording.read(&self.distances, 0..self.distances.len());
        (found, levels)
    }

    /// Distances from state 0.
    fn search(&self, how: Repeat, counted: bool) -> (Recording, gpu::Ticket<u32>, gpu::LoopTicket) {
        let mut recording = Recording::new();
        recording
            .fill(&self.distances, u32::MAX)
            .write(&self.distances, 0, &[0]);
        let levels = recording.repeat(how, |_, level| {
            for pass in self.passes(counted) {
                level.dispatch(&pass);
            }
        });
        let found = recording.read(&self.distances, 0..self.distances.len());
        (recording, found, levels)
    }
}

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
fn a_loop_that_runs_ahead_leaves_nothing_behind_it_undone() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let graphs = [1_usize, 4, 5, 31, 32, 33, 2_000].map(Graph::path);
    let mut recordings = Vec::new();
    for graph in &graphs {
        let how = Repeat::over("search", graph.states().into()).ahead();
        // A level of the search that finds no state does nothing, however many workgroups it has.
        for how in [how.clone(), how.alike()] {
            let uploaded = Uploaded::new(&gpu, graph).unwrap();
            // Without a read, nothing waits for what was submitted beyond the end.
            let mut recording = Recording::new();
            recording
                .fill(&uploaded.distances, u32::MAX)
                .write(&uploaded.distances, 0, &[0]);
            let levels = recording.repeat(how, |_, level| {
                for pass in uploaded.passes(false) {
                    level.dispatch(&pass);
                }
            });
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
fn an_observer_sees_the_records_of_every_iteration() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let graph = Graph::path(300);
    let uploaded = Uploaded::new(&gpu, &graph).unwrap();
    let (recording, ..) = uploaded.search(Repeat::over("search", 300), true);
    let mut seen = Vec::new();
    let mut observer = |progress: gpu::Progress<'_>| {
        assert_eq!(progress.name, "search");
        seen.extend_from_slice(progress.records);
        assert_eq!(progress.iterations, seen.len() as u64);
        ControlFlow::Continue(())
    };
    gpu.run_with(
        &recording,
        &mut Control {
            observer: Some(&mut observer),
            ..Control::default()
        },
    )
    .unwrap();
    let iterations: Vec<u32> = seen.iter().map(|record| record.iteration).collect();
    assert_eq!(iterations, (0..300).collect::<Vec<_>>());
    // Each level but the first was asked for by the one state that was found.
    assert_eq!(seen.iter().map(|record| record.words[0]).sum::<u32>(), 299);
}

#[test]
fn an_observer_can_cancel_and_the_device_lives_on() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let uploaded = Uploaded::new(&gpu, &Graph::path(2_000)).unwrap();
    let how = Repeat::over("search", 2_000);
    for how in [how.clone(), how.clone().ahead(), how.ahead().alike()] {
        let (recording, found, _) = uploaded.search(how, false);
        let mut calls = 0;
        let mut observer = |_: gpu::Progress<'_>| {
            calls += 1;
            if calls == 3 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let cancelled = gpu.run_with(
            &recording,
            &mut Control {
                observer: Some(&mut observer),
                ..Control::default()
            },
        );
        assert_eq!(cancelled.unwrap_err(), Error::Cancelled);
        assert_eq!(calls, 3);
        assert_eq!(
            gpu.run(&recording).unwrap().get(found),
            Graph::path(2_000).distances()
        );
    }
}

#[test]
fn a_loop_may_take_its_limit_and_no_more() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    for (states, ahead) in [6_u64, 7, 40, 41]
        .into_iter()
        .flat_map(|states| [(states, false), (states, true)])
    {
        let uploaded = Uploaded::new(&gpu, &Graph::path(states as usize)).unwrap();
        let how = Repeat::over("search", states);
        let how = if ahead { how.ahead() } else { how };
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
fn a_loop_can_start_from_a_record_on_the_device() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let graph = Graph::path(50);
    let uploaded = Uploaded::new(&gpu, &graph).unwrap();
    for (groups, expected) in [([1, 1, 1], 50), ([0, 1, 1], 0)] {
        let record = gpu::LoopRecord {
            groups,
            ..Default::default()
        };
        let records = gpu
            .upload("records", &[gpu::LoopRecord::default(), record])
            .unwrap();
        let (recording, _, levels) =
            uploaded.search(Repeat::from_record("search", &records, 1), false);
        assert_eq!(gpu.run(&recording).unwrap()[levels].iterations, expected);
    }
}

#[test]
fn both_counts_of_a_fresh_record_can_be_required() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let uploaded = Uploaded::new(&gpu, &Graph::path(50)).unwrap();
    // Nobody ever asks for y, so the loop ends after its first iteration.
    let (recording, _, levels) =
        uploaded.search(Repeat::over("search", 50).fresh([0, 0, 1]), false);
    let outcome = gpu.run(&recording).unwrap();
    assert_eq!(outcome[levels].iterations, 1);
    assert_eq!(outcome[levels].last.groups, [1, 0, 1]);
}

#[test]
fn phases_take_turns() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let (path, idle) = (Graph::path(40), Graph::path(40));
    let (path, idle) = (
        Uploaded::new(&gpu, &path).unwrap(),
        Uploaded::new(&gpu, &idle).unwrap(),
    );
    let mut recording = Recording::new();
    for uploaded in [&path, &idle] {
        recording
            .fill(&uploaded.distances, u32::MAX)
            .write(&uploaded.distances, 0, &[0]);
    }
    // Iteration k relaxes the states at distance k: the first graph sees the even ones only, and none
    // but the first is there; the other one sees odd distances alone, and has none.
    let levels = recording.repeat(Repeat::over("turns", 40).phases(2), |phase, level| {
        level.dispatch(&[&path, &idle][phase].passes(false).next().unwrap());
    });
    let found = recording.read(&path.distances, 0..3);
    let none = recording.read(&idle.distances, 0..2);
    let outcome = gpu.run(&recording).unwrap();
    assert_eq!(outcome[levels].iterations, 2);
    assert_eq!(outcome.get(found), [0, 1, u32::MAX]);
    assert_eq!(outcome.get(none), [0, u32::MAX]);
}

/// Loops one after the other in the same recording, each of as many levels as its path has states. What one
/// took says nothing of the next.
#[test]
fn loops_in_a_row_need_not_take_as_long_as_foreseen() {
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

#[test]
fn loops_that_take_as_long_as_last_time_share_a_submission() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let uploaded = Uploaded::new(&gpu, &Graph::path(5)).unwrap();
    let submissions = || {
        let mut recording = Recording::new();
        for step in 0..20 {
            let how = Repeat::over("search", 5);
            recording.repeat(how, |_, level| {
                level.dispatch(&uploaded.passes(false).next().unwrap());
            });
            recording.fill(&uploaded.distances, step);
        }
        gpu.run(&recording).unwrap().submissions
    };
    let first = submissions();
    let later = (0..5).map(|_| submissions()).min().unwrap();
    assert!(later < first && later <= 3, "{first}, then {later}");
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
fn what_is_done_can_depend_on_how_a_loop_ended() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    // The second loop ends without workgroups in x, the other with some.
    for (fresh, states) in [
        ([0, 0, 1], 50),
        ([0, 1, 1], 50),
        ([0, 1, 1], 4),
        ([0, 0, 1], 4),
    ] {
        let uploaded = Uploaded::new(&gpu, &Graph::path(states)).unwrap();
        let filled = gpu.zeroed::<u32>("filled", 2).unwrap();
        let mut recording = Recording::new();
        recording
            .fill(&uploaded.distances, u32::MAX)
            .write(&uploaded.distances, 0, &[0]);
        let how = Repeat::over("search", states as u64).fresh(fresh);
        let ended = recording.repeat(how, |_, level| {
            level.dispatch(&uploaded.passes(false).next().unwrap());
        });
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

#[test]
fn passes_are_timed_where_the_adapter_can() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let uploaded = Uploaded::new(&gpu, &Graph::path(3_000)).unwrap();
    let (recording, found, levels) = uploaded.search(Repeat::over("search", 3_000), false);
    let outcome = gpu
        .run_with(
            &recording,
            &mut Control {
                time_passes: true,
                ..Control::default()
            },
        )
        .unwrap();
    assert_eq!(outcome.get(found), Graph::path(3_000).distances());
    assert_eq!(outcome[levels].iterations, 3_000);
    if !gpu.info().timestamps {
        return eprintln!("SKIPPED: {} has no timestamps", gpu.info());
    }
    let names: Vec<&str> = outcome
        .times
        .iter()
        .map(|time| time.name.as_str())
        .collect();
    assert!(
        names.contains(&"test/bfs_level") && names.contains(&"basic/fill"),
        "{names:?}"
    );
    let search = outcome
        .times
        .iter()
        .find(|time| time.name == "test/bfs_level")
        .unwrap();
    let each = outcome.dispatch_times.iter();
    let each = each.filter(|time| time.kernel == "test/bfs_level");
    assert_eq!(each.count() as u64, search.calls);
    assert!(
        search.calls >= 3_000 && search.nanoseconds > 0,
        "{search:?}"
    );
}

#[test]
fn more_workgroups_than_a_dimension_holds_fold_into_two() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    // 256 invocations a workgroup: 70,000 workgroups.
    let words = 70_000 * 256 - 3;
    let buffer = gpu.zeroed::<u32>("words", words).unwrap();
    let mut recording = Recording::new();
    recording.fill(&buffer, 0xDEAD_BEEF);
    gpu.run(&recording).unwrap();
    assert!(
        gpu.read(&buffer)
            .unwrap()
            .iter()
            .all(|word| *word == 0xDEAD_BEEF)
    );
}

#[test]
fn a_dispatch_can_be_sized_on_the_device() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let sizes = gpu.upload("sizes", &[7_u32, 0, 1, 1, 2, 1, 1]).unwrap();
    let buffer = gpu.zeroed::<u32>("words", 10).unwrap();
    let fill = |value| gpu::kernels::basic::Fill {
        target_words: &buffer,
        params: gpu::kernels::FillParams { value },
    };
    let mut recording = Recording::new();
    recording.dispatch(&fill(1), Groups::indirect(&sizes, 1));
    let after_none = recording.read(&buffer, 0..10);
    recording.dispatch(&fill(2), Groups::indirect(&sizes, 4));
    let after_two = recording.read(&buffer, 0..10);
    let outcome = gpu.run(&recording).unwrap();
    assert_eq!(outcome.get(after_none), [0; 10]);
    assert_eq!(outcome.get(after_two), [2; 10]);
}

#[test]
fn transfers_happen_where_they_were_recorded() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let a = gpu.upload("a", &(0..10_u32).collect::<Vec<_>>()).unwrap();
    let b = gpu.zeroed::<u32>("b", 6).unwrap();
    let mut recording = Recording::new();
    let before = recording.read(&b, 0..6);
    recording.copy(&a, 3..7, &b, 1).write(&b, 0, &[90, 91]);
    let middle = recording.read(&b, 0..6);
    recording.fill(&b, 0);
    let after = recording.read(&b, 2..4);
    let nothing = recording.read(&b, 6..6);
    let outcome = gpu.run(&recording).unwrap();
    assert_eq!(outcome.get(before), [0; 6]);
    assert_eq!(outcome.get(middle), [90, 91, 4, 5, 6, 0]);
    assert_eq!(outcome.get(after), [0, 0]);
    assert_eq!(outcome.get(nothing), [0_u32; 0]);
    assert_eq!(outcome.submissions, 1);
}

#[test]
fn large_transfers_come_back_as_they_went() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    // Several rounds of the ring, the last chunk cut short; then a part, at an odd place.
    let data: Vec<u32> = (0..26_000_001_u32)
        .map(|i| i.wrapping_mul(2_654_435_761))
        .collect();
    let buffer = gpu.upload("data", &data).unwrap();
    assert!(gpu.read(&buffer).unwrap() == data);
    gpu.write(&buffer, 1_000_003, &data[..7_000_001]).unwrap();
    let back = gpu.read_range(&buffer, 1_000_000..9_000_000).unwrap();
    assert!(back[..3] == data[1_000_000..1_000_003] && back[3..7_000_004] == data[..7_000_001]);
    assert!(back[7_000_004..] == data[8_000_004..9_000_000]);
}

#[test]
fn blocks_are_copied_whole_by_any_number_of_workgroups() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let blocks: Vec<[u32; 4]> = (0..1000).map(|i| [i, !i, i * i, 7]).collect();
    for groups in [Groups::Over(1000), Groups::Fixed([3, 1, 1])] {
        let from = gpu.upload("from", &blocks).unwrap();
        let to = gpu.zeroed("to", 1000).unwrap();
        let pass = gpu::kernels::basic::Copy {
            from_blocks: &from,
            to_blocks: &to,
        };
        gpu.run(Recording::new().dispatch(&pass, groups)).unwrap();
        assert_eq!(gpu.read(&to).unwrap(), blocks);
    }
}

#[test]
fn empty_buffers_are_buffers() {
    let Some(gpu) = common::open(&Request::any()) else {
        return;
    };
    let buffer = gpu.upload::<u32>("nothing", &[]).unwrap();
    assert!(buffer.is_empty());
    assert_eq!(gpu.read(&buffer).unwrap(), []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any graph, cut into tiny shards or not: the distances of the plain search.
    #[test]
    fn sharded_searches_agree_with_the_plain_one(
        states in 1_usize..60,
        raw in prop::collection::vec((0_usize..60, 0_u32..60), 0..120),
        counted: bool,
    ) {
        let Some(gpu) = common::open(&Request::any().max_binding_bytes(1_024)) else { return Ok(()) };
        let edges: Vec<_> = raw.iter().map(|(s, t)| (s % states, t % states as u32)).collect();
        let graph = Graph::new(states, &edges);
        let uploaded = Uploaded::new(&gpu, &graph).unwrap();
        let (recording, found, _) = uploaded.search(Repeat::over("search", states as u64), counted);
        prop_assert_eq!(gpu.run(&recording).unwrap().get(found), graph.distances());
    }
}

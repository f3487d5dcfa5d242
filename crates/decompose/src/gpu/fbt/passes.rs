//! The steps of a search as recorded passes: each function is a line of the papers' algorithms.
//!
//! This file defines which kernels make up a step, and on which buffers they run, once for each
//! shard. It does not decide when a step runs.

use super::rows::DeviceRows;
use super::state::Direction;
use super::upload::FbtGraph;
use crate::gpu::options::Pivot;
use ::gpu::kernels::fbt::{self, BLOCK, SIZE};
use ::gpu::kernels::{
    MergeParams, PullParams, RestoreParams, Rows, SearchParams, SelectParams, StartParams,
    StatesParams, TrimParams, UnmarkedParams,
};
use ::gpu::{
    Body, Buffer, Groups, LoopHandle, LoopRecord, MAX_WORKGROUPS, ReadHandle, Recording, Repeat,
};

/// The pivots that are to be selected.
#[derive(Clone, Copy)]
pub(super) struct Pivots<'a> {
    /// The states that may become pivots, one bit each. By default, all states may.
    pub(super) candidates: Option<&'a Buffer<u32>>,
    /// The number of the round. In each round, states compete in a different order.
    pub(super) round: u64,
}

/// Returns a hash of the number of a round (the finalizer of MurmurHash3).
fn order(round: u64) -> u32 {
    let mut bits = (round as u32).wrapping_add(1);
    for (shift, factor) in [(16, 0x85eb_ca6b), (13, 0xc2b2_ae35)] {
        bits = (bits ^ bits >> shift).wrapping_mul(factor);
    }
    bits ^ bits >> 16
}

/// This many turns of pivot selection take less time than the host would need to notice that one
/// turn was enough.
const FEW_TURNS: u64 = 3;

/// Returns a loop whose workgroups take `each` of `items` at a time.
pub(super) fn repeat(name: &str, items: u32, each: u32, at_most: u64) -> Repeat {
    let groups = items.div_ceil(each).clamp(1, MAX_WORKGROUPS);
    Repeat::groups(name, [groups, 1, 1]).at_most(at_most)
}

/// The rows that a dispatch of a kernel walks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RowKind {
    /// The short rows, each by one invocation.
    Short,
    /// The long rows, in pieces.
    Long,
}

/// Which trimming of a search is recorded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Trimming {
    /// The first one, in a recording that does not depend on earlier ones. It takes longer than
    /// the others, and equally long in each search of the graph.
    First,
    /// One after a round.
    Later,
}

impl FbtGraph {
    pub(super) fn num_states(&self) -> u32 {
        self.state.states
    }

    /// Returns the kinds of rows for which kernels without a transpose are run: first all short
    /// rows, then the long ones, if there are any.
    fn row_kinds(&self) -> &'static [RowKind] {
        match self.forward.has_long {
            true => &[RowKind::Short, RowKind::Long],
            false => &[RowKind::Short],
        }
    }

    /// Returns each shard of the forward rows with each kind of rows for which kernels without a
    /// transpose are run.
    pub(super) fn shards_by_row_kind(&self) -> impl Iterator<Item = (usize, RowKind)> {
        let kinds = self.row_kinds();
        let shards = 0..self.forward.shards.len();
        shards.flat_map(|shard| kinds.iter().map(move |&kind| (shard, kind)))
    }

    /// Returns the number of items of a loop whose workgroups take `each` states at a time, or,
    /// without the transpose, a piece of a long row.
    pub(super) fn items(&self, each: u32) -> u32 {
        let pieces = match self.backward {
            Some(_) => 0,
            None => self.forward.num_pieces(),
        };
        self.num_states().max(pieces.saturating_mul(each))
    }

    /// Returns an upper bound on the number of iterations of a loop. Each level of a search and
    /// each iteration of trimming changes a state, except for the last one and for those in which
    /// trimming checks states without success.
    pub(super) fn most_iterations(&self) -> u64 {
        // In each iteration, at least `long_row` entries of a long row are walked.
        let rows = std::iter::once(&self.forward).chain(&self.backward);
        let pieces: u64 = rows.map(|rows| u64::from(rows.num_pieces())).sum();
        4 * (u64::from(self.state.states) + pieces) + 16
    }

    /// Returns the buffers that are bound if the graph has choices: the offsets of states into the
    /// choices, and the removed choices.
    fn choices(&self) -> (Option<&Buffer<u32>>, Option<&Buffer<u32>>) {
        let choices = self.choices.as_ref();
        (
            choices.map(|choices| &choices.offsets),
            choices.map(|choices| &choices.removed),
        )
    }

    /// Records a reset: all states are in one region, and none was reached.
    pub(super) fn reset(&self, recording: &mut Recording) {
        recording
            .fill(&self.state.results, 0)
            .fill(&self.state.frontiers, 0);
    }

    /// Records Algorithm 1, line 1, and counts the remaining states, or those of `candidates`.
    pub(super) fn trim(
        &self,
        recording: &mut Recording,
        candidates: Option<&Buffer<u32>>,
        which: Trimming,
    ) -> (LoopHandle, ReadHandle<u32>) {
        let first = match &self.backward {
            Some(_) => u32::MAX,
            None => 0,
        };
        recording.fill(&self.state.checks, first);
        let how = |name| repeat(name, self.items(BLOCK), BLOCK, self.most_iterations());
        let how = match which {
            Trimming::First => how("first trim").presumed(),
            Trimming::Later => how("trim"),
        };
        let trim = |body: &mut Body| match &self.backward {
            Some(backward) => self.trim_both(body, backward),
            None => self.trim_marked(body),
        };
        recording.repeat_then(how, trim, |then| self.count_active(then, candidates))
    }

    fn trim_both(&self, body: &mut Body, backward: &DeviceRows) {
        for (direction, rows) in [(0, &self.forward), (1, backward)] {
            for shard in 0..rows.shards.len() {
                body.dispatch(&self.trim_along(direction, rows, shard));
            }
        }
    }

    fn trim_marked(&self, body: &mut Body) {
        for (shard, kind) in self.shards_by_row_kind() {
            body.dispatch(&self.trim_mark(shard, kind));
        }
        body.dispatch(&fbt::TrimUnmarked {
            results: &self.state.results,
            marked: &self.state.checks,
            params: UnmarkedParams {
                states: self.num_states(),
                suspected_at: self.state.words,
            },
        });
    }

    fn trim_along<'a>(
        &'a self,
        direction: u32,
        rows: &'a DeviceRows,
        shard: usize,
    ) -> fbt::Trim<'a> {
        let (choice_offsets, removed) = self.choices();
        fbt::Trim {
            offsets: &rows.offsets,
            entries: rows.entries(shard),
            choice_offsets,
            removed,
            groups: Some(rows.groups(shard)),
            results: &self.state.results,
            checks: &self.state.checks,
            tells: &self.state.frontiers,
            params: TrimParams {
                rows: rows.range(shard),
                direction,
                words: self.state.words,
                ..TrimParams::default()
            },
            lanes: rows.lanes,
            choices: removed.is_some(),
            long: rows.has_long,
        }
    }

    fn trim_mark(&self, shard: usize, kind: RowKind) -> fbt::TrimMark<'_> {
        let (rows, (choice_offsets, removed)) = (&self.forward, self.choices());
        fbt::TrimMark {
            offsets: &rows.offsets,
            entries: rows.entries(shard),
            choice_offsets,
            removed,
            groups: Some(rows.groups(shard)),
            results: &self.state.results,
            marked: &self.state.checks,
            rows: Rows {
                // The place of the bits of states that follow those of the marked states.
                progress_at: self.state.words,
                ..rows.range(shard)
            },
            lanes: rows.lanes,
            choices: removed.is_some(),
            long: kind == RowKind::Long,
        }
    }

    /// Algorithm 6, and the start of the searches.
    pub(super) fn select_pivots(
        &self,
        recording: &mut Recording,
        pivots: Pivots<'_>,
    ) -> LoopHandle {
        let candidates = pivots.candidates;
        let handle = self.name_regions(recording, candidates, pivots.round);
        let start = fbt::Start {
            results: &self.state.results,
            frontiers: &self.state.frontiers,
            params: StartParams {
                states: self.num_states(),
                words: self.state.words,
                directions: if self.backward.is_some() { 2 } else { 1 },
            },
            join: candidates.is_some(),
        };
        recording.dispatch(&start, self.state.over_states());
        handle
    }

    /// Records Algorithm 6, in as many iterations as the hashes need, once for each shard of the
    /// table. Afterwards, each region with a candidate is locked, and named after its pivot.
    pub(super) fn name_regions(
        &self,
        recording: &mut Recording,
        candidates: Option<&Buffer<u32>>,
        round: u64,
    ) -> LoopHandle {
        let rows = &self.forward;
        let places = self.num_states().next_power_of_two();
        let largest = rows
            .shards
            .iter()
            .map(|shard| shard.entries.len() as u32)
            .max();
        let items = largest.unwrap_or(0).max(places);
        // Hashes are below three times the states (`shaders/fbt/lib/pivots.wgsl`).
        let hashes = 3 * u64::from(self.num_states());
        let turns = hashes.div_ceil(rows.num_entries.max(1).into()).max(1);
        let how = repeat("select pivots", items, SIZE, turns);
        let how = match turns <= FEW_TURNS {
            true => how.unwatched(),
            false => how,
        };
        recording.repeat(how, |body| {
            for shard in &rows.shards {
                let (results, entries) = (&self.state.results, &shard.entries);
                let params = SelectParams {
                    states: self.num_states(),
                    all_entries: rows.num_entries,
                    first_entry: shard.range.first_entry,
                    end_entry: shard.range.end_entry,
                    places,
                    order: order(round) & (places - 1),
                    ..SelectParams::default()
                };
                body.dispatch(&fbt::SelectPivots {
                    results,
                    entries,
                    candidates,
                    params,
                    aggregated: self.options.pivot == Pivot::Aggregated,
                    join: candidates.is_some(),
                });
                if candidates.is_some() {
                    body.dispatch(&fbt::FollowPivots {
                        results,
                        entries,
                        params,
                    });
                }
                body.dispatch(&fbt::RestoreEntries {
                    results,
                    entries,
                    params: RestoreParams {
                        entries: shard.entries.len() as u32,
                    },
                });
            }
        })
    }

    /// Records the searches of both directions, until both have ended. Returns their loops.
    pub(super) fn search_both(&self, recording: &mut Recording) -> Vec<LoopHandle> {
        let (hybrid, backward) = (self.options.hybrid, &self.backward);
        let mut searches = Vec::new();
        match backward {
            // Both directions are in one loop, because the host waits for the end of each loop.
            Some(backward) if hybrid => {
                let mut asked = [0; LoopRecord::WORDS];
                asked[..2].fill(1);
                let how = self.hybrid().words(asked);
                searches.push(recording.repeat(how, |body| self.level_of_both(body, backward, 1)));
            }
            _ => {
                if hybrid {
                    searches.push(self.search_hybrid(recording));
                }
                searches.push(self.search(recording, Direction::Forward, 0));
                searches.push(self.search(recording, Direction::Backward, 0));
            }
        }
        searches
    }

    /// Returns a loop with as many workgroups forward as backward.
    fn hybrid(&self) -> Repeat {
        let groups = self
            .num_states()
            .div_ceil(BLOCK)
            .clamp(1, MAX_WORKGROUPS / 2);
        Repeat::groups("hybrid search", [2 * groups, 1, 1]).at_most(self.most_iterations())
    }

    /// Records a level of the hybrid search with a transpose.
    fn level_of_both(&self, body: &mut Body, backward: &DeviceRows, until_both: u32) {
        for shard in 0..self.forward.shards.len().max(backward.shards.len()) {
            body.dispatch(&fbt::Search {
                back_offsets: Some(&backward.offsets),
                back_entries: Some(backward.entries(shard)),
                back_groups: Some(backward.groups(shard)),
                params: SearchParams {
                    rows: [self.forward.range(shard), backward.range(shard)],
                    until_both,
                    ..self.search_params(Direction::Forward, 0)
                },
                hybrid: true,
                long: self.forward.has_long || backward.has_long,
                ..self.search_along(Direction::Forward, &self.forward, shard, 0)
            });
        }
    }

    /// Records the searches of both directions at the same time, until either has ended (5.2). In
    /// the last record, x is 0 if the forward search has ended, and y if the backward search has.
    pub(super) fn search_hybrid(&self, recording: &mut Recording) -> LoopHandle {
        let how = self.hybrid().fresh([0, 0, 1]);
        recording.repeat(how, |body| match &self.backward {
            Some(backward) => self.level_of_both(body, backward, 0),
            None => {
                for shard in 0..self.forward.shards.len() {
                    body.dispatch(&self.search_along(Direction::Forward, &self.forward, shard, 0));
                    for &kind in self.row_kinds() {
                        body.dispatch(&fbt::SearchNoTranspose {
                            hybrid: true,
                            ..self.pull(shard, kind, 0)
                        });
                    }
                }
            }
        })
    }

    /// Records the search of one direction until it has ended. Returns its loop. Only states with
    /// the mark `bound` are explored.
    pub(super) fn search(
        &self,
        recording: &mut Recording,
        direction: Direction,
        bound: u32,
    ) -> LoopHandle {
        let name = match direction {
            Direction::Forward => "forward search",
            Direction::Backward => "backward search",
        };
        let how = repeat(name, self.items(BLOCK), BLOCK, self.most_iterations());
        let rows = match direction {
            Direction::Forward => Some(&self.forward),
            Direction::Backward => self.backward.as_ref(),
        };
        recording.repeat(how, |body| match rows {
            Some(rows) => {
                for shard in 0..rows.shards.len() {
                    body.dispatch(&self.search_along(direction, rows, shard, bound));
                }
            }
            None => {
                for (shard, kind) in self.shards_by_row_kind() {
                    body.dispatch(&self.pull(shard, kind, bound));
                }
            }
        })
    }

    /// Records Algorithm 2, lines 13 to 20: the search of one direction has ended. The other one is
    /// completed only within the states that the first one has reached, and its marks outside of
    /// these are removed.
    pub(super) fn search_bounded(&self, recording: &mut Recording, ended: Direction) -> LoopHandle {
        let handle = self.search(recording, ended.other(), ended.mark());
        self.discard_marks(recording, ended.other());
        handle
    }

    fn search_along<'a>(
        &'a self,
        direction: Direction,
        rows: &'a DeviceRows,
        shard: usize,
        bound: u32,
    ) -> fbt::Search<'a> {
        let mut params = self.search_params(direction, bound);
        params.rows[params.direction as usize] = rows.range(shard);
        let (choice_offsets, removed) = self.choices();
        fbt::Search {
            offsets: &rows.offsets,
            entries: rows.entries(shard),
            groups: Some(rows.groups(shard)),
            back_offsets: None,
            back_entries: None,
            back_groups: None,
            choice_offsets,
            removed,
            results: &self.state.results,
            frontiers: &self.state.frontiers,
            params,
            lanes: rows.lanes,
            hybrid: false,
            cached: self.options.cache_hops > 0,
            choices: removed.is_some(),
            long: rows.has_long,
        }
    }

    fn search_params(&self, direction: Direction, bound: u32) -> SearchParams {
        SearchParams {
            direction: u32::from(direction == Direction::Backward),
            bound,
            words: self.state.words,
            hops: self.options.cache_hops,
            ..SearchParams::default()
        }
    }

    /// Returns a pass that searches backward without a transpose, over the forward edges.
    fn pull(&self, shard: usize, kind: RowKind, bound: u32) -> fbt::SearchNoTranspose<'_> {
        let (rows, (choice_offsets, removed)) = (&self.forward, self.choices());
        fbt::SearchNoTranspose {
            offsets: &rows.offsets,
            entries: rows.entries(shard),
            choice_offsets,
            removed,
            groups: Some(rows.groups(shard)),
            results: &self.state.results,
            params: PullParams {
                rows: rows.range(shard),
                bound,
                ..PullParams::default()
            },
            lanes: rows.lanes,
            hybrid: false,
            choices: removed.is_some(),
            long: kind == RowKind::Long,
        }
    }

    /// Records Algorithm 2, lines 17 to 20, which removes the marks of the search that was bounded.
    fn discard_marks(&self, recording: &mut Recording, discarded: Direction) {
        let pass = fbt::Merge {
            results: &self.state.results,
            params: MergeParams {
                states: self.num_states(),
                discarded: discarded.mark(),
            },
        };
        recording.dispatch(&pass, self.state.over_states());
    }

    /// Returns the number of states that are in no component yet; of `candidates`, if given.
    pub(super) fn count_active(
        &self,
        recording: &mut Recording,
        candidates: Option<&Buffer<u32>>,
    ) -> ReadHandle<u32> {
        let pass = fbt::CountActive {
            results: &self.state.results,
            candidates,
            join: candidates.is_some(),
            active_states: self.state.active(),
            params: StatesParams {
                states: self.num_states(),
            },
        };
        recording.fill(self.state.active(), 0);
        recording.dispatch(
            &pass,
            Groups::Over(u64::from(self.num_states().div_ceil(16))),
        );
        recording.read(self.state.active(), 0..1)
    }
}

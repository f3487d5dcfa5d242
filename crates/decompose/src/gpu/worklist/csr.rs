//! Lays out compressed sparse rows on the device. The arrays of a graph are uploaded once,
//! unchanged.
//!
//! Self-loops are left out. The edges of a row come in any order, because no phase depends on their
//! order. The device also builds the transpose: on a host, this alone would take many times as long
//! as the search.
//!
//! Arrays of edges, which may be larger than a binding, are cut into shards between states; arrays
//! with a word for each state or choice are not.

use super::input::Rows;
use super::rows::{DeviceRows, RowLengths, RowOffsets};
use super::tuning::Tuning;
use crate::Error;
use ::gpu::kernels::{RowsPiece, csr};
use ::gpu::row_entries::{dispatches, piece};
use ::gpu::{Buffer, Gpu, Groups, Piece, Recording, Shard, prefix_sums};

/// A graph on the device.
#[derive(Debug)]
pub(super) struct LaidOut {
    pub(super) forward: DeviceRows,
    pub(super) backward: DeviceRows,
    /// The number of choices of each state, and whether one of them leads to the state alone, if
    /// the graph has choices.
    pub(super) choices: Option<Buffer<u32>>,
}

impl<'a> Rows<'a> {
    /// Puts the graph on the device, forward and backward, in shards of at most `limit` edges. Rows
    /// of more than `long_row` entries are distributed over several workgroups.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device has no room, or a state has more edges than `limit`.
    pub(super) fn lay_out(self, gpu: &Gpu, limit: u64, long_row: u32) -> Result<LaidOut, Error> {
        self.count(gpu, limit, long_row)?.lay_out()
    }

    /// Counts the edges that [`lay_out`](Self::lay_out) would lay out in the same way.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device has no room.
    pub(super) fn count(
        self,
        gpu: &'a Gpu,
        limit: u64,
        long_row: u32,
    ) -> Result<Counted<'a>, Error> {
        Layout::new(gpu, self, limit, long_row)?.count()
    }
}

/// For each choice its state, and for each state its number of choices.
struct Sources {
    choice_offsets: Buffer<u32>,
    states: Buffer<u32>,
    counts: Buffer<u32>,
}

/// The edges of one direction, and their choices if there are any.
struct Edges {
    shards: Vec<Shard<u32>>,
    choices: Vec<Buffer<u32>>,
}

/// A graph of which the edges are counted, and not laid out.
pub(super) struct Counted<'a> {
    layout: Layout<'a>,
    row_offsets: Buffer<u32>,
    targets: Vec<Shard<u32>>,
    /// Where the edges of each row will begin.
    kept: Buffer<u32>,
    /// Where the edges of each state will begin, if that is known.
    forward: Option<RowOffsets>,
    /// Where the edges that enter each state will begin.
    entering: Buffer<u32>,
    /// The lengths of these rows, if they are known.
    entering_lengths: Option<RowLengths>,
}

/// A graph that is being laid out.
struct Layout<'a> {
    gpu: &'a Gpu,
    rows: Rows<'a>,
    limit: u64,
    long_row: u32,
    sources: Option<Sources>,
}

impl<'a> Layout<'a> {
    fn new(gpu: &'a Gpu, rows: Rows<'a>, limit: u64, long_row: u32) -> Result<Self, Error> {
        let layout = |sources| Self {
            gpu,
            rows,
            limit,
            long_row: long_row.max(1),
            sources,
        };
        let Some(choice_offsets) = rows.choice_offsets(gpu)? else {
            return Ok(layout(None));
        };
        let sources = Sources {
            choice_offsets,
            states: gpu.zeroed("sources", rows.num_rows().into())?,
            counts: gpu.zeroed("choices of states", rows.num_states().into())?,
        };
        let mut recording = Recording::new();
        let all = piece(0..rows.num_states(), 0);
        for (piece, groups) in dispatches(all, rows.num_rows().into(), long_row) {
            let pass = csr::Sources {
                row_offsets: &sources.choice_offsets,
                piece: &gpu.upload("a piece", &[piece])?,
                sources: &sources.states,
                counts: &sources.counts,
            };
            recording.dispatch(&pass, groups);
        }
        gpu.run(&recording)?;
        Ok(layout(Some(sources)))
    }

    /// Returns the state of each choice, if the graph has choices.
    fn states_of_choices(&self) -> Option<&Buffer<u32>> {
        self.sources.as_ref().map(|sources| &sources.states)
    }

    fn count(self) -> Result<Counted<'a>, Error> {
        let (row_offsets, targets) = self.rows.entries(self.gpu, self.limit)?;
        let (kept, entering) = self.count_edges(&row_offsets, &targets)?;
        Ok(Counted {
            layout: self,
            row_offsets,
            targets,
            kept,
            forward: None,
            entering,
            entering_lengths: None,
        })
    }

    /// Returns where the edges of each row will begin, and those that enter each state.
    fn count_edges(
        &self,
        row_offsets: &Buffer<u32>,
        targets: &[Shard<u32>],
    ) -> Result<(Buffer<u32>, Buffer<u32>), Error> {
        let (gpu, rows) = (self.gpu, &self.rows);
        let kept = gpu.zeroed("forward offsets", u64::from(rows.num_rows()) + 1)?;
        let entering = gpu.zeroed("backward offsets", u64::from(rows.num_states()) + 1)?;
        let mut recording = Recording::new();
        for shard in targets {
            let piece = piece(shard.rows.clone(), shard.elements.start);
            for (piece, groups) in dispatches(piece, shard.buffer.len(), self.long_row) {
                let pass = csr::Count {
                    row_offsets,
                    piece: &gpu.upload("a piece", &[piece])?,
                    targets: &shard.buffer,
                    kept: &kept,
                    entering: &entering,
                    sources: self.states_of_choices(),
                    counts: self.sources.as_ref().map(|sources| &sources.counts),
                    choices: self.sources.is_some(),
                };
                recording.dispatch(&pass, groups);
            }
        }
        prefix_sums(gpu, &mut recording, &kept)?;
        prefix_sums(gpu, &mut recording, &entering)?;
        gpu.run(&recording)?;
        Ok((kept, entering))
    }

    /// Returns where the edges of states begin, given where those of rows begin.
    fn of_states(&self, kept: &Buffer<u32>) -> Result<RowOffsets, Error> {
        let offsets = match &self.sources {
            Some(sources) => gather(self.gpu, &sources.choice_offsets, kept)?,
            None => kept.clone(),
        };
        let lengths = lengths(self.gpu, &offsets)?;
        Ok(RowOffsets { offsets, lengths })
    }

    /// Returns the edges by their rows.
    fn pack(
        &self,
        row_offsets: &Buffer<u32>,
        targets: &[Shard<u32>],
        kept_offsets: &Buffer<u32>,
    ) -> Result<Edges, Error> {
        let gpu = self.gpu;
        let first_row = |state| self.rows.first_row(gpu, state);
        let edges = self.edges("forward", first_row, kept_offsets)?;
        let rows_of = |to: &Shard<u32>| self.rows.of_states(gpu, &to.rows);
        let rows_of: Vec<_> = edges.shards.iter().map(rows_of).collect::<Result<_, _>>()?;
        let long_rows = self.rows.num_entries() / u64::from(self.long_row) + 1;
        let long_placed = gpu.zeroed("edges of long rows", long_rows)?;
        let mut recording = Recording::new();
        for shard in targets {
            for (i, (to, rows)) in edges.shards.iter().zip(&rows_of).enumerate() {
                let rows = rows.start.max(shard.rows.start)..rows.end.min(shard.rows.end);
                if rows.is_empty() {
                    continue;
                }
                let piece = RowsPiece {
                    first_edge: to.elements.start as u32,
                    ..piece(rows, shard.elements.start)
                };
                for (piece, groups) in dispatches(piece, shard.buffer.len(), self.long_row) {
                    let pass = csr::Pack {
                        row_offsets,
                        piece: &gpu.upload("a piece", &[piece])?,
                        targets: &shard.buffer,
                        kept_offsets,
                        edges: &to.buffer,
                        sources: self.states_of_choices(),
                        edge_choices: edges.choices.get(i),
                        long_placed: &long_placed,
                        choices: self.sources.is_some(),
                    };
                    recording.dispatch(&pass, groups);
                }
            }
        }
        gpu.run(&recording)?;
        Ok(edges)
    }

    /// Returns the edges by their targets.
    fn backward(
        &self,
        row_offsets: &Buffer<u32>,
        back_offsets: &Buffer<u32>,
        forward: &Edges,
    ) -> Result<Edges, Error> {
        let gpu = self.gpu;
        let back = self.edges("backward", Ok, back_offsets)?;
        let next = gpu.zeroed("next places", back_offsets.len())?;
        let mut recording = Recording::new();
        recording.copy(back_offsets, 0..back_offsets.len(), &next, 0);
        for shard in &forward.shards {
            let rows = self.rows.of_states(gpu, &shard.rows)?;
            for (i, to) in back.shards.iter().enumerate() {
                let piece = RowsPiece {
                    first_edge: to.elements.start as u32,
                    first_state: to.rows.start,
                    end_state: to.rows.end,
                    ..piece(rows.clone(), shard.elements.start)
                };
                for (piece, groups) in dispatches(piece, shard.buffer.len(), self.long_row) {
                    let pass = csr::Reverse {
                        row_offsets,
                        piece: &gpu.upload("a piece", &[piece])?,
                        edges: &shard.buffer,
                        next: &next,
                        back_edges: &to.buffer,
                        sources: self.states_of_choices(),
                        back_edge_choices: back.choices.get(i),
                        choices: self.sources.is_some(),
                    };
                    recording.dispatch(&pass, groups);
                }
            }
        }
        gpu.run(&recording)?;
        Ok(back)
    }

    /// Allocates the edges of one direction. Those of a state begin at offset `place(state)`.
    fn edges(
        &self,
        name: &str,
        place: impl Fn(u32) -> ::gpu::Result<u32>,
        offsets: &Buffer<u32>,
    ) -> Result<Edges, Error> {
        let gpu = self.gpu;
        let mut edges = Edges {
            shards: Vec::new(),
            choices: Vec::new(),
        };
        for (rows, elements) in self.cut(place, offsets)? {
            let count = elements.end - elements.start;
            let name = |what: &str| format!("{name} {what} from state {}", rows.start);
            if self.sources.is_some() {
                edges.choices.push(gpu.zeroed(&name("choices"), count)?);
            }
            edges.shards.push(Shard {
                buffer: gpu.zeroed(&name("edges"), count)?,
                rows,
                elements,
            });
        }
        Ok(edges)
    }

    /// Returns the shards of the edges of one direction. Only a few offsets are read, not all.
    fn cut(
        &self,
        place: impl Fn(u32) -> ::gpu::Result<u32>,
        offsets: &Buffer<u32>,
    ) -> Result<Vec<Piece>, Error> {
        let (gpu, states) = (self.gpu, self.rows.num_states());
        let at = |row: u64| gpu.read_one(offsets, row).map(u64::from);
        let count = at(offsets.len() - 1)?;
        if count <= self.limit {
            return Ok(vec![(0..states, 0..count)]);
        }
        let start = |state| at(place(state)?.into());
        Ok(::gpu::try_cut(states, start, self.limit)?)
    }
}

impl<'a> Counted<'a> {
    /// Lays out the edges. Frees what the graph was uploaded to.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device has no room, or a state has more edges than the limit.
    pub(super) fn lay_out(self) -> Result<LaidOut, Error> {
        let (layout, kept, entering) = (self.layout, self.kept, self.entering);
        let forward = layout.pack(&self.row_offsets, &self.targets, &kept)?;
        drop((self.row_offsets, self.targets));
        let backward = layout.backward(&kept, &entering, &forward)?;
        let leaving = match self.forward {
            Some(leaving) => leaving,
            None => layout.of_states(&kept)?,
        };
        let entering = RowOffsets {
            lengths: match self.entering_lengths {
                Some(lengths) => lengths,
                None => lengths(layout.gpu, &entering)?,
            },
            offsets: entering,
        };
        let rows = |offsets, edges: Edges| DeviceRows::new(offsets, edges.shards, edges.choices);
        Ok(LaidOut {
            forward: rows(leaving, forward),
            backward: rows(entering, backward),
            choices: layout.sources.map(|sources| sources.counts),
        })
    }

    /// Returns where the edges of states begin, if the graph may be one component and a search
    /// would try that first.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device has no room.
    pub(super) fn if_one_component(
        &mut self,
        tuning: &Tuning,
    ) -> Result<Option<RowOffsets>, Error> {
        let (layout, gpu, states) = (&self.layout, self.layout.gpu, self.layout.rows.num_states());
        // With self-loops there are no fewer edges.
        if !tuning.tries_one_component(states, layout.rows.num_entries()) {
            return Ok(None);
        }
        let edges = gpu.read_one(&self.kept, self.kept.len() - 1)?;
        if !tuning.tries_one_component(states, edges.into()) {
            return Ok(None);
        }
        let entering = self.entering_lengths.insert(lengths(gpu, &self.entering)?);
        if entering.longer_than(0) < states {
            return Ok(None);
        }
        let leaving = layout.of_states(&self.kept)?;
        Ok((leaving.lengths.longer_than(0) == states).then_some(leaving))
    }

    /// Frees what belongs to choices, so that edges may take its memory. `rows` are the same edges
    /// with a row for each state; `forward` says where these will begin.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device has no room.
    pub(super) fn without_choices<'b>(
        self,
        rows: Rows<'b>,
        forward: RowOffsets,
    ) -> Result<Counted<'b>, Error>
    where
        'a: 'b,
    {
        let layout = Layout {
            rows,
            sources: None,
            ..self.layout
        };
        let (row_offsets, targets) = rows.entries(layout.gpu, layout.limit)?;
        Ok(Counted {
            layout,
            row_offsets,
            targets,
            kept: forward.offsets.clone(),
            forward: Some(forward),
            entering: self.entering,
            entering_lengths: self.entering_lengths,
        })
    }
}

/// Computes where the edges of each state begin.
fn gather(
    gpu: &Gpu,
    choice_offsets: &Buffer<u32>,
    kept_offsets: &Buffer<u32>,
) -> Result<Buffer<u32>, Error> {
    let offsets = gpu.zeroed("forward offsets", choice_offsets.len())?;
    let pass = csr::Gather {
        choice_offsets,
        kept_offsets,
        offsets: &offsets,
    };
    gpu.run(Recording::new().dispatch(&pass, Groups::Over(offsets.len())))?;
    Ok(offsets)
}

/// Returns the inline rows of all states, forward and backward, which are of one shard each
/// (`shaders/csr/inline_adjacency.wgsl`).
pub(super) fn inline_rows(gpu: &Gpu, rows: [&DeviceRows; 2]) -> Result<Buffer<[u32; 4]>, Error> {
    let inline_rows = gpu.zeroed("inline rows", 4 * u64::from(rows[0].num_states()))?;
    let mut recording = Recording::new();
    for (direction, rows) in (0..).zip(rows) {
        let pass = csr::InlineAdjacency {
            offsets: &rows.offsets,
            edges: rows.targets(0),
            direction: &gpu.upload("a direction", &[direction])?,
            inline_rows: &inline_rows,
        };
        recording.dispatch(&pass, Groups::Over(rows.num_states().into()));
    }
    gpu.run(&recording)?;
    Ok(inline_rows)
}

/// Counts rows by their lengths.
fn lengths(gpu: &Gpu, offsets: &Buffer<u32>) -> Result<RowLengths, Error> {
    let by_length = gpu.zeroed("rows by length", 32)?;
    let pass = csr::Lengths {
        offsets,
        by_length: &by_length,
    };
    gpu.run(Recording::new().dispatch(&pass, Groups::Over(offsets.len())))?;
    let mut counts = [0; 32];
    counts.copy_from_slice(&gpu.read(&by_length)?);
    Ok(RowLengths(counts))
}

#[cfg(test)]
mod tests;

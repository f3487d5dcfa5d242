//! The passes of a batch, in order.

use crate::buffers::{Buffers, SearchMode};
use crate::generator::Kind;
use gpu::kernels::{ExploreParams, explore as kernels};
use gpu::{Body, Buffer, Recording, Repeat};

/// The passes of a batch.
pub(crate) struct Passes<'a> {
    pub(crate) buffers: &'a Buffers,
    pub(crate) params: ExploreParams,
    /// The number of words of a state.
    pub(crate) words: u32,
    pub(crate) mode: SearchMode,
}

impl Passes<'_> {
    /// Records batches until the search stops. Each pass has this many workgroups; those without
    /// work end at once.
    pub(crate) fn record(&self, recording: &mut Recording, workgroups: u32) {
        let repeat = Repeat::groups("exploring", [workgroups, 1, 1]).fixed_grid();
        recording.repeat(repeat, |body| {
            self.candidates(body);
            self.look_up(body);
            self.number(body);
            self.rows(body);
        });
    }

    /// Computes the successors of the batch.
    fn candidates(&self, body: &mut Body) {
        let (buffers, params) = (self.buffers, self.params);
        self.count(body);
        body.dispatch(&kernels::Place {
            offsets: &buffers.offsets,
            sums: &buffers.sums,
            control: &buffers.control,
            params,
        });
        self.write(body);
    }

    /// Counts the successors.
    fn count(&self, body: &mut Body) {
        let (buffers, params, words) = (self.buffers, self.params, self.words);
        match self.mode.kind {
            Kind::Network => body.dispatch(&kernels::Count {
                network: &buffers.tables,
                states: &buffers.states,
                control: &buffers.control,
                offsets: &buffers.offsets,
                sums: &buffers.sums,
                params,
                words,
            }),
            Kind::Program => body.dispatch(&kernels::ProgramCount {
                program: &buffers.tables,
                states: &buffers.states,
                control: &buffers.control,
                offsets: &buffers.offsets,
                sums: &buffers.sums,
                tallies: &buffers.tallies,
                params,
                words,
            }),
        };
    }

    /// Writes the successors.
    fn write(&self, body: &mut Body) {
        let (buffers, params, words) = (self.buffers, self.params, self.words);
        match self.mode.kind {
            Kind::Network => body.dispatch(&kernels::Write {
                network: &buffers.tables,
                states: &buffers.states,
                control: &buffers.control,
                offsets: &buffers.offsets,
                sums: &buffers.sums,
                candidates: &buffers.batch.vectors,
                labels: buffers.batch.labels.as_ref(),
                params,
                words,
                labelled: buffers.batch.labels.is_some(),
            }),
            Kind::Program => body.dispatch(&kernels::ProgramWrite {
                program: &buffers.tables,
                states: &buffers.states,
                control: &buffers.control,
                offsets: &buffers.offsets,
                sums: &buffers.sums,
                candidates: &buffers.batch.vectors,
                labels: buffers.batch.labels.as_ref(),
                tallies: &buffers.tallies,
                params,
                words,
                labelled: buffers.batch.labels.is_some(),
            }),
        };
    }

    /// Looks up the candidates.
    fn look_up(&self, body: &mut Body) {
        let (buffers, params, words) = (self.buffers, self.params, self.words);
        body.dispatch(&kernels::Insert {
            states: &buffers.states,
            candidates: &buffers.batch.vectors,
            control: &buffers.control,
            slots: &buffers.slots,
            found: &buffers.batch.found,
            tallies: &buffers.tallies,
            params,
            words,
        });
        if let Some(labels) = buffers
            .batch
            .labels
            .as_ref()
            .filter(|_| self.mode.drops_repeated)
        {
            self.mark_repeated(body, labels);
        }
    }

    /// Marks repeated transitions.
    fn mark_repeated(&self, body: &mut Body, labels: &Buffer<u32>) {
        let (buffers, params) = (self.buffers, self.params);
        match self.mode.kind {
            Kind::Network => body.dispatch(&kernels::Repeats {
                network: &buffers.tables,
                control: &buffers.control,
                offsets: &buffers.offsets,
                sums: &buffers.sums,
                found: &buffers.batch.found,
                labels,
                tallies: &buffers.tallies,
                params,
            }),
            Kind::Program => body.dispatch(&kernels::Merge {
                control: &buffers.control,
                found: &buffers.batch.found,
                labels,
                tallies: &buffers.tallies,
                params,
            }),
        };
    }

    /// Finds the new states, and numbers them.
    fn number(&self, body: &mut Body) {
        let (buffers, params, words) = (self.buffers, self.params, self.words);
        let batch = &buffers.batch;
        body.dispatch(&kernels::Firsts {
            found: &batch.found,
            slots: &buffers.slots,
            control: &buffers.control,
            block_sums: &batch.block_sums,
            labels: batch.labels.as_ref(),
            params,
            drop: self.mode.drops_repeated,
        });
        body.dispatch(&kernels::Rank {
            block_sums: &batch.block_sums,
            tallies: &buffers.tallies,
            control: &buffers.control,
            params,
        });
        body.dispatch(&kernels::Number {
            found: &batch.found,
            slots: &buffers.slots,
            control: &buffers.control,
            block_sums: &batch.block_sums,
            candidates: &batch.vectors,
            states: &buffers.states,
            labels: batch.labels.as_ref(),
            ranks: batch.ranks.as_ref(),
            params,
            words,
            drop: self.mode.drops_repeated,
        });
    }

    /// Writes the transitions.
    fn rows(&self, body: &mut Body) {
        let (buffers, batch, drop) = (self.buffers, &self.buffers.batch, self.mode.drops_repeated);
        body.dispatch(&kernels::Rows {
            control: &buffers.control,
            offsets: &buffers.offsets,
            sums: Some(&buffers.sums),
            tallies: &buffers.tallies,
            row_ends: buffers.rows.as_ref().map(|rows| &rows.ends),
            ranks: batch.ranks.as_ref(),
            keep: buffers.rows.is_some(),
            drop,
        });
        let Some(rows) = &buffers.rows else { return };
        match (&batch.labels, &batch.ranks) {
            (Some(labels), Some(ranks)) if self.mode.has_choices() => {
                body.dispatch(&kernels::Branches {
                    found: &batch.found,
                    slots: &buffers.slots,
                    control: &buffers.control,
                    targets: &rows.targets,
                    labels,
                    ranks,
                    tallies: &buffers.tallies,
                    params: self.params,
                })
            }
            _ => body.dispatch(&kernels::Targets {
                found: &batch.found,
                slots: &buffers.slots,
                control: &buffers.control,
                targets: &rows.targets,
                labels: batch.labels.as_ref(),
                actions: rows.actions.as_ref(),
                ranks: batch.ranks.as_ref(),
                params: self.params,
                labelled: rows.actions.is_some(),
                drop,
            }),
        };
    }
}

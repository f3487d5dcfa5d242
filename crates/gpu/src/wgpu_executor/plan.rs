//! The plan of a run: the steps of a recording in terms of the device, before any is encoded.
//!
//! In a plan, kernels are compiled and bound, small data are on the device, and every read has a
//! place in a single staging buffer.

use std::ops::Range;

use wgpu::BufferUsages;

use super::compile::compile;
use super::pipelines::{Pipeline, Source};
use super::resources::Resources;
use super::sync::lock;
use super::uniforms::Uniforms;
use crate::buffer::AnyBuffer;
use crate::call::Call;
use crate::error::Result;
use crate::recording::Recording;
use crate::repeat::Repeated;
use crate::run_options::RunOptions;
use crate::step::{Condition, Dispatch, Step};

/// A kernel with its buffers, which can be encoded.
pub(super) struct Bound {
    pub(super) pipeline: Pipeline,
    pub(super) group: wgpu::BindGroup,
    /// The byte offset of its parameters in the uniforms.
    pub(super) params: Option<u32>,
    /// The number of bytes that it binds.
    pub(super) bytes: u64,
}

/// Bytes to be copied between buffers of the device.
pub(super) struct Transfer {
    pub(super) from: wgpu::Buffer,
    pub(super) range: Range<u64>,
    pub(super) to: wgpu::Buffer,
    pub(super) at: u64,
}

/// A loop with its kernels bound.
pub(super) struct PlannedLoop<'a> {
    /// The number of the loop in the recording.
    pub(super) number: usize,
    pub(super) repeated: &'a Repeated,
    pub(super) body: Vec<Bound>,
    /// The buffer and the byte offset of its initial records, if the loop is unwatched.
    pub(super) fresh: Option<(wgpu::Buffer, u64)>,
}

/// A step that can be encoded.
pub(super) enum Planned<'a> {
    /// A kernel, with this many workgroups.
    Dispatch([u32; 3], Bound),
    /// A buffer that is set to zeros.
    Clear(wgpu::Buffer),
    /// A copy to a buffer of the caller, from another such buffer or from the uniforms.
    Copy(Transfer),
    /// A read with its number. It is a copy to the staging buffer of reads.
    Read(usize, Transfer),
    /// A loop.
    Loop(PlannedLoop<'a>),
    /// A condition on which steps depend.
    Guard {
        condition: &'a Condition,
        /// The first step that does not depend on it.
        end: usize,
        /// The buffer of a [`Condition::Word`], and the byte of the word.
        word: Option<(wgpu::Buffer, u64)>,
        /// The read directly before it that includes the word, if there is one, and the byte offset
        /// in it.
        read: Option<(usize, usize)>,
    },
}

/// All steps of a recording.
pub(super) struct Plan<'a> {
    pub(super) steps: Vec<Planned<'a>>,
    /// The step number of each loop.
    pub(super) loops: Vec<usize>,
    /// The staging buffer of reads, except for those that loops return.
    reads: Option<wgpu::Buffer>,
    /// The byte range of each read in `reads`.
    ranges: Vec<Range<u64>>,
}

impl<'a> Plan<'a> {
    /// Plans a run of `recording`: compiles and binds its kernels, and sends its small data.
    pub(super) fn new(
        resources: &Resources,
        uniforms: &mut Uniforms,
        recording: &'a Recording,
        options: &mut RunOptions<'_>,
    ) -> Result<Self> {
        let places = send(resources, uniforms, recording)?;
        let calls = recording.steps.iter().flat_map(Step::calls);
        let sources = calls.map(Source::of).collect();
        compile(&resources.device, &resources.pipelines, sources, options)?;
        let ranges = read_ranges(recording);
        let reads = match ranges.last() {
            Some(last) if last.end > 0 && !loops_bring_all(recording) => {
                let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
                Some(resources.device.buffer("reads", last.end, usage)?)
            }
            _ => None,
        };
        let mut planner = Planner {
            resources,
            uniforms,
            places: places.into_iter(),
            reads: reads.as_ref(),
            ranges: ranges.iter().enumerate(),
            steps: &recording.steps,
            loops: Vec::new(),
            num_reads: 0,
        };
        let each = recording.steps.iter().enumerate();
        let steps: Result<Vec<_>> = each.map(|(at, step)| planner.step(at, step)).collect();
        let loops = planner.loops;
        Ok(Self {
            steps: steps?,
            loops,
            reads,
            ranges,
        })
    }

    /// Returns the number of reads.
    pub(super) fn num_reads(&self) -> usize {
        self.ranges.len()
    }

    /// Returns the bytes of each read, once everything that was encoded is done. `brought` has the
    /// reads that loops have returned. `are_others` says whether other reads were encoded.
    pub(super) fn read_back(
        &self,
        resources: &Resources,
        brought: Vec<Option<Vec<u8>>>,
        are_others: bool,
    ) -> Result<Vec<Vec<u8>>> {
        let bytes = match &self.reads {
            Some(reads) if are_others => {
                resources.device.read_back::<u32>(reads, reads.size() / 4)?
            }
            _ => Vec::new(),
        };
        let bytes: &[u8] = bytemuck::cast_slice(&bytes);
        let each = self.ranges.iter().zip(brought);
        Ok(each
            .map(|(range, brought)| {
                let place = range.start as usize..range.end as usize;
                // The data of a read that was skipped are undefined.
                brought
                    .or_else(|| bytes.get(place.clone()).map(<[u8]>::to_vec))
                    .unwrap_or_else(|| vec![0; place.len()])
            })
            .collect())
    }
}

/// Sends the parameters of calls, the data of writes, and records. Returns the offset of each, in
/// the order of the steps.
fn send(
    resources: &Resources,
    uniforms: &mut Uniforms,
    recording: &Recording,
) -> Result<Vec<Option<u64>>> {
    uniforms.clear();
    let mut places = Vec::new();
    for step in &recording.steps {
        for call in step.calls() {
            places.push(call.kernel.params.map(|_| uniforms.push(&call.params)));
        }
        match step {
            Step::Write { data, .. } => places.push(Some(uniforms.push(data))),
            Step::Repeat(repeated) if repeated.options.unwatched => {
                let fresh = repeated.fresh_records(0, repeated.options.at_most);
                places.push(Some(uniforms.push(bytemuck::cast_slice(&fresh))));
            }
            _ => {}
        }
    }
    if uniforms.send(&resources.device)? {
        lock(&resources.bind_groups).forget_uniforms_before(uniforms.generation());
    }
    Ok(places)
}

/// Returns the byte range of each read in the staging buffer.
fn read_ranges(recording: &Recording) -> Vec<Range<u64>> {
    let mut end = 0;
    let reads = recording.steps.iter().filter_map(|step| match step {
        Step::Read(_, range) => Some(range.end - range.start),
        _ => None,
    });
    reads
        .map(|bytes| {
            let start = end;
            end += bytes;
            start..end
        })
        .collect()
}

/// Returns whether loops return all reads.
fn loops_bring_all(recording: &Recording) -> bool {
    let mut early = 0;
    recording.steps.iter().enumerate().all(|(at, step)| {
        if let Step::Repeat(repeated) = step {
            early = at + 1 + repeated.then;
        }
        !matches!(step, Step::Read(..)) || at < early
    })
}

/// Plans one step after another.
struct Planner<'p, 'a, P, R> {
    resources: &'p Resources,
    uniforms: &'p Uniforms,
    steps: &'a [Step],
    /// The offsets of the next data in the uniforms.
    places: P,
    reads: Option<&'p wgpu::Buffer>,
    /// The numbers and byte ranges of the next reads.
    ranges: R,
    /// The step numbers of the loops so far.
    loops: Vec<usize>,
    /// The number of reads so far.
    num_reads: usize,
}

impl<'p, 'a, P, R> Planner<'p, 'a, P, R>
where
    P: Iterator<Item = Option<u64>>,
    R: Iterator<Item = (usize, &'p Range<u64>)>,
{
    /// Plans step `at`.
    fn step(&mut self, at: usize, step: &'a Step) -> Result<Planned<'a>> {
        Ok(match step {
            Step::Dispatch(Dispatch { call, groups }) => {
                Planned::Dispatch(*groups, self.bind(call)?)
            }
            Step::Clear(buffer) => Planned::Clear(self.buffer(buffer)?),
            Step::Copy { from, to } => Planned::Copy(Transfer {
                from: self.buffer(&from.0)?,
                range: from.1.clone(),
                to: self.buffer(&to.0)?,
                at: to.1,
            }),
            Step::Write { to, data } => {
                let start = self.places.next().flatten().unwrap_or_default();
                Planned::Copy(Transfer {
                    from: self.uniforms.buffer().clone(),
                    range: start..start + data.len() as u64,
                    to: self.buffer(&to.0)?,
                    at: to.1,
                })
            }
            Step::Read(from, range) => {
                let from = self.buffer(from)?;
                let (number, place) = self.ranges.next().unwrap_or((0, &(0..0)));
                let transfer = Transfer {
                    // Without a staging buffer, all reads are empty, or are returned by loops.
                    to: self.reads.unwrap_or(&from).clone(),
                    from,
                    range: range.clone(),
                    at: place.start,
                };
                self.num_reads = number + 1;
                Planned::Read(number, transfer)
            }
            Step::Repeat(repeated) => Planned::Loop(self.repeat(at, repeated)?),
            Step::Guard(guard) => Planned::Guard {
                condition: &guard.condition,
                end: guard.steps.map_or(self.steps.len(), |steps| at + 1 + steps),
                word: match &guard.condition {
                    Condition::Word(buffer, byte) => Some((self.buffer(buffer)?, *byte)),
                    Condition::Without(..) | Condition::With(..) => None,
                },
                read: self.read_before(at, &guard.condition),
            },
        })
    }

    /// Plans the loop at step `at`.
    fn repeat(&mut self, at: usize, repeated: &'a Repeated) -> Result<PlannedLoop<'a>> {
        self.loops.push(at);
        let body = repeated.body.iter().map(|call| self.bind(call));
        let body = body.collect::<Result<_>>()?;
        let fresh = match repeated.options.unwatched {
            true => self.places.next().flatten(),
            false => None,
        };
        Ok(PlannedLoop {
            number: self.loops.len() - 1,
            fresh: fresh.map(|at| (self.uniforms.buffer().clone(), at)),
            repeated,
            body,
        })
    }

    /// Returns the read directly before step `at`, if it includes the word of the condition, and
    /// the byte offset of the word in it.
    fn read_before(&self, at: usize, condition: &Condition) -> Option<(usize, usize)> {
        match (self.steps[..at].last(), condition) {
            (Some(Step::Read(from, range)), Condition::Word(buffer, byte))
                if from.id() == buffer.id() && range.contains(byte) =>
            {
                Some((self.num_reads - 1, (byte - range.start) as usize))
            }
            _ => None,
        }
    }

    fn buffer(&self, buffer: &AnyBuffer) -> Result<wgpu::Buffer> {
        Ok(self.resources.buffers.get(buffer.id())?.buffer)
    }

    fn bind(&mut self, call: &Call) -> Result<Bound> {
        let Resources {
            device,
            buffers,
            pipelines,
            bind_groups,
        } = self.resources;
        let pipeline = lock(pipelines).pipeline(device, call)?;
        let group = lock(bind_groups).of(device, buffers, self.uniforms, call, &pipeline)?;
        let place = self.places.next().flatten();
        Ok(Bound {
            pipeline,
            group,
            params: place.map(|at| at as u32),
            bytes: call.buffers.iter().map(AnyBuffer::bytes).sum(),
        })
    }
}

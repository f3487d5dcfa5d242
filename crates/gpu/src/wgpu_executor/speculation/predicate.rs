//! The predicates of a batch: what each asks, and the kernel that evaluates them on the device
//! (`shaders/basic/predicate.wgsl`).

use std::num::NonZero;

use wgpu::BufferUsages;

use crate::call::Call;
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::kernels::{self, PredicateParams};
use crate::record::LoopRecord;
use crate::wgpu_executor::device::Device;
use crate::wgpu_executor::plan::Bound;
use crate::wgpu_executor::records::Records;
use crate::wgpu_executor::resources::Resources;
use crate::wgpu_executor::sync::lock;

/// The most predicates of a submission.
pub(super) const MAX_PREDICATES: usize = 256;

/// What a predicate asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// Whether a loop has ended within the iterations of the batch.
    Ended,
    /// Whether the record that ended a loop has no workgroups in a dimension.
    Without(u32),
    /// Whether it has some.
    With(u32),
    /// Whether the first word of a record is not zero.
    Word,
}

/// A question about records, and the dispatches that lose their workgroups unless the answer is
/// yes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Predicate {
    pub(super) question: Question,
    /// The record that it is about: the first one of a loop, which is even.
    pub(super) first: u32,
    /// The iterations of the loop.
    pub(super) iterations: u32,
    /// The even records that size the dispatches, by their place among the even ones.
    pub(super) close_from: u32,
    pub(super) close_end: u32,
}

impl Predicate {
    /// The predicate as a record, which is how the kernel reads it.
    pub(super) fn record(self) -> LoopRecord {
        let (condition, dimension) = match self.question {
            Question::Ended => (0, 0),
            Question::Without(dimension) => (1, dimension),
            Question::With(dimension) => (2, dimension),
            Question::Word => (3, 0),
        };
        let mut words = [0; LoopRecord::WORDS];
        words[..3].copy_from_slice(&[dimension, self.close_from, self.close_end]);
        LoopRecord {
            groups: [1, condition, self.first],
            iteration: self.iterations,
            words,
        }
    }
}

/// The kernel, with its parameters: a few words for each predicate.
pub(super) struct PredicateKernel {
    params: wgpu::Buffer,
    /// The bytes from one predicate's parameters to the next.
    stride: u64,
    bound: Option<Bound>,
}

impl PredicateKernel {
    pub(super) fn new(device: &Device) -> Result<Self> {
        let alignment = device.raw.limits().min_uniform_buffer_offset_alignment;
        let stride = (size_of::<PredicateParams>() as u64).next_multiple_of(alignment.into());
        let usage = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
        Ok(Self {
            params: device.buffer("predicates", MAX_PREDICATES as u64 * stride, usage)?,
            stride,
            bound: None,
        })
    }

    /// Writes the parameters of a submission's predicates before it starts. `stride` is that of
    /// records in bytes, and `predicates` are the records that hold what is asked.
    pub(super) fn write(
        &self,
        device: &Device,
        stride: u64,
        predicates: impl Iterator<Item = u64>,
    ) -> Result<()> {
        let mut bytes = Vec::new();
        for (k, record) in predicates.enumerate() {
            bytes.resize(k * self.stride as usize, 0);
            bytes.extend_from_slice(bytemuck::bytes_of(&PredicateParams {
                stride: (stride / 4) as u32,
                record: record as u32,
            }));
        }
        device.guarded("predicates", (0, 0), || {
            device.queue.write_buffer(&self.params, 0, &bytes);
        })
    }

    /// Predicate number `index` of the submission, ready to be dispatched.
    pub(super) fn bound(
        &mut self,
        resources: &Resources,
        records: &Records,
        index: usize,
    ) -> Result<&Bound> {
        if self.bound.is_none() {
            self.bound = Some(self.bind(resources, records)?);
        }
        let bound = self.bound.as_mut();
        let bound = bound.ok_or_else(|| Error::validation(KERNEL, "is not bound"))?;
        bound.params = Some((index as u64 * self.stride) as u32);
        Ok(bound)
    }

    fn bind(&self, resources: &Resources, records: &Records) -> Result<Bound> {
        let device = &resources.device;
        let pipeline = lock(&resources.pipelines).pipeline(device, &Call::new(kernel()?))?;
        let params = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: &self.params,
            offset: 0,
            size: NonZero::new(size_of::<PredicateParams>() as u64),
        });
        let [even, odd] = &records.buffers;
        let bindings = [even.as_entire_binding(), odd.as_entire_binding(), params];
        let entries: Vec<_> = (0..)
            .zip(bindings)
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource })
            .collect();
        let group = device.guarded(KERNEL, (0, 0), || {
            device.raw.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some(KERNEL),
                layout: &pipeline.layout,
                entries: &entries,
            })
        })?;
        Ok(Bound {
            pipeline,
            group,
            params: None,
            bytes: 0,
        })
    }
}

const KERNEL: &str = "basic/predicate";

fn kernel() -> Result<&'static Kernel> {
    let mut kernels = kernels::ALL.iter();
    kernels
        .find(|kernel| kernel.name == KERNEL)
        .ok_or_else(|| Error::validation(KERNEL, "there is no such kernel"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use naga::{Expression, Literal, TypeInner};

    fn module() -> naga::Module {
        let kernel = kernel().expect("the kernel is there");
        naga::front::wgsl::parse_str(kernel.source).expect("it was parsed when it was built")
    }

    #[test]
    fn a_predicate_lies_in_its_record_as_the_kernel_reads_it() {
        let module = module();
        let members = module.types.iter().find_map(|(_, ty)| match &ty.inner {
            TypeInner::Struct { members, .. } if ty.name.as_deref() == Some("Predicate") => {
                Some(members)
            }
            _ => None,
        });
        let predicate = Predicate {
            question: Question::With(11),
            first: 12,
            iterations: 13,
            close_from: 14,
            close_end: 15,
        };
        let record = predicate.record();
        let words: &[u32] = bytemuck::cast_slice(bytemuck::bytes_of(&record));
        let members = members.expect("the struct is there").iter();
        let read: Vec<_> = members
            .map(|member| {
                let name = member.name.as_deref().unwrap_or_default();
                (name, words[member.offset as usize / 4])
            })
            .collect();
        let expected = [
            ("is_asked", 1),
            ("condition", 2),
            ("first", 12),
            ("iterations", 13),
            ("dimension", 11),
            ("close_from", 14),
            ("close_end", 15),
        ];
        assert_eq!(read, expected);
    }

    #[test]
    fn questions_have_the_numbers_that_the_kernel_gives_them() {
        let module = module();
        let constant = |name: &str| {
            let constants = module.constants.iter();
            let mut named = constants.filter(|(_, known)| known.name.as_deref() == Some(name));
            let (_, constant) = named.next().expect("the constant is there");
            match module.global_expressions[constant.init] {
                Expression::Literal(Literal::U32(value)) => value,
                ref other => panic!("{name} is {other:?}"),
            }
        };
        for (name, question) in [
            ("ENDED", Question::Ended),
            ("WITHOUT", Question::Without(0)),
            ("WITH", Question::With(0)),
            ("WORD", Question::Word),
        ] {
            let predicate = Predicate {
                question,
                first: 0,
                iterations: 0,
                close_from: 0,
                close_end: 0,
            };
            assert_eq!(predicate.record().groups[1], constant(name), "{name}");
        }
    }
}

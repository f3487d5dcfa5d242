//! The components on a device: their rows and edges, and the data that Howard's algorithm keeps for
//! them.

use crate::Error;
use crate::arc::{Arc, Narrow, Wide};
use crate::region::Regions;
use ::gpu::kernels::{Scale, cycle_mean};
use ::gpu::{Buffer, Gpu};
use mdp_graph::check_room;
use rayon::prelude::*;

/// An edge that devices can read in its memory layout.
pub(crate) trait Upload: Arc + bytemuck::Pod {
    /// Returns the same edge with a target that is numbered over all components.
    fn moved(self, first: u32) -> Self;

    /// Uploads edges in the form that the kernels need.
    fn upload(gpu: &Gpu, edges: &[Self]) -> Result<Edges, ::gpu::Error>;
}

/// Edges in the form that the kernels need: narrow or wide.
pub(crate) enum Edges {
    Narrow(Buffer<[u32; 2]>),
    Wide(Buffer<[u32; 4]>),
}

impl Upload for Narrow {
    fn moved(self, first: u32) -> Self {
        let target = self.target + first;
        Self { target, ..self }
    }

    fn upload(gpu: &Gpu, edges: &[Self]) -> Result<Edges, ::gpu::Error> {
        gpu.upload("edges", bytemuck::cast_slice(edges))
            .map(Edges::Narrow)
    }
}

impl Upload for Wide {
    fn moved(self, first: u32) -> Self {
        let target = self.target + first;
        Self { target, ..self }
    }

    fn upload(gpu: &Gpu, edges: &[Self]) -> Result<Edges, ::gpu::Error> {
        gpu.upload("edges", bytemuck::cast_slice(edges))
            .map(Edges::Wide)
    }
}

/// The numbers of items on the device.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// The number of states of all components.
    pub(super) states: u32,
    pub(super) components: u32,
    /// The number of states with more edges than one invocation handles.
    pub(super) long_rows: u32,
}

/// The way in which policies are evaluated.
#[derive(Clone, Copy)]
pub(super) enum Evaluation {
    /// By pointer doubling.
    Doubling,
    /// Step by step, by the kernels of the paper.
    StepByStep,
}

/// All buffers on the device. The kernels document their contents.
pub(super) struct Buffers {
    pub(super) rows: Buffer<[u32; 2]>,
    pub(super) edges: Edges,
    pub(super) choices: Buffer<u32>,
    /// The choices of the policy, before states are led to the best cycle.
    pub(super) kept_choices: Buffer<u32>,
    pub(super) next_states: Buffer<u32>,
    pub(super) leaders: Buffer<u32>,
    pub(super) levels: Buffer<u32>,
    pub(super) walks: [Buffer<[u32; 2]>; 2],
    pub(super) sums: [Buffer<[u32; 4]>; 2],
    /// These buffers exist only with wide edges.
    pub(super) high_times: Option<[Buffer<u32>; 2]>,
    pub(super) values: Buffer<[u32; 2]>,
    pub(super) best: Buffer<u32>,
    pub(super) changed: Buffer<u32>,
    /// This buffer exists only if policies are evaluated step by step.
    pub(super) entries: Option<Buffer<u32>>,
    pub(super) scales: Buffer<Scale>,
}

impl Buffers {
    /// Uploads all components to a device.
    pub(super) fn new<A: Upload>(
        gpu: &Gpu,
        regions: &Regions<A>,
        evaluation: Evaluation,
    ) -> Result<(Self, Shape), Error> {
        let (rows, shape) = rows(regions)?;
        let states = u64::from(shape.states);
        let components = u64::from(shape.components);
        let edges = upload_edges(gpu, regions)?;
        let words = |name: &str, len| gpu.zeroed::<u32>(name, len);
        let buffers = Self {
            rows: gpu.upload("rows", &rows)?,
            choices: words("choices", states)?,
            kept_choices: words("kept choices", states)?,
            next_states: words("next states", states)?,
            leaders: words("leaders", states)?,
            levels: words("levels", states)?,
            walks: [gpu.zeroed("walks", states)?, gpu.zeroed("walks", states)?],
            sums: [gpu.zeroed("sums", states)?, gpu.zeroed("sums", states)?],
            high_times: match edges {
                Edges::Narrow(_) => None,
                Edges::Wide(_) => Some([words("times", states)?, words("times", states)?]),
            },
            values: gpu.zeroed("values", states)?,
            best: words("best cycles", components)?,
            changed: words("changes", components + 4)?,
            scales: gpu.zeroed("scales", components)?,
            entries: match evaluation {
                Evaluation::Doubling => None,
                Evaluation::StepByStep => Some(words("entries", states)?),
            },
            edges,
        };
        Ok((buffers, shape))
    }
}

/// Returns the rows of all states, the end of the last one, and the states with long rows.
fn rows<A: Arc>(regions: &Regions<A>) -> Result<(Vec<[u32; 2]>, Shape), Error> {
    let offsets = regions.offsets();
    let states = offsets.len() - 1;
    check_room("the rows for the device", &[8 * offsets.len()])?;
    let begins = offsets[..states].par_iter();
    let mut rows: Vec<[u32; 2]> = begins.map(|&first| [first, 0]).collect();
    for component in 1..regions.len() {
        for row in &mut rows[regions.states(component)] {
            row[1] = component as u32;
        }
    }
    rows.push([offsets[states], 0]);
    let is_long =
        |&state: &usize| offsets[state + 1] - offsets[state] > cycle_mean::LONGEST_OWN_ROW;
    let long: Vec<u32> = (0..states)
        .into_par_iter()
        .filter(is_long)
        .map(|state| state as u32)
        .collect();
    rows.extend(long.iter().map(|&state| [state, 0]));
    let shape = Shape {
        states: states as u32,
        components: regions.len() as u32,
        long_rows: long.len() as u32,
    };
    Ok((rows, shape))
}

/// Uploads the edges, with targets that are numbered over all components.
fn upload_edges<A: Upload>(gpu: &Gpu, regions: &Regions<A>) -> Result<Edges, Error> {
    let arcs = regions.all_arcs();
    if regions.len() == 1 {
        return Ok(A::upload(gpu, arcs)?);
    }
    check_room("the edges for the device", &[size_of_val(arcs)])?;
    let moved = |component: usize| {
        let first = regions.first(component) as u32;
        let region = regions.region(component);
        region.all().map(move |arc| region.arc(arc).moved(first))
    };
    let moved: Vec<A> = (0..regions.len())
        .into_par_iter()
        .flat_map_iter(moved)
        .collect();
    Ok(A::upload(gpu, &moved)?)
}

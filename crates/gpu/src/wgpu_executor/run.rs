//! A run from its recording to its outcome.

use super::loops::Carry;
use super::pace::Pace;
use super::plan::Plan;
use super::predictor::IterationPredictor;
use super::records::Records;
use super::resources::Resources;
use super::state::RunState;
use super::submit::Submitter;
use super::sync::lock;
use super::uniforms::Uniforms;
use crate::error::Result;
use crate::outcome::{LoopOutcome, Outcome};
use crate::recording::Recording;
use crate::run_options::RunOptions;

/// The state that is kept from one run to the next.
pub(super) struct RunContext {
    uniforms: Uniforms,
    records: Records,
    carry: Carry,
    pace: Pace,
    predictor: IterationPredictor,
}

impl RunContext {
    pub(super) fn new(resources: &Resources) -> Result<Self> {
        let device = &resources.device;
        let layout = lock(&resources.pipelines).loop_layout.clone();
        Ok(Self {
            uniforms: Uniforms::new(device)?,
            records: Records::new(device, &layout)?,
            carry: Carry::new(device)?,
            pace: Pace::default(),
            predictor: IterationPredictor::default(),
        })
    }

    /// Runs `recording`.
    pub(super) fn run(
        &mut self,
        resources: &Resources,
        recording: &Recording,
        options: &mut RunOptions<'_>,
    ) -> Result<Outcome> {
        let plan = Plan::new(resources, &mut self.uniforms, recording, options)?;
        let device = &resources.device;
        let mut state = RunState {
            submitter: Submitter::new(device, &mut self.pace, options.time_passes)?,
            records: &mut self.records,
            carry: &self.carry,
            predictor: &mut self.predictor,
            loops: vec![LoopOutcome::default(); plan.loops.len()],
            brought: vec![None; plan.num_reads()],
            has_read: false,
            may_presume: true,
            presumed: None,
            plan: &plan,
        };
        state.run(options)?;
        let (times, dispatch_times) = state.submitter.finish(!plan.loops.is_empty())?;
        Ok(Outcome {
            loops: state.loops,
            submissions: state.submitter.submissions,
            times,
            dispatch_times,
            reads: plan.read_back(resources, state.brought, state.has_read)?,
        })
    }
}

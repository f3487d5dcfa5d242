//! Decomposes a graph that an exploration has left on a GPU. It is brought to the host only if the
//! output needs it.

use super::answer::{Answer, Names, device_of, print};
use super::statistics;
use super::timeline::Timeline;
use crate::args::{DecomposeArgs, DecomposeSearch, Format, IntervalEdges, Kind};
use crate::device::Plan;
use crate::device::observer::RunObserver;
use crate::device::prewarm::Prewarm;
use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::interrupt;
use crate::load::ResidentModel;
use crate::load::size_hint::SizeHint;
use crate::model::Model;
use crate::output::{self, Outputs};
use crate::progress::{Progress, Unit};
use decompose::Observer as _;
use decompose::gpu::GpuOptions;
use mdp_graph::Components;
use report::{Amount, Summary};

/// Returns whether the output needs only components, and the worklist engine is to find them.
pub(super) fn suits(args: &DecomposeArgs, plan: &Plan) -> bool {
    let Some(options) = plan.gpu() else {
        return false;
    };
    args.search == DecomposeSearch::Auto
        && options.papers.is_none()
        && matches!(args.format, Format::Summary | Format::Labels)
        && args.components != Kind::Bscc
        && args.coalition.is_empty()
        && args.interval_edges == IntervalEdges::Possible
        && !args.certify
        && !args.statistics
}

/// The decomposition of a graph on a GPU.
pub(super) struct Job<'a> {
    pub(super) args: &'a DecomposeArgs,
    pub(super) options: &'a GpuOptions,
    pub(super) prewarm: &'a Prewarm,
    pub(super) progress: Progress,
}

impl Job<'_> {
    /// Decomposes the graph and prints the answer. If the GPU does not have enough memory, returns
    /// the model with its graph on the host.
    pub(super) fn decompose(
        &self,
        model: ResidentModel,
        timeline: &mut Timeline,
        outputs: &mut Outputs,
    ) -> Result<Option<Model>, Error> {
        let observer = RunObserver::new(false, self.args.profile || self.args.trace.is_some());
        let components = match self.search(&model, &observer) {
            Ok(components) => components,
            Err(error) => return self.after_failure(model, error),
        };
        let read = Amount::Bytes(model.file.bytes);
        timeline.add("read", model.times.read, Some(read));
        let branches = model.graph.num_branches() as u64;
        timeline.add("build", model.times.build, Some(Amount::Found(branches)));
        let mut spans = observer.finish();
        for span in spans.iter_mut().filter(|span| span.name == "decompose") {
            span.amount = Some(Amount::Branches(branches));
        }
        let answer = Answer {
            retaining: None,
            components,
            sccs: None,
            device: device_of(&observer, model.graph.num_states() as u64),
            spans: Vec::new(),
            work: None,
        };
        timeline.decomposed(spans, observer.take_work(), &answer.device);
        let written = self.write(model, &answer, timeline, outputs)?;
        timeline.end("write", written.map(Amount::Bytes));
        Ok(None)
    }

    fn search(
        &self,
        model: &ResidentModel,
        observer: &RunObserver,
    ) -> Result<Components, decompose::Error> {
        let work = || {
            interrupt::while_in_driver(|| {
                observer.phase(decompose::Phase::Open);
                self.prewarm.size_hint(SizeHint::Graph {
                    states: model.graph.num_states() as u64,
                    branches: model.graph.num_branches() as u64,
                    sample: None,
                });
                // The graph is on this GPU, whose kernels have to be compiled first.
                self.prewarm.for_decomposition(self.options, observer)?;
                let kind = self.args.components.into();
                model.graph.decompose(kind, self.options, observer)
            })
        };
        let total = model.graph.num_states() as u64;
        let progress = &self.progress;
        progress.track("decomposing", Unit::States, total, &observer.done, work)
    }

    /// Handles the failure of a search: returns the model for another device, or the error.
    fn after_failure(
        &self,
        model: ResidentModel,
        error: decompose::Error,
    ) -> Result<Option<Model>, Error> {
        use gpu::Error::{LimitExceeded, OutOfMemory};
        match error {
            decompose::Error::Cancelled => Err(Error::Cancelled),
            decompose::Error::Gpu(OutOfMemory { .. } | LimitExceeded { .. }) => {
                tracing::warn!("{error}; the graph is brought to the host");
                Ok(Some(model.into_model()?))
            }
            error => Err(Error::Device(Box::new(Diagnostic::new(error.to_string())))),
        }
    }

    /// Prints the answer, and releases the GPU. Returns the number of bytes written, if it is
    /// known.
    fn write(
        &self,
        model: ResidentModel,
        answer: &Answer,
        timeline: &mut Timeline,
        outputs: &mut Outputs,
    ) -> Result<Option<u64>, Error> {
        let args = self.args;
        if statistics::are_wanted(args, model.graph.num_branches()) {
            timeline.begin();
            let model = model.into_model()?;
            timeline.end("download", None);
            self.prewarm.close();
            timeline.begin();
            return print(args, &model, answer, &timeline.phases(), outputs);
        }
        let size = [
            model.graph.num_states(),
            model.graph.num_choices(),
            model.graph.num_branches(),
        ];
        let ResidentModel {
            graph,
            model_type,
            construction,
            file,
            ..
        } = model;
        drop(graph);
        self.prewarm.close();
        let [states, choices, branches] = size.map(|count| count as u64);
        let names = Names::of(args);
        let summary = Summary {
            states,
            choices,
            branches,
            components: &answer.components,
            origin: names.origin(construction.deadlocks),
            statistics: None,
        };
        timeline.begin();
        let phases = timeline.phases();
        let constants = file.report_constants();
        let heading = names.heading(model_type, &constants);
        let run = names.run(args, heading, answer, &phases);
        let out = output::or_standard(args.output.as_deref());
        let written = outputs.write_counted(out, |out| match args.format {
            Format::Labels => report::write_labels(out, &answer.components),
            _ => report::write_summary(out, &summary, &run),
        })?;
        Ok(Some(written))
    }
}

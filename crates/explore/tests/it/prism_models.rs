//! Tests that PRISM's case studies have as many states, choices and branches as Storm finds.

#[path = "../../../cli/src/load/program/system.rs"]
mod system;

use explore::{Options, explore};
use system::PrismSystem;
use test_models::small_instances;

#[test]
fn case_studies_have_the_counts_that_storm_finds() {
    for instance in small_instances().unwrap_or_default() {
        let model = prism_language::parse(&instance.text()).expect("the model can be parsed");
        let program = model.compile(&instance.constants());
        let program = program.expect("it can be compiled");
        let found = explore(&PrismSystem(program), &Options::default()).expect("it is explored");
        let graph = found.graph;
        let found = [
            graph.num_states(),
            graph.num_choices(),
            graph.num_branches(),
        ];
        assert_eq!(found, instance.counts, "{}", instance.name);
    }
}

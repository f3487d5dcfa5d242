//! Properties that are tested on random inputs, of which some decide nothing.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::Cell;

/// Tests a property on this many random inputs. `test` returns whether an input decides it. At
/// least half of them have to, because a test that never compares anything would pass, too.
pub(crate) fn holds<S: Strategy>(
    cases: u32,
    inputs: &S,
    test: impl Fn(S::Value) -> Result<bool, TestCaseError>,
) {
    let decided = Cell::new(0);
    let mut runner = TestRunner::new(ProptestConfig {
        cases,
        source_file: Some(file!()),
        ..ProptestConfig::default()
    });
    let result = runner.run(inputs, |input| {
        decided.set(decided.get() + u32::from(test(input)?));
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    let decided = decided.get();
    assert!(decided >= cases / 2, "only {decided} of {cases} decide");
}

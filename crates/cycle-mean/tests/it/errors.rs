//! Tests of problems that are refused, and of the messages.

use crate::graphs::Weighted;
use cycle_mean::{Error, Objective, Options, solve};
use decompose::Observer;

#[test]
fn numbers_beyond_the_bound_are_refused() {
    let half = i64::MAX / 2;
    let of = Weighted::new(2, &[(0, 1, half, 1), (1, 0, -half, 1)]);
    let refused = solve(&of.mean(Objective::Min), &Options::default())
        .expect_err("the weights are too large");
    insta::assert_snapshot!(refused, @"the weights of a component are too large to compute with: 2² states x 9223372036854775806 must be below 2^63");
    let of = Weighted::new(1, &[(0, 0, i64::MIN, u32::MAX)]);
    let refused = solve(&of.ratio(Objective::Max), &Options::default())
        .expect_err("the weights are too large");
    insta::assert_snapshot!(refused, @"the weights of a component are too large to compute with: 1² states x 18446744073709551616 x 4294967295 must be below 2^63");
    assert!(solve(&of.mean(Objective::Max), &Options::default()).is_ok());
}

#[test]
fn cycles_that_take_no_time_are_refused_by_name() {
    let of = Weighted::new(
        4,
        &[
            (0, 1, 1, 1),
            (1, 2, 1, 0),
            (2, 3, 1, 0),
            (3, 1, 1, 0),
            (1, 0, 1, 0),
        ],
    );
    let refused =
        solve(&of.ratio(Objective::Min), &Options::default()).expect_err("a cycle takes no time");
    insta::assert_snapshot!(refused, @"the cycle through states 1, 2, 3 takes no time, and so has no ratio");
}

#[test]
fn a_search_can_be_stopped() {
    struct Stop;
    impl Observer for Stop {
        fn is_cancelled(&self) -> bool {
            true
        }
    }
    let of = crate::graphs::grid(3);
    let options = Options {
        observer: &Stop,
        ..Options::default()
    };
    let stopped = solve(&of.mean(Objective::Min), &options).expect_err("it is stopped");
    assert_eq!(stopped, Error::Cancelled);
}

//! What a kernel promises of its claims is watched on every run.

use verify::Program;
use verify::mutate::{Mutation, mutate, sites};
use verify::run::{Dispatch, Fault, Finding, Schedule, compile};

const TEXT: &str = include_str!("../wgsl/claims.wgsl");

fn run(program: &Program, schedule: Schedule, seed: u64) -> Vec<Finding> {
    let code = compile(program).expect("the interpreter knows all of it");
    let dispatch = Dispatch::new(&code, [1, 1, 1]).bind(0, 0, vec![0; 4]);
    dispatch.bind(0, 1, vec![0]).run(schedule, seed).findings
}

fn mutant(program: &Program, mutation: Mutation) -> Program {
    let mut all = sites(program).into_iter();
    let is_meant = |site: &verify::mutate::Site| {
        site.mutation == mutation && site.place.text.contains("atomicOr")
    };
    let site = all.position(|site| is_meant(&site));
    mutate(program, site.expect("the claim is there")).expect("it is valid still")
}

#[test]
fn a_claim_that_holds_is_left_alone() {
    let program = Program::parse("claims.wgsl", TEXT).expect("it is valid");
    for seed in 0..50 {
        for schedule in [Schedule::Random, Schedule::Meetings, Schedule::RoundRobin] {
            assert_eq!(run(&program, schedule, seed), []);
        }
    }
}

/// Whatever the schedule, if the result is not used; and in every run in which invocations meet, if
/// the claim is made in two steps.
#[test]
fn a_claim_that_is_made_twice_is_found() {
    let program = Program::parse("claims.wgsl", TEXT).expect("it is valid");
    let always = mutant(&program, Mutation::Guard);
    let first = run(&always, Schedule::RoundRobin, 0);
    insta::assert_snapshot!(first[0], @"
    `take(0)` is true twice
      invocation 0 of workgroup 0 is told so at claims.wgsl:12
        if take(local / 2u, local) {
      invocation 1 of workgroup 0 is told so at claims.wgsl:12
        if take(local / 2u, local) {
    ");
    for seed in 0..50 {
        let findings = run(&always, Schedule::Random, seed);
        assert_eq!(findings[0].fault, Fault::Claim);
        for mutation in [Mutation::Claim, Mutation::TwoSteps] {
            let findings = run(&mutant(&program, mutation), Schedule::Meetings, seed);
            assert_eq!(findings[0].fault, Fault::Claim, "{mutation}");
        }
    }
}

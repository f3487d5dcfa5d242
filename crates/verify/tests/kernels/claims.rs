//! Every run checks the promises of a kernel about its claims.

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

/// Counters that do not keep apart give a number twice, in whichever order.
#[test]
fn a_number_that_is_given_twice_is_found() {
    let text = "//@ tickets next: each counter begins where the last one ends
@group(0) @binding(0) var<storage, read_write> next: array<atomic<u32>, 2>;
@group(0) @binding(1) var<storage, read_write> taken: array<atomic<u32>, 8>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) local: u32) {
    let place = atomicAdd(&next[local / 2u], 1u);
    atomicStore(&taken[place], local);
}
";
    let program = Program::parse("tickets.wgsl", text).expect("it is valid");
    let code = compile(&program).expect("the interpreter knows all of it");
    let run = |next: [u32; 2], seed| {
        let dispatch = Dispatch::new(&code, [1, 1, 1]).bind(0, 0, next.to_vec());
        dispatch
            .bind(0, 1, vec![0; 8])
            .run(Schedule::Random, seed)
            .findings
    };
    for seed in 0..50 {
        assert_eq!(run([0, 2], seed), []);
        assert_eq!(run([0, 1], seed)[0].fault, Fault::Promise);
    }
    insta::assert_snapshot!(run([0, 1], 0)[0]);
}

//! Tests of explorations: the result of a search with a queue is accepted, and every change of it
//! is rejected.

use certify::{
    ClaimedExploration, ExplorationError, ExplorationViolation, Observer, SuccessorCheck,
    check_exploration,
};
use insta::assert_snapshot;
use mdp_graph::{Deadlocks, MdpGraph, StateId};
use proptest::prelude::*;
use std::collections::{HashMap, VecDeque};

/// A packed state.
type Key = Vec<u64>;

/// The choices of a state. Each has an action, and the states to which it leads.
type Row<T> = Vec<(u32, Vec<T>)>;

/// A system that is given by a table of its states.
#[derive(Clone, Debug)]
struct Table {
    words: usize,
    initial: Vec<Key>,
    rows: HashMap<Key, Row<Key>>,
}

struct Nobody;

impl Observer for Nobody {}

/// The result of a search with a queue, in the form of a claim.
#[derive(Clone, Debug, PartialEq)]
struct Claim {
    states: Vec<Key>,
    rows: Vec<Row<u32>>,
    num_initial: usize,
    policy: Deadlocks,
    deadlocks: u64,
}

impl Claim {
    fn of(system: &Table, policy: Deadlocks) -> Self {
        let mut claim = Self {
            states: Vec::new(),
            rows: Vec::new(),
            num_initial: system.initial.len(),
            policy,
            deadlocks: 0,
        };
        let mut numbers = HashMap::new();
        let mut queue = VecDeque::new();
        let mut find = |key: &Key, states: &mut Vec<Key>, queue: &mut VecDeque<Key>| {
            *numbers.entry(key.clone()).or_insert_with(|| {
                states.push(key.clone());
                queue.push_back(key.clone());
                states.len() as u32 - 1
            })
        };
        for key in &system.initial {
            find(key, &mut claim.states, &mut queue);
        }
        while let Some(state) = queue.pop_front() {
            let mut row = Row::new();
            for (action, targets) in &system.rows[&state] {
                let mut numbers: Vec<u32> = Vec::new();
                for target in targets {
                    let number = find(target, &mut claim.states, &mut queue);
                    if !numbers.contains(&number) {
                        numbers.push(number);
                    }
                }
                row.push((*action, numbers));
            }
            if row.is_empty() {
                claim.deadlocks += 1;
                if policy == Deadlocks::SelfLoop {
                    row.push((0, vec![claim.rows.len() as u32]));
                }
            }
            claim.rows.push(row);
        }
        claim
    }

    fn check(&self, system: &Table, is_fifo: bool) -> Result<(), ExplorationViolation> {
        let targets = |row: &Row<u32>| row.iter().map(|(_, to)| to.clone()).collect::<Vec<_>>();
        let rows: Vec<_> = self.rows.iter().map(targets).collect();
        let graph = MdpGraph::from_choices(&rows).expect("a graph");
        let actions: Vec<u32> = self
            .rows
            .iter()
            .flatten()
            .map(|(action, _)| *action)
            .collect();
        let claimed = ClaimedExploration {
            words: system.words,
            states: &self.states.concat(),
            graph: &graph,
            num_initial: self.num_initial,
            actions: Some(&actions),
            policy: self.policy,
            deadlocks: self.deadlocks,
            is_fifo,
        };
        let tell = |(): &mut (), state: &[u64], check: &mut SuccessorCheck<'_, '_>| {
            for (action, targets) in &system.rows[state] {
                check.choice(*action);
                targets.iter().for_each(|target| check.branch(target));
            }
            Ok::<(), String>(())
        };
        let initial = system.initial.concat();
        match check_exploration(&claimed, &initial, || (), tell, &Nobody) {
            Ok(()) => Ok(()),
            Err(ExplorationError::Violation(violation)) => Err(violation),
            Err(other) => panic!("{other}"),
        }
    }

    /// Returns the same state space with these two numbers exchanged.
    fn renumbered(&self, one: u32, two: u32) -> Self {
        let other = |number: u32| match number {
            _ if number == one => two,
            _ if number == two => one,
            _ => number,
        };
        let mut new = self.clone();
        new.states.swap(one as usize, two as usize);
        new.rows.swap(one as usize, two as usize);
        let targets = new.rows.iter_mut().flatten().flat_map(|(_, to)| to);
        targets.for_each(|number| *number = other(*number));
        new
    }
}

/// Returns systems of up to 29 states, all of which have different keys.
fn system() -> impl Strategy<Value = Table> {
    (1..=3_usize, 1..30_usize).prop_flat_map(|(words, n)| {
        let target = 0..n;
        // Some choices are wide, and lead to some states several times.
        let targets = prop_oneof![
            4 => prop::collection::vec(target.clone(), 1..4),
            1 => prop::collection::vec(target, 1..80),
        ];
        let rows = prop::collection::vec(prop::collection::vec((0..3_u32, targets), 0..4), n);
        let initial = prop::sample::subsequence((0..n).collect::<Vec<_>>(), 1..=n.min(3));
        (rows, initial, any::<u64>()).prop_map(move |(rows, initial, salt)| {
            // Keys differ in one word, which may be any of them.
            let key = |state: usize| -> Key {
                let mut key = vec![salt; words];
                key[salt as usize % words] ^= (state as u64) << (salt % 57);
                key
            };
            let keys = |states: Vec<usize>| states.into_iter().map(key).collect::<Vec<_>>();
            let row = |row: Vec<(u32, Vec<usize>)>| {
                let choices = row.into_iter().map(|(action, to)| (action, keys(to)));
                choices.collect::<Row<Key>>()
            };
            let rows = rows.into_iter().enumerate();
            Table {
                words,
                initial: keys(initial),
                rows: rows
                    .map(|(state, choices)| (key(state), row(choices)))
                    .collect(),
            }
        })
    })
}

/// Changes a claim. `kind` says how; `a` and `b` select states, choices and branches.
fn mutate(right: &Claim, kind: usize, a: usize, b: usize) -> Claim {
    let n = right.states.len();
    let (one, two) = (a % n, b % n);
    let mut new = right.clone();
    let row = &mut new.rows[one];
    let choice = (!row.is_empty()).then(|| b % row.len().max(1));
    match (kind, choice) {
        // A state is replaced by one with another key.
        (0, _) => new.states[one][b % right.states[0].len()] ^= 1 << (a % 64),
        // A state is replaced by another one of the claim.
        (1, _) => new.states[one] = right.states[two].clone(),
        // Two states are exchanged, but not their rows.
        (2, _) => new.states.swap(one, two),
        // Two states are exchanged, and their numbers everywhere else, too.
        (3, _) => new = right.renumbered(one as u32, two as u32),
        // A state is added that is already there.
        (4, _) => {
            new.states.push(right.states[two].clone());
            new.rows.push(right.rows[two].clone());
        }
        (5, _) => new.num_initial = b % (n + 2),
        (6, _) => new.deadlocks = new.deadlocks.wrapping_add_signed(b as i64 % 3 - 1),
        (7, Some(choice)) => row[choice].0 = b as u32 % 4,
        (8, Some(choice)) => drop(row.remove(choice)),
        (9, _) => row.push((a as u32 % 3, vec![two as u32])),
        // In turn, a choice gets another target, one more, one less, another order, or its first
        // target once more.
        (10, Some(choice)) => {
            let place = a % row[choice].1.len();
            row[choice].1[place] = two as u32;
        }
        (11, Some(choice)) => row[choice].1.push(two as u32),
        (12, Some(choice)) if row[choice].1.len() > 1 => drop(row[choice].1.pop()),
        (13, Some(choice)) => row[choice].1.reverse(),
        (14, Some(choice)) => {
            let first = row[choice].1[0];
            row[choice].1.push(first);
        }
        (15, Some(_)) => row.reverse(),
        // The last state is removed, and edges to it lead elsewhere.
        (16, _) if n > 1 => {
            new.states.pop();
            new.rows.pop();
            let targets = new.rows.iter_mut().flatten().flat_map(|(_, to)| to);
            let last = targets.filter(|number| **number as usize == n - 1);
            last.for_each(|number| *number = (b % (n - 1)) as u32);
            new.num_initial = new.num_initial.min(n - 1);
        }
        _ => {}
    }
    new
}

const KINDS: usize = 17;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// There is exactly one right answer.
    #[test]
    fn a_search_by_queue_is_accepted_and_nothing_else(
        system in system(),
        has_loops in any::<bool>(),
        choices in prop::collection::vec((0..1000_usize, 0..1000_usize), 8),
    ) {
        let policy = if has_loops { Deadlocks::SelfLoop } else { Deadlocks::Keep };
        let right = Claim::of(&system, policy);
        prop_assert_eq!(right.check(&system, true), Ok(()));
        for kind in 0..KINDS {
            for &(a, b) in &choices {
                let other = mutate(&right, kind, a, b);
                let verdict = other.check(&system, true);
                prop_assert_eq!(verdict.is_ok(), other == right, "{:?}: {:?}", other, verdict);
                // Unless an order is claimed, the same states in another order may be right.
                if kind != 3 {
                    let verdict = other.check(&system, false);
                    prop_assert_eq!(verdict.is_ok(), other == right, "{:?}", other);
                }
            }
        }
    }
}

/// State 0 leads to 1 or 2, which lead back or to 3. State 3 ends.
fn small() -> (Table, Claim) {
    let key = |state: u64| vec![10 * state];
    let rows = [
        (0, vec![(1, vec![key(1), key(2)])]),
        (1, vec![(1, vec![key(0)]), (2, vec![key(3)])]),
        (2, vec![(2, vec![key(3)])]),
        (3, vec![]),
    ];
    let system = Table {
        words: 1,
        initial: vec![key(0)],
        rows: rows.map(|(state, row)| (key(state), row)).into(),
    };
    let claim = Claim::of(&system, Deadlocks::Keep);
    (system, claim)
}

#[test]
fn what_is_said_of_wrong_explorations() {
    let (system, right) = small();
    let edits: [fn(&mut Claim); 14] = [
        |c| drop(c.states.pop()),
        |c| c.num_initial = 2,
        |c| c.states[0] = vec![30],
        |c| c.rows[2].push((2, vec![0])),
        |c| drop(c.rows[1].pop()),
        |c| c.rows[1][0].0 = 2,
        |c| c.rows[2][0].1 = vec![2],
        |c| c.rows[0][0].1 = vec![1, 2, 0],
        |c| c.deadlocks = 2,
        |c| c.rows.swap(0, 3),
        |c| c.states[3] = vec![20],
        |c| *c = c.renumbered(1, 2),
        |c| *c = c.renumbered(2, 3),
        |c| c.rows[0][0].1 = vec![1],
    ];
    let said = edits.iter().map(|edit| {
        let mut wrong = right.clone();
        edit(&mut wrong);
        let violation = wrong.check(&system, true).expect_err("it is wrong");
        let text = violation.to_string();
        let name = violation.obligation();
        assert!(
            name == "form" || text.starts_with(&format!("{name}: ")),
            "{text}"
        );
        text
    });
    assert_snapshot!(said.collect::<Vec<_>>().join("\n"));
}

/// The states are in another order, in which each still comes after a state that leads to it.
#[test]
fn another_order_is_accepted_where_none_is_claimed() {
    let (system, right) = small();
    let other = right.renumbered(1, 2);
    assert_eq!(other.check(&system, false), Ok(()));
    assert!(other.check(&system, true).is_err());
}

/// The system has two states, each of which leads only to itself. Only one of them is initial.
#[test]
fn states_that_only_lead_to_themselves_are_not_reached() {
    let row = |state: u64| vec![(0, vec![vec![state]])];
    let system = Table {
        words: 1,
        initial: vec![vec![0]],
        rows: [0, 1].map(|state| (vec![state], row(state))).into(),
    };
    let mut claim = Claim::of(&system, Deadlocks::Keep);
    assert_eq!(claim.check(&system, true), Ok(()));
    claim.states.push(vec![1]);
    claim.rows.push(vec![(0, vec![1])]);
    for is_fifo in [false, true] {
        let state = StateId(1);
        let unreached = Err(ExplorationViolation::Unreached { state });
        assert_eq!(claim.check(&system, is_fifo), unreached);
    }
}

#[test]
fn large_runs_are_checked_in_pieces() {
    const N: u64 = 50_000;
    let row = |state: u64| match state + 1 < N {
        true => vec![(0, vec![vec![state + 1], vec![state / 2]])],
        false => vec![],
    };
    let system = Table {
        words: 1,
        initial: vec![vec![0]],
        rows: (0..N).map(|state| (vec![state], row(state))).collect(),
    };
    let mut claim = Claim::of(&system, Deadlocks::SelfLoop);
    assert_eq!(claim.check(&system, true), Ok(()));
    let last = claim.states.len() - 1;
    claim.states[last] = vec![7];
    let twice = claim
        .check(&system, true)
        .map_err(|error| error.to_string());
    assert_eq!(
        twice,
        Err("E4: state 49999 is the same as state 7".to_owned())
    );
}

/// The error of the system is returned, and an observer may end the check.
#[test]
fn errors_and_stops_are_passed_on() {
    struct Stop;
    impl Observer for Stop {
        fn is_cancelled(&self) -> bool {
            true
        }
    }
    let graph = MdpGraph::from_choices(&[vec![[0_u32]]]).expect("a graph");
    let claimed = ClaimedExploration {
        words: 1,
        states: &[4],
        graph: &graph,
        num_initial: 1,
        actions: None,
        policy: Deadlocks::Keep,
        deadlocks: 0,
        is_fifo: true,
    };
    let fail = |(): &mut (), _: &[u64], _: &mut SuccessorCheck<'_, '_>| Err("no value");
    let outcome = check_exploration(&claimed, &[4], || (), fail, &Nobody);
    assert_eq!(outcome, Err(ExplorationError::System("no value")));
    let outcome = check_exploration(&claimed, &[4], || (), fail, &Stop);
    assert_eq!(outcome, Err(ExplorationError::Cancelled));
}

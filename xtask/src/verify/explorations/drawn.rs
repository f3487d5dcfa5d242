//! Random networks and programs that are larger than those which are enumerated: with states of
//! several words, and with expressions that do not fit tables.

use lts_formats::Behaviour;

use super::processes::{labelled, parallel};
use crate::rng::Rng;

/// Labels of transitions.
const LABELS: [&str; 3] = ["a", "b", "c"];

/// Returns a network of two processes that synchronise on some labels, and a third, independent
/// process. Every second network also has processes without transitions, so that a state takes two
/// words.
pub(super) fn network(rng: &mut Rng) -> Behaviour {
    let shared = LABELS.iter().filter(|_| rng.one_in(2));
    let shared = shared.map(|&label| label.to_owned()).collect();
    let two = parallel(vec![process(rng, 4), process(rng, 3)], shared);
    let mut all = vec![two];
    if rng.one_in(2) {
        all.extend((0..17).map(|_| {
            let initial = rng.below(4);
            labelled(4, initial, [])
        }));
    }
    all.push(process(rng, 3));
    parallel(all, Vec::new())
}

/// Returns a process with up to `most` states, each of which has up to three transitions.
fn process(rng: &mut Rng, most: u32) -> Behaviour {
    let states = 2 + rng.below(most - 1);
    let mut transitions = Vec::new();
    for state in 0..states {
        for _ in 0..rng.below(4) {
            transitions.push((state, rng.one_of(&LABELS), rng.below(states)));
        }
    }
    labelled(states, rng.below(states), transitions)
}

/// Returns a program of two modules, whose values stay within their ranges.
pub(super) fn program(rng: &mut Rng) -> String {
    let mut text = "mdp\nmodule m x: [0..4]; b: bool;\n".to_owned();
    for _ in 0..2 + rng.below(3) {
        text.push_str(&command(rng, "x", (0, 4)));
    }
    text.push_str("endmodule\nmodule n y: [-2..3] init 1;\n");
    for _ in 0..1 + rng.below(3) {
        text.push_str(&command(rng, "y", (-2, 3)));
    }
    text.push_str("endmodule\n");
    text
}

/// Returns a command with two branches that assigns values within the range of a variable. One of
/// the branches may have the probability 0.
fn command(rng: &mut Rng, variable: &str, (least, most): (i32, i32)) -> String {
    let label = rng.one_of(&["", "a", "c"]);
    let guard = condition(rng, 2);
    let mut update = || {
        let value = number(rng, 2);
        let also = match variable == "x" && rng.one_in(2) {
            true => format!(" & (b'={})", condition(rng, 1)),
            false => String::new(),
        };
        format!("({variable}'=max({least},min({most},{value}))){also}")
    };
    let updates = [update(), update()];
    let [one, other] = &updates;
    match rng.below(3) {
        0 => format!("[{label}] {guard} -> {one};\n"),
        1 => format!("[{label}] {guard} -> 0.5: {one} + 0.5: {other};\n"),
        _ => {
            let coin = condition(rng, 1);
            format!("[{label}] {guard} -> ({coin}?0.5:0): {one} + ({coin}?0.5:1): {other};\n")
        }
    }
}

fn condition(rng: &mut Rng, depth: u32) -> String {
    if depth > 0 && rng.one_in(2) {
        let [one, other] = [0, 1].map(|_| condition(rng, depth - 1));
        return match rng.below(4) {
            0 => format!("!({one})"),
            1 => format!("(({one}) & ({other}))"),
            2 => format!("(({one}) => ({other}))"),
            _ => format!("(({one}) | ({other}))"),
        };
    }
    if rng.one_in(4) {
        return "b".to_owned();
    }
    let sign = rng.one_of(&["<", "<=", ">", ">=", "=", "!="]);
    format!("{} {sign} {}", number(rng, depth), number(rng, 0))
}

fn number(rng: &mut Rng, depth: u32) -> String {
    if depth == 0 || rng.one_in(3) {
        return rng.one_of(&["x", "y", "x", "y", "1", "2", "-1"]).to_owned();
    }
    let [one, other] = [0, 1].map(|_| number(rng, depth - 1));
    match rng.below(7) {
        0 => format!("({one}+{other})"),
        1 => format!("({one}-({other}))"),
        2 => format!("({one}*({other}))"),
        3 => format!("min({one},{other})"),
        4 => format!("mod({one},{})", 2 + rng.below(3)),
        5 => format!("({}?{one}:{other})", condition(rng, 0)),
        _ => format!("max({one},{other})"),
    }
}

//! Networks by example: remarks, names, errors, and states of many words.

use explore::{Options, explore};
use lts_formats::{Lts, ProcessFile, ReadOptions, read_aut, read_exp};
use lts_network::{CompileError, MAX_WORDS, Network};

/// Compiles an EXP text; the file `N.aut` is a ring of N states.
fn compile(text: &str) -> Result<Network, CompileError<String>> {
    compile_within(text, u64::MAX)
}

fn compile_within(text: &str, memory: u64) -> Result<Network, CompileError<String>> {
    let behaviour = read_exp(text.as_bytes()).expect(text);
    let ring_in = |file: &ProcessFile| {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        let stem = name.trim_end_matches(".aut");
        let states: u32 = stem.parse().map_err(|_| format!("no file {}", file.path))?;
        Ok(ring(states))
    };
    Network::compile_within(&behaviour, ring_in, memory)
}

fn ring(states: u32) -> Lts {
    let names: Vec<String> = (0..states).map(|state| format!("at{state}")).collect();
    let steps = (0..states).zip(&names);
    let steps = steps.map(|(state, name)| (state, name.as_str(), (state + 1) % states));
    Lts::from_transitions(states, 0, steps).expect("in range")
}

#[test]
fn remarks_and_errors_are_in_words() {
    let texts = [
        "par using a * b -> c, a * x -> d in\n  des (0, 2, 2) (0, a, 1) (1, e, 0)\n  || des (0, 1, 1) (0, b, 0)\nend par",
        "par a, b in des (0, 1, 1) (0, a, 0) || des (0, 1, 1) (0, c, 0) end par",
        "hide zz, i in des (0, 1, 2) (0, a, 1) end hide",
        "hide all but zz, a in des (0, 1, 2) (0, a, 1) end hide",
        "hide \"a b\" in des (0, 1, 1) (0, \"a b\", 0) end hide",
        "total hide \"a b\", \"a c\" in des (0, 1, 1) (0, \"a b\", 0) end hide",
        "hide b, c in hide b in hide b in des (0, 1, 2) (0, a, 1) end hide end hide end hide",
        "total rename zz -> y, a -> y in des (0, 1, 2) (0, a, 1) end rename",
        "par \"a !1\" in des (0, 1, 1) (0, \"a !1\", 0) || des (0, 1, 1) (0, \"a !1\", 0) end par",
        "par a in missing.aut || 3.aut end par",
        "par 3.aut || 4.aut || 3.aut || x/3.aut end par",
    ];
    let mut all = String::new();
    for text in texts {
        all += &format!("{text}\n");
        match compile(text) {
            Err(error) => all += &format!("    error: {error}\n"),
            Ok(network) => {
                all += &format!("    {}\n", network.show(network.initial_state()));
                for remark in network.remarks() {
                    all += &format!(
                        "    {:?}: {remark}\n",
                        remark.position().map(|p| (p.line, p.column))
                    );
                }
            }
        }
    }
    insta::assert_snapshot!(all);
}

#[test]
fn too_many_rules_and_too_many_words_are_refused() {
    let rings = |count| vec!["70000.aut"; count].join(" || ");
    let Err(error) = compile(&format!("par {} end par", rings(MAX_WORDS + 1))) else {
        panic!("wide")
    };
    assert_eq!(
        error,
        CompileError::TooWide {
            words: MAX_WORDS + 1
        }
    );

    let many: Vec<String> = (0..200).map(|k| format!("(0, x{k}, 0)")).collect();
    let renames: Vec<String> = (0..200).map(|k| format!("x{k} -> a")).collect();
    let many = format!(
        "total rename {} in des (0, 200, 1) {} end rename",
        renames.join(", "),
        many.join(" ")
    );
    let Err(error) = compile(&format!("par a in {many} || {many} || {many} end par")) else {
        panic!("many")
    };
    assert!(
        matches!(error, CompileError::TooManyRules { .. }),
        "{error}"
    );

    // Each of as many transitions takes part in each of as many rules.
    let count = 8200;
    let ring = (0..count).map(|k| format!("({k}, a, {})", (k + 1) % count));
    let fan = (0..count).map(|k| format!("(0, b{k}, 0)"));
    let rules = (0..count).map(|k| format!("a * b{k} -> c{k}"));
    let [ring, fan] = [ring.collect::<Vec<_>>(), fan.collect()].map(|all| all.join(" "));
    let wide = format!(
        "par using {} in des (0, {count}, {count}) {ring} || des (0, {count}, 1) {fan} end par",
        rules.collect::<Vec<_>>().join(", ")
    );
    let Err(error) = compile(&wide) else {
        panic!("wide")
    };
    let message = "16,400 transitions of the processes take part in rules more than 67,108,864 \
                   times, all together";
    assert_eq!(error.to_string(), message);
}

/// A composition of this many behaviours that take part in `a` in two ways each.
fn in_two_ways(behaviours: usize) -> String {
    let two = "total rename x -> a, y -> a in des (0, 2, 1) (0, x, 0) (0, y, 0) end rename";
    format!("par a in {} end par", vec![two; behaviours].join(" || "))
}

#[test]
fn rules_are_counted_before_they_take_memory() {
    let message = |behaviours, memory| match compile_within(&in_two_ways(behaviours), memory) {
        Ok(network) => format!("{} rules", network.num_rules()),
        Err(error) => error.to_string(),
    };
    // Rules that fit, the transitions that take part in which do not; and two numbers of rules that
    // do not fit.
    let all = [(2, 10_000), (6, 20_000), (14, 1 << 20), (23, u64::MAX)];
    let all = all.map(|(behaviours, memory)| message(behaviours, memory));
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn transitions_by_several_rules_of_the_same_processes_are_found_once() {
    let network = compile(&in_two_ways(3)).expect("few rules");
    let found = explore(&network, &Options::default()).expect("no limits");
    assert_eq!(network.num_rules(), 8);
    assert_eq!(
        (found.graph.num_states(), found.graph.num_choices()),
        (1, 1)
    );
}

#[test]
fn compositions_do_not_count_rules_again_that_they_no_longer_need() {
    let least = |text: &str| {
        (0..)
            .map(|k| 1000 * k)
            .find(|&most| compile_within(text, most).is_ok())
    };
    let (mut text, flat) = (in_two_ways(8), least(&in_two_ways(8)));
    for _ in 0..10 {
        text = format!("par {text} end par");
    }
    // At each level, the rules of this level and of that below are in memory.
    let nested = least(&text);
    assert!(nested < flat.map(|flat| 2 * flat), "{nested:?} {flat:?}");
}

#[test]
fn processes_with_probabilities_are_refused() {
    let behaviour = read_exp(b"hide a in coin.aut end hide").expect("a behaviour");
    let text = b"des (0, 1, 2)\n(0, a, 0 1/2 1)\n";
    let coin = |_: &_| read_aut(text, &ReadOptions::default());
    let Err(error) = Network::compile(&behaviour, coin) else {
        panic!("probabilities")
    };
    assert_eq!(
        error.to_string(),
        "`coin.aut` has probabilities, which a process of a network cannot have"
    );
}

/// Processes side by side in several words: a token that goes round, and rings that all turn
/// together.
#[test]
fn states_have_several_words() {
    // Five rings of 2^20 states are five words; they turn together, so that only a cycle is
    // reached.
    let names: Vec<String> = (0..7)
        .map(|state| format!("at{state} * at{state} -> t{state}"))
        .collect();
    let network = compile(&format!(
        "par using {} in 7.aut || 7.aut end par",
        names.join(", ")
    ));
    let found = explore(&network.expect("two rings"), &Options::default()).expect("no limits");
    assert_eq!(
        (found.graph.num_states(), found.graph.num_choices()),
        (7, 7)
    );

    let network = compile(&format!("par {} end par", ["2.aut"; 12].join(" || "))).expect("rings");
    let found = explore(&network, &Options::default()).expect("no limits");
    assert_eq!(
        (found.graph.num_states(), found.graph.num_choices()),
        (1 << 12, 12 << 12)
    );
    assert_eq!(network.num_words(), 1);
}

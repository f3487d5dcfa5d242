"""Whether Storm and maxend read each other's DRN, field by field.

    pip install stormpy
    MAXEND_MODELS=... python3 xtask/peers/drn.py [--maxend target/release/maxend]

Part 1, models of each type, written out below: Storm builds a model in PRISM's language and exports DRN, exactly
and with decimals. maxend converts that to DRN again, and Storm reads both: types, states, choices, actions,
transitions, labels, rewards and exit rates must be equal. Storm does not read valuations; those in the two texts
are compared as text, and Storm 2.0's way to leave out the names of variables that are true is undone.

Part 2, models in explicit files in MAXEND_MODELS: maxend converts X.tra with its labels to DRN, and what Storm
reads must have the choices, transitions and labels of the text files.

Part 3, files that are wrong: maxend must refuse each of them, by its place.

Part 4, the interval models of maxend's tests: maxend builds each as DRN and as .tra, and Storm must read from DRN
what stands in the .tra.

Result (November 2026, stormpy 2.0.0, all models of up to 40,000 states):

    26 files written by Storm: read as Storm reads them, and written again
    10 wrong files: refused
    21 interval models written by maxend: Storm reads what the .tra say
    57 files written by maxend: Storm reads what the text files say
"""

import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import stormpy

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import umb as texts  # the explicit files, as that script reads them

# Storm reads larger models too, but Python compares them slowly.
LARGEST = 40_000

MODELS = {
    "labels": """mdp
module m
 x:[-1..2] init 0; b: bool init false;
 [go] x=0 -> 0.5:(x'=1)+0.25:(x'=2)+0.25:(x'=-1);
 [] x=0 -> 1/3:(x'=1)&(b'=true)+2/3:(x'=2);
 [a] x=1 -> true;
endmodule
label "goal" = x=2; label "deux" = b;
""",
    "rewards": """mdp
module m
 x:[0..3] init 0;
 [up] x<3 -> 0.1:(x'=x+1) + 0.9:true;
 [down] x>0 -> (x'=x-1);
 [] true -> 1/7:(x'=0) + 6/7:(x'=3);
endmodule
rewards "time" true : 1; [up] x=0 : 1/3; endrewards
rewards [down] x>1 : 2.5; x=0 : -1; endrewards
rewards "never" x>5 : 1; endrewards
""",
    "nameless": """mdp
module m
 x:[0..1] init 0;
 [] true -> (x'=1-x);
 [] x=0 -> true;
endmodule
rewards x=0 : 1; endrewards
""",
    "actions": """mdp
module m
 x:[0..4] init 0;
 [a] x<4 -> 0.5:(x'=x+1)+0.5:(x'=0);
 [b] x<4 -> (x'=x+1);
 [a] x=2 -> (x'=4);
 [] x=4 -> (x'=0);
endmodule
module n
 y:[0..2] init 0;
 [a] true -> (y'=mod(y+1,3));
 [c] y=2 -> 0.999999:(y'=0)+0.000001:true;
endmodule
label "top" = x=4&y=2;
""",
    "die": """dtmc
module die
 s:[0..7] init 0; d:[0..6] init 0;
 [] s=0 -> 0.5:(s'=1) + 0.5:(s'=2);
 [] s=1 -> 0.5:(s'=3) + 0.5:(s'=4);
 [] s=2 -> 0.5:(s'=5) + 0.5:(s'=6);
 [] s=3 -> 0.5:(s'=1) + 0.5:(s'=7)&(d'=1);
 [] s=4 -> 0.5:(s'=7)&(d'=2) + 0.5:(s'=7)&(d'=3);
 [] s=5 -> 0.5:(s'=7)&(d'=4) + 0.5:(s'=7)&(d'=5);
 [] s=6 -> 0.5:(s'=2) + 0.5:(s'=7)&(d'=6);
 [] s=7 -> true;
endmodule
rewards "flips" [] s<7 : 1; endrewards
label "six" = d=6;
""",
    "drift": """dtmc
module m
 x:[0..9] init 5;
 [left] x>0 & x<9 -> 0.3:(x'=x-1)+0.3:(x'=x+1)+0.4:true;
endmodule
label "left" = x=0;
rewards "r" x=5 : 0.1; endrewards
""",
    "queue": """ctmc
module queue
 n:[0..5] init 0; broken: bool init false;
 [arrive] n<5 -> 2.5:(n'=n+1);
 [serve] n>0 & !broken -> 3:(n'=n-1);
 [] !broken -> 0.001:(broken'=true);
 [] broken -> 0.5:(broken'=false);
endmodule
rewards "length" true : n; endrewards
label "full" = n=5;
""",
    "absorbing": """ctmc
module m
 x:[0..3] init 0;
 [] x<3 -> 1/3:(x'=x+1) + 1e3:(x'=0);
endmodule
""",
    "initial": """dtmc
module m
 x:[0..2]; b: bool;
 [] x<2 -> 0.5:(x'=x+1)+0.5:(b'=!b);
endmodule
init x<2 endinit
label "b" = b;
""",
    "observed": """pomdp
observables x endobservables
module m
 x:[0..2] init 0; y:[0..1] init 0;
 [go] x=0 -> 0.5:(x'=1)&(y'=1)+0.5:(x'=1);
 [a] x=1 -> (x'=2);
 [b] x=1 -> (x'=0);
 [a] x=2 -> 0.25:(x'=0)&(y'=0) + 0.75:true;
endmodule
rewards "r" x=1&y=1 : 2; [go] true : 1/3; endrewards
""",
    "automaton": """ma
module m
 x:[0..3] init 0;
 <> x=0 -> 2:(x'=1) + 1/3:(x'=2);
 [go] x=1 -> 0.5:(x'=0)+0.5:(x'=3);
 [] x=1 -> (x'=2);
 <> x=2 -> 1e-3:(x'=3);
 <> x=3 -> 4:true;
endmodule
rewards "r" x=0 : 2; [go] true : 1/3; endrewards
label "end" = x=3;
""",
    "hybrid": """ma
module m
 x:[0..2] init 0;
 <> true -> 3:(x'=2) + 1:(x'=x);
 [go] x=0 -> 0.5:(x'=1)+0.5:(x'=2);
 [stay] x=1 -> true;
endmodule
rewards "r" x=0 : 2; [go] true : 5; endrewards
""",
    "true": """mdp
module m
 always: bool init true; x:[0..2] init 0;
 [] x<2 -> (x'=x+1);
 [] x>0 -> (x'=0);
endmodule
""",
}

WRONG = {
    "type": (("MDP", "PDP"), ":1:8"),
    "parameters": (("@parameters\n\n", "@parameters\np\n"), ":4:1"),
    "states": (("@nr_states\n2", "@nr_states\n3"), ":8:1"),
    "choices": (("@nr_choices\n2", "@nr_choices\n4"), ":10:1"),
    "gap": (("state 1", "state 2"), ":16:7"),
    "target": (("1 : 0.5", "7 : 0.5"), ":14:3"),
    "sum": (("1 : 0.5", "1 : 0.4"), ":13:2"),
    "negative": (("1 : 0.5", "1 : -0.5"), ":14:7"),
    "rewards": (("[3]", "[3, 4]"), ":13:11"),
    "interval": (("1 : 0.5", "1 : [0.5, 0.6]"), ":14:7"),
}


def build(text, folder, value_type):
    source = folder / "model.prism"
    source.write_text(text)
    program = stormpy.parse_prism_program(str(source), prism_compatibility=True)
    options = stormpy.BuilderOptions(build_full=True)
    return stormpy.build_model[value_type](program, options=options)


def read(path):
    options = stormpy.io.DirectEncodingParserOptions()
    options.build_choice_labeling = True
    return stormpy.build_model_from_drn(str(path), options=options)


def contents(model):
    """All that Storm read, in Python's terms. Rewards that are all 0 are none."""
    matrix = model.transition_matrix
    rows = []
    for state in range(model.nr_states):
        first, last = matrix.get_row_group_start(state), matrix.get_row_group_end(state)
        for row in range(first, last):
            labels = model.choice_labeling.get_labels_of_choice(row)
            branches = {entry.column: entry.value for entry in matrix.get_row(row)}
            rows.append((state, sorted(labels), branches))
    labels = {name: sorted(model.labeling.get_states(name)) for name in model.labeling.get_labels()}
    rewards = {}
    for name, rewarded in model.reward_models.items():
        for kind in ("state_rewards", "state_action_rewards"):
            if getattr(rewarded, f"has_{kind}"):
                values = list(getattr(rewarded, kind))
                if any(values):
                    rewards[name, kind] = values
    markovian = set(getattr(model, "markovian_states", []))
    rows, rewards, exit_rates = closed(rows, rewards, list(getattr(model, "exit_rates", [])), markovian)
    return {
        "type": model.model_type.name,
        "rows": rows,
        "labels": {name: states for name, states in labels.items() if states},
        "rewards": rewards,
        "names": sorted(model.reward_models),
        "exit rates": exit_rates,
        "observations": list(getattr(model, "observations", [])),
    }


def closed(rows, rewards, exit_rates, markovian):
    """Without the Markovian choices of states that have others, which Storm keeps until it closes an automaton."""
    counts = collections.Counter(state for state, _, _ in rows)
    late = {state for state in markovian if counts[state] > 1}
    first = {}
    for place, (state, _, _) in enumerate(rows):
        first.setdefault(state, place)
    dropped = {first[state] for state in late}
    keep = lambda column: [value for place, value in enumerate(column) if place not in dropped]
    rewards = {key: keep(v) if key[1] == "state_action_rewards" else v for key, v in rewards.items()}
    exit_rates = [0.0 if state in late else rate for state, rate in enumerate(exit_rates)]
    return keep(rows), rewards, exit_rates


def valuations(text):
    """Those in the text of a file, by their order, with names for those that are true."""
    lines = re.findall(r"^//\[(.*)\]$", text, re.M)
    rows = [[part.strip() for part in line.split("&")] for line in lines]
    names = {}
    for row in rows:
        for place, part in enumerate(row):
            if part:
                names[place] = re.split("=", part.removeprefix("!"))[0]
    # What has no name anywhere is left out by maxend.
    return [[part or names[place] for place, part in enumerate(row) if place in names] for row in rows]


def equal(what, found, expected):
    if found != expected:
        raise AssertionError(f"{what}: {str(found)[:300]}, expected {str(expected)[:300]}")


def equal_contents(found, expected):
    """Compares all that is expected. Storm does not round fractions to the nearest double, and writes exit rates
    with 10 digits, where maxend writes the sum of the rates."""
    for key in expected:
        digits = 9 if key == "exit rates" else 14
        equal(key, rounded(found[key], digits), rounded(expected[key], digits))


def rounded(value, digits):
    """The same with so many digits for each number."""
    if isinstance(value, float):
        return float(f"{value:.{digits - 1}e}")
    if isinstance(value, dict):
        return {key: rounded(part, digits) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(part, digits) for part in value]
    return value


def convert(maxend, source, target, *options):
    command = [maxend, "convert", "-q", *options, source, target]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        raise AssertionError(run.stderr)


def of_storm(maxend, folder):
    """Part 1."""
    count = 0
    for name, text in MODELS.items():
        for value_type in (float, stormpy.Rational):
            built = build(text, folder, value_type)
            theirs, ours = folder / "theirs.drn", folder / "ours.drn"
            stormpy.io.export_to_drn(built, str(theirs))
            convert(maxend, theirs, ours)
            try:
                equal_contents(contents(read(ours)), contents(read(theirs)))
                equal("valuations", valuations(ours.read_text()), valuations(theirs.read_text()))
                # What was converted once stays the same.
                again = folder / "again.drn"
                convert(maxend, ours, again)
                equal("second conversion", again.read_text(), ours.read_text())
            except Exception as error:
                raise AssertionError(f"{name}, {value_type.__name__}: {error}") from error
            count += 1
    print(f"{count} files written by Storm: read as Storm reads them, and written again")


def of_texts(maxend, folder):
    """Part 2."""
    models = os.environ.get("MAXEND_MODELS") or sys.exit("set MAXEND_MODELS")
    count = 0
    for tra in sorted(pathlib.Path(models).rglob("*.tra*")):
        if not texts.beside(tra, "mec"):
            continue
        model = texts.Model(tra)
        if model.num_states > LARGEST:
            print(f"{tra.name}: skipped, {model.num_states} states")
            continue
        ours = folder / "ours.drn"
        convert(maxend, tra, ours)
        found = contents(read(ours))
        rows = []
        for state, choices in enumerate(model.choices):
            for action, branches in choices or [("", {state: 1.0})]:
                rows.append((state, [action] if action else [], branches))
        del model.labels["in_mec"]
        labels = {name: states for name, states in model.labels.items() if states}
        expected = {"type": "MDP", "rows": rows, "labels": labels}
        equal_contents({key: found[key] for key in expected}, expected)
        count += 1
    print(f"{count} files written by maxend: Storm reads what the text files say")


def wrong(maxend, folder):
    """Part 3."""
    good = (
        "@type: MDP\n@value_type: double\n@parameters\n\n@reward_models\nr \n@nr_states\n2\n@nr_choices\n2\n@model\n"
        "state 0 [1] init\n\taction a [3]\n\t\t1 : 0.5\n\t\t0 : 0.5\nstate 1 [0]\n\taction 0 [0]\n\t\t1 : 1\n"
    )
    file = folder / "wrong.drn"
    file.write_text(good)
    subprocess.run([maxend, "info", file], check=True, capture_output=True)
    for name, ((part, other), place) in WRONG.items():
        equal(name, good.count(part) > 0, True)
        file.write_text(good.replace(part, other, 1))
        run = subprocess.run([maxend, "info", file], capture_output=True, text=True)
        equal(f"{name}: exit code", run.returncode, 1)
        if f"wrong.drn{place}" not in run.stderr:
            raise AssertionError(f"{name}: {run.stderr}")
    print(f"{len(WRONG)} wrong files: refused")


def intervals(maxend, folder):
    """Part 4."""
    count = 0
    here = pathlib.Path(__file__).parent.parent.parent
    for source in sorted((here / "crates" / "cli" / "tests" / "types" / "interval").glob("*.prism")):
        drn, tra = folder / "interval.drn", folder / "interval.tra"
        for target in (drn, tra):
            subprocess.run([maxend, "build", "-q", source, "-o", target], check=True, capture_output=True)
        options = stormpy.io.DirectEncodingParserOptions()
        # The matrix is part of the model, and ends with it.
        model = stormpy.build_model_from_drn[stormpy.Interval](str(drn), options=options)
        matrix = model.transition_matrix
        found = []
        for state in range(matrix.nr_columns):
            first, last = matrix.get_row_group_start(state), matrix.get_row_group_end(state)
            for index, row in enumerate(range(first, last)):
                for entry in matrix.get_row(row):
                    found.append((state, index, entry.column, entry.value.lower(), entry.value.upper()))
        heading, sizes, *lines = tra.read_text().splitlines()
        is_chain = "IDTMC" in heading
        expected = []
        for words in map(str.split, lines):
            state, index, target = map(int, [words[0], "0", words[1]] if is_chain else words[:3])
            low, high = map(float, words[2 if is_chain else 3].strip("[]").split(","))
            expected.append((state, index, target, low, high))
        equal(source.name, sorted(found), sorted(expected))
        count += 1
    print(f"{count} interval models written by maxend: Storm reads what the .tra say")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--maxend", type=pathlib.Path, default="target/release/maxend")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        of_storm(options.maxend, folder)
        wrong(options.maxend, folder)
        intervals(options.maxend, folder)
        of_texts(options.maxend, folder)


if __name__ == "__main__":
    main()

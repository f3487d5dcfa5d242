"""Compares the long-run averages that maxend finds with those of Storm, and how long both take.

    cargo build --release
    python3 xtask/peers/averages.py --maxend target/release/maxend --sources PRISM_MODELS [--most-states N]

Needs `pip install stormpy`. The models are PRISM's case studies, which are in the folder SOURCES, and those
of fixtures/. Most of the case studies have no rewards, or only averages of 0 and 1; they get the rewards
that stand here. Both programs read the same text. maxend's bounds must contain Storm's average, or come
within 1e-6 of it, relative to its size where that is above 1, as Storm's own precision is relative. Models
of up to 500 states are also solved exactly by both, and must be equal.

Seconds are those of one run in a process of its own: `build` from the text to the state space, `solve` from
there to the average. Storm's methods are those that it takes for sound results.

Result (November 2026, stormpy 2.0.0, a machine with four cores and other work, all 24 models): 47 of 47
answers are equal, and Storm was given up once. docs/benchmarks/searches.md has them.
"""

import argparse
import fractions
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOLERANCE = 1e-6
# Models of so many states are solved exactly, too.
MAX_EXACT = 500
# Storm is given up after so many seconds.
LIMIT = 120

# Rewards for the case studies, by the prefix of their names.
MEALS = """rewards "own"
  [] p1=8 & p2<8 : 3;
  [] p1=6 : 2;
  p2=6 | p2=7 : 0.7;
  p3>=2 & p3<=5 : 0.45;
endrewards
"""
EXTRA = {
    "phil": MEALS,
    "phil-nofair": MEALS,
    "phil_lss": """rewards "own"
  [s1] p1>=8 : 1.5;
  [s2] p2=1 : 0.3;
  p3>=2 & p3<=5 : 0.45;
endrewards
""",
    "rabin": """rewards "own"
  [] p1=1 & b1>0 : 1;
  p2=2 & r=1 : 0.4;
  p3=1 : b3/10;
endrewards
""",
    "mutual": """rewards "own"
  [] p1=9 : 5;
  [] p2=2 : 0.6;
  p3>=4 & p3<=13 : 0.35;
endrewards
""",
    "coin": """rewards "own"
  counter>0 & pc1=3 : 1.25;
  pc2=3 & coin2=1 : 0.5;
endrewards
""",
    "wlan": """rewards "own"
  s1=1 : 0.4;
  s2=12 : 2.5;
  c1>0 : 0.3;
endrewards
""",
    "leader": """rewards "own"
  s1=4 & c1=1 : 2.5;
  s2=4 : 0.75;
endrewards
""",
}

# Source, constants, name of the rewards. "own" are those above.
MODELS = [
    ("fixtures/clients.prism", "EDITORS=2,READERS=1", "load"),
    ("fixtures/clients.prism", "EDITORS=3,READERS=3", "load"),
    ("fixtures/server.prism", "EDITORS=2,READERS=1", "load"),
    ("fixtures/server.prism", "EDITORS=3,READERS=2", "load"),
    ("fixtures/machines.prism", "MACHINES=2,WORN=4", "cost"),
    ("fixtures/machines.prism", "MACHINES=3,WORN=5", "cost"),
    ("fixtures/machines.prism", "MACHINES=5,WORN=3", "cost"),
    ("phil-nofair3.nm", "", "own"),
    ("phil3.nm", "", "own"),
    ("phil_lss3.nm", "K=4", "own"),
    ("rabin3.nm", "", "own"),
    ("mutual4.nm", "", "own"),
    ("coin2.nm", "K=4", "own"),
    ("coin4.nm", "K=2", "own"),
    ("leader3.nm", "", "own"),
    ("leader5.nm", "", "own"),
    ("wlan0.nm", "TRANS_TIME_MAX=20", "own"),
    ("wlan2.nm", "TRANS_TIME_MAX=10", "own"),
    ("phil5.nm", "", "own"),
    ("phil6.nm", "", "own"),
    ("coin6.nm", "K=2", "own"),
    ("machines", "MACHINES=5,WORN=8", "cost"),
    ("rabin4.nm", "", "own"),
    ("wlan6.nm", "TRANS_TIME_MAX=50", "own"),
]


# ---- Workers: one measurement each, printed as JSON. ------------------------------------------


def storm(path, constants, name, goal, is_exact):
    """Storm's average, how many states there are, and the seconds of both steps."""
    import stormpy

    start = time.perf_counter()
    program = stormpy.parse_prism_program(path, prism_compatibility=True)
    program, _ = stormpy.instantiate_constants(program, constants)
    formula = stormpy.parse_properties(f'R{{"{name}"}}{goal}=? [LRA]', program)
    kind = stormpy.Rational if is_exact else float
    model = stormpy.build_model[kind](program, formula)
    built = time.perf_counter()
    environment = stormpy.environments.exact() if is_exact else stormpy.environments.sound()
    result = stormpy.model_checking(model, formula[0], environment=environment)
    done = time.perf_counter()
    value = result.get_value(model.initial_states[0])
    return {
        "value": str(value) if is_exact else float(value),
        "states": model.nr_states,
        "build": built - start,
        "solve": done - built,
    }


def worker(arguments):
    """What a measurement prints, in a process of its own; None if it takes too long."""
    command = [sys.executable, __file__, "--worker", json.dumps(arguments)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode != 0:
        sys.exit(f"{arguments}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def maxend(options, path, constants, name, goal, is_exact):
    """maxend's bounds or fraction, and the seconds of the whole command."""
    command = [options.maxend, "long-run", "-q", "-f", "json", path, "--rewards", name, f"--{goal}"]
    command += ["--const", constants] if constants else []
    command += ["--exact"] if is_exact else options.options.split()
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    found = json.loads(done.stdout)
    return found, seconds


# ---- The comparison. ---------------------------------------------------------------------------


def prepared(options, source, name, folder):
    """The text that both read, in a file."""
    path = options.sources / source if source.endswith(".nm") else ROOT / source
    if source == "machines":
        path = ROOT / "fixtures" / "machines.prism"
    text = path.read_text()
    if name == "own":
        prefix = re.match(r"[a-z_-]+", source)[0]
        # Other rewards of the same name would be added to these.
        text += "\n" + EXTRA[prefix]
    copy = folder / path.name
    # Storm wants the type first.
    copy.write_text("mdp\n" + re.sub(r"^\s*(mdp|nondeterministic)\s*$", "", text, count=1, flags=re.M))
    return str(copy)


def compare(options, source, constants, name, folder):
    """Prints a line for each goal; returns how many answers differ."""
    path = prepared(options, source, name, folder)
    wrong = 0
    for goal in ("max", "min"):
        theirs = worker([path, constants, name, goal, False])
        if theirs and theirs["states"] > options.most_states:
            return wrong
        found, whole = maxend(options, path, constants, name, goal, False)
        initial = found["initial"][0]
        lower, upper = initial["lower"], initial["upper"]
        cells = [path.split("/")[-1], constants, goal, f"{found['model']['states']:,}", f"{upper:.7f}"]
        if theirs is None:
            cells += ["", "", f"{whole:.2f}", "", f"> {LIMIT}"]
            print(f"| {' | '.join(cells)} |", flush=True)
            continue
        differs = max(lower - theirs["value"], theirs["value"] - upper, 0.0)
        is_equal = differs <= TOLERANCE * max(1.0, abs(theirs["value"]))
        is_equal = is_equal and upper - lower <= TOLERANCE * (1 + 1e-9)
        exact = ""
        if found["model"]["states"] <= MAX_EXACT and options.exact:
            exactly = worker([path, constants, name, goal, True])
            rational = fractions.Fraction(exactly["value"]) if exactly else None
            own, _ = maxend(options, path, constants, name, goal, True)
            own = fractions.Fraction(own["initial"][0]["fraction"])
            exact = f"{own}"
            is_equal = is_equal and own == rational and lower <= own <= upper
            exact += "" if own == rational else f" (Storm: {rational})"
        wrong += not is_equal
        said = "equal" if is_equal else "DIFFERENT"
        seconds = [whole, theirs["build"], theirs["solve"]]
        cells += [exact, said, *(f"{second:.2f}" for second in seconds)]
        print(f"| {' | '.join(cells)} |", flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--maxend", default="target/release/maxend")
    parser.add_argument("--sources", type=pathlib.Path)
    parser.add_argument("--most-states", type=int, default=sys.maxsize)
    parser.add_argument("--only", default="", help="part of the names of models")
    parser.add_argument("--options", default="", help="more options for maxend, such as '--device gpu'")
    parser.add_argument("--exact", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--worker")
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(storm(*json.loads(options.worker))))
        return
    header = ["model", "constants", "goal", "states", "average", "exactly", "", "maxend, s"]
    header += ["Storm's build, s", "Storm's solve, s"]
    print(f"| {' | '.join(header)} |\n| {' | '.join(['---'] * len(header))} |")
    wrong = count = 0
    with tempfile.TemporaryDirectory() as folder:
        for source, constants, name in MODELS:
            if options.only in source:
                wrong += compare(options, source, constants, name, pathlib.Path(folder))
                count += 1
    print(f"{count} models, {wrong} answers that differ")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()

"""Compares probabilities of quotients, computed by Storm, with those of the models themselves.

    pip install stormpy; cargo build --release
    python3 xtask/peers/quotient.py --maxend target/release/maxend --models FOLDER

FOLDER holds the case studies of PRISM that are named below. For each of them, `maxend build` writes the model
and `maxend quotient --keep ... --stay` its quotient; Storm computes the least and the greatest probability of
each formula on both. They may differ by 1e-6, since Storm iterates.
"""

import argparse
import pathlib
import subprocess
import tempfile

import stormpy

# A model, its constants, the labels that are kept, and a formula over them.
CASES = [
    ("coin2.nm", "K=2", ["finished", "all_coins_equal_1"], 'F ("finished" & "all_coins_equal_1")'),
    ("coin2.nm", "K=4", ["finished", "agree"], 'F ("finished" & !"agree")'),
    ("coin4.nm", "K=1", ["finished", "all_coins_equal_0"], 'F ("finished" & "all_coins_equal_0")'),
    ("leader3.nm", "", ["elected"], 'F "elected"'),
    ("leader5.nm", "", ["elected"], 'F "elected"'),
    ("mutual2.nm", "", ["some_14"], 'F "some_14"'),
    ("mutual4.nm", "", ["some_4_13"], 'F "some_4_13"'),
    ("phil3.nm", "", ["eat"], 'F "eat"'),
    ("phil-nofair3.nm", "", ["eat"], 'F "eat"'),
    ("rabin2.nm", "", ["one_critical"], 'F "one_critical"'),
    ("rabin3.nm", "", ["one_critical", "one_trying"], '!"one_critical" U "one_trying"'),
    ("dining_crypt3.nm", "", ["done", "odd"], 'F ("done" & "odd")'),
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--maxend", required=True)
    parser.add_argument("--models", required=True, type=pathlib.Path)
    args = parser.parse_args()
    wrong = 0
    print(f"{'model':24} {'states':>8} {'quotient':>8}  formula: least, greatest")
    for model, constants, keep, formula in CASES:
        with tempfile.TemporaryDirectory() as folder:
            paths = write(args.maxend, args.models / model, constants, keep, folder)
            whole, quotient = (values(path, formula) for path in paths)
        equal = all(abs(a - b) < 1e-6 for a, b in zip(whole[1:], quotient[1:]))
        wrong += not equal
        shown = ", ".join(f"{value:.6f}" for value in whole[1:])
        verdict = "" if equal else f"  WRONG: {quotient[1:]}"
        name = f"{model} {constants}"
        print(f"{name:24} {whole[0]:>8} {quotient[0]:>8}  {formula}: {shown}{verdict}")
    raise SystemExit(f"{wrong} of {len(CASES)} differ" if wrong else 0)


def write(maxend, model, constants, keep, folder):
    """Writes the model and its quotient, in Storm's dialect."""
    whole, quotient = (pathlib.Path(folder) / name for name in ("whole.tra", "quotient.tra"))
    given = ["-c", constants] if constants else []
    common = [str(model), *given, "--to", "storm", "--quiet"]
    subprocess.run([maxend, "build", *common, "-o", whole], check=True)
    kept = [word for label in keep for word in ("--keep", label)]
    subprocess.run([maxend, "quotient", *common, *kept, "--stay", "-o", quotient], check=True)
    return whole, quotient


def values(path, formula):
    """The number of states, and the least and greatest probability of a formula."""
    model = stormpy.build_model_from_explicit(str(path), str(path.with_suffix(".lab")))
    found = [model.nr_states]
    for best in ("Pmin", "Pmax"):
        properties = stormpy.parse_properties(f"{best}=? [{formula}]")
        result = stormpy.model_checking(model, properties[0])
        found.append(result.get_value(model.initial_states[0]))
    return found


if __name__ == "__main__":
    main()

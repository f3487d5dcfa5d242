"""Whether Storm and maxend count the same in models in JANI.

    pip install stormpy
    python3 xtask/peers/jani.py [--maxend target/release/maxend] [FILE.jani[@N=1,M=2] ...]

Of each file, by default those in crates/jani/tests/models, both count states, choices, transitions, deadlocks, maximal
end components, and the states of each label that both know. Where they differ in the models of this project, it is
by intention: EXPECTED says why.

    python3 xtask/peers/jani.py --prism FILE.prism[@N=1] ...

Storm translates each model in PRISM's language to JANI, and maxend builds that and the source. Both must be the same
state by state: by the values of the variables, each with its choices, which are sets of branches.

Results (November 2026, stormpy 2.0.0): docs/jani.md.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import stormpy
import stormpy.analysis
import stormpy.developer

HERE = pathlib.Path(__file__).resolve().parent.parent.parent
MODELS = HERE / "crates" / "jani" / "tests" / "models"

# Where Storm says something else, and why.
EXPECTED = {
    "edge_assignments": "Storm carries out no assignments of edges (but of destinations) to variables that are part of states",
    "input_enabled": "Storm knows no input-enabled actions",
    "instances": "two elements are one automaton with a variable: Storm writes one copy of it and reads the other",
    "operators": "Storm's `sgn` and `trc` differ from the specification for negative numbers",
    "transient_guard": "Storm does not look up transient values of locations in guards",
    "vending": "Storm knows no models of type lts",
}

# Constants for the models that leave some open.
CONSTANTS = {"walk": "N=4"}


def counts_of_storm(path, constants):
    """What Storm counts."""
    # Storm takes no byte order mark.
    text = path.read_bytes().decode("utf-8-sig")
    description, _ = stormpy.parse_jani_model_from_string(text)
    description = stormpy.developer.SymbolicModelDescription(description)
    description = description.preprocess(description.parse_constant_definitions(constants))
    options = stormpy.BuilderOptions()
    options.set_build_all_labels()
    options.set_build_all_reward_models()
    options.set_apply_maximal_progress_assumption(True)
    model = stormpy.build_model(description, options=options)
    labels = model.labeling
    mecs = None
    if model.is_nondeterministic_model:
        mecs = stormpy.analysis.get_maximal_end_components(model).size
    return {
        "states": model.nr_states,
        "choices": model.nr_choices,
        "branches": model.nr_transitions,
        "deadlocks": sum(1 for _ in labels.get_states("deadlock")),
        "MECs": mecs,
        "labels": {name: sum(1 for _ in labels.get_states(name)) for name in labels.get_labels()},
    }


def counts_of_maxend(program, path, constants):
    """What maxend counts."""
    given = ["--const", constants] if constants else []
    command = [program, "decompose", path, "--device", "cpu", "--format", "json", *given]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode != 0:
        raise RuntimeError(ran.stderr)
    document = json.loads(ran.stdout)
    counts = {name: document["model"][name] for name in ("states", "choices", "branches", "deadlocks")}
    counts["MECs"] = document["decomposition"]["components"]
    counts["labels"] = labels_of_maxend(program, path, given)
    return counts


def labels_of_maxend(program, path, given):
    """How many states have each label; nothing for Markov automata, which have no .tra."""
    with tempfile.TemporaryDirectory() as folder:
        tra = pathlib.Path(folder) / "model.tra"
        ran = subprocess.run([program, "build", path, "-o", tra, *given], capture_output=True, text=True)
        lab = tra.with_suffix(".lab")
        if ran.returncode != 0 or not lab.exists():
            return {}
        lines = [line for line in lab.read_text().splitlines() if not line.startswith("#")]
    names = re.findall(r'[0-9]+="([^"]*)"', lines[0])
    counts = dict.fromkeys(names, 0)
    for line in lines[1:]:
        for number in line.split(":")[1].split():
            counts[names[int(number)]] += 1
    return counts


def compare(program, path, constants):
    ours = counts_of_maxend(program, path, constants)
    try:
        theirs = counts_of_storm(path, constants)
    except Exception as error:  # Storm says why in many ways.
        return "storm cannot: " + str(error).splitlines()[0][:90], ours
    both = set(ours["labels"]) & set(theirs["labels"])
    for name in ("states", "choices", "branches", "deadlocks", "MECs"):
        if theirs[name] not in (None, ours[name]):
            return f"DIFFERENT {name}: {ours[name]}, Storm {theirs[name]}", ours
    for name in both:
        if ours["labels"][name] != theirs["labels"][name]:
            return f"DIFFERENT label {name}: {ours['labels'][name]}, Storm {theirs['labels'][name]}", ours
    return f"equal ({len(both)} labels)", ours


def space(program, source, constants):
    """The states by the values of their variables, each with its choices."""
    with tempfile.TemporaryDirectory() as folder:
        tra = pathlib.Path(folder) / "model.tra"
        given = ["--const", constants] if constants else []
        command = [program, "build", source, "-o", tra, "--deadlocks", "keep", *given]
        subprocess.run(command, check=True, capture_output=True)
        lines = [line for line in tra.with_suffix(".sta").read_text().splitlines() if not line.startswith("#")]
        names = lines[0].strip("()").split(",")
        # Storm adds variables for locations, which have one value in what it translates.
        values = [line.split(":")[1].strip("()").split(",") for line in lines[1:]]
        order = sorted(range(len(names)), key=lambda column: names[column])
        states = [tuple((names[column], state[column]) for column in order) for state in values]
        choices = {state: {} for state in states}
        rows = [line for line in tra.read_text().splitlines() if not line.startswith("#")]
        is_mdp = len(rows[0].split()) == 3
        for row in rows[1:]:
            words = row.split()
            source, choice, target, weight = (int(words[0]), int(words[1]) if is_mdp else 0, *words[1 + is_mdp : 3 + is_mdp])
            branch = (states[int(target)], round(float(weight), 9))
            choices[states[source]].setdefault(choice, []).append(branch)
    return {state: sorted(sorted(branches) for branches in of.values()) for state, of in choices.items()}


def translated(program, path, constants):
    """Whether what Storm translates to JANI has the states of the source."""
    source = stormpy.parse_prism_program(str(path), prism_compatibility=True)
    model, _ = source.to_jani([])
    with tempfile.TemporaryDirectory() as folder:
        jani = pathlib.Path(folder) / "model.jani"
        jani.write_text(str(model))
        ours, theirs = space(program, path, constants), space(program, jani, constants)
    return f"{len(ours)} states, " + ("equal" if ours == theirs else f"DIFFERENT: {len(theirs)} from JANI")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--maxend", default=HERE / "target/release/maxend")
    parser.add_argument("files", nargs="*", metavar="FILE[@N=1,M=2]")
    parser.add_argument("--prism", action="store_true")
    arguments = parser.parse_args()
    wrong = 0
    if arguments.prism:
        for file in arguments.files:
            path, _, constants = file.partition("@")
            verdict = translated(arguments.maxend, path, constants)
            wrong += "DIFFERENT" in verdict
            print(f"{pathlib.Path(path).name:30} {verdict}", flush=True)
        sys.exit(wrong > 0)
    own = [f"{path}@{CONSTANTS.get(path.stem, '')}" for path in sorted(MODELS.glob("*.jani"))]
    for file in arguments.files or own:
        path, _, constants = file.partition("@")
        path = pathlib.Path(path)
        try:
            verdict, ours = compare(arguments.maxend, path, constants)
        except RuntimeError as error:
            verdict, ours = str(error).splitlines()[0], {}
        is_equal = verdict.startswith("equal")
        if path.parent == MODELS and path.stem in EXPECTED and not is_equal:
            verdict += f" (expected: {EXPECTED[path.stem]})"
        else:
            wrong += not is_equal
        sizes = [ours.get(name, "-") for name in ("states", "choices", "branches", "deadlocks", "MECs")]
        print(f"{path.name:30} {sizes} {verdict}", flush=True)
    sys.exit(wrong > 0)


main()

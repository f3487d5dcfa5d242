"""Compares archives that maxend writes with what umbi and Storm read in them, field by field.

Neither is part of the workspace: `pip install umbi 'bitstring<5'` (umbi 0.2.5 takes any bitstring, but
fails with 5.0) and `pip install stormpy`; with one of them missing, the other still runs:

    cargo build --release
    MAXEND_MODELS=... python3 xtask/peers/umb.py --maxend target/release/maxend

`maxend decompose --format umb --deadlocks keep` is run on every X.tra of the reference models, and on the archive
X.umb that Storm or PRISM wrote. Both readers must find: the type and counts; initial states; each state's
choices with their actions, targets and probabilities; atomic propositions; values of variables; `in_mec`, by
the components in X.mec; and umbi, as Storm drops it, the number of each state's component. In an archive
that was copied, rewards must be those of the original. Storm must also find that `in_mec` is reached almost
surely from everywhere. Storm 2.0 does not take archives with deadlocks, so only umbi reads those.

Result (November 2026, umbi 0.2.5 and stormpy 2.0.0, all models of up to 40,000 states):

    umbi: 57 archives converted from text and 19 copies are equal
    Storm: 52 archives converted from text and 19 copies are equal
    Storm: 5 archives with deadlocks are left out
"""

import argparse
import gzip
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import umbi.umb.umb_to_tar as umbi_files
except ImportError:
    umbi_files = None
try:
    import stormpy
except ImportError:
    stormpy = None

# Storm builds and checks larger models too, but Python compares them slowly.
LARGEST = 40_000


class Model:
    """A model as its text files have it."""

    def __init__(self, tra):
        lines = [line.split() for line in read_text(tra).splitlines()]
        lines = [line for line in lines if line and not line[0].startswith("#")]
        self.num_states = int(lines[0][0])
        self.choices = [[] for _ in range(self.num_states)]
        for state, choice, target, value, *action in lines[1:]:
            own = self.choices[int(state)]
            if int(choice) == len(own):
                own.append((action[0] if action else "", {}))
            own[int(choice)][1][int(target)] = float(value)
        self.labels = {"init": [0]}
        if labels := beside(tra, "lab"):
            self.labels = read_labels(read_text(labels))
        components = [int(line) for line in read_text(beside(tra, "mec")).split()]
        self.variables = read_states(read_text(sta)) if (sta := beside(tra, "sta")) else None
        numbers = {label: n for n, label in enumerate(sorted(set(components) - {-1}), 1)}
        self.components = [numbers.get(label, 0) for label in components]
        self.labels["in_mec"] = [s for s, number in enumerate(self.components) if number]


def read_text(path):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt") as file:
        return file.read()


def stem(tra):
    return tra.with_name(tra.name.removesuffix(".gz").removesuffix(".tra"))


def beside(tra, extension):
    for ending in ("", ".gz"):
        path = pathlib.Path(f"{stem(tra)}.{extension}{ending}")
        if path.exists():
            return path
    return None


def read_labels(text):
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    names = dict(part.split("=") for part in lines[0].split())
    labels = {name.strip('"'): [] for name in names.values()}
    for line in lines[1:]:
        state, numbers = line.split(":")
        for number in numbers.split():
            labels[names[number].strip('"')].append(int(state))
    return labels


def read_states(text):
    """A dictionary of values for each state."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    names = lines[0].strip("()").split(",")
    values = [line.split(":")[1].strip("()").split(",") for line in lines[1:]]
    number = lambda text: text == "true" if text in ("true", "false") else int(text)
    return [dict(zip(names, map(number, row))) for row in values]


def equal(what, found, expected):
    if found != expected:
        raise AssertionError(f"{what}: {str(found)[:200]}, expected {str(expected)[:200]}")


def equal_choices(state, found, expected):
    """Compares lists of (action, {target: probability})."""
    equal(f"actions of state {state}", [c[0] for c in found], [c[0] for c in expected])
    for number, (one, other) in enumerate(zip(found, expected)):
        equal(f"targets of state {state}, {number}", sorted(one[1]), sorted(other[1]))
        for target, value in other[1].items():
            if abs(one[1][target] - value) > 1e-9:
                raise AssertionError(f"state {state}, {number}, {target}: {one[1][target]}, {value}")


def members(bits):
    return [i for i, bit in enumerate(bits) if bit]


def compare_umbi(archive, model, original):
    """All that umbi reads, in strict mode: a file that the index does not mention is an error."""
    umb = umbi_files.read(archive, strict=True)
    system = umb.index.transition_system
    equal("time and players", (system.time, system.num_players), ("discrete", 1))
    equal("states", system.num_states, model.num_states)
    equal("choices", system.num_choices, sum(map(len, model.choices)))
    equal("initial states", members(umb.state_is_initial), model.labels["init"])
    names = umb.choice_action_to_string
    for state in range(model.num_states):
        found = []
        for choice in range(*umb.state_to_choices[state : state + 2]):
            action = names[umb.choice_to_choice_action[choice]] if names else ""
            branches = range(*umb.choice_to_branches[choice : choice + 2])
            pairs = [(umb.branch_to_target[b], umb.branch_to_probability[b]) for b in branches]
            found.append((action, dict(pairs)))
        equal_choices(state, found, model.choices[state])
    info = umb.index.annotations
    aps = {info["aps"][id].alias or id: values for id, values in umb.annotations["aps"].items()}
    for name, states in model.labels.items():
        if name in aps:
            equal(f"label {name}", members(aps[name]["states"]), states)
        elif name not in ("init", "deadlock"):
            raise AssertionError(f"label {name} is missing")
    equal("components", umb.annotations["components"]["mec"]["states"], model.components)
    if model.variables:
        # umbi 0.2.5 leaves the offsets out, which Storm writes for lower bounds other than 0.
        fields = umb.index.valuations["states"].classes[0].fields
        offsets = {field.name: field.offset for field in fields if getattr(field, "offset", None)}
        found = umb.valuations["states"]
        found = [{name: v + offsets.get(name, 0) for name, v in row.items()} for row in found]
        equal("variables", found, model.variables)
    if original:
        before = umbi_files.read(original)
        for group in before.annotations:
            for id, values in before.annotations[group].items():
                equal(f"{group}/{id}", umb.annotations[group][id], values)


def compare_storm(archive, model, original):
    built = stormpy.build_model_from_umb(str(archive))
    equal("type", built.model_type.name, "MDP")
    equal("states", built.nr_states, model.num_states)
    matrix = built.transition_matrix
    actions = built.choice_labeling if built.has_choice_labeling() else None
    for state in range(model.num_states):
        first, last = matrix.get_row_group_start(state), matrix.get_row_group_end(state)
        rows = range(first, last)
        found = []
        for row in rows:
            labels = actions.get_labels_of_choice(row) if actions else set()
            pairs = {entry.column: entry.value for entry in matrix.get_row(row)}
            found.append((min(labels, default=""), pairs))
        equal_choices(state, found, model.choices[state])
    for name, states in model.labels.items():
        if name in built.labeling.get_labels():
            found = sorted(built.labeling.get_states(name))
            equal(f"label {name}", found, states)
        elif name != "deadlock":
            raise AssertionError(f"label {name} is missing")
    if model.variables:
        valuations = built.state_valuations
        for state, values in enumerate(model.variables):
            found = valuations.to_string(state).strip("[]").split("\t& ")
            equal(f"variables of state {state}", found, [storm_text(*pair) for pair in values.items()])
    if original:
        before = stormpy.build_model_from_umb(str(original))
        equal("reward models", sorted(built.reward_models), sorted(before.reward_models))
        for name, rewards in before.reward_models.items():
            for kind in ("state_rewards", "state_action_rewards"):
                if getattr(rewards, f"has_{kind}"):
                    found = list(getattr(built.reward_models[name], kind))
                    equal(f"rewards {name!r}", found, list(getattr(rewards, kind)))
    formula = stormpy.parse_properties('Pmin=? [F "in_mec"]')[0]
    result = stormpy.model_checking(built, formula, only_initial_states=False)
    for state, value in enumerate(result.get_value_vector()):
        if abs(value - 1) > 1e-6:
            raise AssertionError(f"in_mec is reached from {state} with {value}")


def storm_text(name, value):
    """How Storm prints the value of a variable."""
    if isinstance(value, bool):
        return name if value else f"!{name}"
    return f"{name}={value}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--maxend", type=pathlib.Path, default="target/release/maxend")
    options = parser.parse_args()
    models = os.environ.get("MAXEND_MODELS") or sys.exit("set MAXEND_MODELS")
    readers = []
    if umbi_files:
        readers.append(("umbi", compare_umbi))
    if stormpy:
        readers.append(("Storm", compare_storm))
    if not readers:
        sys.exit("neither umbi nor stormpy can be imported")
    print("readers:", ", ".join(name for name, _ in readers))
    texts = sorted(pathlib.Path(models).rglob("*.tra*"))
    counts = {name: [0, 0] for name, _ in readers}
    failed = deadlocks = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for tra in (tra for tra in texts if beside(tra, "mec")):
            model = Model(tra)
            if model.num_states > LARGEST:
                print(f"{tra.name}: skipped, {model.num_states} states")
                continue
            original = beside(tra, "umb")
            for origin in filter(None, [tra, original]):
                annotated = folder / "annotated.umb"
                command = [options.maxend, "decompose", "-q", "--deadlocks", "keep"]
                command += ["--format", "umb", "--output", annotated, origin]
                subprocess.run(command, check=True)
                for name, compare in readers:
                    if name == "Storm" and not all(model.choices):
                        deadlocks += 1
                        continue
                    try:
                        compare(annotated, model, origin if origin == original else None)
                        counts[name][origin == original] += 1
                    except Exception as error:  # the other archives are still of interest
                        failed += 1
                        print(f"{tra.name}, {origin.name}, {name}: {type(error).__name__}: {error}")
    for name, (converted, copied) in counts.items():
        print(f"{name}: {converted} archives converted from text and {copied} copies are equal")
    print(f"Storm: {deadlocks} archives with deadlocks are left out")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

"""Whether the MECs of stormpy's models, taken over by `maxend.from_stormpy`, are Storm's.

    pip install stormpy target/wheels/maxend-*.whl
    MAXEND_MODELS=... python3 xtask/peers/stormpy_mecs.py --maxend target/release/maxend

Every model in MAXEND_MODELS that stormpy reads and takes for an MDP: from X.umb and X.drn as they are, and from X.tra
by way of `maxend convert` to DRN. The states of each MEC and the choices that it retains are compared.

Result (November 2026, stormpy 2.0.0): 93 files of MDPs, all that there are, equal (651,120 states, 7,523 MECs).
"""

import argparse
import gzip
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import maxend
import stormpy
from stormpy.analysis import get_maximal_end_components

# Python takes a second for a million branches.
LARGEST = 20_000_000


def read(path, binary, folder):
    """The model in a file of any of the three formats."""
    plain = path.name.removesuffix(".gz")
    if plain.endswith(".umb"):
        return stormpy.build_model_from_umb(str(path))
    drn = folder / "model.drn"
    if plain.endswith(".tra"):
        command = [binary, "convert", "--quiet", path, drn]
        subprocess.run(command, check=True, capture_output=True)
    else:
        with gzip.open(path) if path.suffix == ".gz" else open(path, "rb") as text:
            with open(drn, "wb") as copy:
                shutil.copyfileobj(text, copy)
    return stormpy.build_model_from_drn(str(drn))


def storms(model):
    """Storm's MECs: for each, by its smallest state, its states with their choices."""
    found = {}
    for mec in get_maximal_end_components(model):
        retained = {state: frozenset(choices) for state, choices in mec}
        found[min(retained)] = retained
    return found


def ours(model):
    """The same of maxend."""
    mecs, starts, found = model.mec(), model.choices.tolist(), {}
    stays = mecs.choices.tolist()
    for mec in mecs:
        states = mec.states.tolist()
        found[states[0]] = {
            state: frozenset(c for c in range(starts[state], starts[state + 1]) if stays[c])
            for state in states
        }
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--maxend", default="target/release/maxend")
    binary = parser.parse_args().maxend
    models = pathlib.Path(os.environ["MAXEND_MODELS"])
    endings = (".umb", ".umb.gz", ".drn", ".drn.gz", ".tra", ".tra.gz")
    paths = sorted(path for path in models.rglob("*") if path.name.endswith(endings))
    equal, unread, other, wrong, states, mecs = 0, [], [], [], 0, 0
    for path in paths:
        name = str(path.relative_to(models))
        with tempfile.TemporaryDirectory() as folder:
            try:
                model = read(path, binary, pathlib.Path(folder))
            except (RuntimeError, subprocess.CalledProcessError) as error:
                unread.append(f"{name}: {str(error).splitlines()[0][:100]}")
                continue
        if not str(model.model_type).endswith(".MDP") or model.nr_transitions > LARGEST:
            other.append(name)
            continue
        start = time.monotonic()
        taken = maxend.from_stormpy(model)
        found = ours(taken)
        took = time.monotonic() - start
        if found != storms(model):
            wrong.append(name)
        else:
            equal, states, mecs = equal + 1, states + model.nr_states, mecs + len(found)
        if took > 10:
            print(f"{name}: {took:.0f} s", flush=True)
    print(f"{equal} files of MDPs: equal ({states:,} states, {mecs:,} MECs)")
    print(f"{len(other)} files of other models")
    print(f"{len(unread)} files that stormpy does not read", *unread, sep="\n    ")
    print(f"{len(wrong)} files whose MECs differ", *wrong, sep="\n    ")
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()

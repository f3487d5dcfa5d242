"""Builds the reference models from their sources in PRISM's language, and compares all counts.

    cargo build --release
    MAXEND_MODELS=... python3 xtask/peers/counts.py --maxend target/release/maxend [--most-states N]

`counts.csv` in that folder says, for each source in `prism-models` beside it, how many states, choices and
branches Storm finds, and how many components there are; maxend must find the same. A field that is empty
there is not compared. (An ordinary test does this for small models, and compares each component.)

Result (November 2026, two cores, 24 GiB): 40 of 40 models have the counts of the table (299 numbers).
"""

import argparse
import csv
import os
import pathlib
import re
import subprocess
import sys
import time

# The columns of the table, and the lines of a summary that say the same.
MODEL = {"states": "states", "choices": "choices", "branches": "branches"}
SCC = {"sccs": "SCCs", "largest_scc": "largest"}
MEC = {"mecs": "MECs", "largest_mec": "largest", "states_in_mecs": "in a MEC"}


def summary(maxend, source, constants, components):
    """The first number of each line of the summary."""
    command = [maxend, "decompose", "-q", "--device", "cpu", "--components", components, source]
    if constants:
        command += ["--const", constants]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = re.findall(r"^(\S+(?: \S+)*) +([\d,]+)", text, re.MULTILINE)
    return {name.strip(): int(number.replace(",", "")) for name, number in lines}


def differences(row, found, columns):
    """What the table says and the summary does not."""
    wanted = {column: int(row[column]) for column in columns if row[column]}
    return [f"{column} {found.get(columns[column])}, not {number}"
            for column, number in wanted.items() if found.get(columns[column]) != number]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--maxend", default="target/release/maxend")
    parser.add_argument("--most-states", type=int, default=sys.maxsize)
    args = parser.parse_args()
    folder = pathlib.Path(os.environ["MAXEND_MODELS"])
    wrong = compared = 0
    with open(folder / "counts.csv", newline="") as table:
        rows = [row for row in csv.DictReader(table) if int(row["states"]) <= args.most_states]
    for row in rows:
        source = folder.parent / "prism-models" / row["source"]
        constants = row["constants"].replace(";", ",")
        start = time.perf_counter()
        found = []
        for components, columns in (("scc", SCC), ("mec", MEC)):
            counts = summary(args.maxend, source, constants, components)
            found += differences(row, counts, {**MODEL, **columns})
        compared += sum(bool(row[column]) for column in {**MODEL, **SCC, **MEC})
        wrong += bool(found)
        seconds = time.perf_counter() - start
        said = "; ".join(found) or "equal"
        print(f"{row['instance']:12} {int(row['states']):>12,} states {seconds:7.1f} s  {said}", flush=True)
    print(f"{len(rows) - wrong} of {len(rows)} models have the counts of the table ({compared} numbers)")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()

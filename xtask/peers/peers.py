"""Measures maxend beside Storm (stormpy) and scipy, in turns, on the same models.

Neither is part of the workspace: `pip install stormpy scipy numpy`. docs/benchmarks/README.md says
what is compared with what. Every measurement is a process of its own, so that none inherits the
memory of another; models stay in the folder given with --cache.
"""

import argparse
import importlib.metadata
import json
import math
import os
import re
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Family and size of the generated models, 3 to 10 million branches each.
GENERATED = [
    ("giant", 2_000_000),
    ("dag", 2_000_000),
    ("beads", 60_000),
    ("drift", 3_000_000),
    ("chain", 5_000_000),
]
# The model in PRISM's language among the fixtures, and its constants: 3.6 million branches.
BUILT = ("philosophers", "MEALS=14")
# A measurement that takes longer counts as this many seconds, and is marked with ">".
LIMIT = 120
# The first version of scipy with the search that is to be compared with: 1.9 times as fast as before in
# the mean.
NEW_SEARCH = (1, 18)


# ---- Workers: one measurement each, printed as JSON. ------------------------------------------


def storm(tra, lab, want_labels):
    """Storm's import of a model in its own dialect, and its MECs."""
    import stormpy
    import stormpy.analysis

    start = time.perf_counter()
    model = stormpy.build_model_from_explicit(tra, lab)
    imported = time.perf_counter()
    mecs = stormpy.analysis.get_maximal_end_components(model)
    done = time.perf_counter()
    result = {"import": imported - start, "mec": done - imported, "mecs": mecs.size}
    if want_labels:
        labels = [-1] * model.nr_states
        for mec in mecs:
            states = [state for state, _ in mec]
            first = min(states)
            for state in states:
                labels[state] = first
        result["labels"] = labels
    return result


def scipy(tra, cache):
    """scipy's strong components of the edges of a model in PRISM's dialect."""
    import numpy
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    if not os.path.exists(cache):
        edges = numpy.loadtxt(tra, skiprows=1, usecols=(0, 2), dtype=numpy.int64)
        numpy.save(cache, edges)
    edges = numpy.load(cache)
    with open(tra) as file:
        states = int(file.readline().split()[0])
    ones = numpy.ones(len(edges), dtype=numpy.int8)
    matrix = csr_matrix((ones, (edges[:, 0], edges[:, 1])), shape=(states, states))
    # The counts of parallel edges may wrap to 0, which would be read as no edge.
    matrix.data[:] = 1
    start = time.perf_counter()
    count, _ = connected_components(matrix, connection="strong")
    seconds = time.perf_counter() - start
    return {"scc": seconds, "sccs": int(count)}


def versions():
    """Which versions of the other tools are measured, as a line for the record."""
    found = []
    for package in ("scipy", "stormpy"):
        try:
            found.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            sys.exit(f"{package} is not installed: pip install stormpy scipy numpy")
    scipy_version = importlib.metadata.version("scipy")
    if tuple(int(part) for part in re.findall(r"\d+", scipy_version)[:2]) < NEW_SEARCH:
        wanted = ".".join(map(str, NEW_SEARCH))
        print(f"scipy {scipy_version} has its old search: compare with {wanted} or later, "
              "which needs Python 3.12", file=sys.stderr)
    python = ".".join(map(str, sys.version_info[:2]))
    return f"{', '.join(found)}, Python {python}"


def build(source, constants, tra):
    """Builds a model from PRISM's language with Storm, and writes it in PRISM's explicit dialect."""
    import stormpy

    # Storm wants the model's type first, where PRISM lets it stand anywhere, and takes an MDP if not.
    kind = re.compile(r"^\s*(mdp|nondeterministic|dtmc|probabilistic|ctmc|stochastic)\s*$", re.M)
    with open(source) as file:
        text = file.read()
    named = kind.search(text)
    copy = tra + ".nm"
    with open(copy, "w") as file:
        file.write((named[1] if named else "mdp") + "\n" + kind.sub("", text, count=1))
    program = stormpy.parse_prism_program(copy, prism_compatibility=True)
    program, _ = stormpy.instantiate_constants(program, constants)
    model = stormpy.build_model(program)
    matrix = model.transition_matrix
    with open(tra, "w") as file:
        print(model.nr_states, matrix.nr_rows, matrix.nr_entries, file=file)
        for state in range(model.nr_states):
            first = matrix.get_row_group_start(state)
            for row in range(first, matrix.get_row_group_end(state)):
                for entry in matrix.get_row(row):
                    print(state, row - first, entry.column, entry.value, file=file)
    return {}


WORKERS = {"storm": storm, "scipy": scipy, "build": build}


def work(name, *arguments):
    """Runs a worker in a process of its own; None if it takes too long."""
    command = [sys.executable, os.path.abspath(__file__), "--worker", name, json.dumps(arguments)]
    try:
        output = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None
    if output.returncode != 0:
        sys.exit(f"{name} failed on {arguments}:\n{output.stderr}")
    return json.loads(output.stdout.splitlines()[-1])


# ---- maxend. ----------------------------------------------------------------------------------


def maxend(binary, *words):
    """What maxend prints."""
    output = subprocess.run([binary, *words], capture_output=True, text=True)
    if output.returncode != 0:
        sys.exit(f"maxend {' '.join(words)} failed:\n{output.stderr}")
    return output.stdout


def decompose(binary, tra, components, threads):
    """One run: the seconds of each phase, and the counts."""
    command = [binary, "decompose", tra, "--components", components, "--device", "cpu", "--quiet"]
    environment = dict(os.environ)
    if threads:
        environment["RAYON_NUM_THREADS"] = str(threads)
    output = subprocess.run(command, capture_output=True, text=True, env=environment)
    if output.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{output.stderr}")
    result = {}
    for line in output.stdout.splitlines():
        name, _, value = line.partition("  ")
        value = value.strip()
        if value.endswith(" s"):
            result[name] = float(value[:-2])
        elif name in ("SCCs", "MECs", "states", "branches"):
            result[name] = int(value.replace(",", ""))
    return result


# ---- The comparison. --------------------------------------------------------------------------


def prepare(options):
    """The models to measure: names and files in PRISM's dialect."""
    models = [(os.path.basename(path).split(".")[0], path) for path in options.models]
    os.makedirs(options.cache, exist_ok=True)
    for source in options.source:
        file, _, constants = source.partition(":")
        name = os.path.basename(file).split(".")[0] + constants.replace("=", "").replace(",", "_")
        path = os.path.join(options.cache, f"{name}.tra")
        if not os.path.exists(path) and work("build", file, constants, path) is None:
            sys.exit(f"building {source} takes too long")
        models.append((name, path))
    if models:
        return models
    name, constants = BUILT
    path = os.path.join(options.cache, f"{name}-{constants}.tra")
    if not os.path.exists(path):
        source = os.path.join(ROOT, "fixtures", f"{name}.prism")
        maxend(options.maxend, "build", source, "--const", constants, "--output", path, "--quiet")
    models.append((name, path))
    for family, size in GENERATED:
        path = os.path.join(options.cache, f"{family}-{size}.tra")
        if not os.path.exists(path):
            command = ["cargo", "xtask", "generate", family, "--size", str(size), "--output", path]
            subprocess.run(command, check=True, cwd=ROOT)
        models.append((family, path))
    return models


def for_storm(options, name, path):
    """The model in Storm's dialect, with labels: the .tra and the .lab file."""
    tra = os.path.join(options.cache, f"{name}.storm.tra")
    lab = os.path.join(options.cache, f"{name}.storm.lab")
    if not os.path.exists(tra):
        maxend(options.maxend, "convert", path, tra, "--to", "storm", "--quiet")
    if not os.path.exists(lab):
        with open(lab, "w") as file:
            file.write("#DECLARATION\ninit\n#END\n0 init\n")
    return tra, lab


class Medians:
    """Seconds by name, run by run."""

    def __init__(self):
        self.seconds = {}

    def add(self, name, seconds):
        self.seconds.setdefault(name, []).append(seconds)

    def of(self, *names):
        return sum(statistics.median(self.seconds[name]) for name in names)

    def shown(self, name):
        median = self.of(name)
        return f"> {LIMIT}" if median >= LIMIT else f"{median:.3f}"


def measure(options, name, path):
    """One row of the table, and its ratios."""
    tra, lab = for_storm(options, name, path)
    edges = os.path.join(options.cache, f"{name}.npy")
    medians = Medians()
    for _ in range(options.runs):
        scc = decompose(options.maxend, path, "scc", options.threads)
        mec = decompose(options.maxend, path, "mec", options.threads)
        medians.add("ours scc", scc["decompose"])
        medians.add("ours mec", mec["decompose"])
        for run in (scc, mec):
            medians.add("ours import", run["read"] + run["build"])
        peer = work("scipy", path, edges)
        medians.add("scipy scc", peer["scc"] if peer else LIMIT)
        if peer and peer["sccs"] != scc["SCCs"]:
            sys.exit(f"{name}: scipy finds {peer['sccs']} SCCs, maxend {scc['SCCs']}")
        peer = work("storm", tra, lab, False)
        medians.add("storm import", peer["import"] if peer else LIMIT)
        medians.add("storm mec", peer["mec"] if peer else LIMIT)
        if peer and peer["mecs"] != mec["MECs"]:
            sys.exit(f"{name}: Storm finds {peer['mecs']} MECs, maxend {mec['MECs']}")
    ratios = [
        medians.of(f"{peer} {what}") / medians.of(f"ours {what}")
        for peer, what in (("scipy", "scc"), ("storm", "mec"), ("storm", "import"))
    ]
    megabytes = os.path.getsize(path) / 1e6
    cells = [name, f"{megabytes:.0f}", f"{mec['states']:,}", f"{mec['branches']:,}"]
    for (peer, what), ratio in zip((("scipy", "scc"), ("storm", "mec"), ("storm", "import")), ratios):
        cells += [medians.shown(f"ours {what}"), medians.shown(f"{peer} {what}"), f"{ratio:.1f}"]
    return cells, ratios


def geometric_mean(values):
    return math.exp(statistics.mean(math.log(value) for value in values))


def compare(options):
    """Prints the table of all models, below the versions of the tools."""
    measured = versions()
    header = ["model", "MB", "states", "branches", "SCC, s", "scipy, s", "ratio"]
    header += ["MEC, s", "Storm, s", "ratio", "import, s", "Storm, s", "ratio"]
    rows, ratios = [header, ["---"] + ["--:"] * (len(header) - 1)], []
    for name, path in prepare(options):
        print(f"measuring {name}", file=sys.stderr)
        cells, of_model = measure(options, name, path)
        rows.append(cells)
        ratios.append(of_model)
    means = [f"{geometric_mean(column):.1f}" for column in zip(*ratios)]
    rows.append(["geometric mean", "", "", "", "", "", means[0], "", "", means[1], "", "", means[2]])
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    print(f"{measured}\n\n{table}", end="")
    if options.record:
        with open(options.record, "a") as file:
            file.write(f"\n{measured}; {options.runs} runs, medians.\n\n{table}")


def check(options):
    """Compares the MECs, state by state, with Storm's."""
    for name, path in prepare(options):
        tra, lab = for_storm(options, name, path)
        ours = maxend(options.maxend, "decompose", path, "--format", "labels", "--quiet")
        ours = [int(line) for line in ours.splitlines()]
        theirs = work("storm", tra, lab, True)
        if theirs is None:
            sys.exit(f"{name}: Storm takes too long")
        theirs = theirs["labels"]
        if ours != theirs:
            first = next(i for i, pair in enumerate(zip(ours, theirs)) if pair[0] != pair[1])
            sys.exit(f"{name}: state {first} is in {ours[first]}; Storm says {theirs[first]}")
        print(f"{name}: the same {len(set(ours) - {-1})} MECs")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", help=".tra files; without any, the project's own")
    parser.add_argument("--source", action="append", default=[], metavar="FILE[:NAME=VALUE,...]",
                        help="a model in PRISM's language, built by Storm")
    parser.add_argument("--cache", default=os.path.join(ROOT, "target/peers"))
    parser.add_argument("--maxend", default=os.path.join(ROOT, "target/release/maxend"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, help="threads of maxend; default: all")
    parser.add_argument("--record", metavar="FILE", help="append the table to this file")
    parser.add_argument("--check", action="store_true", help="compare results, not times")
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        name, arguments = options.worker
        print(json.dumps(WORKERS[name](*json.loads(arguments))))
    elif options.check:
        check(options)
    else:
        compare(options)


if __name__ == "__main__":
    main()

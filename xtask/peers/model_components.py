"""How long maxend takes for the SCCs and the MECs of models, beside scipy for the SCCs.

    pip install scipy target/wheels/maxend-*.whl
    python3 xtask/peers/model_components.py [--threads 1,16] FILE[:NAME=VALUE,...]...

Builds each model, which may be in PRISM's language, with these constants. Prints a row of Markdown
with the numbers of states and edges, the times of maxend for SCCs and for MECs with each number of
threads, and the time of scipy on one core, on the same graph with equal edges merged. Times are
milliseconds of wall time: medians of five runs, or of three for scipy and for graphs of over 100
million edges.

The results are in docs/benchmarks/README.md.
"""

import argparse
import statistics
import time

import maxend
from scipy.sparse.csgraph import connected_components

LARGE = 100_000_000


def median_time(runs, function):
    """The median time in milliseconds."""
    times = []
    for _ in range(runs):
        before = time.perf_counter()
        function()
        times.append(1e3 * (time.perf_counter() - before))
    return statistics.median(times)


def build(model):
    file, _, constants = model.partition(":")
    pairs = (pair.split("=") for pair in constants.split(",") if pair)
    return maxend.build(file, dict(pairs))


def row(name, threads):
    model = build(name)
    edges = model.edges()
    runs = 3 if edges.nnz > LARGE else 5
    times = [
        median_time(runs, lambda search=search, count=count: search(device="cpu", threads=count))
        for search in (model.scc, model.mec)
        for count in threads
    ]
    times.append(median_time(3, lambda: connected_components(edges, connection="strong")))
    cells = [name, f"{edges.shape[0]:,}", f"{edges.nnz:,}", *(f"{time:,.1f}" for time in times)]
    return f"| {' | '.join(cells)} |"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", default="1,16")
    parser.add_argument("models", nargs="+")
    asked = parser.parse_args()
    threads = [int(count) for count in asked.threads.split(",")]
    columns = [f"{kind}, {count}" for kind in ("SCCs", "MECs") for count in threads]
    print(f"| model | states | edges | {' | '.join(columns)} | scipy |")
    print("| --- |" + " --: |" * (len(columns) + 3))
    for name in asked.models:
        print(row(name, threads), flush=True)


if __name__ == "__main__":
    main()

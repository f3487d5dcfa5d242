"""Whether `maxend.connected_components` answers as scipy's function does, and how fast either is.

    pip install scipy target/wheels/maxend-*.whl
    python3 xtask/peers/connected_components.py [MODEL...]

Graphs of over a million edges, of several shapes, and those of models. The functions take turns; of five runs each the
shortest counts: milliseconds of wall time, and of the processor's in brackets. Both must find as many components.
"""

import resource
import sys
import time

import maxend
import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

RUNS = 5


def graph(n, sources, targets):
    ones = np.ones(len(sources), dtype=np.int8)
    return sparse.csr_array((ones, (sources, targets)), shape=(n, n))


def graphs(models):
    draw = np.random.default_rng(1)
    for degree, n in ((1.2, 2_000_000), (5, 300_000), (50, 60_000)):
        m = int(n * degree)
        yield f"random, degree {degree}", graph(n, draw.integers(0, n, m), draw.integers(0, n, m))
    n = 1_500_000
    nodes = np.arange(n)
    yield "cycle", graph(n, nodes, (nodes + 1) % n)
    yield "chain", graph(n, nodes[:-1], nodes[1:])
    yield "permutation", graph(n, nodes, draw.permutation(n))
    k = 800
    grid = np.arange(k * k).reshape(k, k)
    steps = [(grid[:, :-1], grid[:, 1:]), (grid[:-1], grid[1:]), (grid[:, 1:], grid[:, :-1])]
    yield "grid", graph(k * k, *(np.concatenate([s[i].ravel() for s in steps]) for i in (0, 1)))
    n, m = 1 << 20, 4_000_000
    yield "power law", graph(n, *((n * draw.random(m) ** 3).astype(int) for _ in range(2)))
    n, m = 500_000, 2_500_000
    pairs = np.sort(draw.integers(0, n, (2, m)), axis=0)
    yield "acyclic", graph(n, *pairs[:, pairs[0] < pairs[1]])
    for model in models:
        yield model.rpartition("/")[2], maxend.read(model, details=False).edges()


def processor():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main():
    print(f"{'graph':20} {'':6} {'nodes':>9} {'edges':>10} {'scipy':>16} {'maxend':>16}  faster")
    for name, edges in graphs(sys.argv[1:]):
        for connection in ("strong", "weak"):
            counts, times = set(), {connected_components: [], maxend.connected_components: []}
            for _ in range(RUNS):
                for function, taken in times.items():
                    before = time.perf_counter(), processor()
                    counts.add(function(edges, connection=connection)[0])
                    taken.append((time.perf_counter() - before[0], processor() - before[1]))
            assert len(counts) == 1, (name, counts)
            best = [[1e3 * min(one) for one in zip(*taken)] for taken in times.values()]
            shown = " ".join(f"{wall:7.1f} ({cpu:6.1f})" for wall, cpu in best)
            ratios = " ".join(f"{a / b:5.2f}" for a, b in zip(*best))
            print(f"{name:20} {connection:6} {edges.shape[0]:>9} {edges.nnz:>10} {shown} {ratios}")


if __name__ == "__main__":
    main()

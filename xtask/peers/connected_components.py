"""Whether `maxend.connected_components` answers as scipy's function does, and how fast either is.

    pip install scipy target/wheels/maxend-*.whl
    python3 xtask/peers/connected_components.py [MODEL...]

Graphs of over a million edges, of several shapes, and those of models. The functions take turns; of five runs each the
shortest counts: milliseconds of wall time, and of the processor's in brackets. Both must find as many components.

Result (23 November 2026, scipy 1.17.1, 4 cores that others used meanwhile, so that the processor's time counts):

    graph                           nodes      edges            scipy           maxend  faster
    random, degree 1.2   strong   2000000    2400000   880.0 ( 496.0)   867.0 ( 538.0)  1.01  0.92
    random, degree 1.2   weak     2000000    2400000   811.6 ( 522.1)   133.1 (  99.0)  6.10  5.27
    random, degree 5     strong    300000    1499988   138.7 ( 111.0)    23.6 (  21.9)  5.88  5.07
    random, degree 5     weak      300000    1499988   164.4 ( 111.4)    16.0 (  11.1) 10.29 10.06
    random, degree 50    strong     60000    2998672    55.4 (  35.3)    27.7 (  18.2)  2.00  1.94
    random, degree 50    weak       60000    2998672   126.5 (  81.5)     8.9 (   6.6) 14.19 12.31
    cycle                strong   1500000    1500000    22.9 (  17.8)    43.8 (  38.7)  0.52  0.46
    cycle                weak     1500000    1500000    23.5 (  18.0)    12.4 (   8.4)  1.89  2.13
    chain                strong   1500000    1499999    20.8 (  14.2)   110.9 (  55.5)  0.19  0.26
    chain                weak     1500000    1499999    26.6 (  17.3)    21.3 (  11.9)  1.25  1.46
    permutation          strong   1500000    1500000  1327.2 ( 897.2)   846.9 ( 533.6)  1.57  1.68
    permutation          weak     1500000    1500000   763.0 ( 522.9)    37.2 (  26.2) 20.52 19.96
    grid                 strong    640000    1917600    11.3 (  11.0)    22.5 (  18.4)  0.50  0.60
    grid                 weak      640000    1917600    53.8 (  36.0)     5.5 (   5.7)  9.84  6.36
    power law            strong   1048576    3985520   818.5 ( 493.6)   489.7 ( 357.5)  1.67  1.38
    power law            weak     1048576    3985520   500.5 ( 396.1)    46.1 (  40.7) 10.86  9.73
    acyclic              strong    500000    2499977   172.9 ( 132.8)   155.1 ( 119.6)  1.11  1.11
    acyclic              weak      500000    2499977   357.3 ( 203.1)    28.9 (  21.9) 12.35  9.25

So maxend is slower where strong components are sought in a graph in whose order of nodes almost every edge leads to the
next: cycles, chains and grids.
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

"""Whether `maxend.connected_components` answers as scipy's function does, and how fast either is.

    pip install scipy target/wheels/maxend-*.whl
    python3 xtask/peers/connected_components.py [--weak] [--wide] [--only TEXT] [MODEL...]

Graphs of over a million edges, of several shapes, each as it is and with its nodes numbered at random, and those of
models; with --only those alone whose names contain the text. Indices have 32 bits, or 64 with --wide. The functions
take turns, and so does which of them is the first; of five runs each the median counts: milliseconds of wall time, and
of the processor's in brackets. Both must find as many components. For one thread, set RAYON_NUM_THREADS=1.

The results are in docs/benchmarks/python.md.
"""

import argparse
import resource
import statistics
import time

import maxend
import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

RUNS = 5


def graph(n, sources, targets):
    """A graph with indices of 32 bits, as scipy makes them of small matrices."""
    made = sparse.csr_array((np.ones(len(sources)), (sources, targets)), shape=(n, n))
    made.indices, made.indptr = made.indices.astype(np.int32), made.indptr.astype(np.int32)
    return made


def shuffled(edges):
    """The same with nodes numbered at random."""
    numbers = np.random.default_rng(5).permutation(edges.shape[0])
    edges = edges.tocoo()
    return graph(edges.shape[0], numbers[edges.row], numbers[edges.col])


def grid(width, ways):
    nodes = np.arange(width * width).reshape(width, width)
    steps = {
        "right": (nodes[:, :-1], nodes[:, 1:]),
        "down": (nodes[:-1], nodes[1:]),
        "left": (nodes[:, 1:], nodes[:, :-1]),
        "up": (nodes[1:], nodes[:-1]),
    }
    ends = (np.concatenate([steps[way][i].ravel() for way in ways]) for i in (0, 1))
    return graph(width * width, *ends)


def both_ways(n, sources, targets):
    """An undirected graph: each edge in both directions."""
    return graph(n, np.r_[sources, targets], np.r_[targets, sources])


def paths():
    n = 2_000_000
    nodes = np.arange(n)
    yield "cycle", graph(n, nodes, (nodes + 1) % n)
    yield "cycle, backward", graph(n, (nodes + 1) % n, nodes)
    yield "chain", graph(n, nodes[:-1], nodes[1:])
    yield "chain, backward", graph(n, nodes[1:], nodes[:-1])
    pairs = (nodes[0::2], nodes[1::2], nodes[1:-1:2]), (nodes[1::2], nodes[0::2], nodes[2::2])
    yield "cycles of two", graph(n, *map(np.concatenate, pairs))
    yield "cycles of ten", graph(n, nodes, nodes // 10 * 10 + (nodes + 1) % 10)
    yield "self-loops", graph(n, nodes, nodes)
    yield "permutation", graph(n, nodes, np.random.default_rng(1).permutation(n))
    half = nodes[: n // 2]
    yield "path, both ways", both_ways(n // 2, half[:-1], half[1:])
    ends = np.r_[half[:-1], half[:-2]], np.r_[half[1:], half[2:]]
    yield "band of two, both ways", both_ways(n // 2, *ends)
    teeth = np.r_[half[:-1], half, half + n // 2], np.r_[half[1:], half + n // 2, half]
    yield "comb", graph(n, *teeth)
    yield "caterpillar, both ways", both_ways(n, *(end[: n - 1] for end in teeth))


def stars_and_trees():
    n = 2_000_000
    nodes = np.arange(n)
    hub = np.zeros(n - 1, dtype=int)
    yield "star, out", graph(n, hub, nodes[1:])
    yield "star, in", graph(n, nodes[1:], hub)
    half = nodes[: n // 2]
    yield "star, both ways", both_ways(n // 2, hub[: n // 2 - 1], half[1:])
    middle = n // 4
    leaves = half[half != middle]
    yield "star around a middle node", both_ways(n // 2, np.full(len(leaves), middle), leaves)
    wheel = np.r_[half[:-1], hub[: n // 2 - 1]], np.r_[half[1:], half[1:]]
    yield "path and hub, both ways", both_ways(n // 2, *wheel)
    above = (nodes[1:] - 1) // 2
    yield "tree, down", graph(n, above, nodes[1:])
    yield "tree, up", graph(n, nodes[1:], above)
    yield "tree, both ways", both_ways(n // 2, (half[1:] - 1) // 2, half[1:])


def grids_and_layers():
    ways = ["right", "down", "left", "up"]
    for count in (2, 3, 4):
        yield f"grid, {count} ways", grid(1000, ways[:count])
    some = grid(1000, ways[:2]).tocoo()
    diagonal = np.arange(999 * 1000).reshape(999, 1000)[:, :-1].ravel()
    ends = np.r_[some.row, diagonal], np.r_[some.col, diagonal + 1001]
    yield "triangles, both ways", both_ways(1_000_000, *ends)
    kept = np.random.default_rng(2).random(some.nnz) < 0.6
    yield "grid with holes, both ways", both_ways(1_000_000, some.row[kept], some.col[kept])
    torus = np.arange(1_000_000).reshape(100, 100, 100)
    steps = [np.roll(torus, 1, axis).ravel() for axis in range(3)]
    ends = np.tile(torus.ravel(), 3), np.concatenate(steps)
    yield "torus", graph(1_000_000, *ends)
    yield "torus, both ways", both_ways(1_000_000, *ends)
    layers, width = 100, 200
    first = np.arange(layers - 1)[:, None, None] * width
    some = np.arange(width)
    ends = np.broadcast_arrays(first + some[:, None], first + width + some[None, :])
    yield "layers", graph(layers * width, *(end.ravel() for end in ends))


def dense():
    draw = np.random.default_rng(3)
    for size, count in ((3, 333_333), (10, 100_000)):
        first = np.arange(count)[:, None, None] * size
        some = np.arange(size)
        ends = np.broadcast_arrays(first + some[:, None], first + some[None, :])
        apart = np.broadcast_to(some[:, None] != some[None, :], ends[0].shape)
        yield f"cliques of {size}", graph(size * count, *(end[apart] for end in ends))
    for size in (4, 20, 1000):
        n, m = 1_000_000, 3_000_000
        sources = draw.integers(0, n, m)
        targets = np.minimum(sources // size * size + draw.integers(0, size, m), n - 1)
        yield f"blocks of {size}", graph(n, sources, targets)
    for n in (1500, 10_000, 50_000):
        ends = draw.integers(0, n, (2, 2_000_000))
        yield f"{n} nodes", graph(n, *ends)
    sources, targets = np.tril_indices(2000, -1)
    yield "triangular matrix", graph(2000, targets, sources)


def drawn():
    draw = np.random.default_rng(1)
    for degree, n in ((1.2, 2_000_000), (3, 1_000_000), (10, 500_000)):
        m = int(n * degree)
        yield f"random, degree {degree}", graph(n, draw.integers(0, n, m), draw.integers(0, n, m))
    m, levels = 5_000_000, 20
    sources, targets = np.zeros(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
    for _ in range(levels):
        place = draw.random(m)
        sources = 2 * sources + (place > 0.76)
        targets = 2 * targets + (((place > 0.57) & (place <= 0.76)) | (place > 0.95))
    yield "R-MAT", graph(1 << levels, sources, targets)
    n, m = 1_000_000, 4_000_000
    pairs = np.sort(draw.integers(0, n, (2, m)), axis=0)
    yield "acyclic", graph(n, *pairs[:, pairs[0] < pairs[1]])
    sources = draw.integers(0, n - 1, m)
    targets = np.clip(sources + draw.integers(-50, 51, m), 0, n - 1)
    yield "short edges", graph(n, sources, targets)
    nodes = np.arange(n)
    ends = (nodes, sources), ((nodes + 1) % n, targets)
    yield "a cycle and short edges", graph(n, *map(np.concatenate, ends))
    far = np.where(draw.random(n) < 0.1, draw.integers(0, n, n), (nodes + 1) % n)
    ends = np.r_[nodes, nodes], np.r_[far, (nodes + 2) % n]
    yield "small world, both ways", both_ways(n, *ends)


def drawn_in_parts():
    draw = np.random.default_rng(4)
    n = 1_000_000
    nodes = np.arange(n)
    ends = np.r_[nodes, nodes, nodes], np.r_[nodes, draw.integers(0, n, 2 * n)]
    yield "two edges and a loop", graph(n, *ends)
    ends = draw.integers(0, n, (2, 3 * n // 2))
    yield "random, both ways", both_ways(n, *ends)
    yield "few edges", graph(10 * n, *draw.integers(0, 10 * n, (2, 2 * n)))
    yield "few targets", graph(4 * n, draw.integers(0, 4 * n, n), draw.integers(0, 1000, n))
    earlier = (np.repeat(nodes[1:], 5) * draw.random(5 * (n - 1))).astype(int)
    yield "to earlier nodes", graph(n, np.repeat(nodes[1:], 5), earlier)
    left = draw.integers(0, n // 2, 2 * n)
    yield "two sides", graph(n, left, n // 2 + draw.integers(0, n // 2, 2 * n))
    giant = draw.integers(0, n // 2, (2, 2 * n))
    sources = draw.integers(n // 2, n, n)
    ends = np.r_[giant[0], sources], np.r_[giant[1], (sources * draw.random(n)).astype(int)]
    yield "half of it a giant", graph(n, *ends)
    yield "power law", graph(n, np.repeat(nodes[1:], 3), preferred(draw, n))


def preferred(draw, n):
    """Three targets for each node but the first, each an end of an earlier edge."""
    targets = np.zeros(3 * (n - 1), dtype=np.int64)
    # An end is the source or the target of an edge of an earlier node; that of a target is older.
    edges = (np.repeat(np.arange(n - 1), 3) * 3 * draw.random(len(targets))).astype(np.int64)
    is_source = draw.random(len(targets)) < 0.5
    for edge, (other, source) in enumerate(zip(edges.tolist(), is_source.tolist())):
        targets[edge] = other // 3 + 1 if source and other else targets[other]
    return targets


def graphs(models, only):
    families = paths, stars_and_trees, grids_and_layers, dense, drawn, drawn_in_parts
    for family in families:
        for name, edges in family():
            if only in name:
                yield name, edges
            if only in name + ", shuffled":
                yield name + ", shuffled", shuffled(edges)
    for model in models:
        yield model.rpartition("/")[2], maxend.read(model, details=False).edges()


def widened(edges):
    """The same with indices of 64 bits."""
    edges.indices, edges.indptr = edges.indices.astype(np.int64), edges.indptr.astype(np.int64)
    return edges


def processor():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def measure(edges, connection):
    """The medians of both functions, each of wall time and of the processor's, in milliseconds."""
    counts, times = set(), {connected_components: [], maxend.connected_components: []}
    for run in range(RUNS):
        for function in list(times)[:: -1 if run % 2 else 1]:
            before = time.perf_counter(), processor()
            counts.add(function(edges, connection=connection)[0])
            times[function].append((time.perf_counter() - before[0], processor() - before[1]))
    assert len(counts) == 1, counts
    return [[1e3 * statistics.median(one) for one in zip(*taken)] for taken in times.values()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weak", action="store_true")
    parser.add_argument("--wide", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("models", nargs="*")
    asked = parser.parse_args()
    connection = "weak" if asked.weak else "strong"
    print(f"{'graph':34} {'nodes':>9} {'edges':>10} {'scipy':>16} {'maxend':>16}  faster")
    for name, edges in graphs(asked.models, asked.only):
        medians = measure(widened(edges) if asked.wide else edges, connection)
        shown = " ".join(f"{wall:7.1f} ({cpu:6.1f})" for wall, cpu in medians)
        ratios = " ".join(f"{a / b:5.2f}" for a, b in zip(*medians))
        print(f"{name:34} {edges.shape[0]:>9} {edges.nnz:>10} {shown} {ratios}", flush=True)


if __name__ == "__main__":
    main()

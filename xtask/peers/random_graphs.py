"""Looks for graphs whose strong components scipy finds faster than `maxend.connected_components`.

    pip install scipy target/wheels/maxend-*.whl
    python3 xtask/peers/random_graphs.py [--seed S] [--count N] [--wide]

Draws graphs of one to eight million edges from families of regular and random graphs, and renumbers
their nodes in one of several ways. For each graph, it prints scipy's time divided by maxend's, both
times in milliseconds (the least of four), and what the graph is. Both must find as many components.
The graphs with the smallest ratios are printed again at the end. For one thread, set
RAYON_NUM_THREADS=1.

The results are in docs/benchmarks/python.md.
"""

import argparse
import time

import maxend
import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

RUNS = 4
SHOWN = 10


def mesh(draw):
    """A grid of several dimensions: edges along some axes, open or closed to rings."""
    dimensions = int(draw.integers(2, 6))
    left = int(draw.integers(400_000, 1_500_000))
    sizes = []
    for _ in range(dimensions - 1):
        sizes.append(int(np.clip(left ** (0.9 * draw.random()), 2, max(left // 2, 2))))
        left = max(left // sizes[-1], 2)
    sizes.append(left)
    draw.shuffle(sizes)
    nodes = np.arange(np.prod(sizes)).reshape(sizes)
    edges, ways = [(nodes[:0].ravel(), nodes[:0].ravel())], []
    for axis in range(dimensions):
        for step in (1, -1):
            if draw.random() < 0.55:
                is_ring = bool(draw.random() < 0.6)
                ways.append(f"{'+-'[step < 0]}{axis}{'o' if is_ring else ''}")
                kept = np.ones(sizes, bool)
                if not is_ring:
                    kept[(slice(None),) * axis + (-1 if step == 1 else 0,)] = False
                edges.append((nodes[kept], np.roll(nodes, -step, axis)[kept]))
    sources, targets = (np.concatenate(ends) for ends in zip(*edges))
    share = draw.choice([1, 1, 0.9, 0.5])
    kept = draw.random(len(sources)) < share
    return f"mesh {sizes}, {' '.join(ways)}, {share}", nodes.size, sources[kept], targets[kept]


def offsets(draw):
    """Each node leads to those at some distances, whose logarithms are drawn."""
    n = int(draw.integers(500_000, 2_000_000))
    lengths = np.exp(draw.random(draw.integers(1, 5)) * np.log(n)).astype(int)
    lengths *= draw.choice([-1, 1], len(lengths))
    sources = np.tile(np.arange(n), len(lengths))
    targets = sources + np.repeat(lengths, n)
    if draw.random() < 0.6:
        return f"offsets {lengths.tolist()}, ring", n, sources, targets % n
    kept = (targets >= 0) & (targets < n)
    return f"offsets {lengths.tolist()}", n, sources[kept], targets[kept]


def components(draw):
    """Small components of one kind, with links between some of their nodes."""
    size = int(draw.choice([2, 3, 4, 5, 7, 10, 30, 100, 1000, 30_000]))
    n = 1_000_000 // size * size
    nodes = np.arange(n)
    first, place = nodes // size * size, nodes % size
    kind = draw.choice(["rings", "cliques", "trees", "stars", "paths", "random"])
    some = min(size, 12)
    sources, targets = {
        "rings": lambda: (nodes, first + (place + draw.integers(1, size)) % size),
        "cliques": lambda: (
            np.repeat(nodes, some),
            np.repeat(first, some) + (np.repeat(place, some) + np.tile(np.arange(some), n)) % size,
        ),
        "trees": lambda: (
            np.r_[nodes, nodes],
            np.r_[first + place // 2, first + np.minimum(2 * place + 1, size - 1)],
        ),
        "stars": lambda: (np.r_[nodes, first], np.r_[first, nodes]),
        "paths": lambda: (
            np.r_[nodes, nodes],
            np.r_[first + np.maximum(place - 1, 0), first + np.minimum(place + 1, size - 1)],
        ),
        "random": lambda: (np.r_[nodes, nodes], np.r_[first, first] + draw.integers(0, size, 2 * n)),
    }[kind]()
    links = int(n * draw.choice([0, 0.1, 0.5, 1]))
    span = int(draw.choice([10, 1000, n]))
    way = draw.choice(["on", "back", "both"])
    least, most = {"on": (1, span), "back": (-span, -1), "both": (-span, span)}[way]
    linked = draw.integers(0, n, links)
    ends = np.clip(linked + draw.integers(least, most, links, endpoint=True), 0, n - 1)
    name = f"{kind} of {size}, {links} links {way} within {span}"
    return name, n, np.r_[sources, linked], np.r_[targets, ends]


def resets(draw):
    """A path with edges from some of its nodes to one."""
    n = int(draw.integers(500_000, 1_500_000))
    nodes = np.arange(n)
    share, goal = draw.choice([0.01, 0.3, 1]), draw.choice([0, n // 2, n - 1])
    step = int(draw.choice([1, 2, 17, 1000]) * draw.choice([-1, 1]))
    kept = (nodes + step >= 0) & (nodes + step < n)
    some = nodes[draw.random(n) < share]
    sources, targets = np.r_[nodes[kept], some], np.r_[nodes[kept] + step, np.full(len(some), goal)]
    return f"steps of {step}, {share} to {goal}", n, sources, targets


def drawn(draw):
    """Edges at random: to any node, to near ones, to few, onward with some back, or far at times."""
    n = int(draw.integers(300_000, 1_500_000))
    count = int(n * draw.choice([1, 1.2, 2, 3, 5]))
    sources = draw.integers(0, n, count)
    kind = draw.choice(["any", "near", "zipf", "onward", "pareto"])
    width = int(draw.choice([3, 30, 1000, 30_000]))
    tail = float(draw.choice([0.5, 1, 2]))
    if kind == "any":
        targets = draw.integers(0, n, count)
    elif kind == "near":
        targets = np.clip(sources + draw.integers(-width, width + 1, count), 0, n - 1)
    elif kind == "zipf":
        targets = draw.zipf(1 + tail, count) % n
    elif kind == "onward":
        length = draw.integers(1, width + 1, count)
        length[draw.random(count) < draw.choice([0, 0.01, 0.2])] *= -1
        targets = np.clip(sources + length, 0, n - 1)
    else:
        length = np.minimum(draw.pareto(tail, count), n) * draw.choice([-1, 1], count)
        targets = (sources + length.astype(np.int64)) % n
    return f"{kind}, {count}, {width}, {tail}", n, sources, targets


def functions(draw):
    """Each node leads to its image under a function, and in most graphs to a neighbour."""
    n = int(draw.integers(500_000, 1_500_000))
    nodes = np.arange(n)
    name = draw.choice(["square", "5x+3", "collatz", "mirror", "gray", "de Bruijn"])
    images = {
        "square": [nodes * nodes % n],
        "5x+3": [(5 * nodes + 3) % n],
        "collatz": [np.where(nodes % 2 == 0, nodes // 2, (3 * nodes + 1) % n)],
        "mirror": [n - 1 - nodes],
        "gray": [np.minimum(nodes ^ (nodes >> 3), n - 1)],
        "de Bruijn": [2 * nodes % n, (2 * nodes + 1) % n],
    }[name]
    step = int(draw.choice([0, 1, -1, 7]))
    if step:
        images.append((nodes + step) % n)
    return f"{name}, step {step}", n, np.tile(nodes, len(images)), np.concatenate(images)


def renumbered(draw, n):
    """A way to number the nodes, and the new numbers."""
    nodes = np.arange(n)
    way = draw.choice(["in order", "in order", "backward", "in windows", "by columns", "at random"])
    if way == "backward":
        return way, n - 1 - nodes
    if way == "at random":
        return way, draw.permutation(n)
    if way == "in windows":
        keys = nodes // draw.choice([16, 1000, 50_000]) + 0.999 * draw.random(n)
    elif way == "by columns":
        width = int(np.ceil(np.sqrt(n)))
        keys = nodes % width * (n // width + 2) + nodes // width
    else:
        return way, nodes
    numbers = np.empty(n, dtype=np.int64)
    numbers[np.argsort(keys, kind="stable")] = nodes
    return way, numbers


def graphs(seed, count):
    draw = np.random.default_rng(seed)
    families = [mesh, mesh, offsets, offsets, components, components, resets, drawn, drawn, functions]
    while count:
        name, n, sources, targets = draw.choice(families)(draw)
        way, numbers = renumbered(draw, n)
        if not 1_000_000 <= len(sources) <= 8_000_000:
            continue
        count -= 1
        ends = numbers[sources], numbers[targets]
        if draw.random() < 0.15:
            name, ends = name + ", transposed", ends[::-1]
        yield f"{name}, {way}", sparse.csr_array((np.ones(len(sources)), ends), shape=(n, n))


def least_time(function, graph):
    """The number of components, and the least time in milliseconds."""
    times = []
    for _ in range(RUNS):
        before = time.perf_counter()
        found = function(graph, connection="strong")[0]
        times.append(time.perf_counter() - before)
    return found, 1e3 * min(times)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--wide", action="store_true")
    asked = parser.parse_args()
    width = np.int64 if asked.wide else np.int32
    rows = []
    for name, graph in graphs(asked.seed, asked.count):
        graph.indices, graph.indptr = graph.indices.astype(width), graph.indptr.astype(width)
        expected, theirs = least_time(connected_components, graph)
        found, ours = least_time(maxend.connected_components, graph)
        assert found == expected, name
        size = f"n={graph.shape[0]} m={graph.nnz}"
        rows.append((theirs / ours, f"{theirs:7.1f} {ours:7.1f}  {size} {name}"))
        print(f"{rows[-1][0]:6.2f} {rows[-1][1]}", flush=True)
    mean = np.exp(np.mean([np.log(ratio) for ratio, _ in rows]))
    slower = sum(ratio < 1 for ratio, _ in rows)
    print(f"geometric mean {mean:.2f}, scipy faster on {slower} of {len(rows)}, the smallest ratios:")
    for ratio, row in sorted(rows)[:SHOWN]:
        print(f"{ratio:6.2f} {row}")


if __name__ == "__main__":
    main()

"""Compares breadth-first search with a naive one, by levels."""

import pickle

import numpy as np
import pytest
from conftest import as_model, random_mdp

import maxend


def naive_search(mdp, sources):
    """Return distances, and the smallest predecessors whose distance is less by one."""
    edges = np.zeros((len(mdp), len(mdp)), dtype=bool)
    for state, choices in enumerate(mdp):
        for target in (t for choice in choices for t in choice):
            edges[state, target] = True
    distances, parents = np.full(len(mdp), -1), np.full(len(mdp), -1)
    level = np.isin(np.arange(len(mdp)), sources)
    distance = 0
    while level.any():
        distances[level] = distance
        fresh = edges[level].any(axis=0) & (distances < 0)
        for state in np.flatnonzero(fresh):
            parents[state] = np.flatnonzero(level & edges[:, state])[0]
        level, distance = fresh, distance + 1
    return distances, parents


@pytest.mark.parametrize("seed", range(60))
def test_distances_agree_with_a_naive_search(seed):
    mdp = random_mdp(seed)
    model = as_model(mdp)
    for sources in (0, [], [len(mdp) - 1, 0, 0], range(len(mdp))):
        distances, parents = naive_search(mdp, sources)
        for options in ({}, {"certify": True, "threads": 2}):
            found = model.bfs(sources, **options)
            assert found.distances.tolist() == distances.tolist()
            assert found.parents.tolist() == parents.tolist()
            assert found.levels == distances.max() + 1
        for target in range(len(mdp)):
            check_path(found, parents, distances, target)


def check_path(found, parents, distances, target):
    path = found.path(target)
    if distances[target] < 0:
        assert path is None
        return
    assert path[-1] == target and len(path) == distances[target] + 1
    assert [parents[state] for state in path] == [-1, *path[:-1]]


def test_sources_and_targets_are_states_or_labels(fixtures):
    model = maxend.read(fixtures / "running_example.tra")
    assert {name: states.tolist() for name, states in model.labels.items()} == {
        "init": [0],
        "deadlock": [],
        "goal": [2, 3],
    }
    expected = model.bfs([0]).distances.tolist()
    for sources in (None, 0, np.int64(0), np.array([0], dtype=np.uint8), (0,), "init"):
        found = model.bfs(sources, target="goal")
        assert found.distances.tolist() == expected
        assert found.distances.dtype == found.parents.dtype == np.int32
        assert found.path() == found.path("goal") == found.path([3, 2])
    nearest = min((expected[state], state) for state in (2, 3) if expected[state] >= 0)
    assert found.path()[-1] == nearest[1]
    assert found.path(0) == [0]
    assert model.bfs("goal").path(3) == [3]
    assert found.device and found.model is model
    assert repr(found) == "<maxend.BfsTree: 8 states reached, 4 levels>"
    without_initial = maxend.Model.from_csr([0, 1, 2], [1, 0])
    assert without_initial.bfs().distances.tolist() == [0, 1]
    assert maxend.Model.from_csr([0], []).bfs().distances.tolist() == []
    assert maxend.Model.from_csr([0], []).bfs().levels == 0


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (8, maxend.ModelError, "has state 8, but the graph has 8 states"),
        ([1, 9], maxend.ModelError, "has state 9, but the graph has 8 states"),
        (-1, ValueError, "must be between 0 and 4294967295, not -1"),
        (2**70, ValueError, f"must be between 0 and 4294967295, not {2**70}"),
        ([0, 2**63], ValueError, f"must be between 0 and 4294967295, not {2**63}"),
        (0.5, TypeError, "must be integers, not float64"),
        (True, TypeError, "must be integers, not bool"),
        ([[0]], ValueError, "must have one dimension, not 2"),
        (
            "gaol",
            maxend.ModelError,
            ": the model has no label 'gaol'; its labels are 'init', 'deadlock', 'goal'",
        ),
    ],
)
def test_wrong_sources_and_targets_are_named(fixtures, wrong, error, message):
    model = maxend.read(fixtures / "running_example.tra")
    with pytest.raises(error, match=f"sources ?{message}"):
        model.bfs(wrong)
    for call in (lambda: model.bfs(0, target=wrong), lambda: model.bfs(0).path(wrong)):
        with pytest.raises(error, match=f"target ?{message}"):
            call()
    with pytest.raises(maxend.ModelError, match="no label 'goal'; it has no labels"):
        maxend.Model.from_csr([0, 1], [0]).bfs("goal")
    with pytest.raises(ValueError, match="the search was given no target"):
        model.bfs(0).path()
    with pytest.raises(TypeError, match="BfsTree cannot be pickled"):
        pickle.dumps(model.bfs(0))


def test_devices_agree():
    model = maxend.Model.from_csr([0, 2, 3, 4, 4], [1, 2, 3, 3])
    try:
        found = model.bfs(0, device="gpu", certify=True)
    except maxend.DeviceError:
        pytest.skip("there is no Vulkan device")
    assert found.distances.tolist() == [0, 1, 1, 2] and found.device != "cpu"
    assert found.path(3) == [0, 1, 3]
    assert model.bfs(0, device="cpu").parents.tolist() == found.parents.tolist()

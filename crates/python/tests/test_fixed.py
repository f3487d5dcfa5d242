"""Checks that attributes cannot be set, and that arrays which the package keeps are read-only."""

import dataclasses

import numpy as np
import pytest

import maxend

GRAPH = ([0, 2, 3, 4], [0, 1, 3, 4, 5], [0, 1, 2, 0, 2])


def models(root):
    """Return a model of a file, and one of arrays."""
    given = [np.array(part, dtype=np.int32) for part in GRAPH]
    labels = {"init": [0], "goal": np.array([2], dtype=np.uint32)}
    of_arrays = maxend.Model.from_arrays(
        *given, probabilities=np.array([1, 0.5, 0.5, 1, 1]), labels=labels
    )
    of_file = maxend.read(root / "crates/cli/tests/rewards/coin.prism")
    return of_file, of_arrays, maxend.Model.from_csr(np.arange(3), np.array([1, 0]), type="lts")


def attributes(thing):
    """Return the names of the public attributes of an object that are not methods."""
    names = [name for name in dir(thing) if not name.startswith("_")]
    return [name for name in names if not callable(getattr(thing, name))]


def arrays(value):
    """Return the arrays that a value contains."""
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, dict):
        return [array for part in value.values() for array in arrays(part)]
    if isinstance(value, tuple):
        return [array for part in value for array in arrays(part)]
    if dataclasses.is_dataclass(value) or isinstance(value, THINGS):
        return [array for name in attributes(value) for array in arrays(getattr(value, name))]
    return []


THINGS = (maxend.Model, maxend.Components, maxend.Quotient, maxend.BfsTree)


def results(model):
    """Return what is computed from a model."""
    rewards = maxend.Rewards(states=np.ones(model.num_states))
    for components in (model.scc(), model.scc(bottom=True), model.mec()):
        yield components
        yield from components
        yield components.quotient()
    yield model.bfs()
    yield model.long_run(rewards)
    yield model.long_run(rewards, exact=True)
    yield model.cycle_mean(rewards)


def test_arrays_are_read_only(root):
    for model in models(root):
        for thing in (model, *results(model)):
            found = arrays(thing)
            assert found, thing
            for array in found:
                assert not array.flags.writeable
                with pytest.raises(ValueError, match="read-only"):
                    array[...] = 1


def test_empty_results_are_read_only():
    model = maxend.Model.from_csr([0], [])
    for thing in (model, model.scc(), model.mec().quotient(), model.bfs()):
        assert not any(array.flags.writeable for array in arrays(thing))


def test_arrays_of_users_stay_as_they_are():
    given = [np.array(part, dtype=np.int32) for part in GRAPH]
    probabilities, goal = np.ones(5), np.array([2], dtype=np.uint32)
    model = maxend.Model.from_arrays(*given, probabilities=probabilities, labels={"goal": goal})
    indptr, indices = np.arange(3, dtype=np.int32), np.array([1, 0], dtype=np.int32)
    rows = maxend.Model.from_csr(indptr, indices)
    assert np.shares_memory(model.choices, given[0]) and np.shares_memory(rows.targets, indices)
    rewards = maxend.Rewards(states=np.ones(3))
    model.long_run(rewards)
    for array in (*given, probabilities, goal, indptr, indices, rewards.states):
        assert array.flags.writeable


def test_matrices_and_labels_for_users_may_be_changed():
    model = maxend.Model.from_arrays(*GRAPH, probabilities=np.ones(5))
    for matrix in (model.edges(), model.transitions()):
        for part in (matrix.data, matrix.indices, matrix.indptr):
            part[...] = 0
    count, labels = maxend.connected_components(np.eye(3))
    labels[...] = 0
    assert model.targets.tolist() == GRAPH[2] and count == 3


def test_attributes_cannot_be_set(root):
    for model in models(root):
        for thing in (model, *(found for found in results(model) if isinstance(found, THINGS))):
            names = attributes(thing)
            assert len(names) > 3
            for name in names:
                before = getattr(thing, name)
                # Whether it was computed before or not.
                for other in (thing, type(thing).__new__(type(thing))):
                    with pytest.raises(AttributeError):
                        setattr(other, name, 1)
                    with pytest.raises(AttributeError):
                        delattr(other, name)
                assert getattr(thing, name) is before or not arrays(before)
    with pytest.raises(AttributeError, match="^attribute 'labels' of 'Model' cannot be set$"):
        models(root)[1].labels = {}

"""Compares optimal cycles with those of all simple cycles of small graphs."""

import dataclasses
import itertools
import pickle
import random
from fractions import Fraction

import networkx
import numpy as np
import pytest
from conftest import as_model

import maxend
from maxend import Rewards


def random_model(seed):
    """Return a random graph of few choices, and the rewards of its parts: multiples of 1/4."""
    draw = random.Random(seed)
    states = draw.randint(1, 6)
    model = as_model(
        [
            [
                [draw.randrange(states) for _ in range(draw.randint(1, 2))]
                for _ in range(draw.randint(0, 2))
            ]
            for _ in range(states)
        ]
    )
    sizes = (model.num_states, model.num_choices, model.num_branches)
    parts = ([draw.randint(-8, 8) / 4 for _ in range(size)] for size in sizes)
    rewards = Rewards(*(part if draw.random() < 0.8 else None for part in parts))
    return model, rewards, Rewards(branches=[draw.randint(1, 6) / 2 for _ in range(sizes[2])])


def numbers(model, rewards):
    """Return the sum of the rewards of state, choice and branch, for each branch."""
    choices = np.repeat(np.arange(model.num_choices), np.diff(model.branches))
    states = np.repeat(np.arange(model.num_states), np.diff(model.choices))[choices]
    places = (states, choices, np.arange(model.num_branches))
    parts = zip(rewards, places, strict=True)
    total = sum((np.array(of)[at] for of, at in parts if of is not None), np.zeros(len(choices)))
    return [Fraction(float(number)) for number in total]


def naive_values(model, weights, times, best):
    """Return the best value of each component with a cycle, by enumerating simple cycles."""
    graph = model.to_networkx()
    parallel = {}
    edges = zip(graph_sources(model), model.targets.tolist(), strict=True)
    for branch, edge in enumerate(edges):
        parallel.setdefault(edge, []).append(branch)
    values = {}
    labels = model.scc().labels
    for nodes in networkx.simple_cycles(networkx.DiGraph(graph)):
        steps = [parallel[edge] for edge in zip(nodes, nodes[1:] + nodes[:1], strict=True)]
        of = values.setdefault(int(labels[nodes[0]]), [])
        for cycle in itertools.product(*steps):
            of.append(sum(weights[b] for b in cycle) / sum(times[b] for b in cycle))
    return {component: best(of) for component, of in values.items()}


def graph_sources(model):
    """Return the source of each branch."""
    return np.repeat(np.arange(model.num_states), np.diff(model.branches[model.choices])).tolist()


@pytest.mark.parametrize("seed", range(80))
@pytest.mark.parametrize(("objective", "best"), [("min", min), ("max", max)])
def test_values_are_those_of_the_best_simple_cycle(seed, objective, best):
    model, rewards, durations = random_model(seed)
    weights = numbers(model, rewards)
    for times in (None, durations):
        takes = numbers(model, times or Rewards(branches=[1] * model.num_branches))
        expected = naive_values(model, weights, takes, best)
        found = model.cycle_mean(rewards, times=times, objective=objective, certify=True)
        assert {cycle.component: cycle.value for cycle in found.cycles} == expected
        assert found.value == (best(expected.values()) if expected else None)
        assert len(found.values) == len(model.scc())
        shown = [float(expected.get(i, np.nan)) for i in range(len(found.values))]
        assert np.array_equal(found.values, shown, equal_nan=True)
        for cycle in found.cycles:
            check_cycle(model, cycle, weights, takes)


def check_cycle(model, cycle, weights, takes):
    assert len(cycle) == len(cycle.branches) and cycle.states[0] == cycle.states.min()
    assert (np.array(graph_sources(model))[cycle.branches] == cycle.states).all()
    assert (model.targets[cycle.branches] == np.roll(cycle.states, -1)).all()
    for state, choice, branch in zip(cycle.states, cycle.choices, cycle.branches, strict=True):
        assert model.choices[state] <= choice < model.choices[state + 1]
        assert model.branches[choice] <= branch < model.branches[choice + 1]
    total, time = (sum(of[b] for b in cycle.branches) for of in (weights, takes))
    assert total / time == cycle.value


def test_rewards_have_names_and_values_are_those_of_the_command_line(root):
    model = maxend.build(root / "crates/cli/tests/rewards/machine.prism", {"HEAT": 9})
    for rewards, times in (("made", "time"), ("1", model.rewards["time"])):
        found = model.cycle_mean(rewards, times=times, objective="max", certify=True)
        assert found.value == Fraction(54, 31) and len(found.cycle) == 20
        assert found.cycle.states.tolist()[:3] == [0, 2, 3]
        first = found.cycle.choices[0]
        assert model.action_names[model.actions[first]] == "start"
    assert found.device == "cpu"
    assert repr(found.cycle) == "<maxend.Cycle: 20 steps, value 54/31>"
    shown = f"54/31 = {54 / 31}, 1 component with a cycle"
    assert repr(found) == f"<maxend.CycleMean: {shown}>"


def test_fractions_of_files_are_kept(tmp_path):
    (tmp_path / "m.tra").write_text("2 2 2\n0 0 1 1\n1 0 0 1\n")
    (tmp_path / "m.srew").write_text("2 1\n0 1/3\n")
    assert maxend.read(tmp_path / "m.tra").cycle_mean().value == Fraction(1, 6)


def test_a_model_without_a_cycle_has_no_value():
    found = maxend.Model.from_csr([0, 1, 1], [1]).cycle_mean(Rewards())
    assert found.value is None and found.cycle is None and found.cycles == ()
    assert np.isnan(found.values).tolist() == [True, True]
    assert repr(found) == "<maxend.CycleMean: no cycle, 0 components with cycles>"


def test_results_are_values():
    found = maxend.Model.from_csr([0, 1, 2], [1, 0]).cycle_mean(Rewards(states=[1, 2]))
    again = pickle.loads(pickle.dumps(found))
    assert again.value == found.value == Fraction(3, 2)
    for result, name in ((found, "device"), (found.cycle, "value")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, name, None)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, maxend.ModelError, "has several reward structures: rewards chooses one"),
        ({"rewards": "made", "times": "hours"}, maxend.ModelError, "no reward structure `hours`"),
        ({"rewards": 1}, TypeError, "rewards must be a str or maxend.Rewards, not int"),
        ({"rewards": "made", "times": 2}, TypeError, "times must be a str or maxend.Rewards"),
        ({"rewards": Rewards(states=[1])}, ValueError, "rewards.states must have 7 values"),
        ({"rewards": Rewards(states=[np.nan] * 7)}, maxend.ModelError, "NaN is not a finite"),
        (
            {"rewards": "made", "times": "negative"},
            maxend.ModelError,
            "`negative` gives the edge from state . to state . time -1",
        ),
        ({"rewards": "made", "times": "never"}, maxend.ModelError, "takes no time"),
        ({"objective": "mean"}, ValueError, "objective must be 'min' or 'max', not 'mean'"),
        ({"certify": 1}, TypeError, "certify must be True or False, not 1"),
        ({"threads": 0}, ValueError, "threads must be at least 1, not 0"),
        ({"device": "tpu"}, ValueError, "device must be 'auto', 'cpu' or 'gpu'"),
    ],
)
def test_wrong_options_are_named(root, options, error, message):
    model = maxend.build(root / "crates/cli/tests/rewards/machine.prism", {"HEAT": 2})
    with pytest.raises(error, match=message):
        model.cycle_mean(**options)


def test_a_gpu_finds_the_same_cycles():
    model, rewards, times = random_model(3)
    with pytest.raises(maxend.DeviceError):
        model.cycle_mean(rewards, device="gpu", adapter="no such adapter")
    try:
        found = model.cycle_mean(rewards, times=times, device="gpu", certify=True)
    except maxend.DeviceError:
        pytest.skip("there is no Vulkan device")
    expected = model.cycle_mean(rewards, times=times, device="cpu")
    assert found.device != "cpu" and found.cycles
    for cycle, other in zip(found.cycles, expected.cycles, strict=True):
        assert (cycle.value, cycle.branches.tolist()) == (other.value, other.branches.tolist())

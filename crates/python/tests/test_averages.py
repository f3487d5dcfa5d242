"""Compares long-run averages with those of all memoryless strategies of tiny models."""

import dataclasses
import itertools
import pickle
import random
from fractions import Fraction

import numpy as np
import pytest

import maxend
from maxend import Rewards


def random_model(seed):
    """Return a random MDP and its rewards. Probabilities are multiples of 1/8."""
    draw = random.Random(seed)
    states = draw.randint(1, 5)
    choices, branches, targets, probabilities = [0], [0], [], []
    for _ in range(states):
        for _ in range(draw.randint(1, 3)):
            reached = draw.sample(range(states), draw.randint(1, min(3, states)))
            cuts = sorted(draw.sample(range(1, 8), len(reached) - 1))
            targets += reached
            probabilities += [float(width) / 8 for width in np.diff([0, *cuts, 8])]
            branches.append(len(targets))
        choices.append(len(branches) - 1)
    model = maxend.Model.from_arrays(choices, branches, targets, probabilities=probabilities)
    sizes = (model.num_states, model.num_choices, model.num_branches)
    amounts = [[draw.randint(-4, 4) for _ in range(size)] for size in sizes]
    return model, Rewards(*(part if draw.random() < 0.8 else None for part in amounts))


def earned(model, rewards):
    """Return the expected reward of each choice."""
    states, choices, branches = (0 if part is None else np.array(part) for part in rewards)
    weights = model.transitions().data * branches
    of_branches = np.add.reduceat(weights, model.branches[:-1])
    of = np.repeat(np.arange(model.num_states), np.diff(model.choices))
    return of_branches + choices + (0 if rewards.states is None else states[of])


def chain_averages(matrix, rewards):
    """Return the average from each state of a Markov chain, by its stationary distributions."""
    n = len(matrix)
    reaches = np.linalg.matrix_power((matrix > 0) | np.eye(n, dtype=bool), n)
    is_recurrent = np.array([reaches[reaches[s], s].all() for s in range(n)])
    averages = np.zeros(n)
    for state in np.flatnonzero(is_recurrent):
        # The distribution satisfies pi P = pi, and has the sum 1.
        inside = np.flatnonzero(reaches[state])
        block = matrix[np.ix_(inside, inside)]
        equations = np.vstack([block.T - np.eye(len(inside)), np.ones(len(inside))])
        right = np.zeros(len(inside) + 1)
        right[-1] = 1
        averages[state] = np.linalg.lstsq(equations, right)[0] @ rewards[inside]
    rest = ~is_recurrent
    leaving = matrix[np.ix_(rest, is_recurrent)] @ averages[is_recurrent]
    staying = np.eye(int(rest.sum())) - matrix[np.ix_(rest, rest)]
    averages[rest] = np.linalg.solve(staying, leaving)
    return averages


def naive_averages(model, rewards, best, retained=None):
    """Return the best average from each state, over all memoryless strategies."""
    matrix, gains = model.transitions().toarray(), earned(model, rewards)
    choices = [range(*model.choices[s : s + 2].tolist()) for s in range(model.num_states)]
    if retained is not None:
        choices = [[c for c in of if retained[c]] or list(of) for of in choices]
    all_averages = [
        chain_averages(matrix[list(policy)], gains[list(policy)])
        for policy in itertools.product(*choices)
    ]
    return best(all_averages, axis=0)


@pytest.mark.parametrize("seed", range(50))
@pytest.mark.parametrize(("objective", "best"), [("max", np.max), ("min", np.min)])
def test_averages_are_those_of_the_best_strategy(seed, objective, best):
    model, rewards = random_model(seed)
    expected = naive_averages(model, rewards, best)
    found = model.long_run(rewards, objective=objective, epsilon=1e-7)
    assert (found.lower <= expected + 1e-9).all() and (expected - 1e-9 <= found.upper).all()
    assert (found.upper - found.lower <= 1e-7).all()
    assert np.allclose(found.values, expected, atol=1e-6)
    exact = model.long_run(rewards, objective=objective, exact=True, threads=1)
    assert all(isinstance(value, Fraction) for value in exact.values)
    assert np.allclose(exact.values.astype(float), expected, atol=1e-9)
    assert (exact.lower <= exact.values).all() and (exact.values <= exact.upper).all()
    mecs = model.mec()
    inside = naive_averages(model, rewards, best, retained=mecs.choices)
    gains = [inside[mec.states[0]] for mec in mecs]
    assert np.allclose(exact.gains.astype(float), gains, atol=1e-9)
    assert np.allclose(found.gains, gains, atol=1e-6)
    assert (found.lower_gains <= found.gains).all() and (found.gains <= found.upper_gains).all()


@pytest.mark.parametrize("scale", [1e-9, 1, 1e9])
def test_bounds_may_be_as_close_as_a_part_of_the_average(scale):
    model = maxend.Model.from_arrays(
        [0, 2, 3], [0, 1, 2, 4], [0, 1, 0, 1], probabilities=[1, 1, 0.25, 0.75]
    )
    rewards = Rewards(states=[scale, 4 * scale])
    found = model.long_run(rewards, epsilon=1e-3, relative=True)
    assert (found.upper - found.lower <= 1e-3 * found.lower).all()
    # Of five steps, four are in state 1.
    assert (found.lower <= 3.4 * scale).all() and (3.4 * scale <= found.upper).all()


def test_rewards_have_names_and_averages_are_those_of_the_command_line(root):
    model = maxend.read(root / "crates/cli/tests/rewards/coin.prism")
    for rewards in (None, "won", "1", model.rewards["won"]):
        found = model.long_run(rewards)
        assert (found.lower[0], found.upper[0]) == (0.6666666611521288, 0.6666666694239358)
        assert (found.lower_gains[1], found.upper_gains[1]) == (0.25, 0.25)
        assert model.long_run(rewards, exact=True).value == Fraction(2, 3)
        least = model.long_run(rewards, exact=True, objective="min")
        assert least.value == Fraction(1, 4)
        assert least.gains.tolist() == [Fraction(2, 3), Fraction(1, 4)]
    assert isinstance(found.value, float) and found.device == "cpu"
    assert repr(least) == "<maxend.LongRun: 4 states, 2 MECs, 1/4 from state 0>"
    machine = maxend.build(root / "crates/cli/tests/rewards/machine.prism", {"HEAT": 2})
    assert machine.long_run("energy", exact=True).value == Fraction(7, 40)


def test_fractions_of_files_are_kept(tmp_path):
    # The decimals of these doubles do not sum to 1.
    (tmp_path / "m.tra").write_text("3 4\n0 1 1/6\n0 2 5/6\n1 1 1\n2 2 1\n")
    model = maxend.read(tmp_path / "m.tra")
    assert model.long_run(Rewards(states=[0, 1, 0]), exact=True).values[0] == Fraction(1, 6)


def test_labels_are_averaged(fixtures):
    model = maxend.read(fixtures / "running_example.tra")
    assert model.long_run(label="goal", exact=True).value == 1
    least = model.long_run(label="goal", exact=True, objective="min")
    assert least.value == Fraction(1, 3) and least.gains.tolist() == [1, 1, 0]
    arrays = (model.choices, model.branches, model.targets)
    known = {"probabilities": model.probabilities, "labels": model.labels}
    again = maxend.Model.from_arrays(*arrays, **known)
    found = (other.long_run(label="goal").lower.tolist() for other in (model, again))
    assert next(found) == next(found)
    assert again.mec().quotient().model.long_run(label="goal", exact=True).values[0] == 1


def test_results_are_values(root):
    model = maxend.read(root / "crates/cli/tests/rewards/coin.prism")
    for exact in (False, True):
        found = model.long_run(exact=exact)
        again = pickle.loads(pickle.dumps(found))
        assert again.values.tolist() == found.values.tolist() and again.value == found.value
        with pytest.raises(dataclasses.FrozenInstanceError):
            found.device = "other"


def test_several_initial_states_have_several_values():
    loops = ([0, 1, 2], [0, 1, 2], [0, 1])
    options = {"probabilities": [1, 1], "labels": {"init": [0, 1]}}
    found = maxend.Model.from_arrays(*loops, **options).long_run(Rewards(states=[3, 5]))
    assert found.values[found.initial_states].tolist() == [3, 5]
    with pytest.raises(ValueError, match=r"2 initial states: see values\[initial_states\]"):
        found.value


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, maxend.ModelError, "machine.prism has several reward structures: rewards chooses"),
        ({"rewards": "nothing"}, maxend.ModelError, "has no reward structure `nothing`"),
        ({"rewards": [1]}, TypeError, "rewards must be a str or maxend.Rewards, not list"),
        (
            {"rewards": Rewards(choices=[1])},
            ValueError,
            r"rewards.choices must have 11 values, not shape \(1,\)",
        ),
        ({"rewards": Rewards(states=[np.inf] * 7)}, maxend.ModelError, "reward inf is not finite"),
        ({"label": "hot"}, maxend.ModelError, "label: the model has no label 'hot'"),
        ({"label": 1}, TypeError, "label must be a str, not int"),
        ({"label": "init", "rewards": "made"}, ValueError, "label stands in place of rewards"),
        ({"objective": "mean"}, ValueError, "objective must be 'max' or 'min', not 'mean'"),
        ({"exact": 1}, TypeError, "exact must be True or False, not 1"),
        ({"epsilon": 0}, ValueError, "epsilon must be a number above 0, not 0"),
        ({"epsilon": np.nan}, ValueError, "epsilon must be a number above 0, not nan"),
        ({"epsilon": "1e-6"}, TypeError, "epsilon must be a number, not str"),
        ({"max_iterations": -1}, ValueError, "max_iterations must be at least 0, not -1"),
        ({"threads": 0}, ValueError, "threads must be at least 1, not 0"),
        ({"device": "tpu"}, ValueError, "device must be 'auto', 'cpu' or 'gpu'"),
        (
            {"rewards": "made", "exact": True, "device": "gpu"},
            ValueError,
            "exact averages are computed on the CPU, but the device is a GPU",
        ),
    ],
)
def test_wrong_options_are_named(root, options, error, message):
    model = maxend.build(root / "crates/cli/tests/rewards/machine.prism", {"HEAT": 2})
    with pytest.raises(error, match=message):
        model.long_run(**options)


def test_models_without_averages_are_refused(root):
    graph = ([0, 1], [0, 1], [0])
    steps = Rewards(states=[1])
    unknown = maxend.Model.from_arrays(*graph)
    with pytest.raises(maxend.ModelError, match="the probabilities of the model are not known"):
        unknown.long_run(steps)
    known = {"probabilities": [1]}
    with pytest.raises(maxend.ModelError, match="the model has no rewards"):
        maxend.Model.from_arrays(*graph, **known).long_run("won")
    with pytest.raises(maxend.ModelError, match="the model is of type CTMC: averages over"):
        maxend.Model.from_arrays(*graph, **known, type="ctmc").long_run(steps)
    stuck = maxend.Model.from_arrays([0, 0], [0], [], probabilities=[])
    with pytest.raises(maxend.ModelError, match="state 0 has no choice, and so no long run"):
        stuck.long_run(steps)


def test_hints_name_arguments(root, tmp_path):
    coin = maxend.read(root / "crates/cli/tests/rewards/coin.prism")
    with pytest.raises(maxend.ModelError, match="after 2 iterations the average") as caught:
        coin.long_run(max_iterations=2, relative=True)
    hints = str(caught.value).splitlines()[-1]
    assert hints == (
        "  = `exact` finds it for models of up to 4,096 states; `epsilon` allows a wider interval; "
        "without `relative`, averages close to 0 need no more digits; `max_iterations` allows more "
        "iterations"
    )
    path = tmp_path / "m.prism"
    rewards = "rewards true : 1; endrewards"
    path.write_text(f"mdp module m x:[0..1]; [a] true -> true; endmodule {rewards} {rewards}")
    several = maxend.read(path)
    for search in (several.long_run, several.cycle_mean):
        with pytest.raises(maxend.ModelError, match="structures: rewards chooses one\n") as caught:
            search()
        assert '`rewards="1"` chooses the first of them' in str(caught.value)
        assert search(rewards="1").values.tolist() == [1]


def test_an_lts_needs_no_probabilities(tmp_path):
    path = tmp_path / "m.aut"
    path.write_text('des (0, 3, 2)\n(0, "a", 0)\n(0, "b", 1)\n(1, "c", 0)\n')
    of_file = maxend.read(path)
    arrays = (of_file.choices, of_file.branches, of_file.targets)
    of_arrays = maxend.Model.from_arrays(*arrays, type="lts")
    for model in (of_file, of_arrays, maxend.read(path, details=False)):
        assert model.type == "lts"
        for objective, value in (("max", 2), ("min", 0)):
            found = model.long_run(Rewards(states=[0, 4]), objective=objective, exact=True)
            assert found.values.tolist() == [value, value]
            found = model.long_run(Rewards(states=[0, 4]), objective=objective)
            assert np.allclose(found.values, value, atol=1e-6)
    for model in (of_file, of_arrays):
        assert model.probabilities.tolist() == [1, 1, 1]
        assert model.mec().quotient().model.probabilities.tolist() == [1]


def test_a_gpu_finds_the_same_averages():
    model, rewards = random_model(7)
    with pytest.raises(maxend.DeviceError):
        model.long_run(rewards, device="gpu", adapter="no such adapter")
    try:
        found = model.long_run(rewards, device="gpu")
    except maxend.DeviceError:
        pytest.skip("there is no Vulkan device")
    exact = model.long_run(rewards, exact=True)
    assert found.device != "cpu"
    assert (found.lower <= exact.values).all() and (exact.values <= found.upper).all()

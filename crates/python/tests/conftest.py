"""Fixtures and helpers of the tests: the models of the project, and random graphs."""

import pathlib
import random

import numpy as np
import pytest

import maxend

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture
def fixtures():
    """Return the folder with the models that this project made."""
    return ROOT / "fixtures"


@pytest.fixture
def root():
    """Return the root of the repository."""
    return ROOT


def random_mdp(seed):
    """Return the choices of each state of a random MDP, each a list of targets."""
    draw = random.Random(seed)
    states = draw.randint(1, 12)
    return [
        [
            [draw.randrange(states) for _ in range(draw.randint(1, 3))]
            for _ in range(draw.randint(0, 3))
        ]
        for _ in range(states)
    ]


def unaligned(values, dtype):
    """Return an array of these values that is not aligned."""
    values = np.asarray(values, dtype=dtype)
    array = np.zeros(values.nbytes + 1, dtype=np.uint8)[1:].view(dtype)
    array[...] = values
    assert not array.flags.aligned
    return array


def as_model(mdp, **options):
    """Return the model with the choices that `random_mdp` returned."""
    choices, branches, targets = [0], [0], []
    for state in mdp:
        for choice in state:
            targets += choice
            branches.append(len(targets))
        choices.append(len(branches) - 1)
    return maxend.Model.from_arrays(choices, branches, targets, **options)

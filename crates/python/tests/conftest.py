"""What the tests share: the models of the project, and graphs drawn at random."""

import pathlib
import random

import numpy as np
import pytest

import maxend

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture
def fixtures():
    """The folder with the models that this project made."""
    return ROOT / "fixtures"


@pytest.fixture
def root():
    """The root of the repository."""
    return ROOT


def random_mdp(seed):
    """The choices of each state of an MDP, each a list of targets."""
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
    """An array of these values that is not aligned."""
    values = np.asarray(values, dtype=dtype)
    array = np.zeros(values.nbytes + 1, dtype=np.uint8)[1:].view(dtype)
    array[...] = values
    assert not array.flags.aligned
    return array


def as_model(mdp):
    """A model of such lists."""
    choices, branches, targets = [0], [0], []
    for state in mdp:
        for choice in state:
            targets += choice
            branches.append(len(targets))
        choices.append(len(branches) - 1)
    return maxend.Model.from_arrays(choices, branches, targets)

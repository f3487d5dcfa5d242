"""Reward structures: those of a model by name, or given as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import NDArray

from . import _arrays

if TYPE_CHECKING:
    from . import _maxend


class Rewards(NamedTuple):
    """A reward structure: the rewards of states, of choices and of branches.

    The reward of a step is the sum of those of its state, its choice and its branch. A part that
    is None has the reward 0. The rewards of a model are arrays of doubles; those that are passed
    may be arrays of other numbers.
    """

    states: NDArray[Any] | None = None
    choices: NDArray[Any] | None = None
    branches: NDArray[Any] | None = None


def chosen(name: str, value: object, graph: _maxend.Graph) -> _maxend.Rewards:
    """Return the name of a reward structure, or the arrays of a given one.

    Raises
    ------
    TypeError, ValueError
        If it is neither, or an array has the wrong length.
    """
    if value is None or isinstance(value, str):
        return value
    if not isinstance(value, Rewards):
        raise TypeError(f"{name} must be a str or maxend.Rewards, not {type(value).__name__}")
    sizes = (graph.num_states, graph.num_choices, graph.num_branches)
    states, choices, branches = (
        None if values is None else _arrays.floats(f"{name}.{part}", values, size)
        for part, values, size in zip(Rewards._fields, value, sizes, strict=True)
    )
    return states, choices, branches

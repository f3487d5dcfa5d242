"""The result of a computation of long-run averages."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._fixed import read_only
from ._shown import counted

if TYPE_CHECKING:
    from . import _maxend


@dataclass(frozen=True, eq=False, repr=False)
class LongRun:
    """Optimal long-run averages, with lower and upper bounds. `Model.long_run` returns it.

    Attributes
    ----------
    values : ndarray
        For each state, the optimal average of runs that begin there: the middle of its bounds; or,
        in an array of objects, the exact averages as `fractions.Fraction`.
    lower, upper : ndarray of float
        For each state, the bounds. They are rounded away from the average.
    gains : ndarray
        For each MEC, in the order of `Model.mec`, the optimal average of strategies that stay in
        it, in the same form as `values`.
    lower_gains, upper_gains : ndarray of float
        For each MEC, the bounds.
    initial_states : ndarray
        The initial states of the model, or state 0 if it names none.
    device : str
        The device that was used. The CPU computes the bounds in any case.
    """

    values: NDArray[Any]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    gains: NDArray[Any]
    lower_gains: NDArray[np.float64]
    upper_gains: NDArray[np.float64]
    initial_states: NDArray[Any]
    device: str

    @property
    def value(self) -> float | Fraction:
        """The average from the initial state.

        Raises
        ------
        ValueError
            If there are several initial states: ``values[initial_states]`` has their averages.
        """
        if len(self.initial_states) != 1:
            count = counted(len(self.initial_states), "initial state")
            raise ValueError(f"there are {count}: see values[initial_states]")
        value = self.values[self.initial_states[0]]
        return value if isinstance(value, Fraction) else float(value)

    def __repr__(self) -> str:
        states = counted(len(self.values), "state")
        first = [str(self.values[state]) for state in self.initial_states[:1]]
        shown = f", {first[0]} from state {self.initial_states[0]}" if first else ""
        return f"<maxend.LongRun: {states}, {counted(len(self.gains), 'MEC')}{shown}>"


def long_run(
    found: tuple[_maxend.Averages, _maxend.Averages, str], initial_states: NDArray[Any]
) -> LongRun:
    """Return the averages of all states and of the MECs."""
    values, gains, device = found
    return LongRun(*_arrays(values), *_arrays(gains), initial_states, device)


def _arrays(
    averages: _maxend.Averages,
) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.float64]]:
    """Return averages, lower bounds and upper bounds."""
    lower, upper = (np.frombuffer(bounds, dtype=np.float64) for bounds in averages[:2])
    if averages[2] is None:
        # The sum could be infinite.
        return read_only(lower / 2 + upper / 2), lower, upper
    exact = np.empty(len(lower), dtype=object)
    for i, (over, under) in enumerate(averages[2]):
        exact[i] = Fraction(_integer(over), _integer(under))
    return read_only(exact), lower, upper


def _integer(number: bytes) -> int:
    return int.from_bytes(number, "little", signed=True)

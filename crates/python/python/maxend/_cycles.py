"""The result of a search for optimal cycles."""

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
    from ._model import Model


@dataclass(frozen=True, eq=False, repr=False)
class Cycle:
    """An optimal cycle of a strongly connected component. Its length is the number of its steps.

    Attributes
    ----------
    component : int
        The number of the component, in the order of `Model.scc`.
    value : fractions.Fraction
        The mean or ratio of the cycle.
    states : ndarray
        The states of the cycle in order, from its smallest state.
    choices, branches : ndarray
        The choice and the branch by which the cycle leaves each of these states.
    """

    component: int
    value: Fraction
    states: NDArray[np.int64]
    choices: NDArray[np.int64]
    branches: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.states)

    def __repr__(self) -> str:
        return f"<maxend.Cycle: {counted(len(self), 'step')}, value {self.value}>"


@dataclass(frozen=True, eq=False, repr=False)
class CycleMean:
    """The optimal means or ratios of cycles. `Model.cycle_mean` returns it.

    Attributes
    ----------
    cycles : tuple of Cycle
        An optimal cycle of each strongly connected component that has a cycle, in the order of
        `Model.scc`.
    cycle : Cycle or None
        The optimal cycle of the whole model; None if there is no cycle.
    values : ndarray of float
        For each strongly connected component, the optimal value of its cycles, rounded; NaN if it
        has no cycle.
    device : str
        The device that searched.
    """

    cycles: tuple[Cycle, ...]
    cycle: Cycle | None
    values: NDArray[np.float64]
    device: str

    @property
    def value(self) -> Fraction | None:
        """The optimal mean or ratio of all cycles; None if there is no cycle."""
        return None if self.cycle is None else self.cycle.value

    def __repr__(self) -> str:
        shown = "no cycle" if self.cycle is None else f"{self.value} = {float(self.cycle.value)}"
        components = counted(len(self.cycles), "component with a cycle", "components with cycles")
        return f"<maxend.CycleMean: {shown}, {components}>"


def cycle_mean(
    model: Model, found: tuple[int, list[tuple[int, str, bytes]], int | None, str]
) -> CycleMean:
    """Return the optimal cycles of all components."""
    count, optima, best, device = found
    cycles = tuple(
        Cycle(component, Fraction(value), *_steps(model, branches))
        for component, value, branches in optima
    )
    values = np.full(count, np.nan)
    for cycle in cycles:
        values[cycle.component] = float(cycle.value)
    best_cycle = None if best is None else cycles[best]
    return CycleMean(cycles, best_cycle, read_only(values), device)


def _steps(model: Model, found: bytes) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the states, the choices and the branches of a cycle."""
    branches = np.frombuffer(found, dtype=np.int64)
    choices = np.searchsorted(model.branches, branches, side="right") - 1
    states = np.searchsorted(model.choices, choices, side="right") - 1
    return read_only(states), read_only(choices), branches

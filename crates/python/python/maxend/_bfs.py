"""The result of a breadth-first search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _maxend
from ._fixed import fixed_property
from ._shown import counted
from ._unpicklable import Unpicklable

if TYPE_CHECKING:
    from ._model import Model


class BfsTree(Unpicklable):
    """The distances of states from the nearest source, and shortest paths.

    `Model.bfs` returns objects of this class. Distances and parents are the same on every device.
    """

    def __init__(self, model: Model, found: _maxend.Distances, target: NDArray[Any] | None) -> None:
        self._model = model
        self._found = found
        self._target = target

    @property
    def model(self) -> Model:
        """The model that was searched."""
        return self._model

    @property
    def device(self) -> str:
        """The device that searched."""
        return self._found.device

    @fixed_property
    def distances(self) -> NDArray[np.int32]:
        """For each state, its distance, or -1 if no path leads to it. Sources have distance 0."""
        return np.frombuffer(self._found.distances(), dtype=np.int32)

    @fixed_property
    def parents(self) -> NDArray[np.int32]:
        """For each state, the smallest predecessor whose distance is less by one, or -1 for none.

        Sources, and states to which no path leads, have no parent.
        """
        return np.frombuffer(self._found.parents(), dtype=np.int32)

    @fixed_property
    def levels(self) -> int:
        """The number of different distances: one more than the greatest; 0 without a source."""
        return int(self.distances.max(initial=-1)) + 1

    def path(self, target: ArrayLike | None = None) -> list[int] | None:
        """Return a shortest path from a source.

        Parameters
        ----------
        target : int, array of integers, or str, optional
            The last state of the path. Of several states, or of those with a label, this is the
            nearest one, and the smallest of equally near ones. The default is the target that
            `Model.bfs` was given.

        Returns
        -------
        list of int, or None
            The states of the path, from a source to the target; None if there is no path.

        Raises
        ------
        ModelError
            If the model does not have a state or a label.
        ValueError
            If there is no target.
        """
        goal = self._target if target is None else self.model._states("target", target)
        if goal is None:
            raise ValueError("the search was given no target: path() needs one")
        return self._found.path(goal)

    def __repr__(self) -> str:
        reached = counted(int((self.distances >= 0).sum()), "state")
        return f"<maxend.BfsTree: {reached} reached, {counted(self.levels, 'level')}>"

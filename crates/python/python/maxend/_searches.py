"""`Searches`: the methods of a model that compute something, such as components and distances."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays, _maxend, _options
from ._bfs import BfsTree
from ._errors import ModelError
from ._unpicklable import Unpicklable

if TYPE_CHECKING:
    from ._components import Components
    from ._model import Model

Device = Literal["auto", "cpu", "gpu"]
Progress = Callable[[str, int, int | None], object]


class Searches(Unpicklable):
    """The base class of `Model`, with the methods that compute something."""

    _graph: _maxend.Graph

    def scc(
        self,
        *,
        bottom: bool = False,
        device: Device = "auto",
        adapter: str | None = None,
        threads: int | None = None,
        certify: bool = False,
        progress: Progress | None = None,
    ) -> Components:
        """Find the strongly connected components.

        Parameters
        ----------
        bottom : bool
            Whether to return only the bottom SCCs, which no edge leaves.
        device : {'auto', 'cpu', 'gpu'}
            The device that searches. ``'auto'`` uses a GPU if it is expected to be faster even
            with the time to open it. ``'gpu'`` requires a GPU, and also accepts a software
            adapter.
        adapter : str, optional
            A text that the name of the GPU must contain.
        threads : int, optional
            The number of threads. The default is one for each core.
        certify : bool
            Whether to prove the answer, by code that shares nothing with the search.
        progress : callable, optional
            A function that is called once before the search (with ``'starting'``, 0 and None),
            and then a few times a second with the name of the current step, such as
            ``'decomposing'``, the number of states done, and the number of all states. If it
            raises an exception, the search stops.

        Returns
        -------
        Components

        Raises
        ------
        DeviceError
            If the requested GPU is missing or fails.
        CertificateError
            If the certificate is rejected.
        """
        _options.truth(bottom=bottom)
        kind = "bscc" if bottom else "scc"
        options = _options.search(device, adapter, threads, progress, certify)
        return self._decompose(kind, options, progress)

    def mec(
        self,
        *,
        device: Device = "auto",
        adapter: str | None = None,
        threads: int | None = None,
        certify: bool = False,
        progress: Progress | None = None,
    ) -> Components:
        """Find the maximal end components.

        Parameters
        ----------
        device, adapter, threads, certify, progress
            The same as for `scc`.

        Returns
        -------
        Components

        Raises
        ------
        DeviceError, CertificateError
            In the same cases as `scc`.
        """
        options = _options.search(device, adapter, threads, progress, certify)
        return self._decompose("mec", options, progress)

    def _decompose(
        self, kind: str, options: _maxend.SearchOptions, progress: Progress | None
    ) -> Components:
        from ._components import Components

        return Components(self._model, kind, self._graph.decompose(kind, options, progress))

    def bfs(
        self,
        sources: ArrayLike | None = None,
        *,
        target: ArrayLike | None = None,
        device: Device = "auto",
        adapter: str | None = None,
        threads: int | None = None,
        certify: bool = False,
        progress: Progress | None = None,
    ) -> BfsTree:
        """Find the distances of states from the nearest source, by breadth-first search.

        The distance of a state is the least number of edges on a path to it. There is an edge from
        a state to each target of each of its choices.

        Parameters
        ----------
        sources : int, array of integers, or str, optional
            The states to search from: one state, several, or those with a label. The default are
            the initial states, or state 0 if the model names none.
        target : int, array of integers, or str, optional
            The states to which `BfsTree.path` returns a path, if it is given none.
        device, adapter, threads, certify, progress
            The same as for `scc`. On the CPU one thread searches, and all threads check the answer.

        Returns
        -------
        BfsTree

        Raises
        ------
        ModelError
            If the model does not have a state or a label.
        DeviceError, CertificateError
            In the same cases as `scc`.

        Examples
        --------
        States 0 to 2 lead to the next one, and state 2 also leads to 0; nothing leads to 4.

        >>> model = Model.from_csr([0, 1, 2, 4, 5, 6], [1, 2, 3, 0, 3, 0])
        >>> found = model.bfs(1)
        >>> found.distances
        array([ 2,  0,  1,  2, -1], dtype=int32)
        >>> found.path(3)
        [1, 2, 3]
        >>> found.path(4) is None
        True
        """
        options = _options.search(device, adapter, threads, progress, certify)
        start = self._initial() if sources is None else self._states("sources", sources)
        goal = None if target is None else self._states("target", target)
        return BfsTree(self._model, self._graph.bfs(start, options, progress), goal)

    @property
    def _model(self) -> Model:
        return cast("Model", self)

    def _initial(self) -> NDArray[Any]:
        """Return the initial states, or state 0 if the model names none, as PRISM does."""
        initial = self._model.initial_states
        if initial.size > 0:
            return _arrays.contiguous(initial)
        return np.arange(min(1, self._graph.num_states), dtype=np.uint32)

    def _states(self, name: str, value: ArrayLike) -> NDArray[Any]:
        """Return the states that an argument names, in ascending order."""
        if not isinstance(value, str):
            states = [value] if np.ndim(value) == 0 else value
            return _arrays.states(name, states, self._graph.num_states)
        labels = self._model.labels
        if value not in labels:
            known = ", ".join(map(repr, labels))
            there = f"its labels are {known}" if known else "it has no labels"
            raise ModelError(f"{name}: the model has no label {value!r}; {there}")
        return _arrays.contiguous(labels[value])

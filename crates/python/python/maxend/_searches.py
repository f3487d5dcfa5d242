"""`Searches`: the methods of a model that compute something, such as components and distances."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays, _averages, _cycles, _maxend, _options, _rewards
from ._averages import LongRun
from ._bfs import BfsTree
from ._cycles import CycleMean
from ._errors import ModelError
from ._fixed import read_only
from ._rewards import Rewards
from ._unpicklable import Unpicklable

if TYPE_CHECKING:
    from ._components import Components
    from ._model import Model

Device = Literal["auto", "cpu", "gpu"]
Objective = Literal["max", "min"]
Progress = Callable[[str, int, int | None], object]


class Searches(Unpicklable):
    """The base class of `Model`, with the methods that compute something."""

    _graph: _maxend.Graph
    _file: _maxend.File | None

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
            The number of threads, at most four for each core. The default is one for each core.
        certify : bool
            Whether to prove the answer, by code that shares nothing with the search.
        progress : callable, optional
            A function that is called once before the search (with ``'starting'``, 0 and None),
            and then about twenty times a second with the name of the current step, such as
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

    def long_run(
        self,
        rewards: str | Rewards | None = None,
        *,
        label: str | None = None,
        objective: Objective = "max",
        exact: bool = False,
        epsilon: float = 1e-6,
        relative: bool = False,
        max_iterations: int = 1_000_000,
        device: Device = "auto",
        adapter: str | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> LongRun:
        """Bound the optimal average reward per step in the long run.

        Strategies choose the choices of an MDP, so the average from a state is the greatest or
        least one that a strategy can earn. A DTMC has one average.

        Parameters
        ----------
        rewards : str or Rewards, optional
            The name of a reward structure of the model, or rewards in arrays. The default is the
            only structure of the model.
        label : str, optional
            Average the steps in states with this label, which earn 1 each, in place of rewards.
        objective : {'max', 'min'}
            Whether to compute the greatest or the least averages.
        exact : bool
            Whether to compute the averages as fractions, for models of up to 4,096 states, on the
            CPU. A float of the model stands for the shortest decimal that is nearest to it.
        epsilon : float
            How far apart the bounds on an average may be, without `exact`.
        relative : bool
            Whether bounds may differ by `epsilon` times the absolute value of the average, as in
            Storm and PRISM by default. Bounds on an average of 0 then have to coincide.
        max_iterations : int
            Give up after this many iterations, without `exact`.
        device, adapter, threads, progress
            The same as for `scc`. The step after ``'starting'`` is ``'solving'``.

        Returns
        -------
        LongRun

        Raises
        ------
        ModelError
            If the model has no such rewards or label, or a state without a choice; if its type is
            none of MDP, DTMC and LTS, or if it is no LTS and its probabilities are not known; or if
            the bounds do not become close enough.
        DeviceError
            If the requested GPU is missing or fails.

        Examples
        --------
        State 0 may stay or go to 1, which may lead back to 0; each step in 1 earns 4.

        >>> graph = ([0, 2, 3], [0, 1, 2, 4], [0, 1, 0, 1])
        >>> model = Model.from_arrays(*graph, probabilities=[1, 1, 0.5, 0.5])
        >>> found = model.long_run(Rewards(states=[0, 4]), exact=True)
        >>> found.values
        array([Fraction(8, 3), Fraction(8, 3)], dtype=object)
        >>> found = model.long_run(Rewards(states=[0, 4]), objective="min")
        >>> found.lower[0] <= 0 <= found.upper[0] <= found.lower[0] + 1e-6
        np.True_
        """
        options = _options.search(device, adapter, threads, progress)
        _options.one_of("objective", objective, ("max", "min"))
        _options.truth(exact=exact, relative=relative)
        _options.text("label", label)
        _options.check(max_iterations=max_iterations)
        if label is not None:
            if rewards is not None:
                raise ValueError("label stands in place of rewards: give one of them")
            ones = np.zeros(self._graph.num_states)
            ones[self._states("label", label)] = 1
            rewards = Rewards(states=ones)
        task: _maxend.LongRunTask = {
            "rewards": _rewards.chosen("rewards", rewards, self._graph),
            "objective": objective,
            "exact": bool(exact),
            "epsilon": _options.positive("epsilon", epsilon),
            "relative": bool(relative),
            "max_iterations": max_iterations,
        }
        found = _maxend.long_run(self._with_data(), task, options, progress)
        return _averages.long_run(found, self._initial())

    def cycle_mean(
        self,
        rewards: str | Rewards | None = None,
        *,
        times: str | Rewards | None = None,
        objective: Objective = "min",
        device: Device = "auto",
        adapter: str | None = None,
        threads: int | None = None,
        certify: bool = False,
        progress: Progress | None = None,
    ) -> CycleMean:
        """Find the optimal mean or ratio of a cycle, exactly.

        The mean of a cycle is the sum of the rewards of its edges, divided by their number. With
        times, its ratio is the sum of the rewards, divided by the sum of the times. Edges are the
        branches of the model, whichever choices they belong to. A self-loop that was added to a
        deadlock is a cycle, too: ``read(..., deadlocks="keep")`` adds none.

        Parameters
        ----------
        rewards : str or Rewards, optional
            The weights of edges: the name of a reward structure of the model, or rewards in
            arrays. The default is the only structure of the model. A float stands for the shortest
            decimal that is nearest to it.
        times : str or Rewards, optional
            The times of edges, for ratios.
        objective : {'min', 'max'}
            Whether to find the least or the greatest values.
        device, adapter, threads, certify, progress
            The same as for `scc`. The step after ``'starting'`` is ``'solving'``.

        Returns
        -------
        CycleMean

        Raises
        ------
        ModelError
            If the model has no such rewards, they do not become integers that are small enough,
            a time is below 0, or a cycle takes no time.
        DeviceError, CertificateError
            In the same cases as `scc`.

        Examples
        --------
        State 0 leads to 1, and state 1 to 0 and to itself.

        >>> model = Model.from_csr([0, 1, 3], [1, 0, 1])
        >>> found = model.cycle_mean(Rewards(branches=[3, 4, 5]))
        >>> found.value
        Fraction(7, 2)
        >>> found.cycle.states
        array([0, 1])
        """
        options = _options.search(device, adapter, threads, progress, certify)
        _options.one_of("objective", objective, ("min", "max"))
        task: _maxend.CycleMeanTask = {
            "rewards": _rewards.chosen("rewards", rewards, self._graph),
            "times": _rewards.chosen("times", times, self._graph),
            "objective": objective,
        }
        found = _maxend.cycle_mean(self._with_data(), task, options, progress)
        return _cycles.cycle_mean(self._model, found)

    def _with_data(self) -> _maxend.File:
        """Return the model with its probabilities and the rewards of its file."""
        if self._file is not None:
            return self._file
        model = self._model
        return _maxend.File.from_graph(self._graph, model.type, model.probabilities)

    @property
    def _model(self) -> Model:
        return cast("Model", self)

    def _initial(self) -> NDArray[Any]:
        """Return the initial states, or state 0 if the model names none, as PRISM does."""
        initial = self._model.initial_states
        if initial.size > 0:
            return _arrays.contiguous(initial)
        return read_only(np.arange(min(1, self._graph.num_states), dtype=np.uint32))

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

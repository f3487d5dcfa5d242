"""Models: a graph, and the data of a model that are not part of the graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays, _maxend, _options
from ._fixed import fixed_property, read_only
from ._rewards import Rewards
from ._searches import Searches
from ._shown import counted, table

if TYPE_CHECKING:
    import networkx
    import scipy.sparse


class Model(Searches):
    """A graph of states, choices and branches, with labels, probabilities and other data.

    `read`, `build`, `from_stormpy`, `Model.from_arrays` and `Model.from_csr` return models. Their
    attributes cannot be set, and their arrays are read-only.
    """

    def __init__(self) -> None:
        raise TypeError("models are made by maxend.read, Model.from_arrays and others")

    @classmethod
    def _of(cls, graph: _maxend.Graph, type: str, **known: Any) -> Model:
        """Make a model with the given values of properties, such as `probabilities`."""
        model = cls.__new__(cls)
        model._graph = graph
        model._file = None
        model._type = type
        # Cached properties keep their values here, so these are not computed again.
        model.__dict__.update((name, value) for name, value in known.items() if value is not None)
        return model

    @classmethod
    def _of_file(cls, file: _maxend.File) -> Model:
        """Make a model of a file. Its properties are converted to arrays when they are used."""
        model = cls._of(file.graph, file.type_name)
        model._file = file
        return model

    _graph: _maxend.Graph
    _file: _maxend.File | None
    _type: str

    @classmethod
    def from_arrays(
        cls,
        choices: ArrayLike,
        branches: ArrayLike,
        targets: ArrayLike,
        *,
        probabilities: ArrayLike | None = None,
        labels: Mapping[str, ArrayLike] | None = None,
        type: str = "mdp",
    ) -> Model:
        """Make a model from three arrays, which Storm and other tools use for sparse matrices.

        Arrays of 32-bit integers are borrowed: they are not copied, and must not be changed while
        the model or its components exist. Other arrays are copied.

        Parameters
        ----------
        choices : array of n + 1 integers
            Where the choices of each state begin: state s has the choices from ``choices[s]`` to
            ``choices[s + 1] - 1``.
        branches : array of c + 1 integers
            Where the branches of each choice begin: choice c has the branches from
            ``branches[c]`` to ``branches[c + 1] - 1``.
        targets : array of m integers
            The state that each branch leads to. Leave out branches of probability 0: every branch
            is an edge, whatever its probability.
        probabilities : array of m floats, optional
            The probability of each branch. They are not checked, and components do not depend on
            them.
        labels : mapping, optional
            For each label, the states that have it, in any order. They are copied.
        type : str
            The type of the model: ``'mdp'``, ``'dtmc'``, ``'ctmc'``, ``'lts'``, ``'pomdp'``,
            ``'smg'``, ``'ma'``, ``'imdp'`` or ``'idtmc'``. A state of a Markov chain has at most
            one choice, and a choice of an LTS has one branch.

        Returns
        -------
        Model

        Raises
        ------
        ModelError
            If the arrays do not form a graph, or the graph is not one of a model of this type, or a
            label names a state that does not exist.
        TypeError, ValueError
            If an array of indices has entries that are not integers from 0 to 2**32 - 1, or there
            is no such type.

        Examples
        --------
        State 0 may stay (choice 0) or go to 1 or 2 (choice 1); state 1 returns to 0 (choice 2);
        state 2 stays (choice 3).

        >>> model = Model.from_arrays([0, 2, 3, 4], [0, 1, 3, 4, 5], [0, 1, 2, 0, 2])
        >>> model
        <maxend.Model: mdp, 3 states, 4 choices, 5 branches>
        """
        _options.text("type", type, optional=False)
        named = _options.labels(labels)
        graph, arrays = _arrays.graph(
            _maxend.Graph.from_arrays, choices=choices, branches=branches, targets=targets
        )
        if probabilities is not None:
            probabilities = read_only(
                _arrays.floats("probabilities", probabilities, graph.num_branches)
            )
        return cls._of(
            graph,
            graph.check_type(type),
            choices=read_only(arrays[0]),
            branches=read_only(arrays[1]),
            targets=read_only(arrays[2]),
            probabilities=probabilities,
            labels={
                name: read_only(_arrays.states(f"label {name!r}", states, graph.num_states))
                for name, states in named
            },
        )

    @classmethod
    def from_csr(
        cls,
        indptr: ArrayLike,
        indices: ArrayLike,
        *,
        probabilities: ArrayLike | None = None,
        type: str = "dtmc",
    ) -> Model:
        """Make a Markov chain, or any directed graph, from compressed sparse rows.

        Each state has one choice, which leads to all of its successors; a state whose row is
        empty has no choice. So the MECs are the non-trivial SCCs that no edge leaves. To make a
        graph in which each edge is a choice, use ``Model.from_arrays(indptr,
        numpy.arange(len(indices) + 1), indices)``.

        Arrays of 32-bit integers are borrowed, as by `from_arrays`.

        Parameters
        ----------
        indptr : array of n + 1 integers
            Where each row begins: the successors of state s are
            ``indices[indptr[s]:indptr[s + 1]]``.
        indices : array of m integers
            The successors.
        probabilities : array of m floats, optional
            The probability of each edge.
        type : str
            The type of the model, as for `from_arrays`.

        Returns
        -------
        Model

        Examples
        --------
        >>> Model.from_csr([0, 1, 2, 3], [1, 0, 0]).scc().labels
        array([0, 0, 1], dtype=int32)
        """
        _options.text("type", type, optional=False)
        graph, (rows, columns) = _arrays.graph(
            _maxend.Graph.from_csr, indptr=indptr, indices=indices
        )
        if probabilities is not None:
            probabilities = read_only(
                _arrays.floats("probabilities", probabilities, graph.num_branches)
            )
        return cls._of(
            graph,
            graph.check_type(type),
            targets=read_only(columns),
            probabilities=probabilities,
        )

    # Sizes

    @property
    def type(self) -> str:
        """The type of the model, such as ``'mdp'``, ``'dtmc'``, ``'ctmc'`` or ``'lts'``."""
        return self._type

    @property
    def num_states(self) -> int:
        """The number of states."""
        return self._graph.num_states

    @property
    def num_choices(self) -> int:
        """The number of choices of all states."""
        return self._graph.num_choices

    @property
    def num_branches(self) -> int:
        """The number of branches of all choices."""
        return self._graph.num_branches

    @property
    def deadlocks(self) -> int:
        """The number of states that had no choice in the file."""
        return self._file.deadlocks if self._file else 0

    # The graph

    @fixed_property
    def choices(self) -> NDArray[Any]:
        """Where the choices of each state begin: ``n + 1`` integers, the last one their number."""
        return np.frombuffer(self._graph.choices(), dtype=np.uint32)

    @fixed_property
    def branches(self) -> NDArray[Any]:
        """Where the branches of each choice begin: ``c + 1`` integers, the last their number."""
        return np.frombuffer(self._graph.branches(), dtype=np.uint32)

    @fixed_property
    def targets(self) -> NDArray[Any]:
        """For each branch, the state that it leads to."""
        return np.frombuffer(self._graph.targets(), dtype=np.uint32)

    def edges(self) -> scipy.sparse.csr_array:
        """Return the edges as a sparse matrix of scipy.

        Returns
        -------
        scipy.sparse.csr_array
            A matrix of n x n integers: entry (s, t) is the number of branches from s to t.
        """
        from scipy.sparse import csr_array

        rows = _arrays.signed(self.branches[self.choices])
        columns = _arrays.signed(self.targets)
        ones = np.ones(len(columns), dtype=np.int32)
        # The columns are copied, because scipy sorts and merges them in place.
        edges = csr_array((ones, columns.copy(), rows), shape=(self.num_states,) * 2)
        edges.sum_duplicates()
        return edges

    def transitions(self) -> scipy.sparse.csr_array:
        """Return the probabilities as a sparse matrix of scipy, with a row for each choice.

        Returns
        -------
        scipy.sparse.csr_array
            A matrix of c x n floats. State s has the rows from ``choices[s]`` to
            ``choices[s + 1] - 1``.

        Raises
        ------
        ValueError
            If the probabilities are not known.
        """
        from scipy.sparse import csr_array

        if self.probabilities is None:
            raise ValueError("the probabilities of this model are not known")
        parts = (self.probabilities, _arrays.signed(self.targets), _arrays.signed(self.branches))
        return csr_array(parts, shape=(self.num_choices, self.num_states), copy=True)

    # Data that are not part of the graph

    @fixed_property
    def probabilities(self) -> NDArray[np.float64] | None:
        """For each branch, its probability; None if unknown, and for interval models.

        In a CTMC, and in the Markovian choices of a Markov automaton, the values are rates. In an
        LTS they are 1.
        """
        if self._file is None:
            return read_only(np.ones(self.num_branches)) if self.type == "lts" else None
        found = self._file.probabilities()
        return None if found is None else np.frombuffer(found, dtype=np.float64)

    @fixed_property
    def labels(self) -> dict[str, NDArray[Any]]:
        """For each label, the states that have it, in ascending order."""
        if self._file is None:
            return {}
        file = self._file
        return {name: np.frombuffer(file.label(name), dtype=np.uint32) for name in file.labels()}

    @fixed_property
    def initial_states(self) -> NDArray[Any]:
        """The initial states; empty if the model names none."""
        if self._file is None:
            return self.labels.get("init", read_only(np.empty(0, dtype=np.uint32)))
        return np.frombuffer(self._file.initial_states(), dtype=np.uint32)

    @fixed_property
    def valuations(self) -> dict[str, NDArray[Any]]:
        """For each variable, its values in all states."""
        if self._file is None:
            return {}
        found = {}
        for i, name in enumerate(self._file.variables()):
            is_bool, values = self._file.values(i)
            found[name] = np.frombuffer(values, dtype=np.bool_ if is_bool else np.int64)
        return found

    @fixed_property
    def _actions(self) -> tuple[list[str], NDArray[Any] | None]:
        found = self._file.actions() if self._file else None
        if found is None:
            return [], None
        return found[0], np.frombuffer(found[1], dtype=np.uint32)

    @property
    def action_names(self) -> list[str]:
        """The names of the actions. The first name is empty and stands for no action."""
        return self._actions[0]

    @property
    def actions(self) -> NDArray[Any] | None:
        """For each choice, the index of its action in `action_names`; None if unknown."""
        return self._actions[1]

    @fixed_property
    def rewards(self) -> dict[str, Rewards]:
        """The reward structures by name. The name of one without a name is ``''``."""
        found = {}
        for name, *parts in self._file.rewards() if self._file else []:
            arrays = (part if part is None else np.frombuffer(part, np.float64) for part in parts)
            found[name or ""] = Rewards(*arrays)
        return found

    # Other forms

    def to_networkx(self) -> networkx.MultiDiGraph:
        """Return the model as a graph of networkx.

        Returns
        -------
        networkx.MultiDiGraph
            A graph with a node for each state and an edge for each branch. Attributes of a node
            are the values of the variables, and the list of its ``labels``. Attributes of an edge
            are its ``choice``, and its ``probability`` and ``action`` if they are known. The name
            of a variable ``labels`` or ``component`` gets an underscore: ``labels_``.
        """
        import networkx

        graph = networkx.MultiDiGraph()
        labels: list[list[str]] = [[] for _ in range(self.num_states)]
        for name, states in self.labels.items():
            for state in states.tolist():
                labels[state].append(name)
        taken = ("labels", "component")
        values = {
            name + "_" * (name in taken): column.tolist()
            for name, column in self.valuations.items()
        }
        for state in range(self.num_states):
            known = {name: column[state] for name, column in values.items()}
            graph.add_nodes_from([(state, {**known, "labels": labels[state]})])
        graph.add_edges_from(self._branches())
        return graph

    def _branches(self) -> Any:
        """Yield the source, the target and the attributes of each branch."""
        choices, branches = self.choices.tolist(), self.branches.tolist()
        targets, probabilities, actions = self.targets, self.probabilities, self.actions
        for state in range(self.num_states):
            for choice in range(choices[state], choices[state + 1]):
                known: dict[str, Any] = {"choice": choice}
                if actions is not None:
                    known["action"] = self.action_names[actions[choice]]
                for branch in range(branches[choice], branches[choice + 1]):
                    if probabilities is not None:
                        known["probability"] = float(probabilities[branch])
                    yield state, int(targets[branch]), dict(known)

    def _facts(self) -> list[tuple[str, str]]:
        facts = [
            ("type", self.type),
            ("states", f"{self.num_states:,}"),
            ("choices", f"{self.num_choices:,}"),
            ("branches", f"{self.num_branches:,}"),
        ]
        if self._file is not None:
            facts.insert(0, ("format", self._file.format))
            names = [*self._file.labels()]
            if names:
                facts.append(("labels", ", ".join(names)))
            if self._file.variables():
                facts.append(("variables", ", ".join(self._file.variables())))
        return facts

    def __repr__(self) -> str:
        return (
            f"<maxend.Model: {self.type}, {counted(self.num_states, 'state')}, "
            f"{counted(self.num_choices, 'choice')}, "
            f"{counted(self.num_branches, 'branch', 'branches')}>"
        )

    def _repr_html_(self) -> str:
        return table("Model", self._facts())

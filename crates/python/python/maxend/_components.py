"""The components of a model, and the quotient by them."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

from . import _maxend, _options
from ._errors import ModelError
from ._fixed import fixed_property, read_only
from ._model import Model
from ._shown import counted, table
from ._unpicklable import Unpicklable

if TYPE_CHECKING:
    import networkx

NAMES = {
    "scc": "strongly connected component",
    "bscc": "bottom strongly connected component",
    "mec": "maximal end component",
}

# Types of models that have no quotient by MECs, and the reason.
WITHOUT_QUOTIENT = {
    "ma": "a Markov automaton, whose quotient has no exit rates",
    "smg": "a game: states of one MEC may belong to several players",
    "idtmc": "an interval model, of which there is no quotient",
    "imdp": "an interval model, of which there is no quotient",
}

# Models whose quotient has another type. A state of the quotient of a POMDP may stand for states
# with different observations.
OF_QUOTIENT = {"pomdp": "mdp"}

# In notebooks, at most this many components, and states of each, are shown.
SHOWN = 10


@dataclass(frozen=True, eq=False, repr=False)
class Component:
    """One component. Its length is the number of its states.

    Two components are equal if all of their attributes are equal.

    Attributes
    ----------
    index : int
        The number of the component.
    states : ndarray
        The states of the component, in ascending order.
    choices : ndarray
        The choices that stay in the component.
    trivial : bool
        Whether the component is trivial: a single state; for SCCs, one without a self-loop.
    """

    index: int
    states: NDArray[np.int64]
    choices: NDArray[np.int64]
    trivial: bool

    def __len__(self) -> int:
        return len(self.states)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Component):
            return NotImplemented
        return (
            (self.index, self.trivial) == (other.index, other.trivial)
            and np.array_equal(self.states, other.states)
            and np.array_equal(self.choices, other.choices)
        )

    def __hash__(self) -> int:
        return hash((self.index, len(self.states), len(self.choices)))

    def __repr__(self) -> str:
        return (
            f"<maxend.Component {self.index}: {counted(len(self.states), 'state')}, "
            f"{counted(len(self.choices), 'choice that stays', 'choices that stay')}>"
        )


class Components(Unpicklable, Sequence[Component]):
    """The components of a model, in the order of their smallest states.

    `Model.scc` and `Model.mec` return objects of this class. They are sequences of `Component`,
    and their slices are lists:

    >>> model = Model.from_arrays([0, 2, 3, 4], [0, 1, 3, 4, 5], [0, 1, 2, 0, 2])
    >>> mecs = model.mec()
    >>> len(mecs)
    2
    >>> [component.states.tolist() for component in mecs]
    [[0], [2]]
    >>> mecs.choices
    array([ True, False, False,  True])
    """

    def __init__(self, model: Model, kind: str, found: _maxend.Components) -> None:
        self._model = model
        self._kind = kind
        self._found = found

    @property
    def model(self) -> Model:
        """The decomposed model."""
        return self._model

    @property
    def kind(self) -> str:
        """The kind of the components: ``'scc'``, ``'bscc'`` or ``'mec'``."""
        return self._kind

    @property
    def device(self) -> str:
        """The device that found the components."""
        return self._found.device

    @fixed_property
    def labels(self) -> NDArray[np.int32]:
        """For each state, the number of its component, or -1 if it is in none."""
        return np.frombuffer(self._found.labels(), dtype=np.int32)

    @fixed_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of states of each component."""
        return np.frombuffer(self._found.sizes(), dtype=np.int64)

    @fixed_property
    def trivial(self) -> NDArray[np.bool_]:
        """For each component, whether it is a single state; for SCCs, one without a self-loop."""
        return np.frombuffer(self._found.trivial(), dtype=np.bool_)

    @fixed_property
    def choices(self) -> NDArray[np.bool_]:
        """For each choice of the model, whether all of its targets lie in its state's component.

        For MECs, these are the choices that the MECs retain.
        """
        return np.frombuffer(self._found.choices(), dtype=np.bool_)

    @fixed_property
    def _members(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the states of each component begin in the list of all, and that list."""
        ends = np.concatenate(([0], np.cumsum(self.sizes)))
        return ends, np.frombuffer(self._found.members(), dtype=np.int64)

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[Component]:
        return (self[i] for i in range(len(self)))

    def __contains__(self, component: object) -> bool:
        if not isinstance(component, Component) or not 0 <= component.index < len(self):
            return False
        return self[component.index] == component

    def index(self, value: object, start: int = 0, stop: int | None = None) -> int:
        """Return the number of a component, as of a list.

        Raises
        ------
        ValueError
            If these components, or those from `start` to `stop`, do not contain it.
        """
        if isinstance(value, Component) and value in self:
            if value.index in range(len(self))[start:stop]:
                return value.index
        raise ValueError(f"{value!r} is not one of these components")

    def count(self, value: object) -> int:
        """Return 1 if these components contain this one, and otherwise 0."""
        return int(value in self)

    @overload
    def __getitem__(self, index: SupportsIndex) -> Component: ...
    @overload
    def __getitem__(self, index: slice) -> list[Component]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Component | list[Component]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        try:
            number = operator.index(index)
        except TypeError:
            kind = type(index).__name__
            raise TypeError(f"index must be an integer or a slice, not {kind}") from None
        number = number + len(self) if number < 0 else number
        if not 0 <= number < len(self):
            raise IndexError(f"there is no component {index}, only {len(self)} of them")
        ends, members = self._members
        states = members[ends[number] : ends[number + 1]]
        first, last = self.model.choices[states], self.model.choices[states + 1]
        ranges = [np.arange(a, b, dtype=np.int64) for a, b in zip(first, last, strict=True)]
        all_choices = np.concatenate(ranges) if ranges else np.empty(0, dtype=np.int64)
        stays = all_choices[self.choices[all_choices]]
        return Component(number, states, read_only(stays), bool(self.trivial[number]))

    def of(self, state: SupportsIndex) -> Component | None:
        """Return the component of a state, or None if the state is in none.

        Parameters
        ----------
        state : int
            The state.

        Returns
        -------
        Component or None

        Raises
        ------
        IndexError
            If there is no such state. Negative numbers do not count from the end.
        TypeError
            If the state is not an integer.
        """
        try:
            number = operator.index(state)
        except TypeError:
            kind = type(state).__name__
            raise TypeError(f"state must be an integer, not {kind}") from None
        if not 0 <= number < self.model.num_states:
            count = counted(self.model.num_states, "state")
            raise IndexError(f"there is no state {number}: the model has {count}")
        label = int(self.labels[number])
        return None if label < 0 else self[label]

    def quotient(self, *, stay: bool = False) -> Quotient:
        """Return the quotient: the model in which each component is one state.

        The quotient by MECs or bottom SCCs drops the choices that stay in a component and keeps
        those that may leave it. A component that no choice leaves gets a self-loop. The quotient
        by SCCs is the condensation, with one choice for each edge to another component.

        Parameters
        ----------
        stay : bool
            Whether to give each MEC one more choice, which leads to a new state after all others.
            This choice stands for staying in the MEC forever. Interval iteration for minimal
            probabilities needs it.

        Returns
        -------
        Quotient
            Its model has the type of the original model, with two exceptions: a condensation is
            an LTS, and the quotient of a POMDP is an MDP, because a component may have states
            with different observations.

        Raises
        ------
        ModelError
            If the model is an interval model, which has no quotient, or a game or a Markov
            automaton, which have a condensation only.
        ValueError
            If `stay` is true and the components are SCCs.
        """
        _options.truth(stay=stay)
        why = WITHOUT_QUOTIENT.get(self.model.type)
        if why is not None and (self.kind != "scc" or self.model.type in ("idtmc", "imdp")):
            raise ModelError(f"the model is {why}")
        if stay and self.kind == "scc":
            raise ValueError("a condensation has no choice to stay: stay=True is for MECs")
        return Quotient(self, _maxend.Quotient(self._found, stay))

    def to_networkx(self) -> networkx.MultiDiGraph:
        """Return the model as a graph of networkx, with the components.

        Returns
        -------
        networkx.MultiDiGraph
            The graph that `Model.to_networkx` returns, with two more attributes: the
            ``component`` of each node, or -1, and whether the choice of each edge ``stays`` in
            the component.
        """
        graph = self.model.to_networkx()
        for state, label in enumerate(self.labels.tolist()):
            graph.nodes[state]["component"] = label
        stays = self.choices.tolist()
        for _, _, known in graph.edges(data=True):
            known["stays"] = stays[known["choice"]]
        return graph

    def _facts(self) -> list[tuple[str, str]]:
        members = int(self.sizes.sum())
        facts = [
            (NAMES[self.kind] + "s", f"{len(self):,}"),
            ("trivial", f"{int(self.trivial.sum()):,}"),
            ("states in one", f"{members:,} of {self.model.num_states:,}"),
            ("device", self.device),
        ]
        if len(self) > 0:
            facts.insert(2, ("sizes", f"{int(self.sizes.min()):,} to {int(self.sizes.max()):,}"))
        return facts

    def __repr__(self) -> str:
        largest = ""
        if len(self) > 0:
            largest = f", the largest of {counted(int(self.sizes.max()), 'state')}"
        count = counted(len(self), NAMES[self.kind])
        return f"<maxend.Components: {count}{largest}>"

    def _repr_html_(self) -> str:
        rows = self._facts()
        for component in (self[i] for i in range(min(SHOWN, len(self)))):
            states = [str(state) for state in component.states[:SHOWN].tolist()]
            if len(component.states) > SHOWN:
                states.append("…")
            rows.append((str(component.index), "{" + ", ".join(states) + "}"))
        if len(self) > SHOWN:
            rows.append(("…", f"{len(self) - SHOWN:,} more"))
        return table("Components", rows)


class Quotient(Unpicklable):
    """A model in which each component of the original model is one state.

    `Components.quotient` returns objects of this class.
    """

    def __init__(self, components: Components, found: _maxend.Quotient) -> None:
        self._components = components
        self._found = found

    @property
    def components(self) -> Components:
        """The components of the original model."""
        return self._components

    @fixed_property
    def model(self) -> Model:
        """The quotient itself.

        The probability of a merged branch is the sum of those of the original branches. A state
        has every label of the original states that it stands for.
        """
        original = self.components.model
        graph = self._found.graph
        probabilities = None
        is_condensation = self.components.kind == "scc"
        type = "lts" if is_condensation else OF_QUOTIENT.get(original.type, original.type)
        if original.probabilities is not None and not is_condensation:
            merged = self._found.merged(original.probabilities)
            probabilities = np.frombuffer(merged, dtype=np.float64)
        of_states = {**original.labels}
        if original.initial_states.size > 0:
            of_states["init"] = original.initial_states
        labels = {name: read_only(np.unique(self.states[of])) for name, of in of_states.items()}
        return Model._of(graph, type, probabilities=probabilities, labels=labels)

    @fixed_property
    def states(self) -> NDArray[np.uint32]:
        """For each state of the original model, the state of the quotient that stands for it."""
        return np.frombuffer(self._found.states(), dtype=np.uint32)

    @fixed_property
    def choices(self) -> NDArray[np.int64]:
        """For each choice of the quotient, its original choice, or -1 if it was added."""
        return np.frombuffer(self._found.choices(), dtype=np.int64)

    @property
    def sink(self) -> int | None:
        """The new state that the choices added by ``stay=True`` lead to; otherwise None."""
        return self._found.sink

    def __repr__(self) -> str:
        return f"<maxend.Quotient: {self.model!r}>"

    def _repr_html_(self) -> str:
        return table("Quotient", self.model._facts())

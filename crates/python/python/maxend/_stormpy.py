"""Models of stormpy."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._model import Model


def from_stormpy(model: Any) -> Model:
    """A model of stormpy, as one of this package.

    States, choices and branches keep their numbers, so that results can be used with the original
    model. Branches of value 0 are left out.

    Parameters
    ----------
    model : stormpy sparse model
        A DTMC, CTMC, MDP or Markov automaton, as `stormpy.build_model` and others return. Values
        that are no numbers, such as rational functions, are not kept: then `Model.probabilities`
        is None.

    Returns
    -------
    Model
        With the labels of the original model.

    Examples
    --------
    >>> import stormpy                                           # doctest: +SKIP
    >>> program = stormpy.parse_prism_program("walk.prism")      # doctest: +SKIP
    >>> maxend.from_stormpy(stormpy.build_model(program)).mec()  # doctest: +SKIP
    """
    matrix = model.transition_matrix
    targets: list[int] = []
    values: list[Any] = []
    branches = [0]
    for row in range(matrix.nr_rows):
        for entry in matrix.get_row(row):
            # A method in stormpy 1.
            value = entry.value() if callable(entry.value) else entry.value
            if value != 0:
                targets.append(entry.column)
                values.append(value)
        branches.append(len(targets))
    states = range(model.nr_states)
    choices = [matrix.get_row_group_start(state) for state in states] + [matrix.nr_rows]
    labeling = model.labeling
    labels = {
        name: np.array(list(labeling.get_states(name)), dtype=np.uint32)
        for name in sorted(labeling.get_labels())
    }
    return Model.from_arrays(
        np.array(choices, dtype=np.uint32),
        np.array(branches, dtype=np.uint32),
        np.array(targets, dtype=np.uint32),
        probabilities=_as_floats(values),
        labels=labels,
        type=_type(model),
    )


def _as_floats(values: list[Any]) -> Any:
    """The values as doubles, if they are numbers."""
    try:
        return np.array([float(value) for value in values], dtype=np.float64)
    except (TypeError, ValueError):
        return None


def _type(model: Any) -> str:
    """The type of the model: the last word of what stormpy calls it."""
    return str(model.model_type).rpartition(".")[2].lower()

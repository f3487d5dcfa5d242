"""Conversion of stormpy's models."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ._model import Model
from ._read import read


def from_stormpy(model: Any) -> Model:
    """Convert a model of stormpy.

    States and choices keep their numbers, so results can be used with the original model. Branches
    of value 0 are left out. From stormpy 2.0 on, Storm writes the model to a temporary ``.umb``
    archive, and maxend reads the archive; this takes about a microsecond a branch. Models of older
    versions, and models that archives cannot hold, are read entry by entry in Python, which takes
    many times as long.

    Parameters
    ----------
    model : stormpy sparse model
        A DTMC, CTMC, MDP or Markov automaton, for example from `stormpy.build_model`. A Markov
        automaton must be closed first, by `model.close()`.

    Returns
    -------
    Model
        The same model, with its labels. If values are not numbers but, for example, rational
        functions, its `probabilities` are None.

    Raises
    ------
    TypeError
        If it is something else, such as a program that was not built yet.
    ValueError
        If the model is a Markov automaton that is not closed.

    Examples
    --------
    >>> import stormpy                                                  # doctest: +SKIP
    >>> program = stormpy.parse_prism_program("walk.prism")             # doctest: +SKIP
    >>> program, _ = stormpy.instantiate_constants(program, "N=100")    # doctest: +SKIP
    >>> maxend.from_stormpy(stormpy.build_model(program)).mec()         # doctest: +SKIP
    """
    if not hasattr(model, "transition_matrix"):
        kind = type(model).__name__
        raise TypeError(f"model must be a sparse model of stormpy, not {kind}")
    if getattr(model, "is_closed", True) is False:
        raise ValueError("the Markov automaton is not closed: call model.close() first")
    archived = _by_archive(model)
    return _entry_by_entry(model) if archived is None else archived


def _by_archive(model: Any) -> Model | None:
    """Convert a model through an archive. Return None if stormpy cannot write one."""
    try:
        from stormpy.io import export_to_umb
    except ImportError:
        return None
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder, "model.umb")
        try:
            export_to_umb(model, str(archive))
        except RuntimeError:
            # Archives cannot hold models with parameters.
            return None
        return read(archive, allow_any_sum=True)


def _entry_by_entry(model: Any) -> Model:
    """Convert a model by reading each entry of its matrix."""
    matrix = model.transition_matrix
    targets: list[int] = []
    values: list[Any] = []
    branches = [0]
    for row in range(matrix.nr_rows):
        for entry in matrix.get_row(row):
            # In stormpy 1, `value` is a method.
            value = entry.value() if callable(entry.value) else entry.value
            if value != 0:
                targets.append(entry.column)
                values.append(value)
        branches.append(len(targets))
    states = range(model.nr_states)
    choices = [matrix.get_row_group_start(state) for state in states] + [matrix.nr_rows]
    kind = _type(model)
    if kind == "ma":
        _turn_into_rates(model, choices, branches, values)
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
        type=kind,
    )


def _turn_into_rates(
    model: Any, choices: list[int], branches: list[int], values: list[Any]
) -> None:
    """Multiply the probabilities of Markovian choices by the exit rates of their states.

    In a closed automaton, a Markovian state has exactly one choice.
    """
    for state in model.markovian_states:
        rate = model.exit_rates[state]
        for branch in range(branches[choices[state]], branches[choices[state + 1]]):
            values[branch] = values[branch] * rate


def _as_floats(values: list[Any]) -> Any:
    """Return the values as doubles, or None if they are not numbers."""
    try:
        return np.array([float(value) for value in values], dtype=np.float64)
    except (TypeError, ValueError):
        return None


def _type(model: Any) -> str:
    """Return the type of the model: the last part of stormpy's name for it, in lower case."""
    return str(model.model_type).rpartition(".")[2].lower()

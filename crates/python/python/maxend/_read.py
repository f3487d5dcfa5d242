"""Models from files."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Literal, TypedDict, Unpack

import numpy as np

from . import _maxend, _options
from ._errors import ModelWarning
from ._model import Model

Path = str | os.PathLike[str]
Deadlocks = Literal["self-loop", "keep", "error"]
Progress = Callable[[str, int, int | None], object]


def read(
    file: Path,
    *,
    constants: Mapping[str, object] | None = None,
    deadlocks: Deadlocks = "self-loop",
    details: bool = True,
    states: Path | None = None,
    labels: Path | None = None,
    type: str | None = None,
    allow_any_sum: bool = False,
    max_states: int | None = None,
    max_memory: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Model:
    """Read a model.

    Parameters
    ----------
    file : path
        The model: explicit transitions of PRISM or Storm (``.tra``, ``.pexp``), Storm's DRN
        (``.drn``), Unified Markov Binary (``.umb``), a labelled transition system (``.aut``) or a
        network of such (``.exp``), a weighted graph of DIMACS (``.gr``), or a model in PRISM's
        language (``.prism``, ``.nm``, ``.pm``, ``.sm``) or in JANI (``.jani``), any of them plain
        or compressed (``.gz``, ``.xz``, ``.zst``).
    constants : mapping, optional
        Values for the constants that a model in PRISM's language leaves open.
    deadlocks : {'self-loop', 'keep', 'error'}
        What becomes of states without a choice. As in PRISM and Storm they get self-loops, unless
        asked otherwise.
    details : bool
        Whether to read labels, values of variables, probabilities, actions and rewards too.
        Without them, the model takes less time and memory.
    states, labels : path, optional
        The files with the values of the variables and with the labels. By default those beside
        the model, ``X.sta`` and ``X.lab`` for ``X.tra``.
    type : str, optional
        What the model is, whichever type its header and content suggest; the numbers in its header
        must fit: ``'mdp'``, ``'dtmc'``, ``'ctmc'``, ``'lts'`` or ``'pomdp'``.
    allow_any_sum : bool
        Whether to take distributions whose probabilities do not sum to 1.
    max_states, max_memory : int, optional
        Give up when there are more states, or before the states and the graph take more bytes.
    threads : int, optional
        The number of threads; by default one for each core.
    progress : callable, optional
        Is called a few times a second with what is being done, such as ``'reading'``, how much is
        done, and how much there is to do, or None. If it raises an exception, reading stops.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        If the model is wrong. It has the place: ``file``, ``line`` and ``column``.
    OSError
        If there is no such file.
    TypeError, ValueError
        If an option is wrong.

    Warns
    -----
    ModelWarning
        If something was mended or left out, such as branches of probability 0.
    """
    _options.check(
        progress=progress, threads=threads, max_states=max_states, max_memory=max_memory
    )
    _options.one_of("deadlocks", deadlocks, ("self-loop", "keep", "error"))
    _options.truth(details=details, allow_any_sum=allow_any_sum)
    _options.text("type", type)
    given = [(name, _shown(value)) for name, value in _options.constants(constants)]
    _options.path("file", file)
    for name, path in (("states", states), ("labels", labels)):
        if path is not None:
            _options.path(name, path)
    options = {
        "constants": given,
        "deadlocks": deadlocks,
        "details": details,
        "states": states,
        "labels": labels,
        "model_type": type,
        "allow_any_sum": allow_any_sum,
        "max_states": max_states,
        "max_memory": max_memory,
        "threads": threads,
    }
    read = _maxend.read(os.fspath(file), options, progress)
    _warn(read.warnings)
    return Model._of_file(read)


class Options(TypedDict, total=False):
    """The options of `read` besides the constants."""

    deadlocks: Deadlocks
    details: bool
    states: Path | None
    labels: Path | None
    type: str | None
    allow_any_sum: bool
    max_states: int | None
    max_memory: int | None
    threads: int | None
    progress: Progress | None


def build(
    file: Path,
    constants: Mapping[str, object] | None = None,
    **options: Unpack[Options],
) -> Model:
    """Build a model in PRISM's language, or a network: find all of its states.

    Parameters
    ----------
    file : path
        The model.
    constants : mapping, optional
        Values for the constants that it leaves open, such as ``{"N": 7, "p": "1/3"}``.
    **options
        As for `read`.

    Returns
    -------
    Model
    """
    return read(file, constants=constants, **options)


def _shown(value: object) -> str:
    """A value as PRISM's language writes it."""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    return str(value)


def _warn(messages: list[str]) -> None:
    """Warns, at the line outside of this package that led here."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__name__") == __name__:
        frame, level = frame.f_back, level + 1
    for message in messages:
        warnings.warn(message, ModelWarning, stacklevel=level)

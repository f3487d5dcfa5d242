"""Functions that read models from files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Literal, TypedDict, Unpack

import numpy as np

from . import _maxend, _options
from ._errors import ModelWarning, warn
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
    """Read a model from a file.

    Parameters
    ----------
    file : path
        The file of the model. It may be compressed (``.gz``, ``.xz``, ``.zst``). These formats are
        supported: explicit transitions of PRISM or Storm (``.tra``, ``.pexp``), Storm's DRN
        (``.drn``), Unified Markov Binary (``.umb``), labelled transition systems (``.aut``) and
        networks of them (``.exp``), weighted graphs of DIMACS (``.gr``), PRISM's language
        (``.prism``, ``.nm``, ``.pm``, ``.sm``) and JANI (``.jani``).
    constants : mapping, optional
        Values for the constants that the model declares without a value.
    deadlocks : {'self-loop', 'keep', 'error'}
        How to treat states without a choice: add a self-loop, as PRISM and Storm do, keep the
        states as they are, or raise a `ModelError`.
    details : bool
        Whether to read labels, values of variables, probabilities, actions and rewards too.
        Without them, reading takes less time and memory.
    states, labels : path, optional
        The files with the values of the variables and with the labels. By default, these come from
        the model itself, or from the files beside it, such as ``X.sta`` and ``X.lab`` for
        ``X.tra``.
    type : str, optional
        The type of the model: ``'mdp'``, ``'dtmc'``, ``'ctmc'``, ``'lts'``, ``'pomdp'``, ``'imdp'``
        or ``'idtmc'``. It overrides the type that the header and the content suggest. The counts
        in the header must fit this type.
    allow_any_sum : bool
        Whether to accept distributions whose probabilities do not sum to 1.
    max_states : int, optional
        The largest number of states that the model may have.
    max_memory : int, optional
        The largest number of bytes that the states and the graph may take. The default is 90 % of
        the memory that is available.
    threads : int, optional
        The number of threads, at most four for each core. The default is one for each core.
    progress : callable, optional
        A function that is called once before the work begins (with ``'starting'``, 0 and None),
        and then about twenty times a second with the name of the current step, such as
        ``'reading'``, the work done, and the total work (or None). If it raises an exception,
        reading stops.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        If the model is wrong. Its attributes ``file``, ``line`` and ``column`` say where.
    OSError
        If there is no such file.
    TypeError, ValueError
        If an option is wrong.

    Warns
    -----
    ModelWarning
        If the model was changed, for example by self-loops added to deadlocks.
    """
    _options.check(progress=progress, max_states=max_states, max_memory=max_memory)
    threads = _options.limited(threads)
    _options.one_of("deadlocks", deadlocks, ("self-loop", "keep", "error"))
    _options.truth(details=details, allow_any_sum=allow_any_sum)
    _options.text("type", type)
    given = [(name, _shown(value)) for name, value in _options.constants(constants)]
    _options.path("file", file)
    for name, path in (("states", states), ("labels", labels)):
        if path is not None:
            _options.path(name, path)
    options: _maxend.ReadOptions = {
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
    for message in read.warnings:
        warn(message, ModelWarning)
    return Model._of_file(read)


class Options(TypedDict, total=False):
    """The options of `read` except `constants`."""

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
    """Build the state space of a model in PRISM's language or JANI, or of a network of LTSs.

    This function is `read` with `constants` as the second positional argument.

    Parameters
    ----------
    file : path
        The file of the model.
    constants : mapping, optional
        Values for the constants that the model declares without a value, such as
        ``{"N": 7, "p": "1/3"}``.
    **options
        The other options of `read`.

    Returns
    -------
    Model
    """
    return read(file, constants=constants, **options)


def _shown(value: object) -> str:
    """Return a value in the syntax of PRISM's language."""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    return str(value)

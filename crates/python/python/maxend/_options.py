"""Checks of options. Their messages name the option."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Mapping
from typing import SupportsFloat

import numpy as np

from . import _maxend
from ._errors import warn

# Numbers must be below this, to fit a signed integer of 64 bits.
LIMIT = 2**63


def one_of(name: str, value: object, allowed: tuple[str, ...]) -> None:
    """Check that a value is one of the allowed strings.

    Raises
    ------
    TypeError
        If the value is not a string.
    ValueError
        If it is another string.
    """
    if isinstance(value, str) and value in allowed:
        return
    *others, last = map(repr, allowed)
    error = ValueError if isinstance(value, str) else TypeError
    raise error(f"{name} must be {', '.join(others)} or {last}, not {value!r}")


def text(name: str, value: object, *, optional: bool = True) -> None:
    """Raise a TypeError for a value that is not a string, nor None if that is allowed."""
    if not (isinstance(value, str) or value is None and optional):
        raise TypeError(f"{name} must be a str, not {type(value).__name__}")


def truth(**values: object) -> None:
    """Raise a TypeError if a value is neither True nor False."""
    for name, value in values.items():
        if not isinstance(value, bool | np.bool_):
            raise TypeError(f"{name} must be True or False, not {value!r}")


def positive(name: str, value: object) -> float:
    """Return a number above 0 as a float.

    Raises
    ------
    TypeError
        If the value is not a number.
    ValueError
        If it is not above 0, or not finite.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, SupportsFloat):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    number = float(value)
    if not 0 < number < math.inf:
        raise ValueError(f"{name} must be a number above 0, not {value!r}")
    return number


def path(name: str, value: object) -> None:
    """Check that a value is the path of a file that exists.

    Raises
    ------
    TypeError
        If the value is not a path. File descriptors and bytes are not accepted.
    OSError
        If there is no such file.
    """
    if not isinstance(value, str | os.PathLike) or isinstance(os.fspath(value), bytes):
        raise TypeError(f"{name} must be a str or a path, not {type(value).__name__}")
    # Raises the usual exception of Python if the file is missing.
    os.stat(value)


def labels(values: object) -> list[tuple[str, object]]:
    """Return the names of labels and their states.

    Raises
    ------
    TypeError
        If the values are not a mapping, or a name is not a string.
    """
    return _named("labels", "states", values)


def constants(values: object) -> list[tuple[str, object]]:
    """Return the names and values of constants.

    Raises
    ------
    TypeError
        If the values are not a mapping, or a name is not a string.
    """
    return _named("constants", "values", values)


def _named(what: str, contents: str, values: object) -> list[tuple[str, object]]:
    """Return the items of a mapping whose keys must be strings."""
    if values is None:
        return []
    if not isinstance(values, Mapping):
        raise TypeError(f"{what} must map names to {contents}, not be a {type(values).__name__}")
    for name in values:
        if not isinstance(name, str):
            raise TypeError(f"{what} must have names that are str, not {type(name).__name__}")
    return list(values.items())


def search(
    device: object,
    adapter: str | None,
    threads: int | None,
    progress: object,
    certify: bool = False,
) -> _maxend.SearchOptions:
    """Check the options that all searches have, and return those that a search is given.

    Raises
    ------
    TypeError, ValueError
        If an option is wrong.
    """
    one_of("device", device, ("auto", "cpu", "gpu"))
    text("adapter", adapter)
    truth(certify=certify)
    check(progress=progress)
    return {
        "device": str(device),
        "adapter": adapter,
        "threads": limited(threads),
        "certify": certify,
    }


def limited(threads: int | None) -> int | None:
    """Return the number of threads to take, and issue a warning if that is less than is asked for.

    Raises
    ------
    TypeError, ValueError
        If it is not an integer above 0.
    """
    check(threads=threads)
    if threads is None:
        return None
    count, why = _maxend.limited_threads(threads)
    if why is not None:
        warn(f"threads={threads}: {why}", UserWarning)
    return count


def check(
    *,
    progress: object = None,
    threads: object = None,
    max_states: object = None,
    max_memory: object = None,
    max_iterations: object = None,
) -> None:
    """Check options that several functions share.

    Raises
    ------
    TypeError
        If a number is not an integer, or `progress` cannot be called.
    ValueError
        If a number is too small or too large.
    """
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be callable, not {type(progress).__name__}")
    numbers = (
        ("threads", threads, 1),
        ("max_states", max_states, 0),
        ("max_memory", max_memory, 0),
        ("max_iterations", max_iterations, 0),
    )
    for name, value, least in numbers:
        if value is None:
            continue
        try:
            number = operator.index(value)  # type: ignore[arg-type]
        except TypeError:
            kind = type(value).__name__
            raise TypeError(f"{name} must be an integer, not {kind}") from None
        if number < least:
            raise ValueError(f"{name} must be at least {least}, not {number}")
        if number >= LIMIT:
            raise ValueError(f"{name} must be below {LIMIT}, not {number}")

"""Checks of options, whose messages name the option."""

from __future__ import annotations

import operator

# The library takes numbers of 64 bits.
LIMIT = 2**63


def check(
    *,
    progress: object = None,
    threads: object = None,
    max_states: object = None,
    max_memory: object = None,
) -> None:
    """Raise an exception for options that are wrong.

    Raises
    ------
    TypeError
        If a number is no integer, or `progress` cannot be called.
    ValueError
        If a number is too small or too large.
    """
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be callable, not {type(progress).__name__}")
    numbers = (("threads", threads, 1), ("max_states", max_states, 0), ("max_memory", max_memory, 0))
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

"""Arrays in the form that a graph borrows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ._errors import Error, ModelError

T = TypeVar("T")

MAX = np.iinfo(np.uint32).max


def graph(
    make: Callable[..., T], takes_wide: bool = False, /, **arrays: Any
) -> tuple[T, list[NDArray[Any]]]:
    """Makes a graph of arrays of indices. Returns it and the arrays, as it borrows them.

    Rust checks the indices, and takes negative ones for large numbers; only if something is wrong
    are they looked for. If `takes_wide`, the indices may have 64 bits, if all have them.
    """
    if takes_wide and all(is_wide(values) for values in arrays.values()):
        taken = {name: side_by_side(values) for name, values in arrays.items()}
    else:
        taken = {name: indices(name, values) for name, values in arrays.items()}
    try:
        return make(*taken.values()), list(taken.values())
    except (ValueError, Error):
        for name, array in taken.items():
            check(name, array)
        raise


def is_wide(values: Any) -> bool:
    """Whether these are integers of 64 bits as Rust has them."""
    if not isinstance(values, np.ndarray) or np.ma.isMaskedArray(values):
        return False
    if values.ndim != 1 or values.dtype.kind not in "iu":
        return False
    return values.dtype.itemsize == 8 and values.dtype.isnative


def indices(name: str, values: Any) -> NDArray[Any]:
    """Integers of 32 bits, side by side: the array itself, if it is that already.

    A graph has 32-bit indices, so that an array of 64-bit integers is copied.
    """
    array = np.asarray(unmasked(name, values))
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {array.ndim}")
    if array.size == 0:
        # Numpy takes an empty list for one of floats.
        array = array.astype(np.uint32)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers, not {array.dtype}")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype.itemsize == 8:
        # Negative ones are larger than all others that way, so that one look is enough.
        if array.size > 0 and array.view(np.uint64).max() > MAX:
            check(name, array)
        array = array.astype(np.uint32)
    elif array.dtype.itemsize < 4:
        check(name, array)
        array = array.astype(np.uint32)
    return side_by_side(array)


def unmasked(name: str, values: Any) -> Any:
    """The same values. Raises an error if some of them are masked, and so have no value."""
    if np.ma.is_masked(values):
        raise ValueError(f"{name} must not have masked entries")
    return values


def side_by_side(array: NDArray[Any]) -> NDArray[Any]:
    """The array itself, or a copy if it has gaps or is not aligned."""
    # Rust reads no numbers that are not aligned, as fields of packed records may be.
    return np.require(array, requirements=["C", "ALIGNED", "ENSUREARRAY"])


def states(name: str, values: Any, num_states: int) -> NDArray[Any]:
    """A set of states of a model: a copy, ascending, each of them once."""
    array = indices(name, values)
    check(name, array)
    if array.size > 0 and (largest := int(array.max())) >= num_states:
        count = f"{num_states} state" if num_states == 1 else f"{num_states} states"
        raise ModelError(f"{name} has state {largest}, but the graph has {count}")
    return np.unique(array)


def check(name: str, array: NDArray[Any]) -> None:
    """Raises an error if a number is negative, or has more than 32 bits."""
    for number in (int(array.min()), int(array.max())) if array.size > 0 else ():
        if not 0 <= number <= MAX:
            raise ValueError(f"{name} must be between 0 and {MAX}, not {number}")


def floats(name: str, values: Any, count: int) -> NDArray[np.float64]:
    """So many doubles, side by side."""
    array = side_by_side(np.ascontiguousarray(unmasked(name, values), dtype=np.float64))
    if array.shape != (count,):
        raise ValueError(f"{name} must have {count} values, not shape {array.shape}")
    return array


def signed(array: NDArray[Any]) -> NDArray[Any]:
    """The same numbers in the type that scipy takes for indices, without a copy if they fit."""
    if array.dtype == np.uint32:
        if array.size == 0 or int(array.max()) <= np.iinfo(np.int32).max:
            return array.view(np.int32)
        return array.astype(np.int64)
    return array

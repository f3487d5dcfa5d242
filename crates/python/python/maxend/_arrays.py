"""Conversion of arrays to the form that a graph borrows."""

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
    """Make a graph from arrays of indices, and return it with the arrays that it borrows.

    Rust checks the indices. To Rust, a negative index is a large number, so only if Rust refuses an
    array does this function look for negative indices, to name them in the message. With
    `takes_wide`, arrays of 64-bit indices are passed as they are if all arrays have 64 bits.
    """
    if takes_wide and all(is_wide(values) for values in arrays.values()):
        taken = {name: contiguous(values) for name, values in arrays.items()}
    else:
        taken = {name: indices(name, values) for name, values in arrays.items()}
    try:
        return make(*taken.values()), list(taken.values())
    except (ValueError, Error):
        for name, array in taken.items():
            check(name, array)
        if "choices" in taken:
            check_offsets(taken["choices"], taken["branches"], taken["targets"])
        raise


def is_wide(values: Any) -> bool:
    """Return whether the values are an array of 64-bit integers in the machine's byte order."""
    if not isinstance(values, np.ndarray) or np.ma.isMaskedArray(values):
        return False
    if values.ndim != 1 or values.dtype.kind not in "iu":
        return False
    return values.dtype.itemsize == 8 and values.dtype.isnative


def indices(name: str, values: Any) -> NDArray[Any]:
    """Return the values as a contiguous array of 32-bit integers.

    An array of 32-bit integers without gaps is returned itself. Other arrays are copied.
    """
    array = np.asarray(unmasked(name, values))
    if array.ndim == 0:
        # A number, or something that numpy does not take apart, such as a set or a sparse matrix.
        raise TypeError(f"{name} must be an array, not {type(values).__name__}")
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {array.ndim}")
    if array.size == 0:
        # Numpy makes an array of floats from an empty list.
        array = array.astype(np.uint32)
    if array.dtype.kind not in "iu":
        check_large(name, values)
        raise TypeError(f"{name} must be integers, not {array.dtype}")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype.itemsize == 8:
        # As unsigned integers, negative ones exceed MAX too, so one comparison is enough.
        if array.size > 0 and array.view(np.uint64).max() > MAX:
            check(name, array)
        array = array.astype(np.uint32)
    elif array.dtype.itemsize < 4:
        check(name, array)
        array = array.astype(np.uint32)
    return contiguous(array)


def unmasked(name: str, values: Any) -> Any:
    """Return the same values, or raise an error if some of them are masked."""
    if np.ma.is_masked(values):
        raise ValueError(f"{name} must not have masked entries")
    return values


def contiguous(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array itself, or a copy if it has gaps or is not aligned."""
    # Rust cannot read numbers that are not aligned, such as fields of packed records.
    return np.require(array, requirements=["C", "ALIGNED", "ENSUREARRAY"])


def states(name: str, values: Any, num_states: int) -> NDArray[Any]:
    """Return a sorted copy of a set of states of a model, without duplicates."""
    array = indices(name, values)
    check(name, array)
    if array.size > 0 and (largest := int(array.max())) >= num_states:
        count = f"{num_states} state" if num_states == 1 else f"{num_states} states"
        raise ModelError(f"{name} has state {largest}, but the graph has {count}")
    return np.unique(array)


def check(name: str, array: NDArray[Any]) -> None:
    """Raise an error if a number is negative or does not fit 32 bits."""
    for number in (int(array.min()), int(array.max())) if array.size > 0 else ():
        if not 0 <= number <= MAX:
            raise ValueError(f"{name} must be between 0 and {MAX}, not {number}")


def check_large(name: str, values: Any) -> None:
    """Raise an error if all values are integers and one of them is out of range.

    From lists with integers that do not fit 64 bits, numpy makes arrays of objects or of floats.
    """
    if isinstance(values, np.ndarray) and values.dtype != object:
        return
    numbers = np.asarray(values, dtype=object).tolist()
    is_integer = (isinstance(number, int | np.integer) for number in numbers)
    if all(is_integer):
        for number in numbers:
            if not 0 <= number <= MAX:
                raise ValueError(f"{name} must be between 0 and {MAX}, not {number}")


def check_offsets(
    choices: NDArray[Any], branches: NDArray[Any], targets: NDArray[Any]
) -> None:
    """Raise a ModelError that names the array, and the place in it, of a wrong offset."""
    rows = (
        ("choices", choices, "the number of choices: one less than branches has entries"),
        ("branches", branches, "the length of targets"),
    )
    for name, array, _ in rows:
        if array.size == 0:
            raise ModelError(f"{name} must not be empty: its first entry is 0")
    for (name, array, what), end in zip(rows, (branches.size - 1, targets.size), strict=True):
        if array[0] != 0:
            raise ModelError(f"{name} must begin with 0, not {array[0]}")
        descents = np.flatnonzero(array[1:] < array[:-1])
        if descents.size > 0:
            place = int(descents[0]) + 1
            descent = f"{name}[{place}] is {array[place]}, after {array[place - 1]}"
            raise ModelError(f"{name} must not descend: {descent}")
        if array[-1] != end:
            raise ModelError(f"{name} must end with {end}, {what}, not {array[-1]}")


def floats(name: str, values: Any, count: int) -> NDArray[np.float64]:
    """Return the values as a contiguous array of `count` doubles."""
    array = contiguous(np.ascontiguousarray(unmasked(name, values), dtype=np.float64))
    if array.shape != (count,):
        raise ValueError(f"{name} must have {count} values, not shape {array.shape}")
    return array


def signed(array: NDArray[Any]) -> NDArray[Any]:
    """Return the numbers in a type that scipy accepts for indices, without a copy if they fit."""
    if array.dtype == np.uint32:
        if array.size == 0 or int(array.max()) <= np.iinfo(np.int32).max:
            return array.view(np.int32)
        return array.astype(np.int64)
    return array

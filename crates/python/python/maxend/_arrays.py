"""Arrays in the form that a graph borrows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST = np.iinfo(np.uint32).max


def indices(name: str, values: Any) -> NDArray[Any]:
    """Integers of 32 bits, side by side: the array itself, if it is that already.

    A graph has 32-bit indices, so that an array of 64-bit integers is copied.
    """
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {array.ndim}")
    if array.size == 0 and not isinstance(values, np.ndarray):
        # An empty list has no integers, which numpy takes for floats.
        array = array.astype(np.uint32)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers, not {array.dtype}")
    if array.dtype.itemsize != 4:
        if array.size > 0:
            least, greatest = int(array.min()), int(array.max())
            if least < 0 or greatest > MOST:
                wrong = least if least < 0 else greatest
                raise ValueError(f"{name} must be between 0 and {MOST}, not {wrong}")
        array = array.astype(np.uint32)
    elif array.dtype == np.int32 and array.size > 0 and int(array.min()) < 0:
        raise ValueError(f"{name} must be at least 0, not {int(array.min())}")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return np.ascontiguousarray(array)


def floats(name: str, values: Any, count: int) -> NDArray[np.float64]:
    """So many doubles, side by side."""
    array = np.ascontiguousarray(values, dtype=np.float64)
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

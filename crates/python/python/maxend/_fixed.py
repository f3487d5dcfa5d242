"""Attributes and arrays of results, which cannot be changed: the package keeps using them."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NoReturn, TypeVar

from numpy.typing import NDArray

T = TypeVar("T")


class fixed_property(cached_property[T]):
    """A property that is computed when it is first used, is kept, and cannot be set."""

    def __set__(self, instance: object, value: object) -> NoReturn:
        raise AttributeError(
            f"attribute {self.attrname!r} of {type(instance).__name__!r} cannot be set"
        )


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view of an array that cannot be written to. The array itself stays as it is."""
    view = array.view()
    view.flags.writeable = False
    return view

"""`Unpicklable`: a base class for objects that cannot leave their process."""

from __future__ import annotations

from typing import NoReturn, Self


class Unpicklable:
    """The base class of objects that use memory of Rust, and so cannot be pickled."""

    def __copy__(self) -> Self:
        copy = type(self).__new__(type(self))
        copy.__dict__.update(self.__dict__)
        return copy

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"{type(self).__name__} cannot be pickled: pass the name of a file or arrays to other "
            "processes, and return arrays such as labels"
        )

"""The exceptions and warnings of the package."""

from __future__ import annotations

import sys
import warnings
from types import FrameType


class Error(Exception):
    """The base class of all exceptions of this package.

    Attributes
    ----------
    file : str or None
        The file that the error is in, if it is in a file.
    line, column : int or None
        The place in the file, counted from 1, if it is a text file.
    """

    def __init__(
        self,
        message: str,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(message)
        self.file = file
        self.line = line
        self.column = column

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (str(self), self.file, self.line, self.column)


class ModelError(Error, ValueError):
    """A model, a file or an array is wrong or too large."""


class DeviceError(Error, RuntimeError):
    """The requested GPU is missing, has failed, or cannot hold the model."""


class CertificateError(Error, RuntimeError):
    """The certificate of an answer was rejected: the answer is wrong."""


class ModelWarning(UserWarning):
    """A model was changed while it was read, for example by a self-loop added to a deadlock."""


def warn(message: str, category: type[Warning]) -> None:
    """Issue a warning that refers to the caller's line, outside of this package."""
    package, frame, level = __name__.partition(".")[0], sys._getframe(), 1
    while frame.f_back is not None and _package(frame) == package:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__")).partition(".")[0]

"""The exceptions and warnings of the package."""

from __future__ import annotations


class Error(Exception):
    """The base of all exceptions of this package.

    Attributes
    ----------
    file : str or None
        The file that is wrong, if it is one.
    line, column : int or None
        The place in that file, from 1, if it is a text.
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
    """A model or a file is wrong, or too large."""


class DeviceError(Error, RuntimeError):
    """The GPU that was asked for is missing, failed, or cannot hold the model."""


class CertificateError(Error, RuntimeError):
    """An answer is wrong: its certificate was rejected."""


class ModelWarning(UserWarning):
    """Something in a model was mended or left out, such as a deadlock or a probability of 0."""

"""Errors of checkpoints, which are Python's errors too."""

from __future__ import annotations

from inlay._src.base import errors


class MissingError(errors.NotFoundError, ValueError):
    """There is no such checkpoint, or it has no such value."""


class MismatchError(errors.InvalidArgumentError, ValueError):
    """A checkpoint's value does not fit the variable that it is for."""

"""The variables that a statement of converted code assigns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

State = tuple[Any, ...]


class Variables:
    """The variables of one statement.

    Args:
      names: what the program calls them.
      read: gives their values.
      write: takes their values.
    """

    __slots__ = ("_write", "names", "read")

    def __init__(self, names: Sequence[str], read: Callable[[], State], write: Callable[[State], None]) -> None:
        self.names, self.read, self._write = tuple(names), read, write

    def assign(self, values: Iterable[Any]) -> None:
        """Gives all of them a value."""
        self._write(tuple(values))

    @contextmanager
    def restored_on_error(self) -> Iterator[State]:
        """Their values before the block, which they get back if it fails: the program may catch the error and go on."""
        before = self.read()
        try:
            yield before
        except BaseException:
            self.assign(before)
            raise

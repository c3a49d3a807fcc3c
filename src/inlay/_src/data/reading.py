"""The contents of files as datasets: lines, records, blocks of bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import Declared
from inlay._src.base.files.ahead import reading_ahead
from inlay._src.base.files.opening import path_of, reading
from inlay._src.base.types import dtypes
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core.values import boxed
from inlay._src.data.element import Values
from inlay._src.data.graph_rows import CAPTURES, NUMBER, graph_form
from inlay._src.data.node import Cursor, Iteration, Node, unresumable
from inlay._src.data.stacking import Unread

F = TypeVar("F", bound="Callable[..., Reader]")


class Reader(Protocol):
    """An iterator over the strings of one file, which can continue at a place."""

    path: str

    @property
    def at(self) -> int:
        """Where the next string begins."""

    def __next__(self) -> bytes:
        """The next string; StopIteration at the end."""

    def seek(self, at: int) -> None:
        """Goes on at a place that `at` was."""

    def close(self) -> None:
        """Closes the file."""


class _Unopened:
    """Stands for a file that could not be opened until it is its turn.

    Args:
      error: the error of opening the file or of finding its name.
    """

    __slots__ = ("_error", "path")

    def __init__(self, error: BaseException) -> None:
        self._error, self.path = error, ""

    def __next__(self) -> bytes:
        raise self._error

    @property
    def at(self) -> int:
        """Has no place in a position."""
        raise unresumable("a dataset of files", f"one whose turn is next cannot be opened: {self._error}")

    def seek(self, at: int) -> None:
        """Nothing: there is no place."""

    def close(self) -> None:
        """Nothing: it is not open."""


FILE_READERS: dict[str, Callable[..., Reader]] = Declared("file_readers")
"""The functions that open files for `FilesNode`, by their names: graphs that are saved name them."""


def file_reader(function: F) -> F:
    """Declares a function that opens files for `FilesNode`."""
    FILE_READERS[function.__name__] = function
    return function


@graph_form("", CAPTURES, {"reader": object, "name": str, "together": NUMBER})
class FilesNode(Node):
    """The strings in files, one after the other.

    Args:
      paths: the dataset of their names.
      reader: makes the reader of a file from its name, what opens it, and the values of `tensors`.
      tensors: further arguments of `reader`.
      name: TensorFlow's name for it.
      together: the number of files read in rotation, a string of each, each on a thread; AUTOTUNE is one; None is one
        without a thread.
    """

    __slots__ = ("name", "reader", "together")

    def __init__(
        self, paths: Node, reader: Callable[..., Reader], tensors: Sequence[Any], name: str, together: int | None = None
    ) -> None:
        super().__init__(TensorSpec((), dtypes.string), (paths,), tensors)
        self.reader, self.name, self.together = reader, name, together

    def cursor(self, iteration: Iteration) -> Cursor:
        arguments = [value.item() if hasattr(value, "item") else value for value in iteration.values(self.tensors)]
        opened = reading if self.together is None else reading_ahead
        return FilesCursor(
            self.inputs[0].cursor(iteration),
            lambda path: self.reader(path, opened, *arguments),
            max(self.together or 1, 1),
        )


class FilesCursor(Cursor):
    """One iteration of `FilesNode`. Its position is that of the names, and the place in each open file.

    Where several files take turns, all are opened at once, so that threads may read them. One that fails is left when
    it is its turn: the next call goes on with the next file.
    """

    __slots__ = ("_open", "_readers", "ended", "turn")
    stacks = True
    saved = ("ended", "turn")

    def __init__(self, paths: Cursor, open: Callable[[str], Reader], together: int) -> None:
        super().__init__(paths)
        self._open = open
        self._readers: list[Reader | None] = [None] * together
        self.turn, self.ended = 0, False

    def __next__(self) -> Values:
        return [boxed(self._string())]

    def stacked(self, size: int) -> tuple[Values, int]:
        strings: list[bytes] = []
        try:
            while len(strings) < size:
                strings.append(self._string())
                if len(self._readers) == 1 and self._readers[0] is not None:
                    self._read(self._readers[0], strings, size)
        except StopIteration:
            pass
        except errors.PASS_THROUGH:
            raise
        except BaseException as error:
            raise Unread(len(strings), error) from None
        out = np.empty(len(strings), object)
        out[:] = strings
        return ([out] if strings else []), len(strings)

    def _read(self, reader: Reader, strings: list[bytes], size: int) -> None:
        """Adds strings of the only open file, until there are `size` or it ends."""
        try:
            while len(strings) < size:
                strings.append(next(reader))
        except BaseException as error:
            reader.close()
            self._readers[0] = None
            if not isinstance(error, StopIteration):
                raise

    def _string(self) -> bytes:
        readers = self._readers
        while True:
            at = self.turn
            if None in readers and not self.ended:
                self._fill()
            reader = readers[at]
            self.turn = (at + 1) % len(readers)
            if reader is None:
                if readers.count(None) == len(readers):
                    raise StopIteration
                continue
            try:
                return next(reader)
            except StopIteration:
                reader.close()
                readers[at] = None
            except BaseException:
                reader.close()
                readers[at] = None
                raise

    def _fill(self) -> None:
        """Opens the files whose turns are next."""
        count = len(self._readers)
        for at in [(self.turn + i) % count for i in range(count)]:
            if self._readers[at] is not None:
                continue
            try:
                (path,) = next(self.sources[0])
                self._readers[at] = self._open(path_of(path.item()))
            except StopIteration:
                self.ended = True
                return
            except BaseException as error:  # it belongs to the turn of this file
                self._readers[at] = _Unopened(error)

    def state(self) -> Any:
        return {**super().state(), "open": [None if r is None else [r.path, r.at] for r in self._readers]}

    def restore(self, state: Any) -> None:
        super().restore(state)
        self._close_all()
        for i, place in enumerate(state["open"]):
            if place is not None:
                reader = self._readers[i] = self._open(place[0])
                reader.seek(place[1])

    def close(self) -> None:
        self._close_all()
        super().close()

    def _close_all(self) -> None:
        for i, reader in enumerate(self._readers):
            if reader is not None:
                reader.close()
                self._readers[i] = None

"""Generated source: names that cannot collide, lines with their indentation, and what each line was written for.

    source = Source({"np": np})
    k = source.name("k", kernel)              # "k_0": a name for an object that the source uses
    with source.block("def run(x):"):
        source.mark(step)                     # what the following lines are for
        source.write(f"return {k}(np, x)")
    run = source.function("run", __file__)

Names count up per beginning, so that two sources of equal structure are equal text: they share one code object. They
end with an underscore and a number, which no local variable of a source does.

Debuggers and tracebacks show the lines: each text has a file name of its own, and the functions' globals a loader, from
which `linecache` reads it.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import CodeType
from typing import Any

from inlay._src.base.interpreter.caches import BoundedCache

_CODES: BoundedCache[tuple[str, str], CodeType] = BoundedCache("compiled sources", 512)
_NUMBERS = itertools.count(1)


class Loader:
    """The `__loader__` of generated functions: `linecache` asks it for their source."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def get_source(self, name: str) -> str:
        """The source, whatever the module is called."""
        return self.text


class Source:
    """A module's worth of source while it is written.

    Args:
      names: the objects that the source calls by fixed names.

    Attributes:
      names: every name that the source uses -> its object.
      lines: the lines.
      compiled: whether it had to be compiled: no source of equal text was met before.
    """

    __slots__ = ("_counts", "_depth", "_marked", "_marks", "_numbers", "compiled", "lines", "names")

    def __init__(self, names: Mapping[str, Any]) -> None:
        self.names: dict[str, Any] = dict(names)
        self.lines: list[str] = []
        self.compiled: bool = False
        self._depth = ""
        self._counts: dict[str, int] = {}
        self._numbers = 0
        self._marks: list[int] = []  # lines from which something else is written for
        self._marked: list[Any] = []

    def name(self, beginning: str, value: Any) -> str:
        """A new name for an object that the source uses."""
        count = self._counts.get(beginning, 0)
        self._counts[beginning] = count + 1
        unique = f"{beginning}_{count}"
        self.names[unique] = value
        return unique

    def numbers(self, count: int) -> int:
        """The first of so many numbers, one after the other, that were not given before: for local variables."""
        first = self._numbers
        self._numbers += count
        return first

    def write(self, *lines: str) -> None:
        """Adds lines at the current depth."""
        depth = self._depth
        self.lines += [depth + line for line in lines]

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Writes the head of a block; lines written inside the `with` are its body."""
        self.write(head)
        before, self._depth = self._depth, self._depth + " "
        try:
            yield
        finally:
            self._depth = before

    def mark(self, origin: Any) -> None:
        """Says what the following lines are written for; see `origin`."""
        self._marks.append(len(self.lines) + 1)
        self._marked.append(origin)

    @property
    def marked(self) -> Any:
        """The origin of the next line: the last `mark`."""
        return self._marked[-1]

    def origin(self, line: int) -> Any:
        """The origin of a line, counted from 1: the last `mark` before it."""
        return self._marked[bisect.bisect_right(self._marks, line) - 1]

    def code(self, file: str) -> CodeType:
        """The compiled source; a source met before is not compiled again.

        Args:
          file: its name in tracebacks, which a number follows.
        """
        text = "\n".join(self.lines)
        code = _CODES.get((file, text))
        if code is None:
            code = _CODES[file, text] = compile(text, f"{file} {next(_NUMBERS)}", "exec")
            self.compiled = True
        return code

    def function(self, name: str, file: str) -> Callable[..., Any]:
        """The function of this name that the source, called `file` in tracebacks, defines."""
        self.names |= {"__name__": __name__, "__loader__": Loader("\n".join(self.lines))}
        exec(self.code(file), self.names)
        return self.names[name]  # type: ignore[no-any-return]

"""The cost of each stage of a dataset during an iteration.

A measured iteration has a `Measured` between each stage and its reader; other iterations have none.

    waits for input    time in the stages that it reads
    waits for output   time until the next element was asked for
    in the function    time in the user's function, of all threads and workers together
    itself             time that its reader waited for it, less what it waited for input
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from inlay._src.data.element import Element, Values
from inlay._src.data.iterating import OwnedIterator
from inlay._src.data.node import Cursor, Node
from inlay._src.data.options import Options

_COLUMNS = ("stage", "elements", "elements/s", "itself", "waits for input", "waits for output", "in the function")


class Stage:
    """The measurements of one stage.

    Attributes:
      name: of the transformation.
      elements: the number of elements it has produced.
      inside: seconds that its readers waited for it.
      input: seconds of these in which it waited for what it reads.
      output: seconds between an element and the request for the next one.
      parallel: seconds in the user's function, where several elements are worked on at once.
      how: the name of the execution strategy, if the stage has one.
    """

    output: float
    input: float
    inside: float
    depth: int
    name: str

    def __init__(self, name: str, depth: int) -> None:
        self.name, self.depth = name, depth
        self.elements = 0
        self.inside = self.input = self.output = 0.0
        self.parallel: float | None = None  # seconds in the function, where several elements are worked on at once
        self.how: Any = ""

    @property
    def itself(self) -> float:
        """Seconds that its reader waited for it alone."""
        return max(0.0, self.inside - self.input)

    @property
    def function(self) -> float | None:
        """Seconds in the user's function; None if there is none."""
        if self.parallel is None and self.name in ("Map", "Filter", "FlatMap"):
            return self.itself
        return self.parallel

    def observe(self, cursor: Any, before: float) -> float:
        """Records the time and the execution strategy that a cursor with several elements in flight reports.

        Args:
          cursor: the cursor.
          before: the last reported seconds in the function.

        Returns:
          The seconds in the function that it reports now.
        """
        seconds: float = cursor.seconds
        self.parallel = (self.parallel or 0.0) + seconds - before
        self.how = cursor.how
        return seconds


class Measured(Cursor):
    """A cursor that is measured."""

    __slots__ = ("_above", "_asked", "_stage", "_tells", "_told")
    shown = False

    def __init__(self, cursor: Cursor, stage: Stage, above: Stage | None) -> None:
        super().__init__(cursor)
        self._stage, self._above = stage, above
        self._asked = self._told = 0.0
        self._tells = hasattr(cursor, "how")

    def __next__(self) -> Values:
        stage = self._stage
        begin = time.perf_counter()
        if self._asked:
            stage.output += begin - self._asked
        try:
            values = next(self.sources[0])
            stage.elements += 1
            return values
        finally:
            end = self._asked = time.perf_counter()
            stage.inside += end - begin
            if self._above is not None:
                self._above.input += end - begin
            if self._tells:
                self._told = stage.observe(self.sources[0], self._told)

    def state(self) -> Any:
        return self.sources[0].state()

    def restore(self, state: Any) -> None:
        self.sources[0].restore(state)


class Stats:
    """The elements of a dataset, measured while they are iterated: `stats = ds.stats()`, `for x in stats: ...`.

    Printed, it is a table with a line for each stage, the last one first, and names the bottleneck: the stage that the
    others wait for most.

    Args:
      node: the dataset's.
      options: its execution.
    """

    def __init__(self, node: Node, options: Options) -> None:
        self._node, self._options = node, options
        self._stages: dict[int, Stage] = {}
        self._above: dict[int, Stage] = {}
        self._list(node, None)

    def _list(self, node: Node, above: Stage | None) -> None:
        stage = Stage(node.name.lstrip("_").removesuffix("Dataset"), 0 if above is None else above.depth + 1)
        self._stages[id(node)] = stage
        if above is not None:
            self._above[id(node)] = above
        for source in node.inputs:
            self._list(source, stage)

    @property
    def stages(self) -> list[Stage]:
        """The measurements, the last stage first."""
        return list(self._stages.values())

    @property
    def bottleneck(self) -> Stage:
        """The stage that the others wait for most."""
        return max(self.stages, key=lambda stage: stage.itself)

    def __iter__(self) -> Iterator[Any]:
        """Iterates the dataset once; figures add up over several times."""
        return OwnedIterator(self._node, self._options, Element.pack, self.measured)

    def measured(self, node: Node, cursor: Cursor) -> Cursor:
        """A new cursor of a stage, measured."""
        stage = self._stages.get(id(node))
        if stage is None:  # of a dataset that an element brings along
            return cursor
        return Measured(cursor, stage, self._above.get(id(node)))

    def __str__(self) -> str:
        lines = [list(_COLUMNS), *(_line(stage) for stage in self.stages)]
        widths = [max(len(line[i]) for line in lines) for i in range(len(_COLUMNS))]
        text = [
            "  ".join([line[0].ljust(widths[0]), *(v.rjust(w) for v, w in zip(line[1:], widths[1:], strict=True))])
            for line in lines
        ]
        worst = self.bottleneck
        if worst.inside:
            share = worst.itself / max(sum(stage.itself for stage in self.stages), 1e-9)
            text.append(f"bottleneck: {worst.name}, {share:.0%} of the time that stages waited for one another")
        text += [f"{stage.name}: {stage.how}" for stage in self.stages if stage.how]
        return "\n".join(line.rstrip() for line in text)

    __repr__ = __str__


def _line(stage: Stage) -> list[str]:
    rate = f"{stage.elements / stage.inside:,.0f}" if stage.inside and stage.elements else "-"
    function = stage.function
    return [
        "  " * stage.depth + stage.name,
        f"{stage.elements:,}",
        rate,
        _seconds(stage.itself),
        _seconds(stage.input),
        _seconds(stage.output),
        "-" if function is None else _seconds(function),
    ]


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f} s"

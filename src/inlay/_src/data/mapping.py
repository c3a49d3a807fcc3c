"""`map`: a function of each element. Maps in a row run as one plan, before a batch for all its elements at once.

If an iteration is measured (`Iteration.watch`), the maps run one by one, so that each is seen by itself. Positions are
the same either way, and so are errors, and the random numbers of each element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

from inlay._src.base import errors
from inlay._src.data.element import Values
from inlay._src.data.failures import Blame
from inlay._src.data.fusing import Chain, StackedFunctions, can_be_one, rows_of_functions
from inlay._src.data.graph_rows import CAPTURES, graph_form
from inlay._src.data.mapped import Mapped
from inlay._src.data.node import Cursor, Iteration, Node
from inlay._src.data.numbering import Numbers
from inlay._src.data.stacking import Stack
from inlay._src.engine.run.lowering.joined import StepFailed


@graph_form("MapDataset", CAPTURES, {"mapped": Mapped}, functions=("f",), caches={"_all": lambda: None, "_rows": list})
class MapNode(Node):
    """A function of each element."""

    __slots__ = ("_all", "_rows", "mapped")
    name = "_MapDataset"
    maps = True

    def __init__(self, source: Node, mapped: Mapped) -> None:
        super().__init__(mapped.element, (source,), mapped.captures)
        self.mapped: Mapped = mapped
        self._all: tuple[list[MapNode], Chain | None] | None = None  # what runs as one, once it was looked for
        self._rows: list[StackedFunctions | None] = []  # what runs on stacked elements, likewise

    def cursor(self, iteration: Iteration) -> Cursor:
        maps, chain = ([self], None) if iteration.watch is not None else self._as_one()
        source = maps[0].inputs[0].cursor(iteration)
        if chain is None:
            cursor = MapCursor(source, ElementFunction.of(self, self.mapped, iteration, errors.InvalidArgumentError))
        else:
            blames = [Blame(node, iteration, node.mapped.label, errors.InvalidArgumentError) for node in maps]
            numbers = [node.mapped.numbers(node, iteration) for node in maps]
            cursor = ChainCursor(source, chain, iteration, blames, numbers)
        if iteration.watch is None:
            cursor.opens_rows = lambda: self._opened_rows(maps, iteration)
        return cursor

    def _as_one(self) -> tuple[list[MapNode], Chain | None]:
        """This map and those that it reads from, the first one first, and their functions as one; or this map alone."""
        if self._all is None:
            maps = [self]
            while isinstance(below := maps[0].inputs[0], MapNode):
                if not can_be_one([below.mapped, *(node.mapped for node in maps)]):
                    break
                maps.insert(0, below)
            self._all = maps, Chain([node.mapped for node in maps]) if len(maps) > 1 else None
        return self._all

    def _opened_rows(self, maps: Sequence[MapNode], iteration: Iteration) -> OpenedRows | None:
        if not self._rows:
            self._rows = [rows_of_functions([node.mapped for node in maps])]
        (rows,) = self._rows
        run = None if rows is None else rows.opened(iteration)
        return None if run is None else (Stack(maps[0].inputs[0].element), run)

    def cardinality(self, iteration: Iteration) -> int:
        return self.inputs[0].cardinality(iteration)


class ElementFunction(NamedTuple):
    """A function of elements in one iteration.

    Attributes:
      run: the function of values and of the element's number.
      blame: words its failures.
      numbers: the numbers of the elements.
    """

    run: Callable[..., Values]
    blame: Blame
    numbers: Numbers

    @classmethod
    def of(
        cls, node: Node, mapped: Mapped, iteration: Iteration, ended: type[errors.OpError] = errors.InternalError
    ) -> ElementFunction:
        """The function of a node; `ended` is as for `Blame`."""
        blame = Blame(node, iteration, mapped.label, ended)
        return cls(mapped.opened(iteration), blame, mapped.numbers(node, iteration))


class MapCursor(Cursor):
    """One iteration of a stage that runs a function on each element.

    Args:
      source: the cursor of what is read.
      function: the function.

    Attributes:
      first: the number of the first element.
      index: that of the next one.
      opens_rows: gives what stacks elements and runs the function on them, or None if it must be called for each.
    """

    __slots__ = ("_blame", "_numbers", "_rows", "_run", "first", "index", "opens_rows")
    saved: ClassVar[tuple[str, ...]] = ("first", "index")

    def __init__(self, source: Cursor, function: ElementFunction) -> None:
        super().__init__(source)
        self._run, self._blame, self._numbers = function
        self.first = self.index = function.numbers.first
        self.opens_rows: Callable[[], OpenedRows | None] | None = None
        self._rows: OpenedRows | None = None

    def __next__(self) -> Values:
        return self.applied(next(self.sources[0]))

    def applied(self, values: Values) -> Values:
        """The result of the function for the values that were just read.

        Raises:
          OpError: that says which element it is.
        """
        index = self.index
        self.index = index + 1
        try:
            return self._run(values, index)
        except errors.PASS_THROUGH:
            raise
        except BaseException as error:
            raised = self._raised(error, index)
            try:
                raise raised from raised.__cause__
            finally:
                del raised  # its traceback has this frame

    def _raised(self, error: BaseException, index: int) -> BaseException:
        """The exception as the user sees it."""
        return self._blame(error, index - self.first, self)

    def close(self) -> None:
        self._numbers.close(self.index)
        super().close()

    @property
    def stacks(self) -> bool:  # type: ignore[override]
        if self.opens_rows is not None:
            self._rows, self.opens_rows = self.opens_rows(), None
        return self._rows is not None

    def stacked(self, size: int) -> tuple[Values, int]:
        assert self._rows is not None
        (stack, run), source = self._rows, self.sources[0]
        if source.stacks:
            values, count = source.stacked(size)
            self.index += count
        else:
            values, count = stack.filled(self._read(), size)
        return (run(values, count) if count else []), count

    def _read(self) -> Iterator[Values]:
        for values in self.sources[0]:
            self.index += 1
            yield values


class ChainCursor(MapCursor):
    """One iteration of several maps in a row. Its position is that of a cursor for each.

    Args:
      source: the cursor of what the first one reads.
      chain: their functions.
      iteration: the iteration.
      blames: words the failures of each.
      numbers: those of the elements of each.
    """

    __slots__ = ("_all_numbers", "_behind", "_blames", "_firsts")

    def __init__(
        self, source: Cursor, chain: Chain, iteration: Iteration, blames: Sequence[Blame], numbers: Sequence[Numbers]
    ) -> None:
        self._firsts = [own.first for own in numbers]
        self._behind = [-first for first in self._firsts]  # for each, what `index` is above the number of its element
        super().__init__(source, ElementFunction(chain.opened(iteration, self._behind), blames[-1], Numbers()))
        self._blames, self._all_numbers = blames, numbers

    @property
    def names(self) -> list[str]:
        return ["Map"] * len(self._blames)

    def _raised(self, error: BaseException, index: int) -> BaseException:
        if not isinstance(error, StepFailed):
            return super()._raised(error, index)
        part, behind = error.part, self._behind
        raised = self._blames[part](error.error, index - behind[part] - self._firsts[part], self, part)
        behind[part + 1 :] = [count + 1 for count in behind[part + 1 :]]
        return raised

    def state(self) -> Any:
        (state,) = [source.state() for source in self.sources]
        for first, behind in zip(self._firsts, self._behind, strict=True):
            state = {"first": first, "index": self.index - behind, "sources": [state]}
        return state

    def restore(self, state: Any) -> None:
        read: list[tuple[int, int]] = []
        for _ in self._behind:
            read.insert(0, (int(state["first"]), int(state["index"])))
            (state,) = state["sources"]
        self._firsts[:] = [first for first, _ in read]
        self.index = read[0][1] - read[0][0]
        self._behind[:] = [self.index - number for _, number in read]
        self.sources[0].restore(state)

    def close(self) -> None:
        for numbers, behind in zip(self._all_numbers, self._behind, strict=True):
            numbers.close(self.index - behind)
        super().close()


OpenedRows = tuple[Stack, Callable[[Values, int], Values]]
"""The stack of the elements that are read, and the function of it; see `StackedFunctions`."""

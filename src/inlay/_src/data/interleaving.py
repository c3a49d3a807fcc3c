"""`interleave`: elements of several datasets in turn, which a function makes of each element."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.base import errors
from inlay._src.data.element import Values
from inlay._src.data.flattening import datasets_of
from inlay._src.data.graph_rows import CAPTURES, FLAG, graph_form
from inlay._src.data.mapped import Mapped
from inlay._src.data.mapping import ElementFunction
from inlay._src.data.node import INFINITE, UNKNOWN, Cursor, Iteration, Node, unresumable
from inlay._src.data.prefetching import PrefetchCursor
from inlay._src.data.sizes import size_tensor
from inlay._src.data.ways import AUTOTUNE, positive_calls

AUTOMATIC_CYCLE = 10
"""The limit on the datasets in rotation if `cycle_length` is not given; on fewer cores it is their number."""


@graph_form(
    "InterleaveDataset",
    CAPTURES,
    {"mapped": Mapped, "ordered": FLAG, "parallel": bool},
    functions=("f",),
    same=lambda node: not node.parallel,
    read=lambda m: InterleaveNode(m.inputs[0], m.function_of_datasets(2), *m.tensors[-2:]),
)
class InterleaveNode(Node):
    """Elements of several datasets in turn.

    Raises:
      TypeError: if the function gives something else.
    """

    __slots__ = ("mapped", "ordered", "parallel")

    def __init__(
        self, source: Node, mapped: Mapped, cycle: Any, block: Any, calls: Any = None, ordered: bool | None = None
    ) -> None:
        numbers = (cycle, block) if calls is None else (cycle, block, calls)
        super().__init__(datasets_of(mapped, "interleave"), (source,), (*mapped.captures, *numbers))
        self.mapped, self.ordered, self.parallel = mapped, ordered, calls is not None

    @property
    def name(self) -> str:  # type: ignore[override]
        return "_ParallelInterleaveDataset" if self.parallel else "_InterleaveDataset"

    def check(self, iteration: Iteration) -> None:
        self._numbers(iteration)

    def cardinality(self, iteration: Iteration) -> int:
        endless = self.parallel and self.inputs[0].cardinality(iteration) == INFINITE
        return INFINITE if endless else UNKNOWN

    def _numbers(self, iteration: Iteration) -> tuple[int, int, int]:
        """The number of datasets in rotation, of consecutive elements from each, and of datasets read concurrently.

        Raises:
          InvalidArgumentError: if a number is not positive.
        """
        numbers = [*map(iteration.number, self.tensors[len(self.mapped.captures) :])]
        cycle, block = numbers[:2]
        for name, value in (("cycle_length", cycle), ("block_length", block)):
            if value < 1:
                raise errors.InvalidArgumentError(None, None, f"{name} must be greater than zero, got {value}.")
        if not self.parallel:
            return cycle, block, 0
        return cycle, block, min(cycle, cycle if numbers[2] == AUTOTUNE else positive_calls(numbers[2], iteration))

    def cursor(self, iteration: Iteration) -> Cursor:
        cycle, block, at_once = self._numbers(iteration)
        ordered = iteration.options.ordered if self.ordered is None else self.ordered
        function = ElementFunction.of(self, self.mapped, iteration)
        return InterleaveCursor(self.inputs[0].cursor(iteration), function, cycle, block, at_once, ordered)


class _Turn:
    """A dataset in the cycle.

    Attributes:
      values: the element that it was made of.
      number: that of the element.
      inner: its iteration.
      produced: the number of elements produced in this turn.
    """

    __slots__ = ("inner", "number", "produced", "values")

    def __init__(self, values: Values, inner: Cursor, number: int = 0) -> None:
        self.values, self.inner, self.number, self.produced = values, inner, number, 0


class _Failed(Cursor):
    """A dataset that could not be created: it raises the error when it is its turn, and has no elements."""

    __slots__ = ("_error",)

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self._error: BaseException | None = error

    def __next__(self) -> Values:
        error, self._error = self._error, None
        if error is None:
            raise StopIteration
        raise error

    def state(self) -> Any:
        raise unresumable("Dataset.interleave", f"a dataset whose turn is next could not be made: {self._error}")


class InterleaveCursor(Cursor):
    """One iteration of `InterleaveNode`. Its position is the elements in the cycle and where their datasets stand.

    Args:
      source: the cursor of what is mapped.
      function: returns the dataset of an element.
      cycle, block: see `InterleaveNode`.
      at_once: the number of datasets read ahead; 0 reads none.
      ordered: whether each waits for its turn.
    """

    __slots__ = (
        "_at", "_at_once", "_blame", "_block", "_ended", "_make", "_numbers", "_ordered", "_slots", "first", "index",
    )  # fmt: skip
    saved = ("first", "index")

    def __init__(
        self, source: Cursor, function: ElementFunction, cycle: int, block: int, at_once: int, ordered: bool
    ) -> None:
        super().__init__(source)
        self._make, self._blame, self._numbers = function
        self._block, self._at_once, self._ordered = block, at_once, ordered
        self._slots: list[_Turn | None] = [None] * cycle
        self._at = 0
        self.first = self.index = function.numbers.first
        self._ended = False

    def __next__(self) -> Values:
        while True:
            turn = self._slots[self._at]
            if turn is None:
                self._fill()
                turn = self._slots[self._at]
            if turn is None:
                if not any(self._slots):
                    raise StopIteration
                self._next_turn()
                continue
            try:
                values = next(turn.inner)
            except StopIteration:
                turn.inner.close()
                self._slots[self._at] = None
                self._next_turn()
                continue
            except Exception:
                if self._at_once:  # one that fails counts, as in TensorFlow, where several are read at once
                    self._count(turn)
                raise
            self._count(turn)
            return values

    def _count(self, turn: _Turn) -> None:
        """The dataset whose turn it is gave an element."""
        turn.produced += 1
        if turn.produced == self._block:
            turn.produced = 0
            self._next_turn()

    def _next_turn(self) -> None:
        self._at = (self._at + 1) % len(self._slots)
        if not self._ordered:  # who has an element ready goes first
            count = len(self._slots)
            order = [(self._at + i) % count for i in range(count)]
            self._at = next((i for i in order if _is_ready(self._slots[i])), self._at)

    def _fill(self) -> None:
        """Opens datasets: that of the place whose turn it is, and those that are read ahead."""
        wanted = [self._at]
        if self._at_once:
            count = len(self._slots)
            wanted = [(self._at + i) % count for i in range(count)]
        for i in wanted:
            if self._slots[i] is None and not self._ended:
                try:
                    values = next(self.sources[0])
                    turn = self._opened(values)
                except StopIteration:
                    self._ended = True
                    return
                except errors.PASS_THROUGH:
                    raise
                except BaseException as error:
                    if not self._at_once:
                        raise
                    turn = _Turn([], _Failed(error))  # it takes its turn
                self._slots[i] = turn
                if isinstance(turn.inner, PrefetchCursor):
                    turn.inner.begin()

    def _opened(self, values: Values, ahead: bool | None = None) -> _Turn:
        """The dataset of an element.

        Args:
          values: the element's.
          ahead: whether it is read ahead; None reads only the first dataset ahead.
        """
        index, self.index = self.index, self.index + 1
        try:
            (bound,) = self._make(values, index)
            inner: Cursor = bound.node.cursor(bound.iteration)
        except errors.PASS_THROUGH:
            raise
        except BaseException as error:
            raised = self._blame(error, index - self.first, self)
            raise raised from raised.__cause__
        if ahead is None:
            reading = sum(1 for turn in self._slots if turn is not None and turn.inner.__class__ is PrefetchCursor)
            ahead = reading < self._at_once
        return _Turn(values, PrefetchCursor(inner, self._block + 1) if ahead else inner, index)

    # ---- position, end

    def state(self) -> Any:
        turns = [
            None
            if t is None
            else {
                "element": t.values,
                "number": t.number,
                "given": t.produced,
                "ahead": t.inner.__class__ is PrefetchCursor,
                "at": t.inner.state(),
            }
            for t in self._slots
        ]
        return {**super().state(), "turns": turns, "at": self._at, "ended": self._ended}

    def restore(self, state: Any) -> None:
        super().restore(state)
        self._at, self._ended = int(state["at"]), bool(state["ended"])
        for i, turn in enumerate(state["turns"]):
            if turn is not None:
                self.index = int(turn["number"])  # the element is read again
                opened = self._slots[i] = self._opened(list(turn["element"]), turn["ahead"])
                opened.inner.restore(turn["at"])
                opened.produced = int(turn["given"])
        self.index = int(state["index"])

    def close(self) -> None:
        self._numbers.close(self.index)
        super().close()

    def below(self) -> Sequence[Cursor]:
        return [*(turn.inner for turn in self._slots if turn is not None), *self.sources]


def _is_ready(turn: _Turn | None) -> bool:
    return turn is not None and isinstance(turn.inner, PrefetchCursor) and turn.inner.ready


def interleave(
    source: Node,
    map_func: Callable[..., Any],
    cycle_length: Any = None,
    block_length: Any = None,
    num_parallel_calls: Any = None,
    deterministic: bool | None = None,
    name: str | None = None,
) -> Node:
    """Interleaves the datasets that a function returns for the elements.

    Args:
      map_func: takes an element as the function of `map` does; returns a dataset.
      cycle_length: the number of datasets in rotation; None takes `num_parallel_calls` if that is a number, else
        the number of cores, at most 10.
      block_length: the number of consecutive elements from each; None is 1.
      num_parallel_calls: the number of datasets read concurrently, each on a thread; AUTOTUNE reads all in rotation.
      deterministic: whether concurrent reads keep the order; None takes the option of that name.

    Raises:
      TypeError: if the function returns something else.
      InvalidArgumentError: if a length or `num_parallel_calls` is not positive.
    """
    if cycle_length is None or (isinstance(cycle_length, int) and cycle_length == AUTOTUNE):
        number = isinstance(num_parallel_calls, int) and num_parallel_calls != AUTOTUNE
        cycle_length = num_parallel_calls if number else min(os.cpu_count() or 1, AUTOMATIC_CYCLE)
    mapped = Mapped(map_func, source.element, "Dataset.interleave()")
    block = size_tensor(1 if block_length is None else block_length, "block_length")
    calls = None if num_parallel_calls is None else size_tensor(num_parallel_calls, "num_parallel_calls")
    return InterleaveNode(source, mapped, size_tensor(cycle_length, "cycle_length"), block, calls, deterministic)

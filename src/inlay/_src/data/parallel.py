"""`map` with several elements in flight.

    source ──take──▶ window of works ──in order, or as they come──▶ results
                     at most `most` of them, so memory is bounded

The caller that asks for the next element reads, sends and receives elements; no thread belongs to a stage that is not
read. Where there is no room in the window nothing is read: a slow stage applies backpressure to the stages before it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

from inlay._src.base import errors
from inlay._src.base.tuning import TUNING
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.data.batching import BatchNode
from inlay._src.data.element import Values
from inlay._src.data.failures import Blame
from inlay._src.data.graph_rows import CAPTURES, FLAG, graph_form
from inlay._src.data.mapped import Mapped
from inlay._src.data.mapping import MapNode
from inlay._src.data.node import Cursor, Iteration, Node
from inlay._src.data.numbering import Numbers
from inlay._src.data.sizes import size_tensor
from inlay._src.data.stacked import StackedRowsNode, with_count
from inlay._src.data.ways import AUTOTUNE, Placing, positive_calls
from inlay._src.data.working import Failure, Way, Work


def _read_parallel_map(message: Any) -> Node:
    mapped, ordered = message.function(1), {"true": True, "false": False}.get(message.node.attrs["deterministic"])
    return ParallelMapNode(message.inputs[0], mapped, message.tensors[-1], ordered, Placing(None, mapped, "map"))


@graph_form(
    "ParallelMapDatasetV2",
    CAPTURES,
    {"mapped": Mapped, "ordered": FLAG, "placing": Placing},
    functions=("f",),
    read=_read_parallel_map,
)
class ParallelMapNode(Node):
    """A function of each element, of several elements at a time."""

    __slots__ = ("mapped", "ordered", "placing")
    name = "_ParallelMapDataset"
    maps = True

    def __init__(self, source: Node, mapped: Mapped, calls: Any, ordered: bool | None, placing: Placing) -> None:
        super().__init__(mapped.element, (source,), (*mapped.captures, calls))
        self.mapped, self.ordered, self.placing = mapped, ordered, placing

    def check(self, iteration: Iteration) -> None:
        positive_calls(iteration.number(self.tensors[-1]), iteration)

    def cursor(self, iteration: Iteration) -> Cursor:
        calls = iteration.number(self.tensors[-1])
        way = self.placing.way(iteration, calls)
        ordered = iteration.options.ordered if self.ordered is None else self.ordered
        blame = Blame(self, iteration, self.mapped.label, errors.InvalidArgumentError)
        numbers = self.mapped.numbers(self, iteration)
        return ParallelMapCursor(self.inputs[0].cursor(iteration), way, ordered, blame, numbers)

    def cardinality(self, iteration: Iteration) -> int:
        return self.inputs[0].cardinality(iteration)


class ParallelMapCursor(Cursor):
    """One iteration of `ParallelMapNode`. Its position has the elements that were read and not given yet."""

    __slots__ = (
        "_again", "_blame", "_done", "_ended", "_gathered", "_landed", "_numbers", "_ordered", "_ready", "_stopped",
        "_way", "_window", "first", "index", "seconds",
    )  # fmt: skip
    saved = ("first", "index")

    def __init__(
        self, source: Cursor, way: Way, ordered: bool, blame: Callable[..., BaseException], numbers: Numbers
    ) -> None:
        super().__init__(source)
        self._way, self._ordered, self._blame, self._numbers = way, ordered, blame, numbers
        self.first = self.index = numbers.first  # the number of the first element, and of the next one that is read
        self._again: deque[tuple[int, Values]] = deque()  # read before the position was saved
        self._gathered: list[tuple[int, Values]] = []  # for the work that begins next
        self._window: deque[Work] = deque()
        self._done: deque[Work] = deque()  # over, where the order does not matter
        self._landed: SimpleQueue[Work | None] = SimpleQueue()
        self._ready: deque[tuple[int, Values, Any]] = deque()  # (index, element, result)
        self._ended = self._stopped = False
        self.seconds: float = 0.0  # in the function

    @property
    def how(self) -> str:
        """A description of where the function runs."""
        return self._way.label

    def __next__(self) -> Values:
        ready = self._ready
        while not ready:
            self._fill()
            if not self._window:
                raise StopIteration
            work = self._next_over()
            ready.extend(
                zip(range(work.first, work.first + len(work.elements)), work.elements, work.results, strict=True)
            )
            work.elements, work.results = (), []  # its future may be there for longer
        index, _, result = ready.popleft()
        if result.__class__ is not Failure:
            return result  # type: ignore[no-any-return]
        raise self._raised(index, result)

    def _raised(self, index: int, failure: Failure) -> BaseException:
        error = failure.error
        if isinstance(error, _Upstream):
            return error.error
        return self._blame(error, index - self.first, self)

    # ---- reading

    def _fill(self) -> None:
        """Begins works while there is room."""
        way = self._way
        while len(self._window) < way.most and not self._stopped:
            failure = self._gather(way.size)
            if self._gathered:
                gathered, self._gathered = self._gathered, []
                work = Work(gathered[0][0], [values for _, values in gathered])
                self._window.append(work)
                way.begin(work, self._landed)
                if work.over:
                    self._over(work)
            if failure is not None:
                work = Work(self.index, [[]], [Failure(_Upstream(failure))])
                self.index += 1
                self._window.append(work)
                self._over(work)
            elif self._ended:
                return

    def _gather(self, size: int) -> BaseException | None:
        """Reads elements for one work, and returns the error of an element that cannot be read."""
        gathered, source = self._gathered, self.sources[0]
        latest = time.perf_counter() + TUNING.gathering_seconds if size > 1 else 0.0
        while len(gathered) < size and not self._ended:
            if self._again:
                if gathered and self._again[0][0] != gathered[-1][0] + 1:
                    return None
                gathered.append(self._again.popleft())
                continue
            try:
                gathered.append((self.index, next(source)))
                self.index += 1
            except StopIteration:
                self._ended = True
            except errors.PASS_THROUGH:
                raise
            except BaseException as error:
                return error
            if size > 1 and time.perf_counter() > latest:
                break
        return None

    # ---- waiting

    def _next_over(self) -> Work:
        """The next work whose results are given."""
        window = self._window
        if self._ordered:
            while not window[0].over:
                self._wait()
            return window.popleft()
        while not self._done:
            self._wait()
        work = self._done.popleft()
        window.remove(work)
        return work

    def _wait(self) -> None:
        work = self._landed.get()
        if work is None or self._stopped:
            raise errors.CancelledError(None, None, "this iteration was ended while an element was awaited")
        self._way.end(work, self._landed)
        if work.over:
            self._over(work)

    def _over(self, work: Work) -> None:
        self.seconds += work.seconds
        if not self._ordered:
            self._done.append(work)

    # ---- position, end

    def state(self) -> Any:
        """See `Cursor.state`. Elements in flight are computed again after the position is restored."""
        read = [(index, values, result) for index, values, result in self._ready]
        for work in self._window:
            results = work.results if work.over else [None] * len(work.elements)
            read += zip(range(work.first, work.first + len(work.elements)), work.elements, results, strict=True)
        read += [(index, values, None) for index, values in self._gathered]
        waiting = [
            [index, values]
            for index, values, result in read
            if not (isinstance(result, Failure) and isinstance(result.error, _Upstream))
        ]
        waiting += [[index, values] for index, values in self._again]
        return {**super().state(), "waiting": waiting}

    def restore(self, state: Any) -> None:
        super().restore(state)
        self._again.extend((int(index), list(values)) for index, values in state["waiting"])

    def stop(self) -> None:
        self._stopped = True
        self._landed.put(None)
        super().stop()

    def close(self) -> None:
        self._stopped = True
        self._numbers.close(self.index)
        works = list(self._window)
        self._way.cancel(works)
        self._way.close()
        super().close()


class _Upstream(Exception):
    """An element could not be read."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error


def map_(
    source: Node,
    map_func: Callable[..., Any],
    num_parallel_calls: Any = None,
    deterministic: bool | None = None,
    synchronous: bool | None = None,
    use_unbounded_threadpool: bool = False,
    name: str | None = None,
    *,
    executor: Any = None,
    batch: int | None = None,
) -> Node:
    """The node of `Dataset.map`, whose arguments it takes."""
    elements = source
    if batch is not None:
        source = BatchNode(source, size_tensor(batch, "batch"), convert_to_tensor(False), None)
    state = context.current()
    with context.using(state if executor is None else state.replace(executor=None)):  # it goes there as a whole
        mapped = Mapped(map_func, source.element, "Dataset.map()", None if batch is None else with_count)
    results: Node
    if synchronous or (num_parallel_calls is None and executor is None):
        results = MapNode(source, mapped)
    else:
        calls = size_tensor(AUTOTUNE if num_parallel_calls is None else num_parallel_calls, "num_parallel_calls")
        results = ParallelMapNode(source, mapped, calls, deterministic, Placing(executor, mapped, "Dataset.map()"))
    return results if batch is None else StackedRowsNode(results, elements, mapped.label)


def map_with_legacy_function(
    source: Node,
    map_func: Callable[..., Any],
    num_parallel_calls: Any = None,
    deterministic: bool | None = None,
    use_unbounded_threadpool: bool = False,
) -> Node:
    """The same as `map`.

    Args:
      map_func, num_parallel_calls, deterministic, use_unbounded_threadpool: see `map`.
    """
    return map_(source, map_func, num_parallel_calls, deterministic)

"""`map` with several elements in flight.

    source ──take──▶ window of works ──in order, or as they come──▶ results
                     at most `most` of them, so memory is bounded

Maps in a row that one executor runs elsewhere are one stage: an element travels there and back once.

The caller that asks for the next element reads, sends and receives elements; no thread belongs to a stage that is not
read. Where there is no room in the window nothing is read: a slow stage applies backpressure to the stages before it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from itertools import repeat
from queue import SimpleQueue
from typing import Any, NamedTuple

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
from inlay._src.engine.run.lowering.joined import StepFailed


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
        nodes = self._joined(iteration)
        calls = [iteration.number(node.tensors[-1]) for node in nodes]
        if len(nodes) == 1:
            way = self.placing.way(iteration, *calls)
        else:
            way = self.placing.joined_way([node.placing for node in nodes[:-1]], iteration, calls)
        ordered = all(iteration.options.ordered if node.ordered is None else node.ordered for node in nodes)
        blames = [Blame(node, iteration, node.mapped.label, errors.InvalidArgumentError) for node in nodes]
        numbers = [node.mapped.numbers(node, iteration) for node in nodes]
        return ParallelMapCursor(nodes[0].inputs[0].cursor(iteration), way, ordered, blames, numbers)

    def _joined(self, iteration: Iteration) -> list[ParallelMapNode]:
        """This stage and those below it that run as one with it, the first one first."""
        nodes = [self]
        while iteration.watch is None and isinstance(below := nodes[0].inputs[0], ParallelMapNode):
            calls = [iteration.number(node.tensors[-1]) for node in (below, self)]
            if not self.placing.joins(below.placing, iteration, calls):
                break
            nodes.insert(0, below)
        return nodes

    def cardinality(self, iteration: Iteration) -> int:
        return self.inputs[0].cardinality(iteration)


class ParallelMapCursor(Cursor):
    """One iteration of `ParallelMapNode`, or of several in a row that run as one.

    Its position is that of a cursor for each, with the elements that were read and not given yet.

    Args:
      source: the cursor of what is read.
      way: the execution strategy.
      ordered: whether results are given in the order of the elements.
      blames: words the failures of each function.
      numbers: those of the elements at each function.

    Attributes:
      seconds: the total time in the functions.
    """

    __slots__ = (
        "_again", "_blames", "_done", "_ended", "_firsts", "_gathered", "_landed", "_next", "_numbers", "_ordered",
        "_read", "_ready", "_stopped", "_way", "_window", "seconds",
    )  # fmt: skip

    def __init__(
        self, source: Cursor, way: Way, ordered: bool, blames: Sequence[Blame], numbers: Sequence[Numbers]
    ) -> None:
        super().__init__(source)
        self._way, self._ordered, self._blames, self._numbers = way, ordered, blames, numbers
        self._firsts = [own.first for own in numbers]
        self._next = tuple(self._firsts)  # at each function, the number of the element that is read next
        self._read = 0  # elements that were read since, so that numbers of several functions cost nothing for each
        self._again: deque[_Taken] = deque()  # read before the position was saved
        self._gathered: Work | None = None  # the work that begins next
        self._window: deque[Work] = deque()
        self._done: deque[Work] = deque()  # over, where the order does not matter
        self._landed: SimpleQueue[Work | None] = SimpleQueue()
        self._ready: deque[tuple[Work, int, Values, Any]] = deque()  # (work, place in it, element, result)
        self._ended = self._stopped = False
        self.seconds: float = 0.0

    @property
    def names(self) -> list[str]:
        return super().names * len(self._blames)

    @property
    def how(self) -> str:
        """A description of where the functions run."""
        return self._way.label

    def __next__(self) -> Values:
        ready = self._ready
        while not ready:
            self._fill()
            if not self._window:
                raise StopIteration
            work = self._next_over()
            count = len(work.elements)
            ready.extend(zip(repeat(work, count), range(count), work.elements, work.results, strict=True))
            work.elements, work.results = [], []  # its future may be there for longer
        work, place, _, result = ready.popleft()
        if result.__class__ is not Failure:
            return result  # type: ignore[no-any-return]
        raise self._raised(work, place, result)

    def _raised(self, work: Work, place: int, failure: Failure) -> BaseException:
        error, part = failure.error, len(self._blames) - 1
        if isinstance(error, _Upstream):
            return error.error
        if isinstance(error, StepFailed):
            part, error = error.part, error.error
        return self._blames[part](error, work.firsts[part] + place - self._firsts[part], self, part)

    # ---- reading

    def _fill(self) -> None:
        """Begins works while there is room."""
        way = self._way
        while len(self._window) < way.most and not self._stopped:
            failure = self._gather(way.size)
            if self._gathered is not None:
                self._begin(self._gathered)
            if failure is not None:
                work = Work(self._numbers_next(), [[]], [Failure(_Upstream(failure))])
                self._read += 1
                self._window.append(work)
                self._over(work)
            elif self._ended:
                return

    def _begin(self, work: Work) -> None:
        """Begins a work. If Ctrl-C interrupts it, its elements are those of the work that begins next."""
        try:
            self._gathered = None
            self._window.append(work)
            self._way.begin(work, self._landed)
            if work.over:
                self._over(work)
        except BaseException:
            if self._window and self._window[-1] is work:
                self._window.pop()
            self._way.cancel([work])
            work.over = True  # it may land yet
            self._gathered = Work(work.firsts, work.elements, part=work.part)
            raise

    def _gather(self, size: int) -> BaseException | None:
        """Reads elements for one work, and returns the error of an element that cannot be read."""
        work, source, again = self._gathered, self.sources[0], self._again
        latest = time.perf_counter() + TUNING.gathering_seconds if size > 1 else 0.0
        restored = work is not None  # whether the last element may not be the one before the next that is read
        while (work is None or len(work.elements) < size) and not self._ended:
            if again:
                if work is None:
                    work = self._gathered = Work(again[0].numbers, [], part=again[0].part)
                elif not again[0].follows(work):
                    return None
                work.elements.append(again.popleft().values)
                restored = True
                continue
            if restored and work is not None and not _Taken(self._numbers_next(), [], 0).follows(work):
                return None
            restored = False
            try:
                values = next(source)
                if work is None:
                    work = self._gathered = Work(self._numbers_next(), [])
                self._read += 1
                work.elements.append(values)
            except StopIteration:
                self._ended = True
            except errors.PASS_THROUGH:
                raise
            except BaseException as error:
                return error
            if size > 1 and time.perf_counter() > latest:
                break
        return None

    def _numbers_next(self) -> tuple[int, ...]:
        """The number of the element that is read next at each function."""
        return tuple([number + self._read for number in self._next])

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
        try:
            work = self._landed.get()
            if work is None or self._stopped:
                raise errors.CancelledError(None, None, "this iteration was ended while an element was awaited")
            if work.over:  # it was begun again after an interrupt, or several calls landed for it
                return
            self._way.end(work, self._landed)
            if work.over:
                self._over(work)
        except BaseException:  # Ctrl-C, perhaps between two of these lines
            self._land_again()
            raise

    def _land_again(self) -> None:
        """Lets all works of the window land that were not noted as over; it does no harm if one lands twice."""
        for work in self._window:
            if not work.over:
                self._landed.put(work)
            elif not self._ordered and work not in self._done:
                self._done.append(work)

    def _over(self, work: Work) -> None:
        self.seconds += work.seconds
        if not self._ordered:
            self._done.append(work)

    # ---- position, end

    def state(self) -> Any:
        """See `Cursor.state`. Elements in flight are computed again after the position is restored."""
        waiting: list[list[Any]] = [[] for _ in self._firsts]
        for work, place, values, result in self._ready:
            if not _is_upstream(result):
                waiting[work.part].append([work.firsts[work.part] + place, values])
        for work in (*self._window, *([] if self._gathered is None else [self._gathered])):
            if not (work.over and _is_upstream(work.results[0])):
                waiting[work.part] += [list(pair) for pair in enumerate(work.elements, work.firsts[work.part])]
        for taken in self._again:
            waiting[taken.part].append([taken.numbers[taken.part], taken.values])
        (state,) = [source.state() for source in self.sources]
        before = 0  # elements that wait at functions before it, which it has not read
        for first, number, own in zip(self._firsts, self._numbers_next(), waiting, strict=True):
            state = {"first": first, "index": number - before, "sources": [state], "waiting": own}
            before += len(own)
        return state

    def restore(self, state: Any) -> None:
        stages: list[Any] = []
        for _ in self._firsts:
            stages.insert(0, state)
            (state,) = state["sources"]
        self.sources[0].restore(state)
        self._firsts[:] = [int(stage["first"]) for stage in stages]
        numbers = [int(stage["index"]) for stage in stages]
        for part in reversed(range(len(stages))):  # what waits at the last function was read first
            for number, values in stages[part]["waiting"]:
                own = (int(number),) * (part + 1)
                self._again.append(_Taken((*own, *numbers[part + 1 :]), list(values), part))
                numbers[part + 1 :] = [later + 1 for later in numbers[part + 1 :]]
        self._next, self._read = tuple(numbers), 0

    def stop(self) -> None:
        self._stopped = True
        self._landed.put(None)
        super().stop()

    def close(self) -> None:
        self._stopped = True
        for numbers, number in zip(self._numbers, self._numbers_next(), strict=True):
            numbers.close(number)
        works = list(self._window)
        self._way.cancel(works)
        self._way.close()
        super().close()


class _Taken(NamedTuple):
    """An element that was read.

    Attributes:
      numbers: its number at each function.
      values: its values, or what the functions before `part` made of them.
      part: the function that takes the values, by its place.
    """

    numbers: tuple[int, ...]
    values: Values
    part: int

    def follows(self, work: Work) -> bool:
        """Whether it is the next element behind those of a work, at all functions that these are still to pass."""
        count, later = len(work.elements), slice(work.part, None)
        return self.part == work.part and [n - count for n in self.numbers[later]] == [*work.firsts[later]]


class _Upstream(Exception):
    """An element could not be read."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error


def _is_upstream(result: Any) -> bool:
    return isinstance(result, Failure) and isinstance(result.error, _Upstream)


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

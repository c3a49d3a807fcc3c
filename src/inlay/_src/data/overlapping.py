"""The methods of datasets that let work overlap: several elements at a time, and elements made ahead."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Self

from inlay._src.base.types import dtypes
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.data.batching import Batch
from inlay._src.data.chain import Chain
from inlay._src.data.interleaving import AUTOMATIC_CYCLE, Interleave
from inlay._src.data.mapped import Mapped
from inlay._src.data.mapping import Map
from inlay._src.data.node import Node
from inlay._src.data.parallel import ParallelMap
from inlay._src.data.prefetching import Prefetch
from inlay._src.data.stacked import StackedRows, with_count
from inlay._src.data.ways import AUTOTUNE, Placing


class Overlapping(Chain):
    """The common part of all datasets: see `Dataset`."""

    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
        *,
        executor: Any = None,
        batch: int | None = None,
    ) -> Self:
        """A function of each element.

        If neither `num_parallel_calls` nor `executor` is given, the function runs when an element is asked for, in the
        thread that asks.

        Args:
          map_func: takes an element, the components of a tuple as separate arguments. It is traced once; what it
            returns is the new element, a list as a tuple.
          num_parallel_calls: the number of elements processed concurrently; AUTOTUNE chooses.
          deterministic: whether the order is kept where several are; None takes that of the options.
          synchronous: True runs the function in the thread that asks, whatever else is said.
          use_unbounded_threadpool, name: accepted.
          executor: where the function runs as a whole: "inline", "threads", "processes", "ray", an executor with
            options such as `tf.Processes(workers=4)`, or any `concurrent.futures.Executor`; None takes threads. "auto"
            lets AUTOTUNE leave the process, if all host functions are `stateful=False`. What
            goes to other processes is sent once, and called on several small elements at a time. What a function
            draws at random depends on the element's index, so that results are equal wherever it runs.
          batch: hands the function so many elements at a time, stacked along a new first axis (the last time fewer);
            it returns as many rows, which are the new elements. Their shapes must be equal.

        Raises:
          TypeError: if the function returns something that is no element, `executor` is none, or the function captures
            what cannot be sent there, such as a variable.
          ValueError: for an executor that there is not, or one that may run a function with effects twice.
        """
        source = self._node
        if batch is not None:
            source = Batch(source, _calls(batch), convert_to_tensor(False), None)
        state = context.current()
        with context.using(state if executor is None else state.replace(executor=None)):  # it goes there as a whole
            mapped = Mapped(map_func, source.element, "Dataset.map()", None if batch is None else with_count)
        made: Node
        if synchronous or (num_parallel_calls is None and executor is None):
            made = Map(source, mapped)
        else:
            calls = _calls(AUTOTUNE if num_parallel_calls is None else num_parallel_calls)
            made = ParallelMap(source, mapped, calls, deterministic, Placing(executor, mapped, "Dataset.map()"))
        return self._with(made if batch is None else StackedRows(made, self._node, mapped.label))  # type: ignore[no-any-return]

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: Any = None,
        block_length: Any = None,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Self:
        """Elements of several datasets in turn, which a function makes of each element.

        Args:
          map_func: takes an element as `map`'s function does; gives a dataset.
          cycle_length: the number of datasets in rotation; None takes `num_parallel_calls` if that is a number, else
            the number of cores, at most 10.
          block_length: the number of consecutive elements from each; None is 1.
          num_parallel_calls: the number of datasets read concurrently, each on a thread; AUTOTUNE reads all in turn.
          deterministic: whether each waits for its turn where several are read at once; None takes that of the options.
          name: accepted.

        Raises:
          TypeError: if the function gives something else.
          InvalidArgumentError: while it is iterated, if a length is not positive.
        """
        if cycle_length is None or (isinstance(cycle_length, int) and cycle_length == AUTOTUNE):
            number = isinstance(num_parallel_calls, int) and num_parallel_calls != AUTOTUNE
            cycle_length = num_parallel_calls if number else min(os.cpu_count() or 1, AUTOMATIC_CYCLE)
        mapped = Mapped(map_func, self._node.element, "Dataset.interleave()")
        block = _calls(1 if block_length is None else block_length)
        calls = None if num_parallel_calls is None else _calls(num_parallel_calls)
        made = Interleave(self._node, mapped, _calls(cycle_length), block, calls, deterministic)
        return self._with(made)  # type: ignore[no-any-return]

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Self:
        """Makes the next elements while the consumer works on the last one, in a thread.

        Args:
          buffer_size: the number of elements computed ahead; AUTOTUNE and None make two ahead, 0 none.
          name: accepted.

        Raises:
          InvalidArgumentError: while it is iterated, if the size is less than -1.
        """
        return self._with(Prefetch(self._node, _calls(AUTOTUNE if buffer_size is None else buffer_size)))  # type: ignore[no-any-return]


def _calls(number: Any) -> Any:
    """A number that a node uses."""
    return convert_to_tensor(number, dtypes.int64)

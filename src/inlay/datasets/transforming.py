"""The methods of datasets that make other datasets of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from inlay.datasets.batching import Batch, Unbatch
from inlay.datasets.grouping import static_size
from inlay.datasets.interleaving import Interleave
from inlay.datasets.mapped import Mapped
from inlay.datasets.node import Node
from inlay.datasets.options import Options
from inlay.datasets.shuffling import Seeds, Shuffle
from inlay.datasets.sizes import size_tensor
from inlay.datasets.transforms import Filter, FlatMap, Map, Repeat, Skip, Take
from inlay.eager.convert import convert_to_tensor
from inlay.export import export
from inlay.ops.seeds import get_seed
from inlay.types import dtypes

if TYPE_CHECKING:
    from inlay.datasets.dataset import Dataset


AUTOTUNE: int = export("data.AUTOTUNE", "data.experimental.AUTOTUNE")(-1)
"""Stands for a number that is chosen while elements are made."""


class Transforming:
    """What every dataset has: see `Dataset`."""

    _node: Node
    _options: Options

    def _with(self, node: Node) -> Any:
        """Another dataset that is run like this one."""
        raise NotImplementedError

    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """A function of each element.

        Args:
          map_func: takes an element, the components of a tuple as separate arguments. It is traced once; what it
            returns is the new element, a list as a tuple.
          num_parallel_calls: how many elements are worked on at once; AUTOTUNE chooses.
          deterministic: whether the order is kept; None takes that of the options.
          synchronous, use_unbounded_threadpool, name: accepted.

        Raises:
          TypeError: if the function returns something that is no element.
        """
        return self._with(Map(self._node, Mapped(map_func, self._node.element, "Dataset.map()")))  # type: ignore[no-any-return]

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements for which a function is true.

        Args:
          predicate: takes an element as `map`'s function does; gives a bool scalar.
          name: accepted.

        Raises:
          ValueError: if it gives something else.
        """
        return self._with(Filter(self._node, Mapped(predicate, self._node.element, "Dataset.filter()")))  # type: ignore[no-any-return]

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements of the datasets that a function makes of each element.

        Args:
          map_func: takes an element as `map`'s function does; gives a dataset.
          name: accepted.

        Raises:
          TypeError: if it gives something else.
        """
        return self._with(FlatMap(self._node, Mapped(map_func, self._node.element, "Dataset.flat_map()")))  # type: ignore[no-any-return]

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: Any = None,
        block_length: Any = None,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """The elements of the datasets that a function makes of each element, several datasets by turns.

        Args:
          map_func: takes an element as `map`'s function does; gives a dataset.
          cycle_length: how many datasets are read by turns, an int64 scalar; None or AUTOTUNE is the number of cores.
          block_length: how many elements are taken from each at a time; None is 1.
          num_parallel_calls: how many elements are worked on at once; AUTOTUNE chooses.
          deterministic: whether the order is kept; None takes that of the options.
          name: accepted.

        Raises:
          TypeError: if the function gives something else.
          InvalidArgumentError: if one of the numbers is not positive.
        """
        if cycle_length is None or (isinstance(cycle_length, int) and cycle_length == AUTOTUNE):
            cycle_length = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        cycle = size_tensor(cycle_length, 1, "cycle_length")
        block = size_tensor(1 if block_length is None else block_length, 1, "block_length")
        mapped = Mapped(map_func, self._node.element, "Dataset.interleave()")
        return self._with(Interleave(self._node, mapped, cycle, block))  # type: ignore[no-any-return]

    def batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Elements stacked along a new first axis.

        Args:
          batch_size: how many, an int64 scalar.
          drop_remainder: whether a last batch that is smaller is left out.
          num_parallel_calls, deterministic: accepted; stacking copies memory, which does not get faster.
          name: accepted.

        Raises:
          InvalidArgumentError: while it is iterated, if the shapes of a component differ.
        """
        size, static = size_tensor(batch_size, 1, "Batch size"), static_size(batch_size, drop_remainder)
        drop = convert_to_tensor(drop_remainder, dtypes.bool_)
        return self._with(Batch(self._node, size, drop, static))  # type: ignore[no-any-return]

    def unbatch(self, name: str | None = None) -> Dataset:
        """The rows of each element.

        Args:
          name: accepted.
        """
        return self._with(Unbatch(self._node))  # type: ignore[no-any-return]

    def shuffle(
        self,
        buffer_size: Any,
        seed: Any = None,
        reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Dataset:
        """Elements in random order.

        Args:
          buffer_size: from how many elements each is drawn, an int64 scalar.
          seed: fixes the order together with `random.set_seed`.
          reshuffle_each_iteration: whether every iteration has an order of its own.
          name: accepted.
        """
        first, second = get_seed(seed)
        fixed = None if first is None or second is None else (first, second)
        seeds = Seeds(fixed, reshuffle_each_iteration is not False)
        return self._with(Shuffle(self._node, convert_to_tensor(buffer_size, dtypes.int64), seeds))  # type: ignore[no-any-return]

    def repeat(self, count: Any = None, name: str | None = None) -> Dataset:
        """The elements several times over.

        Args:
          count: how often; None or -1 is without end.
          name: accepted.
        """
        return self._with(Repeat(self._node, convert_to_tensor(-1 if count is None else count, dtypes.int64)))  # type: ignore[no-any-return]

    def take(self, count: Any, name: str | None = None) -> Dataset:
        """The first elements.

        Args:
          count: how many; -1 takes all.
          name: accepted.
        """
        return self._with(Take(self._node, convert_to_tensor(count, dtypes.int64)))  # type: ignore[no-any-return]

    def skip(self, count: Any, name: str | None = None) -> Dataset:
        """The elements behind the first ones.

        Args:
          count: how many; -1 skips all.
          name: accepted.
        """
        return self._with(Skip(self._node, convert_to_tensor(count, dtypes.int64)))  # type: ignore[no-any-return]

"""The methods of datasets that make other datasets of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from inlay._src.base.types import dtypes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.data.batching import Batch, Unbatch
from inlay._src.data.chain import Chain
from inlay._src.data.grouping import static_size
from inlay._src.data.mapped import Mapped
from inlay._src.data.shuffling import Seeds, Shuffle
from inlay._src.data.sizes import size_tensor
from inlay._src.data.transforms import Filter, FlatMap, Repeat, Skip, Take
from inlay._src.ops.seeds import get_seed


class Transforming(Chain):
    """The common part of all datasets: see `Dataset`."""

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Self:
        """The elements for which a function is true.

        Args:
          predicate: takes an element as `map`'s function does; gives a bool scalar.
          name: accepted.

        Raises:
          ValueError: if it gives something else.
        """
        return self._with(Filter(self._node, Mapped(predicate, self._node.element, "Dataset.filter()")))  # type: ignore[no-any-return]

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Self:
        """The elements of the datasets that a function makes of each element.

        Args:
          map_func: takes an element as `map`'s function does; gives a dataset.
          name: accepted.

        Raises:
          TypeError: if it gives something else.
        """
        return self._with(FlatMap(self._node, Mapped(map_func, self._node.element, "Dataset.flat_map()")))  # type: ignore[no-any-return]

    def batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Self:
        """Elements stacked along a new first axis.

        Args:
          batch_size: the number of elements per batch, an int64 scalar.
          drop_remainder: whether a last batch that is smaller is left out.
          num_parallel_calls, deterministic: accepted; stacking copies memory, which does not get faster. After an
            element that failed the next batch begins behind it if `num_parallel_calls` is given. Directly behind a
            `map` and without it, the next batch begins where it would have begun.
          name: accepted.

        Raises:
          InvalidArgumentError: while it is iterated, if the shapes of a component differ.
        """
        size, static = size_tensor(batch_size, 1, "Batch size"), static_size(batch_size, drop_remainder)
        drop = convert_to_tensor(drop_remainder, dtypes.bool_)
        return self._with(Batch(self._node, size, drop, static, num_parallel_calls))  # type: ignore[no-any-return]

    def unbatch(self, name: str | None = None) -> Self:
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
    ) -> Self:
        """Elements in random order.

        Args:
          buffer_size: from how many elements each is drawn, an int64 scalar; UNKNOWN_CARDINALITY is all of them.
          seed: fixes the order together with `random.set_seed`.
          reshuffle_each_iteration: whether every iteration has an order of its own.
          name: accepted.

        Raises:
          InvalidArgumentError: if the size is not positive.
        """
        first, second = get_seed(seed)
        fixed = None if first is None or second is None else (first, second)
        seeds = Seeds(fixed, reshuffle_each_iteration is not False)
        return self._with(Shuffle(self._node, convert_to_tensor(buffer_size, dtypes.int64), seeds))  # type: ignore[no-any-return]

    def repeat(self, count: Any = None, name: str | None = None) -> Self:
        """The elements several times over.

        Args:
          count: the number of repetitions; None or -1 is without end.
          name: accepted.
        """
        return self._with(Repeat(self._node, convert_to_tensor(-1 if count is None else count, dtypes.int64)))  # type: ignore[no-any-return]

    def take(self, count: Any, name: str | None = None) -> Self:
        """The first elements.

        Args:
          count: how many; -1 takes all.
          name: accepted.
        """
        return self._with(Take(self._node, convert_to_tensor(count, dtypes.int64)))  # type: ignore[no-any-return]

    def skip(self, count: Any, name: str | None = None) -> Self:
        """The elements behind the first ones.

        Args:
          count: how many; -1 skips all.
          name: accepted.
        """
        return self._with(Skip(self._node, convert_to_tensor(count, dtypes.int64)))  # type: ignore[no-any-return]

"""The methods of datasets that choose elements, keep them, or carry a state from one to the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from inlay._src.base.types import dtypes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import EagerTensor
from inlay._src.data.caching import Cache
from inlay._src.data.chain import Chain
from inlay._src.data.choosing import AssertCardinality, IgnoreErrors, Shard, TakeWhile, Unique, shard_of
from inlay._src.data.mapped import Mapped
from inlay._src.data.scanning import Scan, Stepped
from inlay._src.data.sizes import size_tensor


class Selecting(Chain):
    """Methods that every dataset has: see `Dataset`."""

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Self:
        """Every `num_shards`-th element.

        Args:
          num_shards: the number of shards, an int64 scalar.
          index: which of them this is: the place of its first element.
          name: accepted.

        Raises:
          InvalidArgumentError: if there is no such one.
        """
        number, at = size_tensor(num_shards), size_tensor(index)
        if isinstance(number, EagerTensor) and isinstance(at, EagerTensor):
            shard_of(number.numpy(), at.numpy())
        return self._with(Shard(self._node, number, at))  # type: ignore[no-any-return]

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Self:
        """The elements up to the first for which a function is false.

        Args:
          predicate: takes an element as `map`'s function does; gives a bool scalar.
          name: accepted.

        Raises:
          ValueError: if it gives something else.
        """
        return self._with(TakeWhile(self._node, Mapped(predicate, self._node.element, "Dataset.take_while()")))  # type: ignore[no-any-return]

    def unique(self, name: str | None = None) -> Self:
        """Elements without those that came before.

        Args:
          name: accepted.

        Raises:
          TypeError: if the elements are no tensors of int32, int64 or string.
        """
        return self._with(Unique(self._node))  # type: ignore[no-any-return]

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Self:
        """Elements without those that raise an error.

        Args:
          log_warning: whether the errors are logged.
          name: accepted.
        """
        return self._with(IgnoreErrors(self._node, bool(log_warning)))  # type: ignore[no-any-return]

    def cache(self, filename: Any = "", name: str | None = None) -> Self:
        """The elements, made by the first iteration that comes to the end and kept for those after it.

        Args:
          filename: the path of a file without its ending, a string scalar; "" keeps them in memory.
          name: accepted.
        """
        return self._with(Cache(self._node, convert_to_tensor(filename, dtypes.string)))  # type: ignore[no-any-return]

    def scan(self, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None) -> Self:
        """A function of a state and each element.

        Args:
          initial_state: a nest of values that become tensors.
          scan_func: takes a state and an element; gives the next state, nested like the first with the same dtypes,
            and the new element.
          name: accepted.

        Raises:
          TypeError: if it gives no pair, or the state changes its structure or dtypes.
        """

        def state_of(made: Any) -> Any:
            if not isinstance(made, tuple) or len(made) != 2:
                raise TypeError(
                    "Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the output "
                    f"value but its return type is {made!r}."
                )
            return made[0]

        step = Stepped(scan_func, initial_state, self._node.element, "Dataset.scan()", state_of)
        return self._with(Scan(self._node, step.tensors, step.mapped, step.mapped.element.spec[1]))  # type: ignore[no-any-return]

    def _assert_cardinality(self, expected: Any) -> Self:
        """See `data.experimental.assert_cardinality`."""
        return self._with(AssertCardinality(self._node, size_tensor(expected)))  # type: ignore[no-any-return]

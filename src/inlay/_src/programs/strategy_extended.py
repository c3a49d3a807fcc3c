"""`Strategy.extended`: the interface for libraries that distribute, with one replica on one device."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from inlay._src.base.export import export
from inlay._src.core import context
from inlay._src.core.tensor import Tensor
from inlay._src.programs.control.function_parameters import converts

R = TypeVar("R")


@export("distribute.StrategyExtended")
class StrategyExtended:
    """The services of a strategy for its replicas, variables and devices. `Strategy.extended` is one.

    Args:
      container_strategy: the strategy.
    """

    experimental_between_graph: bool = False
    experimental_require_static_shapes: bool = False
    experimental_should_init: bool = True
    should_checkpoint: bool = True
    should_save_summary: bool = True

    def __init__(self, container_strategy: Any) -> None:
        if not hasattr(container_strategy, "scope"):
            raise TypeError(f"`container_strategy` must be a tf.distribute.Strategy, got {container_strategy!r}")
        self._strategy = container_strategy

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The devices that replicas compute on."""
        return (self._strategy._device,)

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The devices that variables are on."""
        return (self._strategy._device,)

    def non_slot_devices(self, var_list: Sequence[Any]) -> str:
        """The device of variables that belong to no other one."""
        return str(self._strategy._device)

    @converts(1, "fn")
    def call_for_each_replica(
        self, fn: Callable[..., R], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> R:
        """Calls a function in each replica.

        Args:
          fn: the function.
          args, kwargs: its arguments.
        """
        return self._strategy.run(fn, args, kwargs)

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Tensor | Any:
        """The values of all replicas as one.

        Args:
          reduce_op: `ReduceOp.SUM` or `MEAN`, or its name.
          value: the replicas' value.
          destinations, options: accepted.
        """
        return self._strategy.reduce(reduce_op, value, None)

    def batch_reduce_to(
        self, reduce_op: Any, value_destination_pairs: Iterable[tuple[Any, Any]], options: Any = None
    ) -> list[Any]:
        """`reduce_to` of several values.

        Args:
          reduce_op, options: as for `reduce_to`.
          value_destination_pairs: (value, where it goes) pairs.
        """
        return [self.reduce_to(reduce_op, value, to, options) for value, to in value_destination_pairs]

    def broadcast_to(self, tensor: Any, destinations: Any) -> Tensor | Any:
        """A tensor that each destination has.

        Args:
          tensor: the tensor.
          destinations: accepted.
        """
        return tensor

    @converts(2, "fn")
    def update(
        self,
        var: Any,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        group: bool = True,
    ) -> Any:
        """Calls a function with each copy of a variable, outside of replicas: `fn(var, *args, **kwargs)`.

        Args:
          var: the variable.
          fn: the function.
          args, kwargs: its other arguments.
          group: whether the copies' results become one; else it is a tuple of them.
        """
        with self._strategy._within(None):
            result = fn(var, *args, **(kwargs or {}))
        return result if group else (result,)

    @converts(2, "fn")
    def update_non_slot(
        self,
        colocate_with: Any,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        group: bool = True,
    ) -> Any:
        """Calls a function on the devices that `non_slot_devices` gave: `fn(*args, **kwargs)`.

        Args:
          colocate_with: the devices.
          fn, args, kwargs, group: as for `update`.
        """
        with self._strategy._within(None):
            result = fn(*args, **(kwargs or {}))
        return result if group else (result,)

    def colocate_vars_with(self, colocate_with_variable: Any) -> AbstractContextManager[None]:
        """Variables made in the block are placed where another one is.

        Args:
          colocate_with_variable: the other variable.
        """
        return context.device_v1(colocate_with_variable.device)

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether a variable was created in this strategy's scope; the default one's is outside of every other."""
        owner = v._distribute_strategy
        return (owner is None and self._strategy._is_default) or owner is self._strategy

    def read_var(self, v: Any) -> Tensor | Any:
        """The value of a variable."""
        return v.read_value()

    def value_container(self, value: Any) -> Any:
        """The container of the copies of a value: the value itself."""
        return value

"""Distribution strategies on one device: `tf.distribute.get_strategy` and the strategies that programs are written for.

A program that is written for a strategy runs its step in replicas; here there is one, so that a run is a call, a
reduction over replicas gives the value, and a distributed dataset is the dataset. More devices are refused.

    outside          the default strategy's only replica
    `scope()`        no replica: variables are made, `run` and `reduce` are called
    `run(fn)`        the replica: `get_replica_context()` is there, and `all_reduce` is called
"""

from __future__ import annotations

import enum
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeVar

from inlay._src.base.export import export
from inlay._src.base.misuse import repr_of
from inlay._src.base.types import dtypes, nest
from inlay._src.core import context, device
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops.math import cast
from inlay._src.ops.reductions import reduce_mean, reduce_sum
from inlay._src.ops.variables.creators import variable_creator_scope
from inlay._src.programs.control.function_parameters import converts
from inlay._src.programs.strategy_extended import StrategyExtended
from inlay._src.programs.strategy_options import ValueContext

R = TypeVar("R")


@export("distribute.ReduceOp")
class ReduceOp(enum.Enum):
    """The reduction of values of replicas."""

    SUM = "SUM"
    MEAN = "MEAN"


@export("distribute.InputContext")
class InputContext:
    """The part of the input that a pipeline reads.

    Args:
      num_input_pipelines: their number.
      input_pipeline_id: its index.
      num_replicas_in_sync: the number of replicas that share a batch.
    """

    def __init__(self, num_input_pipelines: int = 1, input_pipeline_id: int = 0, num_replicas_in_sync: int = 1) -> None:
        self.num_input_pipelines: int = num_input_pipelines
        self.input_pipeline_id: int = input_pipeline_id
        self.num_replicas_in_sync: int = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """The share of one replica.

        Args:
          global_batch_size: elements of a batch of all replicas.

        Raises:
          ValueError: if it cannot be divided evenly.
        """
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size} is not divisible by `num_replicas_in_sync` "
                f"{self.num_replicas_in_sync}"
            )
        return global_batch_size // self.num_replicas_in_sync

    def __repr__(self) -> str:
        return (
            f"tf.distribute.InputContext(input pipeline id {repr_of(self.input_pipeline_id)}, "
            f"total: {repr_of(self.num_input_pipelines)})"
        )


@export("distribute.Strategy")
class Strategy:
    """Where a program's replicas run: one of them, on one device.

    Args:
      device_name: the device, as `tf.device` takes it; "" leaves it to where ops are placed otherwise. A user's own
        class may give its `StrategyExtended` instead.
    """

    num_replicas_in_sync: int = 1
    cluster_resolver: Any = None
    _is_default = False

    def __init__(self, device_name: str | StrategyExtended = "") -> None:
        self._extended, self._device = StrategyExtended(self), ""
        if isinstance(device_name, StrategyExtended):
            self._extended = device_name
        else:
            device.canonical(device_name)  # refuses what names no device
            self._device = device_name

    @contextmanager
    def scope(self) -> Iterator[Strategy]:
        """Makes this the strategy in the block, and places there what is made in it.

        Raises:
          RuntimeError: within the scope of another strategy.
        """
        before = _here()
        if before.strategy not in (_DEFAULT, self):
            raise RuntimeError(f"Mixing different tf.distribute.Strategy objects: {self!r} is not {before.strategy!r}")
        with self._within(None), variable_creator_scope(self._created):
            yield self

    def _created(self, next_creator: Callable[..., Any], **kwargs: Any) -> Any:
        """Creates a variable, which knows its strategy from then on."""
        variable = next_creator(**kwargs)
        variable._distribute_strategy = self
        return variable

    @contextmanager
    def _within(self, replica: ReplicaContext | None) -> Iterator[None]:
        token = _IN_FORCE.set(_ReplicaPlace(self, replica))
        try:
            if self._device:
                with context.device_v1(self._device):
                    yield
            else:
                yield
        finally:
            _IN_FORCE.reset(token)

    @converts(1, "fn")
    def run(
        self,
        fn: Callable[..., R],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        options: Any = None,
    ) -> R:
        """Calls a function in the replica.

        Args:
          fn: the function; a traced function converts it as it converts those that it calls.
          args, kwargs: its arguments.
          options: accepted.

        Returns:
          The result of the function.
        """
        with self._within(ReplicaContext(self)):
            return fn(*args, **(kwargs or {}))

    @converts(1, "fn")
    def experimental_run(self, fn: Callable[..., R], input_iterator: Any = None) -> R:
        """Calls a function in the replica, as `tf.compat.v1.distribute.Strategy` has it.

        Args:
          fn: the function.
          input_iterator: an iterator whose next element is its argument; None gives it none.
        """
        return self.run(fn, () if input_iterator is None else (input_iterator.get_next(),))

    @property
    def extended(self) -> StrategyExtended:
        """The extended interface of a strategy, for libraries that distribute."""
        return self._extended

    def reduce(self, reduce_op: ReduceOp | str, value: Any, axis: Any) -> Tensor | Any:
        """The results of the replicas, as one value.

        Args:
          reduce_op: `ReduceOp.SUM` or `MEAN`, or its name.
          value: a tensor, or a nest of them.
          axis: the axis of a batch that is reduced too; None for none.

        Raises:
          ValueError: for another `reduce_op`.
        """
        how = reduce_op if isinstance(reduce_op, ReduceOp) else ReduceOp(reduce_op.upper())
        return value if axis is None else nest.map_structure(lambda part: _reduced(how, part, axis), value)

    def gather(self, value: Any, axis: int) -> Tensor:
        """The values of all replicas along an axis: that of the only one."""
        return nest.map_structure(convert_to_tensor, value)

    def experimental_distribute_dataset(self, dataset: R, options: Any = None) -> R:
        """A dataset's batches divided between replicas: the dataset.

        Args:
          dataset: a dataset of global batches.
          options: accepted.
        """
        return dataset

    def distribute_datasets_from_function(self, dataset_fn: Callable[[InputContext], R], options: Any = None) -> R:
        """The dataset that a function makes for the only input pipeline.

        Args:
          dataset_fn: takes an `InputContext` and gives a dataset.
          options: accepted.
        """
        return dataset_fn(InputContext())

    def experimental_distribute_values_from_function(self, value_fn: Callable[[ValueContext], R]) -> R:
        """The value that a function makes for the only replica.

        Args:
          value_fn: takes what has `replica_id_in_sync_group` and `num_replicas_in_sync`.
        """
        return value_fn(ValueContext())

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """The values of the replicas of this process: one."""
        return (value,)

    experimental_run_v2 = run
    experimental_distribute_datasets_from_function = distribute_datasets_from_function
    unwrap = experimental_local_results

    def __repr__(self) -> str:
        return f"<{type(self).__name__} with 1 replica{f' on {self._device}' if self._device else ''}>"


@export("distribute.OneDeviceStrategy")
class OneDeviceStrategy(Strategy):
    """A strategy that runs everything on one device.

    Args:
      device: as `tf.device` takes it.
    """

    def __init__(self, device: str) -> None:
        super().__init__(device)


@export("distribute.MirroredStrategy")
class MirroredStrategy(Strategy):
    """A strategy that copies a model to each of several devices; here to one.

    Args:
      devices: a device, or a list of one; None is the GPU, or the CPU if there is none.
      cross_device_ops: accepted: there is nothing to reduce.

    Raises:
      NotImplementedError: for more than one device.
    """

    def __init__(self, devices: Sequence[str] | str | None = None, cross_device_ops: Any = None) -> None:
        wanted = [devices] if isinstance(devices, str) else list(devices or device.accelerators() or (device.CPU,))
        if len(wanted) > 1:
            raise NotImplementedError(
                f"MirroredStrategy over {len(wanted)} devices ({', '.join(map(str, wanted))}) is not here: pass one, "
                f"devices=[{wanted[0]!r}]. Parts of a graph are placed with tf.device, also on servers; functions run "
                "on many cores and machines with executor="
            )
        super().__init__(wanted[0])


class _SeveralMachines(Strategy):
    """A strategy that TensorFlow has and that is a name here, so that programs can import it and ask `isinstance`."""

    _way_out: str

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(f"{type(self).__name__} is not supported: {self._way_out}")


_PARTS = "place parts of a graph on servers with tf.device, or run functions on machines with tf.RayExecutor"


@export("distribute.TPUStrategy", "distribute.experimental.TPUStrategy")
class TPUStrategy(_SeveralMachines):
    """No TPU runtime: creating one raises NotImplementedError."""

    _way_out = "there is no TPU runtime. OneDeviceStrategy runs the same program on the CPU or a GPU"


@export("distribute.MultiWorkerMirroredStrategy", "distribute.experimental.MultiWorkerMirroredStrategy")
class MultiWorkerMirroredStrategy(MirroredStrategy):
    """A strategy that copies a model to each of several workers; here to one, which is this process.

    Args:
      cluster_resolver: tells the cluster; None reads the environment variable TF_CONFIG.
      communication_options: accepted: there is nothing to reduce.

    Raises:
      NotImplementedError: if the cluster has several workers.
    """

    def __init__(self, cluster_resolver: Any = None, communication_options: Any = None) -> None:
        if cluster_resolver is None:
            cluster = json.loads(os.environ.get("TF_CONFIG") or "{}").get("cluster", {})
        else:
            cluster = cluster_resolver.cluster_spec().as_dict()
        workers = sum(len(tasks) for job, tasks in cluster.items() if job in ("chief", "worker"))
        if workers > 1:
            raise NotImplementedError(
                f"MultiWorkerMirroredStrategy over {workers} workers is not here: a strategy has one replica. To use "
                f"several machines, {_PARTS}"
            )
        super().__init__()
        self.cluster_resolver = cluster_resolver


@export("distribute.ParameterServerStrategy", "distribute.experimental.ParameterServerStrategy")
class ParameterServerStrategy(_SeveralMachines):
    """One replica only: creating one raises NotImplementedError."""

    _way_out = f"a strategy has one replica. Place variables on servers with tf.device; {_PARTS}"


@export("distribute.experimental.CentralStorageStrategy")
class CentralStorageStrategy(MirroredStrategy):
    """A strategy whose variables lie on one device while others compute; here it computes there too.

    Args:
      compute_devices: a list of one device; None is the GPU, or the CPU if there is none.
      parameter_device: where variables lie: None, or the same device.

    Raises:
      NotImplementedError: for more than one device.
    """

    def __init__(self, compute_devices: Sequence[str] | None = None, parameter_device: str | None = None) -> None:
        super().__init__([*dict.fromkeys((*(compute_devices or ()), *filter(None, [parameter_device])))] or None)


@export("distribute.ReplicaContext")
class ReplicaContext:
    """The context of a replica while `Strategy.run` calls its function.

    Args:
      strategy: the strategy.
      replica_id_in_sync_group: the replica's number.
    """

    num_replicas_in_sync: int = 1

    def __init__(self, strategy: Strategy, replica_id_in_sync_group: int = 0) -> None:
        if not isinstance(strategy, Strategy):
            raise TypeError(f"`strategy` must be a tf.distribute.Strategy, got {strategy!r}")
        self.strategy: Strategy = strategy
        self.replica_id_in_sync_group: int = replica_id_in_sync_group

    @property
    def devices(self) -> tuple[str, ...]:
        """The device of the replica."""
        return (self.strategy._device,)

    def all_reduce(self, reduce_op: ReduceOp | str, value: Any, options: Any = None) -> Tensor | Any:
        """The results of all replicas, as one value that each of them has.

        Args:
          reduce_op: `ReduceOp.SUM` or `MEAN`, or its name.
          value: a tensor, or a nest of them.
          options: accepted.

        Raises:
          ValueError: for another `reduce_op`.
        """
        self.strategy.reduce(reduce_op, (), None)
        return nest.map_structure(lambda x: x if isinstance(x, nest.Composite) else convert_to_tensor(x), value)

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Tensor | Any:
        """The values of all replicas along an axis: that of the only one.

        Args:
          value: a tensor, or a nest of them.
          axis: the axis.
          options: accepted.
        """
        return self.strategy.gather(value, axis)

    @converts(1, "merge_fn")
    def merge_call(
        self, merge_fn: Callable[..., R], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> R:
        """Calls a function once for all replicas, outside of them.

        Args:
          merge_fn: takes the strategy, and the arguments.
          args, kwargs: its arguments.
        """
        with self.strategy._within(None):
            return merge_fn(self.strategy, *args, **(kwargs or {}))


class _ReplicaPlace(NamedTuple):
    """Where a program is: with which strategy, and in which replica; None in none."""

    strategy: Strategy
    replica: ReplicaContext | None


class _DefaultStrategy(Strategy):
    """The strategy where no other is in force: its scope changes nothing."""

    _is_default = True

    @contextmanager
    def _within(self, replica: ReplicaContext | None) -> Iterator[None]:
        yield


_DEFAULT = _DefaultStrategy()
_OUTSIDE = _ReplicaPlace(_DEFAULT, ReplicaContext(_DEFAULT))
_IN_FORCE: ContextVar[_ReplicaPlace | None] = ContextVar("strategy", default=None)


def _here() -> _ReplicaPlace:
    return _IN_FORCE.get() or _OUTSIDE


def _reduced(how: ReduceOp, value: Any, axis: Any) -> Any:
    tensor = convert_to_tensor(value)
    if how is ReduceOp.SUM:
        return reduce_sum(tensor, axis)
    return reduce_mean(cast(tensor, dtypes.float64) if tensor.dtype.is_integer else tensor, axis)


@export("distribute.get_strategy")
def get_strategy() -> Strategy:
    """The strategy in force: that of `with strategy.scope():`, or the default one with its one replica."""
    return _here().strategy


@export("distribute.has_strategy")
def has_strategy() -> bool:
    """Whether another strategy than the default one is in force."""
    return _here().strategy is not _DEFAULT


@export("distribute.get_replica_context")
def get_replica_context() -> ReplicaContext | None:
    """The replica whose function runs; None in a strategy's scope outside of `run`."""
    return _here().replica


def supports_no_merge_call() -> bool:
    """Whether variables are updated without `ReplicaContext.merge_call`: there is one replica, so they are."""
    return True


def maybe_merge_call(fn: Callable[..., R], strategy: Strategy, *args: Any, **kwargs: Any) -> R:
    """Calls a function of a strategy once for all replicas.

    Args:
      fn: takes the strategy, and the arguments.
      strategy: the strategy.
      *args, **kwargs: its arguments.
    """
    return fn(strategy, *args, **kwargs)


@export("distribute.in_cross_replica_context")
def in_cross_replica_context() -> bool:
    """Whether this is in a strategy's scope outside of `run`."""
    return _here().replica is None

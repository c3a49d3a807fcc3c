"""Options of a strategy, and the kinds of values that it returns: those of one replica are plain values."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple

from inlay._src.base.export import export


@export("distribute.experimental.ValueContext")
class ValueContext:
    """The replica of a value.

    Args:
      replica_id_in_sync_group: its number.
      num_replicas_in_sync: the number of replicas.
    """

    __slots__ = ("num_replicas_in_sync", "replica_id_in_sync_group")

    def __init__(self, replica_id_in_sync_group: int = 0, num_replicas_in_sync: int = 1) -> None:
        self.replica_id_in_sync_group: int = replica_id_in_sync_group
        self.num_replicas_in_sync: int = num_replicas_in_sync

    def __repr__(self) -> str:
        return (
            f"tf.distribute.ValueContext(replica id {self.replica_id_in_sync_group},  "
            f"total replicas in sync: {self.num_replicas_in_sync})"
        )


@export("distribute.InputReplicationMode")
class InputReplicationMode(enum.Enum):
    """The unit for which the function of a dataset is called: each worker or each replica."""

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class _InputOptions(NamedTuple):
    experimental_fetch_to_device: bool
    experimental_replication_mode: InputReplicationMode
    experimental_place_dataset_on_device: bool
    experimental_per_replica_buffer_size: int


@export("distribute.InputOptions")
class InputOptions(_InputOptions):
    """Options of a strategy's reading of a dataset; accepted, as the dataset is read where the program runs.

    Args:
      experimental_fetch_to_device: whether elements are copied to the device; None for True.
      experimental_replication_mode: an `InputReplicationMode`.
      experimental_place_dataset_on_device: whether the dataset runs on the device.
      experimental_per_replica_buffer_size: elements that wait on the device.
    """

    __slots__ = ()

    def __new__(
        cls,
        experimental_fetch_to_device: bool | None = None,
        experimental_replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER,
        experimental_place_dataset_on_device: bool = False,
        experimental_per_replica_buffer_size: int = 1,
    ) -> InputOptions:
        fetch = True if experimental_fetch_to_device is None else experimental_fetch_to_device
        return super().__new__(
            cls,
            fetch,
            experimental_replication_mode,
            experimental_place_dataset_on_device,
            experimental_per_replica_buffer_size,
        )


class _RunOptions(NamedTuple):
    experimental_enable_dynamic_batch_size: bool
    experimental_bucketizing_dynamic_shape: bool
    experimental_xla_options: Any


@export("distribute.RunOptions")
class RunOptions(_RunOptions):
    """Options of the call of `Strategy.run`; accepted, as they are about TPUs.

    Args:
      experimental_enable_dynamic_batch_size: whether batches may differ in size.
      experimental_bucketizing_dynamic_shape: whether sizes are rounded up to those of buckets.
      experimental_xla_options: options for XLA.
    """

    __slots__ = ()

    def __new__(
        cls,
        experimental_enable_dynamic_batch_size: bool = True,
        experimental_bucketizing_dynamic_shape: bool = False,
        experimental_xla_options: Any = None,
    ) -> RunOptions:
        return super().__new__(
            cls,
            experimental_enable_dynamic_batch_size,
            experimental_bucketizing_dynamic_shape,
            experimental_xla_options,
        )


@export("distribute.DistributedValues")
class DistributedValues:
    """A value that differs between replicas. With one replica a strategy gives the plain value instead."""


@export("distribute.DistributedDataset")
class DistributedDataset:
    """A dataset whose batches are divided between replicas. With one replica a strategy gives the dataset instead."""


@export("distribute.DistributedIterator")
class DistributedIterator:
    """An iterator of a `DistributedDataset`. With one replica a strategy gives the dataset's iterator instead."""


@export("types.experimental.distributed.PerReplica")
class PerReplica(DistributedValues):
    """A value of each replica. With one replica a strategy gives the plain value instead."""


@export("types.experimental.distributed.Mirrored")
class Mirrored(DistributedValues):
    """A value that is equal on all replicas. With one replica a strategy gives the plain value instead."""

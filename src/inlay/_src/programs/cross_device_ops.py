"""The reduction of values over replicas: accepted by strategies, whose one replica has nothing to reduce."""

from __future__ import annotations

import enum
from typing import Any

from inlay._src.base.export import export
from inlay._src.core.tensor import Tensor


@export("distribute.CrossDeviceOps")
class CrossDeviceOps:
    """The reduction of values of replicas. With one replica each is the value of that."""

    def reduce(self, reduce_op: Any, per_replica_value: Any, destinations: Any, options: Any = None) -> Tensor | Any:
        """The results of all replicas, as one value.

        Args:
          reduce_op: `ReduceOp.SUM` or `MEAN`.
          per_replica_value: a tensor, or a nest of them.
          destinations: accepted.
          options: accepted.
        """
        return per_replica_value

    def batch_reduce(self, reduce_op: Any, value_destination_pairs: Any, options: Any = None) -> list[Any]:
        """`reduce` of several values.

        Args:
          reduce_op: `ReduceOp.SUM` or `MEAN`.
          value_destination_pairs: pairs of a value and where it goes.
          options: accepted.
        """
        return [self.reduce(reduce_op, value, where, options) for value, where in value_destination_pairs]

    def broadcast(self, tensor: Any, destinations: Any) -> Tensor | Any:
        """A value for all replicas.

        Args:
          tensor: the value.
          destinations: accepted.
        """
        return tensor


class _PackedCrossDeviceOps(CrossDeviceOps):
    def __init__(self, num_packs: int = 1) -> None:
        if num_packs < 0:
            raise ValueError(f"{type(self).__name__} requires num_packs >= 0, but {num_packs} is specified")
        self.num_packs: int = num_packs


@export("distribute.HierarchicalCopyAllReduce")
class HierarchicalCopyAllReduce(_PackedCrossDeviceOps):
    """A reduction in a tree of devices.

    Args:
      num_packs: into how many packs values are put, at least 0.

    Raises:
      ValueError: for a negative number.
    """


@export("distribute.NcclAllReduce")
class NcclAllReduce(_PackedCrossDeviceOps):
    """A reduction by NVIDIA's library.

    Args:
      num_packs: into how many packs values are put, at least 0.

    Raises:
      ValueError: for a negative number.
    """


@export("distribute.ReductionToOneDevice")
class ReductionToOneDevice(CrossDeviceOps):
    """A reduction on one device.

    Args:
      reduce_to_device: the device.
      accumulation_fn: a function that adds values.
    """

    def __init__(self, reduce_to_device: Any = None, accumulation_fn: Any = None) -> None:
        self.reduce_to_device: Any = reduce_to_device
        self.accumulation_fn: Any = accumulation_fn


@export("distribute.experimental.CommunicationImplementation", "distribute.experimental.CollectiveCommunication")
class CommunicationImplementation(enum.Enum):
    """The communication between workers."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


@export("distribute.experimental.CommunicationOptions")
class CommunicationOptions:
    """The communication between workers.

    Args:
      bytes_per_pack: the size of a pack; 0 leaves it open.
      timeout_seconds: the time limit of an exchange; None for any time.
      implementation: a `CommunicationImplementation`, or its name.

    Raises:
      ValueError: for a negative size, and for another implementation.
    """

    def __init__(
        self,
        bytes_per_pack: int = 0,
        timeout_seconds: float | None = None,
        implementation: CommunicationImplementation | str = CommunicationImplementation.AUTO,
    ) -> None:
        if bytes_per_pack < 0:
            raise ValueError(f"Argument `bytes_per_pack` must be >=0, Received {bytes_per_pack}.")
        self.bytes_per_pack: int = bytes_per_pack
        self.timeout_seconds: float | None = timeout_seconds
        self.implementation = CommunicationImplementation(implementation)

    def __repr__(self) -> str:
        return (
            f"Options(bytes_per_pack={self.bytes_per_pack},timeout_seconds={self.timeout_seconds}, "
            f"implementation={self.implementation})"
        )


@export("distribute.experimental.CollectiveHints")
class CollectiveHints(CommunicationOptions):
    """`CommunicationOptions` by its first name.

    Args:
      bytes_per_pack: the size of a pack; 0 leaves it open.
      timeout_seconds: the time limit of an exchange; None for any time.

    Raises:
      ValueError: for a negative size.
    """

    def __init__(self, bytes_per_pack: int = 0, timeout_seconds: float | None = None) -> None:
        super().__init__(bytes_per_pack, timeout_seconds)

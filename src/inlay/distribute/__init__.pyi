"""`tf.distribute`: servers that run parts of graphs; strategies with one replica."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.cluster.server import Server
from inlay._src.programs.cross_device_ops import (
    CrossDeviceOps, HierarchicalCopyAllReduce, NcclAllReduce, ReductionToOneDevice
)
from inlay._src.programs.strategies import (
    InputContext, MirroredStrategy, MultiWorkerMirroredStrategy, OneDeviceStrategy, ParameterServerStrategy, ReduceOp,
    ReplicaContext, Strategy, TPUStrategy, get_replica_context, get_strategy, has_strategy, in_cross_replica_context
)
from inlay._src.programs.strategy_extended import StrategyExtended
from inlay._src.programs.strategy_options import (
    DistributedDataset, DistributedIterator, DistributedValues, InputOptions, InputReplicationMode, RunOptions
)
from inlay.distribute import cluster_resolver, experimental
__all__ = [
    "CrossDeviceOps", "DistributedDataset", "DistributedIterator", "DistributedValues", "HierarchicalCopyAllReduce",
    "InputContext", "InputOptions", "InputReplicationMode", "MirroredStrategy", "MultiWorkerMirroredStrategy",
    "NcclAllReduce", "OneDeviceStrategy", "ParameterServerStrategy", "ReduceOp", "ReductionToOneDevice",
    "ReplicaContext", "RunOptions", "Server", "Strategy", "StrategyExtended", "TPUStrategy", "cluster_resolver",
    "experimental", "get_replica_context", "get_strategy", "has_strategy", "in_cross_replica_context"
]

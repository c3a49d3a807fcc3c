"""`tf.distribute`: servers that run parts of graphs; strategies with one replica."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "distribute",
    {
        "cluster.server": "Server",
        "programs.cross_device_ops":
        "CrossDeviceOps HierarchicalCopyAllReduce NcclAllReduce ReductionToOneDevice",
        "programs.strategies":
        "InputContext MirroredStrategy MultiWorkerMirroredStrategy OneDeviceStrategy ParameterServerStrategy "
        "ReduceOp ReplicaContext Strategy TPUStrategy get_replica_context get_strategy has_strategy "
        "in_cross_replica_context",
        "programs.strategy_extended": "StrategyExtended",
        "programs.strategy_options":
        "DistributedDataset DistributedIterator DistributedValues InputOptions InputReplicationMode "
        "RunOptions",
    },
    below=("cluster_resolver", "experimental"),
    absent={
        "coordinator": "place parts of a graph with `tf.device` on servers, or functions with executors",
        "experimental_set_strategy": "enter `with strategy.scope():`",
        "get_loss_reduction": "with one replica the loss of a batch is the loss: add it up or average it in the step",
    },
)

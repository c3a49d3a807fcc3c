"""`tf.distribute.experimental`: strategies of several machines, refused when created."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "distribute.experimental",
    {
        "programs.cross_device_ops":
        "CollectiveCommunication CollectiveHints CommunicationImplementation CommunicationOptions",
        "programs.strategies":
        "CentralStorageStrategy MultiWorkerMirroredStrategy ParameterServerStrategy TPUStrategy",
        "programs.strategy_options": "ValueContext",
    },
    absent={
        "PreemptionCheckpointHandler": "save with tf.train.CheckpointManager at every step that may be lost",
        "PreemptionWatcher": "install a handler with the module signal, and save a tf.train.Checkpoint in it",
        "TerminationConfig": "install a handler with the module signal, and save a tf.train.Checkpoint in it",
        "coordinator": "place parts of a graph with `tf.device` on servers, or functions with executors",
        "partitioners": "tf.compat.v1.fixed_size_partitioner and its like, as partitioner= of get_variable",
        "rpc": "tf.distribute.Server runs parts of graphs; functions run elsewhere with executor=",
    },
)

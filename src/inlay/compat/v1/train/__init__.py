"""`tf.compat.v1.train`: `tf.train` with the `Checkpoint` of 1.x, whose second argument is the session."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.train",
    {
        "cluster.replica_devices": "replica_device_setter",
        "tf1.monitored.profiling_hook": "ProfilerHook",
        "training.checkpoint": "Checkpoint",
        "training.checkpoint_state":
        "NewCheckpointReader generate_checkpoint_state_proto get_checkpoint_mtimes",
        "training.first_values": "init_from_checkpoint",
        "training.saver": "export_meta_graph import_meta_graph",
        "training.schedules": "cosine_decay_restarts linear_cosine_decay noisy_linear_cosine_decay",
        "training.warm_starting": "VocabInfo warm_start",
    },
    below=("experimental", "queue_runner"),
    continues="train",
    absent={
        "SyncReplicasOptimizer": "an optimizer on one server; parts of graphs are placed with `tf.device`",
        "do_quantize_training_on_graphdef": "tf.quantization.fake_quant_with_min_max_vars where the graph is built",
        "sdca_fprint": "tf.strings.to_hash_bucket_fast hashes text",
        "sdca_optimizer": "tf.compat.v1.train.FtrlOptimizer trains linear models",
        "sdca_shrink_l1": "tf.compat.v1.train.ProximalGradientDescentOptimizer shrinks weights",
    },
)

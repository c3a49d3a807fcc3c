"""What is here and behaves otherwise than TensorFlow's, in a few words each; what is out of scope."""

# Written by scripts/update_generated.py from docs/symbols.toml: change that, then run `make generate`.
# fmt: off
DIFFERING = {
    "ConfigProto": "most options are accepted and mean nothing",
    "Session.run": "time limits return at the deadline",
    "Tensor.set_shape": "checked when the value arrives",
    "distribute.MirroredStrategy": "on one device",
    "distribute.Server": "an actor of Ray; needs the extra ray",
}

OUT_OF_SCOPE = frozenset({
    "compat.v1.train.SyncReplicasOptimizer",
    "data.experimental.AutotuneAlgorithm",
    "data.experimental.distributed_save",
    "data.experimental.enable_debug_mode",
    "data.experimental.get_model_proto",
    "data.experimental.service",
    "distribute.coordinator",
    "estimator",
    "tpu",
})

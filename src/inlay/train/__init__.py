"""`tf.train`: checkpoints, optimizers and learning rates."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "train",
    ("cluster.server", "cluster.spec", "graph_def.writing", "summaries.reading", "training.checkpoint",
    "training.checkpoint_options", "training.checkpoint_state", "training.global_step", "training.manager",
    "training.moving_averages", "training.optimizer", "training.optimizers", "training.saver",
    "training.schedules"),
    late={
        "BytesList": "protos.example",
        "Example": "protos.example",
        "Feature": "protos.example",
        "FeatureList": "protos.example",
        "FeatureLists": "protos.example",
        "Features": "protos.example",
        "FloatList": "protos.example",
        "Int64List": "protos.example",
        "SaverDef": "protos.saved_model",
        "SequenceExample": "protos.example",
    },
    below=("experimental",),
)

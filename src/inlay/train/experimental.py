"""`tf.train.experimental`."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "train.experimental",
    {
        "training.trackable": "PythonState",
    },
    absent={
        "MaxShardSizePolicy": "a checkpoint is written as one file of data",
        "ShardByTaskPolicy": "a checkpoint is written as one file of data",
        "ShardableTensor": "a checkpoint is written as one file of data",
        "ShardingCallback": "a checkpoint is written as one file of data",
    },
)

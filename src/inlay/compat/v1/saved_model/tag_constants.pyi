"""`tf.compat.v1.saved_model.tag_constants`: tags of saved graphs."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.saved.constants import GPU, SERVING, TPU, TRAINING
__all__ = [
    "GPU", "SERVING", "TPU", "TRAINING"
]

"""`tf.nn`: neural networks, with the 2.x signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "nn",
    ("composite.ctc", "ops.activations", "ops.blocks", "ops.conv", "ops.convolutions", "ops.fractional",
    "ops.linalg", "ops.losses", "ops.morphology", "ops.nn", "ops.normalizing", "ops.pooling", "ops.powers",
    "ops.trigonometry"),
)

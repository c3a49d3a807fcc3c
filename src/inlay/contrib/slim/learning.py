"""`tf.contrib.slim.learning`: operations that train."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "contrib.slim.learning",
    {
        "tf1.slim.learning": "add_gradients_summaries clip_gradient_norms create_train_op multiply_gradients",
    },
)

"""`tf.compat.v1.math`: mathematics, with the 1.x signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.math",
    {
        "ops.legacy": "argmax argmin confusion_matrix count_nonzero in_top_k",
    },
    continues="math",
)

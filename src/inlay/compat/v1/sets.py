"""`tf.compat.v1.sets`: sets in the last axis of tensors, by the 1.x names too."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.sets",
    {
        "ops.composite.sets":
        "difference intersection set_difference set_intersection set_size set_union size union",
    },
)

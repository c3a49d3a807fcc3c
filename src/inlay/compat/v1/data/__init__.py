"""`tf.compat.v1.data`: datasets, with the iterators of 1.x."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.data",
    {
        "data.graph_iterators": "Iterator",
        "data.legacy":
        "get_output_classes get_output_shapes get_output_types make_initializable_iterator "
        "make_one_shot_iterator",
    },
    below=("experimental",),
    continues="data",
)

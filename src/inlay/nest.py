"""`tf.nest`: nested structures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "nest",
    {
        "base.types.nest": "assert_same_structure flatten is_nested map_structure pack_sequence_as",
    },
)

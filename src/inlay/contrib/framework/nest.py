"""`tf.contrib.framework.nest`: nested structures, shallow ones included."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "contrib.framework.nest",
    {
        "base.types.nest":
        "assert_same_structure assert_shallow_structure flatten flatten_up_to is_nested is_sequence "
        "map_structure map_structure_up_to pack_sequence_as",
    },
)

"""`tf.nest`: nested structures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.types.nest import assert_same_structure, flatten, is_nested, map_structure, pack_sequence_as

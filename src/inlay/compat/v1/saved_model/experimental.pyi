"""`tf.compat.v1.saved_model.experimental`: saving of objects."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.saved.options import VariablePolicy
from inlay._src.saved.saving import save
__all__ = [
    "VariablePolicy", "save"
]

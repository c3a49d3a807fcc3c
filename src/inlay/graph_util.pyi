"""`tf.graph_util`: graphs as messages."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.programs.graph_def.importing import import_graph_def
__all__ = [
    "import_graph_def"
]

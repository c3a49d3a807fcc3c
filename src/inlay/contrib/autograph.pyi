"""`tf.contrib.autograph`: `tf.autograph` by its first name."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.autograph import experimental, set_verbosity, to_code, to_graph, trace
__all__ = [
    "experimental", "set_verbosity", "to_code", "to_graph", "trace"
]

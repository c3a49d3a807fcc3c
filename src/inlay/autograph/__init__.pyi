"""Python control flow on tensors as graph control flow: what `tf.function` does to the functions it traces."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.programs.conversion.public import set_verbosity, to_code, to_graph, trace
from inlay.autograph import experimental
__all__ = [
    "experimental", "set_verbosity", "to_code", "to_graph", "trace"
]

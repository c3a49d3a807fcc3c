"""`tf.summary.experimental`: the step, and own kinds of summaries."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.tf1.summaries.recording import summary_scope, write_raw_pb
from inlay._src.tf1.summaries.state import get_step, set_step
__all__ = [
    "get_step", "set_step", "summary_scope", "write_raw_pb"
]

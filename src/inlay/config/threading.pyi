"""`tf.config.threading`: how many threads work on one op."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.base.interpreter.thread_settings import (
    get_inter_op_parallelism_threads, get_intra_op_parallelism_threads, set_inter_op_parallelism_threads,
    set_intra_op_parallelism_threads
)
__all__ = [
    "get_inter_op_parallelism_threads", "get_intra_op_parallelism_threads", "set_inter_op_parallelism_threads",
    "set_intra_op_parallelism_threads"
]

"""`tf.config.threading`: how many threads work on one op."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "config.threading",
    {
        "base.interpreter.thread_settings":
        "get_inter_op_parallelism_threads get_intra_op_parallelism_threads set_inter_op_parallelism_threads "
        "set_intra_op_parallelism_threads",
    },
)

"""`tf.config.optimizer`: whether functions are compiled without asking for it."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.engine.plan.optimizer_options import get_experimental_options, set_experimental_options
from inlay._src.engine.run.xla_segments import get_jit, set_jit
__all__ = [
    "get_experimental_options", "get_jit", "set_experimental_options", "set_jit"
]

"""`tf.config.optimizer`: whether functions are compiled without asking for it."""

from inlay.run.compiled import get_jit as get_jit
from inlay.run.compiled import set_jit as set_jit

__all__ = ["get_jit", "set_jit"]

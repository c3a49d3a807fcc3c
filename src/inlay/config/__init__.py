"""`tf.config`: settings of the process."""

from inlay.config import optimizer as optimizer
from inlay.functions.function import functions_run_eagerly as functions_run_eagerly
from inlay.functions.function import run_functions_eagerly as run_functions_eagerly

__all__ = ["functions_run_eagerly", "optimizer", "run_functions_eagerly"]

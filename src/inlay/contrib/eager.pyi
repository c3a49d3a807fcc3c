"""`tf.contrib.eager`."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay import py_function as py_func
from inlay.platform.decorators import (
    run_all_in_graph_and_eager_modes as run_all_tests_in_graph_and_eager_modes, run_in_graph_and_eager_modes as
    run_test_in_graph_and_eager_modes
)
__all__ = [
    "py_func", "run_all_tests_in_graph_and_eager_modes", "run_test_in_graph_and_eager_modes"
]

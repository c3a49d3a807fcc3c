"""`tf.contrib.eager`."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay import py_function as py_func
from inlay._src.core.behavior import enable_eager_execution
from inlay._src.data.iterating import eager_iterator as Iterator
from inlay._src.ops.variables.variable import Variable
from inlay._src.tf1.platform.decorators import (
    run_all_in_graph_and_eager_modes as run_all_tests_in_graph_and_eager_modes, run_in_graph_and_eager_modes as
    run_test_in_graph_and_eager_modes
)
__all__ = [
    "Iterator", "Variable", "enable_eager_execution", "py_func", "run_all_tests_in_graph_and_eager_modes",
    "run_test_in_graph_and_eager_modes"
]

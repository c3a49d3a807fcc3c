"""`tf.contrib.eager`."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay import py_function as py_func
from inlay._src.core.behavior import enable_eager_execution
from inlay._src.data.dataset import Dataset as _Dataset
from inlay._src.data.iterating import OwnedIterator as _OwnedIterator
from inlay._src.ops.variables.variable import Variable
from inlay._src.tf1.platform.decorators import run_in_graph_and_eager_modes as run_test_in_graph_and_eager_modes
from typing import Any as _Any, TypeVar as _TypeVar, overload as _overload
_R = _TypeVar("_R")
__all__ = [
    "Iterator", "Variable", "enable_eager_execution", "py_func", "run_all_tests_in_graph_and_eager_modes",
    "run_test_in_graph_and_eager_modes"
]
@_overload
def Iterator(dataset: _Dataset[_R]) -> _OwnedIterator[_R]:
    """`iter(dataset)`, by the name that eager programs of 1.x had for it.

    Args:
      dataset: a dataset."""
@_overload
def Iterator(dataset: _Any) -> _Any: ...
@_overload
def run_all_tests_in_graph_and_eager_modes(cls: type[_R]) -> type[_R]:
    """Decorator: every test of a class runs as `run_in_graph_and_eager_modes` says."""
@_overload
def run_all_tests_in_graph_and_eager_modes(cls: _Any) -> _Any: ...

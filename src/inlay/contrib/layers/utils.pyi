"""`tf.contrib.layers.utils`: outputs by name, collections of variables, sizes."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from collections.abc import Callable as _Callable
from inlay._src.core.tensor import Tensor as _Tensor
from inlay._src.tf1.layers.named_outputs import (
    append_tensor_alias, channel_dimension, collect_named_outputs, constant_value, convert_collection_to_dict,
    gather_tensors_aliases, get_tensor_aliases, get_variable_collections, last_dimension, n_positive_integers,
    two_element_tuple
)
from typing import Any as _Any, TypeVar as _TypeVar, overload as _overload
_R = _TypeVar("_R")
__all__ = [
    "append_tensor_alias", "channel_dimension", "collect_named_outputs", "constant_value",
    "convert_collection_to_dict", "gather_tensors_aliases", "get_tensor_aliases", "get_variable_collections",
    "last_dimension", "n_positive_integers", "smart_cond", "static_cond", "two_element_tuple"
]
@_overload
def smart_cond(pred: _Any, fn1: _Callable[..., _Tensor], fn2: _Callable[..., _Tensor], name: str | None = None) -> _Tensor:
    """`tf.cond`, or only one of the branches where the condition is known while the graph is built.

    Args:
      pred: a Python value, or a scalar bool tensor.
      fn1, fn2: functions without arguments.
      name: the node's name."""
@_overload
def smart_cond(pred: _Any, fn1: _Callable[[], _Any], fn2: _Callable[[], _Any], name: str | None = None) -> _Any: ...
@_overload
def static_cond(pred: _Any, fn1: _Callable[[], _R], fn2: _Callable[[], _R]) -> _R:
    """`fn1()` if a Python value holds, else `fn2()`; TypeError if either is no function."""
@_overload
def static_cond(pred: _Any, fn1: _Callable[[], _Any], fn2: _Callable[[], _Any]) -> _Any: ...

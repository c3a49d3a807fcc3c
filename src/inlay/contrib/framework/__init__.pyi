"""`tf.contrib.framework`: `py_func` over nests of arrays, `arg_scope`, variables of models."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
import builtins
from collections.abc import Callable as _Callable, Mapping as _Mapping, Sequence as _Sequence
from inlay._src.base.types.dtypes import DType as _DType
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core.tensor import Tensor as _Tensor
from inlay._src.ops.variables.variable import Variable as _Variable
from inlay._src.tf1.layers.arg_scope import (
    add_arg_scope, arg_scope, arg_scope_func_key, arg_scoped_arguments, current_arg_scope, has_arg_scope
)
from inlay._src.tf1.layers.choosing import smart_constant_value
from inlay._src.tf1.layers.model_variables import (
    add_model_variable, assert_or_get_global_step, assign_from_checkpoint, assign_from_checkpoint_fn,
    assign_from_values, assign_from_values_fn, filter_variables, get_local_variables, get_model_variables,
    get_trainable_variables, get_unique_variable, get_variable_full_name, get_variables, get_variables_by_name,
    get_variables_by_suffix, get_variables_to_restore, global_variable, local_variable, variable
)
from inlay._src.training.global_step import (
    assert_global_step, create_global_step, get_global_step, get_or_create_global_step
)
from inlay.contrib.framework import nest
from typing import Any as _Any, overload as _overload
__all__ = [
    "TensorSpec", "add_arg_scope", "add_model_variable", "arg_scope", "arg_scope_func_key", "arg_scoped_arguments",
    "assert_global_step", "assert_or_get_global_step", "assign_from_checkpoint", "assign_from_checkpoint_fn",
    "assign_from_values", "assign_from_values_fn", "create_global_step", "current_arg_scope", "filter_variables",
    "get_global_step", "get_local_variables", "get_model_variables", "get_or_create_global_step",
    "get_trainable_variables", "get_unique_variable", "get_variable_full_name", "get_variables",
    "get_variables_by_name", "get_variables_by_suffix", "get_variables_to_restore", "global_variable", "has_arg_scope",
    "local_variable", "model_variable", "nest", "py_func", "smart_cond", "smart_constant_value", "variable"
]
def model_variable(name: str | None, shape: _Any = None, dtype: _Any = ..., initializer: _Any = None, regularizer: _Any = None, trainable: builtins.bool = True, collections: _Any = None, caching_device: _Any = None, device: _Any = None, partitioner: _Any = None, custom_getter: _Any = None, use_resource: _Any = None, synchronization: _Any = ..., aggregation: _Any = ...) -> _Variable | _Any:
    """`variable` that also joins `GraphKeys.MODEL_VARIABLES`.

    Args:
      name, shape, dtype, initializer, regularizer, trainable, caching_device, partitioner, use_resource, synchronization,
        aggregation: as for `get_variable`.
      collections: more graph collections to join.
      device: where it lies.
      custom_getter: makes the variable in place of `get_variable`.

    Returns:
      A `Variable`, or a `PartitionedVariable`."""
@_overload
def py_func(func: _Callable[..., _Any], args: _Sequence[_Any] = (), kwargs: _Mapping[str, _Any] | None = None, *, output_types: _DType | str | type, output_shapes: _Any = None, stateful: builtins.bool = True, name: str | None = None) -> _Tensor:
    """Calls a Python function as an op; the function receives nests of NumPy arrays and returns a nest of them.

    Args:
      func: the function, called as `func(*args, **kwargs)` with every leaf an array (a NumPy scalar, or `bytes`, for
        rank 0).
      args: a list or tuple of nests; every leaf becomes a tensor.
      kwargs: a dict of nests.
      output_types: a nest of dtypes, or a callable that receives the arguments and returns one.
      output_shapes: shapes nested like `output_types` (a list at a leaf is one shape), or a callable that returns them.
      stateful: False declares that inlay may merge equal calls, and may fold, repeat or drop calls.
      name: the name of the op.

    Returns:
      A nest like `output_types` of tensors with the declared shapes.

    Raises:
      TypeError: if `args` is not a list or tuple, `kwargs` not a dict, or `output_types` not a nest of dtypes.
      InvalidArgumentError: if the result of a call does not match the declaration."""
@_overload
def py_func(func: _Callable[..., _Any], args: _Sequence[_Any] = (), kwargs: _Mapping[str, _Any] | None = None, output_types: _Any = None, output_shapes: _Any = None, stateful: builtins.bool = True, name: str | None = None) -> _Any: ...
@_overload
def smart_cond(pred: _Any, true_fn: _Callable[..., _Tensor], false_fn: _Callable[..., _Tensor], name: str | None = None) -> _Tensor:
    """`tf.cond`, or only one of the branches where the condition is known while the graph is built.

    Args:
      pred: a bool, 0 or 1, or a scalar bool tensor.
      true_fn, false_fn: functions without arguments.
      name: the node's name.

    Returns:
      The result of the branch.

    Raises:
      TypeError: if a branch is no function, or `pred` no condition."""
@_overload
def smart_cond(pred: _Any, true_fn: _Callable[[], _Any], false_fn: _Callable[[], _Any], name: str | None = None) -> _Any: ...

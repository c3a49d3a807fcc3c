"""`tf.contrib.framework`: `py_func` over nests of arrays, `arg_scope`, variables of models."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
import builtins
from inlay._src.base.types.specs import TensorSpec
from inlay._src.host.contrib import py_func
from inlay._src.ops.variables.variable import Variable as _Variable
from inlay._src.tf1.layers.arg_scope import (
    add_arg_scope, arg_scope, arg_scope_func_key, arg_scoped_arguments, current_arg_scope, has_arg_scope
)
from inlay._src.tf1.layers.choosing import smart_cond, smart_constant_value
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
from typing import Any as _Any
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

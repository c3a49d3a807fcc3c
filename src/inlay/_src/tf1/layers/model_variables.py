"""`tf.contrib.framework`: variables of a model, by collection, name and scope, and their values from checkpoints."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.interpreter import messages
from inlay._src.base.misuse import repr_of
from inlay._src.base.parameters import parameters_of
from inlay._src.base.types import dtypes
from inlay._src.core.context import device_v1
from inlay._src.core.graph import default_graph
from inlay._src.ops import control, placeholders
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.ops.variables.scope import VariableScope, get_variable, get_variable_scope
from inlay._src.ops.variables.variable import Variable, VariableAggregation, VariableSynchronization
from inlay._src.tf1.layers.arg_scope import add_arg_scope
from inlay._src.training.checkpoint_state import load_checkpoint
from inlay._src.training.global_step import assert_global_step, get_global_step
from inlay._src.training.saver import Saver

# ---------------------------------------------------------------- making


@export("contrib.framework.variable", "contrib.slim.variable")
@add_arg_scope
def variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    collections: Any = None,
    caching_device: Any = None,
    device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    use_resource: Any = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Variable | Any:
    """`get_variable`, on a device, with arguments that an argument scope can give.

    Args:
      name, shape, dtype, initializer, regularizer, trainable, caching_device, partitioner, use_resource,
        synchronization, aggregation: as for `get_variable`.
      collections: graph collections to join; None means `GraphKeys.GLOBAL_VARIABLES`.
      device: where it lies.
      custom_getter: makes the variable in place of `get_variable`.

    Returns:
      A `Variable`, or a `PartitionedVariable`.
    """
    keys = dict.fromkeys([GraphKeys.GLOBAL_VARIABLES] if collections is None else collections)
    getter: Any = get_variable
    if custom_getter is not None:
        if not callable(custom_getter):
            raise TypeError(f"`custom_getter` must be a function, got {custom_getter!r}")
        getter = functools.partial(custom_getter, reuse=get_variable_scope().reuse)
    with device_v1(device or ""):
        return getter(
            name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer, trainable=trainable,
            collections=list(keys), caching_device=caching_device, partitioner=partitioner, use_resource=use_resource,
            synchronization=synchronization, aggregation=aggregation,
        )  # fmt: skip


@export("contrib.framework.model_variable", "contrib.slim.model_variable")
@add_arg_scope
@parameters_of(variable, dtype=dtypes.float32)
def model_variable(*, collections: Any = None, **arguments: Any) -> Variable | Any:
    """`variable` that also joins `GraphKeys.MODEL_VARIABLES`.

    Args:
      collections: more graph collections to join.
    """
    keys = [*(collections or ()), GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES]
    return variable(**arguments, collections=keys)


@export("contrib.framework.local_variable", "contrib.slim.local_variable")
def local_variable(
    initial_value: Any, validate_shape: bool = True, name: str | None = None, use_resource: Any = None
) -> Variable:
    """A variable that does not train and is not saved: it joins `GraphKeys.LOCAL_VARIABLES`.

    Args:
      initial_value, validate_shape, name, use_resource: as for `Variable`.
    """
    return Variable(initial_value, False, validate_shape, name=name, collections=[GraphKeys.LOCAL_VARIABLES])


@export("contrib.framework.global_variable", "contrib.slim.global_variable")
def global_variable(
    initial_value: Any, validate_shape: bool = True, name: str | None = None, use_resource: Any = None
) -> Variable:
    """A variable that does not train and is saved: it joins `GraphKeys.GLOBAL_VARIABLES`.

    Args:
      initial_value, validate_shape, name, use_resource: as for `Variable`.
    """
    return Variable(initial_value, False, validate_shape, name=name, collections=[GraphKeys.GLOBAL_VARIABLES])


@export("contrib.framework.add_model_variable", "contrib.slim.add_model_variable")
def add_model_variable(var: Any) -> None:
    """Adds a variable to `GraphKeys.MODEL_VARIABLES`, if it is not there."""
    if all(member is not var for member in default_graph().get_collection(GraphKeys.MODEL_VARIABLES)):
        default_graph().add_to_collection(GraphKeys.MODEL_VARIABLES, var)


# ---------------------------------------------------------------- finding


@export("contrib.framework.get_variables", "contrib.slim.get_variables")
def get_variables(
    scope: Any = None, suffix: str | None = None, collection: str = GraphKeys.GLOBAL_VARIABLES
) -> list[Variable]:
    """The variables of a collection.

    Args:
      scope: a `VariableScope` or a regular expression that names begin with; None for all.
      suffix: the suffix of names.
      collection: the graph collection.

    Returns:
      A list.
    """
    if isinstance(scope, VariableScope):
        scope = scope.name
    if suffix is not None:
        scope = f"{scope or ''}.*{suffix if ':' in suffix else f'{suffix}:'}"
    return default_graph().get_collection(collection, scope)


@export("contrib.framework.get_model_variables", "contrib.slim.get_model_variables")
def get_model_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """`get_variables` of `GraphKeys.MODEL_VARIABLES`."""
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)  # type: ignore[no-any-return]


@export("contrib.framework.get_local_variables", "contrib.slim.get_local_variables")
def get_local_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """`get_variables` of `GraphKeys.LOCAL_VARIABLES`."""
    return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)  # type: ignore[no-any-return]


@export("contrib.framework.get_trainable_variables", "contrib.slim.get_trainable_variables")
def get_trainable_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """`get_variables` of `GraphKeys.TRAINABLE_VARIABLES`."""
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)  # type: ignore[no-any-return]


@export("contrib.framework.get_variables_by_suffix", "contrib.slim.get_variables_by_suffix")
def get_variables_by_suffix(suffix: str, scope: Any = None) -> list[Any]:
    """The global variables whose names end with a suffix."""
    return get_variables(scope, suffix)  # type: ignore[no-any-return]


@export("contrib.framework.get_variables_by_name", "contrib.slim.get_variables_by_name")
def get_variables_by_name(given_name: str, scope: Any = None) -> list[Any]:
    """The global variables that were given a name, in any scope."""
    return get_variables(scope, f"/{given_name}:|^{given_name}:")  # type: ignore[no-any-return]


@export("contrib.framework.get_unique_variable", "contrib.slim.get_unique_variable")
def get_unique_variable(var_op_name: str) -> Variable:
    """The global variable of a full name; ValueError if there is none."""
    candidates = get_variables(var_op_name)
    for candidate in candidates:
        if candidate.op.name == var_op_name:
            return candidate
    why = f"Variable {var_op_name} does not uniquely identify a variable" if candidates else "Couldn't find variable "
    raise ValueError(why if candidates else f"{why}{var_op_name}")


@export("contrib.framework.get_variables_to_restore", "contrib.slim.get_variables_to_restore")
def get_variables_to_restore(include: Any = None, exclude: Any = None) -> list[Any]:
    """The global variables of some scopes without those of others.

    Args:
      include: scopes, as regular expressions that names begin with; None means all variables.
      exclude: scopes to leave out.

    Raises:
      TypeError: if either is no list or tuple.
    """
    for name, scopes in (("include", include), ("exclude", exclude)):
        if scopes is not None and not isinstance(scopes, (list, tuple)):
            raise TypeError(f"{name} is provided but is not a list or a tuple.")
    chosen = get_variables() if include is None else [v for scope in include for v in get_variables(scope)]
    without = {id(v) for scope in exclude or () for v in get_variables(scope)}
    return [v for v in chosen if id(v) not in without]


@export("contrib.framework.filter_variables", "contrib.slim.filter_variables")
def filter_variables(
    var_list: Iterable[Any], include_patterns: Any = None, exclude_patterns: Any = None, reg_search: bool = True
) -> list[Any]:
    """The variables whose names fit one pattern and none of others.

    Args:
      var_list: variables.
      include_patterns: regular expressions; None takes every variable.
      exclude_patterns: regular expressions of those to leave out.
      reg_search: whether a pattern fits anywhere in a name, or at its beginning.

    Raises:
      TypeError: if `var_list` has anything without a name.
    """
    var_list = list(var_list)
    for var in var_list:
        if not isinstance(getattr(var, "name", None), str):
            raise TypeError(f"Expected variables as `var_list`, got {repr_of(var)}")
    fits = re.search if reg_search else re.match

    def named(var: Any, patterns: Any) -> bool:
        return any(fits(pattern, var.name) for pattern in patterns)

    chosen = [v for v in var_list if include_patterns is None or named(v, include_patterns)]
    return [v for v in chosen if exclude_patterns is None or not named(v, exclude_patterns)]


@export("contrib.framework.get_variable_full_name", "contrib.slim.get_variable_full_name")
def get_variable_full_name(var: Any) -> str:
    """The name under which checkpoints hold a variable: for a part that of the whole."""
    part = getattr(var, "_save_slice_info", None)
    return str(part.full_name if part is not None else var.op.name)


@export("contrib.framework.assert_or_get_global_step", "contrib.slim.assert_or_get_global_step")
def assert_or_get_global_step(graph: Any = None, global_step_tensor: Any = None) -> Variable | None:
    """A global step, checked, or that of the graph; None if there is none."""
    if global_step_tensor is None:
        return get_global_step(graph)
    assert_global_step(global_step_tensor)
    return global_step_tensor


# ---------------------------------------------------------------- values


@export("contrib.framework.assign_from_values", "contrib.slim.assign_from_values")
def assign_from_values(var_names_to_values: Mapping[str, np.ndarray]) -> tuple[Any, dict[Any, Any]]:
    """An operation that sets variables, and what to feed it.

    Args:
      var_names_to_values: full name -> value.

    Returns:
      (operation, feeds).

    Raises:
      ValueError: if there is no variable of such a name.
    """
    pairs = []
    for name, value in var_names_to_values.items():
        candidates = default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES, name)
        if not candidates:
            raise ValueError(f"Variable {name} wasn't found")
        exact = [v for v in candidates if v.op.name == name] or candidates
        if len(exact) > 1:
            raise ValueError(f"Variable {name} doesn't uniquely identify a variable")
        pairs.append((exact[0], np.reshape(value, exact[0].shape.as_list())))
    return _assigned(pairs)


def _assigned(pairs: Iterable[tuple[Any, np.ndarray]]) -> tuple[Any, dict[Any, Any]]:
    feeds, assigns = {}, []
    for var, value in pairs:
        fed = placeholders.placeholder(var.dtype, var.shape, name=f"placeholder/{var.op.name}")
        assigns.append(var.assign(fed).op)
        feeds[fed] = value
    return control.group(*assigns), feeds


@export("contrib.framework.assign_from_values_fn", "contrib.slim.assign_from_values_fn")
def assign_from_values_fn(var_names_to_values: Mapping[str, np.ndarray]) -> Callable[[Any], Any]:
    """A function of a session that sets variables; its argument is as for `assign_from_values`."""
    assign, feeds = assign_from_values(var_names_to_values)
    return lambda session: session.run(assign, feeds)


@export("contrib.framework.assign_from_checkpoint", "contrib.slim.assign_from_checkpoint")
def assign_from_checkpoint(
    model_path: str, var_list: Any, ignore_missing_vars: bool = False
) -> tuple[Any, dict[Any, Any]]:
    """An operation that sets variables to the values of a checkpoint, and what to feed it.

    Args:
      model_path: the checkpoint.
      var_list: variables, or name in the checkpoint -> variable, or a list of its parts.
      ignore_missing_vars: whether variables that the checkpoint has not are left as they are.

    Returns:
      (operation, feeds).

    Raises:
      ValueError: if the checkpoint misses one, or its shape differs.
    """
    named: dict[str, list[Any]] = {}
    if isinstance(var_list, (list, tuple)):
        for var in var_list:
            named.setdefault(get_variable_full_name(var), []).append(var)
    else:
        named = {name: list(v) if isinstance(v, (list, tuple)) else [v] for name, v in var_list.items()}
    reader, pairs = load_checkpoint(model_path), []
    for name, variables in named.items():
        if not reader.has_tensor(name):
            if not ignore_missing_vars:
                raise ValueError(f"Checkpoint is missing variable [{name}]")
            messages.warning("Checkpoint is missing variable [%s]", name)
            continue
        value = reader.get_tensor(name)
        for var in variables:
            part = getattr(var, "_save_slice_info", None)
            if part is not None:
                begins = zip(part.var_offset, part.var_shape, strict=True)
                pairs.append((var, value[tuple(slice(at, at + size) for at, size in begins)]))
                continue
            if tuple(var.shape.as_list()) != value.shape:
                raise ValueError(
                    f"Total size of new array must be unchanged for {name} lh_shape: [{value.shape}], rh_shape: "
                    f"[{var.shape}]"
                )
            pairs.append((var, value))
    return _assigned(pairs)


@export("contrib.framework.assign_from_checkpoint_fn", "contrib.slim.assign_from_checkpoint_fn")
def assign_from_checkpoint_fn(
    model_path: str, var_list: Any, ignore_missing_vars: bool = False, reshape_variables: bool = False
) -> Callable[[Any], None] | None:
    """A function of a session that restores variables from a checkpoint.

    Args:
      model_path: the checkpoint.
      var_list: variables, or name in the checkpoint -> variable.
      ignore_missing_vars: whether variables that the checkpoint has not are left as they are.
      reshape_variables: whether a value of another shape but the same size is taken.

    Returns:
      The function; None if nothing is left to restore.

    Raises:
      ValueError: if there are no variables.
    """
    if not var_list:
        raise ValueError("var_list cannot be empty")
    if ignore_missing_vars:
        reader = load_checkpoint(model_path)
        named = dict(var_list) if isinstance(var_list, Mapping) else {v.op.name: v for v in var_list}
        for name in [name for name in named if not reader.has_tensor(name)]:
            messages.warning("Variable %s missing in checkpoint %s", name, model_path)
            del named[name]
        var_list = named
    if not var_list:
        messages.warning("No Variables to restore")
        return None
    saver = Saver(var_list, reshape=reshape_variables)

    def restore(session: Any) -> None:
        saver.restore(session, model_path)

    return restore

"""The collections of a graph: `GraphKeys`, the lists of variables, and operations on all of a list."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.misuse import shown
from inlay._src.base.types import dtypes
from inlay._src.core import context
from inlay._src.core import graph as graphs
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS
from inlay._src.core.operation import Operation
from inlay._src.core.state import handle_key
from inlay._src.core.tensor import SymbolicTensor, Tensor
from inlay._src.ops import control
from inlay._src.ops.variables.variable import Variable


@export("GraphKeys")
class GraphKeys:
    """The usual names of graph collections."""

    GLOBAL_VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    CONCATENATED_VARIABLES = "concatenated_variables"
    SUMMARIES = "summaries"
    SUMMARY_OP = "summary_op"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    REGULARIZATION_LOSSES = "regularization_losses"
    LOSSES = "losses"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    UPDATE_OPS = "update_ops"
    SAVERS = "savers"
    SAVEABLE_OBJECTS = "saveable_objects"
    TRAIN_OP = "train_op"
    GLOBAL_STEP = "global_step"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    EVAL_STEP = "eval_step"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"


def _listed(key: str, scope: str | None) -> list[Variable]:
    return graphs.default_graph().get_collection(key, scope)


@export("global_variables")
def global_variables(scope: str | None = None) -> list[Variable]:
    """The variables of the default graph; with `scope`, those whose name matches it as a regular expression."""
    return _listed(GraphKeys.GLOBAL_VARIABLES, scope)


@export("trainable_variables")
def trainable_variables(scope: str | None = None) -> list[Variable]:
    """The trainable variables of the default graph."""
    return _listed(GraphKeys.TRAINABLE_VARIABLES, scope)


@export("local_variables")
def local_variables(scope: str | None = None) -> list[Variable]:
    """The local variables of the default graph: those that are not saved."""
    return _listed(GraphKeys.LOCAL_VARIABLES, scope)


@export("model_variables")
def model_variables(scope: str | None = None) -> list[Variable]:
    """The variables of the collection `model_variables`."""
    return _listed(GraphKeys.MODEL_VARIABLES, scope)


@export("moving_average_variables")
def moving_average_variables(scope: str | None = None) -> list[Variable]:
    """The variables that have moving averages."""
    return _listed(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


@export("all_variables")
def all_variables() -> list[Variable]:
    """`global_variables` under its oldest name."""
    return global_variables()


@export("variables_initializer", "compat.v1.initializers.variables", "initialize_variables")
def variables_initializer(var_list: Any, name: str = "init") -> Operation | None:
    """An operation that gives each of `var_list` its initial value; None while executing eagerly.

    Raises:
      TypeError: for an element that is no variable.
    """
    if context.executing_eagerly():
        return control.no_op(name)
    var_list = [] if var_list is None else var_list
    for v in var_list:
        if not hasattr(v, "initializer"):
            raise TypeError(f"`var_list` must be a list of variables, but there is {shown(v)} in it")
    return control.group(*(v.initializer for v in var_list if v.initializer is not None), name=name)


@export("global_variables_initializer", "compat.v1.initializers.global_variables", "initialize_all_variables")
def global_variables_initializer() -> Operation | None:
    """An operation that initializes every variable of the default graph."""
    return variables_initializer(global_variables())


@export("local_variables_initializer", "compat.v1.initializers.local_variables", "initialize_local_variables")
def local_variables_initializer() -> Operation | None:
    """An operation that initializes the local variables of the default graph."""
    return variables_initializer(local_variables())


@export("is_variable_initialized")
def is_variable_initialized(variable: Any) -> Tensor:
    """Whether a variable, or that of a tensor that stands for one in a graph, has a value: a bool tensor."""
    owner = getattr(handle_key(variable), "owner", None) if isinstance(variable, SymbolicTensor) else None
    return (variable if owner is None else owner()).is_initialized()


def _checked(var_list: Any) -> list[Any]:
    """The variables of a list, or all global and local ones.

    Raises:
      TypeError: if another value is among them.
    """
    if var_list is None:
        return [*global_variables(), *local_variables()]
    variables = list(var_list)
    for variable in variables:
        if not hasattr(variable, "is_initialized"):
            raise TypeError(f"`var_list` must hold variables, got {variable!r}")
    return variables


@export("report_uninitialized_variables")
def report_uninitialized_variables(var_list: Any = None, name: str = "report_uninitialized_variables") -> Tensor:
    """The names of the variables that have no value yet, as a string vector.

    Args:
      var_list: the variables; None means all global and local ones.
      name: the node's name.
    """
    checked = _checked(var_list)
    if not checked:
        return convert_to_tensor(np.empty((0,), object), dtypes.string)
    flags = [v.is_initialized() for v in checked]
    names = tuple(v.name.removesuffix(":0").encode() for v in checked)
    return emit(OPS["UninitializedNames"], (flags,), {"names": names}, name)


@export("assert_variables_initialized")
def assert_variables_initialized(var_list: Any = None) -> Operation | None:
    """An operation that fails with FailedPreconditionError if a variable has no value (1.x).

    Args:
      var_list: the variables; None means all global and local ones.
    """
    checked = _checked(var_list)
    if not checked:
        return None
    names = tuple(v.name.removesuffix(":0").encode() for v in checked)
    return emit(OPS["AssertInitialized"], ([v.is_initialized() for v in checked],), {"names": names})


@export("add_to_collection")
def add_to_collection(name: Any, value: Any) -> None:
    """Appends to a collection of the default graph."""
    graphs.default_graph().add_to_collection(name, value)


@export("add_to_collections")
def add_to_collections(names: Any, value: Any) -> None:
    """Appends to several collections of the default graph."""
    graphs.default_graph().add_to_collections(names, value)


@export("get_collection")
def get_collection(key: Any, scope: str | None = None) -> list[Any]:
    """A copy of a collection of the default graph; with `scope`, the items whose name matches it."""
    return graphs.default_graph().get_collection(key, scope)


@export("get_collection_ref")
def get_collection_ref(key: Any) -> list[Any]:
    """A collection of the default graph itself: changes of the list change the collection."""
    return graphs.default_graph().get_collection_ref(key)

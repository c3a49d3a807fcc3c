"""The global step: a variable that counts updates, one per graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core import graph as graphs
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import Graph
from inlay._src.ops.variables import initializers
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.ops.variables.scope import VariableScope, variable_scope
from inlay._src.ops.variables.variable import Variable


@export("train.get_global_step", "contrib.framework.get_global_step", "contrib.slim.get_global_step")
def get_global_step(graph: Graph | None = None) -> Variable | None:
    """The global step of a graph, or None.

    Args:
      graph: the graph; None means the default one.

    Raises:
      TypeError: if it is not an integer scalar.
    """
    steps = (graph or graphs.default_graph()).get_collection(GraphKeys.GLOBAL_STEP)
    if len(steps) > 1:
        raise ValueError(f"There are {len(steps)} global steps, one is expected: {steps}")
    if not steps:
        return None
    assert_global_step(steps[0])
    return steps[0]  # type: ignore[no-any-return]


@export("train.create_global_step", "contrib.framework.create_global_step", "contrib.slim.create_global_step")
def create_global_step(graph: Graph | None = None) -> Variable:
    """Makes the global step: an int64 zero in `GraphKeys.GLOBAL_STEP`.

    Args:
      graph: the graph; None means the default one.

    Raises:
      ValueError: if there is one already.
    """
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    if graph is not None and graph is not graphs.default_graph():
        with graph.as_default():
            return create_global_step()
    with variable_scope(VariableScope(False), auxiliary_name_scope=False) as root:
        return root.get_variable(
            "global_step",
            [],
            dtypes.int64,
            initializer=initializers.Zeros(dtypes.int64),
            trainable=False,
            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP],
        )


@export(
    "train.get_or_create_global_step",
    "contrib.framework.get_or_create_global_step",
    "contrib.slim.get_or_create_global_step",
)
def get_or_create_global_step(graph: Graph | None = None) -> Variable:
    """The global step of a graph, made if there is none."""
    step = get_global_step(graph)
    return create_global_step(graph) if step is None else step


@export("train.assert_global_step", "contrib.framework.assert_global_step", "contrib.slim.assert_global_step")
def assert_global_step(global_step_tensor: Any) -> None:
    """Checks that a global step is an integer scalar; TypeError otherwise."""
    if isinstance(global_step_tensor, (np.ndarray, np.generic)):
        global_step_tensor = convert_to_tensor(global_step_tensor)
    if not global_step_tensor.dtype.is_integer:
        raise TypeError(f'Existing "global_step" does not have integer type: {global_step_tensor.dtype}')
    if global_step_tensor.shape.rank not in (0, None):
        raise TypeError(f'Existing "global_step" is not scalar: {global_step_tensor.shape}')


@export("train.global_step")
def global_step(sess: Any, global_step_tensor: Variable) -> int:
    """The global step's value: in a session, or eagerly."""
    return step_number(global_step_tensor, sess)


def step_number(value: Any, session: Any = None) -> int:
    """A number as it is, or that of an eager variable or tensor, or of one of a graph in a session.

    Raises:
      TypeError: if it is no scalar.
    """
    if getattr(value, "graph", None) is not None:
        value = value.eval(session=session)
    elif isinstance(value, Variable):
        value = value.numpy()
    if np.ndim(value):
        raise TypeError(f"Expected a step, a scalar, not {value!r}")
    return int(value)

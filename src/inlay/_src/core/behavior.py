"""Differences between the behavior of 1.x and 2.x that no argument overrides: whether ops run at once or build the
default graph, what the items of shapes are, and what a fetched variable is beside its update."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import shapes
from inlay._src.base.types.attributes import disable_tensor_equality, enable_tensor_equality
from inlay._src.core import context
from inlay._src.core.graph import global_graph


@export("disable_v2_behavior")
def disable_v2_behavior() -> None:
    """Makes ops build the default graph, `==` ask for identity, the items of shapes Dimensions, and variables no
    resources, as in 1.x."""
    disable_eager_execution()
    disable_tensor_equality()
    shapes.disable_v2_tensorshape()
    disable_resource_variables()


@export("enable_v2_behavior")
def enable_v2_behavior() -> None:
    """Makes ops run at once, the items of shapes numbers, and variables resources (the default)."""
    enable_eager_execution()
    enable_tensor_equality()
    shapes.enable_v2_tensorshape()
    enable_resource_variables()


@export("disable_eager_execution")
def disable_eager_execution() -> None:
    """Makes ops build the default graph, as in 1.x. Function bodies still run eagerly."""
    if context.base().graph is None:
        context.set_base(context.State(graph=global_graph()))


@export("enable_eager_execution", "contrib.eager.enable_eager_execution")
def enable_eager_execution(config: Any = None, device_policy: Any = None, execution_mode: Any = None) -> None:
    """Makes ops run at once (the default).

    Args:
      config, device_policy, execution_mode: accepted and ignored.
    """
    context.set_base(context.EAGER)


class _Settings:
    resources = True
    control_flow_v2 = True


@export("compat.v1.enable_resource_variables")
def enable_resource_variables() -> None:
    """Makes variables resources from now on (the default): one that is fetched beside its update is read before it."""
    _Settings.resources = True


@export("compat.v1.disable_resource_variables")
def disable_resource_variables() -> None:
    """Makes variables as 1.x makes them from now on: one that a session fetches beside its update has its new value.

    In everything else variables are the same.
    """
    _Settings.resources = False


@export("compat.v1.resource_variables_enabled")
def resource_variables_enabled() -> bool:
    """Whether variables are made as resources."""
    return _Settings.resources


@export("compat.v1.enable_control_flow_v2")
def enable_control_flow_v2() -> None:
    """Makes `control_flow_v2_enabled` answer True (the default). They are nodes with functions anyway."""
    _Settings.control_flow_v2 = True


@export("compat.v1.disable_control_flow_v2")
def disable_control_flow_v2() -> None:
    """Makes `control_flow_v2_enabled` answer False. Conditionals and loops stay nodes with functions."""
    _Settings.control_flow_v2 = False


@export("compat.v1.control_flow_v2_enabled")
def control_flow_v2_enabled() -> bool:
    """Whether conditionals and loops are asked to be nodes with functions, which they are in either case."""
    return _Settings.control_flow_v2

"""Whether ops run at once or build the default graph where nothing says more, and what the items of shapes are."""

from __future__ import annotations

from typing import Any

from inlay.core import context
from inlay.core.graph import global_graph
from inlay.export import export
from inlay.types import shapes


@export("disable_v2_behavior")
def disable_v2_behavior() -> None:
    """Makes ops build the default graph, and the items of shapes Dimensions, as in 1.x."""
    disable_eager_execution()
    shapes.disable_v2_tensorshape()


@export("enable_v2_behavior")
def enable_v2_behavior() -> None:
    """Makes ops run at once, and the items of shapes numbers (the default)."""
    enable_eager_execution()
    shapes.enable_v2_tensorshape()


@export("disable_eager_execution")
def disable_eager_execution() -> None:
    """Makes ops build the default graph, as in 1.x. Function bodies still run eagerly."""
    if context.base().graph is None:
        context.set_base(context.State(graph=global_graph()))


@export("enable_eager_execution")
def enable_eager_execution(config: Any = None, device_policy: Any = None, execution_mode: Any = None) -> None:
    """Makes ops run at once (the default).

    Args:
      config, device_policy, execution_mode: accepted and ignored.
    """
    context.set_base(context.EAGER)

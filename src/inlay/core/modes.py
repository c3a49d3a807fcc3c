"""What holds outside every `with`: eager execution (the default), or building the default graph as in 1.x."""

from __future__ import annotations

from typing import Any

from inlay.core import context
from inlay.core import graph as graphs
from inlay.core.tensor import Tensor
from inlay.export import export


@export("disable_eager_execution", "disable_v2_behavior")
def disable_eager_execution() -> None:
    """Makes ops build the default graph, as in 1.x. Function bodies still run eagerly."""
    if context.base().graph is None:
        context.set_base(context.State(graph=graphs.global_graph()))


@export("enable_eager_execution", "enable_v2_behavior")
def enable_eager_execution(config: Any = None, device_policy: Any = None, execution_mode: Any = None) -> None:
    """Makes ops run at once (the default).

    Args:
      config, device_policy, execution_mode: accepted and ignored.
    """
    context.set_base(context.EAGER)


@export("compat.v1.executing_eagerly_outside_functions")
def executing_eagerly_outside_functions() -> bool:
    """Whether ops run at once where no function is being traced."""
    return context.home() is None


@export("is_tensor")
def is_tensor(x: Any) -> bool:
    """Whether `x` is a tensor, a variable or a value made of tensors (ragged, sparse)."""
    return isinstance(x, Tensor) or hasattr(x, "__tf_tensor__") or hasattr(x, "_components")

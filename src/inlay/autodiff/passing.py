"""Functions whose gradient is replaced by nothing, or by that of the identity."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from inlay.autodiff.custom import custom_gradient
from inlay.autodiff.graph_gradients import as_list, gradients


def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f` with the gradient of the identity: cotangents pass to its arguments unchanged.

    Args:
      f: a function whose results are shaped like its arguments.
    """

    @custom_gradient
    @functools.wraps(f)
    def passed(*args: Any, **kwargs: Any) -> Any:
        def grad(*cotangents: Any) -> Any:
            return cotangents[0] if len(args) == 1 else cotangents

        return f(*args, **kwargs), grad

    return passed  # type: ignore[no-any-return]


def no_gradient(op_type: str) -> None:
    """Registers a gradient name that lets nothing pass (the older name of `NotDifferentiable`)."""
    from inlay.autodiff.graph_gradients import not_differentiable

    not_differentiable(op_type)


def hessians(
    ys: Any,
    xs: Any,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    name: str = "hessians",
) -> list[Any]:
    """Second derivatives of the sum of `ys` with respect to each of `xs`, as graph nodes.

    Args:
      ys: symbolic tensors.
      xs: symbolic tensors of known shape.
      gate_gradients, aggregation_method: accepted and ignored.
      name: the scope of the new nodes.

    Returns:
      Per `x` a tensor of shape `x.shape + x.shape`, or None.
    """
    from inlay.autodiff.jacobian import jacobian

    found: list[Any] = []
    for x in as_list(xs):
        (slope,) = gradients(ys, x, name=name)
        if slope is None:
            found.append(None)
            continue
        with slope.graph.as_default():
            found.append(jacobian(lambda seed, s=slope, x=x: gradients(s, x, seed, name=name), slope)[0])  # type: ignore[misc]
    return found

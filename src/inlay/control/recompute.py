"""`recompute_grad`: what a function computes on the way is not kept for its gradient but computed again."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from inlay.autodiff.gradient_tape import GradientTape
from inlay.control.custom_gradient import custom_gradient
from inlay.export import export
from inlay.ops.array import identity
from inlay.types import nest


@export("recompute_grad")
def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f` with a gradient that runs it once more: nothing of what it computes on the way is kept in between.

    Args:
      f: a function of tensors, or nests of them, that gives the same for the same arguments; it may read variables.

    Returns:
      A function like `f`; keyword arguments are passed on, and have no gradient.
    """

    @custom_gradient
    @functools.wraps(f)
    def recomputed(*args: Any, **kwargs: Any) -> Any:
        def grad(*cotangents: Any, variables: Sequence[Any] = ()) -> Any:
            with GradientTape() as tape:
                inputs = nest.map_structure(identity, args)
                tape.watch(inputs)
                results = nest.flatten(f(*inputs, **kwargs))
            found = tape.gradient(results, [*nest.flatten(inputs), *variables], output_gradients=list(cotangents))
            count = len(found) - len(variables)
            return (found[:count], found[count:]) if variables else found

        return f(*args, **kwargs), grad

    return recomputed  # type: ignore[no-any-return]

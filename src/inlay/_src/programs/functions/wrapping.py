"""`wrap_function`: code of 1.x as a function of tensors that holds the variables it made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.ops.variables import created_since
from inlay._src.programs.functions.concrete import ConcreteFunction
from inlay._src.programs.functions.function import Function, TracingOptions, trace


@export("compat.v1.wrap_function")
def wrap_function(fn: Callable[..., Any], signature: Sequence[Any], name: str | None = None) -> ConcreteFunction:
    """Traces `fn` once, as code of 1.x: `get_variable`, variable scopes and collections work inside.

    Variables that it makes begin with their first values at once; the function holds them. A call runs what the results
    need, as a session does: an operation that changes something runs if it is returned or a result depends on it.

    Args:
      fn: the function. Its control flow is not converted.
      signature: one `TensorSpec` for each argument that is a tensor; anything else is passed as it is.
      name: names the graph.

    Returns:
      A concrete function of the tensors.

    Raises:
      ValueError: if a variable's first value is a tensor of the function.
    """
    function = Function(fn, TracingOptions(None, False, None, False), name)
    bound = function._bind(tuple(signature), {})
    with created_since() as variables:
        wrapped = trace(fn, function._name, bound, in_v1=True)
    wrapped._own_variables = tuple(variables)
    return wrapped

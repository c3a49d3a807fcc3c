"""`contrib.framework.py_func`: nested arguments and results over NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.tracebacks import boundary, leave
from inlay._src.host import api, declare, eager_calls, ops
from inlay._src.host.inputs import flatten_nested_inputs
from inlay._src.host.record import CallOptions, Mode


@export("contrib.framework.py_func")
@boundary
def py_func(
    func: Callable[..., Any],
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    output_types: Any = None,
    output_shapes: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """Calls a Python function as an op; the function receives nests of NumPy arrays and returns a nest of them.

    Args:
      func: the function, called as `func(*args, **kwargs)` with every leaf an array (a NumPy scalar, or `bytes`, for
        rank 0).
      args: a list or tuple of nests; every leaf becomes a tensor.
      kwargs: a dict of nests.
      output_types: a nest of dtypes, or a callable that receives the arguments and returns one.
      output_shapes: shapes nested like `output_types` (a list at a leaf is one shape), or a callable that returns them.
      stateful: False declares that inlay may merge equal calls, and may fold, repeat or drop calls.
      name: the name of the op.

    Returns:
      A nest like `output_types` of tensors with the declared shapes.

    Raises:
      TypeError: if `args` is not a list or tuple, `kwargs` not a dict, or `output_types` not a nest of dtypes.
      InvalidArgumentError: if the result of a call does not match the declaration.
    """
    try:
        if not isinstance(args, (list, tuple)):
            raise TypeError(f"args must be list and not {type(args)}. args: {args}")
        if kwargs is None:
            kwargs = {}
        elif not isinstance(kwargs, dict):
            raise TypeError(f"kwargs must be dict and not {type(kwargs)}. args: {kwargs}")
        op = ops.PY_FUNC if stateful else ops.PY_FUNC_STATELESS
        types_are_computed = callable(output_types) and not isinstance(output_types, type)
        if not (output_types is None or types_are_computed):
            result = eager_calls.run(func, args, output_types, op, (kwargs, output_shapes, None, True, True))
            if result is not eager_calls.UNHANDLED:
                return result
        declare.checked_callable(func)
        if types_are_computed:
            output_types = output_types(*args, **kwargs)
        if callable(output_shapes):
            output_shapes = output_shapes(*args, **kwargs)
        options = CallOptions(kwargs, output_shapes, stateful=stateful)
        inputs = flatten_nested_inputs(args, kwargs)
        if inputs.graph is None and output_types is not None:
            result = eager_calls.specialize(func, inputs, output_types, op, options, nested=True)
            if result is not eager_calls.UNHANDLED:
                return result
        label = "contrib.framework.py_func"
        outputs = declare.nested_outputs(output_types, label, output_shapes)
        return api.stage_flat(label, Mode.NUMPY, func, inputs, outputs, CallOptions(stateful=stateful), name)
    except Exception as error:
        leave(error)
        raise

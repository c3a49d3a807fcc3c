"""`contrib.framework.py_func`: nested arguments and results over NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.host import api, declare, eager_calls, ops
from inlay._src.host.record import Mode


@export("contrib.framework.py_func")
def py_func(
    func: Callable[..., Any],
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    output_types: Any = None,
    output_shapes: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """Makes a Python function an op that receives nests of NumPy arrays and returns a nest of them.

    Args:
      func: the function, called as `func(*args, **kwargs)` with every leaf an array (a NumPy scalar, or `bytes`, for
        rank 0).
      args: a list or tuple of nests; every leaf becomes a tensor.
      kwargs: a dict of nests.
      output_types: a nest of dtypes, or a callable of the arguments that gives it.
      output_shapes: shapes nested like `output_types` (a list at a leaf is one shape), or a callable that gives them.
      stateful: False promises that equal calls may be merged, folded, repeated or dropped.
      name: the op's name.

    Returns:
      A nest like `output_types` of tensors with the declared shapes.

    Raises:
      TypeError: if `args` is no list or tuple, `kwargs` no dict, or `output_types` no nest of dtypes.
      InvalidArgumentError: on a call whose result breaks the declaration.
    """
    if not isinstance(args, (list, tuple)):
        raise TypeError(f"args must be list and not {type(args)}. args: {args}")
    if kwargs is None:
        kwargs = {}
    elif not isinstance(kwargs, dict):
        raise TypeError(f"kwargs must be dict and not {type(kwargs)}. args: {kwargs}")
    if output_types is not None and (isinstance(output_types, type) or not callable(output_types)):
        kind = ops.PY_FUNC if stateful else ops.PY_FUNC_STATELESS
        found = eager_calls.run(func, args, output_types, kind, (kwargs, output_shapes, None, True, True))
        if found is not eager_calls.LONG_WAY:
            return found
    declare.checked_callable(func)
    if callable(output_types) and not isinstance(output_types, type):
        output_types = output_types(*args, **kwargs)
    if callable(output_shapes):
        output_shapes = output_shapes(*args, **kwargs)
    label = "contrib.framework.py_func"
    outputs = declare.nested_outputs(output_types, label, output_shapes)
    flat, template = declare.flatten_nested(args, kwargs)
    return api.stage_flat(label, Mode.NUMPY, func, flat, template, outputs, api.Options(stateful=stateful), name)

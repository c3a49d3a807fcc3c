"""The declared result of a host function, from `Tout` and `output_shapes`, and checks of the function itself."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any

from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.misuse import repr_of
from inlay._src.base.types import dtypes, nest, shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.nest import Composite, StructureError, leaves_of
from inlay._src.base.types.shapes import Dims, TensorShape
from inlay._src.base.types.specs import TensorSpec, TypeSpec
from inlay._src.core.site import of_function
from inlay._src.core.tensor import Tensor
from inlay._src.host.call_generator import without_generator
from inlay._src.host.record import HostFunction, Leaf, Outputs, ResultForm

_SUSPENDS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def checked_callable(func: Any) -> None:
    """Refuses what cannot be a host function.

    Raises:
      ValueError: if it is not callable, or calling it would not run its body.
    """
    if func.__class__ is FunctionType and not func.__dict__ and not func.__code__.co_flags & _SUSPENDS:
        return
    if not callable(func):
        raise ValueError(f"Expected func to be callable. Received func={repr_of(func)} of type {type(func)}.")
    inner = inspect.unwrap(getattr(func, "__func__", func)) if hasattr(func, "__wrapped__") else func
    if inspect.isgeneratorfunction(inner):
        raise ValueError(
            f"{of_function(func)} is a generator function: calling it does not run its body. Pass a "
            "function that returns the values, for instance lambda *a: list(f(*a))."
        )
    if inspect.isasyncgenfunction(inner):
        raise ValueError(
            f"{of_function(func)} is an asynchronous generator function: calling it does not run its body. Pass an "
            "`async def` function that returns the values, for instance [v async for v in f(*a)]."
        )


def _leaf(spec: Any, path: str) -> Leaf:
    if isinstance(spec, TensorSpec):
        dtype, dims = spec.dtype, spec.shape._dims
    else:
        dtype, dims = dtypes.as_dtype(spec), None
    if dtype in (dtypes.resource, dtypes.variant):
        raise TypeError(f"Tout{path} is {dtype!r}: a function cannot return a {dtype.name}")
    return Leaf(dtype, dims, path)


def _innermost(nested: Any) -> Any:
    """The first container without children."""
    children = nest._items(nested)
    return _innermost(children[0][1]) if children else nested


def _single(dtype: DType) -> Outputs:
    return Outputs(ResultForm.SINGLE, (_leaf(dtype, ""),), dtype, ())


_SINGLES: BoundedCache[DType, Outputs] = BoundedCache("declarations of one result", 64, _single)
"""Declarations without a shape."""


def outputs_of(tout: Any, api: str, output_shapes: Any = None) -> Outputs:
    """The declared result.

    Args:
      tout: a dtype, spec, or nest of them.
      api: the public name, for messages.
      output_shapes: a nest of shapes like `tout`, or None.

    Raises:
      TypeError: if a leaf is no dtype, or the two nests differ.
    """
    if tout.__class__ is DType and output_shapes is None and tout._kind not in "rv":
        return _SINGLES[tout]
    if tout is None:
        raise TypeError(
            "Cannot convert the argument `type_value`: None to a TensorFlow DType. (Tout is required: the "
            f"dtypes that the function given to {api} returns)"
        )
    if isinstance(tout, (set, frozenset)):
        raise TypeError(f"Cannot convert the argument `type_value`: {repr_of(tout)} to a TensorFlow DType.")
    if not nest.is_nested(tout):
        form, items, paths = ResultForm.SINGLE, [tout], [""]
    elif isinstance(tout, (list, tuple)) and not hasattr(tout, "_fields") and not any(map(nest.is_nested, tout)):
        form, items, paths = ResultForm.LIST, list(tout), [f"[{i}]" for i in range(len(tout))]
    else:
        pairs = nest.flatten_with_paths(tout)
        if not pairs:  # as if it were a dtype: TensorFlow's Tout is flat
            raise TypeError(f"Cannot convert the argument `type_value`: {_innermost(tout)!r} to a TensorFlow DType.")
        form, items, paths = ResultForm.NEST, [leaf for _, leaf in pairs], [path for path, _ in pairs]
    leaves: list[Leaf] = []
    composites: list[Any] = []
    for item, path in zip(items, paths, strict=True):
        if isinstance(item, TypeSpec) and isinstance(item, Composite):
            composites.append(item)
            leaves.extend(_leaf(c, path) for c in item._components())
        else:
            composites.append(None)
            leaves.append(_leaf(item, path))
    structure = tout
    outputs = Outputs(form, tuple(leaves), structure, tuple(composites) if any(composites) else ())
    return outputs if output_shapes is None else with_shapes(outputs, output_shapes)


def nested_outputs(output_types: Any, api: str, output_shapes: Any = None) -> Outputs:
    """The declared result of the contrib form: packed like `output_types`, whose leaves are single arrays."""
    if output_types is None:
        raise TypeError(f"{api} needs output_types: the dtypes that the function returns, nested as it returns them")
    plain = outputs_of(output_types, api)
    form = ResultForm.NEST if nest.is_nested(output_types) else ResultForm.SINGLE
    outputs = Outputs(form, plain.leaves, output_types, plain.composites, arrays=True)
    return outputs if output_shapes is None else with_shapes(outputs, output_shapes)


def with_shapes(outputs: Outputs, output_shapes: Any) -> Outputs:
    """`outputs` with declared shapes merged in: a TensorShape, list or tuple of sizes, or None, nested like the dtypes.

    Raises:
      TypeError: if the nests differ, or a shape is none.
      ValueError: if a shape contradicts a `TensorSpec`.
    """
    if any(outputs.composites):
        raise TypeError("output_shapes cannot be combined with composite specs in Tout; put the shape in the spec")
    try:
        flat = leaves_of(outputs.structure, output_shapes)
    except StructureError as error:
        raise TypeError(
            f"output_shapes {repr_of(output_shapes)} is not nested like Tout {outputs.structure!r}: {error}"
        ) from error
    leaves = tuple(
        Leaf(leaf.dtype, shapes.merge(leaf.dims, shapes.as_shape(s)._dims), leaf.path)
        for leaf, s in zip(outputs.leaves, flat, strict=True)
    )
    return replace(outputs, leaves=leaves)


def computed(host: HostFunction, input_shapes: Sequence[TensorShape]) -> list[Dims]:
    """The output shapes that the function's shape rule computes from the shapes of its flat inputs.

    The rule is called as the function is, with shapes in place of tensors.

    Raises:
      TypeError: if its answer is not nested like `Tout`.
    """
    assert host.shape_of is not None
    template = without_generator(host.template)
    args, kwargs = (tuple(input_shapes), {}) if template is None else template.shapes(input_shapes)
    return [leaf.dims for leaf in with_shapes(host.outputs, host.shape_of(*args, **kwargs)).leaves]


def static_dims(host: HostFunction, tensors: Sequence[Tensor]) -> Sequence[Dims]:
    """The static output shapes of a node with these inputs.

    A shape rule may fail for unknown sizes: then the declared shapes count, and each call evaluates the rule again.
    """
    declared = host.outputs.dims
    if host.shape_of is None:
        return declared
    input_shapes = [t.shape for t in tensors]
    try:
        return computed(host, input_shapes)
    except Exception:
        if all(s.is_fully_defined() for s in input_shapes):
            raise
        return declared


def refuse_composite_outputs(outputs: Outputs, api: str) -> None:
    """Refuses ragged and sparse results of a function that returns NumPy arrays.

    Raises:
      TypeError: if a declared output is a composite, with its spec.
    """
    for spec in outputs.composites:
        if spec is not None:
            raise TypeError(f"Expected DataType for argument 'Tout' not {spec!r}: {api} returns NumPy arrays")

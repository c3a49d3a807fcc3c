"""What a caller wrote (`inp`, `kwargs`, `Tout`, `output_shapes`) as a HostFunction's parts."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.interpreter.caches import Cache
from inlay._src.base.types import dtypes, nest, shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.nest import Composite, StructureError, leaves_of
from inlay._src.base.types.shapes import Dims, TensorShape
from inlay._src.base.types.specs import TensorSpec, TypeSpec
from inlay._src.base.types.template import Flattening, Hole, Plain, Template
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.site import of_function
from inlay._src.core.tensor import SymbolicTensor, Tensor
from inlay._src.core.values import NoTensorError
from inlay._src.host.call_generator import without_generator
from inlay._src.host.record import Form, HostFunction, Leaf, Outputs

_SUSPENDS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def checked_callable(func: Any) -> None:
    """Refuses what cannot be a host function.

    Raises:
      ValueError: if it is not callable, or calling it would not run its body.
    """
    if func.__class__ is FunctionType and not func.__dict__ and not func.__code__.co_flags & _SUSPENDS:
        return
    if not callable(func):
        raise ValueError(f"Expected func to be callable. Received func={func!r} of type {type(func)}.")
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


def checked_arity(func: Any, count: int, keywords: Mapping[str, Any] | None = None) -> None:
    """Refuses a plain function that cannot take `count` positional and these keyword arguments, before it is called.

    Raises:
      InvalidArgumentError (also a TypeError): with Python's own wording.
    """
    code = getattr(func, "__code__", None)
    least = 0
    if not keywords:
        if code is None or getattr(func, "__self__", None) is not None or code.co_flags & inspect.CO_VARARGS:
            return
        least = code.co_argcount - len(func.__defaults__ or ())
        if least <= count <= code.co_argcount and code.co_kwonlyargcount <= len(func.__kwdefaults__ or {}):
            return
    try:
        inspect.signature(func).bind(*range(count), **(keywords or {}))
    except ValueError:  # no signature to be had
        return
    except TypeError as error:
        text, where = f"{getattr(func, '__qualname__', func)}()", f"its {count} inputs"
        if keywords:
            text, where = f"{text}: {error}", f"{where} and kwargs {sorted(keywords)}"
        elif missing := code.co_varnames[count:least]:  # type: ignore[union-attr]
            listed, several = ", ".join(map(repr, missing)), "s" if len(missing) > 1 else ""
            text += f" missing {len(missing)} required positional argument{several}: {listed}"
        elif count > code.co_argcount:  # type: ignore[union-attr]
            text += f" takes {code.co_argcount} positional arguments but {count} were given"  # type: ignore[union-attr]
        else:
            text += " has keyword-only arguments without defaults; pass them through kwargs="
        raise errors.wrap(TypeError(text), f"  checking function {of_function(func)} against {where}") from None


def input_list(inp: Any, api: str) -> list[Any]:
    """`inp` as a list of inputs.

    Raises:
      TypeError: for values that are no list of inputs, saying what to write instead.
    """
    if inp.__class__ is list or inp.__class__ is tuple:
        return list(inp)
    if isinstance(inp, Mapping):
        raise TypeError(
            f"{api}: `inp` is a {type(inp).__name__}, whose keys would be passed and values lost; pass "
            "kwargs=... for named arguments, or a list of inputs (inlay explain inp)"
        )
    if isinstance(inp, (set, frozenset)):
        raise TypeError(f"{api}: `inp` is a {type(inp).__name__}, which has no order; pass a list of inputs")
    if isinstance(inp, (str, bytes)):
        raise TypeError(f"{api}: `inp` is text, which would be passed letter by letter; pass [text]")
    if isinstance(inp, SymbolicTensor):
        iter(inp)
    try:
        return list(inp)
    except TypeError:
        raise TypeError(
            f"'{type(inp).__name__}' object is not iterable: {api} needs `inp` to be a list of inputs; "
            f"write [{inp!r}] for one input (inlay explain inp)"
        ) from None


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
    return Outputs(Form.SINGLE, (_leaf(dtype, ""),), dtype, ())


_SINGLES: Cache[DType, Outputs] = Cache("declarations of one result", 64, _single)
"""Those of which only the dtype is known."""


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
        raise TypeError(f"Cannot convert the argument `type_value`: {tout!r} to a TensorFlow DType.")
    if not nest.is_nested(tout):
        form, items, paths = Form.SINGLE, [tout], [""]
    elif isinstance(tout, (list, tuple)) and not hasattr(tout, "_fields") and not any(map(nest.is_nested, tout)):
        form, items, paths = Form.LIST, list(tout), [f"[{i}]" for i in range(len(tout))]
    else:
        pairs = nest.flatten_with_paths(tout)
        if not pairs:  # as if it were a dtype: TensorFlow's Tout is flat
            raise TypeError(f"Cannot convert the argument `type_value`: {_innermost(tout)!r} to a TensorFlow DType.")
        form, items, paths = Form.NEST, [leaf for _, leaf in pairs], [path for path, _ in pairs]
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
    form = Form.NEST if nest.is_nested(output_types) else Form.SINGLE
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
            f"output_shapes {output_shapes!r} is not nested like Tout {outputs.structure!r}: {error}"
        ) from error
    leaves = tuple(
        Leaf(leaf.dtype, shapes.merge(leaf.dims, shapes.as_shape(s)._dims), leaf.path)
        for leaf, s in zip(outputs.leaves, flat, strict=True)
    )
    return replace(outputs, leaves=leaves)


def computed(host: HostFunction, found: Sequence[TensorShape]) -> list[Dims]:
    """What the host function's shape rule says of its outputs, given the shapes of its flat inputs.

    The rule is called as the function is, with shapes in place of tensors.

    Raises:
      TypeError: if its answer is not nested like `Tout`.
    """
    assert host.shape_of is not None
    template = without_generator(host.template)
    args, kwargs = (tuple(found), {}) if template is None else template.shapes(found)
    return [leaf.dims for leaf in with_shapes(host.outputs, host.shape_of(*args, **kwargs)).leaves]


def static_dims(host: HostFunction, tensors: Sequence[Tensor]) -> Sequence[Dims]:
    """What is known of the output shapes of a node with these inputs.

    A shape rule that cannot deal with sizes not yet known says nothing here; it is asked again on every call.
    """
    declared = host.outputs.dims
    if host.shape_of is None:
        return declared
    found = [t.shape for t in tensors]
    try:
        return computed(host, found)
    except Exception:
        if all(s.is_fully_defined() for s in found):
            raise
        return declared


def is_tensor_like(value: Any) -> bool:
    """Whether a value in a nest of keyword arguments is an input: a tensor, a variable or an array."""
    if isinstance(value, (np.ndarray, np.generic)):
        return dtypes.from_numpy(value.dtype.newbyteorder("=")) is not None if value.dtype.kind != "V" else False
    return isinstance(value, Tensor) or hasattr(value, "__tf_tensor__")


def _place(flat: Flattening, value: Any) -> Hole:
    """The place of an input: a composite is taken by its components, unless it stands for one tensor."""
    return flat.single(value) if hasattr(value, "__tf_tensor__") else flat.hole(value)


def is_plain(value: Any) -> bool:
    """Whether a value in keyword arguments is passed as it is: there is no input in it."""
    return not any(isinstance(v, Composite) or is_tensor_like(v) for v in nest.flatten(value))


def _named(flat: Flattening, value: Any, plain: list[int] | None) -> Any:
    """A keyword argument: what is no input stays, or, with `plain`, is taken out and its number added there."""

    def kept(value: Any) -> Any:
        if plain is None:
            return Plain(value)
        plain.append(len(flat.values))
        return flat.single(value)

    return kept(value) if is_plain(value) else flat.part(value, lambda v: kept(v) if is_plain(v) else _place(flat, v))


def checked_kwargs(kwargs: Any, api: str) -> None:
    """Refuses `kwargs` that cannot be keyword arguments.

    Raises:
      TypeError: if it is no mapping from names.
    """
    if kwargs is not None and not (isinstance(kwargs, Mapping) and all(isinstance(k, str) for k in kwargs)):
        raise TypeError(f"{api}: `kwargs` must be a dict from argument names to values, got {kwargs!r}")


def flatten_inputs(
    inp: Sequence[Any], kwargs: Mapping[str, Any] | None, plain: list[int] | None = None
) -> tuple[list[Any], Template | None]:
    """The flat tensor-like inputs of a call, and how to put them back together.

    Positional inputs become tensors, composites their components. In `kwargs`, tensors, arrays and composites
    anywhere in a nest are inputs; every other object is passed through untouched, or, if `plain` is given, is among the
    flat values too, and its number is added there.
    """
    if not kwargs and not any([isinstance(v, Composite) for v in inp]):
        return list(inp), None
    flat = Flattening()
    args = tuple(_place(flat, v) for v in inp)
    named = {k: _named(flat, v, plain) for k, v in (kwargs or {}).items()}
    return flat.values, Template((args, named))


def flatten_nested(args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[list[Any], Template | None]:
    """As `flatten_inputs`, but lists are nests too, and every leaf is an input (the contrib form)."""
    if not kwargs and not any(nest.is_nested(v) or isinstance(v, Composite) for v in args):
        return list(args), None
    flat = Flattening()

    def place(leaf: Any) -> Hole:
        return _place(flat, leaf)

    positional = tuple(flat.part(a, place) for a in args)
    named = {k: flat.part(kwargs[k], place) for k in sorted(kwargs)}
    return flat.values, Template((positional, named))


def refuse_composites(template: Template | None, outputs: Outputs, api: str) -> None:
    """Refuses ragged and sparse values where the function receives NumPy arrays.

    Raises:
      TypeError: naming the input or the declared output.
    """
    if not outputs.composites and template is None:
        return
    spec = next((c for c in outputs.composites if c is not None), None)
    if spec is not None:
        raise TypeError(f"Expected DataType for argument 'Tout' not {spec!r}: {api} returns NumPy arrays")
    for hole in template.holes() if template is not None else ():
        if hole.composite is not None:
            kind = type(hole.composite).__name__
            raise TypeError(
                f"{api} cannot take a {kind}, which is no NumPy array: use py_function, or pass its parts "
                "(values, row_splits; to_tensor())"
            )


def tensors_of(flat: Sequence[Any], scope: str) -> list[Tensor]:
    """Flat inputs as tensors.

    Raises:
      ValueError, TypeError: naming the input that has no tensor; both in one in a graph.
    """
    out: list[Tensor] = []
    for i, value in enumerate(flat):
        if isinstance(value, Tensor):
            out.append(value)
            continue
        try:
            out.append(convert_to_tensor(value, name=f"{scope}/input_{i}"))
        except (ValueError, TypeError) as error:
            alone = ValueError if isinstance(error, ValueError) else TypeError
            raise (alone if context.executing_eagerly() else NoTensorError)(
                f"{error} (input {i} of the function)"
            ) from error
    return out

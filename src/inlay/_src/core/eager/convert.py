"""Values of Python and NumPy as tensors: eager ones, or constants of a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.misuse import repr_of
from inlay._src.base.tracebacks import boundary, leave
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core import context, values
from inlay._src.core.devices import kernels
from inlay._src.core.graph import Graph
from inlay._src.core.opdef import OPS, partial_shape_value
from inlay._src.core.site import Site
from inlay._src.core.tensor import EagerTensor, SymbolicTensor, Tensor, Value, constant_eager

__all__ = ["beside", "constant_in", "convert_to_tensor", "get_static_value", "number", "number_like", "symbolic"]


@export("convert_to_tensor")
@boundary
def convert_to_tensor(
    value: Any,
    dtype: Any = None,
    dtype_hint: Any = None,
    name: str | None = None,
    preferred_dtype: Any = None,
    as_ref: bool = False,
) -> Tensor:
    """`value` as a tensor: unchanged if it is one, else a constant.

    Args:
      value: a tensor, variable, number, string, nested list or array.
      dtype: the required type; a tensor of another type is refused.
      dtype_hint: a type to prefer where the value allows it.
      name: the constant's name in a graph.
      preferred_dtype: the 1.x name of `dtype_hint`.
      as_ref: ignored; a 1.x argument.

    Returns:
      A tensor.

    Raises:
      ValueError, TypeError: if the value has no such tensor.
    """
    try:
        wanted = None if dtype is None else dtypes.as_dtype(dtype)
        if isinstance(value, Tensor):
            if wanted is not None and value.dtype is not wanted:
                raise ValueError(
                    f"Tensor conversion requested dtype {wanted.name} for Tensor with dtype {value.dtype.name}: "
                    f"{value!r} (inlay explain mixed-dtypes)"
                )
            return value
        convert = getattr(value, "__tf_tensor__", None)
        if convert is not None:
            return convert_to_tensor(convert(wanted, name), wanted)
        hint = dtype_hint if dtype_hint is not None else preferred_dtype
        if wanted is None and hint is not None:
            try:
                return convert_to_tensor(value, hint, name=name)
            except (TypeError, ValueError):
                pass
        if isinstance(value, (list, tuple)) and holds_tensors(value):
            return _pack(value, wanted, name)
        tensor = constant_eager(value, wanted)
        state = context.current()
        if state.graph is not None:
            return constant_in(state.graph, tensor, name or "Const")
        return kernels.in_scope(tensor, state.device) if state.device else tensor
    except Exception as error:
        leave(error)
        raise


@export("get_static_value")
def get_static_value(tensor: Any, partial: bool = False) -> Value | None:
    """The value of a tensor as far as it is known without running anything.

    Args:
      tensor: a tensor; any other value is returned unchanged.
      partial: whether what is known in part is given: of sizes and of what was stacked along axis 0, an array of
        objects with None for what is not known.

    Returns:
      A NumPy value; None if it is not known, and for variables.
    """
    if isinstance(tensor, EagerTensor):
        return tensor.numpy()
    if not isinstance(tensor, SymbolicTensor):
        return None if hasattr(tensor, "dtype") and not isinstance(tensor, (np.ndarray, np.generic)) else tensor
    value = tensor.op.constant_value()
    if value is None:
        value = tensor.op.static_value(tensor.value_index)
    if value is None:
        return _known_in_part(tensor) if partial else None
    return np.array(value)


def _known_in_part(tensor: SymbolicTensor) -> Any:
    """An array of objects with None for what is not known of a tensor; None if nothing is."""
    node, length = tensor.op, tensor.shape[0] if tensor.shape.rank == 1 else None
    if length is not None and tensor.dtype in dtypes.INDEX:
        sizes = partial_shape_value(tensor, length)
        return None if sizes is None or set(sizes) == {None} else _objects(sizes)
    if node.type not in ("Pack", "Unpack", "Split") or node.attrs["axis"] != 0:
        return None
    parts: Any = [get_static_value(t, partial=True) for t in node.inputs]
    if node.type == "Pack":
        return None if all(p is None for p in parts) else _objects(parts)
    if parts[0] is None:
        return None
    pieces = parts[0] if node.type == "Unpack" else np.split(parts[0], node.attrs["num"])
    return pieces[tensor.value_index]


def _objects(items: Sequence[Any]) -> np.ndarray:
    out = np.empty(len(items), object)
    for i, item in enumerate(items):  # arrays among them are items too
        out[i] = item
    return out


def holds_tensors(value: Sequence[Any]) -> bool:
    return any(issubclass(t, Tensor) or hasattr(t, "__tf_tensor__") for t in values.leaf_types(value, set()))


def _pack(value: Sequence[Any], dtype: DType | None, name: str | None) -> Tensor:
    """Nested lists that hold tensors become `Pack` ops; tensors are cast if a type is asked for."""
    first = dtype or next(known_dtypes(value), None)

    def part(v: Any) -> Tensor:
        if isinstance(v, (list, tuple)) and holds_tensors(v):
            return _pack(v, dtype, None)
        if not (isinstance(v, Tensor) or hasattr(v, "__tf_tensor__")):
            return convert_to_tensor(v, first)
        tensor = convert_to_tensor(v)
        if dtype is not None and (tensor.dtype is dtypes.string) != (dtype is dtypes.string):
            kinds = f"{tensor.dtype.c_name} to {dtype.c_name}"
            raise errors.UnimplementedError(None, None, f"Cast {kinds} is not supported: {repr_of(value)}")
        return tensor if dtype is None or tensor.dtype is dtype else OPS["Cast"].dispatch.function(tensor, dtype=dtype)  # type: ignore[misc, no-any-return]

    parts = [part(v) for v in value]
    return OPS["Pack"].dispatch.function(parts, 0, name=name or "packed")  # type: ignore[misc, no-any-return]


def known_dtype(value: Any) -> DType | None:
    """The dtype a value brings along: tensors and variables have one; other objects with a tensor adapt, as numbers."""
    if isinstance(value, Tensor):
        return value.dtype
    dtype = getattr(value, "dtype", None) if hasattr(value, "__tf_tensor__") else None
    return dtype if dtype is None or isinstance(dtype, DType) else dtypes.as_dtype(dtype)  # a name, in Keras


def known_dtypes(value: Sequence[Any], level: int = 1) -> Iterator[DType]:
    """Those that the leaves of nested lists bring along; ValueError if no array has so many levels."""
    if level > values.MOST_LEVELS:
        raise values.too_deep()
    for item in value:
        if isinstance(item, (list, tuple)):
            yield from known_dtypes(item, level + 1)
        elif (dtype := known_dtype(item)) is not None:
            yield dtype


def constant_in(graph: Graph, tensor: EagerTensor, name: str, where: Site | None = None) -> SymbolicTensor:
    """A `Const` node of `graph` with an eager tensor's value; `where` the program made it, if that is known."""
    value, dims = tensor._value, ()
    if tensor._dtype._kind in "rv":  # no data: a cell, a list
        value = graph.resources.add(value)
    else:
        dims = value.shape
    entry = _ATTRS.get(id(tensor))
    attrs = entry[1] if entry is not None and entry[0] is tensor else {"value": value, "dtype": tensor._dtype}
    return graph.add(OPS["Const"], (), attrs, (tensor._dtype,), (dims,), name, where=where)._made  # type: ignore[return-value]


def symbolic(tensor: Tensor, graph: Graph, name: str = "captured") -> SymbolicTensor:
    """`tensor` as a node output of `graph`: eager values become constants, outer tensors are captured.

    Args:
      tensor: the tensor.
      graph: the graph.
      name: of the input of a function that stands for an eager tensor.

    Raises:
      ValueError: if it is a tensor of an unrelated graph.
    """
    if tensor.__class__ is SymbolicTensor:
        if tensor.op.graph is graph:  # type: ignore[attr-defined]
            return tensor  # type: ignore[return-value]
        capture = getattr(graph, "capture", None)
        if capture is not None:
            return capture(tensor)  # type: ignore[no-any-return]
        other = graph.nodes[-1].outputs[0] if graph.nodes and graph.nodes[-1].outputs else graph
        raise ValueError(f"{tensor} must be from the same graph as {other}. (inlay explain other-graph)")
    if not isinstance(tensor, EagerTensor):
        raise TypeError(f"{type(tensor).__name__} has no value: tensors are made by `tf.constant` and by ops")
    capture_eager = getattr(graph, "capture_eager", None)
    if capture_eager is not None:
        return capture_eager(tensor, name)  # type: ignore[no-any-return]
    return constant_in(graph, tensor, "Const")


# ---------------------------------------------------------------- beside tensors


_NUMBERS: BoundedCache[Any, EagerTensor] = BoundedCache("numbers beside tensors", 4096)
_ATTRS: BoundedCache[int, tuple[EagerTensor, dict[str, Any]]] = BoundedCache(
    "attributes of numbers beside tensors", 4096
)
"""Those of their nodes, by identity: a graph often has the same number thousands of times."""
READ_AT_ONCE: dict[type, Callable[[Any, DType], EagerTensor | None]] = {}
"""Class of what holds a tensor (a variable) -> what reads it as one of a dtype; None where the funnel must decide."""


def number(value: Any, dtype: DType) -> EagerTensor | None:
    """A Python number as an eager tensor of `dtype`, from a cache, or a variable's value; None where the funnel must
    decide."""
    kind = value.__class__
    if kind is not float and kind is not int:
        read = READ_AT_ONCE.get(kind)
        return None if read is None else read(value, dtype)
    key = (kind, value, dtype)
    tensor = _NUMBERS.get(key)
    if tensor is None:
        if not (dtype.is_floating or (kind is int and dtype.is_integer)):
            return None
        try:
            with np.errstate(over="ignore"):  # too large for the type: infinite, as in TensorFlow
                tensor = EagerTensor(dtype.np.type(value), dtype)
        except (OverflowError, TypeError):  # TypeError is bfloat16's
            return None
        # Zeros with a fraction are equal whatever their sign, and NaN is equal to nothing: neither can be a key.
        if kind is int or (value == value and value != 0):
            _NUMBERS[key] = tensor
            _ATTRS[id(tensor)] = tensor, {"value": tensor._value, "dtype": dtype}
    return tensor


def number_like(value: int, like: Any) -> Any:
    """A whole number as a tensor of the dtype of `like`: symbolic in a graph, else from the cache."""
    tensor = number(value, like.dtype) if like.__class__ is EagerTensor and context.executing_eagerly() else None
    return convert_to_tensor(value, like.dtype) if tensor is None else tensor


def beside(value: Any, wanted: DType, name: str | None) -> Tensor:
    """A Python or NumPy value beside a tensor of dtype `wanted`: casts that keep the kind are made."""
    tensor = number(value, wanted)
    if tensor is not None:
        graph = context.current().graph
        return tensor if graph is None else constant_in(graph, tensor, name or "Const")
    if isinstance(value, (np.ndarray, np.generic)):
        natural = dtypes.from_numpy(value.dtype.newbyteorder("=")) if value.dtype.kind != "V" else None
        if (
            natural is not None
            and natural is not wanted
            and "biufc".find(natural._kind.replace("u", "i")) > "biufc".find(wanted._kind.replace("u", "i"))
        ):
            return convert_to_tensor(value, name=name)  # a cast would lose: let the type check speak
    return convert_to_tensor(value, wanted, name=name)

"""`TensorArray`: a list of tensors that loops can carry.

Its value is one immutable list per state (a `variant` tensor); writing makes the next list. Gradients are lists too.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.attributes import read_only
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.shapes import Dims, TensorShape
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import emit
from inlay._src.core.graph import constant_of, static_size
from inlay._src.core.hints import InlineKernel, LoweringHints, Name
from inlay._src.core.opdef import OPS, no_gradient, scalar
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from inlay._src.ops.array import identity
from inlay._src.ops.control import no_op
from inlay._src.ops.gathering import gather
from inlay._src.ops.math import cast
from inlay._src.ops.stacking import unstack
from inlay._src.programs.control.items import Items, check_rows, index_of, split_shape


@op("TensorListReserve", "num:int32 -> variant", infer=scalar, vjp=no_gradient)
def _reserve(xp, num):
    """A list of `num` places."""
    return Items.empty(index_of(num))


def _place(items: Items, index: Any, grow: bool) -> int:
    """Where an item should be written, if it may."""
    at = index_of(index)
    if at < 0 or (at >= len(items) and not grow):
        raise ValueError(f"Tried to write to index {at} but array is not resizeable and size is: {len(items)}")
    return at


def _set_item_vjp(op, dy):
    item = emit(
        OPS["TensorListGetOr"], (dy, op.inputs[1], op.inputs[2])
    )  # before its place is emptied in the same list
    return emit(OPS["TensorListClear"], (dy, op.inputs[1])), None, item


def _set_own_item(xp, items, index, item, *, grow=False):
    at = _place(items, index, grow)
    return items.set(at, item) if at < items.count else items.longer(at + 1).set(at, item)


def _set_item_written(
    values: Sequence[str], kinds: Sequence[DType], attrs: Mapping[str, Any], name: Name, sole: str
) -> InlineKernel | None:
    """The source of a write into a list that nobody else holds."""
    items, index, item = values
    if not sole:
        return None
    return InlineKernel(
        f"{index}.__class__ is {name('i', np.int32)} and 0 <= {index} < {items}.count and {sole}",
        f"{items}.set({index}, {item})",
    )


@op(
    "TensorListSetItem",
    "items:variant, index:int32, item:T -> variant",
    types={"T": dtypes.DENSE | {dtypes.variant}},
    lower=LoweringHints(overwrites=_set_own_item, expression=_set_item_written),
    infer=scalar,
    vjp=_set_item_vjp,
)
def _set_item(xp, items, index, item, *, grow=False):
    """The list with one place replaced."""
    at = _place(items, index, grow)
    return items.put(at, item) if at < len(items) else items.longer(at + 1).set(at, item)


@op(
    "TensorListClear",
    "items:variant, index:int32 -> variant",
    lower=LoweringHints(overwrites=lambda xp, items, index: items.set(index_of(index), None)),
    infer=scalar,
    vjp=lambda op, dy: (emit(OPS["TensorListClear"], (dy, op.inputs[1])), None),
)
def _clear(xp, items, index):
    """The list with one place emptied."""
    return items.put(index_of(index), None)


def _only(op: Any, dy: Any, index: Any) -> Any:
    """A list like the node's first input with nothing but `dy` at `index`."""
    return emit(OPS["TensorListOnly"], (op.inputs[0], index, dy))


@op(
    "TensorListOnly",
    "like:variant, index:int32, item:T -> variant",
    types={"T": dtypes.NUMBERS},
    infer=scalar,
    vjp=lambda op, dy: (None, None, emit(OPS["TensorListGetOr"], (dy, op.inputs[1], op.inputs[2]))),
)
def _only_kernel(xp, like, index, item):
    """A list of the length of `like`, empty but for one place."""
    return like.single(index_of(index), item)


@op(
    "TensorListGetOr",
    "items:variant, index:int32, like:T -> T",
    types={"T": dtypes.NUMBERS},
    infer=lambda s: [s.dims[2]],
    vjp=lambda op, dy: (_only(op, dy, op.inputs[1]), None, None),
)
def _get_or(xp, items, index, like):
    """One item, or zeros shaped like `like` where there is none."""
    at = index_of(index)
    item = items[at] if at < items.count else None
    return np.zeros(like.shape, like.dtype) if item is None else item


@op(
    "TensorListGetItem",
    "items:variant, index:int32 -> dtype",
    infer=lambda s: [s.attrs["shape"]],
    vjp=lambda op, dy: (_only(op, dy, op.inputs[1]), None),
)
def _get_item(xp, items, index, *, dtype, shape=None):
    """One item."""
    at = index_of(index)
    if not 0 <= at < items.count:
        raise ValueError(f"Tried to read from index {at} but array size is: {len(items)}")
    item = items[at]
    if item is None:
        if shape is not None and None not in shape:
            return np.zeros(shape, dtype.np)
        raise ValueError(
            f"Could not read index {at} twice because it was not written, and its shape is not known: "
            "give TensorArray element_shape=, or write it first"
        )
    return item


@op("TensorListLength", "items:variant -> int32", infer=scalar, vjp=no_gradient)
def _length(xp, items):
    """The number of places of a list."""
    return np.int32(len(items))


def _at_once(items: list[Any], dims: Sequence[int], dtype: DType) -> Any:
    """Items of one shape stacked by one call; None if it cannot be."""
    if not dims:
        return np.array(items, dtype.np) if {*map(type, items)} == {dtype.np.type} else None
    try:
        if {*map(len, items)} != {dims[0]}:
            return None
        return np.concatenate(items).reshape(len(items), *dims)  # which holds the other axes against each other
    except (TypeError, ValueError):  # there is none at a place, or they differ
        return None


@op(
    "TensorListStack",
    "items:variant -> dtype",
    infer=lambda s: [None if s.attrs["shape"] is None else (None, *s.attrs["shape"])],
    vjp=lambda op, dy: emit(OPS["TensorListFromTensor"], (dy,)),
)
def _stack(xp, items, *, dtype, shape=None):
    """The items stacked along a new first axis; places not written are zeros."""
    dims = next((np.shape(i) for i in items if i is not None), None)
    if dims is None:
        if shape is None or None in shape:
            if not items and shape is None:
                return np.zeros((0,), dtype.np)
            raise ValueError(
                "Tried to stack a TensorArray of which nothing was written and whose element shape is not "
                f"known ({shape}): give it element_shape="
            )
        dims = tuple(shape)
    whole = _at_once(list(items), dims, dtype)
    if whole is not None:
        return whole
    out = np.empty((len(items), *dims), dtype.np)
    for at, item in enumerate(items):
        if item is None:
            item = _zeros(dims, dtype)
        elif item.shape != dims:
            raise ValueError(
                f"TensorArray items differ in shape: index {at} has {shapes.bracketed(item.shape)}, "
                f"others {shapes.bracketed(dims)}"
            )
        out[at] = item if item.ndim else item[()]  # an object array would take a scalar's box for the object
    return out


@op(
    "TensorListFromTensor",
    "tensor:T -> variant",
    types={"T": dtypes.DENSE},
    infer=scalar,
    vjp=lambda op, dy: emit(OPS["TensorListStackLike"], (dy, op.inputs[0])),
)
def _from_tensor(xp, tensor):
    """The slices of a tensor along its first axis, as a list."""
    if tensor.dtype != object:
        return Items(tensor)
    return Items(np.asarray(tensor[i : i + 1]).reshape(tensor.shape[1:]) for i in range(len(tensor)))


@op(
    "TensorListStackLike",
    "items:variant, like:T -> T",
    types={"T": dtypes.NUMBERS},
    infer=lambda s: [s.dims[1]],
    vjp=lambda op, dy: (emit(OPS["TensorListFromTensor"], (dy,)), None),
)
def _stack_like(xp, items, like):
    """The items stacked to the shape of `like`; empty places are zeros."""
    out = np.zeros(np.shape(like), like.dtype)
    for at, item in zip(range(len(out)), items, strict=False):
        if item is not None:
            out[at] = item if item.ndim else item[()]  # an object array would take a scalar's box for the object
    return out


def _zeros(dims: Any, dtype: dtypes.DType) -> Any:
    return np.full(dims, b"", object) if dtype is dtypes.string else np.zeros(dims, dtype.np)


def _full(item: Any, like: Any, dims: Dims, dtype: dtypes.DType) -> Any:
    """An item to join to others; zeros where there is none."""
    if item is None and like is None and (dims is None or None in dims):
        raise ValueError(
            f"Tried to concat a TensorArray in which a place was not written and whose element shape is not known "
            f"({dims}): give it element_shape="
        )
    value = item if item is not None else _zeros(dims if like is None else np.shape(like), dtype)
    if not np.ndim(value):
        raise ValueError("Concat saw a scalar shape, but requires at least vectors")
    return value


@op(
    "TensorListConcat",
    "items:variant, like:variant -> dtype",
    infer=lambda s: [None if s.attrs["shape"] is None else (None, *s.attrs["shape"][1:])],
    vjp=lambda op, dy: (emit(OPS["TensorListSplitLike"], (op.inputs[1], dy)), None),
)
def _concat(xp, items, like, *, dtype, shape=None):
    """The items joined along their first axis; places not written are zeros, shaped as those of `like`."""
    written = [*list(items)[: len(like)], *[None] * (len(like) - len(items))]
    joined = [_full(item, model, shape, dtype) for item, model in zip(written, like, strict=True)]
    if joined:
        return np.concatenate(joined)
    if shape is None or None in shape[1:]:
        raise ValueError(
            "All except the first dimension must be fully defined when concatenating an empty tensor list."
        )
    return _zeros((0, *shape[1:]), dtype)


def _parts(tensor: Any, sizes: Sequence[int]) -> Items:
    check_rows(np.shape(tensor))
    ends = np.cumsum([0, *sizes])
    if ends[-1] != len(tensor):
        raise ValueError(f"Expected sum of lengths to be equal to values.shape[0], but {ends[-1]} != {len(tensor)}")
    return Items(np.ascontiguousarray(tensor[a:b]) for a, b in itertools.pairwise(ends))


@op(
    "TensorListSplit",
    "tensor:T, lengths:Index -> variant",
    types={"T": dtypes.DENSE},
    ranks={"lengths": 1},
    infer=split_shape,
    vjp=lambda op, dy: (_joined(dy, op.outputs[0], op.inputs[0]), None),
)
def _split(xp, tensor, lengths):
    """Consecutive parts of a tensor, of the given lengths, as a list."""
    return _parts(tensor, lengths)


@op(
    "TensorListSplitLike",
    "like:variant, tensor:T -> variant",
    types={"T": dtypes.NUMBERS},
    infer=scalar,
    vjp=lambda op, dy: (None, _joined(dy, op.inputs[0], op.inputs[1])),
)
def _split_like(xp, like, tensor):
    """Consecutive parts of a tensor, as long as the items of `like`; the first size is shared where there is none."""
    missing = [i for i, item in enumerate(like) if item is None]
    sizes = [0 if item is None else len(item) for item in like]
    for i in missing:
        sizes[i] = (len(tensor) - sum(len(item) for item in like if item is not None)) // len(missing)
    return _parts(tensor, sizes)


def _joined(items: Any, like: Any, tensor: Any) -> Any:
    """The cotangent of a tensor that was split."""
    attrs = {"dtype": tensor.dtype, "shape": tensor.shape._dims}
    return emit(OPS["TensorListConcat"], (items, like), attrs)


@op(
    "TensorListAdd",
    "x:variant, y:variant -> variant",
    infer=scalar,
    vjp=lambda op, dy: (dy, dy),
    lower=LoweringHints(overwrites=lambda xp, x, y: x.add(y)),
)
def _add_lists(xp, x, y):
    """The sum of two lists of cotangents, place by place."""
    return x + y


@export("TensorArray")
class TensorArray(Composite):
    """A list of tensors of one dtype, written and read by index.

    Args:
      dtype: the items' dtype.
      size: number of places; None with `dynamic_size` starts empty.
      dynamic_size: whether writing past the end makes it longer.
      clear_after_read: accepted; items may be read any number of times.
      tensor_array_name, colocate_with_first_write_call, handle: accepted and ignored.
      flow: the current state.
      infer_shape: whether the items must have one shape.
      element_shape: the items' partial shape.
      name: the nodes' name.
    """

    __slots__ = ("__dict__", "__weakref__", "_count", "_dims", "_dtype", "_dynamic", "_flow", "_infer", "_name")

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: Any = None,
        tensor_array_name: Any = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        self._dtype = dtypes.as_dtype(dtype)
        self._dynamic, self._infer, self._name = bool(dynamic_size), infer_shape, name or "TensorArray"
        self._count = None if size is None or self._dynamic else static_size(size)  # where that is known and stays
        self._dims: Dims = shapes.as_shape(element_shape)._dims
        self._flow: Any = (
            flow if flow is not None else emit(OPS["TensorListReserve"], (0 if size is None else size,), {}, self._name)
        )

    dtype: DType = read_only(lambda self: self._dtype, doc="The items' dtype.")
    dynamic_size: bool = read_only(lambda self: self._dynamic, doc="Whether it grows.")
    flow: Any = read_only(lambda self: self._flow, doc="The tensor that carries the current state.")
    handle: None = read_only(lambda self: None, doc="None, as in TensorFlow 2.")
    element_shape: TensorShape = read_only(lambda self: shapes.from_dims(self._dims), doc="The items' partial shape.")

    def _components(self) -> Sequence[Any]:
        return (self._flow,)

    def _rebuild(self, components: Sequence[Any]) -> TensorArray:
        return self._with(components[0])

    def _with(self, flow: Any) -> TensorArray:
        copied = copy.copy(self)
        copied._flow = flow
        return copied

    def _next(self, flow: Any) -> TensorArray:
        """The array after a write; eagerly, this object changes too, as in TensorFlow."""
        if isinstance(flow, EagerTensor):
            self._flow = flow
            return self
        return self._with(flow)

    def identity(self) -> TensorArray:
        """The same array as another object; it is there once the control dependencies in force are met."""
        return self._with(identity(self._flow))

    def _note_shape(self, dims: Dims, what: str) -> None:
        try:
            merged = shapes.merge(self._dims, dims)
        except ValueError as error:
            allowed = "; infer_shape=False allows them to differ" if self._infer else ", which is its element_shape"
            raise ValueError(
                f"Inconsistent shapes: {what} {shapes.bracketed(dims)} but the TensorArray holds items of "
                f"shape {shapes.bracketed(self._dims)}{allowed}"
            ) from error
        if self._infer:
            self._dims = merged

    def learn_shape(self, other: TensorArray) -> None:
        """Takes over what another state of this array knows of the items' shape."""
        if self._infer:
            self._dims = shapes.merge(self._dims, other._dims)

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array with `value` at `index`."""
        item = convert_to_tensor(value, self._dtype)
        self._note_shape(item.shape._dims, "saw an item of shape")
        return self._next(
            emit(OPS["TensorListSetItem"], (self._flow, _as_index(index), item), {"grow": self._dynamic}, name)
        )

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """The item at `index`."""
        return emit(
            OPS["TensorListGetItem"],
            (self._flow, _as_index(index)),
            {"dtype": self._dtype, "shape": self._dims},
            name,
        )

    def stack(self, name: str | None = None) -> Tensor:
        """The items stacked along a new first axis."""
        out = emit(OPS["TensorListStack"], (self._flow,), {"dtype": self._dtype, "shape": self._dims}, name)
        if isinstance(out, SymbolicTensor) and self._dims is not None:
            out.set_shape([self._count, *self._dims])
        return out

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """The items at `indices`, stacked."""
        return gather(self.stack(), indices, name=name)

    def concat(self, name: str | None = None) -> Tensor:
        """The items joined along their first axis, in which they may differ."""
        attrs = {"dtype": self._dtype, "shape": self._dims}
        return emit(OPS["TensorListConcat"], (self._flow, self._flow), attrs, name)

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """The array whose items are the slices of `value`."""
        tensor = convert_to_tensor(value, self._dtype)
        dims = tensor.shape._dims
        if dims == ():
            raise ValueError(f"The value of unstack must be of rank 1 or more, got {tensor!r}")
        self._note_shape(None if dims is None else dims[1:], "saw items of shape")
        self._count = None if self._dynamic or dims is None else dims[0]
        return self._next(emit(OPS["TensorListFromTensor"], (tensor,), {}, name))

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array with the slices of `value` at `indices`."""
        written = self
        places = convert_to_tensor(indices, dtype_hint=dtypes.int32)
        for at, item in zip(unstack(places), unstack(convert_to_tensor(value, self._dtype)), strict=True):
            written = written.write(at, item)
        return written

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """The array whose items are consecutive parts of `value`, of the given lengths."""
        sizes = convert_to_tensor(lengths, dtype_hint=dtypes.int64)
        constant = constant_of(sizes)
        eager = isinstance(self._flow, EagerTensor)
        if eager and constant is not None and constant.ndim == 1 and self._count not in (None, len(constant)):
            raise errors.InvalidArgumentError(
                None,
                None,
                f"TensorArray's size is not equal to the size of lengths ({self._count} vs. {len(constant)}), and the "
                "TensorArray is not marked as dynamically resizeable.",
            )
        tensor = convert_to_tensor(value, self._dtype)
        dims = tensor.shape._dims
        if dims:
            sizes_of_items = set() if constant is None or constant.ndim != 1 else {*constant.tolist()}
            one_size = sizes_of_items.pop() if len(sizes_of_items) == 1 else None
            self._note_shape((one_size, *dims[1:]), "saw items of shape")
        return self._next(emit(OPS["TensorListSplit"], (tensor, sizes), {}, name))

    def size(self, name: str | None = None) -> Tensor:
        """The number of places."""
        return emit(OPS["TensorListLength"], (self._flow,), {}, name)

    def close(self, name: str | None = None) -> Operation | None:
        """An operation that does nothing, None in eager code: memory is freed with the last reference."""
        return no_op(name=name)

    def __repr__(self) -> str:
        return f"<TensorArray of {self._dtype.name}, element shape {shapes.from_dims(self._dims)}>"


def _as_index(index: Any) -> Any:
    tensor = convert_to_tensor(index, dtype_hint=dtypes.int32)
    return tensor if tensor.dtype is dtypes.int32 else cast(tensor, dtypes.int32)

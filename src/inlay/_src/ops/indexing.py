"""`tensor[...]` and `strided_slice`, and their gradients."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.misuse import explained, repr_of
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import NUMBERS, DType
from inlay._src.base.types.shapes import Dims, dimension_value
from inlay._src.core import context
from inlay._src.core.eager.attributes import check_index, whole
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import emit
from inlay._src.core.graph import constant_of
from inlay._src.core.hints import InlineKernel, LoweringHints, Name
from inlay._src.core.opdef import MOST_SIZES, OPS, Inference, Shapes, partial_shape_value
from inlay._src.core.state import Cell
from inlay._src.core.tensor import SymbolicTensor, Tensor
from inlay._src.core.values import boxed
from inlay._src.ops.array import shape, size
from inlay._src.ops.gathering import boolean_mask
from inlay._src.ops.joining import concat
from inlay._src.ops.shaping import put, sizes_of

newaxis: None = export("newaxis")(None)

# An index is data: a tuple whose items are ints, (start, stop, step) slices, "newaxis", "ellipsis", or ("tensor", k)
# for a scalar tensor that is input k of the op.


_MOST_LEVELS = 64
"""The number of levels of lists, at most, of which a mask is made."""
_ROW = (("tensor", 0),)
"""The index of one row, which loops take."""


def numpy_index(xp: Any, index: tuple[Any, ...], dynamic: Any) -> tuple[Any, ...]:
    """The index NumPy understands. A compiler takes single indices that it does not know, but no such bounds."""
    if not dynamic and index.__class__ is tuple:
        return index if len(index) == 1 and index[0].__class__ is int else _INDICES[index]
    return _translated(xp, index, dynamic)


def _translated(xp: Any, index: tuple[Any, ...], dynamic: Any) -> tuple[Any, ...]:

    def part(p: Any) -> Any:
        return _scalar(dynamic[p[1]]) if isinstance(p, tuple) and p and p[0] == "tensor" else p

    out: list[Any] = []
    for item in index:
        if item == "newaxis":
            out.append(None)
        elif item == "ellipsis":
            out.append(Ellipsis)
        elif isinstance(item, tuple) and item[0] != "tensor":
            out.append(slice(*(part(p) for p in item)))
        elif isinstance(item, tuple) and xp is not np:
            out.append(dynamic[item[1]])
        else:
            out.append(part(item))
    return tuple(out)


_INDICES: BoundedCache[Any, tuple[Any, ...]] = BoundedCache("indices", 4096, lambda index: _translated(np, index, ()))


def _place(xp: Any, index: tuple[Any, ...], dynamic: Any) -> Any:
    return _scalar(dynamic[0]) if index == _ROW and xp is np else numpy_index(xp, index, dynamic)


def _scalar(value: Any) -> int:
    """The number that an index tensor holds, whose rank may be known only now."""
    try:
        return operator.index(value)  # `int` takes arrays of one element, with a warning before NumPy 2.4
    except TypeError:
        raise ValueError(f"slice indices must be scalars, got shape {shapes.bracketed(np.shape(value))}") from None


def _slice_infer(s: Shapes) -> list[Dims]:
    dims = s.dims[0]
    if dims is None:
        return [None]
    dynamic = [s.value(i) for i in range(1, len(s.dims))]
    out: list[int | None] = []
    index = list(s.attrs["index"])
    consumed = sum(1 for i in index if i not in ("newaxis", "ellipsis"))
    if consumed > len(dims):
        raise ValueError(f"Index out of range using input dim {len(dims)}; input has only {len(dims)} dims")
    if "ellipsis" not in index:
        index.append("ellipsis")
    axis = 0
    for item in index:
        if item == "newaxis":
            out.append(1)
        elif item == "ellipsis":
            rest = len(dims) - consumed
            out.extend(dims[axis : axis + rest])
            axis += rest
        elif isinstance(item, tuple) and item[0] != "tensor":
            out.append(_sliced_size(dims[axis], item, dynamic))
            axis += 1
        else:
            _check_index(item, dims[axis], axis)
            axis += 1
    return [tuple(out)]


def _check_index(item: Any, size: int | None, axis: int) -> None:
    if isinstance(item, int) and size is not None and not -size <= item < size:
        raise ValueError(f"slice index {item} of dimension {axis} out of bounds.")


def _sliced_size(size: int | None, item: tuple[Any, ...], dynamic: list[Any]) -> int | None:
    parts = []
    for p in item:
        if isinstance(p, tuple):
            value = dynamic[p[1]]
            if value is None:
                return None
            p = int(value)
        parts.append(p)
    if size is None:
        return None
    return len(range(*slice(*parts).indices(size)))


def _slice_vjp(op, dy):
    dynamic = op.inputs[1:]
    spread = _index_grad(shape(op.inputs[0]), dy, list(dynamic), op.attrs["index"])
    return (spread, *(None for _ in dynamic))


def _picked_sizes(node: Any, length: int) -> Dims:
    """The statically known elements of a slice of a shape vector."""
    whole = node.inputs[0]
    if len(node.inputs) > 1 or not whole._dims or len(whole._dims) != 1 or whole._dims[0] is None:
        return (None,) * length
    static = partial_shape_value(whole, whole._dims[0])
    if static is None:
        return (None,) * length
    sizes = np.array(static, object)
    return tuple(np.atleast_1d(sizes[numpy_index(np, node.attrs["index"], ())]).tolist())


def _index_written(
    values: Sequence[str], kinds: Sequence[DType], attrs: Mapping[str, Any], name: Name, sole: str
) -> InlineKernel | None:
    """The source of an index: `x[i]`, `x[:, a:b]`. Numbers from tensors are taken as they are, if they are scalars."""
    if kinds[0]._kind in "srv":
        return None
    tensor, *dynamic = values
    if not dynamic:
        return InlineKernel("True", f"{tensor}[{name('c', numpy_index(np, attrs['index'], ()))}]", view=True)

    def part(p: Any) -> str:
        if p.__class__ is tuple:
            return dynamic[p[1]]
        return "" if p is None else repr(p)

    items = []
    for item in attrs["index"]:
        if item in ("newaxis", "ellipsis"):
            items.append("None" if item == "newaxis" else "...")
        elif item.__class__ is tuple and item[0] != "tensor":
            items.append(":".join(map(part, item)))
        else:
            items.append(part(item))
    numbers = dict(zip(dynamic, kinds[1:], strict=True))
    tests = [f"{x}.__class__ is {name('i', kind.np.type)}" for x, kind in numbers.items()]
    return InlineKernel(" and ".join(tests), f"{tensor}[{', '.join(items)}]", view=True)


@op(
    "StridedSlice",
    "input:T, dynamic:*Index -> T",
    infer=Inference(_slice_infer, _picked_sizes),
    vjp=_slice_vjp,
    lower=LoweringHints(
        aliases=True, expression=_index_written, refuses=lambda kinds, constants: len(kinds) > 1, fixed_index=True
    ),
)
def _index(xp, input, dynamic, *, index):
    """Basic indexing: numbers, slices, new axes and an ellipsis."""
    where = _place(xp, index, dynamic)
    if isinstance(input, Cell):
        input = np.array(input, object)
    try:
        if xp is not np and not dynamic:
            np.broadcast_to(np.False_, np.shape(input))[where]  # JAX takes the nearest element for one out of range
        out = input[where]
    except IndexError as error:
        raise ValueError(f"slice index out of bounds: {error}") from None
    if xp is np and input.dtype == object and not isinstance(out, np.ndarray):
        return boxed(out)
    return out


def _spread_infer(s: Shapes) -> list[Dims]:
    return [s.partial_value(0)]


def _spread_vjp(op, ddx):
    return (
        None,
        _index(ddx, list(op.inputs[2:]), op.attrs["index"]),
        *(None for _ in op.inputs[2:]),
    )


@op(
    "StridedSliceGrad",
    "shape:int32, dy:T, dynamic:*Index -> T",
    types=NUMBERS,
    infer=_spread_infer,
    vjp=_spread_vjp,
    static=("shape",),
    lower=LoweringHints(fixed_index=True),
)
def _index_grad(xp, shape, dy, dynamic, *, index):
    """Zeros of `shape` with `dy` at the places that `index` reads."""
    where = numpy_index(xp, index, dynamic)
    return put(xp, xp.zeros(sizes_of(shape), dy.dtype), where, dy)


def _add_here(xp, tensor, dy, dynamic, *, index):
    if tensor.base is not None or not tensor.flags.writeable:
        tensor = tensor.copy()
    tensor[_place(xp, index, dynamic)] += dy
    return tensor


@op(
    "StridedSliceAdd",
    "tensor:T, dy:T, dynamic:*Index -> T",
    types=NUMBERS,
    infer=lambda s: [s.dims[0]],
    vjp=lambda op, ddx: (
        ddx,
        emit(OPS["StridedSlice"], (ddx, list(op.inputs[2:])), {"index": op.attrs["index"]}),
        *(None for _ in op.inputs[2:]),
    ),
    lower=LoweringHints(overwrites=_add_here, fixed_index=True),
)
def _index_add(xp, tensor, dy, dynamic, *, index):
    """`tensor` with `dy` added at the places that `index` reads."""
    if xp is np:
        return _add_here(np, tensor.copy(), dy, dynamic, index=index)
    return tensor.at[numpy_index(xp, index, dynamic)].add(dy)


def added(total: Any, gradient: Any) -> Any:
    """The sum of a total and a gradient in a graph.

    A gradient that reading a part makes is zero elsewhere: only the part is added. Loops read row after row, and so an
    iteration costs a row, not the whole.
    """
    node = gradient.op
    if node.type == "StridedSliceGrad":
        return emit(
            OPS["StridedSliceAdd"], (total, node.inputs[1], list(node.inputs[2:])), {"index": node.attrs["index"]}
        )
    return OPS["AddV2"].dispatch.function(total, gradient)  # type: ignore[misc]


def getitem(tensor: Tensor, key: Any) -> Any:
    """`tensor[key]`: numbers, slices (also negative steps), `...`, `tf.newaxis`, scalar tensors, a boolean mask."""
    if _is_mask(key):
        return boolean_mask(tensor, key)
    index, dynamic = parsed(key)
    return _index(tensor, dynamic, index, name="strided_slice")


def parsed(key: Any) -> tuple[tuple[Any, ...], list[Any]]:
    """(the index that a key is, the tensors in it)."""
    items = key if isinstance(key, (tuple, list)) else (key,)
    dynamic: list[Any] = []

    def number(p: Any) -> Any:
        if p is None or p.__class__ is int:
            return p
        if isinstance(p, SymbolicTensor):
            if p.shape.rank:
                raise _no_index(p)
            value = p.op.constant_value()
            if value is not None:
                return int(value)
            dynamic.append(p)
            return ("tensor", len(dynamic) - 1)
        if hasattr(p, "__tf_tensor__"):
            return number(convert_to_tensor(p))
        if isinstance(p, shapes.Dimension) and p.value is None:  # a size that is not known bounds nothing
            return None
        try:
            return int(p.__index__())
        except (AttributeError, TypeError):
            raise _no_index(p) from None

    index: list[Any] = []
    for item in items:
        if item is Ellipsis:
            index.append("ellipsis")
        elif item is None:
            index.append("newaxis")
        elif isinstance(item, slice):
            index.append((number(item.start), number(item.stop), number(item.step)))
        else:
            index.append(number(item))
    return tuple(index), dynamic


def _no_index(value: Any) -> TypeError:
    return TypeError(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are "
        f"valid indices, got {repr_of(value)}"
    )


def _is_mask(key: Any) -> bool:
    """Whether an index is an array, a tensor or a list of booleans."""
    if isinstance(key, tuple) and len(key) == 1:
        key = key[0]
    if isinstance(key, Tensor):
        return key.dtype is dtypes.bool_ and key.shape.rank != 0
    if isinstance(key, list):
        for _ in range(_MOST_LEVELS):  # a list may hold itself
            if not isinstance(key, list) or not key:
                break
            key = key[0]
        return isinstance(key, (bool, np.bool_))
    return isinstance(key, np.ndarray) and key.dtype.kind == "b"


@export("strided_slice")
@explained
def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """`input_[begin:end:strides]`, with the slice given entry by entry by three vectors.

    Args:
      input_: the tensor.
      begin, end, strides: one entry per indexed axis; strides are 1 if None.
      begin_mask, end_mask: bits of entries whose bound is left open.
      ellipsis_mask: the bit of the entry that stands for `...`.
      new_axis_mask: bits of entries that insert an axis.
      shrink_axis_mask: bits of entries that are one index and drop their axis.
      var: not supported.
      name: ignored.
    """
    if var is not None:
        raise NotImplementedError("strided_slice with var= is not supported; assign to the variable's slice instead")
    masks = [whole(mask, "mask") for mask in (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)]
    return getitem(convert_to_tensor(input_), sliced_items(input_, begin, end, strides, *masks))


def sliced_items(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
) -> tuple[Any, ...]:
    """The items in the brackets that the vectors and masks of `strided_slice` stand for."""
    if bin(ellipsis_mask).count("1") > 1:
        raise ValueError("Multiple ellipses in slice spec not allowed")
    vectors = [begin, end, *([] if strides is None else [strides])]
    _check_vectors(vectors)
    length = next((n for n in map(_length, vectors) if n is not None), None)
    if length is None:
        if ellipsis_mask or new_axis_mask or shrink_axis_mask:
            raise ValueError("strided_slice with such masks needs begin, end or strides of known length")
        vectors, length = _for_all_axes(convert_to_tensor(input_), vectors)
    starts, ends, *rest = (_entries(v, length) for v in vectors)
    steps = rest[0] if rest else [None] * length
    if not len(starts) == len(ends) == len(steps):
        raise ValueError(f"begin, end and strides differ in length: {len(starts)}, {len(ends)}, {len(steps)}")
    index: list[Any] = []
    for i, (b, e, step) in enumerate(zip(starts, ends, steps, strict=True)):
        bit = 1 << i
        if ellipsis_mask & bit:
            index.append(Ellipsis)
        elif new_axis_mask & bit:
            index.append(None)
        elif shrink_axis_mask & bit:
            if isinstance(step, int) and step <= 0:
                raise ValueError("only stride 1 allowed on non-range indexing.")
            index.append(b)
        else:
            index.append(slice(None if begin_mask & bit else b, None if end_mask & bit else e, step))
    return tuple(index)


def _check_vectors(vectors: list[Any]) -> None:
    """Refuses bounds and steps that are no vectors of whole numbers, and tensors of several types."""
    kinds = set()
    for vector in vectors:
        if isinstance(vector, (list, tuple)):
            if any(entry.__class__ is bool for entry in vector):
                check_index(True, "begin")
            if any(entry is None or isinstance(entry, (float, np.floating, str, bytes)) for entry in vector):
                raise TypeError(f"begin, end and strides must be whole numbers, got {repr_of(vector)}")
            if any((isinstance(e, Tensor) and e.shape.rank) or isinstance(e, (list, tuple)) for e in vector):
                raise _no_vector(f"begin, end and strides must be vectors, got {repr_of(vector)}")
            continue
        tensor = convert_to_tensor(vector)
        if tensor.shape.rank not in (None, 1):
            raise ValueError(f"Shape must be rank 1 but is rank {tensor.shape.rank}: a bound is a vector")
        if isinstance(vector, Tensor):
            kinds.add(tensor.dtype.name)
    if len(kinds) > 1:
        raise TypeError(f"begin, end and strides must be of one type, got {' and '.join(sorted(kinds))}")


def _no_vector(says: str) -> Exception:
    """The refusal of a bound of another rank: a kernel's where ops run at once."""
    return errors.InvalidArgumentError(None, None, says) if context.executing_eagerly() else ValueError(says)


def _length(vector: Any) -> int | None:
    if isinstance(vector, (list, tuple)):
        return len(vector)
    shape = convert_to_tensor(vector).shape
    return dimension_value(shape[0]) if shape.rank else None


def _entries(vector: Any, length: int) -> list[Any]:
    if isinstance(vector, (list, tuple)):
        return list(vector)
    constant = constant_of(vector)
    count = length if constant is None else constant.size
    if count > MOST_SIZES:  # a message may claim what memory cannot hold
        raise ValueError(f"an index has an entry for each axis, and at most {MOST_SIZES}: got {count}")
    if constant is not None:
        return constant.reshape(-1).tolist()  # type: ignore[no-any-return]
    return emit(OPS["Unpack"], (vector,), {"num": length, "axis": 0}) if length else []  # type: ignore[no-any-return]


def _for_all_axes(tensor: Tensor, vectors: list[Any]) -> tuple[list[Any], int]:
    """Bounds of unknown length, and steps if there are any, continued so that there is one entry per axis."""
    rank = tensor.shape.rank
    if rank is None:
        raise ValueError("strided_slice of a tensor of unknown rank needs begin, end or strides of known length")
    sizes = shape(tensor)
    rest = sizes[size(vectors[0]) :]
    filling = [rest * 0, rest, rest * 0 + 1]
    return [concat([convert_to_tensor(v), f], 0) for v, f in zip(vectors, filling, strict=False)], rank

"""Lists of tensors as TensorFlow has them: with the type of their items, and where it matters with their shape."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core.operation import Operation
from inlay._src.core.tables import references
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.programs.graph_def.exporting import FORMS, Scope
from inlay._src.programs.graph_def.foreign_forms import for_both
from inlay._src.programs.graph_def.wire import Wire


def _uses(tensor: SymbolicTensor) -> Iterator[DType | SymbolicTensor]:
    """The type of the items of a list, as nodes that take it say; and the tensors that such a list becomes."""
    for node in tensor.consumers():
        at = next(i for i, t in enumerate(node.inputs) if t is tensor)
        if node.type in ("TensorListSetItem", "TensorListGetOr", "TensorListOnly") and at == 2:
            continue  # an item of another list
        if node.type in ("TensorListSetItem", "TensorListGetOr", "TensorListOnly"):
            yield node.inputs[2].dtype
        elif node.type in ("TensorListGetItem", "TensorListStack", "TensorListConcat"):
            yield node.attrs["dtype"]
        elif node.type in ("TensorListStackLike", "TensorListSplitLike"):
            yield node.inputs[1].dtype
        programs = [node.graph.referred(r) for value in node.attrs.values() for r in references(value)]
        for number, program in enumerate(p for p in programs if hasattr(p, "parameters")):
            place = _place(node, number, at)
            if place is not None and place < len(program.parameters):
                yield program.parameters[place]
        yield from (t for t in node.outputs if t.dtype is dtypes.variant)


def _place(node: Operation, number: int, at: int) -> int | None:
    """The number of the parameter of one of its functions that an input of a node is; None if it is none."""
    picks = node.attrs.get("picks")
    if picks is None:
        return at
    pick = picks[number] if number < len(picks) else ()
    count = node.attrs["num"] if "limit" in node.attrs else 0
    if "limit" in node.attrs and at < count:
        return at
    first = count if "limit" in node.attrs else 1
    return count + list(pick).index(at - first) if at - first in pick else None


def item_dtype(tensor: SymbolicTensor) -> DType:
    """The type of the items of a list: float32 if nothing uses them."""
    waiting, seen = [tensor], {id(tensor)}
    for current in waiting:  # grows
        for use in _uses(current):
            if isinstance(use, DType):
                return use
            if id(use) not in seen:
                seen.add(id(use))
                waiting.append(use)
    return dtypes.float32


def _shape(scope: Scope, node: Operation, dims: Any) -> tuple[str, DType]:
    sizes = -1 if dims is None else [-1 if size is None else size for size in dims]
    return scope.constant(f"{node.name}/element_shape", sizes, dtypes.int32)


def _reserved(scope: Scope, node: Operation) -> Wire | None:
    attrs = {"element_dtype": item_dtype(node.outputs[0])}
    inputs = [_shape(scope, node, None), *scope.inputs(node)]
    return Wire("TensorListReserve", inputs, attrs, [dtypes.variant])


def _stacked(scope: Scope, node: Operation) -> Wire | None:
    dtype = node.outputs[0].dtype
    inputs = [*scope.inputs(node), _shape(scope, node, node.attrs["shape"])]
    return Wire("TensorListStack", inputs, {"num_elements": -1}, [dtype])


def _item(scope: Scope, node: Operation) -> Wire | None:
    inputs = [*scope.inputs(node), _shape(scope, node, node.attrs["shape"])]
    return Wire("TensorListGetItem", inputs, {}, [node.outputs[0].dtype])


def _unstacked(scope: Scope, node: Operation) -> Wire | None:
    dims = node.inputs[0]._dims
    inputs = [*scope.inputs(node), _shape(scope, node, None if dims is None else dims[1:])]
    return Wire("TensorListFromTensor", inputs, {}, [dtypes.variant])


def _extra(scope: Scope, node: Operation, label: str, wire: Wire) -> tuple[str, DType]:
    """A further node with one output; the reference to it, and its dtype."""
    return scope.extra(f"{node.name}/{label}", wire)[0], wire.outputs[0]


def _shape_of(scope: Scope, node: Operation, position: int) -> tuple[str, DType]:
    """The shape of an input."""
    return _extra(scope, node, "shape", Wire("Shape", [scope.inputs(node)[position]], {}, [dtypes.int32]))


def _added(scope: Scope, node: Operation) -> Wire:
    return Wire("AddN", scope.inputs(node), {}, [dtypes.variant])


def _emptied(scope: Scope, node: Operation) -> Wire | None:
    """A list of cotangents without one of its items, which becomes zero; another node reads the item."""
    items, index = node.inputs
    readers = (n for n in items.consumers() if n.type == "TensorListGetOr" and n.inputs[1] is index)
    reader = next(readers, None)
    if reader is None:
        return None
    like = scope.reference(reader.inputs[2]), reader.inputs[2].dtype
    zeros = _extra(scope, node, "zeros", Wire("ZerosLike", [like], {}, [like[1]]))
    return Wire("TensorListSetItem", [*scope.inputs(node), zeros], {}, [dtypes.variant])


def _item_or_zeros(scope: Scope, node: Operation) -> Wire:
    """An item, or zeros of a shape where there is none."""
    inputs = [*scope.inputs(node)[:2], _shape_of(scope, node, 2)]
    return Wire("TensorListGetItem", inputs, {}, [node.outputs[0].dtype])


def _single(scope: Scope, node: Operation) -> Wire:
    """A list as long as another one, with one item."""
    like, index, item = scope.inputs(node)
    length = _extra(scope, node, "length", Wire("TensorListLength", [like], {}, [dtypes.int32]))
    reserve = Wire(
        "TensorListReserve", [_shape(scope, node, None), length], {"element_dtype": item[1]}, [dtypes.variant]
    )
    return Wire("TensorListSetItem", [_extra(scope, node, "empty", reserve), index, item], {}, [dtypes.variant])


def _stacked_like(scope: Scope, node: Operation) -> Wire:
    """The items, and zeros where there are none, in the shape of another tensor."""
    shape = _shape_of(scope, node, 1)
    begin, end, strides = (scope.constant(f"{node.name}/{n}", [v], dtypes.int32) for n, v in _BEHIND_THE_FIRST)
    rest = Wire("StridedSlice", [shape, begin, end, strides], {"end_mask": 1}, [dtypes.int32])
    inputs = [scope.inputs(node)[0], _extra(scope, node, "item_shape", rest)]
    return Wire("TensorListStack", inputs, {"num_elements": -1}, [node.outputs[0].dtype])


_BEHIND_THE_FIRST = (("begin", 1), ("end", 0), ("strides", 1))


def _concatenation(scope: Scope, node: Operation, items: tuple[str, DType], dims: Any, dtype: DType) -> Wire:
    """The items one behind the other, and the length of each."""
    none = scope.constant(f"{node.name}/leading_dims", np.zeros(0, np.int64), dtypes.int64)
    return Wire("TensorListConcatV2", [items, _shape(scope, node, dims), none], {}, [dtype, dtypes.int64])


def _joined(scope: Scope, node: Operation) -> Wire:
    """Joined items; those of a cotangent are zeros shaped like the items of a list where there are none."""
    items, like = scope.inputs(node)
    if node.inputs[0] is not node.inputs[1]:
        zeros = _extra(scope, node, "zeros", Wire("ZerosLike", [like], {}, [dtypes.variant]))
        items = _extra(scope, node, "items", Wire("AddN", [items, zeros], {}, [dtypes.variant]))
    dims = node.attrs["shape"]
    return _concatenation(scope, node, items, dims and (None, *dims[1:]), node.outputs[0].dtype)


def _lengths(scope: Scope, node: Operation) -> Wire:
    wire = _concatenation(scope, node, scope.inputs(node)[0], None, item_dtype(node.inputs[0]))
    return wire._replace(first=1)


def _split_like(scope: Scope, node: Operation) -> Wire:
    """Parts of a tensor that are as long as the items of a list."""
    like, tensor = scope.inputs(node)
    wire = _concatenation(scope, node, like, None, tensor[1])
    lengths = scope.extra(f"{node.name}/lengths", wire)[1], dtypes.int64
    return Wire("TensorListSplit", [tensor, _shape(scope, node, None), lengths], {}, [dtypes.variant])


def _split(scope: Scope, node: Operation) -> Wire:
    """Parts of a tensor of some lengths."""
    tensor, lengths = scope.inputs(node)
    if lengths[1] is not dtypes.int64:
        lengths = _extra(scope, node, "lengths", Wire("Cast", [lengths], {}, [dtypes.int64]))
    return Wire("TensorListSplit", [tensor, _shape(scope, node, None), lengths], {}, [dtypes.variant])


FORMS["TensorListAdd"] = for_both(_added)
FORMS["TensorListClear"] = for_both(_emptied)
FORMS["TensorListConcat"] = for_both(_joined)
FORMS["TensorListGetOr"] = for_both(_item_or_zeros)
FORMS["TensorListItemLengths"] = for_both(_lengths)
FORMS["TensorListOnly"] = for_both(_single)
FORMS["TensorListSplit"] = for_both(_split)
FORMS["TensorListSplitLike"] = for_both(_split_like)
FORMS["TensorListStackLike"] = for_both(_stacked_like)
FORMS["TensorListFromTensor"] = for_both(_unstacked)
FORMS["TensorListGetItem"] = for_both(_item)
FORMS["TensorListReserve"] = for_both(_reserved)
FORMS["TensorListStack"] = for_both(_stacked)

"""Lists of tensors, which loops carry. In TensorFlow a list knows the type and the shape of its items; here they do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.emit import emit
from inlay._src.core.graph import static_value_of
from inlay._src.core.opdef import OPS
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.ops.array import reshape, zeros
from inlay._src.ops.gathering import gather
from inlay._src.ops.joining import concat
from inlay._src.ops.math import maximum, subtract
from inlay._src.programs.graph_def.checking import internal_attributes
from inlay._src.programs.graph_def.composing import as_functions
from inlay._src.programs.graph_def.reading import READERS, GraphReader, NodeMessage, aliased, build_exactly, plain


def _dims(node: NodeMessage, position: int) -> Dims:
    """The partial shape of the items; a negative size, and one that is computed, is unknown."""
    value = static_value_of(node.inputs[position])
    if value is None or not value.ndim:
        return None
    return tuple(None if n < 0 else n for n in value.tolist())


def _items(node: NodeMessage, position: int) -> dict[str, Any]:
    """The type and the shape of the items of a list."""
    return {"dtype": node.attrs["element_dtype"], "shape": _dims(node, position)}


def _reserved(site: GraphReader, node: NodeMessage) -> Operation:
    return aliased(site, node, OPS["TensorListReserve"], node.inputs[1:])


def _is_computed(node: NodeMessage, position: int) -> bool:
    """Whether the shape of the items is computed: it is that of the zeros where nothing is written."""
    return static_value_of(node.inputs[position]) is None and node.attrs["element_dtype"] in dtypes.NUMBERS


def _item(site: GraphReader, node: NodeMessage) -> Operation:
    if _is_computed(node, 2):
        with site.inside(node):
            like = zeros(maximum(node.inputs[2], 0), node.attrs["element_dtype"])
        return aliased(site, node, OPS["TensorListGetOr"], [*node.inputs[:2], like])
    return aliased(site, node, OPS["TensorListGetItem"], node.inputs[:2], **_items(node, 2))


def _set(site: GraphReader, node: NodeMessage) -> Operation:
    return aliased(site, node, OPS["TensorListSetItem"], grow=node.attrs["resize_if_index_out_of_bounds"])


def _stacked(site: GraphReader, node: NodeMessage) -> Operation:
    if _is_computed(node, 1):
        with site.inside(node):
            sizes = concat([reshape(_length(node.inputs[0]), [1]), maximum(node.inputs[1], 0)], 0)
            like = zeros(sizes, node.attrs["element_dtype"])
        return aliased(site, node, OPS["TensorListStackLike"], [node.inputs[0], like])
    return aliased(site, node, OPS["TensorListStack"], node.inputs[:1], **_items(node, 1))


def _unstacked(site: GraphReader, node: NodeMessage) -> Operation:
    return aliased(site, node, OPS["TensorListFromTensor"], node.inputs[:1])


def _split(site: GraphReader, node: NodeMessage) -> Operation:
    return aliased(site, node, OPS["TensorListSplit"], [node.inputs[0], node.inputs[2]])


def _empty(node: NodeMessage) -> Any:
    return emit(OPS["TensorListReserve"], (0,))


def _length(items: Any) -> Any:
    return emit(OPS["TensorListLength"], (items,))


def _pushed(node: NodeMessage) -> Any:
    items, item = node.inputs
    return emit(OPS["TensorListSetItem"], (items, _length(items), item), {"grow": True})


def _popped(node: NodeMessage) -> Sequence[SymbolicTensor]:
    items = node.inputs[0]
    last = subtract(_length(items), 1)
    item = emit(OPS["TensorListGetItem"], (items, last), _items(node, 1))
    return [emit(OPS["TensorListResize"], (items, last)), item]


def _joined(node: NodeMessage) -> Sequence[SymbolicTensor]:
    items = node.inputs[0]
    attrs = {"dtype": node.attrs["element_dtype"], "shape": _dims(node, 1)}
    whole = emit(OPS["TensorListConcat"], (items, items), attrs)
    return [whole, emit(OPS["TensorListItemLengths"], (items,))]


def _gathered(node: NodeMessage) -> Any:
    items, indices, _ = node.inputs
    return gather(emit(OPS["TensorListStack"], (items,), _items(node, 2)), indices)


def _summed(site: GraphReader, node: NodeMessage) -> Operation | Sequence[SymbolicTensor]:
    """A sum; lists are added up item by item."""
    if node.inputs[0].dtype is not dtypes.variant:
        return plain(site, node)
    return as_functions(_lists_summed, fits=False)(site, node)


def _lists_summed(node: NodeMessage) -> Any:
    total: Any = node.inputs[0]
    for items in node.inputs[1:]:
        total = emit(OPS["TensorListAdd"], (total, items))
    return total


def _optional_value(site: GraphReader, node: NodeMessage) -> Operation:
    """The value of an optional, whose components have shapes that the node says."""
    attrs = {"output_types": node.attrs["output_types"], **internal_attributes(node.message)}
    operation = build_exactly(site, OPS["OptionalGetValue"], node.inputs, attrs, node.name)
    for tensor, shape in zip(operation.outputs, node.attrs["output_shapes"], strict=False):
        tensor.set_shape(shape)
    return operation


READERS["AddN"] = _summed
_MADE = {
    "EmptyTensorList": _empty,
    "TensorListConcatV2": _joined,
    "TensorListGather": _gathered,
    "TensorListPopBack": _popped,
    "TensorListPushBack": _pushed,
}
READERS.update({name: as_functions(make, fits=False) for name, make in _MADE.items()})
READERS.update(
    {
        "OptionalGetValue": _optional_value,
        "TensorListFromTensor": _unstacked,
        "TensorListGetItem": _item,
        "TensorListReserve": _reserved,
        "TensorListSetItem": _set,
        "TensorListSplit": _split,
        "TensorListStack": _stacked,
    }
)

"""Lists of tensors, which loops carry. In TensorFlow a list knows the type and the shape of its items; here they do."""

from __future__ import annotations

from typing import Any

from inlay._src.base.types.shapes import Dims
from inlay._src.core.opdef import OPS
from inlay._src.core.operation import Operation
from inlay._src.programs.control.tensor_array import TensorArray
from inlay._src.programs.graph_def.reading import READERS, GraphReader, NodeMessage, aliased

DECLARED_BY = TensorArray
"""The class whose module declares the ops."""


def _dims(node: NodeMessage, position: int) -> Dims:
    """The partial shape of the items; a negative size is unknown."""
    value = node.value(position, "element_shape")
    if not value.ndim:
        return None
    return tuple(None if n < 0 else n for n in value.tolist())


def _reserved(site: GraphReader, node: NodeMessage) -> Operation:
    return aliased(site, node, OPS["TensorListReserve"], node.inputs[1:])


def _item(site: GraphReader, node: NodeMessage) -> Operation:
    attrs: dict[str, Any] = {"dtype": node.attrs["element_dtype"], "shape": _dims(node, 2)}
    return aliased(site, node, OPS["TensorListGetItem"], node.inputs[:2], **attrs)


def _stacked(site: GraphReader, node: NodeMessage) -> Operation:
    attrs: dict[str, Any] = {"dtype": node.attrs["element_dtype"], "shape": _dims(node, 1)}
    return aliased(site, node, OPS["TensorListStack"], node.inputs[:1], **attrs)


def _unstacked(site: GraphReader, node: NodeMessage) -> Operation:
    return aliased(site, node, OPS["TensorListFromTensor"], node.inputs[:1])


READERS.update(
    {
        "TensorListFromTensor": _unstacked,
        "TensorListGetItem": _item,
        "TensorListReserve": _reserved,
        "TensorListStack": _stacked,
    }
)

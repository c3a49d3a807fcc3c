"""Nodes that parse examples: the keys of features are inputs in TensorFlow, and an attribute here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inlay._src.core.opdef import OPS
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.ops.example_parsing import Columns
from inlay._src.ops.shaping import ensure_shape
from inlay._src.programs.graph_def.checking import UnsupportedError, internal_attributes
from inlay._src.programs.graph_def.reading import READERS, GraphReader, NodeMessage, build_exactly


def _keys(node: NodeMessage, positions: Sequence[int]) -> list[str]:
    """The keys that inputs hold."""
    texts = [node.value(position, "of keys").ravel().tolist() for position in positions]
    return [key.decode() for several in texts for key in several]


def _dims(shape: Any) -> tuple[int | None, ...]:
    """The shape of a dense feature; None first where each example has a length of its own."""
    if shape.rank is None or any(size is None for size in shape.as_list()[1:]):
        raise UnsupportedError(f"the shape {shape} of a dense feature is not known while the graph is built")
    return tuple(shape.as_list())


def _parsed(
    site: GraphReader, node: NodeMessage, sparse: list[str], dense: list[str], ragged: list[str], defaults: Any
) -> Operation:
    attrs = node.attrs
    kinds = attrs.get("ragged_value_types", ()), attrs.get("ragged_split_types", ())
    columns = Columns(
        tuple(zip(sparse, attrs["sparse_types"], strict=True)),
        tuple(zip(dense, attrs["Tdense"], map(_dims, attrs["dense_shapes"]), strict=True)),
        tuple(zip(ragged, *kinds, strict=True)),
    )
    attributes = {"columns": tuple(columns), "out_type": columns.types(), **internal_attributes(node.message)}
    return build_exactly(site, OPS["ParseExampleV2"], [*node.inputs[:2], *defaults], attributes, node.name)


def _of_lists(site: GraphReader, node: NodeMessage) -> Operation | Sequence[SymbolicTensor]:
    """One input for each key."""
    count, dense = node.attrs["Nsparse"], node.attrs["Ndense"]
    sparse_keys, dense_keys = range(2, 2 + count), range(2 + count, 2 + count + dense)
    defaults = node.inputs[2 + count + dense :]
    keys = _keys(node, sparse_keys), _keys(node, dense_keys)
    with site.inside(node):
        vector: Any = ensure_shape(node.inputs[0], [None])  # a single example is for the other op
    return _parsed(site, node._replace(inputs=[vector, *node.inputs[1:]]), *keys, [], defaults)


def _of_vectors(site: GraphReader, node: NodeMessage) -> Operation | Sequence[SymbolicTensor]:
    """Vectors of keys."""
    sparse, dense, ragged = (_keys(node, [position]) for position in (2, 3, 4))
    return _parsed(site, node, sparse, dense, ragged, node.inputs[5:])


READERS.update({"ParseExample": _of_lists, "ParseExampleV2": _of_vectors})

"""Tensors whose values runs feed: `placeholder` and `placeholder_with_default`."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes, shapes
from inlay._src.core import context
from inlay._src.core import graph as graphs
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import emit
from inlay._src.core.hints import LoweringHints
from inlay._src.core.opdef import OPS, Role
from inlay._src.core.tensor import Tensor


@op("Placeholder", " -> dtype", role=Role.PLACEHOLDER)
def _placeholder(xp, *, dtype, shape):
    """A value that every run must feed."""
    raise AssertionError("a placeholder has no kernel: plans refuse to run one that is not fed")


@export("placeholder")
def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Tensor:
    """A symbolic tensor whose value every run must feed.

    Args:
      dtype: its type.
      shape: its partial shape; None is unknown rank.
      name: the node's name.

    Returns:
      A symbolic tensor. In eager code it belongs to the default graph.
    """
    kind, dims = dtypes.as_dtype(dtype), shapes.as_shape(shape)._dims
    graph = graphs.default_graph()
    attrs = {"dtype": kind, "shape": shapes.from_dims(dims)}
    if context.current().graph is graph:
        return graph.add(OPS["Placeholder"], (), attrs, (kind,), (dims,), name).outputs[0]
    with graph.as_default():
        return graph.add(OPS["Placeholder"], (), attrs, (kind,), (dims,), name).outputs[0]


@op(
    "PlaceholderWithDefault",
    "input:T -> T",
    infer=lambda s: [s.attrs["shape"]._dims],
    lower=LoweringHints(aliases=True),
    vjp=lambda op, dy: dy,
    role=Role.DEFAULT,
)
def _placeholder_with_default(xp, input, *, shape):
    """A value that a run may feed."""
    return input


@export("placeholder_with_default")
def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """`input`, unless a run feeds this tensor.

    Args:
      input: the default value.
      shape: the partial shape that a fed value must have.
      name: the node's name.
    """
    return emit(OPS["PlaceholderWithDefault"], (input,), {"shape": shapes.as_shape(shape)}, name)

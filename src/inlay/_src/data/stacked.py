"""Functions that take many elements stacked: `map(function, batch=64)`.

source ──▶ Batch ──▶ the function, and how many elements it was given ──▶ StackedRows ──▶ elements again
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import nest
from inlay._src.base.types.specs import TensorSpec
from inlay._src.data.batching import UnbatchCursor
from inlay._src.data.element import Element, Values, row_spec
from inlay._src.data.graph_rows import graph_form
from inlay._src.data.node import Cursor, Iteration, Node
from inlay._src.ops import array
from inlay._src.ops.composite import ragged


def with_count(element: Any, result: Any) -> Any:
    """The result of a function of stacked elements, with their number in front; see `StackedRowsNode`."""
    first = nest.flatten(element)[0]
    return (first.nrows() if isinstance(first, ragged.RaggedTensor) else array.shape(first)[0]), result


@graph_form(fields={"elements": Node, "label": str}, inputs=None)
class StackedRowsNode(Node):
    """The rows of what a function made of stacked elements.

    Args:
      source: gives, for each batch, how many elements it has and what the function made of them.
      elements: the dataset that was stacked.
      label: the function's name and definition.

    Raises:
      ValueError: if a component of the results has no rows.
    """

    __slots__ = ("elements", "label")
    name = "MapDataset"

    def __init__(self, source: Node, elements: Node, label: str) -> None:
        _, results = source.element.spec
        super().__init__(nest.map_structure(row_spec, results), (source,))
        self.elements, self.label = elements, label

    def cursor(self, iteration: Iteration) -> Cursor:
        _, results = self.inputs[0].element.spec
        return StackedRowsCursor(self.inputs[0].cursor(iteration), Element(results), self.label)

    def cardinality(self, iteration: Iteration) -> int:
        return self.elements.cardinality(iteration)


class StackedRowsCursor(UnbatchCursor):
    """One iteration of `StackedRowsNode`. Its position is that of rows."""

    __slots__ = ("_label", "_plain")

    def __init__(self, source: Cursor, element: Element, label: str) -> None:
        super().__init__(source, element)
        self._label = label
        self._plain = all(isinstance(s, TensorSpec) for s in element.leaves)

    def _open(self, values: Values) -> None:
        count, results = int(values[0]), values[1:]
        if self._plain and any(np.shape(value)[:1] != (count,) for value in results):
            shapes = ", ".join(str(list(np.shape(value))) for value in results)
            raise errors.InvalidArgumentError(
                None,
                None,
                f"{self._label} was given {count} elements stacked, and returned shapes {shapes}: with batch= it must "
                "return a row for each of them in every component",
            )
        super()._open(results)
        self.values = values

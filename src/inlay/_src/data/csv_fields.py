"""The fields of the records of delimited text files, as tuples of scalars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inlay._src.base import errors
from inlay._src.base.files.delimited import fields_of
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core.values import boxed
from inlay._src.data.element import Values
from inlay._src.data.graph_rows import CAPTURES, graph_form
from inlay._src.data.node import Cursor, Iteration, Node
from inlay._src.ops.csv import field_value


@graph_form("", CAPTURES, {"delimiter": str, "quotes": bool, "missing": str, "selected": tuple, "excluded": tuple})
class FieldsNode(Node):
    """The fields of records.

    Args:
      source: the records, strings.
      defaults: for each column the value of a missing field: a tensor of at most one entry.
      delimiter: the delimiter of the fields, one character.
      quotes: whether double quotes go around fields.
      missing: further texts of a missing field.
      selected: the numbers of the columns to read; none are all of them.
      excluded: the numbers of the columns not to read.
    """

    __slots__ = ("delimiter", "excluded", "missing", "quotes", "selected")
    name = "CsvDatasetV2"

    def __init__(
        self,
        source: Node,
        defaults: Sequence[Any],
        delimiter: str,
        quotes: bool,
        missing: str,
        selected: tuple[int, ...],
        excluded: tuple[int, ...],
    ) -> None:
        super().__init__(tuple([TensorSpec((), value.dtype) for value in defaults]), (source,), defaults)
        self.delimiter, self.quotes, self.missing = delimiter, quotes, missing
        self.selected, self.excluded = selected, excluded

    def cursor(self, iteration: Iteration) -> Cursor:
        return FieldsCursor(self.inputs[0].cursor(iteration), self, iteration.values(self.tensors))

    def cardinality(self, iteration: Iteration) -> int:
        return self.inputs[0].cardinality(iteration)


class FieldsCursor(Cursor):
    """One iteration of `FieldsNode`."""

    __slots__ = ("_columns", "_delimiter", "_excluded", "_missing", "_node")

    def __init__(self, source: Cursor, node: FieldsNode, defaults: Values) -> None:
        super().__init__(source)
        self._node, self._delimiter, self._missing = node, node.delimiter.encode(), node.missing.encode()
        self._excluded = frozenset(node.excluded)
        self._columns: list[tuple[Any, DType]] = [
            (default, leaf.dtype) for default, leaf in zip(defaults, node.element.leaves, strict=True)
        ]

    @property
    def names(self) -> list[str]:
        return ["CSV"]

    def __next__(self) -> Values:
        (record,) = next(self.sources[0])
        try:
            return self._values(record.item())
        except ValueError as error:
            raise errors.InvalidArgumentError(None, None, str(error)) from None

    def _values(self, record: bytes) -> Values:
        node, columns = self._node, self._columns
        fields = fields_of(record, self._delimiter, node.quotes)
        if node.selected:
            fields = [fields[i] for i in node.selected if i < len(fields)]
        elif self._excluded:
            fields = [field for i, field in enumerate(fields) if i not in self._excluded]
        if len(fields) < len(columns):
            raise ValueError(f"Expect {len(columns)} fields but have {len(fields)} in record")
        if len(fields) > len(columns):
            raise ValueError(f"Expect {len(columns)} fields but have more in record")
        values = []
        for i, (field, (default, kind)) in enumerate(zip(fields, columns, strict=True)):
            value = field_value(field, default, kind, self._missing, i, "record")
            values.append(boxed(value) if kind is dtypes.string else kind.as_numpy_dtype(value))
        return values

"""The serialized form of dataset nodes, which `graph_form` declares above each class: op, tensors, fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from inlay._src.base.types import dtypes
from inlay._src.core.graph import static_value_of
from inlay._src.data.node import Node
from inlay._src.programs.graph_def.declared import OWN, REQUIRED, Argument, Declaration, DeclaredAttribute, declare

N = TypeVar("N", bound=type[Node])

NUMBER = (int, type(None))
FLAG = (bool, type(None))
CAPTURES = "*"
"""A marker in `Row.tensors` for any number of tensors of any dtypes."""


class Row(NamedTuple):
    """The serialized form of dataset nodes of one class.

    Attributes:
      kind: the class.
      op: TensorFlow's op; "" if it has none.
      tensors: the dtypes of its tensors in order; a last `CAPTURES` is any number of more.
      fields: its fields -> the classes that their values may have.
      inputs: the number of datasets that it reads; None is any.
      functions: TensorFlow's attributes that name its traced functions, in the order of its fields.
      attrs: field -> TensorFlow's attribute with its value.
      caches: field -> a function that returns its first value: it is derived, and not written.
      extra: returns further int64 scalars that TensorFlow's op takes after the tensors.
      same: whether TensorFlow's op does what a node does.
      read: makes the node of a message of TensorFlow's; None passes the inputs and the function or the tensors.
      composed: makes a node of the same elements of which every part has an op of TensorFlow's; it is written instead.
      recomposed: makes the node again of what `composed` made, or raises ValueError.
    """

    kind: type[Node]
    op: str = ""
    tensors: str = ""
    fields: Mapping[str, Any] = {}
    inputs: int | None = 1
    functions: tuple[str, ...] = ()
    attrs: Mapping[str, str] = {}
    caches: Mapping[str, Callable[[], Any]] = {}
    extra: Callable[[Any], Sequence[int]] = lambda node: ()
    same: Callable[[Any], bool] = lambda node: True
    read: Callable[[Any], Node] | None = None
    composed: Callable[[Any], Node] | None = None
    recomposed: Callable[[Any], Node] | None = None

    @property
    def own(self) -> str:
        """The name of the op that this library declares for it."""
        return f"{OWN}{self.kind.stage}Dataset"


BY_KIND: dict[type[Node], Row] = {}
"""Class of nodes -> its row."""
_SEEN: list[Callable[[Row], None]] = []


def graph_form(*row: Any, **fields: Any) -> Callable[[N], N]:
    """Class decorator: declares how dataset nodes of the class are written to graphs and read from them.

    Args:
      *row, **fields: those of `Row` behind `kind`.
    """

    def declared(kind: N) -> N:
        BY_KIND[kind] = added = Row(kind, *row, **fields)
        declare(own_declaration(added.own, False, _HANDLE))
        for see in _SEEN:
            see(added)
        return kind

    return declared


def each_row(see: Callable[[Row], None]) -> None:
    """Calls a function with every row, also with those that are declared later."""
    _SEEN.append(see)
    for row in list(BY_KIND.values()):
        see(row)


def constant_value(tensor: Any) -> Any:
    """The value of a tensor while a graph is built; None if it is computed."""
    value = static_value_of(tensor)
    return None if value is None else value[()]


def own_declaration(op: str, single: bool, outputs: Argument) -> Declaration:
    """Our declaration of an op that takes datasets and tensors, and names functions of the library."""
    first = Argument("dataset", dtypes.variant, "", "", "", False)
    several = Argument("input_datasets", dtypes.variant, "", "N", "", False)
    kinds = {"Targuments": "list(type)", "functions": "list(func)", "output_types": "list(type)"}
    kinds |= {"output_shapes": "list(shape)"} | ({} if single else {"N": "int"})
    inputs = (first if single else several, Argument("arguments", None, "", "", "Targuments", False))
    return Declaration(op, inputs, (outputs,), {n: DeclaredAttribute(k, REQUIRED) for n, k in kinds.items()}, True)


_HANDLE = Argument("handle", dtypes.variant, "", "", "", False)

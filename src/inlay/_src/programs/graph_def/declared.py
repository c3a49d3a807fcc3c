"""The declarations of ops on the wire: TensorFlow's declarations, as data, and ours for ops that TensorFlow lacks.

`op_defs.jsonl` holds one line per op, which `scripts/make_op_defs.py` wrote from TensorFlow. A node under an op's name
must have the inputs, outputs and attributes that are declared there. An op of inlay that differs, or that TensorFlow
lacks, is written under its name with the prefix `OWN`. `other_ops.txt` names the ops of TensorFlow that are not here.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.export import Declared, data_file
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core.opdef import OpDef

OWN = "Inlay>"
"""The prefix of the names of ops that this library declares. `Namespace>Op` is TensorFlow's form."""
REQUIRED: Any = inspect.Parameter.empty
"""The default of an attribute that has none, here as in `OpDef.attrs`."""


class Argument(NamedTuple):
    """An input or output.

    Attributes:
      name: of it.
      dtype: its type, if it is always the same.
      letter: the attribute that holds its type, or "".
      number: the attribute that says how many tensors it is, or "".
      listed: the attribute that lists the types of its tensors, or "".
      reference: whether it is a reference to a variable of 1.x.
    """

    name: str
    dtype: DType | None
    letter: str
    number: str
    listed: str
    reference: bool

    @property
    def many(self) -> bool:
        """Whether it is a list of tensors."""
        return bool(self.number or self.listed)


class DeclaredAttribute(NamedTuple):
    """An attribute: the kind of its values ("int", "list(shape)", …), and the value of a node that does not say it."""

    kind: str
    default: Any


@dataclass(frozen=True)
class Declaration:
    """An op as it is written.

    Attributes:
      name: of it.
      inputs, outputs, attributes: in the order in which they are declared.
      stateful: whether running it does more than to give its outputs.
    """

    name: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    attributes: Mapping[str, DeclaredAttribute]
    stateful: bool

    @functools.cached_property
    def deduced(self) -> frozenset[str]:
        """The attributes that inputs and outputs tell: types and numbers of tensors."""
        return frozenset(n for a in (*self.inputs, *self.outputs) for n in (a.letter, a.number, a.listed) if n)


@functools.cache
def _lines() -> Mapping[str, str]:
    text = data_file(__package__, "op_defs.jsonl")
    return {line[8 : line.index('"', 8)]: line for line in text.splitlines()}


@functools.cache
def other_ops() -> Mapping[str, bool]:
    """The names of TensorFlow's ops that are not here -> whether each is stateful."""
    text = data_file(__package__, "other_ops.txt")
    return {name.rstrip("*"): name.endswith("*") for name in text.split()}


_HERE: Declared[str, Declaration] = Declared("declarations")
"""The ops of `declare`."""


def declare(own: Declaration) -> None:
    """Declares an op of this library that is no op of its graphs, but a form of nodes in messages."""
    _HERE[own.name] = own


def declared_names() -> Iterable[str]:
    """The names of TensorFlow's ops."""
    return _lines().keys()


def declaration(name: str) -> Declaration | None:
    """The declaration of an op: TensorFlow's, or one of `declare`; None if there is none."""
    return _HERE.find(name) or _of_tensorflow(name)


@functools.cache
def _of_tensorflow(name: str) -> Declaration | None:
    line = _lines().get(name)
    if line is None:
        return None
    row = json.loads(line)
    attributes = {n: DeclaredAttribute(a[0], _value(*a) if len(a) > 1 else REQUIRED) for n, a in row["attr"].items()}
    ins, outs = (tuple(_argument(a) for a in row[side]) for side in ("in", "out"))
    return Declaration(name, ins, outs, attributes, row.get("stateful", False))


def _argument(text: str) -> Argument:
    name, _, kind = text.partition(":")
    reference, kind = kind.startswith("&"), kind.lstrip("&")
    if kind.startswith("["):
        return Argument(name, None, "", "", kind[1:-1], reference)
    count, _, kind = kind.rpartition("*")
    dtype = _DTYPES.get(kind)
    return Argument(name, dtype, "" if dtype else kind, count, "", reference)


_DTYPES = {d.name: d for d in dtypes.ANY}


def _value(kind: str, value: Any) -> Any:
    """A default value, which is in the file as JSON has it, as attributes have it."""
    if kind.startswith("list("):
        return tuple(_value(kind[5:-1], v) for v in value)
    if kind == "type":
        return _DTYPES.get(value)
    if kind == "shape":
        return TensorShape(None if value is None else [None if n < 0 else n for n in value])
    if kind == "tensor":
        return np.array(value["value"], value["dtype"])
    return value


def own_outputs(op: OpDef) -> tuple[Argument, ...]:
    """The outputs of an op as this library declares it; a list has the one name "output"."""
    names = ["output"] if len(op.outs) < 2 else [f"output_{i}" for i in range(len(op.outs))]
    listed = "outputs" if op.variadic_out else ""
    return tuple(Argument(n, None, "", "", listed, False) for n in names)

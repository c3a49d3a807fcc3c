"""`Operation.op_def`: what an op takes, makes and is told, in the fields of TensorFlow's OpDef."""

from __future__ import annotations

from typing import Any, NamedTuple

from inlay._src.base.types.dtypes import DType
from inlay._src.core.opdef import Effect, OpDef


class ArgDef(NamedTuple):
    """One input or output. Its type is fixed (`type`, a number of `DType.as_datatype_enum`) or that of an attribute."""

    name: str
    type: int = 0
    type_attr: str = ""
    number_attr: str = ""
    type_list_attr: str = ""


class AttrDef(NamedTuple):
    """One attribute: its name and the kind of its values ("type", "bool", "int", "float", "string", "shape")."""

    name: str
    type: str


class OpRecord(NamedTuple):
    """An op: see `ArgDef` and `AttrDef`."""

    name: str
    input_arg: list[ArgDef]
    output_arg: list[ArgDef]
    attr: list[AttrDef]
    is_stateful: bool
    summary: str = ""


def op_record(op: OpDef) -> OpRecord:
    """What is known of an op."""
    names = ["output"] if len(op.outs) == 1 else [f"output_{i}" for i in range(len(op.outs))]
    attrs = [AttrDef(letter, "type") for letter in op.letters]
    attrs += [AttrDef("N", "int")] if op.variadic is not None else []
    return OpRecord(
        op.name,
        [_arg(a.name, a.type, a.variadic) for a in op.args],
        [_arg(name, kind, op.variadic_out) for name, kind in zip(names, op.outs, strict=True)],
        attrs + [AttrDef(name, _kind(default)) for name, default in op.attrs.items()],
        op.effect is not Effect.PURE,
    )


def attr_value(value: Any) -> Any:
    """The value of an attribute as `Operation.get_attr` gives it: strings as bytes, several values as a list."""
    if isinstance(value, str):
        return value.encode()
    return [attr_value(v) for v in value] if value.__class__ is tuple else value


def _arg(name: str, kind: Any, variadic: bool) -> ArgDef:
    number = "N" if variadic else ""
    if isinstance(kind, DType):
        return ArgDef(name, kind.as_datatype_enum, number_attr=number)
    return ArgDef(name, type_list_attr="T" if variadic else "") if kind is None else ArgDef(name, 0, kind, number)


_KINDS: dict[type, str] = {bool: "bool", int: "int", float: "float", str: "string", DType: "type"}


def _kind(default: Any) -> str:
    return _KINDS.get(default.__class__, "shape" if isinstance(default, (tuple, list)) else "string")

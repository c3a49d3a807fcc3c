"""The signature of an op: its inputs, its outputs, its attributes, and which of their values it accepts."""

import inspect
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from inlay._src.base.types.dtypes import DType, int32, int64


class Arg(NamedTuple):
    """One declared input.

    Attributes:
      name: the parameter.
      type: its dtype, a type letter, or None for any.
      variadic: whether it is a list of tensors.
      static: whether an eager call passes its value as it is.
      rank: the rank or the sizes that it must have, or None.
      optional: whether None may stand for it in an eager call.
    """

    name: str
    type: DType | str | None
    variadic: bool
    static: bool
    rank: int | tuple[int, ...] | None = None
    optional: bool = False


class Signature(NamedTuple):
    """The inputs and outputs of an op.

    Attributes:
      args: the declared inputs.
      outs: one type per output; a single `*T` entry for a list, whose types an attribute may list one by one.
      variadic_out: whether the only output is a list.
      letters: type letter -> allowed dtypes.
    """

    args: tuple[Arg, ...] = ()
    outs: tuple[DType | str | None, ...] = ()
    variadic_out: bool = False
    letters: Mapping[str, frozenset[DType]] = MappingProxyType({})


class OneOf(NamedTuple):
    """The texts, or the dtypes, that an attribute may be."""

    options: tuple[Any, ...]


INDEX_DTYPE = OneOf((int32, int64))
"""The dtypes of results that are indices, counts or sizes."""


class AtLeast(NamedTuple):
    """The least whole number that an attribute may be, or the least length of a list of them."""

    least: int


class Attribute(NamedTuple):
    """One declared attribute.

    Attributes:
      default: its default; `inspect.Parameter.empty` if it is required.
      kind: the kind of its values: "bool", "int", "float", "string", "truth", "wholes", "dtype", or "" for any value;
        see `eager.attributes`.
      limit: the values that it may have among those of its kind; None for all.
    """

    default: Any = inspect.Parameter.empty
    kind: str = ""
    limit: OneOf | AtLeast | None = None


def rank_misfit(dims: Any, wanted: int | tuple[int, ...]) -> str:
    """Why a shape is not of the rank, or of the sizes, that an op wants; empty if it is."""
    if wanted.__class__ is int:
        return "" if len(dims) == wanted else f"must be rank {wanted} but is rank {len(dims)}"
    assert isinstance(wanted, tuple)
    if len(dims) != len(wanted):
        return f"must be rank {len(wanted)} but is rank {len(dims)}"
    for have, size in zip(dims, wanted, strict=True):
        if have is not None and have != size:
            return f"must be {list(wanted)}: its dimension must be {size} but is {have}"
    return ""


def attr_value(value: Any) -> Any:
    """The value of an attribute as `Operation.get_attr` gives it: strings as bytes, several values as a list."""
    if isinstance(value, str):
        return value.encode()
    return [attr_value(v) for v in value] if value.__class__ is tuple else value

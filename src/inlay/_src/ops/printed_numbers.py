"""Numbers as text, as C prints them: `AsString`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import same
from inlay._src.core.tensor import Tensor
from inlay._src.ops.strings import each


def _written(value: Any, precision: int, scientific: bool, shortest: bool, width: int, fill: str) -> bytes:
    if isinstance(value, bytes):
        if width > 0 and precision >= 0:
            value = value[:precision]  # in fields alone, as in TensorFlow
        return value.ljust(width) if fill == "-" else value.rjust(width)
    if isinstance(value, bool):
        return b"true" if value else b"false"
    if isinstance(value, complex):
        parts = [_written(p, precision, scientific, shortest, width, fill) for p in (value.real, value.imag)]
        return b"(" + b",".join(parts) + b")"
    if fill == "0" and not math.isfinite(value):
        fill = ""  # C pads words with spaces
    return _format("f", precision, scientific, shortest, width, fill) % value


def _format(kind: str, precision: int, scientific: bool, shortest: bool, width: int, fill: str) -> bytes:
    """The format of a kind of numbers, as C's printf has it."""
    pad = f"{fill}{width}" if width > 0 else fill
    digits = f".{precision}" if precision >= 0 else ""
    letter = "d" if kind in "iu" else "e" if scientific else "g" if shortest else "f"
    return f"%{pad}{digits}{letter}".encode()


@op("AsString", "input:T -> string", types={"T": dtypes.NUMBERS | {dtypes.bool_, dtypes.string}}, infer=same)
def _as_string(xp, input, *, precision=-1, scientific=False, shortest=False, width=-1, fill=""):
    """Values as text."""
    dtype = dtypes.FROM_NUMPY[input.dtype]
    if scientific and shortest:
        raise ValueError("Cannot select both scientific and shortest notation")
    if len(fill) > 1:
        raise ValueError(f"Fill string must be one or fewer characters, got {fill!r}")
    if fill not in "0+ -#":
        raise ValueError(f'Fill argument not supported: "{fill}"')
    if (scientific or shortest) and (dtype.is_integer or dtype.is_bool):
        raise ValueError(f"scientific and shortest format not supported for datatype {dtype.name}")
    if precision >= 0 and (dtype.is_integer or dtype.is_bool):
        raise ValueError(f"precision not supported for datatype {dtype.name}")
    if dtype.is_unsigned and fill in ("+", " "):
        fill = ""  # numbers without a sign have no place for one
    plain = input.astype(np.float64) if dtypes.FROM_NUMPY[input.dtype].is_floating else input
    if plain.dtype.kind in "iu" or (plain.dtype.kind == "f" and fill != "0"):  # one format for all
        return each(_format(plain.dtype.kind, precision, scientific, shortest, width, fill).__mod__, plain)
    return each(lambda v: _written(v, precision, scientific, shortest, width, fill), plain)


@export("as_string", "strings.as_string", "dtypes.as_string")
def as_string(
    input: Any,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    """Each element as text, formatted as C's printf formats it.

    Args:
      input: numbers, bools or strings.
      precision: digits after the point, 6 by default; of text padded to a
        width, the number of bytes that stay. Integers and bools have none.
      scientific: whether to use an exponent; text has none.
      shortest: whether to use an exponent where that is shorter.
      width: pad to this many characters; text to as many bytes; -1 or less for none.
      fill: "0" pads with zeros, "-" on the right; "+" and " " also stand before numbers that are not negative; "#"
        keeps the point of a number without digits after it.
      name: the node's name.
    """
    attrs = {"precision": precision, "scientific": scientific, "shortest": shortest, "width": width, "fill": fill}
    return _as_string(input, name=name, **attrs)

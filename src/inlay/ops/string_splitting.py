"""Splitting strings: at separators, into bytes, into characters."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from inlay.core.opdef import OPS
from inlay.core.tensor import Tensor
from inlay.eager.convert import convert_to_tensor
from inlay.eager.declaration import op
from inlay.eager.emit import emit
from inlay.ops.ragged import splits_of
from inlay.types import dtypes
from inlay.types.shapes import Dims


def _gathered(parts: list[list[Any]], dtype: Any = object) -> tuple[np.ndarray, np.ndarray]:
    """Lists as (all their items, where each list starts and the last one ends)."""
    flat = [item for row in parts for item in row]
    values = np.empty(len(flat), dtype)
    values[:] = flat
    return values, splits_of(np.asarray([len(row) for row in parts], np.int64))


def _spaced(sizes: Dims) -> list[Dims]:
    count = None if sizes is None or None in sizes else int(np.prod([d for d in sizes if d is not None])) + 1
    return [(None,), (count,)]


@op("StringSplitV2", "input:string, sep:string -> string, int64", infer=lambda s: _spaced(s.dims[0]))
def _split(xp, input, sep, *, maxsplit=-1):
    """Strings cut at a separator: all parts, and where those of each string start."""
    by = np.asarray(sep)[()] or None
    rows = [s.split(by, maxsplit) for s in np.asarray(input).reshape(-1).tolist()]
    return _gathered(rows)


@op("BytesSplit", "input:string -> string, int64", infer=lambda s: _spaced(s.dims[0]))
def _bytes_split(xp, input):
    """The bytes of strings: all of them, and where those of each string start."""
    return _gathered([[s[i : i + 1] for i in range(len(s))] for s in np.asarray(input).reshape(-1).tolist()])


def _decoded(text: bytes, errors: str, replacement: int) -> list[int]:
    if errors == "strict":
        try:
            return [ord(c) for c in text.decode("utf-8")]
        except UnicodeDecodeError as error:
            raise ValueError(f"Invalid formatting on input string: {error}") from None
    points = [ord(c) for c in text.decode("utf-8", "replace" if errors == "replace" else "ignore")]
    return [replacement if p == 0xFFFD else p for p in points]


@op("UnicodeDecode", "input:string -> int32, int64", infer=lambda s: _spaced(s.dims[0]))
def _unicode_decode(xp, input, *, errors="replace", replacement_char=65533):
    """The code points of UTF-8 strings: all of them, and where those of each string start."""
    rows = [_decoded(s, errors, replacement_char) for s in np.asarray(input).reshape(-1).tolist()]
    return _gathered(rows, np.int32)


def flat_parts(kind: str, input: Any, *more: Any, **attrs: Any) -> tuple[Tensor, Any, Any]:
    """Parts of strings before they are put in rows.

    Args:
      kind: "StringSplitV2", "BytesSplit" or "UnicodeDecode".
      input: a string tensor of known rank.
      *more, **attrs: the op's other inputs and attributes.

    Returns:
      (the strings, all parts, row splits).
    """
    input = convert_to_tensor(input, dtypes.string)
    if input.shape.rank is None:
        raise ValueError("splitting needs strings of known rank; call set_shape on them")
    values, splits = emit(OPS[kind], (input, *more), attrs)
    return input, values, splits


@op("StringSplit", "input:string, delimiter:string -> string, int64", infer=lambda s: _spaced(s.dims[0]))
def split_at_characters(xp, input, delimiter, *, skip_empty=True):
    """Strings cut at any of several bytes: all parts, and where those of each string start."""
    if np.ndim(input) != 1:
        raise ValueError(f"string_split needs a vector of strings, got shape {list(np.shape(input))}")
    separators = np.asarray(delimiter)[()]
    texts = np.asarray(input).tolist()
    if separators:
        rows = [re.split(b"[" + re.escape(separators) + b"]", text) for text in texts]
    else:
        rows = [re.findall(b"(?s).", text) for text in texts]
    return _gathered([[p for p in parts if p] if skip_empty else parts for parts in rows])

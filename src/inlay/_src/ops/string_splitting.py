"""Splitting strings: at separators, into bytes, into characters; characters put together again."""

from __future__ import annotations

import codecs
import itertools
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS, Shapes, same
from inlay._src.core.tensor import Tensor
from inlay._src.ops import shaping
from inlay._src.ops.ragged import splits_of


def _gathered(parts: list[list[Any]], dtype: Any = object) -> tuple[np.ndarray, np.ndarray]:
    """Lists as (all their items, where each list starts and the last one ends)."""
    flat = [item for row in parts for item in row]
    values = np.empty(len(flat), dtype)
    values[:] = flat
    return values, splits_of(np.asarray([len(row) for row in parts], np.int64))


def _spaced(sizes: Dims) -> list[Dims]:
    count = None if sizes is None or None in sizes else int(np.prod([d for d in sizes if d is not None])) + 1
    return [(None,), (count,)]


_MARKS = (b"\0", b"\1", b"\2", b"\3")


def _overlaps(by: bytes | None) -> bool:
    """Whether a separator may begin within another one: what is put behind a string could end one that it begins."""
    return by is not None and any(by.endswith(by[:size]) for size in range(1, len(by)))


def _split_together(texts: list[bytes], by: bytes | None) -> tuple[np.ndarray, np.ndarray] | None:
    """`_split` of many strings by one call, with a mark between them; None if the strings contain all marks.

    A list for each string would be what Python's garbage collector walks through again and again.
    """
    space = by or b" "
    for mark in _MARKS:
        together = (space + mark + space).join(texts)
        if mark not in space and together.count(mark) == len(texts) - 1:
            break
    else:
        return None
    parts: Any = together.split(by)
    values = np.empty(len(parts), object)
    values[:] = parts
    marked = values == np.array(mark, object)
    ends = np.concatenate([np.flatnonzero(marked), [len(parts)]])
    return values[~marked], np.concatenate([[0], ends - np.arange(len(texts))]).astype(np.int64)


@op(
    "StringSplitV2",
    "input:string, sep:string -> string, int64",
    infer=lambda s: _spaced(s.dims[0]),
    ranks={"sep": 0},
)
def _split(xp, input, sep, *, maxsplit=-1):
    """Strings cut at a separator: all parts, and where those of each string start."""
    by, texts = np.asarray(sep)[()] or None, np.asarray(input).reshape(-1).tolist()
    if maxsplit < 0 and len(texts) >= TUNING.joined_texts and not _overlaps(by):
        split = _split_together(texts, by)
        if split is not None:
            return split
    rows = [s.split(by, maxsplit) if maxsplit else [s] for s in texts]
    if by is None and maxsplit > 0:  # what is left after the last cut counts, also if nothing is
        rows = [[*parts, b""] if len(parts) == maxsplit else parts for parts in rows]
    return _gathered(rows)


@op("BytesSplit", "input:string -> string, int64", infer=lambda s: _spaced(s.dims[0]))
def _bytes_split(xp, input):
    """The bytes of strings: all of them, and where those of each string start."""
    return _gathered([[s[i : i + 1] for i in range(len(s))] for s in np.asarray(input).reshape(-1).tolist()])


_ALIASES = {"utf16be": "utf-16-be", "utf16le": "utf-16-le", "utf32be": "utf-32-be", "utf32le": "utf-32-le"}
_BYTE_ORDER_MARKS = {
    "utf-16": {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"},
    "utf-32": {codecs.BOM_UTF32_LE: "utf-32-le", codecs.BOM_UTF32_BE: "utf-32-be"},
}


def _codec(encoding: str) -> str:
    """Python's name of an encoding."""
    try:
        codec = codecs.lookup(_ALIASES.get(re.sub("[^a-z0-9]", "", encoding.lower()), encoding))
    except LookupError:
        raise ValueError(f"Could not create converter for input encoding: {encoding}") from None
    if not codec._is_text_encoding:  # type: ignore[attr-defined]
        raise ValueError(f"Could not create converter for input encoding: {encoding}")
    return codec.name


def _byte_order(text: bytes, codec: str) -> tuple[str, int]:
    """(the codec that says the order of bytes too, the size of the mark that says it); high bytes first without one."""
    for mark, ordered in _BYTE_ORDER_MARKS.get(codec, {}).items():
        if text.startswith(mark):
            return ordered, len(mark)
    return (f"{codec}-be" if codec in _BYTE_ORDER_MARKS else codec), 0


def _characters(text: bytes, codec: str) -> Iterator[tuple[int | None, int]]:
    """(code point, size in bytes) of each character; None for what is malformed. A mark of order is in the first."""
    codec, mark = _byte_order(text, codec)
    rest = memoryview(text)[mark:]
    while rest:
        try:
            good, bad = str(rest, codec), 0
        except UnicodeDecodeError as error:
            good, bad = str(rest[: error.start], codec), error.end - error.start
        size = 0
        for character in good:
            width = len(character.encode(codec))
            size += width
            yield ord(character), width + mark
            mark = 0
        if bad:
            yield None, bad + mark
            mark = 0
        rest = rest[size + bad :]
        if not bad:
            break


def _check_replacement(point: int) -> None:
    if not 0 <= point < 0x110000:
        raise ValueError(f"replacement_char out of unicode codepoint range: {point}")


def _decoded(text: bytes, codec: str, errors: str, replacement: int, control: bool) -> tuple[list[int], list[int]]:
    """The code points of a string, and the bytes at which they start."""
    points, starts, at = [], [], 0
    for point, size in _characters(text, codec):
        if point is None and errors == "strict":
            raise ValueError(f"Invalid formatting on input string: {text!r} at byte {at}")
        replaced = point is None or (control and point < 0x20)
        if not replaced or errors != "ignore":
            points.append(replacement if point is None or replaced else point)
            starts.append(at)
        at += size
    return points, starts


def _decoded_infer(s: Shapes) -> list[Dims]:
    values, splits = _spaced(s.dims[0])
    return [values, values, splits]


@op("UnicodeDecodeWithOffsets", "input:string -> int32, int64, int64", infer=_decoded_infer)
def _unicode_decode(
    xp, input, *, input_encoding="UTF-8", errors="replace", replacement_char=65533, replace_control_characters=False
):
    """The code points of strings: all of them, at which bytes they start, and where those of each string start."""
    _check_replacement(replacement_char)
    codec = _codec(input_encoding)
    rows = [
        _decoded(s, codec, errors, replacement_char, replace_control_characters)
        for s in np.asarray(input).reshape(-1).tolist()
    ]
    values, splits = _gathered([points for points, _ in rows], np.int32)
    return values, _gathered([starts for _, starts in rows], np.int64)[0], splits


WRITTEN = {"UTF-8": "utf-8", "UTF-16-BE": "utf-16-be", "UTF-32-BE": "utf-32-be"}
"""The encodings that strings are written in."""


@op(
    "UnicodeEncode",
    "input_values:int32, input_splits:int64 -> string",
    infer=lambda s: [(None if s.dims[1] is None or s.dims[1][0] is None else s.dims[1][0] - 1,)],
)
def encode_points(xp, input_values, input_splits, *, output_encoding="UTF-8", errors="replace", replacement_char=65533):
    """Rows of code points as strings."""
    _check_replacement(replacement_char)
    points, splits = np.asarray(input_values).tolist(), np.asarray(input_splits).tolist()
    out = np.empty(len(splits) - 1, object)
    for i, (start, stop) in enumerate(itertools.pairwise(splits)):
        out[i] = _encoded(points[start:stop], output_encoding, errors, replacement_char)
    return out


def _encoded(points: list[int], encoding: str, errors: str, replacement: int) -> bytes:
    """Code points as a string."""
    text, instead = [], chr(replacement if _is_scalar(replacement) else 0xFFFD)
    for point in points:
        if _is_scalar(point):
            text.append(chr(point))
        elif errors == "strict":
            raise ValueError(f"Code point is out of range for Unicode, or is a surrogate: {point}")
        elif errors == "replace":
            text.append(instead)
    return "".join(text).encode(WRITTEN[encoding])


def _is_scalar(point: int) -> bool:
    """Whether a code point is one that text is made of, which surrogates are not."""
    return 0 <= point < 0x110000 and not 0xD800 <= point < 0xE000


@op("UnicodeTranscode", "input:string -> string", infer=same)
def transcode(
    xp,
    input,
    *,
    input_encoding: str,
    output_encoding="UTF-8",
    errors="replace",
    replacement_char=65533,
    replace_control_characters=False,
):
    """Strings in another encoding."""
    _check_replacement(replacement_char)
    codec, texts = _codec(input_encoding), np.asarray(input)
    out = np.empty(texts.shape, object)
    for at, text in np.ndenumerate(texts):
        points, _ = _decoded(text, codec, errors, replacement_char, False)
        if replace_control_characters and errors == "strict" and any(p < 0x20 for p in points):
            raise ValueError(f"Invalid formatting on input string: {text!r} holds control characters")
        if replace_control_characters:
            instead = [replacement_char] if errors == "replace" else []
            points = [q for p in points for q in (instead if p < 0x20 else [p])]
        out[at] = _encoded(points, output_encoding, errors, replacement_char)
    return out


def flat_parts(kind: str, input: Any, *more: Any, **attrs: Any) -> tuple[Tensor, Any]:
    """Parts of strings before they are put in rows.

    Args:
      kind: "StringSplitV2", "BytesSplit" or "UnicodeDecodeWithOffsets".
      input: a string tensor of known rank.
      *more, **attrs: the op's other inputs and attributes.

    Returns:
      (the strings, what the op makes: values, row splits last).
    """
    input = convert_to_tensor(input, dtypes.string if kind == "StringSplitV2" else None)
    if input.shape.rank is None and kind == "StringSplitV2":
        input = shaping.ensure_shape(input, [None])  # as TensorFlow takes it
    if input.shape.rank is None:
        raise ValueError("splitting needs strings of known rank; call set_shape on them")
    return input, emit(OPS[kind], (input, *more), attrs)


def _split_infer(s: Shapes) -> list[Dims]:
    _check_split(s.dims[0], s.dims[1])
    return _spaced(s.dims[0])


def _check_split(source: Dims, delimiter: Dims) -> None:
    if source is not None and len(source) != 1:
        raise ValueError(f"string_split needs a vector of strings, got shape {list(source)}")
    if delimiter:
        raise ValueError(f"delimiter must be a scalar, got shape {list(delimiter)}")


@op("StringSplit", "input:string, delimiter:string -> string, int64", infer=_split_infer)
def split_at_characters(xp, input, delimiter, *, skip_empty=True):
    """Strings cut at any of several bytes: all parts, and where those of each string start."""
    _check_split(np.shape(input), np.shape(delimiter))
    separators = np.asarray(delimiter)[()]
    texts = np.asarray(input).tolist()
    if separators:
        rows = [re.split(b"[" + re.escape(separators) + b"]", text) if text else [] for text in texts]
    else:
        rows = [re.findall(b"(?s).", text) for text in texts]
    return _gathered([[p for p in parts if p] if skip_empty else parts for parts in rows])

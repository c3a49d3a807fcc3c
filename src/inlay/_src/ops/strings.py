"""Strings: tensors of bytes. Kernels loop over elements on the host; nothing here is compiled."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import EXACT_INDEX
from inlay._src.base.types.shapes import Dims
from inlay._src.base.types.text import byte_lengths
from inlay._src.core.eager.attributes import integer, listed, text, wholes
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import operand
from inlay._src.core.opdef import Shapes, broadcast, merged_but_scalars, same
from inlay._src.core.signature import OneOf
from inlay._src.core.tensor import Tensor
from inlay._src.ops.array import constant
from inlay._src.ops.joining import static_int
from inlay._src.ops.regular_expressions import PATTERNS, RegularExpression, Rewrite
from inlay._src.ops.shaping import axes_of

UNITS = ("BYTE", "UTF8_CHAR")


def each(function: Callable[..., Any], *arrays: Any, dtype: Any = object) -> np.ndarray:
    """`function` of corresponding elements of arrays that broadcast."""
    spread = [np.asarray(a) for a in arrays]
    if len({a.shape for a in spread}) > 1:
        spread = list(np.broadcast_arrays(*spread))
    values = list(map(function, *(a.ravel().tolist() for a in spread)))
    out = np.empty(spread[0].shape, dtype)
    out.reshape(-1)[:] = values
    return out


def decoded(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


def encoded(value: str) -> bytes:
    return value.encode("utf-8", "surrogateescape")


def _read(value: str | bytes) -> str:
    return decoded(value) if isinstance(value, bytes) else value


def _one_of(value: Any, allowed: tuple[str, ...], what: str) -> str:
    value = allowed[0] if value is None else text(value, what)
    if value not in allowed:
        raise ValueError(f"{what} must be one of {', '.join(map(repr, allowed))}, got {value!r}")
    return value


# ---------------------------------------------------------------- joining


@op("StringJoin", "inputs:*string -> string", infer=merged_but_scalars)
def _join(xp, inputs, *, separator=""):
    """Strings joined elementwise."""
    full = [np.shape(x) for x in inputs if np.ndim(x)]
    if any(shape != full[0] for shape in full):
        raise ValueError(f"Input shapes do not match: {', '.join(str(list(shape)) for shape in full)}")
    joined = separator.encode().join
    return each(lambda *parts: joined(parts), *inputs)


@export("strings.join", "string_join")
def join(inputs: Any, separator: str = "", name: str | None = None) -> Tensor:
    """Corresponding elements of several string tensors joined; scalars go with every element.

    Args:
      inputs: a list of string tensors.
      separator: separator between the parts.
      name: the node's name.
    """
    inputs = [operand(x, dtype=dtypes.string) for x in listed(inputs, "inputs", "string_join")]
    if not inputs:
        return constant("", name=name or "StringJoin")
    input_shapes = [shapes.as_shape(x.shape) for x in inputs]
    full = {shape for shape in input_shapes if shape.rank not in (0, None)}
    first = next(iter(full), None)
    if first is not None and any(not first.is_compatible_with(s) for s in full):
        raise ValueError(f"Input shapes do not match: {', '.join(map(str, input_shapes))}")
    return _join(inputs, separator=separator, name=name)


def _reduced(s: Shapes) -> list[Dims]:
    dims, axis, keep = s.dims[0], s.attrs["axis"], s.attrs["keepdims"]
    if dims is None:
        return [None]
    drop: Any = range(len(dims)) if axis is None else axes_of(axis, len(dims))
    return [tuple(1 if i in drop else d for i, d in enumerate(dims) if keep or i not in drop)]


@op("ReduceJoin", "inputs:string -> string", infer=_reduced)
def _reduce_join(xp, inputs, *, axis=None, keepdims=False, separator=""):
    """The strings along axes joined."""
    rank = np.ndim(inputs)
    axes = (axes_of(axis, rank) if axis is not None else tuple(range(rank))[::-1]) or ()
    others = [i for i in range(rank) if i not in axes]
    moved = np.transpose(inputs, [*others, *axes[::-1]])  # the axis named first is joined first
    joined = int(np.prod([inputs.shape[i] for i in axes], dtype=np.int64))
    rows = moved.reshape(*(inputs.shape[i] for i in others), joined)
    out = np.empty(rows.shape[:-1], object)
    flat, lines = out.reshape(-1), rows.reshape(out.size, joined)
    for i in range(flat.size):
        flat[i] = separator.encode().join(lines[i].tolist())
    return out.reshape([1 if i in axes else d for i, d in enumerate(inputs.shape)]) if keepdims else out


@export("reduce_join", "strings.reduce_join")
def reduce_join(
    inputs: Any,
    axis: Any = None,
    keepdims: bool = False,
    separator: str = "",
    name: str | None = None,
    keep_dims: bool = False,
    reduction_indices: Any = None,
) -> Tensor:
    """The strings along `axis` (all axes if None) joined.

    Args:
      inputs: a string tensor.
      axis: an axis or a list of them, joined in that order.
      keepdims: whether joined axes stay, with size 1.
      separator: separator between the parts.
      name: the node's name.
      keep_dims, reduction_indices: the 1.x names.
    """
    at = axis if axis is not None else reduction_indices
    axes = None if at is None else tuple(wholes(at, "axis", integer))
    return _reduce_join(
        operand(inputs), axis=axes, keepdims=keepdims or keep_dims or False, separator=separator, name=name
    )


# ---------------------------------------------------------------- elementwise


@op("StringLength", "input:string -> int32", infer=same)
def _length(xp, input, *, unit="BYTE"):
    """The lengths of strings."""
    lengths = byte_lengths(strings := np.asarray(input))
    if unit != "BYTE":  # the bytes that do not go on with a character, counted up to the end of each string
        begins = (np.frombuffer(b"".join(strings.ravel().tolist()), np.uint8) & 0xC0) != 0x80
        sums = np.concatenate(([0], np.cumsum(begins)))
        ends = np.cumsum(lengths, dtype=np.int64)
        lengths = (sums[ends] - sums[ends - lengths]).astype(np.int32)
    return lengths if np.ndim(input) == 1 else lengths.reshape(np.shape(input))[()]


@export("strings.length")
def length(input: Any, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """The length of each string, in bytes or (`unit="UTF8_CHAR"`) characters."""
    return _length(input, unit=_one_of(unit, UNITS, "unit"), name=name)


def _cut(value: bytes, pos: int, count: int, unit: str) -> bytes:
    parts: Any = value if unit == "BYTE" else decoded(value)
    if pos < -len(parts) or pos > len(parts):
        raise ValueError(f"pos {pos} out of range for string {value!r} of length {len(parts)}")
    start = pos if pos >= 0 else pos + len(parts)
    count = max(count, 0) if count >= 0 or unit != "BYTE" else len(parts)
    cut = parts[start : start + count]
    return cut if isinstance(cut, bytes) else encoded(cut)


def _substr_infer(s: Shapes) -> list[Dims]:
    if not shapes.compatible(s.dims[1], s.dims[2]):
        raise _no_pair(s.dims[1], s.dims[2])
    return list(broadcast(s))


_SUBSTR_AXES = 2  # as in TensorFlow


def _no_pair(pos: Dims, len: Dims) -> ValueError:
    return ValueError(f"pos and len should have the same shape, got: {pos} vs. {len}")


@op("Substr", "input:string, pos:Index, len:Index -> string", types={"Index": EXACT_INDEX}, infer=_substr_infer)
def _substr(xp, input, pos, len, *, unit="BYTE"):
    """Parts of strings."""
    if np.shape(pos) != np.shape(len):
        raise _no_pair(np.shape(pos), np.shape(len))
    if np.shape(pos) not in ((), np.shape(input)) and max(np.ndim(input), np.ndim(pos)) > _SUBSTR_AXES:
        shapes_given = f"{list(np.shape(input))} and {list(np.shape(pos))}"
        raise errors.UnimplementedError(
            None, None, f"substr broadcasts over at most {_SUBSTR_AXES} axes, got {shapes_given}: tf.broadcast_to `pos`"
        )
    if unit == "BYTE" and np.ndim(pos) == 0:
        start, count = int(pos), int(len)
        end = None if count < 0 or start < 0 <= start + count else start + count
        least = abs(start)
        if byte_lengths(strings := np.asarray(input)).min(initial=least) >= least:
            return each(operator.itemgetter(slice(start, end)), strings)
    return each(lambda s, p, n: _cut(s, p, n, unit), input, pos, len)


@export("substr", "strings.substr")
def substr(input: Any, pos: Any, len: Any, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """The part of each string from `pos` on, `len` long.

    Args:
      input: a string tensor.
      pos: where it starts; a negative position counts from the end. A scalar or of the shape of `input`, to any rank;
        up to rank 2 it is broadcast with `input`.
      len: maximum length; shaped like `pos`. A negative one is no limit, of characters 0. A negative one is no limit,
          of characters 0.
      unit: "BYTE" or "UTF8_CHAR".
      name: the node's name.

    Raises:
      UnimplementedError: if `pos` would have to be broadcast with `input` over more than two axes.
    """
    return _substr(input, pos, len, unit=_one_of(unit, UNITS, "unit"), name=name)


def _changed(function: Callable[[str], str]) -> Callable[[bytes], bytes]:
    """A function of text as one of its bytes."""
    return lambda value: encoded(function(decoded(value)))


@op("StringLower", "input:string -> string", infer=same, attrs={"encoding": OneOf(("", "utf-8"))})
@export("strings.lower")
def lower(xp, input, *, encoding=""):
    """Each string in lower case: ASCII letters only, or all of them with `encoding="utf-8"`."""
    return each(_changed(str.lower) if encoding else bytes.lower, input)


@op("StringUpper", "input:string -> string", infer=same, attrs={"encoding": OneOf(("", "utf-8"))})
@export("strings.upper")
def upper(xp, input, *, encoding=""):
    """Each string in upper case: ASCII letters only, or all of them with `encoding="utf-8"`."""
    return each(_changed(str.upper) if encoding else bytes.upper, input)


@op("StringStrip", "input:string -> string", infer=same)
@export("strings.strip", "compat.v1.string_strip")
def strip(xp, input):
    """Each string without white space at its ends."""
    return each(bytes.strip, input)  # of the same six bytes


def _rewrite_parts(text: bytes, groups: int) -> list[bytes | int]:
    """RE2's rewrite string as bytes and numbers of groups: \\0 to \\9 are groups, \\\\ is a backslash."""
    parts: list[bytes | int] = []
    for part in re.findall(rb"\\.?|[^\\]+", text, re.DOTALL):
        if part[:1] != b"\\" or part == b"\\\\":
            parts.append(part[-1:] if part[:1] == b"\\" else part)
        elif part[1:].isdigit() and int(part[1:]) <= groups:
            parts.append(int(part[1:]))
        else:
            raise ValueError(
                f"invalid rewrite string {decoded(text)!r}: a backslash is followed by a backslash or the number of "
                f"one of the pattern's {groups} groups"
            )
    return parts


_REWRITES: BoundedCache[tuple[bytes, int], Any] = BoundedCache(
    "rewrites of patterns", 256, lambda key: tuple(_rewrite_parts(*key))
)


@op(
    "RegexReplace",
    "input:string, pattern:string, rewrite:string -> string",
    infer=broadcast,
    ranks={"pattern": 0, "rewrite": 0},
)
def _regex_replace(xp, input, pattern, rewrite, *, replace_global=True):
    """Matches of patterns replaced."""
    if np.size(pattern) == np.size(rewrite) == 1:
        regex = PATTERNS[np.asarray(pattern).item()]
        shape = np.broadcast_shapes(*[np.shape(a) for a in (input, pattern, rewrite)])
        parts = _REWRITES[np.asarray(rewrite).item(), regex.groups]
        return _all_replaced(input, regex, parts, replace_global).reshape(shape)

    def replaced(text: bytes, by: bytes, place: bytes) -> bytes:
        regex = PATTERNS[by]
        return regex.replaced(text, _REWRITES[place, regex.groups], replace_global)

    return each(replaced, input, pattern, rewrite)


@op("StaticRegexReplace", "input:string -> string", infer=same)
def _static_replace(xp, input, *, pattern, rewrite, replace_global=True):
    """Matches of one pattern replaced."""
    regex = PATTERNS[encoded(pattern)]
    return _all_replaced(input, regex, _REWRITES[encoded(rewrite), regex.groups], replace_global)


def _all_replaced(input: Any, regex: RegularExpression, rewrite: Rewrite, everywhere: bool) -> np.ndarray:
    texts = np.asarray(input)
    out = np.empty(texts.shape, object)
    out.reshape(-1)[:] = regex.all_replaced(texts.ravel().tolist(), rewrite, everywhere)
    return out


@export("regex_replace", "strings.regex_replace")
def regex_replace(
    input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> Tensor:
    """Matches of a pattern replaced in each string.

    Args:
      input: a string tensor.
      pattern: a regular expression as RE2 understands it, one or one per string.
      rewrite: replacement of a match; \\1 to \\9 are its groups, \\0 is all of it.
      replace_global: whether to replace every match or the first only.
      name: the node's name.
    """
    if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
        options = {"pattern": _read(pattern), "rewrite": _read(rewrite), "replace_global": replace_global}
        return _static_replace(input, name=name, **options)
    return _regex_replace(input, pattern, rewrite, replace_global=replace_global, name=name)


@op("RegexFullMatch", "input:string, pattern:string -> bool", infer=broadcast, ranks={"pattern": 0})
def _full_match(xp, input, pattern):
    """Whether strings match patterns."""
    return each(lambda s, by: PATTERNS[by].matches(s), input, pattern, dtype=np.bool_)


@op("StaticRegexFullMatch", "input:string -> bool", infer=same)
def _static_match(xp, input, *, pattern):
    """Whether strings match one pattern."""
    regex = PATTERNS[encoded(pattern)]
    return each(regex.matches, input, dtype=np.bool_)


@export("strings.regex_full_match")
def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Tensor:
    """Whether the whole of each string matches a pattern.

    Args:
      input: a string tensor.
      pattern: a regular expression as RE2 understands it, one or one per string.
      name: the node's name.
    """
    if isinstance(pattern, (str, bytes)):
        return _static_match(input, pattern=_read(pattern), name=name)
    return _full_match(input, pattern, name=name)


# ---------------------------------------------------------------- numbers


_READABLE = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64)


def parsed(text: bytes, dtype: Any) -> Any:
    plain = text.strip().lower()
    try:
        if b"_" in plain:
            raise ValueError
        if not dtype.is_floating:
            value = int(plain)
            if not dtype.min <= value <= dtype.max:
                raise ValueError
            return value
        return float.fromhex(plain.decode()) if b"0x" in plain else float(plain)
    except ValueError:
        raise ValueError(f"StringToNumberOp could not correctly convert string: {decoded(text)}") from None


def all_parsed(texts: Sequence[bytes], dtype: Any) -> np.ndarray | None:
    """`parsed` of many texts at once; None if one of them is no number in the usual form."""
    try:
        if b"_" in b"".join(texts):
            return None
        if dtype.is_floating:
            return np.fromiter(map(float, texts), dtype.np, len(texts))
        values = list(map(int, texts))
        if values and not (dtype.min <= min(values) and max(values) <= dtype.max):
            return None
    except ValueError:
        return None
    out = np.empty(len(values), dtype.np)
    out[:] = values
    return out


@op("StringToNumber", "input:string -> out_type", infer=same)
def _to_number(xp, input, *, out_type):
    """Strings read as numbers."""
    texts = np.asarray(input).ravel().tolist()
    numbers = all_parsed(texts, out_type)
    if numbers is None:
        return each(lambda s: parsed(s, out_type), input, dtype=out_type.np)
    return numbers.reshape(np.shape(input))


@export("strings.to_number", "string_to_number")
def to_number(input: Any, out_type: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """Each string read as a number.

    Args:
      input: a string tensor.
      out_type: float32, float64, int32, int64, uint32 or uint64.
      name: the node's name.
    """
    kind = dtypes.as_dtype(out_type)
    if kind not in _READABLE:
        raise ValueError(f"out_type must be one of {', '.join(k.name for k in _READABLE)}, got {kind.name}")
    return _to_number(input, out_type=kind, name=name)


# ---------------------------------------------------------------- bytes


def _decode_raw_infer(s: Shapes) -> list[Dims]:
    length = s.attrs["fixed_length"]
    count = None if length is None else length // s.attrs["out_type"].size
    return [None if s.dims[0] is None else (*s.dims[0], count)]


@op("DecodeRaw", "input_bytes:string -> out_type", infer=_decode_raw_infer)
def _decode_raw(xp, input_bytes, *, out_type, little_endian=True, fixed_length=None):
    """The bytes of strings as numbers."""
    kind = out_type.np.newbyteorder("<" if little_endian else ">") if out_type.np.itemsize > 1 else out_type.np
    texts = np.asarray(input_bytes).reshape(-1).tolist()
    if fixed_length is not None:
        texts = [t[:fixed_length].ljust(fixed_length, b"\0") for t in texts]
    sizes = {len(t) for t in texts}
    if len(sizes) > 1:
        raise ValueError(f"DecodeRaw requires input strings to all be the same size, got sizes {sorted(sizes)}")
    size = sizes.pop() if sizes else 0
    if size % kind.itemsize:
        raise ValueError(
            f"Input to DecodeRaw has length {size}, not a multiple of {kind.itemsize}, the size of {out_type.name}"
        )
    rows = [np.frombuffer(t, kind) for t in texts]
    flat = np.concatenate(rows).astype(out_type.np) if rows else np.zeros(0, out_type.np)
    return flat.reshape(*np.shape(input_bytes), size // kind.itemsize)


@export("decode_raw", "io.decode_raw")
def decode_raw(
    input_bytes: Any, out_type: Any, little_endian: bool = True, fixed_length: Any = None, name: str | None = None
) -> Tensor:
    """The bytes of each string as a row of numbers.

    Args:
      input_bytes: strings, of one length unless `fixed_length` is given.
      out_type: the numbers' type.
      little_endian: the order of their bytes.
      fixed_length: number of bytes of each string to read; shorter ones are filled up with zeros.
      name: the node's name.

    Raises:
      ValueError: if `fixed_length` is not a positive multiple of the size of `out_type`.
    """
    kind = dtypes.as_dtype(out_type)
    if fixed_length is not None:
        fixed_length = static_int(fixed_length, "fixed_length")
        if fixed_length <= 0 or fixed_length % kind.size:
            raise ValueError(
                f"fixed_length ({fixed_length}) must be positive, and must be a multiple of the size of out_type "
                f"({kind.size})"
            )
    attrs = {"little_endian": little_endian, "fixed_length": fixed_length}
    return _decode_raw(input_bytes, out_type=kind, name=name, **attrs)

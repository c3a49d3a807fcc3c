"""Strings cut into parts, ragged or a vector for one string; their characters; distances between sequences."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base import errors as errors_
from inlay._src.base.export import export
from inlay._src.base.parameters import described
from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import dimension_value
from inlay._src.core import context
from inlay._src.core.eager.attributes import text, whole
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import composite_of
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, math, ranges, reductions, string_splitting
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.composite.sparse import checked
from inlay._src.ops.sparse import edit_distances


def _rows(strings_: Tensor, values: Any, splits: Any) -> Any:
    """Parts put in rows: one more axis than the strings had."""
    rank = strings_.shape.rank
    if rank == 0:
        return values
    rows = RaggedTensor.from_row_splits(values, splits, validate=False)
    for axis in range((rank or 1) - 1, 0, -1):
        length: Any = dimension_value(strings_.shape[axis])
        outer: Any = strings_.shape[:axis]
        if outer.is_fully_defined():
            count = int(np.prod(outer.as_list(), dtype=np.int64))
        else:
            count = reductions.reduce_prod(array.shape(strings_)[:axis])
        if length is None:
            length = array.shape(strings_)[axis]
        rows = RaggedTensor.from_uniform_row_length(rows, length, count)
    return rows


def _parts(kind: str, input: Any, *more: Any, **attrs: Any) -> list[Any]:
    """Each thing that the op makes of strings, in rows."""
    input = composite_of(input)
    if isinstance(input, RaggedTensor):
        return [input.with_flat_values(p) for p in _parts(kind, input.flat_values, *more, **attrs)]
    strings_, (*values, splits) = string_splitting.flat_parts(kind, input, *more, **attrs)
    return [_rows(strings_, v, splits) for v in values]


@export("strings.split")
def split(input: Any, sep: Any = None, maxsplit: int | None = -1, name: str | None = None) -> Tensor:
    """Each string cut at a separator.

    Args:
      input: a string tensor of known rank, or a ragged one.
      sep: the separator; runs of white space if None or empty.
      maxsplit: maximum number of cuts; all if None or negative.
      name: ignored.

    Returns:
      A vector for a single string, else a RaggedTensor with one axis more.
    """
    by = convert_to_tensor("" if sep is None else sep, dtypes.string)
    return _parts("StringSplitV2", input, by, maxsplit=-1 if maxsplit is None else whole(maxsplit, "maxsplit"))[0]


@export("strings.bytes_split")
def bytes_split(input: Any, name: str | None = None) -> Tensor:
    """Each string cut into its bytes.

    Args:
      input: a string tensor of known rank, or a ragged one.
      name: ignored.
    """
    return _parts("BytesSplit", input)[0]


def _one_of(errors: str) -> str:
    if errors not in ("replace", "ignore", "strict"):
        raise ValueError(f"errors must be 'replace', 'ignore' or 'strict', got {errors!r}")
    return errors


_ENCODED = """Args:
  input: a string tensor of known rank, or a ragged one.
  input_encoding: "UTF-8", "UTF-16-BE", "UTF-32-BE" or another that Python knows.
  output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
  errors: handling of malformed text: "replace", "ignore" or "strict".
  replacement_char: the code point that stands for malformed text.
  replace_control_characters: whether that also stands for code points below 32.
  name: ignored.
"""
"""The shared arguments of the functions of encoded text."""


@export("strings.unicode_decode_with_offsets")
@described(_ENCODED)
def unicode_decode_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Each string as its code points, and the bytes at which they start.

    Returns:
      `(code points, offsets)`.
    """
    attrs = {
        "input_encoding": text(input_encoding, "input_encoding"),
        "errors": _one_of(errors),
        "replacement_char": replacement_char,
        "replace_control_characters": replace_control_characters,
    }
    points, offsets = _parts("UnicodeDecodeWithOffsets", input, **attrs)
    return points, offsets


@export("strings.unicode_decode")
@described(_ENCODED)
def unicode_decode(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    """Each string as its code points."""
    return unicode_decode_with_offsets(input, input_encoding, errors, replacement_char, replace_control_characters)[0]


def _written(encoding: Any) -> str:
    """The name of an encoding that strings are written in."""
    encoding = text(encoding, "output_encoding")
    if encoding not in string_splitting.WRITTEN:
        allowed = ", ".join(map(repr, string_splitting.WRITTEN))
        says = f"output_encoding {encoding!r} is not one of {allowed}"
        raise errors_.InvalidArgumentError(None, None, says) if context.executing_eagerly() else ValueError(says)
    return encoding


@export("strings.unicode_encode")
def unicode_encode(
    input: Any, output_encoding: str, errors: str = "replace", replacement_char: int = 65533, name: str | None = None
) -> Tensor | RaggedTensor:
    """The code points along the last axis, or of each innermost row, as one string.

    Args:
      input: int32 code points, a tensor of known rank or a ragged one.
      output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
      errors: handling of invalid code points: "replace", "ignore" or "strict".
      replacement_char: the code point that stands for it.
      name: the node's name.
    """
    output_encoding = _written(output_encoding)
    attrs: dict[str, Any] = {
        "output_encoding": output_encoding,
        "errors": _one_of(errors),
        "replacement_char": replacement_char,
    }
    input = composite_of(input)
    if isinstance(input, RaggedTensor):
        if isinstance(input.values, RaggedTensor) or input.flat_values.shape.rank != 1:
            return input.with_values(unicode_encode(input.values, **attrs))
        splits = math.cast(input.row_splits, dtypes.int64)
        return string_splitting.encode_points(input.values, splits, name=name, **attrs)
    points = convert_to_tensor(input, dtypes.int32)
    if not points.shape.rank:
        raise ValueError(f"unicode_encode needs code points of known rank, at least 1, got shape {points.shape}")
    sizes = array.shape(points, dtypes.int64)
    rows = reductions.reduce_prod(sizes[:-1])
    splits = math.multiply(ranges.range_(math.add(rows, 1)), sizes[-1])
    flat = string_splitting.encode_points(array.reshape(points, [-1]), splits, **attrs)
    return array.reshape(flat, sizes[:-1], name=name)


@export("strings.unicode_transcode")
@described(_ENCODED)
def unicode_transcode(
    input: Any,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor | RaggedTensor:
    """Each string in another encoding.

    Args:
      name: the node's name.
    """
    output_encoding = _written(output_encoding)
    attrs = {
        "input_encoding": input_encoding,
        "output_encoding": output_encoding,
        "errors": _one_of(errors),
        "replacement_char": replacement_char,
        "replace_control_characters": replace_control_characters,
    }
    input = composite_of(input)
    if isinstance(input, RaggedTensor):
        return input.with_flat_values(string_splitting.transcode(input.flat_values, name=name, **attrs))
    return string_splitting.transcode(input, name=name, **attrs)


@export("strings.unicode_split_with_offsets")
@described(_ENCODED)
def unicode_split_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Each string cut into its characters, and the bytes at which they start.

    Returns:
      `(characters, offsets)`.
    """
    points, offsets = unicode_decode_with_offsets(input, input_encoding, errors, replacement_char)
    flat = points.flat_values if isinstance(points, RaggedTensor) else points
    characters = unicode_encode(array.expand_dims(flat, -1), input_encoding, errors, replacement_char)
    return points.with_flat_values(characters) if isinstance(points, RaggedTensor) else characters, offsets


@export("strings.unicode_split")
@described(_ENCODED)
def unicode_split(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Tensor:
    """Each string cut into its characters."""
    return unicode_split_with_offsets(input, input_encoding, errors, replacement_char)[0]


def _as_result(rows: Any, result_type: str) -> Any:
    """Rows as 1.x functions give them."""
    if result_type not in ("SparseTensor", "RaggedTensor"):
        raise ValueError(f"result_type must be 'RaggedTensor' or 'SparseTensor', got {result_type!r}.")
    return rows if result_type == "RaggedTensor" else rows.to_sparse()


@export("string_split")
def string_split(
    source: Any,
    sep: Any = None,
    skip_empty: bool = True,
    delimiter: Any = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> Any:
    """Each string of a vector cut at separators; the older 1.x form of `strings.split`.

    Args:
      source: a vector of strings.
      sep, delimiter: a string, each of whose bytes separates; a space if None.
      skip_empty: whether empty parts are left out.
      result_type: "SparseTensor" or "RaggedTensor".
      name: ignored.

    Returns:
      A matrix of [number of strings, largest number of parts], or rows of parts.
    """
    separator = next((s for s in (sep, delimiter) if s is not None), " ")
    by = convert_to_tensor(separator, dtypes.string)
    source = convert_to_tensor(source, dtypes.string)
    values, splits = string_splitting.split_at_characters(source, by, skip_empty=skip_empty)
    return _as_result(RaggedTensor.from_row_splits(values, splits, validate=False), result_type)


@export("compat.v1.strings.split")
def split_v1(
    input: Any = None,
    sep: Any = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> Any:
    """Each string cut at a separator.

    Args:
      input, source: a string tensor of known rank, or a ragged one; one string is taken for a vector of one.
      sep: the separator; runs of white space if None or empty.
      maxsplit: maximum number of cuts.
      result_type: "SparseTensor" or "RaggedTensor".
      name: ignored.

    Returns:
      A SparseTensor or RaggedTensor with one axis more.
    """
    strings_ = composite_of(input if input is not None else source)
    if not isinstance(strings_, RaggedTensor):
        strings_ = convert_to_tensor(strings_, dtypes.string)
        strings_ = array.reshape(strings_, [1]) if strings_.shape.rank == 0 else strings_
    return _as_result(split(strings_, sep, maxsplit), result_type)


@export("edit_distance")
def edit_distance(hypothesis: Any, truth: Any, normalize: bool = True, name: str = "edit_distance") -> Tensor:
    """The number of insertions, deletions and replacements that turn each sequence of `hypothesis` into that of
    `truth`.

    Args:
      hypothesis, truth: sparse tensors of one type and rank; sequences lie along the last axis.
      normalize: whether to divide by the length of the sequence of `truth`; infinity where that is empty alone.
      name: the node's name.

    Returns:
      float32, of the rank of the inputs less one.

    Raises:
      TypeError: if an input is no SparseTensor.
    """
    hypothesis, truth = (checked(argument, "edit_distance") for argument in (hypothesis, truth))
    parts = [p for s in (hypothesis, truth) for p in (s.indices, s.values, s.dense_shape)]
    return edit_distances(*parts, normalize=normalize, name=name)

"""Cutting strings into parts: ragged results, or a vector for one string."""

from __future__ import annotations

from typing import Any

from inlay.composite.ragged import RaggedTensor
from inlay.composite.sparse import SparseTensor
from inlay.core.tensor import Tensor
from inlay.eager.convert import convert_to_tensor
from inlay.export import export
from inlay.ops import array, string_splitting, strings
from inlay.types import dtypes
from inlay.types.shapes import dimension_value

__all__ = ["bytes_split", "split", "string_split", "unicode_decode", "unicode_split"]


def _rows(strings_: Tensor, values: Any, splits: Any) -> Any:
    """Parts put in rows: one more axis than the strings had."""
    rank = strings_.shape.rank
    if rank == 0:
        return values
    rows = RaggedTensor.from_row_splits(values, splits, validate=False)
    for axis in range((rank or 1) - 1, 0, -1):
        length = dimension_value(strings_.shape[axis])
        if length is None:
            raise ValueError(f"splitting strings of rank {rank} needs axis {axis} of known size, got {strings_.shape}")
        rows = RaggedTensor.from_uniform_row_length(rows, length)
    return rows


def _split(kind: str, input: Any, *more: Any, **attrs: Any) -> Any:
    if isinstance(input, RaggedTensor):
        return input.with_flat_values(_split(kind, input.flat_values, *more, **attrs))
    return _rows(*string_splitting.flat_parts(kind, input, *more, **attrs))


@export("strings.split")
def split(input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None) -> Any:
    """Each string cut at a separator.

    Args:
      input: a string tensor of known rank, or a ragged one.
      sep: the separator; runs of white space if None or empty.
      maxsplit: how many cuts to make at most.
      name: ignored.

    Returns:
      A vector for a single string, else a RaggedTensor with one axis more.
    """
    by = convert_to_tensor("" if sep is None else sep, dtypes.string)
    return _split("StringSplitV2", input, by, maxsplit=int(maxsplit))


@export("strings.bytes_split")
def bytes_split(input: Any, name: str | None = None) -> Any:
    """Each string cut into its bytes.

    Args:
      input: a string tensor of known rank, or a ragged one.
      name: ignored.
    """
    return _split("BytesSplit", input)


@export("strings.unicode_decode")
def unicode_decode(
    input: Any,
    input_encoding: str = "UTF-8",
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Each string as its code points.

    Args:
      input: a string tensor of known rank, or a ragged one.
      input_encoding: "UTF-8".
      errors: what to do with malformed text: "replace", "ignore" or "strict".
      replacement_char: the code point that stands for malformed text.
      replace_control_characters: not supported.
      name: ignored.
    """
    strings.utf8_only(input_encoding)
    if replace_control_characters:
        raise NotImplementedError("replace_control_characters is not supported; use strings.regex_replace")
    if errors not in ("replace", "ignore", "strict"):
        raise ValueError(f"errors must be 'replace', 'ignore' or 'strict', got {errors!r}")
    return _split("UnicodeDecode", input, errors=errors, replacement_char=replacement_char)


@export("strings.unicode_split")
def unicode_split(
    input: Any,
    input_encoding: str = "UTF-8",
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """Each string cut into its characters.

    Args:
      input: a string tensor of known rank, or a ragged one.
      input_encoding: "UTF-8".
      errors: what to do with malformed text: "replace", "ignore" or "strict".
      replacement_char: the code point that stands for malformed text.
      name: ignored.
    """
    points = unicode_decode(input, input_encoding, errors, replacement_char)
    flat = points.flat_values if isinstance(points, RaggedTensor) else points
    characters = strings.unicode_encode(array.expand_dims(flat, -1))
    return points.with_flat_values(characters) if isinstance(points, RaggedTensor) else characters


@export("string_split")
def string_split(
    source: Any = None, sep: Any = None, skip_empty: bool = True, delimiter: Any = " ", name: str | None = None
) -> SparseTensor:
    """Each string of a vector cut at a separator, as a sparse matrix; the 1.x form of `strings.split`.

    Args:
      source: a vector of strings.
      sep: the separator; `delimiter` if None.
      skip_empty: whether empty parts are left out.
      delimiter: the separator's older name; each of its characters separates.
      name: ignored.

    Returns:
      A SparseTensor of shape [number of strings, largest number of parts].
    """
    by = convert_to_tensor(delimiter if sep is None else sep, dtypes.string)
    source = convert_to_tensor(source, dtypes.string)
    values, splits = string_splitting.split_at_characters(source, by, skip_empty=skip_empty)
    return RaggedTensor.from_row_splits(values, splits, validate=False).to_sparse()  # type: ignore[no-any-return]

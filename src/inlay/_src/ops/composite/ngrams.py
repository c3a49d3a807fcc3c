"""Runs of neighboring words along the last axis of text, dense or ragged."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.text import as_text
from inlay._src.core.context import in_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import composite_of
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.ngrams import string_ngrams


def _pads(values: Any) -> tuple[str, str]:
    """The padding words before and after a row."""
    if values is None:
        return "", ""
    pair = tuple(values) if isinstance(values, (list, tuple)) else (values, values)
    if len(pair) != 2 or not all(isinstance(pad, (str, bytes)) for pad in pair):
        raise TypeError("pad_values must be a string, tuple of strings, or None.")
    return as_text(pair[0]), as_text(pair[1])


@export("strings.ngrams")
@in_scope("StringNGrams")
def ngrams(
    data: Any,
    ngram_width: Any,
    separator: str = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> RaggedTensor | Tensor:
    """The runs of neighboring words along the last axis, joined.

    Args:
      data: text of rank 1 or more, dense or ragged.
      ngram_width: number of words of an n-gram; several numbers give the n-grams of each, one after the other.
      separator: separator between the words of an n-gram.
      pad_values: padding before and after a row: one text, or one for each side; None: no padding.
      padding_width: maximum number of padding words on each side; enough to leave one word of the row if None.
      preserve_short_sequences: whether a row that is too short for any run becomes one.
      name: the scope of the nodes.

    Returns:
      Text with the axes of `data`, the last one ragged for more than one row, unless `data` is dense.

    Raises:
      TypeError: if `pad_values` is no text.
      ValueError: for widths below 1, a width of padding without padding, and data without a known axis.
    """
    left, right = _pads(pad_values)
    if padding_width is not None and padding_width < 1:
        raise ValueError("padding_width must be greater than 0.")
    if padding_width is not None and pad_values is None:
        raise ValueError("pad_values must be provided if padding_width is set.")
    widths = tuple(ngram_width) if isinstance(ngram_width, (list, tuple)) else (ngram_width,)
    if any(width < 1 for width in widths):
        raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
    margin = (0 if pad_values is None else -1) if padding_width is None else padding_width
    said = {
        "separator": separator,
        "ngram_widths": widths,
        "left_pad": left,
        "right_pad": right,
        "pad_width": margin,
        "preserve_short_sequences": preserve_short_sequences,
    }
    data = composite_of(data)
    return _runs(data if isinstance(data, RaggedTensor) else convert_to_tensor(data, dtypes.string), said)


def _runs(data: Any, said: dict[str, Any]) -> Any:
    if not isinstance(data, RaggedTensor):
        if data.shape.rank is None:
            raise ValueError("Rank of data must be known.")
        if data.shape.rank == 0:
            raise ValueError("Data must have rank>0")
        if data.shape.rank == 1:
            row = RaggedTensor.from_row_lengths(data, [array.shape(data, dtypes.int64)[0]], validate=False)
            return _runs(row, said).flat_values
        return _runs(RaggedTensor.from_tensor(data, ragged_rank=data.shape.rank - 1), said).to_tensor()
    if data.flat_values.shape.rank not in (None, 1):
        return data.with_flat_values(_runs(data.flat_values, said))
    *outer, last = data.nested_row_splits
    runs, splits = string_ngrams(data.flat_values, last, **said)
    return RaggedTensor.from_nested_row_splits(runs, [*outer, splits], validate=False)

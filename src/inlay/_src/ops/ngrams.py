"""Runs of neighboring words in rows of text, joined; and the script of code points."""

from __future__ import annotations

import functools
from importlib import resources
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types.dtypes import INDEX
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import Shapes, no_gradient, same


def _joined(row: list[bytes], width: int, pads: tuple[bytes, bytes], margin: int, by: bytes) -> list[bytes]:
    """The runs of `width` words of a row with `margin` pads on both sides."""
    whole = [pads[0]] * margin + row + [pads[1]] * margin
    return [by.join(whole[at : at + width]) for at in range(len(whole) - width + 1)]


def _infer(s: Shapes) -> list[Dims]:
    for dims, what in zip(s.dims, ("data", "data_splits"), strict=True):
        if dims is not None and len(dims) != 1:
            raise ValueError(f"Shape must be rank 1 but is rank {len(dims)}: {what}")
    return [(None,), s.dims[1]]


@op(
    "StringNGrams",
    "data:string, data_splits:Split -> string, Split",
    types={"Split": INDEX},
    infer=_infer,
    vjp=no_gradient,
    lower=REFUSES_VALUES,
)
def string_ngrams(
    xp,
    data,
    data_splits,
    *,
    separator: str,
    ngram_widths: Any,
    left_pad: str,
    right_pad: str,
    pad_width: int,
    preserve_short_sequences: bool,
):
    """The runs of words of each row, width after width, and where those of each row begin.

    Args:
      data: words.
      data_splits: where each row of words begins, and the last one ends.
      separator: separator between the words of an n-gram.
      ngram_widths: numbers of words of the n-grams.
      left_pad, right_pad: padding words before and after a row.
      pad_width: maximum number of them; enough to leave one word of the row if negative.
      preserve_short_sequences: whether a row too short for any run becomes one.
    """
    words, splits = np.asarray(data).tolist(), np.asarray(data_splits)
    if splits.size and (splits[0] != 0 or splits[-1] != len(words) or (np.diff(splits) < 0).any()):
        raise ValueError(f"Invalid split values {splits[:8].tolist()} for {len(words)} words")
    by, pads = separator.encode(), (left_pad.encode(), right_pad.encode())
    runs: list[bytes] = []
    ends = [0]
    for start, end in zip(splits[:-1].tolist(), splits[1:].tolist(), strict=True):
        row = words[start:end]
        grams = []
        for width in ngram_widths:
            margin = width - 1 if pad_width < 0 else min(pad_width, width - 1)
            grams += _joined(row, width, pads, margin, by)
        if not grams and row and preserve_short_sequences:
            margin = max(pad_width, 0)
            grams = _joined(row, len(row) + 2 * margin, pads, margin, by)
        runs += grams
        ends.append(len(runs))
    out = np.empty(len(runs), object)
    out[:] = runs
    return out, np.array(ends[: splits.size], splits.dtype)


@functools.cache
def _scripts() -> tuple[np.ndarray, np.ndarray]:
    """The first code points of stretches of one script, and the numbers of these scripts in ICU."""
    text = resources.files("inlay._src.ops").joinpath("unicode_scripts.txt").read_text(encoding="ascii")
    rows = [line.split() for line in text.splitlines()]
    return np.array([int(start, 16) for start, _ in rows]), np.array([int(code) for _, code in rows], np.int32)


@op("UnicodeScript", "input:int32 -> int32", infer=same, vjp=no_gradient)
@export("strings.unicode_script")
def unicode_script(xp, input):
    """The script that each code point belongs to, as ICU numbers them (25: Latin); -1 of what is no code point.

    Args:
      input: int32 code points.
    """
    starts, codes = _scripts()
    points = np.asarray(input)
    scripts = codes[np.searchsorted(starts, points, side="right") - 1]
    return np.where((points < 0) | (points > 0x10FFFF), np.int32(-1), scripts)

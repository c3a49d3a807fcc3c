"""Tensors, variables, ragged and sparse tensors in notebooks: dtype, shape, a summary, and a corner of the values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.core.pictured import DRAWINGS
from inlay._src.core.tensor import EagerTensor, SymbolicTensor
from inlay._src.inspection.pictures.scene import text
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.composite.sparse import SparseTensor
from inlay._src.ops.variables import Variable

_ROWS, _COLUMNS, _LONGEST = 6, 8, 60
_MOST_SUMMARIZED = 10_000_000
"""Elements of an array whose smallest, largest and mean value are computed."""


def html(value: Any) -> str:
    """A value for the output of a notebook's cell: a table, and a corner of its values. No script is in it."""
    rows = [("class", type(value).__name__), *_facts(value)]
    cells = "".join(
        f'<tr><td>{escape(text(label))}</td><td style="text-align: left">{escape(text(words))}</td></tr>'
        for label, words in rows
    )
    return f"<table>{cells}</table>{_corner(value)}"


def _facts(value: Any) -> Iterator[tuple[str, str]]:
    yield "dtype", value.dtype.name
    yield "shape", str(value.shape)
    if isinstance(value, SymbolicTensor):
        yield "op", f"{value.op.name} ({value.op.type})"
        yield "value", "none before its graph runs"
        return
    if isinstance(value, Variable):
        yield "name", value.name
        yield "trainable", str(value.trainable)
    if isinstance(value, EagerTensor):
        yield "device", value.device
    array = _array(value)
    if isinstance(value, RaggedTensor):
        yield from _ragged(value)
    if isinstance(value, SparseTensor) and array is not None:
        yield "stored values", f"{array.shape[0]:,}"
    if array is not None:
        yield from _summary(array)


def _ragged(value: RaggedTensor) -> Iterator[tuple[str, str]]:
    splits = value.row_splits
    if isinstance(splits, EagerTensor):
        lengths = np.diff(np.asarray(splits._value))
        yield "rows", f"{lengths.size:,}"
        if lengths.size:
            yield "row lengths", f"{lengths.min():,} to {lengths.max():,}, mean {lengths.mean():.4g}"


def _array(value: Any) -> np.ndarray[Any, Any] | None:
    """The numbers of a value; None if there are none, as of a variable of a graph and of a handle."""
    if isinstance(value, RaggedTensor):
        value = value.flat_values
    elif isinstance(value, SparseTensor):
        value = value.values
    if isinstance(value, SymbolicTensor):
        return None
    try:
        return np.asarray(value.numpy())
    except (NotImplementedError, RuntimeError, TypeError, ValueError, AttributeError, errors.OpError):
        return None


def _summary(array: np.ndarray[Any, Any]) -> Iterator[tuple[str, str]]:
    yield "size", f"{array.size:,} elements, {array.nbytes:,} bytes"
    if not array.size or array.size > _MOST_SUMMARIZED or array.dtype.kind not in "biuf":
        return
    if array.dtype.kind == "b":
        yield "true", f"{np.count_nonzero(array):,}"
        return
    finite = array[np.isfinite(array)] if array.dtype.kind == "f" else array.ravel()
    if finite.size:
        mean = finite.mean(dtype=np.float64)
        yield "values", f"{finite.min()} to {finite.max()}, mean {mean:.4g}, zero {np.count_nonzero(finite == 0):,}"
    if finite.size < array.size:
        yield "not finite", f"{np.isnan(array).sum():,} nan, {np.isinf(array).sum():,} infinite"
    if array.dtype == np.uint8 and array.ndim in (3, 4) and array.shape[-1] in (1, 3, 4):
        height, width, channels = array.shape[-3:]
        yield (
            "may be",
            f"{'images' if array.ndim == 4 else 'an image'} of {height} x {width} pixels, {channels} channels",
        )


def _corner(value: Any) -> str:
    """The first rows and columns as a table."""
    if isinstance(value, RaggedTensor):
        rows = _first_rows(value)
    elif isinstance(value, SparseTensor) or (array := _array(value)) is None or array.ndim > 2 or not array.size:
        return ""
    else:
        table = array.reshape(-1, array.shape[-1]) if array.ndim else array.reshape(1, 1)
        rows = [list(row) for row in table[: _ROWS + 1, : _COLUMNS + 1]]
    if not rows:
        return ""
    lines = ["".join(f"<td>{cell}</td>" for cell in _cells(row)) for row in rows[:_ROWS]]
    if len(rows) > _ROWS:
        lines.append("<td>…</td>")
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def _first_rows(value: RaggedTensor) -> list[Sequence[Any]]:
    if not isinstance(value.row_splits, EagerTensor) or isinstance(value.values, (RaggedTensor, SymbolicTensor)):
        return []
    splits = np.asarray(value.row_splits._value)[: _ROWS + 2]
    values = np.asarray(value.values.numpy())
    return [list(values[a : min(b, a + _COLUMNS + 1)]) for a, b in zip(splits[:-1], splits[1:], strict=True)]


def _cells(row: Sequence[Any]) -> Iterator[str]:
    for item in row[:_COLUMNS]:
        number = f"{item:.6g}" if isinstance(item, (float, np.floating)) else item
        words = text(repr(number) if isinstance(item, bytes) else number)
        yield escape(words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…")
    if len(row) > _COLUMNS:
        yield "…"
    if not len(row):
        yield "<em>empty</em>"


DRAWINGS["value"] = html

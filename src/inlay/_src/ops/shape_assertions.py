"""`assert_shapes`: the shapes of several tensors, with names for sizes that agree."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types.shapes import TensorShape, dimension_value
from inlay._src.core import context
from inlay._src.core.eager.emit import operand
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import EagerTensor
from inlay._src.ops import array, control, math, reductions
from inlay._src.ops.printing import assert_

PREFIXES = (Ellipsis, "*")
"""Markers of any number of leading axes."""


class _Requirement(NamedTuple):
    """A shape that one tensor must have.

    Attributes:
      tensor: it.
      label: its name and type, for messages.
      entries: a number, a symbol or None for each axis.
      prefix: whether there may be other axes before these.
    """

    tensor: Any
    label: str
    entries: list[Any]
    prefix: bool

    @property
    def dims(self) -> list[int | None] | None:
        """The sizes that are known; a scalar counts as a vector of one element. None if the rank is unknown."""
        shape = self.tensor.shape
        return None if shape.rank is None else [dimension_value(d) for d in shape] or [1]

    def axis(self, place: int) -> int:
        """The axis of an entry, counted from the end after a prefix."""
        return place - len(self.entries) if self.prefix else place

    def sizes(self) -> Any:
        """The sizes when it runs."""
        if hasattr(self.tensor, "bounding_shape"):
            return self.tensor.bounding_shape()
        shape = array.shape(self.tensor)
        return (
            array.reshape(reductions.reduce_prod(shape), [1]) if len(self.entries) == 1 and not self.prefix else shape
        )


@export("debugging.assert_shapes")
def assert_shapes(
    shapes: Any, data: Any = None, summarize: Any = None, message: str | None = None, name: str | None = None
) -> Operation | None:
    """Fails unless tensors have the given shapes, and sizes of one symbol agree.

    Args:
      shapes: a list of (tensor, shape), or a dict. A shape is a list, a tuple, a string or an array; an entry of it is
        a number, a symbol (any other object, equal for every use), or None or "." for any size. `...` or "*" as the
        first entry stands for any number of axes. A scalar counts as a vector of one element. None requires nothing.
      data: shown in the error; the shapes if None.
      summarize: number of elements to show.
      message: prefix of the error message.
      name: ignored.

    Returns:
      An operation, on which others may depend; None while executing eagerly.

    Raises:
      ValueError: at once, for sizes that are known, and for a shape that is none.
      InvalidArgumentError: when it runs, for the others.
    """
    lead = "" if message is None else f"{message}.  "
    pairs = shapes.items() if isinstance(shapes, dict) else shapes
    required = [r for tensor, wanted in pairs if (r := _requirement(tensor, wanted, lead)) is not None]
    open_ranks = [r for r in required if not _has_rank(r, lead)]
    static = _static_sizes(required, lead)

    def failing_unless(fits: Any, shown: list[Any]) -> Any:
        items = [message, *shown] if message is not None else shown
        return assert_(fits, items if data is None else list(data), summarize)

    ranks = [failing_unless(*_open_rank(r)) for r in open_ranks]
    with control.control_dependencies([op for op in ranks if op is not None]):
        sizes = [failing_unless(*check) for r in required for check in _open_sizes(r, static)]
    if context.executing_eagerly():
        return None
    return control.group(*[op for op in (*ranks, *sizes) if op is not None])


def _open_rank(r: _Requirement) -> tuple[Any, list[Any]]:
    """Whether a rank that is not known fits, and what to show if it does not."""
    rank, count = array.rank(r.tensor), len(r.entries)
    fits = rank >= count if r.prefix else math.equal(rank, count)
    if count == 1:
        fits = math.logical_or(fits, math.equal(rank, 0))
    return fits, [f"{r.label} must have rank", count]


def _requirement(tensor: Any, wanted: Any, lead: str) -> _Requirement | None:
    """The shape required of a tensor; None if there is no requirement."""
    tensor = tensor.deref() if hasattr(tensor, "deref") else tensor
    tensor = operand(tensor)
    eager = isinstance(tensor, EagerTensor) or not hasattr(tensor, "name")
    label = f"Tensor (shape={tensor.shape} dtype={tensor.dtype.name})" if eager else f"Tensor {tensor.name}"
    if wanted is None or (isinstance(wanted, TensorShape) and wanted.rank is None):
        return None
    if not hasattr(wanted, "__iter__") and not hasattr(wanted, "__getitem__"):
        raise ValueError(
            f"{lead}{label}.  Specified shape must be an iterable.  An iterable has the attribute `__iter__` or "
            f"`__getitem__`.  Received specified shape: {wanted}"
        )
    entries = [_entry(e) for e in wanted]
    prefix = bool(entries) and entries[0] in PREFIXES
    for place, entry in enumerate(entries[1:], 1):
        if entry in PREFIXES:
            raise ValueError(
                f"{lead}{label} specified shape index {place}.  Symbol `...` or `*` for a variable number of "
                "unspecified dimensions is only allowed as the first entry"
            )
    return _Requirement(tensor, label, entries[1:] if prefix else entries or [1], prefix)


def _entry(entry: Any) -> Any:
    """An entry of a required shape: a number, a symbol or None."""
    if isinstance(entry, (np.integer, np.str_)):
        entry = entry.item()
    if entry == ".":
        return None
    return int(entry) if isinstance(entry, str) and entry.isdigit() else entry


def _has_rank(r: _Requirement, lead: str) -> bool:
    """Whether the rank is known, and then fits."""
    dims, count = r.dims, len(r.entries)
    if dims is None:
        return False
    if len(dims) < count or (len(dims) != count and not r.prefix):
        raise ValueError(
            f"{lead}{r.label} must have rank {count}.  Received rank {r.tensor.shape.rank}, shape {r.tensor.shape}"
        )
    return True


def _static_sizes(required: list[_Requirement], lead: str) -> dict[Any, tuple[Any, str]]:
    """Symbol -> its size and where that is from, as far as sizes are known and agree."""
    static: dict[Any, tuple[Any, str]] = {}
    for r in required:
        for place, entry in enumerate(r.entries):
            size = (
                None if entry is None or r.dims is None else r.dims[len(r.dims) + r.axis(place) if r.prefix else place]
            )
            if size is None:
                continue
            where = f"tensor {r.label.removeprefix('Tensor ')} dimension {r.axis(place)}"
            wanted, by = (
                (entry, "explicitly") if isinstance(entry, int) else static.setdefault(entry, (size, f"by {where}"))
            )
            if wanted != size:
                raise ValueError(
                    f"{lead}Specified {by}.  {r.label} dimension {r.axis(place)} must have size {wanted}.  Received "
                    f"size {size}, shape {r.tensor.shape}"
                )
    return static


def _open_sizes(r: _Requirement, static: dict[Any, tuple[Any, str]]) -> list[tuple[Any, list[Any]]]:
    """(condition, what to show) of each size that is not known; the first one of a symbol becomes the symbol's."""
    checks = []
    for place, entry in enumerate(r.entries):
        axis, dims = r.axis(place), r.dims
        if entry is None or (dims is not None and dims[axis] is not None):
            continue
        size = r.sizes()[axis]
        where = f"tensor {r.label.removeprefix('Tensor ')} dimension {axis}"
        wanted, by = (
            (entry, "explicitly") if isinstance(entry, int) else static.setdefault(entry, (size, f"by {where}"))
        )
        if wanted is not size:
            shown = [f"Specified {by}", f"{r.label} dimension", axis, "must have size", wanted, "Received size", size]
            checks.append((math.equal(size, math.cast(wanted, size.dtype)), shown))
    return checks

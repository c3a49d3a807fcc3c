"""The first difference of two values, with both of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import nest
from inlay._src.core.tensor import EagerTensor
from inlay._src.inspection.replaying.encoding import encoded
from inlay._src.inspection.replaying.values import Opaque, composite_parts, field_names


class Difference(NamedTuple):
    """A place where two values differ.

    Attributes:
      path: the place: `[1]['state'][3, 0]`; "" if it is all of the value.
      recorded, got: the two parts there: array elements, or values of different dtype, shape, class or length.
      note: more about them, or "".
    """

    path: str
    recorded: Any
    got: Any
    note: str = ""

    def __str__(self) -> str:
        text = f"\n  recorded: {as_text(self.recorded)}\n  got:      {as_text(self.got)}"
        return f"{text}\n  {self.note}" if self.note else text


@export("debugging.ReplayDifference")
class ReplayDifference(AssertionError):
    """A replayed program, or a replayed function, does something else than was recorded.

    Attributes:
      function: the name of the function.
      call: the number of the call; None if the recording has no such call.
      path: the place of the first difference: `argument 0[2]`, `result['state']`; "" if a call itself is the
        difference.
      recorded, got: the two values there.
    """

    def __init__(
        self,
        message: str,
        function: str = "",
        call: int | None = None,
        path: str = "",
        recorded: Any = None,
        got: Any = None,
    ) -> None:
        AssertionError.__init__(self, message)
        self.function: str = function
        self.call: int | None = call
        self.path: str = path
        self.recorded: Any = recorded
        self.got: Any = got


def first_difference(recorded: Any, got: Any, path: str = "") -> Difference | None:
    """The first difference of a recorded value and another one; None if their canonical bytes agree.

    Args:
      recorded: a value as `decoding.decoded` gives it.
      got: the value that a program has instead.
      path: the place of both, for the result.
    """
    if encoded(recorded).data == encoded(got).data:
        return None
    recorded, got = _comparable(recorded), _comparable(got)
    if isinstance(recorded, EagerTensor) and isinstance(got, EagerTensor) and recorded.dtype is got.dtype:
        return first_difference(recorded._value, got._value, path) or Difference(path, recorded, got)
    if isinstance(recorded, np.ndarray) and isinstance(got, np.ndarray):
        return _of_arrays(recorded, got, path)
    pairs = _children(recorded, got)
    if pairs is None:
        return Difference(path, recorded, got, _note(recorded, got))
    for place, one, other in pairs:
        difference = first_difference(one, other, path + place)
        if difference is not None:
            return difference
    return Difference(path, recorded, got, _note(recorded, got))


def _comparable(value: Any) -> Any:
    """A value, or the array or the stand-in that a recording would have of it."""
    if value.__class__ is np.ndarray or isinstance(value, (np.generic, EagerTensor, str, bytes, Opaque)):
        return value
    data = encoded(value).data
    if data[:1] == b"a":
        return np.asarray(value)
    return Opaque(value.__class__.__qualname__) if data[:1] == b"x" else value


def _children(recorded: Any, got: Any) -> list[tuple[str, Any, Any]] | None:
    """The parts of two values that have the same parts, with their places; None if they have not."""
    one, other = composite_parts(recorded), composite_parts(got)
    if one is not None and other is not None and len(one) == len(other):
        return [(f".parts[{i}]", *pair) for i, pair in enumerate(zip(one, other, strict=True))]
    if isinstance(recorded, dict) and isinstance(got, dict):
        if list(recorded) != list(got):
            return None
        return [(f"[{key!r}]", recorded[key], got[key]) for key in recorded]
    names = field_names(recorded), field_names(got)
    if names[0] is not None and names[0] == names[1]:
        return [(f".{name}", getattr(recorded, name), getattr(got, name)) for name in names[0]]
    listed = isinstance(recorded, (list, tuple)) and isinstance(got, (list, tuple))
    if not listed or len(recorded) != len(got) or not (nest.is_nested(recorded) and nest.is_nested(got)):
        return None
    return [(f"[{i}]", *pair) for i, pair in enumerate(zip(recorded, got, strict=True))]


def _of_arrays(recorded: np.ndarray, got: np.ndarray, path: str) -> Difference:
    if recorded.dtype != got.dtype or recorded.shape != got.shape:
        return Difference(path, recorded, got, f"{_kind(recorded)} was recorded, got {_kind(got)}")
    different = _unequal(recorded, got)
    places = np.flatnonzero(different)
    index = np.unravel_index(int(places[0]), recorded.shape) if recorded.ndim else ()
    place = f"[{', '.join(str(int(i)) for i in index)}]" if recorded.ndim else ""
    note = f"{len(places):,} of {recorded.size:,} elements differ"
    if recorded.dtype.kind in "iufc" and len(places):
        with np.errstate(all="ignore"):
            wide = complex if recorded.dtype.kind == "c" else float
            most = np.max(np.abs(recorded.astype(wide) - got.astype(wide)), initial=0.0)
        if math.isfinite(most):
            note += f", by {most:.6g} at most"
    return Difference(path + place, recorded[index], got[index], note)


def _unequal(recorded: np.ndarray, got: np.ndarray) -> np.ndarray:
    """A mask of the elements that differ in a bit."""
    if recorded.dtype == object or recorded.dtype.kind == "T":
        pairs = zip(recorded.ravel().tolist(), got.ravel().tolist(), strict=True)
        return np.array([encoded(a).data != encoded(b).data for a, b in pairs], bool)
    size = recorded.dtype.itemsize
    octets = [np.ascontiguousarray(a).reshape(-1).view(np.uint8).reshape(-1, size) for a in (recorded, got)]
    return (octets[0] != octets[1]).any(axis=1)  # type: ignore[no-any-return]


def _note(recorded: Any, got: Any) -> str:
    if isinstance(recorded, Sequence) and isinstance(got, Sequence) and type(recorded) is type(got):
        return f"their lengths are {len(recorded)} and {len(got)}" if len(recorded) != len(got) else ""
    if type(recorded) is not type(got):
        return f"{_kind(recorded)} was recorded, got {_kind(got)}"
    return ""


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype.name}{list(value.shape)}"
    if isinstance(value, EagerTensor):
        return f"a tensor of dtype {value.dtype.name}"
    return value.name if isinstance(value, Opaque) else type(value).__qualname__


def as_text(value: Any) -> str:
    """A value in a line or a few."""
    if isinstance(value, (float, np.floating)) and value != value:
        return f"{value!r} (bits {np.asarray(value).tobytes()[::-1].hex()})"
    with np.printoptions(threshold=20, edgeitems=3, linewidth=100):
        text = repr(value)
    return text if len(text) <= 600 else f"{text[:600]}..."

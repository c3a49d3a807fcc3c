"""Comparison of structures of arrays for tests: the places of differences and their size."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

Check = Callable[[Any, Any], str]
"""Two arrays of one shape -> what is wrong, "" if nothing."""

SHOWN = 10
"""Elements that a failure shows."""


def compare(case: Any, a: Any, b: Any, check: Check, msg: str | None) -> None:
    """Fails a test unless two structures are alike, and their arrays as a check wants them.

    Args:
      case: the test, a `TestCase`.
      a: the expected value: an array, tensor, number, text, or a nest of these.
      b: the value received.
      check: the assertion on the two arrays at one place.
      msg: a text for the failure.
    """
    wrong = _differs(case, a, b, check, "")
    if wrong:
        case.fail(f"{wrong}\n{msg}" if msg else wrong)


def _differs(case: Any, a: Any, b: Any, check: Check, path: str) -> str:
    """The difference between two structures; "" if they do not."""
    here = f" at {path}" if path else ""
    if isinstance(a, Mapping) or isinstance(b, Mapping):
        if not (isinstance(a, Mapping) and isinstance(b, Mapping)):
            return f"Can't compare dict to non-dict{here}: {a!r} vs. {b!r}"
        if {*a} != {*b}:
            return f"mismatched keys{here}: {sorted(map(str, a))} vs. {sorted(map(str, b))}"
        return _first(_differs(case, a[key], b[key], check, f"{path}[{key!r}]") for key in a)
    if hasattr(a, "_fields") and hasattr(b, "_fields"):
        if a._fields != b._fields:
            return f"mismatched fields{here}: {a._fields} vs. {b._fields}"
        return _first(_differs(case, x, y, check, f"{path}.{name}") for name, x, y in zip(a._fields, a, b, strict=True))
    a, b = case._array(a), case._array(b)
    one, other = _as_array(a), _as_array(b)
    if one is not None and other is not None:
        if one.shape != other.shape:
            return f"Shape mismatch{here}: expected {one.shape}, got {other.shape}.\nexpected: {a!r}\ngot: {b!r}"
        wrong = check(one, other)
        return f"{wrong}{here}" if wrong else ""
    if not (_is_sequence(a) and _is_sequence(b)):
        return f"Can't compare{here}: {a!r} vs. {b!r}"
    if len(a) != len(b):
        return f"Length mismatch{here}: expected {len(a)}, got {len(b)}.\nexpected: {a!r}\ngot: {b!r}"
    return _first(_differs(case, x, y, check, f"{path}[{i}]") for i, (x, y) in enumerate(zip(a, b, strict=True)))


def _first(texts: Any) -> str:
    return next((text for text in texts if text), "")


def _is_sequence(value: Any) -> bool:
    return isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, (str, bytes))


def _as_array(value: Any) -> Any:
    """A value as one array; None for rows that differ in length and for nests of other things."""
    try:
        array = np.asarray(value)
    except ValueError:  # NumPy refuses ragged rows
        return None
    if array.dtype == object and not isinstance(value, np.ndarray):
        return None if _is_sequence(value) or isinstance(value, Mapping) else array
    return array


def equal(a: Any, b: Any) -> str:
    """The differences between two arrays of one shape; NaN equals itself, and text its bytes."""
    a, b = _texts(a, b)
    same = np.asarray(a == b)
    if _inexact(a) and _inexact(b):
        same = same | ((a != a) & (b != b))
    if same.shape == np.shape(a) and same.all():
        return ""
    if same.shape != np.shape(a):
        same = np.zeros(np.shape(a), bool)
    wrong = np.argwhere(~same)
    return f"{len(wrong)} of {same.size} elements are not equal:\n{_shown(a, b, wrong)}\ndtypes {a.dtype}, {b.dtype}"


def close(rtol: float, atol: float) -> Check:
    """The check that arrays are close: |a - b| <= atol + rtol |b|, infinities and NaN where the other has them."""

    def check(a: Any, b: Any) -> str:
        if a.dtype.kind in "OSU" or b.dtype.kind in "OSU":
            return equal(a, b)
        relative, absolute = rtol, atol
        for name, least in (("float16", 1e-3), ("bfloat16", 1e-2)):
            if name in (a.dtype.name, b.dtype.name):
                relative, absolute = max(relative, least), max(absolute, least)
        one, other = (x.astype(np.float32) if x.dtype.kind == "V" else x for x in (a, b))
        near = np.isclose(one, other, rtol=relative, atol=absolute, equal_nan=True)
        if near.all():
            return ""
        wrong = np.argwhere(~near)
        with np.errstate(all="ignore"):
            away = np.abs(np.subtract(one, other, dtype=np.result_type(one, other, np.float32)))
        return (
            f"Not equal to tolerance rtol={relative:g}, atol={absolute:g}: {len(wrong)} of {near.size} elements, the "
            f"largest difference is {np.nanmax(away[~near]) if away[~near].size else 0}:\n{_shown(one, other, wrong)}\n"
            f"dtypes {a.dtype}, {b.dtype}"
        )

    return check


def _inexact(x: Any) -> bool:
    return bool(x.dtype.kind in "fcV")


def _texts(a: Any, b: Any) -> tuple[Any, Any]:
    """Two arrays, those of text as bytes where one of them is of bytes."""
    kinds = {a.dtype.kind, b.dtype.kind}
    if not kinds & {"O", "S", "U"}:
        return a, b
    return tuple(  # type: ignore[return-value]
        np.array([v.encode() if isinstance(v, str) else v for v in x.ravel().tolist()] + [None], object)[:-1].reshape(
            x.shape
        )
        for x in (a, b)
    )


def _shown(a: Any, b: Any, wrong: Any) -> str:
    rows = [f"  at {[*map(int, i)]}: {_plain(a[tuple(i)])!r} vs. {_plain(b[tuple(i)])!r}" for i in wrong[:SHOWN]]
    return "\n".join([*rows, *(["  ..."] if len(wrong) > SHOWN else [])])


def _plain(element: Any) -> Any:
    return element.item() if isinstance(element, np.generic) else element


def compare_messages(case: Any, expected: Any, got: Any, tolerance: float | None, msg: str | None) -> None:
    """Fails a test unless two protocol buffers are equal.

    Args:
      case: the test.
      expected: a message, or its text form.
      got: a message.
      tolerance: relative, of floating-point fields; None for none.
      msg: a text for the failure.
    """
    from inlay._src.base.protos import text

    if isinstance(expected, (str, bytes)):
        expected = text.from_text(expected, type(got))
    if expected.DESCRIPTOR.full_name != got.DESCRIPTOR.full_name:
        case.fail(f"{expected.DESCRIPTOR.full_name} is not {got.DESCRIPTOR.full_name}")
    if not _alike(expected, got, tolerance):
        case.assertMultiLineEqual(text.as_text(expected), text.as_text(got), msg)
        case.fail(msg or "the messages differ in unknown fields")


def _alike(a: Any, b: Any, tolerance: float | None) -> bool:
    """Whether two messages are equal, floating-point fields to a relative tolerance."""
    if tolerance is None:
        return bool(a == b)
    ours, theirs = ({field.name: value for field, value in message.ListFields()} for message in (a, b))
    if {*ours} != {*theirs}:
        return False
    return all(_field_alike(ours[name], theirs[name], tolerance) for name in ours)


def _field_alike(a: Any, b: Any, tolerance: float) -> bool:
    if isinstance(a, Mapping):
        return {*a} == {*b} and all(_field_alike(a[key], b[key], tolerance) for key in a)
    if hasattr(a, "ListFields"):
        return _alike(a, b, tolerance)
    if isinstance(a, float):
        return abs(a - b) <= tolerance * max(abs(a), abs(b)) or a == b or (a != a and b != b)
    if isinstance(a, (str, bytes, int)):
        return bool(a == b)
    return len(a) == len(b) and all(_field_alike(x, y, tolerance) for x, y in zip(a, b, strict=True))

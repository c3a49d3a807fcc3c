"""`errors.wrap`: which class an exception becomes, what of it is kept, and what survives pickling."""

from __future__ import annotations

import asyncio
import builtins
import copy
import copyreg
import json
import pickle
import socket
import sqlite3
import subprocess
import zlib
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base import errors

WHERE = "  op 'f', defined here"

MAPPED = [
    (ValueError("v"), errors.InvalidArgumentError),
    (TypeError("t"), errors.InvalidArgumentError),
    (MemoryError("m"), errors.ResourceExhaustedError),
    (NotImplementedError("n"), errors.UnimplementedError),
    (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad byte"), errors.InvalidArgumentError),
    (KeyError("k"), errors.UnknownError),
    (IndexError("i"), errors.UnknownError),
    (ZeroDivisionError("z"), errors.UnknownError),
    (RuntimeError("r"), errors.UnknownError),
    (OSError(2, "gone"), errors.UnknownError),
    (json.JSONDecodeError("bad", "{", 1), errors.InvalidArgumentError),
    (zlib.error("z"), errors.UnknownError),
    (sqlite3.OperationalError("locked"), errors.UnknownError),
    (np.linalg.LinAlgError("singular"), errors.InvalidArgumentError),
]


@pytest.mark.parametrize(("error", "ours"), MAPPED, ids=lambda v: type(v).__name__ if isinstance(v, Exception) else "")
def test_both_classes_catch_what_was_wrapped(error: Exception, ours: type[errors.OpError]) -> None:
    wrapped = errors.wrap(error, WHERE)
    assert isinstance(wrapped, ours) and isinstance(wrapped, type(error))
    assert type(wrapped).__name__ == ours.__name__ and wrapped.error_code == ours.code
    assert wrapped.__cause__ is error
    assert str(wrapped).splitlines()[:2] == [f"{type(error).__name__}: {error}", WHERE]


@pytest.mark.parametrize("code", range(1, 17))
def test_an_error_of_ours_keeps_its_class_and_code(code: int) -> None:
    cls = errors.exception_type_from_error_code(code)
    wrapped = errors.wrap(cls(None, None, "said"), WHERE)
    assert type(wrapped) is cls and wrapped.error_code == code
    assert str(wrapped) == f"{cls.__name__}: said\n{WHERE}"


def test_cancellation_of_asyncio_is_cancellation_but_does_not_steer() -> None:
    wrapped = errors.wrap(asyncio.CancelledError("stop"), WHERE)
    assert isinstance(wrapped, errors.CancelledError) and not isinstance(wrapped, asyncio.CancelledError)


@pytest.mark.parametrize("error", [StopIteration("s"), StopAsyncIteration("a"), GeneratorExit("g")])
def test_exceptions_that_steer_python_lose_that_power(error: BaseException) -> None:
    wrapped = errors.wrap(error, WHERE)
    assert isinstance(wrapped, errors.OpError) and not isinstance(wrapped, type(error))
    assert str(wrapped).startswith(f"{type(error).__name__}: {error}") and wrapped.__cause__ is error


FIELDS = [
    (OSError(2, "gone", "file.txt"), {"errno": 2, "strerror": "gone", "filename": "file.txt"}),
    (FileNotFoundError(2, "gone", "f"), {"errno": 2, "filename": "f"}),
    (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), {"encoding": "utf-8", "start": 0, "end": 1, "reason": "bad"}),
    (ImportError("no", name="mod", path="/p"), {"name": "mod", "path": "/p", "msg": "no"}),
    (AttributeError("no", name="attr", obj=3), {"name": "attr", "obj": 3}),
    (NameError("no", name="x"), {"name": "x"}),
    (SyntaxError("bad", ("f.py", 3, 5, "text")), {"filename": "f.py", "lineno": 3, "offset": 5, "text": "text"}),
    (json.JSONDecodeError("bad", "{}", 1), {"doc": "{}", "pos": 1, "colno": 2}),
    (subprocess.CalledProcessError(3, "cmd", "out"), {"returncode": 3, "cmd": "cmd", "output": "out"}),
    (socket.gaierror(5, "dns"), {"errno": 5, "strerror": "dns"}),
]


@pytest.mark.parametrize(
    ("error", "fields"), FIELDS, ids=lambda v: type(v).__name__ if isinstance(v, Exception) else ""
)
def test_what_an_exception_carries_is_carried_on(error: Exception, fields: dict[str, Any]) -> None:
    wrapped = errors.wrap(error, WHERE)
    for made in (wrapped, pickle.loads(pickle.dumps(wrapped)), copy.copy(wrapped)):
        assert isinstance(made, type(error))
        assert {name: getattr(made, name) for name in fields} == fields


class WithArguments(ValueError):
    def __init__(self, left: int, right: int) -> None:
        super().__init__(f"{left} and {right}")
        self.left, self.right = left, right


class WithSlots(RuntimeError):
    __slots__ = ("detail",)

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class Counted(Exception):
    made = 0

    def __new__(cls, *args: Any) -> Counted:
        cls.made += 1
        return super().__new__(cls, *args)


def test_exceptions_that_want_arguments_are_not_asked_for_them() -> None:
    wrapped: Any = errors.wrap(WithArguments(3, 4), WHERE)
    assert isinstance(wrapped, WithArguments) and (wrapped.left, wrapped.right) == (3, 4)
    again = pickle.loads(pickle.dumps(wrapped))
    assert isinstance(again, WithArguments) and (again.left, again.right) == (3, 4) and str(again) == str(wrapped)


def test_slots_are_carried_on() -> None:
    wrapped: Any = errors.wrap(WithSlots("deep"), WHERE)
    assert isinstance(wrapped, WithSlots) and wrapped.detail == "deep"
    assert pickle.loads(pickle.dumps(wrapped)).detail == "deep"


def test_the_users_constructor_does_not_run_a_second_time() -> None:
    error = Counted("once")
    before = Counted.made
    assert isinstance(errors.wrap(error, WHERE), Counted) and Counted.made == before


def test_attributes_that_cannot_be_pickled_are_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    error = ValueError("v")
    error.fine, error.lock = [1, 2], (lambda: None)  # type: ignore[attr-defined]
    wrapped: Any = errors.wrap(error, WHERE)
    monkeypatch.delitem(copyreg.dispatch_table, type(wrapped), raising=False)  # Dask has tblib put one there
    assert wrapped.fine == [1, 2] and callable(wrapped.lock)
    again = pickle.loads(pickle.dumps(wrapped))
    assert again.fine == [1, 2] and not hasattr(again, "lock")


def test_an_exception_that_cannot_be_printed_is_reported() -> None:
    class Unprintable(ValueError):
        def __str__(self) -> str:
            raise RuntimeError("no")

    wrapped = errors.wrap(Unprintable(), WHERE)
    assert str(wrapped).startswith("Unprintable: <unprintable>") and isinstance(wrapped, Unprintable)


def test_a_class_that_refuses_to_be_derived_from_gives_ours_alone() -> None:
    class Final(ValueError):
        def __init_subclass__(cls, **kwargs: Any) -> None:
            raise TypeError("final")

    wrapped = errors.wrap(Final("x"), WHERE)
    assert type(wrapped) is errors.InvalidArgumentError and str(wrapped).startswith("Final: x")


@pytest.mark.parametrize("depth", [1, 3])
def test_wrapping_again_adds_a_place_and_keeps_the_classes(depth: int) -> None:
    error: Exception = WithArguments(1, 2)
    for level in range(depth):
        error = errors.wrap(error, f"  place {level}")
    assert isinstance(error, WithArguments) and isinstance(error, errors.InvalidArgumentError)
    assert all(f"place {level}" in str(error) for level in range(depth))
    assert str(error).splitlines()[1] == f"  place {depth - 1}"


def test_the_message_has_the_users_frames_and_causes() -> None:
    def inner() -> None:
        raise KeyError("root")

    try:
        try:
            inner()
        except KeyError as cause:
            raise ValueError("outer") from cause
    except ValueError as error:
        text = str(errors.wrap(error, WHERE))
    assert "in inner" in text and "KeyError: 'root'" in text and "direct cause" in text
    assert text.index("KeyError") < text.index("direct cause") < text.rindex("ValueError: outer")


def test_the_exception_tree_is_flat_and_every_class_is_public() -> None:
    classes = errors.OpError.__subclasses__()
    named = [c for c in classes if c.__module__ == "inlay.errors" and c.__qualname__ in tf.errors.__all__]
    assert {c.code for c in named} == set(range(1, 17))
    assert not [n for n in tf.errors.__all__ if not hasattr(tf.errors, n)]
    assert not [c for c in named if hasattr(builtins, c.__name__)]

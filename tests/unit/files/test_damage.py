"""Damage is one error that names the file and its part; errors of ours and of the system pass."""

from __future__ import annotations

import errno
import json
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

import inlay as tf
from inlay._src.base.files.damage import guarded


def refuse(error: BaseException) -> Any:
    raise error


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (lambda: json.loads("{")["x"], "a model is damaged at its head: JSONDecodeError: Expecting property name"),
        (lambda: {}["x"], "a model is damaged at its head: it lacks the entry 'x'"),
        (lambda: refuse(ValueError("it has an entry twice")), "a model is damaged at its head: it has an entry twice"),
        (lambda: next(iter(())), "a model is damaged at its head: StopIteration: "),
        (lambda: refuse(zipfile.BadZipFile("no end")), "a model is damaged at its head: BadZipFile: no end"),
        (lambda: refuse(OSError(errno.EINVAL, "no such place")), "a model is damaged at its head: OSError: "),
        (lambda: json.loads("[" * 100_000), "a model is damaged at its head: it is nested too deeply"),
    ],
)
def test_what_makes_no_sense_is_damage(read: Callable[[], Any], said: str) -> None:
    with pytest.raises(tf.errors.DataLossError) as raised, guarded("a model", "its head"):
        read()
    assert str(raised.value).startswith(said) and raised.value.__cause__ is not None


def test_what_has_no_parts_is_damaged_as_a_whole() -> None:
    with pytest.raises(tf.errors.DataLossError, match="^a position is damaged: it is empty$"), guarded("a position"):
        raise ValueError("it is empty")


@pytest.mark.parametrize(
    "error", [tf.errors.UnimplementedError(None, None, "later"), FileNotFoundError(2, "gone"), KeyboardInterrupt()]
)
def test_other_errors_pass(error: BaseException) -> None:
    with pytest.raises(type(error)) as raised, guarded("a model"):
        raise error
    assert raised.value is error

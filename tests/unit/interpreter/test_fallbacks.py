"""`fall_back`: what it counts, what it lists, and when it raises."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.interpreter import fallbacks
from inlay._src.base.interpreter.fallbacks import FastPathError, fall_back
from inlay._src.base.tuning import TUNING
from inlay._src.engine.autodiff import compiled_vjp
from inlay._src.engine.run.fusion import elementwise


@pytest.fixture
def lenient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As for users: failures are counted, and none is counted yet."""
    monkeypatch.setattr(fallbacks.settings, "strict", False)
    monkeypatch.setattr(fallbacks, "_counts", type(fallbacks._counts)())
    monkeypatch.setattr(fallbacks, "_errors", {})
    yield


def raised_by(function: Callable[[], Any]) -> Exception:
    with pytest.raises(Exception) as caught:
        function()
    error = caught.value
    error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next  # without the frame of the test
    return error


def refused_by_the_library() -> Exception:
    error = raised_by(lambda: tf.reshape([1.0, 2.0], [3]))
    while error.__traceback__ is not None and not error.__traceback__.tb_frame.f_code.co_filename.count("_src"):
        error.__traceback__ = error.__traceback__.tb_next
    return error


def test_failures_are_counted_by_name_and_listed_with_the_last_error(lenient: None) -> None:
    assert tf.debugging.fallbacks() == []
    for name in ("second", "first", "second"):
        fall_back(name, refused_by_the_library())
    rows = tf.debugging.fallbacks()
    assert [(row.name, row.failures) for row in rows] == [("first", 1), ("second", 2)]
    assert rows[0].last.startswith("InvalidArgumentError: ")


def test_the_suite_is_told_at_once() -> None:
    error = refused_by_the_library()
    with pytest.raises(FastPathError, match="a name failed") as caught:
        fall_back("a name", error)
    assert caught.value.__cause__ is error


def test_an_error_of_a_users_function_is_the_programs(lenient: None) -> None:
    def own() -> None:
        raise ValueError("no")

    fall_back("a name", raised_by(own))
    assert tf.debugging.fallbacks() == []


def failing(*_: Any, **__: Any) -> Any:
    raise RuntimeError("cannot be written")


failing.__code__ = failing.__code__.replace(co_filename=elementwise.__file__)  # as code of the library


def test_a_gradient_that_cannot_be_written_is_accumulated_and_counted(
    lenient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled_vjp, "as_function", failing)
    monkeypatch.setattr(TUNING, "vjp_sightings", 0)
    x = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0])
    for _ in range(3):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.math.erfc(tf.sinh(x)) * tf.cosh(x)
        assert tape.gradient(y, x) is not None
    assert [row.name for row in tf.debugging.fallbacks()] == ["compiled vector-Jacobian product"]


def test_fused_blocks_that_fail_run_step_by_step_and_are_counted(
    lenient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elementwise, "BlockSource", failing)
    values = np.linspace(0.1, 1, 1 << 20, dtype=np.float32)

    @tf.function
    def f(v: Any) -> Any:
        return tf.exp(tf.sin(v)) * 2.0

    for _ in range(5):
        result = f(values)
    np.testing.assert_allclose(result, np.exp(np.sin(values)) * 2, rtol=1e-6)
    (row,) = tf.debugging.fallbacks()
    assert row.name == "operator fusion"


def test_a_program_that_fails_is_no_failure_of_the_fast_path() -> None:
    ones, zeros = np.ones(1 << 20, np.int32), np.zeros(1 << 20, np.int32)

    @tf.function
    def f(v: Any, w: Any) -> Any:
        return tf.math.floordiv(v * 2, w) + 1

    for _ in range(5):
        f(ones, ones)
    with pytest.raises(tf.errors.InvalidArgumentError, match="zero"):
        f(ones, zeros)

"""Compiled plans over large arrays on the CPU: borders without copies, and never slower than uncompiled ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.interpreter import xla
from inlay._src.base.tuning import TUNING
from inlay._src.engine.run import xla_segments


def polynomials(x: Any) -> Any:
    for _ in range(8):
        x = (x * 0.5 + 1.0) * x
    return x


def several(x: Any) -> Any:
    a = x * 2.0 + 1.0
    b = a * x - 3.0
    return a, b, a * b


def sum_of_sums(x: Any) -> Any:
    for _ in range(4):
        x = x * 2.0 - tf.reduce_sum(x)
    return x


@pytest.mark.parametrize(
    "body, size, taken",
    [
        (polynomials, 1000, "compiled"),
        (polynomials, TUNING.segment_elements, "uncompiled"),  # NumPy is done before JAX has begun
        (polynomials, 10 * TUNING.segment_elements, "compiled"),
        (lambda x: x + 1.0, 10 * TUNING.segment_elements, "uncompiled"),
        (lambda x: polynomials(tf.sin(x)), 10 * TUNING.segment_elements, "uncompiled"),
        (lambda x: tf.sin(x), 1000, "compiled"),
        (lambda x: polynomials(tf.exp(x)), 10 * TUNING.segment_elements, "uncompiled"),  # exponentials are NumPy's too
        (lambda x: polynomials(tf.sigmoid(x)), 10 * TUNING.segment_elements, "uncompiled"),
        (lambda x: polynomials(tf.nn.elu(x)), 10 * TUNING.segment_elements, "uncompiled"),
        (lambda x: polynomials(tf.math.erf(tf.cast(x, tf.float64))), 10 * TUNING.segment_elements, "uncompiled"),
        (lambda x: polynomials(tf.nn.relu(x)), 10 * TUNING.segment_elements, "compiled"),
        (lambda x: tf.reduce_sum(polynomials(x)), 10 * TUNING.segment_elements, "compiled"),
        (lambda x: tf.sort(polynomials(x)), TUNING.segment_elements, "uncompiled"),
        (lambda x: tf.nn.softmax(polynomials(tf.reshape(x, [-1, 1000]))), 10 * TUNING.segment_elements, "uncompiled"),
        (lambda x: several(tf.cast(x, tf.float64)), 10 * TUNING.segment_elements, "uncompiled"),
        (lambda x: sum_of_sums(tf.cast(x, tf.float64)), 10 * TUNING.segment_elements, "uncompiled"),
        (lambda x: polynomials(x) ** 1.5, 10 * TUNING.segment_elements, "uncompiled"),
    ],
)
@pytest.mark.parametrize("way", ["written", "called"])
def test_segment_and_sizes_tell_whether_large_arrays_are_compiled(
    body: Any, size: int, taken: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if xla.gpus():
        pytest.skip("segments run on the GPU")
    if way == "called":
        monkeypatch.setattr(TUNING, "written_segment_steps", 0)
    compiled: list[Any] = []
    run = xla_segments._CompiledPart.run

    def noted(part: Any, cells: Any) -> None:
        compiled.append(part)
        run(part, cells)

    monkeypatch.setattr(xla_segments._CompiledPart, "run", noted)
    x = tf.constant(np.linspace(0, 1, size, dtype=np.float32))
    function = tf.function(body, jit_compile=True)
    for _ in range(3):
        np.testing.assert_allclose(function(x), tf.function(body)(x), rtol=2e-5)
    assert ("compiled" if compiled else "uncompiled") == taken


@pytest.mark.parametrize("size", [1, 1000, TUNING.segment_elements])
def test_segments_around_host_calls_agree_with_the_uncompiled_function(size: int) -> None:
    def written(x: np.ndarray) -> np.ndarray:
        x *= 2
        return x

    def body(x: Any, y: Any) -> Any:
        a = (x + y) * 0.5
        b = tf.numpy_function(written, [a], tf.float32)
        c = b - a * y
        d = tf.numpy_function(lambda v: v[:1], [c], tf.float32)  # a small array in a run of large ones
        return c * d + x, a, d + 1.0

    arrays = [np.linspace(0, 1, size, dtype=np.float32), np.linspace(1, 3, size, dtype=np.float32)]
    x, y = map(tf.constant, arrays)
    compiled, plain = tf.function(body, jit_compile=True), tf.function(body)
    for _ in range(4):
        for made, wanted in zip(compiled(x, y), plain(x, y), strict=True):
            np.testing.assert_allclose(made, wanted, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(x, arrays[0])
    np.testing.assert_array_equal(y, arrays[1])


def test_segments_of_large_arrays_in_loops_and_branches() -> None:
    def body(x: Any, n: Any) -> Any:
        x = tf.while_loop(lambda i, _: i < n, lambda i, v: (i + 1, (v * 0.5 + 1.0) * 0.25), [0, x])[1]
        return tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * 2.0 + 1.0, lambda: x - 1.0)

    x = tf.constant(np.linspace(0, 1, TUNING.segment_elements, dtype=np.float32))
    compiled, plain = tf.function(body, jit_compile=True), tf.function(body)
    for n in (0, 1, 5, 5):
        np.testing.assert_allclose(compiled(x, tf.constant(n)), plain(x, tf.constant(n)), rtol=1e-5)


def test_errors_of_large_arrays_are_those_of_the_uncompiled_plan() -> None:
    function = tf.function(lambda x, y: tf.math.floordiv(x + 1, y, name="quotient"), jit_compile=True)
    x = tf.constant(np.arange(TUNING.segment_elements))
    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError, match="quotient"):
            function(x, x)
        assert function(x, x + 1).numpy().tolist() == [1] * len(x)


def test_large_results_stay_what_they_were() -> None:
    """Memory that goes in and out without a copy is nobody's to write into."""
    function = tf.function(polynomials, jit_compile=True)
    array = np.linspace(0, 1, 10 * TUNING.segment_elements, dtype=np.float32)
    first = function(tf.constant(array))
    expected = first.numpy()
    taken = function(first).numpy()
    taken += 1
    variable = tf.Variable(first)
    variable.assign_add(first)
    function(tf.constant(array + 1))
    np.testing.assert_array_equal(first, expected)
    np.testing.assert_array_equal(variable, expected + expected)

    def written(x: np.ndarray) -> np.ndarray:
        x += 1
        return x

    through = tf.function(
        lambda x: (y := polynomials(x), tf.numpy_function(written, [y], tf.float32))[::-1], jit_compile=True
    )
    more, same = through(tf.constant(array))
    np.testing.assert_array_equal(same, expected)
    np.testing.assert_array_equal(more, expected + 1)

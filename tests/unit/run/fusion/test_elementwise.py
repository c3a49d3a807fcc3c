"""Elementwise steps in a row, run as one on large arrays."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.interpreter import threads as parked
from inlay._src.base.interpreter.costs import OpThreads
from inlay._src.base.tuning import TUNING
from inlay._src.engine.run.fusion import elementwise
from inlay._src.engine.run.lowering import writer

SIZE = TUNING.blocked_elements + 777


@pytest.fixture
def divided(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """For each call of a chain, whether it was run as one."""
    seen: list[bool] = []
    call = elementwise.FusedSteps.__call__

    def watched(self: Any, *values: Any) -> Any:
        made = call(self, *values)
        seen.append(made is not None)
        return made

    monkeypatch.setattr(elementwise.FusedSteps, "__call__", watched)
    yield seen


def runs(build: Callable[..., Any], *arrays: np.ndarray) -> list[Any]:
    """The results of the steps one by one, and of a run that fuses them."""
    with tf.Graph().as_default() as graph:
        places = [tf.compat.v1.placeholder(a.dtype, [None] * a.ndim) for a in arrays]
        fetched = build(*places)
    feeds = dict(zip(places, arrays, strict=True))
    with tf.compat.v1.Session(graph=graph) as sess, pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "fused_steps", lambda *_: {})
        first = sess.run(fetched, feeds)
    with tf.compat.v1.Session(graph=graph) as sess:
        return [first, [sess.run(fetched, feeds) for _ in range(4)][3]]


def gelu(x: Any) -> Any:
    return 0.5 * x * (1.0 + tf.tanh(0.7978846 * (x + 0.044715 * x * x * x)))


def gradient(build: Callable[..., Any]) -> Callable[..., Any]:
    def built(x: Any, *rest: Any) -> Any:
        return tf.gradients(build(x, *rest), [x])[0]

    return built


def floats(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).standard_normal(shape, np.float32)


PROGRAMS: dict[str, tuple[Callable[..., Any], list[np.ndarray]]] = {
    "gelu": (gelu, [floats(SIZE)]),
    "its gradient": (gradient(gelu), [floats(SIZE)]),
    "where": (lambda x: tf.where(x > 0, x, -x) + 1.0, [floats(SIZE)]),
    "several results": (lambda x: [y := tf.exp(x), y + 1.0, tf.cast(y > 1.0, tf.int32) * 3], [floats(SIZE)]),
    "a bias": (lambda x, b: tf.sigmoid(x + b) * 2.0, [floats(SIZE // 4, 4), floats(4)]),
    "rows and columns": (lambda x, b: tf.abs(x * b) - b, [floats(SIZE // 4, 4), floats(SIZE // 4, 1)]),
    "float64": (lambda x: tf.sqrt(tf.abs(x)) + x, [floats(SIZE).astype(np.float64)]),
    "integers": (lambda x: (x + 3) * x - 7, [np.arange(SIZE, dtype=np.int32)]),
    "complex": (lambda x: tf.math.conj(x) * x + 1.0, [floats(SIZE).astype(np.complex64)]),
}


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chains are used wherever they can be, on as many threads as are asked for."""
    monkeypatch.setattr(elementwise.FusedForm, "threads", lambda form, length: OpThreads(parked._asked or 2))


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("name", PROGRAMS)
def test_gives_the_bits_that_the_steps_give(name: str, divided: list[bool]) -> None:
    first, later = runs(PROGRAMS[name][0], *PROGRAMS[name][1])
    assert divided and all(divided)
    for one, other in zip(tf.nest.flatten(first), tf.nest.flatten(later), strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape
        np.testing.assert_array_equal(one, other)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_number_of_threads_does_not_matter(name: str) -> None:
    found = []
    for threads in (1, 2, 5):
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        try:
            found.append(runs(PROGRAMS[name][0], *PROGRAMS[name][1])[1])
        finally:
            tf.config.threading.set_intra_op_parallelism_threads(0)
    for other in found[1:]:
        for one, two in zip(tf.nest.flatten(found[0]), tf.nest.flatten(other), strict=True):
            np.testing.assert_array_equal(one, two)


def test_small_arrays_do_not_reach_the_chain(divided: list[bool]) -> None:
    runs(gelu, floats(100))
    assert not divided


def test_shapes_that_do_not_fit_are_told_as_ever(divided: list[bool]) -> None:
    with tf.Graph().as_default() as graph:
        x, y = (tf.compat.v1.placeholder(tf.float32, [None]) for _ in "xy")
        z = tf.exp(x) + y
    with tf.compat.v1.Session(graph=graph) as sess:
        for _ in range(4):
            sess.run(z, {x: floats(SIZE), y: floats(SIZE)})
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[\d+\] vs. \[3\](.|\n)*add"):
            sess.run(z, {x: floats(SIZE), y: floats(3)})


def test_an_error_names_its_step(divided: list[bool]) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.int32, [None])
        z = tf.math.floordiv(x + 1, x, name="quotient") * 2
    with tf.compat.v1.Session(graph=graph) as sess:
        for _ in range(4):
            sess.run(z, {x: np.arange(1, SIZE, dtype=np.int32)})
        with pytest.raises(tf.errors.InvalidArgumentError, match="quotient"):
            sess.run(z, {x: np.arange(SIZE, dtype=np.int32)})
    assert divided[-1] is False


def test_arrays_that_the_caller_holds_are_not_written_into(divided: list[bool]) -> None:
    x = floats(SIZE)
    before = x.copy()
    runs(gelu, x)
    np.testing.assert_array_equal(x, before)


def test_two_results_may_be_written_into() -> None:
    def touched(value: np.ndarray) -> np.ndarray:
        value += 1
        return value

    first, later = runs(lambda x: tf.numpy_function(touched, [tf.exp(x) * 2.0], tf.float32), floats(SIZE))
    np.testing.assert_array_equal(first, later)


# ---------------------------------------------------------------- what is not divided


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize(
    "build",
    [
        lambda x, b: tf.tanh(x * b + b * 2.0),  # the bias is summed over rows, behind the blocks
        lambda x, b: tf.reduce_mean(tf.exp(x) * b),  # its cotangent is one number, spread over rows
        lambda x, b: tf.reduce_sum(x * tf.sigmoid(b), 1),
    ],
)
def test_gradients_of_what_was_broadcast(build: Callable[..., Any], divided: list[bool]) -> None:
    def both(x: Any, b: Any) -> Any:
        return tf.gradients(build(x, b), [x, b])

    first, later = runs(both, floats(SIZE // 4, 4), floats(4))
    assert divided and all(divided)
    for one, other in zip(first, later, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.usefixtures("always")
def test_kernels_of_several_ufuncs_beside_steps_that_are_not_divided(divided: list[bool]) -> None:
    def build(x: Any, b: Any) -> Any:
        y, small = tf.sigmoid(tf.abs(x)), tf.ones_like(tf.nn.leaky_relu(b))
        return [y * 2.0, small + 3.0]  # this number has the last cell

    first, later = runs(build, floats(SIZE // 4, 4), floats(4))
    assert divided and all(divided)
    for one, other in zip(first, later, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.usefixtures("always")
def test_views_of_blocks_stay_as_they_are(divided: list[bool]) -> None:
    """A kernel may return its input: that memory is taken again only when nobody reads the view."""

    def build(x: Any) -> Any:
        y = tf.identity(x * 2.0)
        real, imaginary = tf.math.real(tf.complex(y, x) * 2.0), y + 1.0
        return [tf.stop_gradient(y) - imaginary * real, tf.identity(imaginary), imaginary]

    first, later = runs(build, floats(SIZE))
    assert divided and all(divided)
    for one, other in zip(first, later, strict=True):
        np.testing.assert_array_equal(one, other)
    assert not np.shares_memory(later[1], later[2])


@pytest.mark.usefixtures("always")
def test_one_step_that_computes_for_long_is_divided_too(divided: list[bool]) -> None:
    first, later = runs(tf.exp, floats(SIZE))
    assert divided and all(divided)
    np.testing.assert_array_equal(first, later)


def pulled(x: np.ndarray, times: int) -> list[np.ndarray]:
    """A gradient from a tape: later ones are written."""
    found = []
    for _ in range(times):
        t = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(t)
            y = gelu(t)
        found.append(tape.gradient(y, t).numpy())
    return found


@pytest.mark.usefixtures("always")
def test_compiled_vector_jacobian_products_are_fused(divided: list[bool]) -> None:
    found = pulled(floats(SIZE), 4)
    assert divided and all(divided)
    for later in found[1:]:
        np.testing.assert_array_equal(found[0], later)


# ---------------------------------------------------------------- when it pays


def form(build: Callable[..., Any], dtype: Any, monkeypatch: pytest.MonkeyPatch) -> elementwise.FusedForm:
    """That of the one chain of a program over vectors."""
    seen: list[elementwise.FusedForm] = []
    threads = elementwise.FusedForm.threads
    monkeypatch.setattr(
        elementwise.FusedForm, "threads", lambda form, length: (seen.append(form), threads(form, length))[1]
    )
    runs(build, np.ones(SIZE, dtype))
    monkeypatch.undo()
    assert len(set(seen)) == 1
    return seen[0]


def polynomial(x: Any) -> Any:
    return ((x * 2.0 + 1.0) * x - 3.0) * x + 0.5


def sines(x: Any) -> Any:
    for _ in range(50):
        x = tf.sin(x) + 1.0
    return x


@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize(
    "build, size, used",
    [
        (lambda x: (x + 1.0) * 2.0, 10**6, (1, 1)),  # two passes through the shared cache
        (lambda x: (x + 1.0) * 2.0, 400_000, (0, 0)),  # through that of a core
        (polynomial, 200_000, (0, 0)),
        (polynomial, 4 * 10**6, (1, 2)),  # memory is far
        (gradient(polynomial), 10**6, (1, 2)),  # a dozen arrays at a time
        (sines, 10**6, (1, 2)),  # it computes
        (tf.exp, 200_000, (0, 0)),
        (tf.exp, 4 * 10**6, (0, 2)),
    ],
)
def test_sizes_and_steps_decide_whether_a_chain_is_used(
    build: Callable[..., Any], size: int, used: tuple[int, int], cores: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = form(build, np.float32, monkeypatch)
    monkeypatch.setattr(parked, "_asked", cores)
    monkeypatch.setattr(TUNING, "thread_trials", 0)
    context = found.threads(size)
    assert (context.threads if context else 0) == used[cores - 1]


# ---------------------------------------------------------------- memory


def peak(run: Callable[[], Any]) -> int:
    """Bytes that were held at most at a time of what a call made, its result among them."""
    tracemalloc.start()
    try:
        made = run()
        del made
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("build, held", [(sines, 4), (gradient(sines), 60)], ids=["forward", "gradient"])
def test_a_plan_holds_the_result_and_blocks(build: Callable[..., Any], held: int, divided: list[bool]) -> None:
    x = floats(1 << 20)
    with tf.Graph().as_default() as graph:
        place = tf.compat.v1.placeholder(tf.float32, [None])
        fetched = build(place)
    tf.config.threading.set_intra_op_parallelism_threads(2)
    try:
        with tf.compat.v1.Session(graph=graph) as sess:
            for given in (x[:10], x, x):
                sess.run(fetched, {place: given})
            most = peak(lambda: sess.run(fetched, {place: x}))
    finally:
        tf.config.threading.set_intra_op_parallelism_threads(0)
    assert divided and all(divided)
    assert most < x.nbytes + 2 * max(TUNING.block_bytes, held * 4 * TUNING.block_least_elements) + (1 << 18)


def test_a_pullback_holds_its_result_and_blocks(divided: list[bool]) -> None:
    def tape(x: np.ndarray) -> tuple[Any, Any, Any]:
        t = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(t)
            y = sines(t)
        return tape, y, t

    x = floats(1 << 18)
    for given in (x[:10], x[:10], x[:10], x):  # written, then met with large arrays
        made, y, t = tape(given)
        made.gradient(y, t)
    made, y, t = tape(x)
    assert peak(lambda: made.gradient(y, t)) < 2 * x.nbytes + 2 * TUNING.block_bytes  # the seed is as large
    assert divided == [True, True]

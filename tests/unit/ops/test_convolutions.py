"""Convolutions and their gradients are the sums that define them, whatever their strides, margins, holes and groups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import inlay as tf
from inlay._src.base.interpreter import blas, thread_settings, xla
from inlay._src.base.interpreter import threads as parked
from inlay._src.base.tuning import TUNING
from inlay._src.ops import conv
from inlay._src.ops.windows import parts_of

PADDINGS = ["SAME", "VALID", ((0, 2), (3, 1)), ((5, 0), (0, 7))]


@pytest.fixture(params=["small", "blocks", "threads"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A convolution at once; in many blocks; in many blocks on two threads."""
    if request.param != "small":
        for name in ("windows_block_bytes", "conv_block_bytes", "channel_line_numbers"):
            monkeypatch.setattr(TUNING, name, 40)
        monkeypatch.setattr(TUNING, "conv_partial_sums", 3)
    if request.param == "threads":
        monkeypatch.setattr(TUNING, "blas_thread_products", 0)
        monkeypatch.setattr(TUNING, "thread_wakeup_ns", -1e9)
        monkeypatch.setattr(TUNING, "thread_trials", 0)
        thread_settings.set_intra_op_parallelism_threads(2)
    yield
    thread_settings.set_intra_op_parallelism_threads(0)


def defined(x: np.ndarray, w: np.ndarray, how: tuple[Any, ...]) -> np.ndarray:
    """The convolution by its definition: one product for each place, point of the window and group."""
    g, groups = conv._convolution(x.shape, w.shape, *how)
    padded = g.padded(np, x)
    out = np.zeros((len(x), *g.outs, w.shape[-1]), x.dtype)
    part, each = w.shape[-2], w.shape[-1] // groups
    for point in np.ndindex(*g.window):
        for place in np.ndindex(*g.outs):
            at = tuple(a * s + p * d for a, s, p, d in zip(place, g.strides, point, g.dilations, strict=True))
            for k in range(groups):
                results = slice(k * each, (k + 1) * each)
                pixels = padded[(slice(None), *at, slice(k * part, (k + 1) * part))]
                out[(slice(None), *place, results)] += pixels @ w[point][:, results]
    return out


def check(image: tuple[int, ...], window: tuple[int, ...], strides: Any, padding: Any, dilations: Any) -> None:
    rand = np.random.default_rng(3)
    x, w = rand.standard_normal(image), rand.standard_normal(window)
    layout = "NHWC" if len(image) == 4 else "NDHWC"
    how = (1, *strides, 1), padding, layout, (1, *dilations, 1)
    y = conv._forward(np, x, w, *how)
    np.testing.assert_allclose(y, defined(x, w, how), rtol=1e-12, atol=1e-12)
    dy = rand.standard_normal(y.shape)
    dx = conv._to_input(np, image, w, dy, *how)
    dw = conv._to_filter(np, x, window, dy, *how)
    assert (dx.shape, dw.shape) == (image, window)
    for _ in range(3):  # each is the transpose of the convolution as a function of one argument
        other = rand.standard_normal(image), rand.standard_normal(window)
        assert np.vdot(conv._forward(np, other[0], w, *how), dy) == pytest.approx(np.vdot(other[0], dx))
        assert np.vdot(conv._forward(np, x, other[1], *how), dy) == pytest.approx(np.vdot(other[1], dw))


@pytest.mark.parametrize("padding", PADDINGS, ids=str)
@pytest.mark.parametrize("strides", [(1, 1), (2, 2), (1, 3), (3, 2), (6, 5)], ids=str)
@pytest.mark.parametrize("dilations", [(1, 1), (2, 1), (1, 2), (2, 3)], ids=str)
def test_a_convolution_and_its_gradients(strides: Any, padding: Any, dilations: Any, way: None) -> None:
    check((2, 9, 11, 3), (3, 2, 3, 4), strides, padding, dilations)


@pytest.mark.parametrize("padding", PADDINGS, ids=str)
@pytest.mark.parametrize(
    ("channels", "part", "results"),
    [(3, 1, 3), (3, 1, 6), (4, 2, 2), (4, 2, 6), (6, 3, 20), (2, 1, 30), (1, 1, 5), (6, 6, 2)],
)
def test_groups_of_channels(channels: int, part: int, results: int, padding: Any, way: None) -> None:
    check((2, 6, 7, channels), (3, 2, part, results), (1, 1), padding, (1, 1))
    check((2, 6, 7, channels), (2, 3, part, results), (2, 3), padding, (1, 2))


@pytest.mark.parametrize("padding", PADDINGS, ids=str)
@pytest.mark.parametrize("results", [1, 4, 5])
def test_few_results_of_many_channels(results: int, padding: Any, way: None) -> None:
    check((2, 6, 7, 5), (3, 2, 5, results), (1, 1), padding, (1, 2))
    check((2, 6, 7, results), (3, 2, results, 9), (2, 1), padding, (1, 1))


@pytest.mark.parametrize("each", [1, 3])
def test_channels_with_filters_of_their_own_are_compiled_as_sums(each: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rand = np.random.default_rng(8)
    x, w = rand.standard_normal((2, 6, 7, 4), np.float32), rand.standard_normal((3, 2, 1, 4 * each), np.float32)
    how = (1, 2, 1, 1), ((0, 2), (3, 1)), "NHWC", (1, 1, 2, 1)
    expected = defined(x, w, how)
    for points in (25, 0):
        monkeypatch.setattr(TUNING, "channel_compiled_points", points)
        np.testing.assert_allclose(conv._forward(xla.jnp(), x, w, *how), expected, rtol=1e-4, atol=1e-5)
        for gradient, of in ((conv._to_input, (x.shape, w)), (conv._to_filter, (x, w.shape))):
            compiled = gradient(xla.jnp(), *of, expected, *how)
            np.testing.assert_allclose(compiled, gradient(np, *of, expected, *how), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("strides", [(1, 1, 1), (2, 1, 3)], ids=str)
@pytest.mark.parametrize("part", [2, 1])
def test_volumes(strides: Any, padding: Any, part: int, way: None) -> None:
    check((2, 4, 5, 6, 2), (2, 3, 2, part, 4), strides, padding, (1, 2, 1))


@pytest.mark.parametrize(
    ("image", "window"),
    [
        ((0, 5, 5, 2), (3, 3, 2, 4)),
        ((0, 5, 5, 2), (3, 3, 1, 2)),
        ((2, 0, 5, 3), (2, 2, 3, 2)),
        ((2, 1, 1, 3), (1, 1, 3, 2)),
    ],
    ids=str,
)
def test_convolutions_of_few_pixels_or_none(image: Any, window: Any, way: None) -> None:
    check(image, window, (1, 1), "SAME", (1, 1))
    check(image, window, (2, 2), "SAME", (1, 1))


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16, np.int32])
@pytest.mark.parametrize("part", [4, 1])
def test_numbers_of_other_types(dtype: Any, part: int) -> None:
    rand = np.random.default_rng(5)
    x, w = rand.integers(-3, 4, (2, 6, 7, 4)).astype(dtype), rand.integers(-3, 4, (3, 3, part, 8)).astype(dtype)
    y = conv._forward(np, x, w, (1, 2, 1, 1), "SAME", "NHWC", (1, 1, 1, 1))
    assert y.dtype == dtype
    how = (1, 2, 1, 1), "SAME", "NHWC", (1, 1, 1, 1)
    np.testing.assert_array_equal(y.astype(float), defined(x.astype(float), w.astype(float), how))


@pytest.mark.parametrize("part", [3, 1])
def test_images_that_are_read_only_or_not_in_one_piece(part: int) -> None:
    rand = np.random.default_rng(6)
    x, w = rand.standard_normal((2, 6, 14, 3)), rand.standard_normal((3, 3, part, 3))
    dy = rand.standard_normal((3, 8, 6, 2)).T
    how = (1, 1, 1, 1), "VALID", "NHWC", (1, 1, 1, 1)
    x.flags.writeable = False
    view, whole = x[:, :, ::-2], x[:, :, ::-2].copy()
    other = np.zeros((2, 4, 5, 3))
    np.testing.assert_array_equal(conv._forward(np, view, w, *how), conv._forward(np, whole, w, *how))
    for grads in (dy[:, 1:5, ::-1][:, :, :5], other):
        np.testing.assert_array_equal(
            conv._to_filter(np, view, w.shape, grads, *how), conv._to_filter(np, whole, w.shape, grads.copy(), *how)
        )
        np.testing.assert_array_equal(
            conv._to_input(np, whole.shape, w, grads, *how), conv._to_input(np, whole.shape, w, grads.copy(), *how)
        )


def test_results_do_not_depend_on_the_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    rand = np.random.default_rng(7)
    x, w = rand.standard_normal((5, 16, 16, 6), np.float32), rand.standard_normal((3, 3, 6, 6), np.float32)
    monkeypatch.setattr(TUNING, "windows_block_bytes", 5000)
    monkeypatch.setattr(TUNING, "conv_block_bytes", 5000)
    monkeypatch.setattr(TUNING, "thread_wakeup_ns", -1e9)
    monkeypatch.setattr(TUNING, "thread_trials", 0)
    monkeypatch.setattr(TUNING, "blas_thread_products", 0)
    monkeypatch.setattr(parked, "_asked", 0)
    how = (1, 1, 1, 1), "SAME", "NHWC", (1, 1, 1, 1)
    for part in (w, w[:, :, :1]):
        results = []
        for threads in (1, 2, 3):
            thread_settings.set_intra_op_parallelism_threads(threads)
            y = conv._forward(np, x, part, *how)
            results.append([y, conv._to_filter(np, x, part.shape, y, *how), conv._to_input(np, x.shape, part, y, *how)])
        for others in zip(*results, strict=True):
            assert len({other.tobytes() for other in others}) == 1


def test_a_channel_of_its_own_is_a_gradient_too() -> None:
    x, w = tf.ones([1, 4, 4, 2]), tf.ones([3, 3, 2, 3])
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME")
    dx, dw = tape.gradient(y, [x, w])
    count = np.array([[4, 6, 6, 4], [6, 9, 9, 6], [6, 9, 9, 6], [4, 6, 6, 4]], np.float32)
    np.testing.assert_array_equal(dx, np.repeat(count[None, ..., None] * 3, 2, -1))
    np.testing.assert_array_equal(dw[..., 0, 0], [[9, 12, 9], [12, 16, 12], [9, 12, 9]])
    np.testing.assert_array_equal(tf.nn.depthwise_conv2d_backprop_filter(x, w.shape, y - y + 1, [1] * 4, "SAME"), dw)


# ---------------------------------------------------------------- blocks and threads


@pytest.mark.parametrize("sizes", [(3, 4, 5), (1, 1, 20), (7,), (2, 9), (0, 4), (4, 0), (1, 64, 3)], ids=str)
@pytest.mark.parametrize("most", [1, 8, 30, 1000])
def test_parts_cover_an_array_once_and_lie_in_one_piece(sizes: tuple[int, ...], most: int) -> None:
    array = np.zeros(sizes, int)
    for part in parts_of(sizes, 2, most):
        array[part] += 1
        assert array[part].flags.c_contiguous
        assert array[part].ndim == len(sizes)
        assert array[part].size * 2 <= max(most, 2)
    np.testing.assert_array_equal(array, 1)


def test_blas_gets_its_threads_back_from_the_last_user() -> None:
    libraries = blas._libraries()
    assert libraries, "NumPy's BLAS is not among the libraries that threadpoolctl knows"
    before = [library.num_threads for library in libraries]
    for library in libraries:
        library.set_num_threads(2)
    try:
        first, second = blas.one_thread(), blas.one_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert {library.num_threads for library in libraries} == {1}
        second.__exit__(None, None, None)
        assert {library.num_threads for library in libraries} == {2}
        with pytest.raises(KeyError), blas.one_thread():
            raise KeyError
        assert {library.num_threads for library in libraries} == {2}
    finally:
        for library, threads in zip(libraries, before, strict=True):
            library.set_num_threads(threads)

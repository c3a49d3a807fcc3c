"""Pools and their gradients are what their windows define, whatever their strides, margins and blocks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from inlay._src.base.interpreter import thread_settings
from inlay._src.base.interpreter.scratch import _free as retained
from inlay._src.base.interpreter.scratch import scratch
from inlay._src.base.tuning import TUNING
from inlay._src.ops import mean_pooling, pooling
from inlay._src.ops.windows import pool_windows

PADDINGS = ["SAME", "VALID", ((0, 1), (1, 0))]


@pytest.fixture(params=["small", "blocks", "threads"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A pool at once; in blocks; in blocks on two threads."""
    if request.param != "small":
        monkeypatch.setattr(TUNING, "windows_block_bytes", 40)
    if request.param == "threads":
        monkeypatch.setattr(TUNING, "thread_wakeup_ns", -1e9)
        monkeypatch.setattr(TUNING, "thread_trials", 0)
        thread_settings.set_intra_op_parallelism_threads(2)
    yield
    thread_settings.set_intra_op_parallelism_threads(0)


def windows_of(x: np.ndarray, *how: Any) -> Iterator[tuple[tuple[int, ...], list[tuple[int, ...]]]]:
    """Each place with the pixels that its window sees inside the images, the first ones first."""
    pool = pool_windows(x.shape, *how)
    for place in np.ndindex(*pool.outs):
        pixels = []
        for point in np.ndindex(*pool.window):
            parts = zip(place, pool.strides, point, pool.pads, strict=True)
            at = tuple(a * step + p - before for a, step, p, (before, _) in parts)
            if all(0 <= a < size for a, size in zip(at, x.shape[1:-1], strict=True)):
                pixels.append(at)
        yield place, pixels


CASES = [
    (image, window, steps, padding)
    for image, window, steps in (
        ((3, 7, 8, 2), (2, 2), (2, 2)),
        ((3, 7, 8, 5), (3, 3), (2, 2)),
        ((2, 9, 6, 3), (3, 2), (1, 1)),
        ((2, 9, 8, 3), (2, 3), (3, 1)),
        ((1, 5, 5, 4), (1, 1), (1, 2)),
        ((2, 4, 5, 6, 3), (2, 3, 2), (2, 1, 1)),
    )
    for padding in (PADDINGS if len(image) == 4 and min(window) > 1 else PADDINGS[:2])
]


@pytest.mark.parametrize(("image", "window", "steps", "padding"), CASES, ids=str)
def test_pools_and_their_gradients(image: Any, window: Any, steps: Any, padding: Any, way: None) -> None:
    rand = np.random.default_rng(3)
    x = rand.integers(0, 5, image).astype(np.float32)
    how = (1, *window, 1), (1, *steps, 1), padding, "NHWC" if len(image) == 4 else "NDHWC"
    places = list(windows_of(x, *how))
    shape = (len(x), *pool_windows(x.shape, *how).outs, x.shape[-1])
    greatest, mean, dy = np.zeros(shape, np.float32), np.zeros(shape, np.float32), rand.integers(1, 9, shape)
    to_first, to_all = np.zeros(image), np.zeros(image)
    for place, pixels in places:
        seen = np.stack([x[(slice(None), *at)] for at in pixels], 1)
        greatest[(slice(None), *place)], mean[(slice(None), *place)] = seen.max(1), seen.mean(1)
        first = seen.argmax(1)
        for k, at in enumerate(pixels):
            grads = dy[(slice(None), *place)]
            to_first[(slice(None), *at)] += grads * (first == k)
            to_all[(slice(None), *at)] += grads / len(pixels)
    grads = dy.astype(np.float32)
    np.testing.assert_array_equal(pooling._greatest(np, x, *how), greatest)
    np.testing.assert_allclose(mean_pooling._mean(np, x, *how), mean, rtol=1e-6)
    np.testing.assert_array_equal(pooling._to_first_greatest(x, grads, *how), to_first)
    np.testing.assert_allclose(mean_pooling._mean_grad(np, image, grads, *how), to_all, rtol=1e-5, atol=1e-6)
    for dtype in (np.float16, np.float64):
        assert pooling._to_first_greatest(x.astype(dtype), grads.astype(dtype), *how).dtype == dtype


@pytest.mark.parametrize("step", [2, 3])
def test_a_window_without_a_greatest_number_is_left_to_the_general_way(step: int) -> None:
    how = (1, 3, 3, 1), (1, step, step, 1), "SAME", "NHWC"
    x = np.zeros((1, 9, 9, 2), np.float32)
    dy = np.full((1, -(-9 // step), -(-9 // step), 2), np.inf, np.float32)
    assert not np.isnan(pooling._to_first_greatest(x, dy, *how)).any()  # nothing is multiplied by infinity
    x[0, 4, 4, 1] = np.nan
    assert pooling._to_first_greatest(x, dy, *how) is None


def test_a_window_of_many_points_is_left_to_the_general_way() -> None:
    x = np.zeros((1, 40, 40, 1), np.float32)
    how = (1, 17, 17, 1), (1, 2, 2, 1), "VALID", "NHWC"
    assert pooling._to_first_greatest(x, np.ones((1, 12, 12, 1), np.float32), *how) is None


def test_scratch_is_reused_and_belongs_to_one_user(monkeypatch: pytest.MonkeyPatch) -> None:
    with scratch("test", ((3, 5), np.float64), ((7,), bool), ((0,), np.int8)) as (a, b, c):
        assert (a.shape, a.dtype, b.shape, b.dtype, c.size) == ((3, 5), np.float64, (7,), bool, 0)
        a[...], b[...] = 1.5, True
        assert (a == 1.5).all()
        with scratch("test", ((30,), np.uint8)) as (other,):
            assert not np.shares_memory(a, other)
            inner = other.ctypes.data
        outer = a.ctypes.data
    with scratch("test", ((2,), np.uint8)) as (again,):
        assert again.ctypes.data in (inner, outer)
    monkeypatch.setattr(TUNING, "scratch_bytes", 10)
    with scratch("large", ((30,), np.uint8)):
        pass
    assert not retained["large"]

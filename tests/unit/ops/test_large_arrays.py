"""The ways that large arrays take give what the plain ones give, bit for bit where numbers meet in the same order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import inlay as tf
from inlay._src.base.interpreter import ownership, thread_settings
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes
from inlay._src.core.opdef import OPS
from inlay._src.ops import (
    accumulation,
    activations,
    covering,
    draws,
    philox,
    pooling,
    resize,
    resize_sparse,
    selection,
    sorting,
)  # fmt: skip

REALS = [np.float32, np.float64, np.float16, ml_dtypes.bfloat16, np.int32, np.int8, np.uint64]


@pytest.fixture(params=[1, 2], ids=["one thread", "two threads"])
def cores(request: pytest.FixtureRequest) -> Iterator[int]:
    thread_settings.set_intra_op_parallelism_threads(request.param)
    yield request.param
    thread_settings.set_intra_op_parallelism_threads(0)


@pytest.fixture
def rand() -> np.random.Generator:
    return np.random.default_rng(11)


def same(made: Any, expected: Any) -> None:
    made, expected = np.asarray(made), np.asarray(expected)
    assert (made.dtype, made.shape) == (expected.dtype, expected.shape)
    assert made.tobytes() == expected.tobytes()


# ---------------------------------------------------------------- random numbers

KEYS = np.uint64(2**63 + 12345), np.uint64(2**64 - 9)


@pytest.mark.parametrize("start", [3, 2**32 - 7, 2**64 - 4000])
@pytest.mark.parametrize("kind", ["uniform", "normal", "words"])
def test_chunks_of_random_blocks_are_what_the_definition_makes(kind: str, start: int, cores: int) -> None:
    count = 2 * TUNING.random_chunk_blocks + 5
    with np.errstate(over="ignore"):
        positions = np.arange(count, dtype=np.uint64) + np.uint64(start)
    words = philox._words(np, *KEYS, positions)
    for dtype in (dtypes.uint32, dtypes.uint64) if kind == "words" else (dtypes.float32, dtypes.float64):
        numbers = philox._MADE[kind](np, dtype, words).T.reshape(-1)[:-1]
        same(philox.fill(np, kind, dtype, *KEYS, np.uint64(start), numbers.shape), numbers.astype(dtype.np))


@pytest.mark.parametrize("dtype", [dtypes.float16, dtypes.float32, dtypes.float64])
def test_truncated_numbers_are_the_first_inside_of_each_group(dtype: Any, cores: int) -> None:
    expected = philox._truncated(np, dtype, *KEYS, np.uint64(2**32 - 500), 4001).astype(dtype.np)
    made = philox.fill(np, "truncated", dtype, *KEYS, np.uint64(2**32 - 500), (4001,))
    same(made, expected)
    assert (np.abs(made) <= 2).all()


@pytest.mark.parametrize(
    "row", [("f4",), ("f8",), ("c16",), ("i2",), ("?", 4), ("u1", 3), ("f4", 5), ("f4", 0), ("O",)]
)
def test_rows_swapped_by_lapack_are_those_of_the_loop(
    row: tuple[Any, ...], rand: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("scipy")
    for count in (2, 3, 700):
        targets = np.array([rand.integers(i, count) for i in range(count - 1)], np.uint32)
        value = rand.integers(0, 256, (2 * count, *row[1:], 16), np.uint8)
        value = value.view(row[0])[::2, ..., 0] if row != ("O",) else value[::2, 0].astype(object)  # any bits
        monkeypatch.setattr(TUNING, "lapack_swaps", 10**9)
        one_by_one = draws.shuffled(value, targets)
        monkeypatch.setattr(TUNING, "lapack_swaps", 0)
        made = draws.shuffled(value, targets)
        same(made, one_by_one)
        same(draws.shuffled(value, targets.astype(np.int64)), one_by_one)
        assert not np.shares_memory(made, value)


# ---------------------------------------------------------------- choosing


@pytest.mark.parametrize("dtype", [*REALS, bool, np.complex64, np.complex128])
@pytest.mark.parametrize("shape", [(300, 170), (70, 70), (700, 700)], ids=["one block", "small", "blocks"])
def test_where_by_bits(dtype: Any, shape: tuple[int, int], rand: np.random.Generator) -> None:
    x, y = ((rand.standard_normal(shape) * 50).astype(dtype) for _ in range(2))
    condition, zero = rand.random(shape) > 0.5, np.zeros((), dtype)
    for pair in (
        (x, y),
        (x, zero),
        (zero, y),
        (np.ones((1, 1), dtype), y),
        (x.T.copy().T, y),
        (x[:1], y),
        (zero, zero),
    ):
        same(selection.selected(np, condition, *pair), np.where(condition, *pair))
    assert selection.selected(np, np.array(True), x, y).shape == shape


SHAPES = {
    "rows": ((60, 1), (60, 700), (60, 700)),
    "columns": ((700,), (60, 700), (60, 700)),
    "a branch of one row": ((60, 700), (700,), (60, 700)),
    "branches of one column": ((60, 700), (60, 1), (60, 1)),
    "outer": ((300, 1), (1, 400), ()),
    "narrow": ((9000, 3), (3,), (9000, 1)),
    "narrow rows": ((9000, 1), (9000, 3), (3,)),
    "few long rows": ((2, 70_000), (2, 1), (70_000,)),
    "more axes": ((300, 40), (5, 1, 40), (5, 300, 1)),
    "axes of one": ((30_000,), (1, 30_000), (1, 1)),
    "small": ((6, 7), (7,), (6, 1)),
    "nothing": ((0, 7), (7,), (1, 7)),
}


@pytest.mark.parametrize("shapes", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.int8, np.complex64])
def test_where_by_bits_of_what_is_broadcast(shapes: Any, dtype: Any, cores: int, rand: np.random.Generator) -> None:
    condition, x, y = (rand.standard_normal(shape) * 50 for shape in shapes)
    given = condition > 0, np.asarray(x, dtype), np.asarray(y, dtype)
    same(selection.selected(np, *given), np.where(*given))
    turned = [part.T.copy().T for part in given]
    same(selection.selected(np, *turned), np.where(*turned))


def test_where_words_its_errors_alike_for_all_sizes() -> None:
    words = set()
    for size in (5, 50_000):
        with pytest.raises(ValueError) as failed:
            selection.selected(np, np.zeros(size, bool), np.zeros(size + 1), np.zeros(size))
        words.add(str(failed.value).replace("50000", "5").replace("50001", "6"))
    assert len(words) == 1


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("special", [None, np.nan, -np.inf])
def test_the_greatest_of_rows_are_those_of_a_stable_sort(
    dtype: Any, special: float | None, rand: np.random.Generator
) -> None:
    x = rand.integers(0, 60, (20, 700)).astype(dtype)
    if special is not None:
        if np.dtype(dtype).kind in "iu":
            return
        x[:, rand.random(700) < 0.97] = special
    wide = x.astype(np.float64 if np.dtype(dtype).kind not in "iu" else dtype)
    order = 699 - np.argsort(wide[:, ::-1], axis=1, kind="stable")[:, ::-1]
    for count in (1, 5, 32, 33, 160, 700):
        assert np.array_equal(selection.greatest_places(x, count), order[:, :count])


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("descending", [False, True])
def test_sorted_numbers_keep_the_order_of_equal_ones(dtype: Any, descending: bool, rand: np.random.Generator) -> None:
    x = rand.integers(-3, 4, (30, 40, 5)).astype(dtype)
    if np.dtype(dtype).kind not in "iu":
        x *= np.where(rand.random(x.shape) < 0.5, -1, 1).astype(dtype)
        x[3, ::4], x[4, ::3] = np.nan, np.inf
    for axis in (0, 1, -1):
        order = sorting._order(np, x, axis % 3, descending)
        same(sorting._sort(tf.constant(x), axis=axis, descending=descending), np.take_along_axis(x, order, axis))


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint64, np.uint8, np.float32, object])
def test_unique_elements_come_in_order_of_first_sight(dtype: Any, rand: np.random.Generator) -> None:
    numbers = rand.integers(0, 200, 900).astype(np.uint64)
    x = np.array([str(n).encode() for n in numbers], object) if dtype is object else numbers.astype(dtype)
    far = x * dtype(20) if dtype in (np.int32, np.int64) else x  # a table, but a large one
    for given in (x, x[:0], x[:1], far, x * dtype(2**23) if dtype in (np.int32, np.int64, np.float32) else x):
        seen: dict[Any, int] = {}
        expected = [seen.setdefault(value, len(seen)) for value in given.tolist()]
        distinct, index = sorting._first_seen(given)
        assert (distinct.tolist(), index.tolist()) == (list(seen), expected)
        assert distinct.dtype == given.dtype


def test_unique_integers_at_both_ends_of_their_type() -> None:
    for dtype in (np.int64, np.uint64):
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        distinct, index = sorting._first_seen(np.array([high, low, high, high - 1], dtype))
        assert (distinct.tolist(), index.tolist()) == ([high, low, high - 1], [0, 1, 0, 2])
        assert sorting._first_seen(np.array([high, high - 3, high], dtype))[1].tolist() == [0, 1, 0]


def test_characters_are_counted_up_to_the_end_of_each_string() -> None:
    texts = [["é".encode(), b"", "日本x".encode()], [b"\x80\x80a", b"abc", b""]]
    assert tf.strings.length(texts).numpy().tolist() == [[2, 0, 7], [3, 3, 0]]
    assert tf.strings.length(texts, unit="UTF8_CHAR").numpy().tolist() == [[1, 0, 3], [1, 3, 0]]
    assert tf.strings.length("日", unit="UTF8_CHAR").numpy() == 1


# ---------------------------------------------------------------- rows combined


@pytest.mark.parametrize("dtype", [*REALS, np.complex64])
@pytest.mark.parametrize("tail", [(), (1,), (3, 2), (0,)])
def test_rows_are_combined_in_their_order(dtype: Any, tail: tuple[int, ...], rand: np.random.Generator) -> None:
    for count, size in ((700, 40), (700, 3000), (5, 9)):
        values = rand.integers(0, 9, (count, *tail)).astype(dtype)  # whole numbers: sums are exact
        rows = rand.integers(0, size, count)
        for ufunc in (np.add, np.maximum):
            if ufunc is np.maximum and np.dtype(dtype).kind == "c":
                continue
            expected, made = (np.ones((size, *tail), dtype) for _ in range(2))
            ufunc.at(expected, rows, values)
            accumulation.combine_at(ufunc, made, rows, values)
            same(made, expected)
            expected, made = (np.ones((size, *tail), dtype) for _ in range(2))
            ufunc.at(expected, np.sort(rows), values)
            accumulation.combine_sorted(ufunc, made, np.sort(rows), values)
            same(made, expected)


@pytest.mark.parametrize("low", [0, -3])
def test_values_are_added_at_points(low: int, rand: np.random.Generator) -> None:
    where = rand.integers(low, 50, (300, 1)), rand.integers(0, 7, (1, 4))
    values = rand.standard_normal((300, 4, 3)).astype(np.float32)
    expected, made = (np.zeros((50, 7, 3), np.float32) for _ in range(2))
    np.add.at(expected, where, values)
    accumulation.combine_points(np.add, made, where, values)
    same(made, expected)
    with pytest.raises(IndexError):
        accumulation.combine_points(np.add, made, (where[0] + 50, where[1]), values)


# ---------------------------------------------------------------- images


def test_boxes_are_kept_as_one_by_one(rand: np.random.Generator) -> None:
    corners = np.round(rand.random((400, 2)) * 100)
    boxes = np.concatenate([corners, corners + rand.integers(-20, 20, (400, 2))], 1).astype(np.float32)
    kept: list[int] = []
    for i in range(400):
        y, x = (sorted(boxes[i, k::2]) for k in (0, 1))
        for j in kept:
            v, u = (sorted(boxes[j, k::2]) for k in (0, 1))
            both = max(min(y[1], v[1]) - max(y[0], v[0]), 0) * max(min(x[1], u[1]) - max(x[0], u[0]), 0)
            union = (y[1] - y[0]) * (x[1] - x[0]) + (v[1] - v[0]) * (u[1] - u[0]) - both
            if union > 0 and np.float32(both) / np.float32(union) > np.float32(0.3):
                break
        else:
            kept.append(i)
    assert len(kept) > TUNING.compared_boxes
    overlaps, order = covering.shares(boxes), np.arange(400)
    assert covering.uncovered(order, overlaps, np.float32(0.3), 400) == kept
    assert covering.uncovered(order, overlaps, np.float32(0.3), 7) == kept[:7]
    assert covering.uncovered(order, overlaps, np.float32(0.3), 0) == []


@pytest.mark.parametrize("window, step", [(2, 2), (3, 2), (3, 1), (2, 3)])
@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
def test_gradients_of_the_greatest_go_to_the_first_of_equals(
    window: int, step: int, layout: str, rand: np.random.Generator, cores: int
) -> None:
    x = rand.integers(0, 4, (5, 40, 40, 6) if layout == "NHWC" else (5, 6, 40, 40)).astype(np.float32)
    sides = lambda n: (1, n, n, 1) if layout == "NHWC" else (1, 1, n, n)  # noqa: E731
    how = sides(window), sides(step), "SAME", layout
    dy = rand.integers(1, 9, np.shape(pooling._greatest(np, x, *how))).astype(np.float32)
    expected = np.zeros(x.size, np.float32)
    np.add.at(expected, pooling._max_places(np, x, *how).reshape(-1), dy.reshape(-1))
    same(pooling._to_first_greatest(x, dy, *how), expected.reshape(x.shape))
    dy[0, 2, 2, 2] = np.inf  # nothing is multiplied by it
    assert not np.isnan(pooling._to_first_greatest(x, dy, *how)).any()
    x[0, 3, 3, 3] = np.nan
    assert pooling._to_first_greatest(x, dy, *how) is None


@pytest.mark.parametrize("sparse", [False, True], ids=["numpy", "sparse"])
@pytest.mark.parametrize("method", ["bilinear", "bicubic", "lanczos3", "area"])
def test_images_are_resampled_by_rows(
    method: str, sparse: bool, rand: np.random.Generator, monkeypatch: pytest.MonkeyPatch, cores: int
) -> None:
    kernel = OPS["Resize"].kernel
    monkeypatch.setattr(resize, "is_possible", resize_sparse.is_possible if sparse else lambda dtype: False)
    monkeypatch.setattr(TUNING, "resize_block_numbers", 6000)
    monkeypatch.setattr(TUNING, "resize_matrix_reads", 1500)
    resize_sparse.RESAMPLINGS.clear()
    for channels, dtype in ((1, np.float32), (3, np.float32), (20, np.float64), (3, np.float16), (3, np.uint8)):
        images = (100 * rand.standard_normal((2, 60, 70, channels))).astype(dtype)
        for size in ([41, 33], [60, 99]):
            monkeypatch.setattr(TUNING, "blocked_elements", 10**9)
            whole = kernel(np, images, np.array(size), method=method)
            monkeypatch.setattr(TUNING, "blocked_elements", 0)
            same(kernel(np, images, np.array(size), method=method), whole)
    assert bool(resize_sparse.RESAMPLINGS) is sparse
    resize_sparse.RESAMPLINGS.clear()


@pytest.mark.parametrize("channels", [1, 3, 20])
def test_resized_images_give_back_by_sparse_matrices_what_they_took(
    channels: int, rand: np.random.Generator, monkeypatch: pytest.MonkeyPatch, cores: int
) -> None:
    pytest.importorskip("scipy")
    monkeypatch.setattr(TUNING, "resize_block_numbers", 6000)
    monkeypatch.setattr(TUNING, "resize_matrix_reads", 1500)
    dy, shape = rand.standard_normal((2, 41, 33, channels)), np.array([2, 60, 70, channels])
    made = []
    for large in (10**9, 0):
        monkeypatch.setattr(TUNING, "blocked_elements", large)
        made.append(OPS["ResizeGrad"].kernel(np, shape, dy, method="bicubic"))
    assert resize_sparse.RESAMPLINGS
    resize_sparse.RESAMPLINGS.clear()
    np.testing.assert_allclose(made[1], made[0], rtol=1e-12, atol=1e-12)


# ---------------------------------------------------------------- softmax, powers, copies


@pytest.mark.parametrize("kernel", [activations._softmax, activations.log_softmax_op], ids=["softmax", "log_softmax"])
def test_softmax_by_parts(
    kernel: Callable[..., Any], rand: np.random.Generator, monkeypatch: pytest.MonkeyPatch, cores: int
) -> None:
    monkeypatch.setattr(TUNING, "cached_bytes", 0)
    monkeypatch.setattr(TUNING, "block_elements", 1 << 12)
    shapes = ((700, 300), 1), ((700, 300), 0), ((3, 20, 4, 900), 2), ((2, 150_000), -1), ((2, 50, 600), 1)
    for shape, axis in shapes:
        for dtype, order in ((np.float32, "C"), (np.float16, "C"), (np.float64, "F")):
            x = np.asarray(rand.standard_normal(shape), dtype, order)
            given = x.copy()
            monkeypatch.setattr(TUNING, "blocked_elements", 10**9)
            whole = kernel(tf.constant(x), axis=axis).numpy()
            monkeypatch.setattr(TUNING, "blocked_elements", 0)
            same(kernel(tf.constant(x), axis=axis).numpy(), whole)
            same(x, given)


@pytest.mark.parametrize("kernel", [activations._softmax, activations.log_softmax_op], ids=["softmax", "log_softmax"])
def test_softmax_of_short_rows(kernel: Callable[..., Any], rand: np.random.Generator, cores: int) -> None:
    x = rand.standard_normal((5, 4000, 9))
    for dtype, places in ((np.float64, 13), (np.float32, 5), (np.float16, 2)):
        made = kernel(tf.constant(x.astype(dtype))).numpy()
        rows = [kernel(tf.constant(row)).numpy() for row in x.astype(dtype)[:, :40]]
        np.testing.assert_allclose(made[:, :40], rows, rtol=10.0**-places)
        assert made.dtype == dtype


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_activations_without_branches(dtype: Any, rand: np.random.Generator) -> None:
    few = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-30, -1e-30, 80.0, -80.0, 500.0, -500.0]
    x = np.concatenate([rand.standard_normal(5000) * 20, few]).astype(dtype)
    scale, alpha = 1.0507009873554805, 1.6732632423543772
    with np.errstate(all="ignore"):
        wide = x.astype(np.longdouble)
        low = np.expm1(np.minimum(wide, 0))
        expected = {
            tf.nn.softplus: np.logaddexp(wide, 0),
            tf.nn.elu: np.where(wide > 0, wide, low),
            tf.nn.selu: np.where(wide > 0, scale * wide, scale * alpha * low),
            tf.nn.leaky_relu: np.where(wide > 0, wide, np.float32(0.2) * wide),
        }
        for function, values in expected.items():
            made = function(tf.constant(x)).numpy()
            limits = {"rtol": 4 * np.finfo(dtype).eps, "atol": np.finfo(dtype).smallest_normal}
            np.testing.assert_allclose(made, values.astype(dtype), **limits)
            np.testing.assert_allclose(made[:9], function(tf.constant(x[:9])), **limits)


@pytest.mark.parametrize("exponent", [2.0, 3.0, 4.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_powers_by_multiplication(exponent: float, dtype: Any, rand: np.random.Generator) -> None:
    x = np.concatenate([rand.standard_normal(500) * 10.0 ** rand.integers(-30, 12, 500), [0.0, -0.0, np.inf, -np.inf]])
    x = x.astype(dtype)
    with np.errstate(all="ignore"):
        expected = np.power(x, dtype(exponent))
        made = (tf.constant(x) ** exponent).numpy()
    np.testing.assert_allclose(
        made, expected, rtol=4 * np.finfo(dtype).eps, atol=4 * np.finfo(dtype).smallest_subnormal
    )
    assert np.array_equal(np.signbit(made), np.signbit(expected))
    assert np.isnan((tf.constant(np.nan, dtype) ** exponent).numpy())


def test_copies_in_another_order(rand: np.random.Generator, cores: int) -> None:
    for shape in ((300, 400, 3), (500_000,), (1, 1, 300_000), (64, 3, 50, 40), (260, 270, 4), (512, 512), (1100, 2048)):
        x = rand.integers(0, 255, shape).astype(np.float32)
        for view in (np.flip(x), x.T, x[..., ::-1], x[::2], np.flip(x, 0), np.flip(x, x.ndim // 2), x):
            made = ownership.copied(view)
            same(made, view)
            assert made.base is None and made.flags.c_contiguous and not np.shares_memory(made, x)


def test_lengths_of_strings_short_and_long() -> None:
    sizes = [0, 1, 255, 256, 70_000]
    texts = [b"\xc3\xa4" * (n // 2) + b"x" * (n % 2) for n in sizes]
    assert tf.strings.length(texts).numpy().tolist() == sizes
    assert tf.strings.length(texts[:3], unit="UTF8_CHAR").numpy().tolist() == [0, 1, 128]
    assert tf.strings.length(texts[3:], unit="UTF8_CHAR").numpy().tolist() == [128, 35_000]


def test_a_filter_of_nothing_is_refused_in_words() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="filter must not have zero elements"):
        tf.nn.conv2d(tf.zeros([2, 5, 5, 0]), tf.zeros([3, 3, 0, 4]), 1, "SAME")
    with (
        pytest.raises(ValueError, match=r"filter must not have zero elements.*got \[3, 3, 2, 0\]"),
        tf.Graph().as_default(),
    ):
        tf.nn.conv2d(tf.zeros([2, 5, 5, 2]), tf.zeros([3, 3, 2, 0]), 1, "SAME")


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_rows_are_added_by_a_sparse_matrix_in_their_order(
    dtype: Any, rand: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("scipy")
    values = (rand.standard_normal((300, 3, 4)) * 1000).astype(dtype)
    values[5, 1, 2] = 0
    rows = rand.integers(-1, 40, 300)
    if np.dtype(dtype).kind == "f":
        values[7], values[8, 0] = -0.0, np.inf
    made = []
    for least in (10**9, 0):
        monkeypatch.setattr(TUNING, "added_elements", least)
        made += [tf.math.unsorted_segment_sum(v, i, 50) for v, i in ((values, rows), (values[::2], rows[::2]))]
    same(made[2], made[0])
    same(made[3], made[1])
    assert tf.math.unsorted_segment_sum(values[:0], rows[:0], 3).shape == [3, 3, 4]

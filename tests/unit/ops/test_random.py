"""Seeds and sequences: what repeats, what goes on, what differs. The numbers themselves are in tests/golden."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.tuning import TUNING
from inlay._src.ops import philox


def program() -> list[list[np.ndarray]]:
    """Two runs in each of two fresh sessions of a graph with seeds."""
    out = []
    with tf.Graph().as_default():
        tf.random.set_seed(5)
        fetches = [tf.random.uniform([4]), tf.random.normal([4], seed=1), tf.random.shuffle(tf.range(9))]
        for _ in range(2):
            with tf.compat.v1.Session() as session:
                out += [session.run(fetches), session.run(fetches)]
    return out


def same(a: list[np.ndarray], b: list[np.ndarray]) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def test_fresh_sessions_repeat_and_runs_go_on() -> None:
    first, second, again, then = program()
    assert same(first, again) and same(second, then) and not same(first, second)
    assert same(first, program()[0])


def test_two_draws_are_two_draws_even_when_alike() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        a, b = tf.random.uniform([8]), tf.random.uniform([8])
        x, y, z = session.run([a, b, a + 0.0])
    assert not np.array_equal(x, y)
    np.testing.assert_array_equal(x, z)


def test_a_draw_keeps_its_place_whatever_else_is_fetched() -> None:
    with tf.Graph().as_default():
        a, b = tf.random.uniform([2], seed=1), tf.random.uniform([2], seed=2)
        with tf.compat.v1.Session() as one:
            apart = [one.run(a), one.run([b, a])[1], one.run(a)]
        with tf.compat.v1.Session() as two:
            alone = [two.run(a) for _ in range(3)]
    assert same(apart, alone)


def test_without_seeds_programs_differ() -> None:
    tf.random.set_seed(1)
    draws = []
    for _ in range(2):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            draws.append(session.run(tf.random.uniform([8])))
    assert not np.array_equal(*draws)


def test_eager_draws_repeat_after_set_seed() -> None:
    def draws() -> list[np.ndarray]:
        tf.random.set_seed(3)
        return [
            tf.random.uniform([3]).numpy(),
            tf.random.normal([3], seed=4).numpy(),
            tf.random.normal([3], seed=4).numpy(),
        ]

    first = draws()
    assert same(first, draws()) and not np.array_equal(first[1], first[2])


def test_a_function_goes_on_where_it_stopped() -> None:
    @tf.function
    def draw() -> tf.Tensor:
        return tf.random.uniform([4], seed=1)

    assert not np.array_equal(draw(), draw())


def test_draws_of_many_threads_never_overlap() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        a = tf.random.uniform([16], seed=1)
        with ThreadPoolExecutor(4) as pool:
            rows = list(pool.map(lambda _: session.run(a), range(64)))
    assert len({r.tobytes() for r in rows}) == 64


def test_moments_and_bounds() -> None:
    tf.random.set_seed(0)
    n = 200_000
    u = tf.random.uniform([n], -2.0, 3.0).numpy()
    assert u.min() >= -2 and u.max() < 3 and abs(u.mean() - 0.5) < 0.02
    z = tf.random.normal([n], 1.0, 2.0, tf.float64).numpy()
    assert abs(z.mean() - 1) < 0.02 and abs(z.std() - 2) < 0.02
    t = tf.random.truncated_normal([n], 1.0, 2.0).numpy()
    assert np.abs(t - 1).max() <= 4 and abs(t.std() - 2 * 0.8796) < 0.02
    k = tf.random.uniform([n], -3, 4, tf.int32).numpy()
    assert sorted(set(k.tolist())) == [-3, -2, -1, 0, 1, 2, 3]
    c = tf.random.categorical(np.log([[0.2, 0.0001, 0.8]]), n).numpy()
    assert abs((c == 2).mean() - 0.8) < 0.01
    assert sorted(tf.random.shuffle(tf.range(50)).numpy().tolist()) == list(range(50))


def test_gradients_reach_mean_and_deviation() -> None:
    scale = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(scale)
        total = tf.reduce_sum(tf.random.stateless_normal([5], [1, 2], stddev=scale))
    np.testing.assert_allclose(
        tape.gradient(total, scale), tf.reduce_sum(tf.random.stateless_normal([5], [1, 2])), rtol=1e-5
    )


def test_a_generator_goes_on_from_a_state() -> None:
    g = tf.random.Generator.from_seed(7)
    g.uniform([3])
    other = tf.random.Generator.from_state(g.state)
    np.testing.assert_array_equal(g.normal([5]), other.normal([5]))
    g.reset_from_seed(7)
    np.testing.assert_array_equal(g.uniform([3]), tf.random.Generator.from_seed(7).uniform([3]))


@pytest.mark.parametrize("name", ["minval", "maxval"])
def test_bounds_of_integers_are_scalars(name: str) -> None:
    bounds = {"minval": 0, "maxval": 100, "dtype": tf.int32, name: [[7, 8, 9]]}
    draws = (
        lambda: tf.random.uniform([2, 3], **bounds),
        lambda: tf.random.stateless_uniform([2, 3], [1, 2], **bounds),
        lambda: tf.random.Generator.from_seed(1).uniform([2, 3], **bounds),
    )
    for draw in draws:
        with pytest.raises(tf.errors.InvalidArgumentError, match=rf"{name} must be 0-D, got shape \[1,3\]"):
            draw()
    for draw in draws[:2]:
        with pytest.raises(ValueError, match=rf"{name} must be a scalar; got a tensor of shape \[1,3\] for"):
            tf.function(draw)()
    known_later = tf.function(
        lambda bound: tf.random.stateless_uniform([2, 3], [1, 2], **{**bounds, name: bound}),
        input_signature=[tf.TensorSpec(None, tf.int32)],
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match=rf"{name} must be 0-D, got shape \[1\]"):
        known_later([50])
    assert np.all(known_later(50) <= 100)


def test_refusals() -> None:
    with pytest.raises(ValueError, match="Must specify maxval for integer dtype"):
        tf.random.uniform([2], dtype=tf.int32)
    with pytest.raises(ValueError, match="normal numbers have a floating type"):
        tf.random.normal([2], dtype=tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="minval < maxval"):
        tf.random.uniform([2], 3, 3, tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"seed must be \[2\]"):
        tf.random.stateless_uniform([2], [1, 2, 3])
    with pytest.raises(tf.errors.InvalidArgumentError, match="must not be negative"):
        tf.random.uniform([-1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="logits should be a matrix"):
        tf.random.categorical([0.1, 0.2], 3)


@pytest.mark.parametrize("start", [0, 77, 2**32 - 3, 2**64 - 5])
def test_few_random_blocks_are_the_first_of_many(start: int) -> None:
    key, high = np.uint64(2**63 + 12345), np.uint64(2**64 - 1)
    with np.errstate(over="ignore"):
        positions = np.arange(TUNING.random_python_blocks + 8, dtype=np.uint64) + np.uint64(start)
    many = philox.blocks(np, key, high, positions)
    for count in (0, 1, 2, TUNING.random_python_blocks):
        few = philox.blocks(np, key, high, positions[:count])
        assert [w.dtype for w in few] == [np.dtype(np.uint64)] * 4
        assert [w.tolist() for w in few] == [w[:count].tolist() for w in many]


@pytest.mark.parametrize("retained", [0, 1 << 13])
def test_rounds_in_used_memory_are_those_of_the_formula(monkeypatch: pytest.MonkeyPatch, retained: int) -> None:
    monkeypatch.setattr(TUNING, "random_retained_blocks", retained)
    numbers = np.random.default_rng(3)
    for _ in range(40):
        key, high, start = (int(number) for number in numbers.integers(0, 2**64, 3, np.uint64))
        start = (0, start, 2**32 - 100, 2**64 - 100, start >> 32 << 32)[numbers.integers(5)]
        count = (129, 200, 300)[numbers.integers(3)]
        with np.errstate(over="ignore"):
            positions = np.arange(count, dtype=np.uint64) + np.uint64(start)
        words = philox.blocks(np, key, high, positions)
        np.testing.assert_array_equal(words, philox._words(np, np.uint64(key), np.uint64(high), positions))


def test_threads_share_no_memory_of_rounds() -> None:
    seeds = list(range(64))
    expected = [philox.fill(np, "uniform", tf.float32, seed, 1, 0, (2000,)) for seed in seeds]
    with ThreadPoolExecutor(8) as pool:
        results = pool.map(lambda seed: philox.fill(np, "uniform", tf.float32, seed, 1, 0, (2000,)), seeds * 4)
    assert same(list(results), expected * 4)


@pytest.mark.parametrize("start", [0, 2**32 - 2, 2**32 - 300, 2**64 - 3])
@pytest.mark.parametrize("kind", ["uniform", "normal", "truncated"])
def test_few_random_numbers_are_the_first_of_many(kind: str, start: int) -> None:
    for dtype in (tf.float32, tf.float64, tf.bfloat16):
        many = philox.fill(np, kind, dtype, 2**64 - 9, 2**63 + 5, start, (8 * TUNING.random_python_blocks,))
        for count in (1, 4, 5, 90, 4 * TUNING.random_python_blocks):
            few = philox.fill(np, kind, dtype, 2**64 - 9, 2**63 + 5, start, (count,))
            np.testing.assert_array_equal(few, many[:count])


@pytest.fixture
def no_seed() -> None:
    tf.random.set_seed(None)


@pytest.mark.usefixtures("no_seed")
def test_draws_that_no_seed_determines_never_repeat() -> None:
    drawn = [tf.random.uniform([count % 9]) for count in range(600)]
    assert all(x.shape == [count % 9] for count, x in enumerate(drawn))
    numbers = np.concatenate([x.numpy() for x in drawn])
    assert numbers.min() >= 0 and numbers.max() < 1 and 0.45 < numbers.mean() < 0.55
    blocks = [tuple(x.numpy().tolist()) for x in drawn if x.shape[0] == 8]
    assert len(set(blocks)) == len(blocks) > 60
    assert not any(np.shares_memory(x, y) for x, y in zip(drawn[1:], drawn, strict=False))


@pytest.mark.usefixtures("no_seed")
@pytest.mark.parametrize("dtype", [tf.float64, tf.float16, tf.int32])
def test_draws_of_different_kinds_come_from_different_numbers(dtype: tf.DType) -> None:
    draws = [tf.random.uniform([4], 0, 1 << 10, dtype) for _ in range(40)]
    assert {x.dtype for x in draws} == {dtype}
    assert len({tuple(x.numpy().tolist()) for x in draws}) == 40
    normal = tf.concat([tf.random.normal([2, 3], 5.0) for _ in range(100)], 0)
    assert normal.shape == [200, 3] and abs(normal.numpy().mean() - 5) < 0.3


@pytest.mark.usefixtures("no_seed")
@pytest.mark.filterwarnings("ignore:os.fork.. was called:RuntimeWarning", "ignore:.*multi-threaded:DeprecationWarning")
def test_a_forked_child_draws_numbers_of_its_own() -> None:
    tf.random.uniform([4])
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(writing, tf.random.uniform([4]).numpy().tobytes())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        theirs = pipe.read()
    os.waitpid(child, 0)
    assert len(theirs) == 16 and theirs != tf.random.uniform([4]).numpy().tobytes()


@pytest.mark.usefixtures("no_seed")
def test_threads_draw_different_numbers() -> None:
    def draw() -> tuple[float, ...]:
        return tuple(tf.random.uniform([8]).numpy().tolist())

    with ThreadPoolExecutor(4) as pool:
        drawn = [future.result() for future in [pool.submit(draw) for _ in range(200)]]
    assert len(set(drawn)) == 200


def test_a_generator_splits_into_those_of_the_seeds_that_it_would_make() -> None:
    parent = tf.random.Generator.from_seed(7)
    seeds = parent.make_seeds(2).numpy()
    children = tf.random.Generator.from_seed(7).split(2)
    assert [int(child.key) for child in children] == seeds[0].tolist()
    assert children[0].uniform([2]).numpy().tolist() != children[1].uniform([2]).numpy().tolist()
    with tf.Graph().as_default(), pytest.raises(ValueError, match="split before tracing"):
        parent.split()


def test_parameters_at_the_ends() -> None:
    """The numbers are TensorFlow's."""
    draws = tf.random.stateless_binomial([3], [1, 2], [5.0, 0.0, 5.0], [1.0, np.nan, np.nan], tf.float32)
    np.testing.assert_array_equal(draws, [5.0, 0.0, np.nan])
    np.testing.assert_array_equal(tf.random.poisson([2], np.inf), [np.inf, np.inf])


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_the_bounds_of_no_integers_do_not_matter(dtype: tf.DType) -> None:
    assert tf.random.uniform([2, 0], 0, 0, dtype).shape == [2, 0]
    assert tf.random.stateless_uniform([2, 0], [1, 2], 0, 0, dtype).dtype == dtype
    with pytest.raises(tf.errors.InvalidArgumentError, match="Need minval < maxval"):
        tf.random.uniform([1], 0, 0, dtype)


@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64], ids=str)
def test_poisson_numbers_of_means_that_are_none(dtype: tf.DType) -> None:
    """Recorded from TensorFlow, which does not come to an end for NaN."""
    drawn = tf.random.poisson([1], [np.inf, -np.inf, -1.0, np.nan], dtype).numpy()
    np.testing.assert_array_equal(drawn, [[np.inf, 0, 0, np.nan]])


@pytest.mark.parametrize(("mean", "dtype"), [(1e6, tf.float16), (1e10, tf.int32), (1e30, tf.int64)], ids=str)
def test_poisson_numbers_that_their_type_cannot_hold_are_refused(mean: float, dtype: tf.DType) -> None:
    """TensorFlow makes attempts for ever; NumPy says "lam value too large"."""
    for draw in (
        lambda: tf.random.poisson([2], [mean], dtype),
        lambda: tf.random.stateless_poisson([1], [1, 2], [mean], dtype),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match="greater than .*, the largest of their type"):
            draw()


def test_poisson_numbers_about_the_largest_of_their_type_are_drawn() -> None:
    for mean in (2147483647.0, 2147500000.0):
        drawn = tf.random.poisson([100], tf.constant(mean, tf.float64), tf.int32).numpy()
        assert 2147483647 - 10 * 46341 < drawn.min() and drawn.max() <= 2147483647

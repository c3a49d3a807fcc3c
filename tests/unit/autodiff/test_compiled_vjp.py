"""Written pullbacks agree with accumulation, and step aside where a tape records."""

from __future__ import annotations

import contextvars
import gc
import random
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import inlay as tf
from inlay._src.base.interpreter.source import Source
from inlay._src.base.tuning import TUNING
from inlay._src.core import context
from inlay._src.core.eager.tape import Recording, Tape
from inlay._src.engine.autodiff import compiled_vjp
from inlay._src.engine.autodiff.backward import pull, pull_recorded

SHAPES: tuple[tuple[int, ...], ...] = ((), (3,), (2, 3), (1, 3), (2, 1))
NEVER = 10**9


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Every test begins without known structures, and leaves the setting as it was."""
    before = TUNING.vjp_sightings, TUNING.vjp_exact_sightings
    compiled_vjp._BY_STRUCTURE.clear()
    compiled_vjp._BY_SIZES.clear()
    yield
    TUNING.vjp_sightings, TUNING.vjp_exact_sightings = before
    compiled_vjp._BY_STRUCTURE.clear()
    compiled_vjp._BY_SIZES.clear()


@pytest.fixture(autouse=True)
def complaints(monkeypatch: pytest.MonkeyPatch) -> list[BaseException]:
    """What a written function raised: accumulation would hide it."""
    raised: list[BaseException] = []
    write = compiled_vjp.as_function

    def watched(*args: Any, **kwargs: Any) -> Callable[..., Any]:
        written = write(*args, **kwargs)

        def run(*given: Any) -> Any:
            try:
                return written(*given)
            except Exception as error:
                raised.append(error)
                raise

        return run

    monkeypatch.setattr(compiled_vjp, "as_function", watched)
    return raised


def functions() -> list[Any]:
    """What has been written so far."""
    return [known for known in compiled_vjp._BY_STRUCTURE.values() if isinstance(known, compiled_vjp._CompiledVjp)]


def exact() -> list[Any]:
    """What has been written so far for known sizes."""
    return [known for known in compiled_vjp._BY_SIZES.values() if callable(known)]


class Program:
    """A random eager program under a tape: leaves, some of them watched, ops on them, and what is asked of the tape."""

    def __init__(self, seed: int) -> None:
        self.choose = random.Random(seed)
        values = np.random.default_rng(seed)
        self.leaves = [tf.constant(values.standard_normal(s).astype(np.float32)) for s in SHAPES]
        self.variable = tf.Variable(values.standard_normal(3).astype(np.float32))
        self.watched = self.choose.sample(self.leaves, self.choose.randint(1, len(self.leaves)))
        self.tensors: list[Any] = [*self.leaves, self.variable, tf.constant(2.0)]
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(self.watched)
            for _ in range(self.choose.randint(1, 16)):
                self._grow()
        self.tape = tape
        made = self.tensors[len(SHAPES) + 2 :]
        self.targets = self.choose.choices(made, k=self.choose.randint(1, 3))
        self.sources = [*self.choose.sample(self.leaves, 3), self.variable, self.choose.choice(made)]
        self.seeds = [self._seed(t) for t in self.targets] if self.choose.random() < 0.5 else None

    def _grow(self) -> None:
        x, y = (self.choose.choice(self.tensors) for _ in range(2))
        if not self._broadcast(x, y):
            y = x
        made = self.choose.choice(
            [
                lambda: x + y, lambda: x * y, lambda: x - 2.0, lambda: 1 / (1.5 + tf.square(x)), lambda: tf.sin(x),
                lambda: x / (2 + y * y), lambda: tf.abs(x) ** 1.5, lambda: tf.maximum(x, y), lambda: tf.identity(x),
                lambda: tf.where(x > y, x, 1.0), lambda: tf.reduce_sum(x), lambda: tf.reshape(x, [-1]),
                lambda: tf.reduce_mean(x, axis=-1, keepdims=True) if x.shape.rank else -x,
                lambda: tf.stop_gradient(x) * y, lambda: tf.unstack(tf.stack([x, x * 2.0]), num=2)[1],
                lambda: tf.py_function(lambda a, b: a * b + a, [x, y], tf.float32),
                lambda: tf.cast(tf.cast(x, tf.float64), tf.float32), lambda: tf.reduce_max(x),
                lambda: tf.reduce_logsumexp(x), lambda: tf.nn.softmax(tf.reshape(x, [1, -1])),
                lambda: tf.reduce_prod(x), lambda: tf.reduce_mean(x),
            ]
        )()  # fmt: skip
        self.tensors.append(made)

    def _broadcast(self, x: Any, y: Any) -> bool:
        try:
            np.broadcast_shapes(tuple(x.shape), tuple(y.shape))
        except ValueError:
            return False
        return True

    def _seed(self, target: Any) -> Any:
        same = [t for t in self.tensors if t.shape == target.shape and t is not self.variable]
        return self.choose.choice([tf.ones_like(target) * 0.5, *same])

    def gradients(self) -> list[Any]:
        return list(self.tape.gradient(self.targets, self.sources, self.seeds))


def same(one: list[Any], two: list[Any]) -> bool:
    return all(
        b is None
        if a is None
        else b is not None and a.dtype is b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=True)
        for a, b in zip(one, two, strict=True)
    )


@given(st.integers(0, 2**32 - 1))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_written_gradient_is_that_of_accumulation(complaints: list[BaseException], seed: int) -> None:
    TUNING.vjp_sightings = NEVER
    walked = Program(seed).gradients()
    TUNING.vjp_sightings = 0
    assert same(Program(seed).gradients(), walked)
    TUNING.vjp_sightings = NEVER  # what is known stays in use
    assert same(Program(seed).gradients(), walked)
    TUNING.vjp_exact_sightings = 0
    assert same(Program(seed).gradients(), walked)
    TUNING.vjp_exact_sightings = NEVER
    assert same(Program(seed).gradients(), walked)
    assert not complaints and len(exact()) == len(functions())


def slope(f: Callable[[Any], Any], x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


def test_a_function_is_written_when_a_structure_comes_back_and_serves_every_size() -> None:
    for size in (1, 2, 3, 4, 1000):
        x = tf.constant(np.arange(size, dtype=np.float32))
        np.testing.assert_array_equal(slope(lambda x: x * x + 1.0, x), 2 * np.arange(size, dtype=np.float32))
    assert list(compiled_vjp._BY_STRUCTURE.values()) == functions() and len(functions()) == 1


def test_sizes_that_come_back_have_a_function_of_their_own_and_others_do_not_wait_for_one() -> None:
    TUNING.vjp_sightings, TUNING.vjp_exact_sightings = 0, 2

    def gradients(size: int, seed: Any = None) -> list[Any]:
        x = tf.constant(np.arange(1, size + 1, dtype=np.float32))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_mean(tf.reduce_sum(x) * x)
        return tape.gradient(y, x, seed).numpy().tolist()  # type: ignore[no-any-return]

    def wanted(size: int) -> list[float]:
        return [float(size + 1)] * size

    for _ in range(4):
        assert gradients(3) == wanted(3)
    assert len(exact()) == 1
    assert gradients(5) == wanted(5) and gradients(3) == wanted(3) and len(exact()) == 1
    for scale in (2.0, 3.0, 2.0, 3.0):  # a cotangent that is not the default one is no constant
        assert gradients(3, tf.constant(scale)) == [scale * v for v in wanted(3)]
    assert len(exact()) == 2


def test_a_target_that_nothing_flows_from_does_not_keep_the_others_from_a_function() -> None:
    TUNING.vjp_sightings = TUNING.vjp_exact_sightings = 0
    x = tf.constant([1.0, 2.0])
    for _ in range(3):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = [tf.reduce_sum(x * x), tf.cast(x, tf.int32)]
        assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0]
    assert exact()


def written_source(monkeypatch: pytest.MonkeyPatch, f: Callable[[Any], Any], x: Any) -> list[str]:
    """The lines of the function that is written for the gradient of `f`."""
    lines: list[list[str]] = []
    compiled = Source.code
    monkeypatch.setattr(Source, "code", lambda self, file: lines.append(self.lines) or compiled(self, file))
    f(x)
    lines.clear()
    TUNING.vjp_sightings = 0
    slope(f, x)
    (found,) = [text for text in lines if text[0] == "def run(R, L, S):"]
    return found


def test_the_source_of_a_scalar_gradient_is_its_operators(monkeypatch: pytest.MonkeyPatch) -> None:
    w = tf.constant(2.0)
    assert written_source(monkeypatch, lambda x: x * w + x, tf.constant(3.0)) == [
        "def run(R, L, S):",
        " v1 = R[0].inputs[1]._value",
        " v4 = S[0]._value",
        " U = silence(SILENT)",
        " try:",
        "  v5 = v4 * v1",
        "  v1 = None",
        "  v6 = v4 + v5",
        "  v4 = v5 = None",
        "  return (E(v6, float32), )",
        " finally: restore(U)",
    ]


def test_equal_calls_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = written_source(monkeypatch, lambda x: tf.sin(x) * tf.sin(x), tf.constant(3.0))
    assert sum("u_" in line for line in lines) == 1  # one cosine for both factors


def test_large_values_between_are_written_over_and_nothing_else_is(complaints: list[BaseException]) -> None:
    size = 1 << 15
    data = [np.random.default_rng(k).standard_normal(size).astype(np.float32) for k in range(3)]

    def gradient() -> tuple[list[Any], list[Any]]:
        x, w, seed = (tf.constant(d) for d in data)
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            y = tf.tanh(x * w + 1.0) / (2.0 + tf.square(w)) - tf.identity(x)
        return tape.gradient([y, x], [x, w], [seed, seed]), [x, w, seed]

    TUNING.vjp_sightings = NEVER
    walked, _ = gradient()
    TUNING.vjp_sightings = 0
    gradient()
    for _ in range(3):
        found, given = gradient()
        assert same(found, walked) and not complaints
        assert all(np.array_equal(t, d) for t, d in zip(given, data, strict=True))
        assert not any(np.shares_memory(g.numpy(), t.numpy()) for g in found for t in given)
    assert functions()


def test_rank_type_and_what_is_followed_are_part_of_a_structure() -> None:
    TUNING.vjp_sightings = 0
    x, w = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    assert slope(lambda x: x * w, x).numpy().tolist() == [3, 4]
    assert slope(lambda x: x * x, x).numpy().tolist() == [2, 4]
    assert slope(lambda x: w * x, x).numpy().tolist() == [3, 4]
    assert slope(lambda x: x * 3.0, tf.constant([[1.0]])).numpy().tolist() == [[3]]
    assert slope(lambda x: x * x, tf.constant([1.0], tf.float64)).dtype is tf.float64
    assert slope(lambda x: tf.reduce_sum(x, axis=0), x).numpy().tolist() == [1, 1]
    assert slope(lambda x: tf.reduce_sum(x, axis=0, keepdims=True), x).numpy().tolist() == [1, 1]
    assert len(functions()) == 7


def test_a_cotangent_that_is_one_of_the_tensors_is_told_from_another() -> None:
    TUNING.vjp_sightings = 0
    for seed in ("other", "x", "other"):
        x, other = tf.constant([2.0]), tf.constant([7.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        assert tape.gradient(y, x, {"x": x, "other": other}[seed]).numpy() == {"x": 8, "other": 28}[seed]


def test_where_another_tape_listens_the_gradient_is_heard() -> None:
    x = tf.constant([1.0, 2.0])
    for _ in range(5):
        slope(lambda x: x * x * x, x)
    assert functions()
    np.testing.assert_array_equal(slope(lambda x: slope(lambda x: x * x * x, x), x), [6, 12])
    third = slope(lambda x: slope(lambda x: slope(lambda x: x * x * x, x), x), x)
    np.testing.assert_array_equal(third, [6, 6])


def test_second_derivatives_in_a_session_walk_what_the_pull_did() -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [2])
        y = tf.py_function(lambda x: x * x * x, [x], tf.float32)
        (first,) = tf.gradients(y, x)
        (second,) = tf.gradients(first, x)
        (third,) = tf.gradients(second, x)
        with tf.compat.v1.Session() as session:
            for _ in range(5):
                got = session.run([y, first, second, third], {x: [1.0, 2.0]})
    assert [g.tolist() for g in got] == [[1, 8], [3, 12], [6, 12], [6, 6]]


def test_what_several_pulls_of_one_recording_record_has_one_structure() -> None:
    x, seed = tf.constant([1.0, 2.0]), tf.constant([1.0, 1.0])
    tape = Tape([x])
    with context.using(context.State(tapes=(tape,))):
        y = x * x * x
    execution = Recording("f", tape, (x,), (y,))
    for _ in range(TUNING.vjp_sightings + 1):
        _, pulled = pull_recorded(execution, [seed], [x], [x])
        (second,) = pull(pulled, [seed], [x])
        np.testing.assert_array_equal(second, [6, 12])
    assert len(functions()) == 1


def test_gradients_that_are_closures_are_called_every_time() -> None:
    TUNING.vjp_sightings = 0
    called: list[str] = []

    @tf.custom_gradient
    def twice(x: Any) -> Any:
        return x * 2.0, lambda dy: called.append("custom") or dy * 5.0

    def own(x: Any, y: Any, dy: Any) -> Any:
        called.append("own")
        return dy * 7.0

    x = tf.constant(1.0)
    for _ in range(3):
        assert slope(twice, x) == 5.0
        assert slope(lambda x: tf.py_function(lambda a: a * 2.0, [x], tf.float32, grad=own), x) == 7.0
    assert called == ["custom", "own"] * 3 and not functions()


def test_an_overridden_gradient_is_not_taken_for_the_ops_own() -> None:
    TUNING.vjp_sightings = 0
    tf.RegisterGradient("StraightTimesNine")(lambda op, dy: dy * 9.0)
    x = tf.constant(0.0)
    state = context.current()
    for _ in range(2):
        assert slope(tf.sin, x) == 1.0
        with context.using(state.replace(overrides=(("Sin", "StraightTimesNine"),))):
            assert slope(tf.sin, x) == 9.0


def test_an_error_is_worded_by_the_walk() -> None:
    x = tf.constant([1.0, 2.0])
    for sightings in (NEVER, 0):
        TUNING.vjp_sightings = sightings
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sin(x)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[3\] vs. \[2\] \(Mul of"):
            tape.gradient(y, x, tf.constant([1.0, 2.0, 3.0]))


def test_a_policy_and_a_source_that_is_not_followed_mean_the_same() -> None:
    TUNING.vjp_sightings = 0
    x, z = tf.constant([1.0]), tf.constant([2.0])
    for _ in range(2):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * z
        assert tape.gradient(y, z) is None
        assert tape.gradient(y, z, unconnected_gradients="zero").numpy() == [0]
        assert tape.gradient(y, [x, z])[0].numpy() == [2]
        with pytest.raises(ValueError, match="receives no gradient"):
            tape.gradient(y, z, unconnected_gradients="error")


def test_a_list_changed_after_the_call_changes_no_gradient() -> None:
    for sightings in (NEVER, 0, NEVER):
        TUNING.vjp_sightings = sightings
        x, order, axis = tf.constant(np.arange(6.0).reshape(2, 3)), [1, 0], np.array([0])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y, z = tf.transpose(x, order), tf.reduce_sum(x, axis)
        order.reverse()
        axis[0] = 1
        seed = tf.constant(np.arange(6.0).reshape(3, 2))
        np.testing.assert_array_equal(tape.gradient(y, x, seed), seed.numpy().T)
        np.testing.assert_array_equal(tape.gradient(z, x, tf.constant([1.0, 2.0, 3.0], tf.float64)), [[1, 2, 3]] * 2)


def test_variables_of_different_types_are_told_apart() -> None:
    TUNING.vjp_sightings = 0
    for kind in (tf.float32, tf.float64, tf.float32):
        v = tf.Variable([1.0, 2.0], dtype=kind)
        with tf.GradientTape() as tape:
            y = v * v + v
        grad = tape.gradient(y, v)
        assert grad.dtype is kind and grad.numpy().tolist() == [3, 5]


def test_a_variable_that_is_not_read_does_not_keep_the_others_from_it() -> None:
    TUNING.vjp_sightings = 0
    used, unused, fixed = tf.Variable([2.0]), tf.Variable([3.0]), tf.Variable([4.0], trainable=False)
    for _ in range(2):
        with tf.GradientTape(persistent=True) as tape:
            y = used * used * fixed
        assert tape.gradient(y, [used, unused])[0].numpy() == [16] and functions()
        assert tape.gradient(y, [unused, fixed]) == [None, None]


def test_structures_are_forgotten_and_keep_no_tensor() -> None:
    TUNING.vjp_sightings = 0
    x = tf.constant([1.0])
    alive = weakref.ref(x)
    slope(lambda x: x * 2.0, x)
    del x
    gc.collect()
    assert alive() is None and functions()
    for k in range(compiled_vjp._BY_STRUCTURE.most + 20):
        TUNING.vjp_sightings = NEVER
        slope(lambda x, k=k: tf.reshape(x, [1] * (k % 5 + 1)) * tf.roll(x, k, 0), tf.constant([1.0]))  # type: ignore[misc]
    assert len(compiled_vjp._BY_STRUCTURE) == compiled_vjp._BY_STRUCTURE.most


def test_a_long_recording_is_walked() -> None:
    TUNING.vjp_sightings = 0

    def chain(x: Any) -> Any:
        for _ in range(compiled_vjp._MOST_RECORDS + 1):
            x = x + 1.0
        return x

    assert slope(chain, tf.constant(1.0)) == 1.0 and not compiled_vjp._BY_STRUCTURE


def test_threads_that_share_a_tape_get_numbers_of_their_own() -> None:
    TUNING.vjp_sightings = 0
    leaves = [tf.constant([float(k + 1)]) for k in range(4)]
    made: list[Any] = [None] * 4
    with tf.GradientTape() as tape:
        tape.watch(leaves)

        def work(k: int) -> None:
            y = leaves[k]
            for _ in range(10):
                y = y * leaves[k]
            made[k] = y

        threads = [threading.Thread(target=contextvars.copy_context().run, args=(work, k)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    found = tape.gradient(made, leaves)
    assert [g.numpy()[0] for g in found] == [11.0 * (k + 1) ** 10 for k in range(4)]


def test_a_session_pulls_only_what_is_read_and_still_knows_a_lost_gradient() -> None:
    def body(x: Any, m: Any) -> Any:
        return m * m + x.numpy()

    with tf.Graph().as_default():
        x, m = tf.compat.v1.placeholder(tf.float32, []), tf.compat.v1.placeholder(tf.float32, [])
        dx, dm = tf.gradients(tf.py_function(body, [x, m], tf.float32), [x, m])
        lost = tf.gradients(tf.py_function(lambda a: a.numpy(), [x], tf.float32), x)[0]
        with tf.compat.v1.Session() as session, warnings.catch_warnings():
            warnings.simplefilter("error")
            for _ in range(4):
                assert session.run(dx, {x: 1.0, m: 3.0}) == 0.0
                assert session.run(dm, {x: 1.0, m: 3.0}) == 6.0
                assert session.run([dm, dx], {x: 1.0, m: 3.0}) == [6.0, 0.0]
                with pytest.warns(tf.errors.LostGradientWarning):
                    assert session.run(lost, {x: 1.0}) == 0.0

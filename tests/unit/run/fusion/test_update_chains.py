"""Optimizers written in elementwise ops: a chain of steps leaves, as one update, what it leaves step by step."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.tuning import TUNING
from inlay._src.engine.run.fusion import optimizer_step
from inlay._src.engine.run.lowering import writer
from inlay._src.ops import joint_updates, updating

SHAPES: Sequence[tuple[int, ...]] = [(3, 4), (5,), (0, 2), (TUNING.small_variable_elements + 1,), (2, 1, 3)]
RUNS = 5


@pytest.fixture
def updates(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many variables each update had, at its own time or with others; no cost keeps a chain from being one."""
    monkeypatch.setattr(TUNING, "update_step_elements", 1 << 40)
    monkeypatch.setattr(TUNING, "blocked_elements", TUNING.small_variable_elements)
    monkeypatch.setattr(TUNING, "update_share_steps", 1)
    monkeypatch.setattr(TUNING, "update_block_steps", 1)
    seen: list[int] = []
    alone, jointly = updating.change_if_plain, joint_updates._update

    def change(rule: Any, held: Any, operands: Any) -> bool:
        done = alone(rule, held, operands)
        seen.extend([1] if done else [])
        return done

    def update(rule: Any, cells: Any, gradients: Any, *others: Any) -> bool:
        done = jointly(rule, cells, gradients, *others)
        seen.extend([len(gradients)] if done else [])
        return done

    monkeypatch.setattr(updating, "change_if_plain", change)
    monkeypatch.setattr(joint_updates, "_update", update)
    yield seen


def step_by_step(program: Callable[[], Any]) -> Any:
    """The result of a program whose updates run step by step."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "fused_updates", lambda *_: {})
        return program()


def equal(one: Sequence[Any], other: Sequence[Any]) -> None:
    """Compares values to the bit."""
    for a, b in zip(one, other, strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_array_equal(a, b)


def drawn(shape: Sequence[int], seed: int, dtype: Any = tf.float32) -> np.ndarray:
    numbers: np.ndarray = np.random.default_rng(seed).standard_normal(shape).astype(dtype.as_numpy_dtype)
    return numbers


def sgd(w: Any, slots: Any, g: Any, rate: Any) -> None:
    w.assign_sub(g * rate)


def momentum(w: Any, slots: Any, g: Any, rate: Any) -> None:
    slots[0].assign(slots[0] * 0.9 - g * rate)
    w.assign_add(slots[0])


def adam(w: Any, slots: Any, g: Any, rate: Any) -> None:
    m, v = slots
    m.assign_add((g - m) * 0.1)
    v.assign_add((tf.square(g) - v) * 0.001)
    w.assign_sub(m * rate / (tf.sqrt(v) + 1e-7))


def largest(w: Any, slots: Any, g: Any, rate: Any) -> None:
    slots[0].assign(tf.maximum(slots[0] * 0.9, tf.abs(g)))
    w.assign_sub(g * rate / (slots[0] + 1e-3))


RULES = {"sgd": sgd, "momentum": momentum, "adam": adam, "largest": largest}


def training(rule: Callable[..., None], shapes: Sequence[tuple[int, ...]], dtype: Any = tf.float32) -> list[Any]:
    """The values of variables and slots that a rule has moved some times."""
    w = [tf.Variable(drawn(shape, k, dtype)) for k, shape in enumerate(shapes)]
    slots = [[tf.Variable(tf.zeros(shape, dtype)) for _ in range(2)] for shape in shapes]
    rate = tf.Variable(0.1, dtype=dtype)

    @tf.function
    def step(gradients: Any) -> None:
        for x, slot, g in zip(w, slots, gradients, strict=True):
            rule(x, slot, g, rate * 0.5)

    for k in range(RUNS):
        step([tf.constant(drawn(shape, k + 100, dtype)) for shape in shapes])
    return [x.numpy() for x in (*w, *(x for slot in slots for x in slot))]


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64], ids=lambda d: d.name)
@pytest.mark.parametrize("name", RULES)
def test_chains_leave_what_their_steps_leave(name: str, dtype: Any, updates: list[int]) -> None:
    expected = step_by_step(lambda: training(RULES[name], SHAPES, dtype))
    assert not updates
    equal(training(RULES[name], SHAPES, dtype), expected)
    assert set(updates) == {4, 1}  # the small ones as one, and the large one


def test_a_narrow_type_is_computed_step_by_step(updates: list[int]) -> None:
    expected = step_by_step(lambda: training(adam, SHAPES, tf.float16))
    equal(training(adam, SHAPES, tf.float16), expected)
    assert not updates


def random_rule(seed: int) -> Callable[..., None]:
    """A rule of random steps that read, compute and assign in any order."""
    binary = [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, tf.maximum, lambda a, b: a / (tf.abs(b) + 1)]
    unary = [tf.square, tf.abs, lambda a: -a, tf.identity, lambda a: a * 0.5, tf.nn.relu, tf.tanh]

    def rule(w: Any, slots: Any, g: Any, rate: Any) -> None:
        choose = random.Random(seed)
        values = [g]
        for _ in range(choose.randint(2, 12)):
            kind, variable = choose.randrange(6), choose.choice([w, *slots])
            if kind < 2:
                values.append(choose.choice(binary)(choose.choice(values), choose.choice([*values, rate])))
            elif kind == 2:
                values.append(choose.choice(unary)(choose.choice(values)))
            elif kind == 3:
                values.append(variable.read_value())
            else:
                change = choose.choice([variable.assign, variable.assign_add, variable.assign_sub])
                change(tf.clip_by_value(choose.choice(values), -10.0, 10.0) if kind == 4 else choose.choice(values))

    return rule


@pytest.mark.parametrize("seed", range(60))
def test_random_chains_leave_what_their_steps_leave(seed: int, updates: list[int]) -> None:
    def program() -> Any:
        return training(random_rule(seed), [(3, 2), (4,), (TUNING.small_variable_elements + 1,)])

    with np.errstate(all="ignore"):
        equal(program(), step_by_step(program))


def test_random_chains_contain_rules(updates: list[int]) -> None:
    for seed in range(60):
        training(random_rule(seed), [(3, 2), (4,)])
    assert len(updates) > 20


def test_a_value_that_is_read_later_is_made_step_by_step(updates: list[int]) -> None:
    def program() -> list[Any]:
        w, m = tf.Variable(drawn((6,), 1)), tf.Variable(drawn((6,), 2))

        @tf.function
        def step(g: Any) -> Any:
            before = m.read_value()
            m.assign_add((g - m) * 0.1)
            w.assign_sub(m + before)  # the old value
            return tf.reduce_sum(w)

        return [*[step(tf.constant(drawn((6,), k))).numpy() for k in range(RUNS)], w.numpy(), m.numpy()]

    expected = step_by_step(program)
    equal(program(), expected)
    assert not updates


def test_updates_that_gain_nothing_run_step_by_step() -> None:
    class Cells(list[Any]):
        """Cells of variables of these shapes."""

        def __init__(self, shapes: Sequence[tuple[int, ...]]) -> None:
            super().__init__(tf.Variable(tf.zeros(shape)).handle._value for shape in shapes)

    def ways(rule: Callable[..., None], shapes: Sequence[tuple[int, ...]]) -> Any:
        starts = optimizer_step.fused_updates(_plan(rule, shapes))
        for group in (group for groups in starts.values() for group in groups):
            group._choose(Cells(shapes))
            return group._groups, group._large
        return None

    assert ways(sgd, [(3,)] * 20) is None
    assert ways(adam, [(3,)]) == ([], [])
    assert ways(adam, [(3,)] * 4) == ([[0, 1, 2, 3]], [])
    assert ways(adam, [(TUNING.blocked_elements,), (300, 300)]) == ([], [0])
    assert ways(momentum, [(TUNING.blocked_elements,), (300, 300)]) == ([], [])


def test_what_was_read_before_stays(updates: list[int]) -> None:
    w = tf.Variable(drawn((6,), 1))

    @tf.function
    def step(g: Any) -> Any:
        before = tf.reverse(tf.reverse(w.read_value(), [0]), [0])
        w.assign_sub(g * 0.1)
        return before

    expected = w.numpy()
    for k in range(RUNS):
        g = drawn((6,), k)
        held = w.value()
        before = step(tf.constant(g))
        np.testing.assert_array_equal(before, expected)
        np.testing.assert_array_equal(held, expected)
        expected = expected - g * np.float32(0.1)
    np.testing.assert_array_equal(w, expected)
    assert updates


def test_one_variable_for_two_is_updated_twice() -> None:
    w = tf.Variable(tf.ones([3]))

    @tf.function
    def step(one: Any, other: Any, g: Any) -> None:
        one.assign_add((g - other) * 0.5)
        other.assign_add(one * 0.5)

    for _ in range(RUNS):
        step(w, w, tf.zeros([3]))
    np.testing.assert_allclose(w, [0.75**RUNS] * 3)


def test_cells_that_are_one_are_not_changed_as_two() -> None:
    w, g = tf.Variable(tf.ones([3])), np.ones(3, np.float32)
    cell = w.handle._value
    assert not updating.change_if_plain(updating.UpdateRule(lambda *_, **__: 1 / 0, 2, 0, 0), [cell, cell], [g])


def test_a_gradient_that_does_not_fit_is_refused_in_the_words_of_the_step(updates: list[int]) -> None:
    w, m = tf.Variable(tf.ones([3])), tf.Variable(tf.ones([3]))

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def step(g: Any) -> None:
        m.assign_add(g * 0.5)
        w.assign_sub(m)

    for _ in range(RUNS):
        step(tf.ones([3]))
    assert updates
    before = [w.numpy(), m.numpy()]
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"Cannot update variable .* with shape \[3\].*shape \[4\]"
    ):
        step(tf.ones([4]))
    equal([w.numpy(), m.numpy()], before)
    step(tf.ones([3]))


def test_an_uninitialized_variable_is_named() -> None:
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        w = v1.get_variable("w", initializer=tf.ones([3]))
        g = v1.placeholder(tf.float32, [3])
        step = w.assign_sub(g * 0.5)
        with v1.Session() as session:
            for _ in range(4):
                with pytest.raises(tf.errors.FailedPreconditionError, match="w"):
                    session.run(step, {g: np.ones(3)})
            session.run(w.initializer)
            for k in range(RUNS):
                np.testing.assert_allclose(session.run(step, {g: np.ones(3)}), [0.5 - 0.5 * k] * 3)


def test_updates_in_a_loop_leave_what_their_steps_leave(updates: list[int]) -> None:
    def program() -> list[Any]:
        w, m = tf.Variable(drawn((6,), 1)), tf.Variable(drawn((6,), 2))

        @tf.function
        def train(g: Any) -> None:
            for _ in tf.range(20):
                m.assign_add((tf.square(g) - m) * 0.1)  # the square is the same in each iteration
                w.assign_sub(m * 0.5)

        for k in range(RUNS):
            train(tf.constant(drawn((6,), k)))
        return [w.numpy(), m.numpy()]

    expected = step_by_step(program)
    equal(program(), expected)


def test_updates_that_are_alike_share_a_rule() -> None:
    plans = [optimizer_step.fused_updates(plan) for plan in (_plan(adam, [(3,), (4,)]), _plan(adam, [(5, 5)]))]
    rules = {group._rule for starts in plans for groups in starts.values() for group in groups}
    assert len(rules) == 1


def _plan(rule: Callable[..., None], shapes: Sequence[tuple[int, ...]]) -> Any:
    w = [tf.Variable(tf.ones(shape)) for shape in shapes]
    slots = [[tf.Variable(tf.zeros(shape)) for _ in range(2)] for shape in shapes]

    def step(*gradients: Any) -> None:
        for x, slot, g in zip(w, slots, gradients, strict=True):
            rule(x, slot, g, 0.5)

    concrete = tf.function(step).get_concrete_function(*[tf.TensorSpec(shape) for shape in shapes])
    return concrete.program.executable.plan

"""`GradientTape`: what is watched, when it may be asked, and what a gradient looks like."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.engine.autodiff import accumulation


def test_tensors_variables_and_nests_are_watched() -> None:
    x, pair, v = tf.constant(2.0), {"a": tf.constant(3.0), "b": [tf.constant(4.0)]}, tf.Variable(5.0, trainable=False)
    with tf.GradientTape() as tape:
        tape.watch([x, pair, v])
        y = x * pair["a"] * pair["b"][0] * v
    found = tape.gradient(y, {"x": x, "pair": pair, "v": v})
    assert tf.nest.map_structure(float, found) == {"x": 60.0, "pair": {"a": 40.0, "b": [30.0]}, "v": 24.0}


def test_whole_numbers_and_text_are_ignored_and_strangers_refused() -> None:
    with tf.GradientTape() as tape:
        tape.watch([tf.constant(1), tf.constant("a")])
        with pytest.raises(ValueError, match=r"Passed in object 3\.0 of type 'float', not tf\.Tensor"):
            tape.watch(3.0)
    assert tape.watched_variables() == ()


def test_variables_are_watched_when_read_unless_told_otherwise() -> None:
    v, fixed = tf.Variable(2.0), tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        y = v * fixed
    assert tape.watched_variables() == (v,)
    assert [None if g is None else float(g) for g in tape.gradient(y, [v, fixed])] == [3, None]
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        y = v * v
    assert tape.watched_variables() == () and tape.gradient(y, v) is None
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(v)
        y = v * v
    assert tape.watched_variables() == (v,) and float(tape.gradient(y, v)) == 4


def test_watched_variables_are_known_after_the_gradient() -> None:
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = v * v
    tape.gradient(y, v)
    assert tape.watched_variables() == (v,)


def test_a_tape_is_used_once_unless_it_persists() -> None:
    x = tf.constant(3.0)
    for persistent in (False, True):
        with tf.GradientTape(persistent=persistent) as tape:
            tape.watch(x)
            y = x * x
        assert float(tape.gradient(y, x)) == 6
        if persistent:
            assert float(tape.gradient(y, x)) == 6 and tape.jacobian(y, x).numpy() == 6
            continue
        for again in (tape.gradient, tape.jacobian):
            with pytest.raises(RuntimeError, match="can only be used to compute one set of gradients"):
                again(y, x)


def test_a_tape_that_never_recorded_says_so() -> None:
    with pytest.raises(RuntimeError, match="recorded nothing"):
        tf.GradientTape().gradient(tf.constant(1.0), tf.constant(1.0))


def test_entering_twice_and_leaving_a_stopped_tape() -> None:
    with tf.GradientTape() as tape:
        with pytest.raises(ValueError, match="Tape is still recording"):
            tape.__enter__()
        tape._pop()
        with pytest.raises(ValueError, match="Tape is not recording"):
            tape._pop()


def test_recording_stops_resets_and_goes_on() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            aside = x * x * x
        z = y * x
    assert tape.gradient([z, aside], x).numpy() == 12  # that of z; what was aside is a constant
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        tape.reset()
        tape.watch(x)
        z = x * 5.0
    assert tape.gradient([z], x).numpy() == 5
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    with tape:  # it goes on where it was
        z = y * y
    assert tape.gradient(z, x).numpy() == 32


def test_inner_tapes_end_in_any_order() -> None:
    x = tf.constant(2.0)
    outer, inner = tf.GradientTape(), tf.GradientTape()
    outer.__enter__()
    inner.__enter__()
    outer.watch(x)
    inner.watch(x)
    y = x * x
    outer.__exit__(None, None, None)
    z = y * x  # the inner one alone
    inner.__exit__(None, None, None)
    assert outer.gradient(z, x) is None and inner.gradient(z, x).numpy() == 12


def test_a_gradient_inside_the_block_ends_the_recording() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        assert tape.gradient(y, x).numpy() == 4
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        slope = tape.gradient(y, x)  # recorded: a persistent tape goes on
    assert tape.gradient(slope, x).numpy() == 2


def test_targets_of_any_kind() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, n = x * x, tf.cast(x, tf.int32)
    assert tape.gradient([y, {"n": n}], x).numpy().tolist() == [2, 4]
    assert tape.gradient(n, x) is None
    assert tape.gradient(y, x, tf.constant([3.0, 5.0])).numpy().tolist() == [6, 20]
    assert tape.gradient([y, y], x, [tf.constant([1.0, 1.0]), None]).numpy().tolist() == [4, 8]
    assert tape.gradient(3.0, x) is None
    assert tape.gradient(y, (x,))[0].numpy().tolist() == [2, 4]


def test_composites_have_gradients_like_themselves() -> None:
    ragged = tf.ragged.constant([[1.0, 2.0], [3.0]])
    with tf.GradientTape() as tape:
        tape.watch(ragged)
        y = tf.reduce_sum(ragged.flat_values**2)
    assert tape.gradient(y, ragged).to_list() == [[2.0, 4.0], [6.0]]


@pytest.mark.parametrize("policy", ["zero", tf.UnconnectedGradients.ZERO])
def test_what_is_not_connected(policy: Any) -> None:
    x, other = tf.constant([1.0, 2.0]), tf.constant([[3.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, other])
        y = x * 2.0
    assert tape.gradient(y, other) is None
    assert tape.gradient(y, other, unconnected_gradients=policy).numpy().tolist() == [[0]]
    with pytest.raises(ValueError, match="receives no gradient"):
        tape.gradient(y, other, unconnected_gradients="error")
    with pytest.raises(ValueError, match="Unknown value for unconnected_gradients: .other"):
        tape.gradient(y, other, unconnected_gradients="other")


def test_symbolic_tapes_ask_the_graph() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x, w = tf.compat.v1.placeholder(tf.float32, []), tf.compat.v1.placeholder(tf.float32, [])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x * w
        slope, unwatched = tape.gradient(y, [x, w])
        assert unwatched is None
        assert session.run(slope, {x: 3.0, w: 2.0}) == 12


def test_jacobians_and_their_batches() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    whole, of_nest = tape.jacobian(y, x), tape.jacobian(y, {"x": x})
    np.testing.assert_array_equal(whole, np.einsum("ij,ik,jl->ijkl", 2 * x.numpy(), np.eye(2), np.eye(2)))
    np.testing.assert_array_equal(of_nest["x"], whole)
    np.testing.assert_array_equal(tape.batch_jacobian(y, x), [np.diag([2.0, 4.0]), np.diag([6.0, 8.0])])
    with tf.GradientTape() as once:
        once.watch(x)
        y = x * x
        np.testing.assert_array_equal(once.jacobian(y, x), whole)  # several pulls are one use
    with pytest.raises(RuntimeError):
        once.gradient(y, x)


def test_memory_goes_with_the_gradient() -> None:
    x = tf.constant([1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        between = x * 3.0
        y = between * between
    alive = weakref.ref(between)
    del between
    gc.collect()
    assert alive() is not None
    tape.gradient(y, x)
    gc.collect()
    assert alive() is None


def test_default_cotangents_are_kept_for_small_targets_only() -> None:
    accumulation._ONES.clear()
    for shape in ((), (3,), (3,), (8, 8), (9, 9)):
        x = tf.constant(np.ones(shape))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * 2.0
        np.testing.assert_array_equal(tape.gradient(y, x), np.full(shape, 2.0))
    assert {shape for shape, _ in accumulation._ONES} == {(), (3,), (8, 8)}


def test_watched_variables_stand_in_the_order_in_which_they_were_made() -> None:
    first, second, third = (tf.Variable(float(n)) for n in range(3))
    with tf.GradientTape() as tape:
        third * (second + first)
    assert [v.ref() for v in tape.watched_variables()] == [v.ref() for v in (first, second, third)]
    with tf.Graph().as_default():
        one, two = tf.Variable(1.0), tf.Variable(2.0)
        with tf.GradientTape() as tape:
            two * one
        assert [v.ref() for v in tape.watched_variables()] == [one.ref(), two.ref()]


@pytest.mark.parametrize("value", [3, True, [1, 2]])
@pytest.mark.parametrize("traced", [False, True])
def test_the_derivative_of_whole_numbers_by_themselves_is_one(value: Any, traced: bool) -> None:
    def asked(x: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            same, made = tf.identity(x), tf.cast(x, tf.float32) * 2.0
        ones = tape.gradient(x, x)
        seeded = tape.gradient([x], [x], output_gradients=[x])[0]
        return ones, seeded, tape.gradient([made, x], x), tape.gradient(same, x), tape.gradient(made, x)

    x = tf.constant(value)
    ones, seeded, beside, same, made = (tf.function(asked) if traced else asked)(x)
    assert ones.dtype is beside.dtype is x.dtype
    assert np.array_equal(ones, np.ones_like(value)) and np.array_equal(beside, ones)
    assert np.array_equal(seeded, value)
    assert same is None and made is None


def test_the_derivative_of_whole_numbers_goes_no_further() -> None:
    x, v = tf.constant(2.5), tf.Variable(3)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        n = tf.cast(x, tf.int32)
        y = tf.cast(n, tf.float32) * x
    found = tape.gradient([y, n, n], [x, n])
    assert (float(found[0]), int(found[1])) == (2.0, 2)
    assert tape.gradient(tf.constant("a"), x) is None
    with tf.GradientTape() as tape:
        pass
    assert int(tape.gradient(v, v)) == 1


def _jacobian(kind: str, persistent: bool, **options: Any) -> Any:
    with tf.GradientTape(persistent=persistent) as tape:
        x = tf.ones([2, 3])
        tape.watch(x)
        z = tf.tile(x * x, [1, 2])
    return getattr(tape, kind)(z, x, **options)


@pytest.mark.parametrize("kind", ["jacobian", "batch_jacobian"])
def test_jacobians_that_go_in_turns_take_a_persistent_tape(kind: str) -> None:
    """As TensorFlow 2.21: one element at a time, or `parallel_iterations` of them."""
    with pytest.raises(RuntimeError, match="persistent=True"):
        _jacobian(kind, False, experimental_use_pfor=False)
    in_turns = {"experimental_use_pfor": False, "parallel_iterations": 2}
    assert _jacobian(kind, True, **in_turns).shape == tf.function(_jacobian)(kind, False, **in_turns).shape
    assert _jacobian(kind, True, parallel_iterations=2).shape == _jacobian(kind, False).shape


@pytest.mark.parametrize("iterations", [1, 6])
def test_a_batch_jacobian_says_why_it_takes_a_persistent_tape(iterations: int) -> None:
    with pytest.raises(RuntimeError, match=rf"persistent=True .* parallel_iterations={iterations}, .*: 6"):
        _jacobian("batch_jacobian", False, parallel_iterations=iterations)
    assert _jacobian("batch_jacobian", False, parallel_iterations=7).shape == (2, 6, 3)


def test_a_tape_prints_its_state_and_how_much_it_recorded() -> None:
    x, tape = tf.constant(2.0), tf.GradientTape()
    name = f"<GradientTape at {id(tape):#x}: "
    assert repr(tape) == f"{name}not begun>"
    with tape:
        tape.watch(x)
        y = x * x
        assert repr(tape) == f"{name}recording, 1 operation recorded, 1 watched>"
    assert repr(tape) == f"{name}stopped, 1 operation recorded, 1 watched>"
    tape.gradient(y, x)
    assert repr(tape) == f"{name}used up>"


def test_a_persistent_tape_is_never_used_up() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.sin(x) + x
    tape.gradient(y, x)
    assert repr(tape) == f"<GradientTape at {id(tape):#x}: stopped, persistent, 2 operations recorded, 1 watched>"

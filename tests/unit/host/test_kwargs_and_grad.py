"""`kwargs=` and `grad=` of the family, in graphs and eagerly."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import inlay as tf

families = pytest.mark.parametrize("api", ["py_function", "numpy_function"])


@dataclasses.dataclass(frozen=True)
class Config:
    depth: int


@families
def test_objects_without_tensors_arrive_as_they_are(api: str) -> None:
    listed, config, thing = [1, 2], Config(3), object()

    def body(x: Any, *, listed: Any, config: Any, thing: Any, none: Any) -> Any:
        assert listed is kwargs["listed"] and config is kwargs["config"] and thing is kwargs["thing"] and none is None
        return x

    kwargs = {"listed": listed, "config": config, "thing": thing, "none": None}
    op = getattr(tf, api)
    assert float(op(body, [np.float32(2)], tf.float32, kwargs=kwargs)) == 2.0
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(op(body, [tf.constant(2.0)], tf.float32, kwargs=kwargs)) == 2.0


def test_tensors_anywhere_in_a_nest_become_inputs() -> None:
    def body(x: Any, *, table: Any) -> Any:
        kinds.append((type(table["w"][0]).__name__, table["note"]))
        return x * table["w"][0] + table["b"]

    kinds: list[Any] = []
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.placeholder(tf.float32)
        y = tf.numpy_function(
            body, [tf.constant(2.0)], tf.float32, kwargs={"table": {"w": (w,), "b": np.float32(1), "note": "kept"}}
        )
        assert len(y.op.inputs) == 3
        assert session.run(y, {w: 5.0}) == 11.0
    assert kinds == [("float32", "kept")]


def test_a_function_cannot_change_the_callers_array_through_kwargs() -> None:
    mine = np.zeros(3, np.float32)

    def body(*, table: Any) -> Any:
        table[0] = 7.0
        return table

    assert tf.numpy_function(body, [], tf.float32, kwargs={"table": mine}).numpy()[0] == 7.0
    assert mine.tolist() == [0, 0, 0]


def test_keyword_tensors_have_gradients() -> None:
    def body(x: Any, *, scale: Any) -> Any:
        return x * x * scale["s"]

    x, s = tf.constant(3.0), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch([x, s])
        y = tf.py_function(body, [x], tf.float32, kwargs={"scale": {"s": s}})
    assert [float(g) for g in tape.gradient(y, [x, s])] == [12.0, 9.0]
    with tf.Graph().as_default(), tf.Session() as session:
        x, s = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        y = tf.py_function(body, [x], tf.float32, kwargs={"scale": {"s": s}})
        assert session.run(tf.gradients(y, [x, s]), {x: 3.0, s: 2.0}) == [12.0, 9.0]


def test_kwargs_that_do_not_fit_the_function_are_refused_at_once() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="unexpected keyword argument 'k'") as caught:
        tf.py_function(lambda x: x, [1.0], tf.float32, kwargs={"k": 1})
    assert isinstance(caught.value, TypeError)
    with pytest.raises(TypeError, match="`kwargs` must be a dict"):
        tf.py_function(lambda x: x, [1.0], tf.float32, kwargs=[1])


def test_a_decorated_function_takes_keyword_arguments() -> None:
    @tf.py_function(Tout=tf.float32)
    def body(x: Any, y: Any = 1.0, *, mode: str = "add") -> Any:
        return x + y if mode == "add" else x - y

    assert float(body(5.0, y=2.0)) == 7.0
    assert float(body(5.0, y=2.0, mode="sub")) == 3.0
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        body(5.0, z=1.0)


# ---------------------------------------------------------------- grad=


def cube(x: Any) -> Any:
    return x**3


def cube_gradient(x: Any, y: Any, dy: Any) -> Any:
    return 3.0 * x * x * dy


@families
def test_a_gradient_of_ones_own_is_differentiable_in_graphs(api: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float64)
        y = getattr(tf, api)(cube, [x], tf.float64, grad=cube_gradient)
        first = tf.gradients(y, x)[0]
        mixed = tf.gradients(x * first, x)[0]  # d(3x^3)/dx
        third = tf.gradients(mixed, x)[0]
        assert session.run([y, first, mixed, third], {x: 2.0}) == [8.0, 12.0, 36.0, 36.0]


@families
def test_a_gradient_of_ones_own_is_differentiable_on_tapes(api: str) -> None:
    x = tf.constant(2.0, tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = getattr(tf, api)(cube, [x], tf.float64, grad=cube_gradient)
        product = x * tape.gradient(y, x)
    assert float(outer.gradient(product, x)) == 36.0


@families
def test_it_wins_over_the_body(api: str) -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = getattr(tf, api)(cube, [x], tf.float32, grad=lambda x, y, dy: dy * 100.0)
    assert float(tape.gradient(y, x)) == 100.0


def test_it_may_itself_be_a_numpy_function_with_a_gradient() -> None:
    def slope(x: Any, y: Any, dy: Any) -> Any:
        inner = tf.numpy_function(lambda v: 3 * v**2, [x], tf.float64, grad=lambda x, y, dy: 6.0 * x * dy)
        return inner * dy

    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float64)
        y = tf.numpy_function(cube, [x], tf.float64, grad=slope)
        first = tf.gradients(y, x)[0]
        assert session.run([first, tf.gradients(first, x)[0]], {x: 2.0}) == [12.0, 12.0]


def test_one_gradient_per_output_and_none_for_those_without() -> None:
    seen: list[Any] = []

    def grad(x: Any, n: Any, *rest: Any) -> Any:
        y, count, z, dy, dcount, dz = rest
        seen.append((dcount, float(dy), float(dz)))
        return dy + 2.0 * dz, None

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, count, z = tf.numpy_function(
            lambda x, n: (x, n, x * 2), [x, 4], [tf.float32, tf.int32, tf.float32], grad=grad
        )
        total = z * 5.0
    assert float(tape.gradient(total, x)) == 10.0
    assert seen == [(None, 0.0, 5.0)]


def test_gradients_of_keyword_tensors_come_last_as_a_dict() -> None:
    def grad(x: Any, y: Any, dy: Any, *, scale: Any, note: str) -> Any:
        assert note == "kept"
        return dy * scale["s"], {"scale": {"s": tf.reduce_sum(dy * x), "n": None}}

    x, s = tf.constant([1.0, 2.0]), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([x, s])
        y = tf.numpy_function(
            lambda x, *, scale, note: x * scale["s"],
            [x],
            tf.float32,
            kwargs={"scale": {"s": s, "n": 5}, "note": "kept"},
            grad=grad,
        )
    dx, ds = tape.gradient(y, [x, s])
    assert dx.numpy().tolist() == [3.0, 3.0] and float(ds) == 3.0


def test_a_left_out_keyword_gradient_is_none() -> None:
    s = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(s)
        y = tf.numpy_function(
            lambda x, *, s: x * s, [1.0], tf.float32, kwargs={"s": s}, grad=lambda x, y, dy, *, s: dy * s
        )
    assert tape.gradient(y, s) is None


def test_ragged_inputs_and_outputs_come_whole() -> None:
    rt = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
    spec = tf.RaggedTensorSpec([None, None], tf.float32)

    def grad(r: Any, y: Any, dy: Any) -> Any:
        assert all(isinstance(v, tf.RaggedTensor) for v in (r, y, dy))
        return dy * r

    with tf.GradientTape() as tape:
        tape.watch(rt)
        y = tf.reduce_sum(tf.py_function(lambda r: r * 2.0, [rt], spec, grad=grad))
    assert tape.gradient(y, rt).to_list() == [[1, 2], [], [3]]


WRONG = [
    (lambda x, y, dy: (dy, dy), "returned 2 values for 1 inputs"),
    (lambda x, y, dy: dy[0], r"returned shape \(\) for input 0, which has shape \(2,\)"),
    (lambda x, y, dy: [], "returned 0 values for 1 inputs"),
    (lambda x, y, dy: tf.cast(dy, tf.float64), "returned .* for input 0: Tensor conversion requested dtype float32"),
]


@pytest.mark.parametrize(("grad", "message"), WRONG, ids=range(len(WRONG)))
def test_a_wrong_gradient_says_what_is_wrong(grad: Any, message: str) -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.py_function(lambda v: v, [x], tf.float32, grad=grad)
    with pytest.raises(ValueError, match=f"^ValueError: grad of .*{message}") as caught:
        tape.gradient(y, x)
    assert isinstance(caught.value, tf.errors.InvalidArgumentError)
    assert f"the function was made an op at {__file__}" in str(caught.value)
    assert "raised in" not in str(caught.value)  # the gradient returned; it is refused
    assert "Traceback" not in str(caught.value)
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2])
        y = tf.py_function(lambda v: v, [x], tf.TensorSpec([2], tf.float32), grad=grad)
        with pytest.raises(ValueError, match=message):
            tf.gradients(y, x)


def test_a_gradient_that_is_no_function_is_refused_at_once() -> None:
    with pytest.raises(TypeError, match="`grad` must be a function"):
        tf.py_function(cube, [1.0], tf.float32, grad=3.0)

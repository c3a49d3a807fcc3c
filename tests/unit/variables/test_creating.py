"""Making variables: where they live, what they start from, who hears of them."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.ops.variables import created_since

v1 = tf.compat.v1


def test_a_block_collects_the_variables_made_in_it() -> None:
    with created_since() as outer:
        a = tf.Variable(1.0)
        with created_since() as inner:
            b = tf.Variable(2.0)
        c = tf.Variable(3.0)
    tf.Variable(4.0)
    assert [v.ref() for v in outer] == [a.ref(), c.ref()] and [v.ref() for v in inner] == [b.ref()]


@pytest.mark.parametrize("where", ["eager", "graph", "function", "cond", "loop"])
def test_a_variable_belongs_to_the_program_outside_of_what_is_traced(where: str) -> None:
    made: list[Any] = []

    def make(*_: Any) -> Any:
        if not made:
            made.append(v1.get_variable("v", initializer=2.0) if where != "eager" else tf.Variable(2.0))
        return made[0] + 1.0

    if where == "eager":
        assert float(make()) == 3 and made[0].graph is None
        return
    if where == "function":
        assert float(tf.function(make)()) == 3 and made[0].graph is None
        return
    with tf.Graph().as_default() as graph, v1.Session() as session:
        p = v1.placeholder(tf.bool, [])
        if where == "cond":
            y = tf.cond(p, make, lambda: tf.constant(0.0))
        elif where == "loop":
            y = tf.while_loop(lambda x: x < 5.0, lambda x: [x + make()], [tf.constant(0.0)])[0]
        else:
            y = make()
        assert made[0].graph is graph and v1.global_variables() == made
        session.run(v1.global_variables_initializer())
        assert session.run(y, {p: True}) == (3.0 if where != "loop" else 6.0)


@pytest.mark.parametrize(
    ("initial", "dtype", "shape"),
    [
        (7, "int32", []),
        (7.5, "float32", []),
        (True, "bool", []),
        ("text", "string", []),
        (1 + 2j, "complex128", []),
        ([1, 2], "int32", [2]),
        ([[1.0], [2.0]], "float32", [2, 1]),
        (np.float64([1.0]), "float64", [1]),
        (np.int8(1), "int8", []),
        ([b"a", b"b"], "string", [2]),
    ],
)
def test_a_named_variable_takes_type_and_shape_from_its_value(initial: Any, dtype: str, shape: Any) -> None:
    with tf.Graph().as_default():
        v = v1.get_variable("v", initializer=initial)
        assert (v.dtype.name, v.shape.as_list()) == (dtype, shape)
    eager = v1.get_variable("v", initializer=initial)
    assert (eager.dtype.name, eager.shape.as_list()) == (dtype, shape)


def test_the_type_of_a_variable_is_the_values_or_the_one_that_is_said_or_the_scopes() -> None:
    with tf.Graph().as_default(), v1.variable_scope("s", dtype=tf.float64):
        assert v1.get_variable("a", initializer=7).dtype is tf.int32
        assert v1.get_variable("b", [1], dtype=tf.int64).dtype is tf.int64
        assert v1.get_variable("c", [1]).dtype is tf.float64
        assert v1.get_variable("d", [1], initializer=v1.zeros_initializer()).dtype is tf.float64


@pytest.mark.parametrize(
    "given",
    [
        lambda shape, dtype=None, partition_info=None: np.full(shape, 3, dtype.as_numpy_dtype),
        lambda shape, **kwargs: np.full(shape, 3, np.float32),
        lambda shape: np.full(shape, 3, np.float32),
        lambda: np.full([2], 3, np.float32),
        v1.constant_initializer(3),
        lambda shape, dtype: tf.fill(shape, tf.cast(3, dtype)),
    ],
)
def test_functions_of_every_signature_make_first_values(given: Any) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", [2], initializer=given)
        session.run(v.initializer)
        assert session.run(v).tolist() == [3, 3]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"shape": [2], "initializer": [1.0, 2.0]}, "If initializer is a constant, do not specify shape"),
        ({"shape": [None]}, "must be fully defined, but instead was \\(None,\\)"),
        ({"initializer": v1.zeros_initializer()}, "must be fully defined, but instead was <unknown>"),
        ({"shape": [2], "dtype": tf.complex64}, "An initializer for variable v of .* is required"),
    ],
)
def test_first_values_that_cannot_be(arguments: Any, says: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=says):
        v1.get_variable("v", **arguments)


def test_a_value_of_the_traced_function_that_is_not_known_cannot_start_a_variable() -> None:
    @tf.function
    def wrong(x: Any) -> Any:
        return tf.Variable(x * 2.0) + 0.0

    with pytest.raises(ValueError, match="could not be lifted out .* wrapped in an init_scope or callable"):
        wrong.get_concrete_function(tf.TensorSpec([], tf.float32))


def test_a_first_value_that_depends_on_others_may_run_in_any_order() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        a = v1.get_variable("a", initializer=3.0)
        b = tf.Variable(a * 2.0 + 1.0, name="b")
        c = tf.Variable(b + a, name="c")
        session.run([c.initializer, b.initializer, a.initializer])
        assert session.run([a, b, c]) == [3, 7, 10]


@pytest.mark.parametrize("write", ["assign", "assign_add", "assign_sub"])
@pytest.mark.parametrize("read_value", [True, False])
def test_what_a_write_returns(write: str, read_value: bool) -> None:
    v = tf.Variable(5.0)
    result = getattr(v, write)(2.0, read_value=read_value)
    assert (result is v) if read_value else result is None
    with tf.Graph().as_default(), v1.Session() as session:
        w = v1.get_variable("w", initializer=5.0)
        result = getattr(w, write)(2.0, read_value=read_value)
        session.run(w.initializer)
        assert session.run(result) == (
            None if not read_value else {"assign": 2, "assign_add": 7, "assign_sub": 3}[write]
        )
        assert session.run(w) == v.numpy()


def test_concurrent_additions_lose_nothing() -> None:
    v = tf.Variable(np.zeros(64, np.int64))

    def work() -> None:
        for _ in range(200):
            v.assign_add(np.ones(64, np.int64))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert v.numpy().tolist() == [800] * 64


@pytest.mark.parametrize("name", ["scatter_update", "scatter_add", "scatter_nd_update", "assign", "assign_add"])
def test_functions_of_the_first_generation_refuse_tensors(name: str) -> None:
    arguments = ([0], [1.0]) if name.startswith("scatter") else (1.0,)
    with pytest.raises(TypeError, match=f"{name}.* writes into a tf.Variable"):
        getattr(v1, name)(tf.constant([1.0]), *arguments)


@pytest.mark.parametrize("index", [-1, 3, 100])
@pytest.mark.parametrize("kind", ["update", "add", "max"])
def test_rows_that_do_not_exist_are_refused_and_nothing_is_written(kind: str, index: int) -> None:
    v = tf.Variable([1.0, 2.0, 3.0])
    delta = tf.IndexedSlices(tf.constant([9.0, 9.0]), tf.constant([0, index]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        getattr(v, f"scatter_{kind}")(delta)
    assert v.numpy().tolist() == [1, 2, 3]

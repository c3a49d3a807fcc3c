"""Sessions: what may be fetched and fed, and what comes back."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np

from tests.golden.make_programs import refused, rows, session

_Pair = collections.namedtuple("_Pair", "left right")


@rows("tensor", "operation", "name", "list", "tuple", "dict", "namedtuple", "nested", "ordered", "empty", "twice")
def fetches(tf: Any, what: str) -> Any:
    with session(tf) as s:
        x, y = tf.constant([1.0, 2.0], name="x"), tf.constant(3, name="y")
        given = {
            "tensor": x,
            "operation": x.op,
            "name": "y:0",
            "list": [x, y],
            "tuple": (y, x.op),
            "dict": {"b": x, "a": y},
            "namedtuple": _Pair(x, y),
            "nested": {"p": [x, (y, {"q": x})]},
            "ordered": collections.OrderedDict([("z", x), ("a", y)]),
            "empty": [],
            "twice": [x, x, "x:0"],
        }[what]
        got = s.run(given)
        return [type(got).__name__ if what != "tensor" else "ndarray", got]


@rows(np.float32(1), np.float64(1), np.int64(1), np.int32(1), True, b"text", 1 + 2j)
def a_scalar_comes_back_as(tf: Any, value: Any) -> Any:
    with session(tf) as s:
        got = s.run(tf.constant(value))
        return [type(got).__name__, got]


@rows(
    "list", "array", "another type", "an integer for a float", "nested lists", "eager-like scalar", "bool for float",
    "generator", "wrong size", "wrong rank", "text for a number", "a float for an integer", "ragged lists",
)  # fmt: skip
def feeds(tf: Any, what: str) -> Any:
    with session(tf) as s:
        x = tf.compat.v1.placeholder(tf.float32, [None, 2], name="x")
        n = tf.compat.v1.placeholder(tf.int32, [], name="n")
        key, value = {
            "list": (x, [[1, 2]]),
            "array": (x, np.float32([[1, 2], [3, 4]])),
            "another type": (x, np.float64([[1.5, 2.5]])),
            "an integer for a float": (x, np.int64([[1, 2]])),
            "nested lists": (x, [[1.5, 2], (3, 4)]),
            "eager-like scalar": (n, np.array(7)),
            "bool for float": (x, [[True, False]]),
            "generator": (x, [[float(i) for i in range(2)]]),
            "wrong size": (x, [[1, 2, 3]]),
            "wrong rank": (x, [1, 2]),
            "text for a number": (x, [["a", "b"]]),
            "a float for an integer": (n, 7.0),
            "ragged lists": (x, [[1, 2], [3]]),
        }[what]
        return refused(lambda: s.run(key * 2, {key: value}))


@rows("constant", "sum", "name", "part of a chain", "twice under two names")
def anything_can_be_fed(tf: Any, what: str) -> Any:
    with session(tf) as s:
        x = tf.constant(1.0, name="x")
        y = tf.add(x, 1.0, name="y")
        z = y * 10.0
        given = {
            "constant": {x: 5.0},
            "sum": {y: 5.0},
            "name": {"y:0": 7.0},
            "part of a chain": {x: 100.0, y: 5.0},
            "twice under two names": {"x:0": 3.0},
        }[what]
        return s.run([x, y, z], given)


@rows("a number", "an unknown name", "an operation", "of another graph")
def keys_that_make_no_sense(tf: Any, what: str) -> Any:
    with tf.Graph().as_default():
        other = tf.constant(1.0)
    with session(tf) as s:
        x = tf.constant(1.0, name="x")
        key = {"a number": 3, "an unknown name": "none:0", "an operation": "x", "of another graph": other}[what]
        return refused(lambda: s.run(x, {key: 1.0}))


@rows("none", "a number", "an unknown name", "nested none", "of another graph", "a set")
def fetches_that_make_no_sense(tf: Any, what: str) -> Any:
    with tf.Graph().as_default():
        other = tf.constant(1.0)
    with session(tf) as s:
        x = tf.constant(1.0, name="x")
        given = {
            "none": None,
            "a number": 3,
            "an unknown name": "none:0",
            "nested none": [x, None],
            "of another graph": other,
            "a set": 3.5,
        }[what]
        return refused(lambda: s.run(given))


def a_placeholder_that_was_not_fed(tf: Any) -> Any:
    with session(tf) as s:
        x = tf.compat.v1.placeholder(tf.float32, [], name="x")
        y = tf.compat.v1.placeholder_with_default(tf.constant(4.0), [])
        return [refused(lambda: s.run(x + 1.0)), s.run(y), s.run(y * 2.0, {y: 5.0}), s.run(y * x, {x: 2.0})]


@rows("none", "closed", "empty")
def sessions_that_cannot_run(tf: Any, what: str) -> Any:
    with tf.Graph().as_default() as g:
        if what == "empty":
            return refused(lambda: tf.compat.v1.Session().run([]))
        x = tf.constant(1.0)
        s = tf.compat.v1.Session(graph=g)
        s.close()
        return refused(lambda: s.run(x)) if what == "closed" else refused(x.eval)


def default_sessions_nest(tf: Any) -> Any:
    with tf.Graph().as_default():
        v = tf.compat.v1.get_variable("v", initializer=1.0)
        one, two = tf.compat.v1.Session(), tf.compat.v1.Session()
        one.run(v.assign(10.0))
        two.run(v.assign(20.0))
        seen = []
        with one.as_default():
            seen.append(v.eval())
            with two.as_default():
                seen.append(v.eval())
                seen.append(v.eval(session=one))
            seen.append(v.eval())
        seen.append(refused(v.eval))
        seen.append(one.run(v))
        return seen


def callables(tf: Any) -> Any:
    with session(tf) as s:
        x = tf.compat.v1.placeholder(tf.float32, [])
        y = tf.compat.v1.placeholder(tf.float32, [])
        both = s.make_callable([x + y, {"p": x * y}], feed_list=[x, y])
        none = s.make_callable(tf.constant(3))
        return [both(2.0, 3.0), none()]


def each_session_has_its_own_variables(tf: Any) -> Any:
    with tf.Graph().as_default() as g:
        v = tf.compat.v1.get_variable("v", initializer=1.0)
        up = v.assign_add(1.0)
        init = tf.compat.v1.global_variables_initializer()
        one, two = tf.compat.v1.Session(graph=g), tf.compat.v1.Session(graph=g)
        one.run(init)
        two.run(init)
        return [one.run(up), one.run(up), two.run(up), one.run(v), two.run(v)]


@rows("fetched with a write before it", "read in the run after")
def reads_and_writes_of_one_run(tf: Any, what: str) -> Any:
    with session(tf) as s:
        v = tf.compat.v1.get_variable("v", initializer=1.0)
        s.run(tf.compat.v1.global_variables_initializer())
        if what == "fetched with a write before it":
            with tf.control_dependencies([v.assign(5.0)]):
                return s.run(v.read_value())
        s.run(v.assign(7.0))
        return s.run(v)


def strings_come_back_as_bytes(tf: Any) -> Any:
    with session(tf) as s:
        x = tf.compat.v1.placeholder(tf.string, [None])
        got = s.run([tf.identity(x), tf.strings.length(x), x[0]], {x: ["a", b"bc", "d\u00e9"]})
        return [got[0].dtype.kind, got[0], got[1], type(got[2]).__name__, got[2]]


def sparse_and_ragged_values(tf: Any) -> Any:
    with session(tf) as s:
        sparse = tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 2])
        ragged = tf.ragged.constant([[1, 2], [], [3]])
        got = s.run({"sparse": sparse, "ragged": ragged})
        return [
            got["sparse"].indices, got["sparse"].values, got["sparse"].dense_shape,
            got["ragged"].values, got["ragged"].row_splits,
        ]  # fmt: skip


def feeding_a_sparse_placeholder(tf: Any) -> Any:
    with session(tf) as s:
        x = tf.compat.v1.sparse_placeholder(tf.float32, [None, 3])
        dense = tf.sparse.to_dense(x)
        one = s.run(dense, {x: tf.compat.v1.SparseTensorValue([[0, 2]], [5.0], [2, 3])})
        two = s.run(dense, {x: ([[1, 0]], [7.0], [2, 3])})
        return [one, two]


def an_interactive_session_is_the_default(tf: Any) -> Any:
    with tf.Graph().as_default():
        x = tf.constant([1.0, 2.0])
        s = tf.compat.v1.InteractiveSession()
        got = [x.eval(), (x * 2.0).eval()]
        s.close()
        return got


def errors_know_their_operation(tf: Any) -> Any:
    with session(tf) as s:
        x = tf.compat.v1.placeholder(tf.int32, [None])
        y = tf.gather(tf.constant([1, 2]), x, name="wrong")
        try:
            s.run(y, {x: [5]})
        except tf.errors.InvalidArgumentError as error:
            return [error.op.name, error.error_code, "wrong" in error.message]
        return None

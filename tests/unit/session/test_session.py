"""`Session.run`: fetches and feeds, row by row."""

from __future__ import annotations

import collections
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import inlay as tf
from inlay._src.core import device

NT = collections.namedtuple("NT", "a b")


@dataclass
class Record:
    x: Any
    y: Any


class World:
    """A graph with x=1., y=[1,2], op=group, p: a placeholder float32[2], and a session on it."""

    def __init__(self) -> None:
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x = tf.constant(1.0, name="x")
            self.y = tf.constant([1, 2], name="y")
            self.op = tf.group(self.x, name="op")
            self.p = tf.compat.v1.placeholder(tf.float32, [2], name="p")
        self.session = tf.compat.v1.Session(graph=self.graph)
        self.run = self.session.run


@pytest.fixture
def w() -> Iterator[World]:
    world = World()
    with world.graph.as_default():
        yield world
    world.session.close()


# ---------------------------------------------------------------- fetches


def test_structures_come_back(w: World) -> None:
    y = np.array([1, 2], np.int32)
    cases = [
        ([w.x, w.op], [1.0, None]),
        ((w.x, (w.x,)), (1.0, (1.0,))),
        ({"b": w.x, "a": [w.op, {"c": w.x}]}, {"b": 1.0, "a": [None, {"c": 1.0}]}),
        (NT(w.x, w.op), NT(1.0, None)),
        (Record(w.x, [w.op]), Record(1.0, [None])),
        (collections.OrderedDict([("z", w.x), ("a", w.op)]), collections.OrderedDict([("z", 1.0), ("a", None)])),
        ([], []),
        ({}, {}),
        ("x:0", 1.0),
        (b"x:0", 1.0),
        ("x", None),
        (w.op, None),
        (["op", "x:0"], [None, 1.0]),
    ]
    for fetches, expected in cases:
        for _ in range(2):
            got = w.run(fetches)
            assert got == expected
            assert type(got) is type(expected) or isinstance(got, np.float32)
    default = collections.defaultdict(list, {"k": w.x})
    got = w.run(default)
    assert (type(got), got["k"], got["new"]) == (collections.defaultdict, 1.0, [])
    np.testing.assert_array_equal(w.run(w.y), y)


def test_a_structure_that_is_changed_between_runs_is_looked_at_again(w: World) -> None:
    fetches: Any = [w.x]
    record = Record(w.x, None or w.x)
    assert (w.run(fetches), w.run(record)) == ([1.0], Record(1.0, 1.0))
    fetches.append(w.x + 1.0)
    record.y = w.x + 2.0
    assert (w.run(fetches), w.run(record)) == ([1.0, 2.0], Record(1.0, 3.0))


def test_scalars_and_arrays_have_tensorflows_types(w: World) -> None:
    tensors = [w.x, w.y, tf.constant("a"), tf.constant(["a"]), tf.constant(True), tf.constant(1.5, tf.bfloat16)]
    got = w.run(tensors)
    assert [type(v) for v in got] == [np.float32, np.ndarray, bytes, np.ndarray, np.bool_, ml_dtypes.bfloat16]
    assert got[3].tolist() == [b"a"] and got[3].dtype == object


def test_duplicates_are_the_same_object(w: World) -> None:
    one, two = w.run([w.p, w.p], {w.p: [1.0, 2.0]})
    assert one is two


@pytest.mark.parametrize(
    ("fetch", "error", "says"),
    [
        ("nope:0", ValueError, r"Argument `fetch` = nope:0 cannot be interpreted as a Tensor. .*refers to a Tensor "
         r"which does not exist. The operation, 'nope', does not exist in the graph."),
        ("nope", ValueError, "Argument `fetch` = nope cannot be interpreted as a Tensor"),
        ("x:1", ValueError, "exists but only has 1 outputs"),
        ("x:a", ValueError, "looks a like a Tensor name, but is not a valid one"),
        (3, TypeError, 'Argument `fetch` = 3 has invalid type "int" must be a string or Tensor.'),
        (np.zeros(1), TypeError, 'has invalid type "ndarray" must be a string or Tensor.'),
        ({1}, TypeError, 'has invalid type "set" must be a string or Tensor.'),
        ((i for i in ()), TypeError, 'has invalid type "generator" must be a string or Tensor.'),
        (None, TypeError, 'Argument `fetch` = None has invalid type "NoneType". Cannot be None'),
        ([None], TypeError, 'Argument `fetch` = None has invalid type "NoneType". Cannot be None'),
    ],
    ids=map(str, range(10)),
)  # fmt: skip
def test_fetches_that_make_no_sense(w: World, fetch: Any, error: Any, says: str) -> None:
    with pytest.raises(error, match=says):
        w.run(fetch)


def test_fetches_from_elsewhere(w: World) -> None:
    with tf.Graph().as_default():
        other = tf.constant(1.0, name="other")
    with pytest.raises(ValueError, match=r"Tensor\(\"other:0\".* is not an element of this graph"):
        w.run(other)
    with pytest.raises(ValueError, match="is not an element of this graph"):
        w.run(other.op)
    with pytest.raises(ValueError, match=r'Tensor\("other:0".* must be from the same graph as'):
        w.x + other


def test_an_eager_tensor_cannot_be_fetched(w: World) -> None:
    box: list[Any] = []
    tf.compat.v1.Session(graph=tf.Graph())
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        session.run(tf.py_function(lambda: (box.append(tf.constant(1.0)), 1.0)[1], [], tf.float32))
    with pytest.raises(AttributeError, match="Tensor.graph is undefined when eager execution is enabled"):
        w.run(box[0])


def test_sessions_that_cannot_run() -> None:
    session = tf.compat.v1.Session(graph=tf.Graph())
    for fetches in ([], {}, "x"):
        with pytest.raises(RuntimeError, match="The Session graph is empty"):
            session.run(fetches)
    world = World()
    world.session.close()
    ran = World()
    for _ in range(5):
        ran.run(ran.x)
    ran.session.close()
    for closed in (world, ran):
        for fetches in (closed.x, [closed.x], "x"):
            with pytest.raises(RuntimeError, match="Attempted to use a closed Session."):
                closed.run(fetches)
    with pytest.raises(TypeError, match="Argument `graph` must be a tf.Graph"):
        tf.compat.v1.Session(graph=3)


def test_an_uninitialized_variable(w: World) -> None:
    v = tf.Variable(1.0, name="v")
    with pytest.raises(tf.errors.FailedPreconditionError, match="Could not find variable v.*Attempting to use uninit"):
        w.run(v + 1.0)
    w.run(tf.compat.v1.global_variables_initializer())
    assert w.run(v) == 1.0
    with tf.compat.v1.Session(graph=w.graph) as second, pytest.raises(tf.errors.FailedPreconditionError):
        second.run(v)


def test_a_graph_may_grow_after_a_run_unless_finalized(w: World) -> None:
    assert w.run(w.x) == 1.0
    z = w.x + 1.0
    assert w.run(z) == 2.0
    w.graph.finalize()
    with pytest.raises(RuntimeError, match="Graph is finalized and cannot be modified"):
        tf.constant(2.0)
    assert w.run(z) == 2.0


def test_default_sessions_and_eval(w: World) -> None:
    with pytest.raises(ValueError, match="No default session is registered"):
        w.x.eval()
    with w.session.as_default():
        assert w.x.eval() == 1.0
        assert w.p.eval({w.p: [3.0, 4.0]}).tolist() == [3.0, 4.0]
        assert w.op.run() is None
        with tf.Graph().as_default():
            other = tf.constant(1.0)
        with pytest.raises(ValueError, match="the tensor's graph is different from the session's graph"):
            other.eval()
    assert w.x.eval(session=w.session) == 1.0


def test_make_callable_counts_its_values(w: World) -> None:
    with pytest.raises(ValueError, match="make_callable: feed_list has 1 tensors, got 2 values"):
        w.session.make_callable(w.p * 2.0, [w.p])(1.0, 2.0)


def test_make_callable(w: World) -> None:
    call = w.session.make_callable([w.p * 2.0, w.x], [w.p])
    assert [v.tolist() for v in call([1.0, 2.0])] == [[2.0, 4.0], 1.0]


def test_what_cannot_be_pickled(w: World) -> None:
    for thing, name in ((w.session, "Session"), (w.x, "SymbolicTensor"), (w.op, "Operation")):
        with pytest.raises(TypeError, match=f"cannot pickle '{name}' object"):
            pickle.dumps(thing)


# ---------------------------------------------------------------- feeds


def test_a_missing_placeholder_is_named_before_anything_runs(w: World) -> None:
    ran: list[int] = []
    call = tf.numpy_function(lambda: (ran.append(1), np.float32(0))[1], [], tf.float32)
    q = tf.compat.v1.placeholder(tf.int32, name="q")
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        w.run([call, w.p * 2.0])
    first = "You must feed a value for placeholder tensor 'p' with dtype float and shape [2]"
    assert str(caught.value).splitlines()[0] == f"{first} (inlay explain unfed-placeholder)"
    assert caught.value.op is w.p.op
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        w.run([call, q])
    first = "You must feed a value for placeholder tensor 'q' with dtype int32"
    assert str(caught.value).splitlines()[0] == f"{first} (inlay explain unfed-placeholder)"
    assert ran == [] and w.run(w.x) == 1.0


def test_anything_can_be_fed(w: World) -> None:
    s = w.x + 1.0
    assert w.run([s, s * 2.0], {s: 10.0}) == [10.0, 20.0]
    assert w.run(s, {w.x: 5.0}) == 6.0
    assert w.run(w.p * 1.0, {"p:0": [1, 2]}).tolist() == [1.0, 2.0]
    assert w.run(w.p, {w.p: tf.TensorShape([3, 4])}).tolist() == [3.0, 4.0]


def test_a_fetched_feed_is_the_converted_feed(w: World) -> None:
    array = np.float32([1, 2])
    assert w.run(w.p, {w.p: array}) is array
    q, s = tf.compat.v1.placeholder(tf.float32), tf.compat.v1.placeholder(tf.string)
    got = w.run([q, s], {q: 1.5, s: "hé"})
    assert got == [1.5, "hé".encode()] and [type(v) for v in got] == [np.ndarray, bytes]  # rank 0, as in TensorFlow
    assert w.run(s, {s: ["é", b"x\0"]}).tolist() == ["é".encode(), b"x\0"]


@pytest.mark.parametrize(
    ("value", "error", "says"),
    [
        ([1, 2, 3], ValueError, r"Cannot feed value of shape \(3,\) for Tensor p:0, which has shape \(2,\)"),
        (["a", "b"], ValueError, "could not convert string to float: .*'a'.*p:0"),
        ([[1.0], [2.0, 3.0]], ValueError, "Cannot feed p:0: the value is not rectangular"),
        ([None, None], TypeError, "Cannot feed .* to p:0 of dtype float32"),
        ([1j, 2], ValueError, r"without changing its value.*\(fed to p:0\)"),
    ],
)
def test_wrong_values(w: World, value: Any, error: Any, says: str) -> None:
    with pytest.raises(error, match=says):
        w.run(w.p, {w.p: value})


def test_values_that_would_change(w: World) -> None:
    q = tf.compat.v1.placeholder(tf.int32, name="q")
    b = tf.compat.v1.placeholder(tf.bool, name="b")
    with pytest.raises(
        TypeError, match="Type of feed value 1099511627776 with type <class 'int'> is not compatible with"
    ):
        w.run(q, {q: 2**40})
    for feed in ({q: np.array([1.5])}, {q: np.array([2**40])}, {q: 1.5}, {b: 2}, {b: np.array([0.5])}):
        with pytest.raises(ValueError, match="without changing its value"):
            w.run(list(feed), feed)
    assert w.run([q, b], {q: np.array(3.0), b: 1}) == [3, True]


def test_tensors_as_values(w: World) -> None:
    with pytest.raises(TypeError, match="The value of a feed cannot be a tf.Tensor object.*key p:0"):
        w.run(w.p, {w.p: w.y})


@pytest.mark.parametrize("key", ["p", "nope:0", 3, None])
def test_wrong_keys(w: World, key: Any) -> None:
    with pytest.raises(TypeError, match="Cannot interpret feed_dict key as Tensor"):
        w.run(w.x, {key: 1.0})


def test_more_wrong_keys(w: World) -> None:
    with tf.Graph().as_default():
        other = tf.compat.v1.placeholder(tf.float32)
    for key in (w.op, w.p.ref(), other):
        with pytest.raises(TypeError, match="Cannot interpret feed_dict key as Tensor"):
            w.run(w.x, {key: 1.0})
    with pytest.raises(TypeError, match="must be a dictionary"):
        w.run(w.x, [(w.p, 1.0)])


def test_tuple_keys_pair_up_without_flattening(w: World) -> None:
    assert [v.tolist() for v in w.run([w.x, w.y], {(w.x, w.y): (5.0, [7, 8])})] == [5.0, [7, 8]]
    with pytest.raises(ValueError, match="Could not flatten dictionary. Key had 2 elements, but value had 3 elements"):
        w.run(w.x, {(w.x, w.y): (5.0, 7, 8)})


# ---------------------------------------------------------------- devices


def test_devices_in_a_graph(w: World) -> None:
    with tf.device("/CPU:0"):
        here = tf.py_function(lambda: 1.0, [], tf.float32, name="here")
    assert (here.device, w.run(here)) == ("/device:CPU:0", 1.0)
    with tf.device("/GPU:3"):
        away = tf.py_function(lambda: 1.0, [], tf.float32, name="away")
    nearby = tf.constant(2.0)
    message = "Cannot assign a device for operation away: EagerPyFunc.*GPU:3"
    for fetch in (away, nearby):  # every node of the graph has to have a device
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            w.run(fetch)
    pruning = tf.compat.v1.ConfigProto(graph_options=tf.compat.v1.GraphOptions(place_pruned_graph=True))
    with tf.compat.v1.Session(graph=w.graph, config=pruning) as pruned:
        assert pruned.run(nearby) == 2.0
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            pruned.run(away)
    config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
    with tf.compat.v1.Session(graph=w.graph, config=config) as soft:
        assert soft.run(away) == 1.0


@pytest.mark.parametrize("absent", ["/CPU:7", "/job:worker/task:3/CPU:0"])
def test_an_absent_device_is_refused_eagerly_too(absent: str) -> None:
    tf.config.set_soft_device_placement(absent.startswith("/job"))
    try:
        _refuses_eagerly(absent)
    finally:
        tf.config.set_soft_device_placement(True)


def _refuses_eagerly(absent: str) -> None:
    for call in (
        lambda: tf.add(1.0, 2.0),
        lambda: tf.py_function(lambda: 1.0, [], tf.float32),
        lambda: tf.numpy_function(lambda: np.float32(1), [], tf.float32),
    ):
        with tf.device(absent), pytest.raises(tf.errors.InvalidArgumentError, match="Cannot assign a device"):
            call()


def test_eager_ops_and_functions_run_on_the_cpu_where_a_device_is_missing(caplog: pytest.LogCaptureFixture) -> None:
    """FINDINGS F and issue 10, point 8: as TensorFlow does, with one message."""
    device.use({})
    try:
        with tf.device("/GPU:0"):
            one, two = tf.constant(1.0) + 1.0, tf.function(lambda x: x + 1.0)(tf.constant(2.0))
            host = tf.py_function(lambda x: x * 2.0, [one], tf.float32)
    finally:
        device.use(None)
    assert [float(t) for t in (one, two, host)] == [2.0, 3.0, 4.0] and one.device.endswith("CPU:0")
    assert [r.getMessage() for r in caplog.records if "GPU:0" in r.getMessage()] == [
        "/device:GPU:0 is not there: what asks for it runs on the CPU."
    ]
    assert tf.config.get_soft_device_placement()


def test_sessions_left_out_of_order_leave_nothing_in_force() -> None:
    """FINDINGS A17."""
    outer, inner = tf.compat.v1.Session(graph=tf.Graph()), tf.compat.v1.Session(graph=tf.Graph())
    outer.__enter__()
    inner.__enter__()
    with pytest.raises(AssertionError, match="Nesting violated"):
        outer.__exit__(None, None, None)
    assert tf.compat.v1.get_default_session() is inner
    inner.__exit__(None, None, None)
    assert tf.compat.v1.get_default_session() is None and tf.executing_eagerly()


def test_what_may_not_be_fed_or_fetched_is_refused() -> None:
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        a, b = tf.constant(1.0, name="a"), tf.constant(2.0, name="b")
        assert session.run(a, {a: 3.0}) == 3.0 and graph.is_feedable(a) and graph.is_fetchable(b)
        graph.prevent_feeding(a)
        graph.prevent_fetching(b.op)
        assert not graph.is_feedable(a) and not graph.is_fetchable(b) and not graph.is_fetchable(b.op)
        with pytest.raises(ValueError, match="Tensor a:0 may not be fed"):
            session.run(a, {a: 3.0})
        for what in (b, b.op, "b:0"):
            with pytest.raises(ValueError, match="marked as not fetchable"):
                session.run(what)


# ---------------------------------------------------------------- variables by name


def test_a_variables_name_and_handle_are_fetched_as_its_value() -> None:
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        v = tf.compat.v1.get_variable("scope/v", initializer=[1.0, 2.0])
        with pytest.raises(tf.errors.FailedPreconditionError, match="scope/v"):
            session.run("scope/v:0")
        session.run(v.initializer)
        for fetched in ("scope/v:0", v.name, b"scope/v:0", v, v.handle, graph.get_tensor_by_name("scope/v:0")):
            got = session.run(fetched)
            assert isinstance(got, np.ndarray) and got.dtype == np.float32
            assert got.tolist() == [1.0, 2.0]
        assert [t.tolist() for t in session.run({"a": "scope/v:0", "b": [v]})["b"]] == [[1.0, 2.0]]
        got = session.run("scope/v:0")
        got += 1.0  # the caller's own
        assert session.run(v).tolist() == [1.0, 2.0]
        assert session.run("scope/v") is None  # the operation


@pytest.mark.parametrize("kind", ["variable", "name", "handle"])
def test_a_fed_variable_is_read_as_what_was_fed(kind: str) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v = tf.compat.v1.Variable([1.0, 2.0], name="v")
        total = tf.reduce_sum(v * 2.0)
        inside = tf.cond(total > 0.0, lambda: v + 1.0, lambda: -v)
        slope = tf.gradients(tf.reduce_sum(v * v), v)[0]
        session.run(v.initializer)
        key = {"variable": v, "name": v.name, "handle": v.handle}[kind]
        given = np.float32([10.0, 20.0])
        got = session.run([total, v, "v:0", inside, slope], {key: given})
        assert [np.asarray(g).tolist() for g in got] == [60.0, [10.0, 20.0], [10.0, 20.0], [11.0, 21.0], [20.0, 40.0]]
        got[1][:] = 0.0
        assert given.tolist() == [10.0, 20.0]
        assert session.run(total, {key: [5, 6]}) == 22.0
        assert session.run(total) == 6.0  # the variable itself is as it was
        with pytest.raises(ValueError, match=r"Cannot feed value of shape \(3,\)"):
            session.run(total, {key: [1.0, 2.0, 3.0]})


def test_an_uninitialized_variable_may_be_fed_but_not_assigned() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v = tf.compat.v1.Variable(1.0, name="v")
        with tf.control_dependencies([v.op]):
            y = v + 1.0
        assert session.run(y, {v: 3.0}) == 4.0
        for change in (v.assign_add(1.0), v.initializer, v.assign(2.0)):
            with pytest.raises(tf.errors.FailedPreconditionError, match="variable v is fed in this run"):
                session.run(change, {v: 3.0})
        assert not session.run(tf.compat.v1.is_variable_initialized(v))


def test_a_session_is_entered_once_at_a_time() -> None:
    """FINDINGS F: not refused."""
    with tf.Graph().as_default():
        session = tf.compat.v1.Session()
        with session, pytest.raises(RuntimeError, match="Session context managers are not re-entrant"):
            session.__enter__()
        assert tf.compat.v1.get_default_session() is None
        with session.as_default(), session.as_default():
            assert tf.compat.v1.get_default_session() is session


def test_none_is_fed_as_false_or_no_number() -> None:
    """FINDINGS B."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        flag, number, whole = (tf.compat.v1.placeholder(d, []) for d in (tf.bool, tf.float32, tf.int32))
        assert not session.run(tf.identity(flag), {flag: None})
        assert np.isnan(session.run(number + 1.0, {number: None}))
        with pytest.raises(TypeError, match="Cannot feed None"):
            session.run(whole + 1, {whole: None})


def test_a_session_prints_its_graph_and_whether_it_is_closed() -> None:
    with tf.Graph().as_default() as graph:
        tf.constant(1.0)
        session = tf.compat.v1.Session()
        assert repr(session) == f"<Session at {id(session):#x}: open, of {graph!r}>"
        session.close()
        assert repr(session) == f"<Session at {id(session):#x}: closed, of {graph!r}>"
        assert "1 operation" in repr(session)

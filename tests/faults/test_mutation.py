"""A function may write into what it gets and keep what it returns; nobody else's memory changes."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inlay as tf
from inlay._src.base.tuning import TUNING

FAMILY = [tf.numpy_function, tf.compat.v1.py_func]


class Vandal:
    """Functions that overwrite every array they get, in one of several ways, and keep some."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.kept: list[tuple[np.ndarray, np.ndarray]] = []
        self.buffer = np.zeros(4, np.float32)

    def __call__(self, *arrays: Any) -> Any:
        total = np.float32(sum(float(np.sum(a)) for a in arrays))
        how = self.random.randrange(6)
        for a in arrays:
            if isinstance(a, np.ndarray) and a.ndim:
                a[...] = -999.0
        if how == 0 and arrays and isinstance(arrays[0], np.ndarray) and arrays[0].shape == (4,):
            arrays[0][...] = total
            self.keep(arrays[0])
            return arrays[0]  # an input, still held
        if how == 1:
            self.buffer[...] = total
            return self.buffer  # the same memory every time
        if how == 2:
            self.buffer[...] = total
            return self.buffer[::-1]  # a view of it
        if how == 3:
            wide = np.full((4, 2), total, np.float32, order="F")
            self.keep(wide)
            return wide[:, 0]
        if how == 4:
            mine = np.full(4, total, np.float32)
            self.keep(mine)
            return mine
        return np.frombuffer(memoryview(np.full(4, total, np.float32)), np.float32)

    def keep(self, array: np.ndarray) -> None:
        self.kept.append((array, array.copy()))

    def scribble(self) -> None:
        """Checks that what was kept is what it was, then overwrites it."""
        for array, was in self.kept:
            np.testing.assert_array_equal(array, was)
            array[...] = 12345.0
        self.kept.clear()
        self.buffer[...] = -54321.0


def build(seed: int, vandal: Any) -> tuple[list[Any], Any]:
    """A random graph of kernels, aliases and host calls on float32[4], and the same as plain NumPy."""
    rand = random.Random(seed)
    placeholder = tf.compat.v1.placeholder(tf.float32, [4])
    nodes: list[Any] = [placeholder, tf.constant([1.0, 2.0, 3.0, 4.0])]
    recipe: list[tuple[Any, ...]] = [("feed",), ("const",)]
    for _ in range(rand.randrange(3, 14)):
        kind = rand.choice(["add", "identity", "reshape", "slice", "host", "host", "host2", "reverse"])
        a, b = rand.randrange(len(nodes)), rand.randrange(len(nodes))
        x, y = nodes[a], nodes[b]
        if kind == "add":
            made = x + y
        elif kind == "identity":
            made = tf.identity(x)
        elif kind == "reshape":
            made = tf.reshape(tf.reshape(x, [2, 2]), [4])
        elif kind == "slice":
            made = x[:]
        elif kind == "reverse":
            made = x[::-1]
        else:
            api = rand.choice(FAMILY)
            made = api(vandal, [x] if kind == "host" else [x, y], tf.float32)
            made.set_shape([4])
        nodes.append(made)
        recipe.append((kind, a, b))
    return nodes, recipe


def reference(recipe: list[tuple[Any, ...]], fed: np.ndarray) -> list[np.ndarray]:
    values: list[np.ndarray] = []
    for step in recipe:
        if step[0] == "feed":
            values.append(fed.copy())
            continue
        if step[0] == "const":
            values.append(np.float32([1, 2, 3, 4]))
            continue
        x, y = values[step[1]], values[step[2]]
        if step[0] == "add":
            values.append(x + y)
        elif step[0] == "host":
            values.append(np.full(4, np.float32(float(np.sum(x))), np.float32))
        elif step[0] == "host2":
            values.append(np.full(4, np.float32(float(np.sum(x)) + float(np.sum(y))), np.float32))
        elif step[0] == "reverse":
            values.append(x[::-1].copy())
        else:
            values.append(x.copy())
    return values


@pytest.fixture(scope="module", autouse=True)
def _small_arrays_are_reused_too() -> Iterator[None]:
    """Kernels write into large inputs that nobody else holds; here into the smallest as well."""
    before, TUNING.in_place_elements = TUNING.in_place_elements, 0
    yield
    TUNING.in_place_elements = before


@given(seed=st.integers(0, 2**32 - 1))
def test_functions_that_overwrite_inputs_change_nobodys_value(seed: int) -> None:
    vandal = Vandal(seed)
    rand = random.Random(seed + 1)
    fed = np.float32([0.5, -1.0, 2.0, 8.0])
    before = fed.copy()
    with tf.Graph().as_default():
        nodes, recipe = build(seed, vandal)
        expected = reference(recipe, fed)
        earlier: list[tuple[Any, Any]] = []
        with tf.compat.v1.Session() as session:
            asks = [[rand.randrange(len(nodes)) for _ in range(rand.randrange(1, 6))] for _ in range(2)]
            for wanted in asks * 6:  # the later runs of a plan are generated source
                got = session.run([nodes[i] for i in wanted], {nodes[0]: fed})
                for i, value in zip(wanted, got, strict=True):
                    np.testing.assert_allclose(value, expected[i], rtol=1e-5, err_msg=str(recipe[i]))
                np.testing.assert_array_equal(fed, before)
                vandal.scribble()
                for value, was in earlier:
                    np.testing.assert_array_equal(value, was)
                earlier += [(v, v.copy()) for i, v in zip(wanted, got, strict=True) if i != 0]


def eager(api: Any, func: Any, *inputs: Any, **options: Any) -> Any:
    return api(func, list(inputs), tf.float32, **options).numpy()


def graph(api: Any, func: Any, *inputs: Any, **options: Any) -> Any:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        return session.run(api(func, list(inputs), tf.float32, **options))


def hot(api: Any, func: Any, *inputs: Any, **options: Any) -> Any:
    """In a graph whose plan has become generated source."""
    working = False

    def late(*args: Any) -> Any:
        return func(*args) if working else np.zeros(1, np.float32)

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        y = api(late, list(inputs), tf.float32, **options)
        for _ in range(5):
            session.run(y)
        working = True
        return session.run(y)


MODES = pytest.mark.parametrize("run", [eager, graph, hot])
APIS = pytest.mark.parametrize("api", [tf.py_function, *FAMILY], ids=["py_function", "numpy_function", "py_func"])


def test_a_variable_keeps_its_value() -> None:
    def overwrite(x: Any) -> Any:
        x[...] = 0.0
        return x

    with tf.Graph().as_default():
        v = tf.Variable([1.0, 2.0])
        out = tf.numpy_function(overwrite, [v], tf.float32)
        with tf.compat.v1.Session() as session:
            session.run(v.initializer)
            for _ in range(2):
                assert session.run([out, v])[0].tolist() == [0.0, 0.0]
                assert session.run(v).tolist() == [1.0, 2.0]
    eager_variable = tf.Variable([1.0, 2.0])
    assert tf.numpy_function(overwrite, [eager_variable], tf.float32).numpy().tolist() == [0.0, 0.0]
    assert eager_variable.numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("api", FAMILY)
def test_the_same_tensor_passed_twice_arrives_as_two_arrays(api: Any) -> None:
    def overwrite(a: Any, b: Any) -> Any:
        a[...] = 7.0
        return np.stack([a, b])

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.constant([1.0])
        assert session.run(api(overwrite, [x, x], tf.float32)).tolist() == [[7.0], [1.0]]


def test_an_input_kept_in_a_list_keeps_its_value() -> None:
    kept: list[Any] = []

    def keep(x: Any) -> Any:
        kept.append(x)
        return np.float32(0)

    with tf.Graph().as_default():
        p = tf.compat.v1.placeholder(tf.float32)
        doubled = p * 2.0
        out = tf.numpy_function(keep, [doubled], tf.float32)
        with tf.compat.v1.Session() as session:
            for i in range(4):
                session.run([out, doubled], {p: np.full(3, i, np.float32)})[1][...] = -1.0
    assert [k.tolist() for k in kept] == [[2.0 * i] * 3 for i in range(4)]


@MODES
@APIS
def test_a_result_buffer_that_is_reused_changes_no_earlier_result(api: Any, run: Any) -> None:
    for buffer in (np.zeros(3, np.float32), np.zeros((), np.float32), np.zeros((2, 2), np.float32, order="F")):

        def count(buffer: Any = buffer) -> Any:
            buffer[...] += 1.0
            return buffer

        results = [run(api, count) for _ in range(3)]
        assert [float(np.max(r)) for r in results] == [1.0, 2.0, 3.0]
        assert not any(np.shares_memory(r, buffer) for r in results)


@pytest.mark.parametrize("shape", [(), (3,)])
@APIS
def test_two_calls_of_one_run_may_return_the_same_buffer(api: Any, shape: Any) -> None:
    buffer = np.zeros(shape, np.float32)

    def count() -> Any:
        buffer[...] += 1.0
        return buffer

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        a = api(count, [], tf.float32)
        b = api(count, [], tf.float32)
        got = session.run([a, b, a + b])
    assert [float(np.max(v)) for v in got] == [1.0, 2.0, 3.0]


class Holder:
    """Hands out its own memory through `__array__`."""

    def __init__(self) -> None:
        self.data = np.float32([1, 2, 3])

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.data


RETURNED = {
    "held array": lambda held: held,
    "slice": lambda held: held[1:],
    "reversed": lambda held: held[::-1],
    "strided": lambda held: held[::2],
    "fortran": lambda held: np.asfortranarray(held.reshape(2, 3)),
    "transposed": lambda held: held.reshape(2, 3).T,
    "memoryview": lambda held: np.asarray(memoryview(held)),
    "frombuffer": lambda held: np.frombuffer(held, np.float32),
    "broadcast": lambda held: np.broadcast_to(held, (2, 6)),
    "read-only": lambda held: (lambda v: (v.setflags(write=False), v)[1])(held.view()),
    "subclass": lambda held: held.view(np.matrix),
    "list of one array": lambda held: [held],
}


@MODES
@APIS
@pytest.mark.parametrize("kind", list(RETURNED))
def test_returned_views_are_no_views_of_the_functions_memory(kind: str, api: Any, run: Any) -> None:
    held = np.arange(6, dtype=np.float32)

    def f() -> Any:
        return RETURNED[kind](held)

    wanted = np.array(f()[0] if isinstance(f(), list) else f())
    got = run(api, f)
    held[...] = -1.0
    np.testing.assert_array_equal(got, wanted)
    got[...] = 5.0
    assert held.tolist() == [-1.0] * 6


@MODES
def test_objects_that_hand_out_their_own_memory_are_copied(run: Any) -> None:
    for api in (tf.py_function, tf.numpy_function):
        holder = Holder()
        got = run(api, lambda holder=holder: holder)
        holder.data[...] = 0.0
        assert got.tolist() == [1.0, 2.0, 3.0]
    holder = Holder()
    constant = tf.constant(holder)
    holder.data[...] = 0.0
    assert constant.numpy().tolist() == [1.0, 2.0, 3.0]


@MODES
def test_one_array_returned_twice_gives_two_results(run: Any) -> None:
    def f() -> Any:
        a = np.float32([1, 2])
        return a, a

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        one, two = session.run(tf.numpy_function(f, [], [tf.float32, tf.float32]))
    one[...] = 9.0
    assert two.tolist() == [1.0, 2.0]


@MODES
@pytest.mark.parametrize("part", ["input", "view of an input"])
def test_returning_an_input_that_is_kept(part: str, run: Any) -> None:
    kept: list[Any] = []

    def f(x: Any) -> Any:
        kept.append(x)
        return x if part == "input" else x[:]

    source = np.float32([1, 2, 3])
    got = run(tf.numpy_function, f, source)
    kept[0][...] = -1.0
    assert got.tolist() == source.tolist() == [1.0, 2.0, 3.0]
    got[...] = 4.0
    assert kept[0].tolist() == [-1.0] * 3


def test_results_of_a_run_are_the_callers_own() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        c = tf.constant([1.0, 2.0])
        fetched = [c, tf.identity(c), tf.reshape(c, [2, 1]), c + 0.0, c + 0.0, c[::-1]]
        for _ in range(2):
            got = session.run(fetched)
            assert [v.tolist() for v in got] == [[1, 2], [1, 2], [[1], [2]], [1, 2], [1, 2], [2, 1]]
            for value in got:
                assert value.flags.writeable
                value[...] = -1.0


def test_a_feed_is_never_written_and_never_aliased_by_results() -> None:
    raw = np.zeros(1000 + 16, np.float32)
    aligned = raw[(-raw.ctypes.data % 64) // 4 :][:1000]  # TensorFlow would hand this very memory out

    def overwrite(x: Any) -> Any:
        x[...] = 99.0
        return x

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.float32)
        through = tf.identity(p)
        out = session.run([tf.numpy_function(overwrite, [p], tf.float32), through, tf.reshape(p, [-1])], {p: aligned})
        out[1][...] = out[2][...] = 5.0
        assert not aligned.any()


def test_a_fed_eager_tensor_stays_immutable() -> None:
    eager_tensor = tf.constant([1.0, 2.0])
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.float32)
        session.run(p, {p: eager_tensor})[...] = 9.0
        session.run([p, tf.identity(p)], {p: eager_tensor})[1][...] = 9.0
    assert eager_tensor.numpy().tolist() == [1.0, 2.0]


@MODES
def test_copy_false_hands_out_read_only_views(run: Any) -> None:
    def f(x: Any) -> Any:
        seen.append((x.flags.writeable, x.flags.owndata))
        x[0] = 1.0
        return x

    seen: list[Any] = []
    with pytest.raises(ValueError, match="assignment destination is read-only"):
        run(tf.numpy_function, f, np.zeros(3, np.float32), copy=False)
    assert seen == [(False, False)]
    got = run(tf.numpy_function, lambda x: x, np.float32([1, 2]), copy=False)
    assert got.tolist() == [1.0, 2.0] and got.flags.writeable


def test_a_view_passed_on_by_a_function_without_copies_is_copied_for_one_that_writes() -> None:
    def write(x: Any) -> Any:
        x[0] = 9.0
        return x

    fed = np.float32([1, 2])
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        p = tf.compat.v1.placeholder(tf.float32, [2])
        seen = tf.numpy_function(lambda x: x, [p], tf.float32, copy=False)
        written = tf.numpy_function(write, [seen], tf.float32)
        for _ in range(8):  # the reference runner, then the generated one
            assert sess.run(written, {p: fed}).tolist() == [9.0, 2.0]
            assert sess.run([written], {p: fed})[0].tolist() == [9.0, 2.0]
    assert fed.tolist() == [1.0, 2.0]


def test_equal_calls_that_were_merged_leave_a_run_as_two_arrays() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        p = tf.compat.v1.placeholder(tf.float32, [2])
        ys = [tf.numpy_function(np.negative, [p], tf.float32, stateful=False) for _ in range(2)]
        assert len(sess.plan(ys, [p]).steps) == 1
        for _ in range(8):
            first, second = sess.run(ys, {p: np.float32([1, 2])})
            first[0] = 7.0
            assert second.tolist() == [-1.0, -2.0]


def test_eager_tensors_are_immutable_in_a_body() -> None:
    def f(x: Any) -> Any:
        x.numpy()[...] = 7.0
        np.asarray(x)[...] = 7.0
        np.array(x)[...] = 7.0
        np.from_dlpack(x)[...] = 7.0
        return x

    source = tf.constant([1.0, 2.0])
    assert tf.py_function(f, [source], tf.float32).numpy().tolist() == [1.0, 2.0]
    np.from_dlpack(source)[...] = 7.0
    assert source.numpy().tolist() == [1.0, 2.0]


def test_a_session_used_by_many_threads_mixes_no_values() -> None:
    buffer = threading.local()

    def f(x: Any) -> Any:
        if not hasattr(buffer, "data"):
            buffer.data = np.zeros(3, np.float32)
        buffer.data[...] = x
        x[...] = -1.0
        return buffer.data

    wrong: list[Any] = []
    with tf.Graph().as_default() as g:
        p = tf.compat.v1.placeholder(tf.float32)
        out = [tf.numpy_function(f, [p], tf.float32), tf.numpy_function(f, [p], tf.float32) + 1.0]
    session = tf.compat.v1.Session(graph=g)

    def work(number: float) -> None:
        for _ in range(50):
            one, two = session.run(out, {p: np.full(3, number, np.float32)})
            if one.tolist() != [number] * 3 or two.tolist() != [number + 1] * 3:
                wrong.append((number, one, two))

    threads = [threading.Thread(target=work, args=(float(n),)) for n in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(30)
    assert wrong == []


def hot_runs(session: Any, fetches: Any, feed: Any = None) -> Any:
    """The last of enough runs to make a plan hot."""
    return [session.run(fetches, feed) for _ in range(6)][-1]


def test_a_function_gets_writeable_c_ordered_arrays_however_they_were_made() -> None:
    seen: list[Any] = []

    def look(x: Any) -> Any:
        seen.append((x.flags.c_contiguous, x.flags.writeable))
        x[...] = 0.0
        return x

    def read_only() -> Any:
        made = np.ones((2, 3), np.float32)
        made.flags.writeable = False
        return made

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.float32, [3, 2])
        sources = [
            tf.transpose(p) + tf.transpose(p),
            tf.numpy_function(lambda: np.ones((2, 3), np.float32, order="F"), [], tf.float32),
            tf.numpy_function(read_only, [], tf.float32),
            tf.numpy_function(read_only, [], tf.float32) * 2.0,
            p,
        ]
        for source in sources:
            hot_runs(session, tf.numpy_function(look, [source], tf.float32), {p: np.ones((3, 2), np.float32)})
    assert set(seen) == {(True, True)} and len(seen) == 30


def test_a_kernel_after_a_read_only_result() -> None:
    def read_only() -> Any:
        made = np.ones(20_000, np.float32)
        made.flags.writeable = False
        return made

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        y = tf.numpy_function(read_only, [], tf.float32) * 2.0 + 1.0
        assert hot_runs(session, y).tolist() == [3.0] * 20_000


@pytest.mark.parametrize("through", ["directly", "identity", "reshape", "slice"])
def test_what_keeps_a_feed_keeps_its_value_when_the_caller_changes_the_array(through: str) -> None:
    kept: list[Any] = []

    def keep(x: Any) -> Any:
        kept.append(x)
        return np.float32(0)

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.float32, [3])
        x = {
            "directly": lambda: p,
            "identity": lambda: tf.identity(p),
            "reshape": lambda: tf.reshape(p, [3]),
            "slice": lambda: p[:],
        }[through]()
        v = tf.Variable([0.0, 0.0, 0.0])
        session.run(v.initializer)
        fetches = [
            v.assign(x),
            tf.py_function(keep, [x], tf.float32),
            tf.numpy_function(keep, [x], tf.float32),
            tf.numpy_function(keep, [x], tf.float32, copy=False, name="viewing"),
        ]
        for i in range(5):
            array = np.full(3, i, np.float32)
            session.run(fetches, {p: array})
            array[...] = -1.0
            assert session.run(v).tolist() == [i] * 3
    assert [np.asarray(k).tolist() for k in kept] == [[float(i)] * 3 for i in range(5) for _ in range(3)]

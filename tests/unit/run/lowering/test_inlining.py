"""Branches, functions and the turns of loops as source of the plan that runs them."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.tuning import TUNING
from inlay._src.core import context
from inlay._src.core.opdef import OPS, OpDef
from inlay._src.programs.program import RUNNING, Program

v1 = tf.compat.v1
X = np.array([1.0, 2.0, 3.0], np.float32)


def session(build: Callable[[Any], Any], runs: int = 5) -> list[Any]:
    """What a fetch gives in each of several runs; its plan is written for the later ones."""
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [3])
        fetch = build(x)
    with v1.Session(graph=graph) as sess:
        return [sess.run(fetch, {x: X}) for _ in range(runs)]


def turns(body: Callable[[Any], Any], count: int, x: Any) -> Any:
    return v1.while_loop(lambda i, _: i < count, lambda i, v: (i + 1, body(v)), [tf.constant(0), x])[1]


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of programs that are run by a call."""
    names: list[str] = []
    run = Program.run

    def noted(self: Program, values: Any) -> Any:
        names.append(self.name)
        return run(self, values)

    monkeypatch.setattr(Program, "run", noted)
    return names


def test_a_hot_plan_calls_no_program_of_its_loop(called: list[str]) -> None:
    def body(v: Any) -> Any:
        return tf.cond(tf.reduce_sum(v) > 20.0, lambda: v * 0.5, lambda: v + 1.0)

    def build(x: Any) -> Any:
        return turns(lambda v: turns(body, 3, v), 4, x)

    first, *others = session(build, 4)
    before = len(called)
    assert before
    for other in others:
        np.testing.assert_array_equal(first, other)
    called.clear()
    session(build, 3)
    cold = len(called)
    called.clear()
    session(build, 30)
    assert len(called) == cold


def test_a_long_loop_is_written_in_its_first_run(called: list[str]) -> None:
    (found,) = session(lambda x: turns(lambda v: v + 1.0, 1000, x), 1)
    np.testing.assert_array_equal(found, X + 1000)
    assert len(called) < 20


@pytest.mark.parametrize("limit", [0, 1, 7, 100])
def test_limits_known_and_unknown(limit: int) -> None:
    def build(x: Any) -> Any:
        known = tf.while_loop(lambda v: tf.reduce_sum(v) < 50.0, lambda v: [v * 2.0], [x], maximum_iterations=limit)
        most = v1.placeholder_with_default(limit, [])
        late = tf.while_loop(lambda v: tf.reduce_sum(v) < 50.0, lambda v: [v * 2.0], [x], maximum_iterations=most)
        return [known[0], late[0]]

    expected = X.copy()
    for _ in range(limit):
        if expected.sum() >= 50:
            break
        expected = expected * np.float32(2)
    for known, late in session(build):
        np.testing.assert_array_equal(known, expected)
        np.testing.assert_array_equal(late, expected)


def test_variables_that_change_places_and_that_stay() -> None:
    def build(x: Any) -> Any:
        return v1.while_loop(
            lambda i, *_: i < 3, lambda i, a, b, c: (i + 1, b, a + c, c), [tf.constant(0), x, x * 10.0, x]
        )[1:]

    a, b, c = X, X * 10, X
    for _ in range(3):
        a, b = b, a + c
    for found in session(build):
        for one, two in zip(found, (a, b, c), strict=True):
            np.testing.assert_array_equal(one, two)


def test_what_is_fed_is_not_written_into() -> None:
    fed = np.ones(1 << 15, np.float32)
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [1 << 15])
        y = turns(lambda v: v * 2.0 + 1.0, 3, x)
    with v1.Session(graph=graph) as sess:
        for _ in range(5):
            np.testing.assert_array_equal(sess.run(y, {x: fed}), np.full(1 << 15, 15, np.float32))
            np.testing.assert_array_equal(fed, 1)


def test_functions_in_a_turn_run_in_the_state_and_the_setting_of_calls() -> None:
    seen: list[tuple[Any, Any]] = []

    def look(a: Any) -> Any:
        seen.append((context.get(), np.geterr()["divide"]))
        return a

    def body(v: Any) -> Any:
        made = v1.py_func(look, [v / 0.0], tf.float32)
        made.set_shape([3])
        return made * 0.0 + 1.0

    with np.errstate(divide="raise"):
        session(lambda x: turns(body, 2, x))
        assert np.geterr()["divide"] == "raise"
    assert len(seen) == 10
    assert {setting for _, setting in seen} == {"raise"}
    assert all(state is RUNNING for state, _ in seen)
    assert context.get() is not RUNNING


def test_an_error_in_a_turn_names_the_op_and_what_it_was_given() -> None:
    messages = []
    for runs in (1, 5):
        with tf.Graph().as_default() as graph:
            x = v1.placeholder(tf.float32, [None])
            y = v1.while_loop(
                lambda i, _: i < 9,
                lambda i, v: (i + 1, tf.reshape(v, [tf.size(v) + tf.cast(i > 6, tf.int32)], name="wrong")),
                [tf.constant(0), x],
            )[1]
        with v1.Session(graph=graph) as sess:
            for _ in range(runs):
                with pytest.raises(tf.errors.InvalidArgumentError) as raised:
                    sess.run(y, {x: X})
        messages.append(raised.value.message)
    assert "op 'wrong' (Reshape) of (float32[3]" in messages[0]
    assert messages[0] == messages[1]


def test_a_condition_that_is_no_scalar_is_refused_by_name() -> None:
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32)
        y = v1.while_loop(lambda v: v < 9.0, lambda v: v + 1.0, [x], shape_invariants=[tf.TensorShape(None)], name="up")
    with v1.Session(graph=graph) as sess:
        for _ in range(4):
            assert sess.run(y, {x: np.float32(1)}) == 9
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)condition of a loop must be a scalar.*node up"):
            sess.run(y, {x: X})


def test_promised_shapes_are_held_in_every_turn() -> None:
    def body(v: Any) -> Any:
        made = v1.py_func(lambda a: a[:2] if a[0] > 2 else a, [v], tf.float32)
        made.set_shape([3])
        return made + 1.0

    with pytest.raises(tf.errors.InvalidArgumentError, match=re.escape("[2]")):
        session(lambda x: turns(body, 5, x))


def test_programs_deep_in_one_another_and_large_ones_are_called() -> None:
    def deep(v: Any, levels: int) -> Any:
        if not levels:
            return v + 1.0
        return tf.cond(tf.reduce_sum(v) > 0.0, lambda: deep(v, levels - 1), lambda: v)

    def large(v: Any) -> Any:
        for _ in range(300):
            v = tf.sin(v) + v
        return v

    for found in session(lambda x: deep(x, TUNING.inlined_depth + 4)):
        np.testing.assert_array_equal(found, X + 1)
    expected = X
    for _ in range(600):
        expected = np.sin(expected) + expected
    for found in session(lambda x: turns(large, 2, x)):
        np.testing.assert_array_equal(found, expected)


def test_a_source_of_many_lines_calls_its_further_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TUNING, "written_lines", 40)

    def build(x: Any) -> Any:
        for _ in range(4):
            x = turns(lambda v: v + 1.0, 2, x)
        return x

    for found in session(build):
        np.testing.assert_array_equal(found, X + 8)


def test_branches_by_number() -> None:
    with tf.Graph().as_default() as graph:
        k = v1.placeholder(tf.int32, [])
        y = tf.switch_case(k, [lambda: tf.constant(1.0), lambda: tf.constant(2.0), lambda: tf.constant(3.0)])
        z = tf.switch_case(k, [lambda: tf.constant(1.0), lambda: tf.constant(2.0)])
    with v1.Session(graph=graph) as sess:
        for _ in range(4):
            assert [sess.run(y, {k: at}) for at in (-1, 0, 1, 2, 3)] == [3, 1, 2, 3, 3]
            assert [sess.run(z, {k: at}) for at in (-1, 0, 1, 2)] == [2, 1, 2, 2]


def test_a_list_that_a_turn_writes_is_not_that_of_another_run() -> None:
    def build(x: Any) -> Any:
        rows = tf.TensorArray(tf.float32, 3, element_shape=[3], clear_after_read=False).write(0, x)
        _, made = v1.while_loop(lambda i, _: i < 3, lambda i, r: (i + 1, r.write(i, x * 2.0)), [tf.constant(1), rows])
        return [rows.stack(), made.stack()]

    for before, after in session(build):
        np.testing.assert_array_equal(before, [X, X * 0, X * 0])
        np.testing.assert_array_equal(after, [X, X * 2, X * 2])


@pytest.mark.parametrize("runs_before", [0, 4])
def test_an_endless_loop_ends_with_its_deadline(runs_before: int) -> None:
    turned: list[float] = []

    def noted(a: Any) -> Any:
        turned.append(time.monotonic())
        return a

    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [])
        y = v1.while_loop(
            lambda v: v < 2.0,
            lambda v: tf.ensure_shape(v1.py_func(noted, [v], tf.float32), []) * 1.0,
            [x],
        )
    options = v1.RunOptions(timeout_in_ms=100)
    with v1.Session(graph=graph) as sess:
        for _ in range(runs_before):
            sess.run(y, {x: 3.0})
        with pytest.raises(tf.errors.DeadlineExceededError):
            sess.run(y, {x: 1.0}, options=options)
        for _ in range(600):  # half a minute at most
            last = len(turned)
            time.sleep(0.05)
            if len(turned) == last:
                break
        assert len(turned) == last


def _read(x: Any, i: Any) -> Any:
    return tf.TensorArray(x.dtype, 4).unstack(x).read(i)


ROW_FORMS: dict[str, Callable[..., Any]] = {
    "row": lambda x, i: x[i],
    "element": lambda x, i: x[i, i],
    "column": lambda x, i: x[:, i],
    "slice": lambda x, i: x[i : i + 2, ::-1],
    "last axis": lambda x, i: x[..., i],
    "new axis": lambda x, i: x[tf.newaxis, i],
    "fixed": lambda x, i: (x[-1], i)[0],
    "gather": tf.gather,
    "gather of a column": lambda x, i: tf.gather(x, i, axis=1),
    "array": _read,
}


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64, tf.int32, tf.bool, tf.bfloat16, tf.string, tf.complex64])
@pytest.mark.parametrize("form", ROW_FORMS)
def test_rows_are_read_in_a_hot_plan_as_by_their_kernels(form: str, dtype: Any) -> None:
    values = (np.arange(16).reshape(4, 4) % 5).astype(dtype.as_numpy_dtype if dtype is not tf.string else object)
    if dtype is tf.string:
        values = np.vectorize(lambda n: b"%d" % n, otypes=[object])(values)
    with tf.Graph().as_default() as graph:
        x, i = v1.placeholder(dtype, [4, 4]), v1.placeholder(tf.int32, [])
        y = ROW_FORMS[form](x, i)
    with v1.Session(graph=graph) as session:
        found = [session.run(y, {x: values, i: turn % 3}) for turn in range(6)]
    for turn, got in enumerate(found):
        expected = np.asarray(ROW_FORMS[form](tf.constant(values, dtype), turn % 3).numpy())
        np.testing.assert_array_equal(got, expected)
        assert np.asarray(got).dtype == expected.dtype
        assert not np.shares_memory(got, values)


@pytest.fixture
def replace_kernel() -> Iterator[Callable[[OpDef, Callable[..., Any]], None]]:
    """Gives an op, which is frozen, another kernel until the test ends."""
    replaced: list[tuple[OpDef, Callable[..., Any]]] = []

    def replace(op: OpDef, kernel: Callable[..., Any]) -> None:
        replaced.append((op, op.kernel))
        object.__setattr__(op, "kernel", kernel)

    yield replace
    for op, kernel in reversed(replaced):
        object.__setattr__(op, "kernel", kernel)


def test_a_hot_loop_calls_no_kernel_to_read_and_write_rows(
    replace_kernel: Callable[[OpDef, Callable[..., Any]], None],
) -> None:
    called: list[str] = []
    for name in ("StridedSlice", "GatherV2", "TensorListSetItem"):
        op = OPS[name]

        def noted(*values: Any, _name: str = name, _kernel: Any = op.kernel, **attrs: Any) -> Any:
            called.append(_name)
            return _kernel(*values, **attrs)

        replace_kernel(op, noted)
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [3])
        y = tf.map_fn(lambda v: v[0] + tf.gather(x, tf.cast(v[1], tf.int32)), tf.stack([x, x - 1.0], 1))
    with v1.Session(graph=graph) as session:
        for run in range(5):
            np.testing.assert_array_equal(session.run(y, {x: X}), [2.0, 4.0, 6.0][:2] + [6.0])
            if run < 4:
                called.clear()
    assert called == ["TensorListSetItem"]  # the first write finds a list that the next run begins with too


def test_an_index_that_is_no_scalar_goes_to_the_kernel() -> None:
    with tf.Graph().as_default() as graph:
        x, i = v1.placeholder(tf.float32, [3]), v1.placeholder(tf.int32)
        y = tf.gather(x, i)
    with v1.Session(graph=graph) as session:
        for _ in range(5):
            np.testing.assert_array_equal(session.run(y, {x: X, i: 1}), 2.0)
        np.testing.assert_array_equal(session.run(y, {x: X, i: [2, 0]}), [3.0, 1.0])


@pytest.mark.parametrize("shape", [[], [2], [2, 0], [2, 3]])
@pytest.mark.parametrize("dtype", [tf.float32, tf.int64, tf.bool, tf.bfloat16, tf.string])
def test_items_are_stacked_whatever_they_are(shape: list[int], dtype: Any) -> None:
    items = [
        tf.fill(shape, tf.constant(str(k) if dtype is tf.string else k % 2 == 1 if dtype is tf.bool else k, dtype))
        for k in range(3)
    ]
    array = tf.TensorArray(dtype, 3)
    for k, item in enumerate(items):
        array = array.write(k, item)
    stacked = array.stack()
    assert stacked.dtype is dtype
    np.testing.assert_array_equal(stacked.numpy(), np.stack([t.numpy() for t in items]))


@pytest.mark.parametrize("shapes", [([2], [3], [1]), ([2, 2], [2, 3]), ([2], [2, 1]), ([], [1])])
def test_items_of_other_shapes_are_not_stacked(shapes: tuple[list[int], ...]) -> None:
    array = tf.TensorArray(tf.float32, len(shapes), infer_shape=False)
    for k, shape in enumerate(shapes):
        array = array.write(k, tf.zeros(shape))
    with pytest.raises(tf.errors.OpError, match="differ in shape"):
        array.stack()


@pytest.fixture
def counted(replace_kernel: Callable[[OpDef, Callable[..., Any]], None]) -> Counter[str]:
    """How often the kernels of some ops were called."""
    calls: Counter[str] = Counter()
    for name in ("Sum", "Shape", "Max"):
        op = OPS[name]

        def noted(*values: Any, _name: str = name, _kernel: Any = op.kernel, **attrs: Any) -> Any:
            calls[_name] += 1
            return _kernel(*values, **attrs)

        replace_kernel(op, noted)
    return calls


def test_what_is_the_same_in_every_turn_is_computed_in_the_first(counted: Counter[str]) -> None:
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [None])
        _, y = v1.while_loop(
            lambda i, _: i < tf.shape(x)[0],
            lambda i, v: (i + 1, v + tf.reduce_sum(x) + tf.reduce_max(v)),
            [tf.constant(0), tf.zeros([])],
        )
    with v1.Session(graph=graph) as session:
        found = []
        for _ in range(5):
            counted.clear()
            found.append(session.run(y, {x: X}))
    assert found == [42.0] * 5
    assert counted == {"Sum": 1, "Shape": 1, "Max": 3}


def test_a_loop_without_turns_computes_nothing(counted: Counter[str]) -> None:
    with tf.Graph().as_default() as graph:
        x, most = v1.placeholder(tf.float32, [None]), v1.placeholder(tf.int32, [])
        body = lambda i, v: (i + 1, v + tf.reduce_sum(x) + x[2])  # noqa: E731
        _, y = v1.while_loop(lambda i, _: i < most, body, [tf.constant(0), tf.zeros([])])
    with v1.Session(graph=graph) as session:
        for _ in range(5):
            assert session.run(y, {x: X, most: 2}) == 18.0
        counted.clear()
        assert session.run(y, {x: X[:1], most: 0}) == 0.0
        assert not counted
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"out of bounds(.|\n)*StridedSlice"):
            session.run(y, {x: X[:1], most: 1})


def test_functions_write_into_copies_of_what_turns_share() -> None:
    def spoil(a: Any) -> Any:
        a[:] = -1.0
        return a

    def build(x: Any) -> Any:
        def body(v: Any) -> Any:
            shared = tf.reshape(x, [3, 1])
            spoiled = v1.py_func(spoil, [shared], tf.float32)
            return v + tf.reshape(shared, [3]) + 0.0 * tf.reshape(spoiled, [3])

        return turns(body, 4, x)

    for found in session(build):
        np.testing.assert_array_equal(found, 5 * X)


def test_what_turns_share_may_be_what_a_turn_gives() -> None:
    """The next value of a loop variable is the same array in every turn, and nothing writes into it."""

    def build(x: Any) -> Any:
        def body(i: Any, v: Any, total: Any) -> Any:
            return i + 1, tf.reverse(x, [0]), total + v

        first = [tf.constant(0), x, tf.zeros([3])]
        return v1.while_loop(lambda i, *_: i < 4, body, first)[1:]

    for last, total in session(build):
        np.testing.assert_array_equal(last, X[::-1])
        np.testing.assert_array_equal(total, X + 3 * X[::-1])


def test_what_an_inner_loop_shares_is_that_of_its_turn(counted: Counter[str]) -> None:
    def build(x: Any) -> Any:
        return turns(lambda v: turns(lambda w: w + tf.reduce_sum(v), 3, v), 2, x)

    first, *others = session(build)
    once = X + 3 * X.sum()
    np.testing.assert_array_equal(first, once + 3 * once.sum())
    for other in others:
        np.testing.assert_array_equal(first, other)
    counted.clear()
    session(build, 1)
    assert counted["Sum"] <= 6


@pytest.mark.parametrize("size", [3, 200_000])
def test_the_gradient_of_a_loop_that_shares(size: int) -> None:
    data = np.linspace(0.5, 1.0, size, dtype=np.float32)
    with tf.Graph().as_default() as graph:
        x, w = v1.placeholder(tf.float32, [size]), v1.placeholder(tf.float32, [size])
        y = turns(lambda v: v * tf.sin(w) * 2.0 + tf.cos(w), 3, x)
        gradients = tf.gradients(y, [x, w])
    with v1.Session(graph=graph) as sess:
        found = [sess.run(gradients, {x: data, w: data}) for _ in range(5)]
    for dx, dw in found[1:]:
        np.testing.assert_array_equal(dx, found[0][0])
        np.testing.assert_array_equal(dw, found[0][1])
    np.testing.assert_allclose(found[0][0], (2 * np.sin(data)) ** 3, rtol=1e-5)

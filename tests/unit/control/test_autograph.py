"""AutoGraph: what the statements of a traced function become, compared with what Python does."""

from __future__ import annotations

import functools
import gc
import tempfile
import traceback
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf


def both(function: Any, *args: Any) -> None:
    """A function gives the same traced and eagerly."""
    tensors = [tf.constant(a) for a in args]
    expected = tf.nest.flatten(function(*tensors))
    got = tf.nest.flatten(tf.function(function)(*[tf.constant(a) for a in args]))
    np.testing.assert_allclose([np.asarray(g) for g in got], [np.asarray(e) for e in expected])


# ---- if


def sign(x: Any) -> Any:
    if x > 0:
        y = 1
    elif x < 0:
        y = -1
    else:
        y = 0
    return y


def early(x: Any) -> Any:
    if x > 10:
        return x, 1
    if x > 5:
        if x > 7:
            return x * 2, 2
        x = x + 100
    return -x, 3


@pytest.mark.parametrize("x", [3.0, -2.0, 0.0])
def test_if_elif_else(x: float) -> None:
    both(sign, x)


@pytest.mark.parametrize("x", [11.0, 8.0, 6.0, 1.0])
def test_return_inside_nested_branches(x: float) -> None:
    both(early, x)


@pytest.mark.parametrize("x", [1.0, 3.0, 7.0, -1.0])
def test_logical_operators_are_lazy_and_comparisons_chain(x: float) -> None:
    seen: list[float] = []

    def noted(v: Any) -> Any:
        return tf.py_function(lambda w: (seen.append(float(w)), w > 2)[1], [v], tf.bool)

    @tf.function
    def f(v: Any) -> Any:
        a = v > 0 and noted(v)
        b = not (v < 5 or v > 100)
        return a, b, 0 < v < 5, v if v > 2 else -v

    a, b, c, d = f(tf.constant(x))
    assert (bool(a), bool(b), bool(c), float(d)) == (x > 2, 5 <= x <= 100, 0 < x < 5, x if x > 2 else -x)
    assert seen == ([x] if x > 0 else [])


def test_only_the_taken_branch_runs() -> None:
    seen: list[str] = []

    @tf.function
    def f(x: Any) -> None:
        if x > 0:
            tf.py_function(lambda: seen.append("positive"), [], [])
        else:
            tf.py_function(lambda: seen.append("other"), [], [])

    f(tf.constant(1.0))
    f(tf.constant(-1.0))
    assert seen == ["positive", "other"]


def test_python_values_keep_pythons_semantics() -> None:
    traced: list[str] = []

    @tf.function
    def f(x: Any, flag: bool, parts: Any) -> Any:
        if flag:
            traced.append("yes")
        total = x
        for i, part in enumerate(parts):
            if part == "stop":
                break
            total += i + 1
        while total is None:
            pass
        return total

    assert float(f(tf.constant(0.0), True, ("a", "b", "stop", "c"))) == 3
    assert traced == ["yes"]


def test_nests_composites_and_none_merge() -> None:
    @tf.function
    def f(x: Any) -> Any:
        state = {"a": x, "b": (x, None)}
        ta = tf.TensorArray(tf.float32, 2)
        if x > 0:
            state = {"a": x * 2, "b": (x + 1, None)}
            ta = ta.write(0, x)
        else:
            ta = ta.write(1, x)
        return state, ta.stack()

    state, items = f(tf.constant(3.0))
    assert (float(state["a"]), float(state["b"][0]), state["b"][1]) == (6, 4, None)
    assert items.numpy().tolist() == [3, 0]
    assert f(tf.constant(-3.0))[1].numpy().tolist() == [0, -3]


def initialized_on_one_side(x: Any) -> Any:
    if x > 0:
        y = 1
    return y


def other_dtype(x: Any) -> Any:
    if x > 0:
        y = tf.constant(1)
    else:
        y = tf.constant(1.0)
    return y


def other_structure(x: Any) -> Any:
    if x > 0:
        y = (x, x)
    else:
        y = (x,)
    return y


def none_on_one_side(x: Any) -> Any:
    y = None
    if x > 0:
        y = x
    return y


def return_on_one_side(x: Any) -> Any:
    if x > 0:
        return x


def object_on_one_side(x: Any) -> Any:
    y = object()
    if x > 0:
        y = object()
    return 1 if y is None else 0


def number_as_condition(x: Any) -> Any:
    return 1 if x else 2


def vector_as_condition(x: Any) -> Any:
    if tf.stack([x, x]) > 0:
        return 1
    return 2


@pytest.mark.parametrize(
    ("function", "error", "says"),
    [
        (initialized_on_one_side, ValueError, "'y' must also be initialized in the else branch"),
        (other_dtype, TypeError, "'y' has dtype int32 in the main branch, but dtype float32 in the else branch"),
        (other_structure, TypeError, "'y' must have the same nested structure in the main and else branches"),
        (none_on_one_side, ValueError, "'y' is None at the end of the else branch"),
        (return_on_one_side, ValueError, "A value must also be returned from the else branch"),
        (object_on_one_side, TypeError, "'y' must be a tensor, a number, or a nest"),
        (number_as_condition, ValueError, "expected to be `tf.bool` scalar.*tf.cast"),
        (vector_as_condition, ValueError, "expected to be `tf.bool` scalar.*reduce_all"),
    ],
)
def test_what_branches_cannot_do_is_said(function: Any, error: Any, says: str) -> None:
    with pytest.raises(error, match=says):
        tf.function(function)(tf.constant(1.0))


# ---- loops


def collatz(n: Any) -> Any:
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def found(limit: Any) -> Any:
    for i in tf.range(limit):
        for j in tf.range(i):
            if i * j > 20:
                return i, j
    return -1, -1


def skipping(n: Any) -> Any:
    total = 0
    for i in tf.range(n):
        if i == 1:
            continue
        if i > 6:
            break
        total += i
    return total


def last_of(n: Any) -> Any:
    for i in tf.range(n):
        last = i * 3
        if i == 2:
            break
        square = i * i
    return last, square, i


def until(x: Any) -> Any:
    while tf.constant(True):
        x = x * 2
        if x > 100:
            break
    return x


def rows(x: Any) -> Any:
    total = 0.0
    for i, (row, other) in enumerate(zip(x, -x, strict=False)):
        for v in row:
            if v < 0:
                continue
            total += v * tf.cast(i, tf.float32)
        total += other[0]
    return total


@pytest.mark.parametrize("n", [1, 6, 27])
def test_while(n: int) -> None:
    both(collatz, n)


@pytest.mark.parametrize("limit", [3, 6, 7, 50])
def test_return_out_of_nested_loops(limit: int) -> None:
    both(found, limit)


@pytest.mark.parametrize("n", [0, 1, 2, 5, 20])
def test_break_and_continue(n: int) -> None:
    both(skipping, n)


@pytest.mark.parametrize("n", [2, 5])
def test_variables_first_assigned_in_the_loop(n: int) -> None:
    both(last_of, n)


@pytest.mark.parametrize("x", [0, 9])
def test_python_loops_after_a_return_on_a_tensor(x: int) -> None:
    both(added_after_a_return, x)


@pytest.mark.parametrize("x", [3, 101])
def test_while_true_with_a_break_on_a_tensor(x: int) -> None:
    both(until, x)


def test_rows_enumerate_and_zip() -> None:
    x = tf.constant([[1.0, -2.0], [3.0, 4.0], [5.0, -6.0]])
    assert float(tf.function(rows)(x)) == (3 + 4) + 5 * 2 - 9


@pytest.mark.parametrize(
    "bounds", [(5,), (2, 5), (5, 0, -2), (0, 5, -1), (0, 0), (np.int64(3), np.int64(9), np.int64(4))]
)
@pytest.mark.parametrize("symbolic", [True, False])
def test_ranges(bounds: tuple[int, ...], symbolic: bool) -> None:
    seen: list[int] = []

    def loop(*ends: Any) -> None:
        for i in tf.range(*ends):
            tf.py_function(lambda i: seen.append(int(i)), [i], [])

    if bounds == (0, 5, -1) and not symbolic:  # known while the graph is built
        with pytest.raises(ValueError, match="Requires start >= limit when delta < 0"):
            tf.function(loop)(*bounds)
        return
    tf.function(loop)(*[tf.constant(b) if symbolic else b for b in bounds])
    assert seen == list(range(*map(int, bounds)))


@pytest.mark.parametrize("bounds", [(-3,), (5, 0), (4,), (2, 4)])
def test_a_python_range_of_tensors_is_empty_where_pythons_is(bounds: tuple[int, ...]) -> None:
    def total(*ends: Any) -> Any:
        out = 0
        for i in range(*ends):
            out += i + 1
        return out

    assert int(tf.function(total)(*map(tf.constant, bounds))) == total(*bounds)
    known = tf.function(lambda: total(*map(tf.constant, bounds)))
    assert int(known()) == total(*bounds)


def test_range_of_floats() -> None:
    def total(step: Any) -> Any:
        out = 0.0
        for v in tf.range(0.0, 1.0, step):
            out += v
        return out

    both(total, 0.1)


def test_a_range_loop_makes_no_numbers() -> None:
    @tf.function
    def f(n: Any) -> Any:
        out = 0
        for i in tf.range(n):
            out += i
            if i > 3:
                break
        return out

    assert int(f(tf.constant(2**31 - 2))) == 10


def test_state_in_objects_and_dicts() -> None:
    class Meter:
        def __init__(self) -> None:
            self.total: Any = tf.constant(0.0)
            self.__calls: Any = tf.constant(0)

        @tf.function
        def add(self, x: Any) -> Any:
            notes = {"largest": x[0]}
            for v in x:
                self.total = self.total + v
                self.__calls += 1
                if v > notes["largest"]:
                    notes["largest"] = v
            result = (self.total, self.__calls, notes["largest"])
            self.total, self.__calls = tf.constant(0.0), tf.constant(0)
            return result

    meter = Meter()
    assert [float(v) for v in meter.add(tf.constant([1.0, 5.0, 2.0]))] == [8, 3, 5]


def test_objects_and_unchanged_values_stay_what_they_are() -> None:
    kept: list[Any] = []

    @tf.function
    def f(x: Any, mode: str, width: int) -> Any:
        shape, found = [width, 2], object_before
        for _ in tf.range(3):
            if mode == "never":
                shape, found, width = [0], None, 0
            x = x + 1
        kept.extend([shape, width, found])
        return tf.ones(shape) * x

    object_before = object()
    assert f(tf.constant(0.0), "wide", 3).shape == (3, 2)
    assert kept[0] == [3, 2] and kept[1] == 3 and kept[2] is object_before


def test_none_that_nobody_asks_about_may_become_a_tensor() -> None:
    @tf.function
    def f(x: Any) -> Any:
        loss = None
        for v in x:
            loss = v * 2
        return loss

    assert float(f(tf.constant([1.0, 3.0]))) == 6


def test_the_body_is_traced_once() -> None:
    traced: list[str] = []

    @tf.function
    def f(n: Any) -> Any:
        total = 0
        for i in tf.range(n):
            traced.append("body")
            total += i
        return total

    assert int(f(tf.constant(4))) == 6
    assert int(f(tf.constant(5))) == 10
    assert traced == ["body"]


def test_builtins_of_tensors() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def f(x: Any) -> Any:
        total = 0
        for i in range(len(x)):
            total += i
        return total, int(x[0]), float(total), min(x[0], x[1]), max(x), any(x > 2.5), all(x > 2.5)

    assert [float(v) for v in f(tf.constant([1.5, 2.0, 3.0]))] == [3, 1, 3, 1.5, 3, 1, 0]


def test_loop_options() -> None:
    @tf.function
    def grow(n: Any) -> Any:
        v = tf.constant([0])
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(v, tf.TensorShape([None]))])
            v = tf.concat([v, [i]], 0)
        return v

    @tf.function
    def limited() -> Any:
        n = 0
        for _ in tf.range(10):
            tf.autograph.experimental.set_loop_options(maximum_iterations=3)
            n += 1
        return n

    assert grow(tf.constant(3)).numpy().tolist() == [0, 0, 1, 2]
    assert int(limited()) == 3


def test_assert_runs_with_the_graph() -> None:
    @tf.function
    def f(x: Any) -> Any:
        assert x > 0, "must be positive"
        return x

    assert float(f(tf.constant(1.0))) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"assertion failed: \[must be positive\]"):
        f(tf.constant(-1.0))


def grown(x: Any) -> Any:
    y = x
    for _ in tf.range(2):
        y = tf.py_function(lambda v: v, [y], tf.float32)
    return y


def widened(x: Any) -> Any:
    y = 0
    for _ in tf.range(2):
        y = tf.cast(y, tf.float32)
    return y


def restructured(x: Any) -> Any:
    y = (x, x)
    for _ in tf.range(2):
        y = (x,)
    return y


def replaced(x: Any) -> Any:
    y = object()
    for _ in tf.range(2):
        y = object()
    return 1 if y is None else 0


def asked_for_none(x: Any) -> Any:
    best = None
    for v in tf.stack([x, x]):
        best = v if best is None else tf.maximum(best, v)
    return best


def gathered_until(x: Any) -> Any:
    seen = []
    for i in [1, 2, 3]:
        if x < i:
            break
        seen.append(i)  # in a graph all of them would be, whatever the tensor is
    return tf.stack(seen)


def added_after_a_return(x: Any) -> Any:
    if x > 5:
        return x
    for i in [1, 2]:
        x = x + i
    for i in [3, 4]:
        if i == 4:
            return -x
        x = x * i
    return x


def returned_from_one_item(x: Any) -> Any:
    for i in [1]:
        if x < i:
            return x
    return -x


def true_until(x: Any) -> Any:
    while True:
        x = x * 2
        if x > 100:
            break
    return x


def changing_its_kind(x: Any) -> Any:
    n = 0
    while n < 3:
        n = n + x
    return n


def read_before_it_is_set(x: Any) -> Any:
    for i in tf.range(tf.cast(x, tf.int32)):
        if i == 0:
            seen = x
        else:
            seen = seen + x
    return seen


def against_its_invariant(x: Any) -> Any:
    t = tf.stack([x])
    for _ in tf.range(3):
        tf.autograph.experimental.set_loop_options(shape_invariants=[(t, tf.TensorShape([1]))])
        t = tf.concat([t, t], 0)
    return t


def made_in_a_nest(n: Any) -> Any:
    i = 0
    while i < n:
        made = {"a": tf.zeros([1, i]), "b": tf.ones(tf.range(i))}
        i += 1
    return made["a"], made["b"]


def returned_at_once(items: Any) -> Any:
    for item in items:
        if item > 1:
            return item
        else:
            return -item


def test_a_nest_made_in_a_loop_has_the_shapes_that_its_turns_give() -> None:
    a, b = tf.function(made_in_a_nest)(tf.constant(2))
    assert a.shape == [1, 1] and b.shape == [0]


def test_a_loop_that_returns_in_every_turn_must_have_one() -> None:
    function = tf.function(returned_at_once)
    assert [int(function(tf.constant(items))) for items in ([1, 5], [3])] == [-1, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="must iterate at least once to initialize the function"):
        function(tf.constant([], tf.int32))


@pytest.mark.parametrize(
    ("function", "error", "says"),
    [
        (read_before_it_is_set, ValueError, "'seen' must be defined before the loop"),
        (
            against_its_invariant,
            ValueError,
            r"'t' has shape \(2,\) after one iteration, which does not conform with the shape invariant \(1,\)",
        ),
        (
            grown,
            ValueError,
            r"'y' has shape \(\) before the loop, but shape <unknown> after one iteration. Use "
            r"tf.autograph.experimental.set_loop_options to set shape invariants, or state the shape with set_shape.",
        ),
        (widened, TypeError, "'y' has dtype int32 before the loop, but dtype float32 after one iteration"),
        (restructured, TypeError, "'y' does not have the same nested structure after one iteration"),
        (replaced, TypeError, "'y' is <object.* before the loop, but <object.* after one iteration"),
        (asked_for_none, ValueError, "'best' is not allowed to be None before the loop"),
        (gathered_until, NotImplementedError, r"depend on a TF condition .* iterates over \[1, 2, 3\]"),
        (
            returned_from_one_item,
            NotImplementedError,
            r"not supported in Python for loops: this one iterates over \[1\]",
        ),
        (true_until, NotImplementedError, "condition of while loop started as non-Tensor, then changed to Tensor"),
        (changing_its_kind, NotImplementedError, "Make it a loop in the graph: start from a tensor"),
    ],
)
def test_what_loops_cannot_do_is_said(function: Any, error: Any, says: str) -> None:
    with pytest.raises(error, match=says):
        tf.function(function)(tf.constant(1.0))


def test_a_condition_from_outside_the_loop() -> None:
    @tf.function(autograph=False)
    def by_hand(up: Any, n: Any) -> Any:
        body = lambda i, s: (i + 1, tf.cond(up, lambda: s + i, lambda: s - i))  # noqa: E731
        return tf.while_loop(lambda i, s: i < n, body, [0, 0])[1]

    @tf.function
    def converted(up: Any, n: Any) -> Any:
        s = 0
        for i in tf.range(n):
            if up:
                s += i
            else:
                s -= i
        return s

    for up in (True, False):
        for f in (by_hand, converted):
            assert int(f(tf.constant(up), tf.constant(4))) == (6 if up else -6)


# ---- what is converted


def relu(x: Any) -> Any:
    if x > 0:
        return x
    return tf.zeros_like(x)


class Layer:
    def __init__(self, slope: float) -> None:
        self.slope = slope

    def leaky(self, x: Any) -> Any:
        if x > 0:
            return x
        return x * self.slope

    def __call__(self, x: Any) -> Any:
        return self.leaky(x)


class Doubled(Layer):
    def leaky(self, x: Any) -> Any:
        return 2 * super().leaky(x)


@pytest.mark.parametrize(
    ("callee", "expected"),
    [
        (relu, 0.0),
        (Layer(0.5).leaky, -1.0),
        (Layer(0.5), -1.0),
        (Doubled(0.5), -2.0),
        (functools.partial(Layer.leaky, Layer(0.25)), -0.5),
        (lambda x: x if x > 0 else -x, 2.0),
        (tf.function(relu), 0.0),
        (np.vectorize(float), None),
    ],
)
def test_callees_are_converted(callee: Any, expected: float | None) -> None:
    def f(x: Any) -> Any:
        return callee(x) if expected is not None else tf.constant(callee(-2))

    assert float(tf.function(f)(tf.constant(-2.0))) == (-2.0 if expected is None else expected)


def test_lambdas_on_one_line_are_told_apart() -> None:
    pair = [lambda x: x if x > 0 else -x, lambda x: 2 * x if x > 0 else (lambda y: y * 3)(x)]
    assert [float(tf.function(f)(tf.constant(-1.0))) for f in pair] == [1, -3]


def test_do_not_convert_leaves_a_function_alone() -> None:
    @tf.autograph.experimental.do_not_convert
    def plain(x: Any) -> Any:
        return 1 if x > 0 else 2

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(lambda x: plain(x))(tf.constant(1.0))
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(relu, autograph=False)(tf.constant(1.0))
    assert plain(1) == 1 and plain.__name__ == "plain"


def test_the_body_of_a_host_function_is_not_converted() -> None:
    kinds: list[Any] = []

    @tf.function
    def f(x: Any) -> Any:
        factor = 3.0

        def host(v: Any) -> Any:
            kinds.append(type(v).__name__)
            return v * factor if v > 0 else v

        @tf.py_function(Tout=tf.float32)
        def decorated(v: Any) -> Any:
            for _ in range(2):
                v = v * factor
            return v

        first = tf.py_function(host, [x], tf.float32)
        second = tf.py_function(lambda v: v + 1.0 if v > 0 else v, [x], tf.float32)
        return first, second, decorated(x), tf.numpy_function(lambda a, b: a + b, [x, x], tf.float32)

    assert [float(v) for v in f(tf.constant(2.0))] == [6, 3, 18, 4]
    assert kinds == ["EagerTensor"]
    hosts = [n.host for n in f.get_concrete_function(tf.constant(2.0)).graph.nodes if n.host is not None]
    assert len(hosts) == 4
    for host in hosts:
        assert "ag__" not in host.fn.__code__.co_freevars


def test_decorators_inside_a_traced_function_are_kept() -> None:
    def plus_one(function: Any) -> Any:
        @functools.wraps(function)
        def wrapper(v: Any) -> Any:
            if v > 0:
                return function(v) + 1.0
            return function(v)

        return wrapper

    @tf.function
    def f(x: Any) -> Any:
        @plus_one
        def doubled(v: Any) -> Any:
            return v * 2.0 if v > 0 else v * 3.0

        return doubled(x), tf.py_function(doubled, [x], tf.float32)

    assert [float(v) for v in f(tf.constant(2.0))] == [5, 5]
    assert [float(v) for v in f(tf.constant(-2.0))] == [-6, -6]


def test_a_function_without_source_runs_as_it_is_and_says_so_when_it_fails() -> None:
    scope: dict[str, Any] = {}
    exec("def fine(x):\n    return x + 1\ndef branching(x):\n    return 1 if x > 0 else 2\n", scope)
    assert float(tf.function(scope["fine"])(tf.constant(1.0))) == 2
    with pytest.raises(
        tf.errors.OperatorNotAllowedInGraphError, match="AutoGraph could not convert branching .*source"
    ):
        tf.function(scope["branching"])(tf.constant(1.0))


def failing(x: Any) -> Any:
    total = x
    for _ in tf.range(3):
        if total > 0:
            total = tf.reshape(total, [2, 2])  # the line that fails
    return total


def test_errors_while_tracing_show_the_users_lines() -> None:
    with pytest.raises(ValueError) as caught:
        tf.function(failing)(tf.constant(1.0))
    mine = [frame for frame in traceback.extract_tb(caught.value.__traceback__) if frame.filename == __file__]
    lines = [frame.line for frame in mine]
    for expected in (
        "for _ in tf.range(3):",
        "if total > 0:",
        "total = tf.reshape(total, [2, 2])  # the line that fails",
    ):
        assert expected in lines
    root = str(Path(__file__).resolve().parents[3])
    frames = [f for f in traceback.extract_tb(caught.value.__traceback__) if not f.filename.startswith(root)]
    assert all(tempfile.gettempdir() not in frame.filename for frame in frames)


def test_a_caught_error_leaves_the_variables_as_they_were() -> None:
    @tf.function
    def f(x: Any) -> Any:
        try:
            for _ in tf.range(2):
                x = tf.py_function(lambda v: v, [x], tf.float32)
        except ValueError as error:
            assert "set_shape" in str(error)
        return x

    assert float(f(tf.constant(4.0))) == 4


def test_converted_code_dies_with_the_function() -> None:
    def make() -> Any:
        marker = np.zeros(3)

        @tf.function
        def f(x: Any) -> Any:
            def inner(v: Any) -> Any:
                return v if v > marker[0] else -v

            return inner(x)

        f(tf.constant(1.0))
        return weakref.ref(marker)

    reference = make()
    gc.collect()
    assert reference() is None


def test_code_can_be_looked_at() -> None:
    assert "ag__.if_stmt" in tf.autograph.to_code(relu)
    assert "def tf__relu" in tf.autograph.to_code(tf.function(relu))
    with pytest.raises(ValueError, match="generators are not supported"):
        tf.autograph.to_code(generator)
    converted = tf.autograph.to_graph(relu)
    assert float(converted(tf.constant(-1.0))) == 0


def generator(x: Any) -> Any:
    yield x


# ---- gradients


def powers(x: Any, n: Any) -> Any:
    y = x
    for i in tf.range(n):
        if i % 2 == 0:
            y = tf.py_function(lambda a: a * a, [y], tf.float32)
            y.set_shape([])
        else:
            y = y * x
        if y > 1e6:
            break
    return y


@pytest.mark.parametrize(("n", "power"), [(0, 1), (1, 2), (2, 3), (3, 6), (4, 7)])
def test_gradients_of_order_one_and_two(n: int, power: int) -> None:
    @tf.function
    def both_orders(x: Any, n: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = powers(x, n)
            first = inner.gradient(y, x)
        return y, first, outer.gradient(first, x)

    x = 1.25
    expected = (x**power, power * x ** (power - 1), power * (power - 1) * x ** max(power - 2, 0))
    y, first, second = both_orders(tf.constant(x), tf.constant(n))
    second = 0.0 if second is None else second
    np.testing.assert_allclose([float(v) for v in (y, first, second)], expected, rtol=1e-5)

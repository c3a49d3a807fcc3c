"""Every runner and every pass agrees with the reference interpreter, on random graphs of ops, functions and order."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inlay as tf
from inlay._src.base.types import dtypes
from inlay._src.core.tensor import EagerTensor
from inlay._src.engine.plan.build import build
from inlay._src.engine.plan.plan import verify
from inlay._src.engine.plan.rewrite import Passes
from inlay._src.engine.run import reference as interpreter
from inlay._src.engine.run.executable import Executable
from inlay._src.engine.run.lowering import chunks, writer
from inlay._src.engine.run.lowering.whole import whole_plan
from inlay._src.engine.run.scheduling import work_stealing
from inlay._src.engine.run.scheduling.history import History

Outcome = tuple[str, Any]
SHAPES: tuple[tuple[int, ...], ...] = ((), (3,), (2, 3))


class Program:
    """A random graph, its placeholders, the tensors worth fetching, and a log of the stateful calls of one run."""

    def __init__(self, seed: int, failing: bool) -> None:
        self.choose = random.Random(seed)
        self.log: list[int] = []
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.inputs = [tf.compat.v1.placeholder(tf.float32, s, name=f"in{i}") for i, s in enumerate(SHAPES)]
            self.tensors: list[Any] = [*self.inputs, tf.constant([1.0, -2.0, 3.0]), tf.constant(0.5)]
            for k in range(self.choose.randint(4, 24)):
                self._grow(k)
            self.fails = failing and self._add_failure()
        everything = self.tensors[len(self.inputs) :]
        self.fetches = self.choose.sample(everything, min(len(everything), 6))
        if self.fails:
            self.fetches.append(self.tensors[-1])

    def _grow(self, k: int) -> None:
        x, y = self.choose.choice(self.tensors), self.choose.choice(self.tensors)
        if not tf.TensorShape(x.shape).rank or not x.shape.is_compatible_with(y.shape):
            y = x  # shapes that are known not to broadcast are refused while building; unknown ones fail in the run
        control = [self.choose.choice(self.tensors)] if self.choose.random() < 0.2 else []
        with tf.control_dependencies(control):
            made = self.choose.choice(
                [
                    lambda: x + y, lambda: x * y, lambda: tf.sin(x), lambda: tf.maximum(x, y), lambda: tf.identity(x),
                    lambda: tf.reshape(x, [-1]), lambda: tf.reduce_sum(x), lambda: tf.square(x) - y,
                    lambda: self._function(k, x, y), lambda: self._function(k, x, x), lambda: self._eager(x),
                    lambda: self._overwriting(k, x), lambda: self._stateless(x),
                    lambda: tf.unstack(tf.stack([x, x]), num=2)[0], lambda: self._loop(k, x, y),
                    lambda: self._choice(k, x, y), lambda: self._rows(k, x),
                ]
            )()  # fmt: skip
        self.tensors.append(made)

    def _function(self, k: int, x: Any, y: Any) -> Any:
        def add(a: Any, b: Any) -> Any:
            self.log.append(k)
            return np.asarray(a + b, np.float32)

        return tf.numpy_function(add, [x, y], tf.float32)

    def _loop(self, k: int, x: Any, y: Any) -> Any:
        """A loop whose turns have a branch, maybe a function or a loop; both loop variables may change places."""
        turns, threshold = self.choose.randint(0, 4), self.choose.choice([-1.0, 0.5, 3.0])
        inner = self.choose.choice(["none", "function", "loop"])
        swaps = self.choose.random() < 0.3
        any_ = [tf.TensorShape([]), tf.TensorShape(None), tf.TensorShape(None)]

        def turn(i: Any, a: Any, b: Any) -> Any:
            made = tf.cond(tf.reduce_sum(a) > threshold, lambda: a * 0.5, lambda: a + b)
            if inner == "function":
                made = self._overwriting(k, made)
            if inner == "loop":
                _, made = tf.while_loop(lambda j, _: j < 2, lambda j, v: (j + 1, tf.sin(v) + b), [0, made], any_[:2])
            return (i + 1, b, made) if swaps else (i + 1, made, b)

        limit = self.choose.choice([None, 2])
        return tf.while_loop(lambda i, *_: i < turns, turn, [0, x, x * y], any_, maximum_iterations=limit)[1]

    def _choice(self, k: int, x: Any, y: Any) -> Any:
        branches = [lambda: x, lambda: self._stateless(x) + y, lambda: self._function(k, x, y)]
        index = tf.cast(tf.reduce_sum(x), tf.int32) % 4
        made = tf.switch_case(index, branches[: self.choose.randint(2, 3)])
        made.set_shape(x.shape)
        return made

    def _rows(self, k: int, x: Any) -> Any:
        rows = tf.stack([x, x * 2.0, x + 1.0])
        if self.choose.random() < 0.5:
            made = tf.scan(lambda a, row: a * 0.5 + row, rows)[-1]
        else:
            made = tf.map_fn(lambda row: self._function(k, row, row), rows)[1]
        made.set_shape(x.shape)
        return made

    def _overwriting(self, k: int, x: Any) -> Any:
        kept: list[Any] = []

        def overwrite(a: Any) -> Any:
            self.log.append(k)
            if isinstance(a, np.ndarray):
                a += 1
                kept.append(a)
                return a
            return a + np.float32(1)

        return tf.numpy_function(overwrite, [x], tf.float32)

    def _stateless(self, x: Any) -> Any:
        return tf.numpy_function(_halved, [x], tf.float32, stateful=False)

    def _eager(self, x: Any) -> Any:
        return tf.py_function(lambda a: a * a, [x], tf.float32)

    def _add_failure(self) -> bool:
        def fail(a: Any) -> Any:
            raise KeyError("no such thing")

        victim = self.choose.choice(self.tensors)
        self.tensors.append(tf.numpy_function(fail, [victim], tf.float32, name="victim") * 2.0)
        return True

    def executable(self, passes: Passes | None = None) -> Executable:
        plan = build(self.graph, self.fetches, self.inputs, passes)
        verify(plan)
        return Executable(plan, self.graph)

    def feeds(self) -> list[Any]:
        rng = np.random.default_rng(7)
        return [np.asarray(rng.normal(size=s), np.float32)[()] for s in SHAPES]


def _halved(a: Any) -> Any:
    return np.asarray(a / np.float32(2), np.float32)


Runner = Callable[[Executable, list[Any]], Any]


def outcome(program: Program, made: Executable, run: Runner) -> Outcome:
    """What a runner makes of a plan: ("values", [...]) or ("error", class and first line); and its calls."""
    program.log.clear()
    plan, cells = made.plan, made.template.copy()
    feeds = program.feeds()
    before = [np.array(f) for f in feeds]
    for feed, value in zip(plan.feeds, feeds, strict=True):
        cells[feed.slot] = value.copy() if feed.escapes else value
    try:
        with np.errstate(all="ignore"):
            run(made, cells)
    except tf.errors.OpError as error:
        return "error", (type(error).__name__, isinstance(error, KeyError), error.message.splitlines()[0])
    finally:
        for fed, copy in zip(feeds, before, strict=True):
            np.testing.assert_array_equal(fed, copy)
    values = [cells[slot] for slot in plan.fetches]
    return "values", [np.array(v._value if isinstance(v, EagerTensor) else v) for v in values]


def reference(made: Executable, cells: list[Any]) -> None:
    interpreter.execute(made.steps, made.calls, cells)


def body_of(made: Executable) -> Any:
    return whole_plan(made.plan, made.calls).function


def hot(made: Executable, cells: list[Any]) -> None:
    body_of(made)(cells, work_stealing.Armed(made.steps, made.calls, cells))


def reusing(made: Executable, cells: list[Any]) -> None:
    """Writes results into inputs whatever their size: the arrays of these programs are small."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "IN_PLACE_SIZE", -1)
        hot(made, cells)


def in_parts(made: Executable, cells: list[Any]) -> None:
    """As a plan too large to be one function, whose parts write results into inputs whatever their size."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "IN_PLACE_SIZE", -1)
        patch.setattr(chunks, "CHUNK", 3)
        written = chunks.Chunks(made.plan, made.calls, made.template)
        while written.function is None:
            written.write_for_runs(1)
        function = written.function
    function(cells, work_stealing.Armed(made.steps, made.calls, cells))


def watched(made: Executable, cells: list[Any]) -> None:
    work_stealing.execute(made.steps, made.calls, cells, body=body_of(made), history=History())


def shared(made: Executable, cells: list[Any]) -> None:
    history = History()
    history.taken_over()
    work_stealing.execute(made.steps, made.calls, cells, history=history)


def heard(made: Executable, cells: list[Any]) -> None:
    cells[:] = [None if c is None else EagerTensor(c, dtypes.as_dtype(c.dtype)) for c in cells]
    made.record(cells)


def same(one: Outcome, two: Outcome) -> None:
    assert one[0] == two[0], (one, two)
    if one[0] == "error":
        assert one[1] == two[1]
    else:
        for a, b in zip(one[1], two[1], strict=True):
            assert a.dtype == b.dtype
            assert a.shape == b.shape
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("runner", [hot, reusing, in_parts, watched, shared, heard])
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**9), failing=st.booleans())
def test_runners_agree_with_the_reference(runner: Runner, seed: int, failing: bool) -> None:
    program = Program(seed, failing)
    made = program.executable()
    expected = outcome(program, made, reference)
    calls = list(program.log)
    found = outcome(program, made, runner)
    same(expected, found)
    if runner is not shared and not program.fails:
        assert program.log == calls
    else:
        assert sorted(program.log) == sorted(calls) or program.fails


@pytest.mark.parametrize("passes", [Passes(False, False), Passes(True, False), Passes(False, True)])
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**9), failing=st.booleans())
def test_plans_without_a_pass_give_the_same_values(passes: Passes, seed: int, failing: bool) -> None:
    program = Program(seed, failing)
    same(outcome(program, program.executable(), reference), outcome(program, program.executable(passes), reference))


def test_extremes_are_written_in_place_without_a_warning_of_numpy() -> None:
    fed = np.linspace(-2, 2, writer.IN_PLACE_SIZE * 4, dtype=np.float32)
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, fed.shape)
        plan = build(graph, [tf.minimum(tf.maximum(tf.sin(x), -0.5), 0.5)], [x])
    made = Executable(plan)
    cells = made.template.copy()
    cells[plan.feeds[0].slot] = fed
    body_of(made)(cells)  # a warning would be an error here
    np.testing.assert_array_equal(cells[plan.fetches[0]], np.sin(fed).clip(-0.5, 0.5))


@pytest.mark.parametrize(("reused", "buffers"), [(True, 1), (False, 2)])
def test_an_elementwise_chain_is_computed_in_place(monkeypatch: pytest.MonkeyPatch, reused: bool, buffers: int) -> None:
    size = writer.IN_PLACE_SIZE * 4
    if not reused:
        monkeypatch.setattr(writer, "IN_PLACE_SIZE", size)
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [size])
        y = x
        for _ in range(6):
            y = tf.sin(y) + 1.0
        plan = build(graph, [y], [x])
    made = Executable(plan)
    run = body_of(made)
    fed = np.linspace(0, 1, size, dtype=np.float32)
    kept = fed.copy()
    cells = made.template.copy()
    cells[plan.feeds[0].slot] = fed
    tracemalloc.start()
    try:
        run(cells)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    expected = kept
    for _ in range(6):
        expected = np.sin(expected) + np.float32(1)
    np.testing.assert_array_equal(cells[plan.fetches[0]], expected)
    np.testing.assert_array_equal(fed, kept)
    assert round(peak / fed.nbytes) == buffers, "besides the caller's array"


def test_plans_of_equal_structure_share_their_code() -> None:
    def made_of(function: Any) -> Executable:
        with tf.Graph().as_default() as graph:
            x = tf.compat.v1.placeholder(tf.float32, [3])
            y = tf.numpy_function(function, [x], tf.float32) * 2.0
            return Executable(build(graph, [y], [x]), graph)

    assert body_of(made_of(np.negative)).__code__ is body_of(made_of(np.abs)).__code__

"""Every lowering and every pass agrees with the reference interpreter, on random graphs of ops, functions and order."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inlay as tf
from inlay._src.base.tuning import TUNING
from inlay._src.core import device
from inlay._src.core.tensor import EagerTensor
from inlay._src.engine.plan.build import build
from inlay._src.engine.plan.plan import Feed, Plan, verify, with_frees
from inlay._src.engine.plan.rewrite import Passes
from inlay._src.engine.run import reference as interpreter
from inlay._src.engine.run.executable import Executable
from inlay._src.engine.run.fusion import elementwise
from inlay._src.engine.run.lowering.joined import Joined, joinable
from inlay._src.engine.run.lowerings import as_source
from inlay._src.engine.run.registry import GROUPS, Lowering
from inlay._src.engine.run.scheduling import work_stealing
from scripts.execution import LOWERINGS
from tests.unit.run.test_xla_segments import agree, random_graph

Outcome = tuple[str, Any]
SHAPES: tuple[tuple[int, ...], ...] = ((), (3,), (2, 3))
POOL = ThreadPoolExecutor(2)


class Program:
    """A random graph, its placeholders, the tensors worth fetching, and a log of the stateful calls of one run.

    Attributes:
      kinds: how tensors are made of others; None is in any way that needs no executor.
      most_fetched: tensors that are fetched at most.
    """

    kinds: tuple[str, ...] | None = None
    most_fetched = 6

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
        self.fetches = self.choose.sample(everything, min(len(everything), self.most_fetched))
        if self.fails:
            self.fetches.append(self.tensors[-1])

    def _grow(self, k: int) -> None:
        x, y = self.choose.choice(self.tensors), self.choose.choice(self.tensors)
        if not tf.TensorShape(x.shape).rank or not x.shape.is_compatible_with(y.shape):
            y = x  # shapes that are known not to broadcast are refused while building; unknown ones fail in the run
        control = [self.choose.choice(self.tensors)] if self.choose.random() < 0.2 else []
        with tf.control_dependencies(control):
            made = self.choose.choice([make for kind, make in self._makers(k, x, y).items() if self._has(kind)])()
        self.tensors.append(made)

    def _has(self, kind: str) -> bool:
        return kind != "elsewhere" if self.kinds is None else kind in self.kinds

    def _elsewhere(self, k: int, x: Any) -> Any:
        raise NotImplementedError

    def _makers(self, k: int, x: Any, y: Any) -> dict[str, Callable[[], Any]]:
        return {
            "add": lambda: x + y, "multiply": lambda: x * y, "sin": lambda: tf.sin(x),
            "maximum": lambda: tf.maximum(x, y), "identity": lambda: tf.identity(x),
            "reshape": lambda: tf.reshape(x, [-1]), "sum": lambda: tf.reduce_sum(x),
            "difference": lambda: tf.square(x) - y, "unstack": lambda: tf.unstack(tf.stack([x, x]), num=2)[0],
            "function": lambda: self._function(k, x, y), "twice": lambda: self._function(k, x, x),
            "eager": lambda: self._eager(x), "overwriting": lambda: self._overwriting(k, x),
            "stateless": lambda: self._stateless(x), "loop": lambda: self._loop(k, x, y),
            "choice": lambda: self._choice(k, x, y), "rows": lambda: self._rows(k, x),
            "elsewhere": lambda: self._elsewhere(k, x),
        }  # fmt: skip

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

    def fill(self, made: Executable, cells: list[Any]) -> None:
        """Puts the state of a new run into its cells."""

    def feeds(self) -> list[Any]:
        rng = np.random.default_rng(7)
        return [np.asarray(rng.normal(size=s), np.float32)[()] for s in SHAPES]


def _halved(a: Any) -> Any:
    return np.asarray(a / np.float32(2), np.float32)


class Kernels(Program):
    """A random graph of kernels alone."""

    kinds = ("add", "multiply", "sin", "maximum", "identity", "reshape", "sum", "difference", "unstack")


class Elementwise(Program):
    """A random graph of elementwise kernels, most of whose results only other kernels read."""

    kinds = ("add", "multiply", "sin", "maximum", "difference")
    most_fetched = 2


class OnExecutors(Program):
    """A random graph some of whose functions a thread pool runs."""

    kinds = (*Kernels.kinds, "function", "stateless", "eager", "elsewhere")

    def _elsewhere(self, k: int, x: Any) -> Any:
        def negate(a: Any) -> Any:
            return np.asarray(-a, np.float32)

        return tf.numpy_function(negate, [x], tf.float32, executor=POOL, name=f"elsewhere{k}")


class Gradients(Program):
    """The gradients of random loops."""

    def __init__(self, seed: int, failing: bool) -> None:
        self.choose = random.Random(seed)
        self.log, self.fails = [], False
        with tf.Graph().as_default() as self.graph:
            self.inputs = [tf.compat.v1.placeholder(tf.float32, s, name=f"in{i}") for i, s in enumerate(SHAPES)]
            x = self.choose.choice(self.inputs)
            y = self.choose.choice([t for t in self.inputs if t.shape == x.shape or not t.shape])
            turn = self.choose.choice([
                lambda v, w: (tf.sin(v) * y, w + v), lambda v, w: (w * 0.5, v - y), lambda v, w: (v * w, tf.tanh(w)),
                lambda v, w: (tf.cond(tf.reduce_sum(v) > 0.0, lambda: v * y, lambda: v - w), w),
            ])  # fmt: skip
            turns = self.choose.randint(0, 5)
            results = tf.while_loop(lambda i, *_: i < turns, lambda i, v, w: (i + 1, *turn(v, w)), [0, x, x * 0.5 + y])
            self.fetches = [results[1], *tf.gradients(self.choose.choice(results[1:]), [x])]


class Training(Program):
    """The updates of several variables by a random optimizer."""

    def __init__(self, seed: int, failing: bool) -> None:
        self.choose = random.Random(seed)
        self.log, self.fails = [], False
        with tf.Graph().as_default() as self.graph:
            self.inputs = [tf.compat.v1.placeholder(tf.float32, s, name=f"in{i}") for i, s in enumerate(SHAPES)]
            train = tf.compat.v1.train
            optimizer = self.choose.choice(
                [train.GradientDescentOptimizer(0.5), train.AdamOptimizer(0.1), train.MomentumOptimizer(0.1, 0.9)]
            )
            chosen = [self.choose.choice(self.inputs) for _ in range(self.choose.randint(2, 6))]
            self.variables = [
                tf.compat.v1.get_variable(f"w{k}", initializer=tf.ones(x.shape)) for k, x in enumerate(chosen)
            ]
            pairs = [(x * float(k + 1), w) for k, (x, w) in enumerate(zip(chosen, self.variables, strict=True))]
            with tf.control_dependencies([optimizer.apply_gradients(pairs)]):
                self.fetches = [tf.identity(w.read_value()) for w in self.variables]

    def fill(self, made: Executable, cells: list[Any]) -> None:
        """Variables as new ones in a session of their own."""
        self.session = tf.compat.v1.Session(graph=self.graph)
        with self.graph.as_default():
            self.session.run(tf.compat.v1.global_variables_initializer())
        for cell, key in made.resources:
            cells[cell] = self.session._store.cell(key)


class Placed(Program):
    """A random graph whose results rounding changes little, for compilers whose results differ in last bits."""

    def __init__(self, seed: int, failing: bool) -> None:
        self.log, self.fails = [], True  # a function or a remainder of it may fail
        self.graph, self.inputs, tensors = random_graph(seed)
        self.choose = random.Random(seed + 1)
        self.fetches = self.choose.sample(tensors, min(len(tensors), 4))
        for node in self.graph.nodes:
            node.device = self.choose.choice(("", "", "/device:CPU:0", "/device:GPU:0"))

    def feeds(self) -> list[Any]:
        rng = np.random.default_rng(7)
        return [np.asarray(rng.integers(-4, 5, size=3), t.dtype.np) for t in self.inputs]


Run = Callable[[Executable, list[Any]], Any]


def outcome(program: Program, made: Executable, run: Run) -> Outcome:
    """What a run makes of a plan: ("values", [...]) or ("error", class and first line); and its calls."""
    program.log.clear()
    plan, cells = made.plan, made.template.copy()
    feeds = program.feeds()
    before = [np.array(f) for f in feeds]
    for feed, value in zip(plan.feeds, feeds, strict=True):
        cells[feed.slot] = value.copy() if feed.escapes else value
    program.fill(made, cells)
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
    return as_source(made).function


def hot(made: Executable, cells: list[Any]) -> None:
    body_of(made)(cells, work_stealing.Armed(made.steps, made.calls, cells))


def by(lowering: Lowering, program: Program) -> Run:
    """A run of a plan by a lowering."""

    def run(made: Executable, cells: list[Any]) -> None:
        lowered = lowering.make(made, program.graph)
        while lowered.function is None:
            lowered.write_for_runs(1)
        lowered.function(cells, work_stealing.Armed(made.steps, made.calls, cells))

    return run


def same(one: Outcome, two: Outcome, exact: bool = True) -> None:
    assert one[0] == two[0], (one, two)
    if one[0] == "error":
        assert one[1][:2] == two[1][:2] if not exact else one[1] == two[1]
    else:
        for a, b in zip(one[1], two[1], strict=True):
            assert a.dtype == b.dtype
            assert a.shape == b.shape
            if exact:
                np.testing.assert_array_equal(a, b)
            else:
                agree(a, b)


PROGRAMS: dict[str, type[Program]] = {
    "function of parameters": Kernels,
    "operator fusion": Elementwise,
    "resumable run": OnExecutors,
    "loop gradient": Gradients,
    "fused optimizer step": Training,
    "XLA segments": Placed,
    "accelerators": Placed,
}
"""Lowering -> the random programs that it applies to, where those of functions and kernels are not such."""


@pytest.fixture
def small(lowering: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small arrays and plans are lowered as large ones: written over, divided into chunks."""
    monkeypatch.setattr(TUNING, "in_place_elements", -1)
    monkeypatch.setattr(TUNING, "chunk_steps", 3)
    if lowering == "chunked code generation":
        monkeypatch.setattr(TUNING, "written_steps", 3)


@pytest.fixture
def divided(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small arrays are processed in blocks."""
    monkeypatch.setattr(TUNING, "blocked_elements", 1)
    monkeypatch.setattr(TUNING, "core_cached_bytes", 0)


@pytest.fixture
def accelerator(lowering: str) -> Iterator[None]:
    """A CPU device of JAX stands in for a GPU."""
    if lowering == "accelerators":
        import jax

        device.use({"/device:GPU:0": jax.local_devices(backend="cpu")[0]})
    yield
    device.use(None)


@pytest.mark.parametrize("lowering", LOWERINGS)
def test_lowerings_agree_with_the_reference(
    lowering: str, small: None, accelerator: None, request: pytest.FixtureRequest
) -> None:
    entry = LOWERINGS[lowering]
    if lowering == "operator fusion":
        request.getfixturevalue("divided")
    applied = []

    @settings(max_examples=60 if entry.group != "device" else 12, deadline=None)
    @given(seed=st.integers(0, 10**9), failing=st.booleans())
    def check(seed: int, failing: bool) -> None:
        program = PROGRAMS.get(lowering, Program)(seed, failing)
        made = program.executable()
        if not entry.applies(made):
            return
        applied.append(seed)
        defined_by = reference if entry.defined_by is None else by(replace(entry, make=entry.defined_by), program)
        expected = outcome(program, made, defined_by)
        calls = list(program.log)
        same(expected, outcome(program, made, by(entry, program)), entry.exact)
        if lowering in IN_ORDER and not program.fails:
            assert program.log == calls
        else:
            assert sorted(program.log) == sorted(calls) or program.fails

    for _ in range(5):  # some lowerings apply to every tenth program
        if len(applied) < 5:
            check()
    assert len(applied) >= 5, f"{lowering} applies to {len(applied)} of the random plans"


IN_ORDER = LOWERINGS.keys() - {"shared run", "work stealing", "resumable run", "accelerators", "XLA segments"}
"""The lowerings that call functions in the order of the interpreter."""


def halves(plan: Plan) -> tuple[Plan, Plan, int]:
    """A plan as two, and the number of values that the first passes to the second."""
    count = len(plan.steps) // 2
    first, rest = (tuple(replace(s, waits=()) for s in steps) for steps in (plan.steps[:count], plan.steps[count:]))
    written = {*(f.slot for f in plan.feeds), *(o for s in first for o in s.outs)}
    passed = tuple(sorted(written & {*(c for s in rest for c in s.ins), *plan.fetches}))
    one = replace(plan, steps=first, fetches=passed)
    two = replace(plan, steps=rest, feeds=tuple(Feed(c, "", False) for c in passed))
    return (*(replace(p, steps=with_frees(p.steps, p.lasting)) for p in (one, two)), len(passed))


def test_halves_of_a_plan_are_joined_again() -> None:
    applied = 0
    for seed in range(60):
        program = Program(seed, failing=False)
        made = program.executable()
        one, two, count = halves(made.plan)
        parts = [Executable(one, program.graph), Executable(two, program.graph)]
        if not joinable(parts):
            continue
        applied += 1
        function = Joined(parts, [0, count]).of_values(len(made.feeds))(())

        def run(made: Executable, cells: list[Any], function: Any = function) -> None:
            for cell, value in zip(made.fetches, function([cells[c] for c in made.feeds]), strict=True):
                cells[cell] = value

        same(outcome(program, made, reference), outcome(program, made, run))
    assert applied > 10


def test_the_registry_has_every_way_to_run_a_plan() -> None:
    assert len(LOWERINGS) >= 14
    assert {entry.group for entry in LOWERINGS.values()} == set(GROUPS)


def test_fused_steps_run_as_one_on_random_plans(divided: None, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[int] = []
    run = elementwise.FusedForm.run
    monkeypatch.setattr(elementwise.FusedForm, "run", lambda form, *args: ran.append(1) or run(form, *args))
    for seed in range(20):
        program = Elementwise(seed, failing=False)
        outcome(program, program.executable(), hot)
    assert len(ran) > 3


@pytest.mark.parametrize("passes", [Passes(False, False), Passes(True, False), Passes(False, True)])
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**9), failing=st.booleans())
def test_plans_without_a_pass_give_the_same_values(passes: Passes, seed: int, failing: bool) -> None:
    program = Program(seed, failing)
    same(outcome(program, program.executable(), reference), outcome(program, program.executable(passes), reference))


def test_extremes_are_written_in_place_without_a_warning_of_numpy() -> None:
    fed = np.linspace(-2, 2, TUNING.in_place_elements * 4, dtype=np.float32)
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
    size = TUNING.in_place_elements * 4
    if not reused:
        monkeypatch.setattr(TUNING, "in_place_elements", size)
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None])
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

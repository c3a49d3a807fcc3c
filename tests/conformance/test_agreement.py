"""One call, however it is made, gives one outcome: eager, in a session, in a function; first and tenth time.

Calls of the family are drawn from the words of `family_calls.py`, op calls from the samples beside this file. Values,
dtypes, shapes, the order of memory, classes and texts of errors (but for op names) and what the function was given must
agree. Where the ways are known to differ, `known` says so and a strict xfail below holds an example.
"""

from __future__ import annotations

import functools
import math
import operator
import sys
import time
from collections.abc import Callable
from concurrent import futures
from typing import Any

import numpy as np
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

import inlay as tf
from inlay._src.core.eager.emit import emit
from tests.conformance import family_calls
from tests.conformance.family_calls import ALLOWED, ENDINGS, ERRORS, FAMILY, FORMS, INPUTS, KINDS, SHAPED, WAYS, Call
from tests.conformance.samples import SAMPLES
from tests.conformance.sampling import Case, cases, declared

F32 = np.float32
FITTING = list(FORMS)[: list(FORMS).index("another dtype")]
PLAIN_FORMS = ("dtype", "NumPy dtype", "name")


def subsets(draw: Any, names: tuple[str, ...]) -> tuple[str, ...]:
    """Some of the options, at most one of them about shapes."""
    chosen = [name for name in names if draw(st.integers(0, 7)) == 7]
    shaped = [name for name in chosen if name in SHAPED]
    return tuple(name for name in chosen if name not in shaped[1:])


@st.composite
def family_call(draw: Any) -> Call:
    """A call of the family; simpler ones stand first in the tables."""
    api = draw(st.sampled_from(list(FAMILY)))
    kind = draw(st.sampled_from(list(KINDS)))
    ending = draw(st.sampled_from(list(ENDINGS)))
    form = draw(st.one_of(st.sampled_from(FITTING), st.sampled_from(FITTING), st.sampled_from(list(FORMS))))
    inputs = tuple(draw(st.lists(st.sampled_from(list(INPUTS)), min_size=0, max_size=3)))
    if ENDINGS[ending].dtype is None and not inputs:
        inputs = ("vector",)
    options = subsets(draw, ALLOWED[api])
    if form not in PLAIN_FORMS:
        options = tuple(name for name in options if name not in SHAPED)
    return Call(api, kind, ending, form, inputs, options)


def known(way: str, call: Call) -> bool:
    """Whether the ways are known to differ here: each has an example among the strict xfails below, or is meant."""
    if not way.startswith("eager"):
        if not call.stateful and call.form in ("no result", "result where none is declared"):
            return True  # meant: nobody can fetch a stateless call without results from a graph, so it never runs
        if "failing shape rule" in call.options and call.ending != "new array":
            return True  # meant: a graph asks the rule while it is built, so its error comes before the body's
        if call.api in family_calls.EAGER_MODE and "transposed matrix" in call.inputs:
            return True  # meant: an eager tensor may be a transposed view, and the body may return it
        if "read-only views" in call.options and "transposed matrix" in call.inputs:
            return True  # meant: what is handed over without a copy has the order it has
    return False


def without_inputs(error: Any) -> Any:
    """A described error without the line about the inputs, which a generated plan may have given up."""
    if error is None:
        return None
    lines = [line for line in error[1].split("\n") if not line.startswith("  inputs: ")]
    return error[0], "\n".join(lines), error[2]


def check(way: str, call: Call, want: family_calls.Outcome) -> None:
    got = WAYS[way](call)
    tenth = "tenth" in way and not way.startswith("eager")
    view: Callable[[Any], Any] = without_inputs if tenth else lambda error: error
    assert view(got.error) == view(want.error), f"{way}: {call}"
    assert got.result == want.result, f"{way}: {call}"
    if call.stateful and want.error is None:
        assert got.given == want.given, f"{way}: {call}"


def check_everywhere(call: Call) -> None:
    want = family_calls.eagerly(call)
    for way in WAYS:
        if family_calls.applies(way, call) and not known(way, call):
            check(way, call, want)


@settings(max_examples=150, derandomize=True)
@given(call=family_call())
def test_a_call_of_the_family_gives_one_outcome_in_every_way(call: Call) -> None:
    check_everywhere(call)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("part", range(6))
def test_many_calls_of_the_family_give_one_outcome_in_every_way(part: int) -> None:
    @seed(part)
    @settings(max_examples=350, database=None)
    @given(call=family_call())
    def drawn(call: Call) -> None:
        check_everywhere(call)

    drawn()


@pytest.mark.parametrize("api", list(FAMILY))
@pytest.mark.parametrize("name", list(ERRORS))
def test_an_exception_is_the_same_in_every_way(name: str, api: str) -> None:
    call = Call(api, ending=name)
    want = family_calls.eagerly(call)
    assert want.error is not None
    for way in (
        "eager, tenth call",
        "eager, in a tape",
        "session, first run",
        "session, tenth run",
        "function, first call",
    ):
        check(way, call, want)


@pytest.mark.parametrize("form", list(FORMS))
@pytest.mark.parametrize("api", ["py_function", "numpy_function", "contrib.framework.py_func"])
def test_every_form_of_declaration_gives_one_outcome_in_every_way(api: str, form: str) -> None:
    check_everywhere(Call(api, form=form))
    check_everywhere(Call(api, form=form, ending="the input", inputs=("matrix", "word")))


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("api", ["py_function", "numpy_function"])
def test_every_kind_of_function_gives_one_outcome_in_every_way(api: str, kind: str) -> None:
    check_everywhere(Call(api, kind, inputs=("vector", "number")))
    check_everywhere(Call(api, kind, ending="ValueError"))


# ---------------------------------------------------------------- functions that are not written in Python

FOREIGN: list[tuple[str, Any, list[Any], Any]] = [
    ("ufunc", np.sinh, [F32([0.5, 1.0])], tf.float32),
    ("ufunc of two", np.arctan2, [F32([0.5, 1.0]), F32(2)], tf.float32),
    ("ufunc, scalar", np.negative, [F32(3)], tf.float32),
    ("ufunc, wrong dtype", np.greater, [F32([1]), F32([0])], tf.float32),
    ("ufunc, wrong count", np.modf, [F32([1.5])], tf.float32),
    ("ufunc, two results", np.modf, [F32([1.5])], [tf.float32, tf.float32]),
    ("ufunc method", np.add.reduce, [F32([[1, 2], [3, 4]])], tf.float32),
    ("built-in", abs, [F32([-1, 2])], tf.float32),
    ("built-in of two", operator.mul, [F32([-1, 2]), F32([3, 4])], tf.float32),
    ("built-in, wrong dtype", math.sqrt, [F32(4)], tf.float32),
    ("built-in, raising", math.sqrt, [F32(-4)], tf.float64),
    ("NumPy function", np.sort, [F32([3, 1, 2])], tf.float32),
    ("NumPy view", np.transpose, [F32([3, 1, 2])], tf.float32),
    ("partial", functools.partial(np.clip, a_min=0, a_max=1), [F32([3, -1, 0.5])], tf.float32),
    ("class", np.float64, [F32(4)], tf.float64),
    ("bound C method", F32([1, 2, 3]).take, [np.array([2, 0])], tf.float32),
]


@pytest.mark.parametrize(("func", "inputs", "tout"), [f[1:] for f in FOREIGN], ids=[f[0] for f in FOREIGN])
def test_ufuncs_and_built_ins_give_one_outcome_in_every_way(func: Any, inputs: list[Any], tout: Any) -> None:
    def outcome(run: Callable[[], Any], times: int = 1) -> Any:
        for _ in range(times):
            try:
                result = family_calls.described_result(family_calls.arrays_of(run()))
            except Exception as error:
                result = without_inputs(family_calls.described_error(error))
        return result

    tensors = [tf.constant(v) for v in inputs]
    want = outcome(lambda: tf.numpy_function(func, tensors, tout))
    assert outcome(lambda: tf.numpy_function(func, tensors, tout), 10) == want
    assert outcome(lambda: tf.numpy_function(func, inputs, tout), 2) == want
    assert outcome(lambda: tf.numpy_function(func, tensors, tout, kwargs={})) == want
    assert outcome(lambda: tf.numpy_function(Tout=tout)(func)(*tensors)) == want
    around = tf.function(lambda *xs: tf.numpy_function(func, list(xs), tout))
    assert outcome(lambda: around(*tensors), 4) == want
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        places = [tf.compat.v1.placeholder(v.dtype, v.shape) for v in inputs]
        fetched = tf.numpy_function(func, places, tout)
        feeds = dict(zip(places, inputs, strict=True))
        assert outcome(lambda: session.run(fetched, feeds)) == want
        assert outcome(lambda: session.run(fetched, feeds), 5) == want


# ---------------------------------------------------------------- memory


ALIASING = [
    "new array", "the input", "view of the input", "part of the input", "the input as an array", "the input, kept",
    "the input, overwritten", "strided array", "read-only array", "own buffer", "part of own buffer", "words",
]  # fmt: skip
MEMORY = st.builds(
    Call,
    st.sampled_from(["numpy_function", "py_function", "py_func", "contrib.framework.py_func"]),
    st.sampled_from(["lambda", "method", "slotted object"]),
    st.sampled_from(ALIASING),
    st.sampled_from(["dtype", "list of one", "pair", "the same twice", "dictionary", "spec"]),
    st.lists(
        st.sampled_from(["vector", "matrix", "array", "Fortran array", "read-only array", "strided array", "words"]),
        min_size=1,
        max_size=2,
    ).map(tuple),
).filter(lambda call: call.form != "list of one" or call.api != "contrib.framework.py_func")  # a list of lists there


def leaves(result: Any) -> list[np.ndarray]:
    return [np.asarray(v) for v in tf.nest.flatten(result)]


def check_nothing_else_changes(call: Call, run: Callable[[], Any], seen: Callable[[], list[Any]], writes: bool) -> None:
    """Runs again and again, writing into every result; nothing but that result may change by it.

    Args:
      call: for messages.
      run: makes the call; returns arrays.
      seen: what else there is: the caller's inputs.
      writes: whether the results are the caller's to write.
    """
    before = [np.array(v) for v in seen()]
    first = leaves(run())
    want = [np.array(v) for v in first]
    kept: list[tuple[list[np.ndarray], list[np.ndarray]]] = []
    for k in range(5):
        got = leaves(run())
        for a, b in zip(got, want, strict=True):
            np.testing.assert_array_equal(a, b, err_msg=f"run {k + 2} of {call}")
            if writes and a.ndim:
                assert a.flags.c_contiguous and a.flags.writeable, f"run {k + 2} of {call}: {a.flags}"
        for i, a in enumerate(got):
            if writes and a.ndim:
                others = [np.array(b) for b in got[:i] + got[i + 1 :]]
                a[...] = b"written" if a.dtype == object else 77
                for b, other in zip(got[:i] + got[i + 1 :], others, strict=True):
                    np.testing.assert_array_equal(b, other, err_msg=f"results share memory: run {k + 2} of {call}")
        kept.append((got, [np.array(a) for a in got]))
        for old, copies in kept:
            for a, b in zip(old, copies, strict=True):
                np.testing.assert_array_equal(a, b, err_msg=f"a result of an earlier run changed: {call}")
        for a, b in zip(seen(), before, strict=True):
            np.testing.assert_array_equal(np.asarray(a), b, err_msg=f"an input changed: {call}")


@settings(max_examples=50, derandomize=True)
@given(call=MEMORY, way=st.sampled_from(["session", "constants", "eager", "function"]))
def test_writing_into_a_result_changes_nothing_else(call: Call, way: str) -> None:
    parts = call.fresh()
    inputs = parts.inputs
    if way in ("eager", "function"):
        tensors = tf.nest.map_structure(tf.convert_to_tensor, inputs)
        func = functools.partial(call.function, parts.func, Tout=parts.tout)
        if call.api == "contrib.framework.py_func":
            func = functools.partial(call.function, parts.func, tout=parts.tout)
        apply = (lambda: func(inp=tensors)) if way == "eager" else tf.function(lambda: func(inp=tensors))
        run = lambda: tf.nest.map_structure(np.asarray, apply())  # noqa: E731
        check_nothing_else_changes(call, run, lambda: [*inputs, *tf.nest.flatten(tensors)], writes=False)
        numpy = lambda: tf.nest.map_structure(lambda t: t.numpy(), apply())  # noqa: E731
        check_nothing_else_changes(call, numpy, lambda: [*inputs, *tf.nest.flatten(tensors)], writes=True)
        return
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        places: Any = inputs
        feeds: dict[Any, Any] = {}
        if way == "session":
            places, feeds = family_calls.fed(call, inputs)
        fetched = call.function(parts.func, places, parts.tout)
        check_nothing_else_changes(call, lambda: session.run(fetched, feeds), lambda: [*inputs, *feeds.values()], True)


@pytest.mark.parametrize("ending", ["the input", "part of the input", "own buffer", "read-only array"])
def test_read_only_views_never_let_a_result_change_an_input(ending: str) -> None:
    call = Call("numpy_function", ending=ending, inputs=("array",), options=("read-only views",))
    parts = call.fresh()
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        places, feeds = family_calls.fed(call, parts.inputs)
        fetched = tf.numpy_function(parts.func, places, parts.tout, copy=False)
        before = parts.inputs[0].copy()
        for _ in range(5):
            result = session.run(fetched, feeds)
            want = result.copy()
            if result.flags.writeable:
                result[...] = 77
            np.testing.assert_array_equal(parts.inputs[0], before)
            np.testing.assert_array_equal(session.run(fetched, feeds), want)


# ---------------------------------------------------------------- gradients

BODIES: dict[str, tuple[Callable[..., Any], int]] = {
    "square": (lambda x: x * x, 1),
    "product": (lambda x, y: x * y, 2),
    "one input twice": (lambda x, y: tf.sin(x) * x + y, 2),
    "an input unused": (lambda x, y: tf.exp(x), 2),
    "identity": (lambda x: x, 1),
    "branches": (lambda x: x * 3.0 if tf.reduce_sum(x) > 0 else -x, 1),
    "broadcast": (lambda x, y: x * tf.reduce_sum(y), 2),
    "reduced": (lambda x: tf.reduce_sum(x**3), 1),
}


@pytest.mark.parametrize("name", list(BODIES))
@pytest.mark.parametrize("order", [1, 2])
def test_gradients_of_a_py_function_agree_in_every_way(name: str, order: int) -> None:
    body, count = BODIES[name]
    values = [F32([0.5, -1.5, 2.0]), F32([1.5, 0.25, -0.5])][:count]

    def derived(xs: list[Any], call: Callable[..., Any]) -> list[Any]:
        with tf.GradientTape() as outer:
            outer.watch(xs)
            with tf.GradientTape() as inner:
                inner.watch(xs)
                y = call(*xs)
            first = inner.gradient(y, xs, unconnected_gradients="zero")
        return first if order == 1 else outer.gradient(first, xs, unconnected_gradients="zero")

    def called(*xs: Any) -> Any:
        return tf.py_function(body, list(xs), tf.float32)

    tensors = [tf.constant(v) for v in values]
    around = tf.function(lambda *xs: derived(list(xs), called))
    want = [g.numpy() for g in derived(tensors, body)]
    ways = {
        "eager": lambda: derived(tensors, called),
        "function": lambda: around(*tensors),
        "function inside the tapes": lambda: derived(tensors, tf.function(called)),
    }
    for way, run in ways.items():
        for _ in range(4):
            for a, b in zip(run(), want, strict=True):
                np.testing.assert_allclose(a.numpy(), b, rtol=1e-5, atol=1e-6, err_msg=way)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        places = [tf.compat.v1.placeholder(tf.float32, [3]) for _ in values]
        grads = tf.gradients(called(*places), places, unconnected_gradients="zero")
        if order == 2:
            grads = tf.gradients(grads, places, unconnected_gradients="zero")
        for _ in range(4):
            for a, b in zip(session.run(grads, dict(zip(places, values, strict=True))), want, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6, err_msg="session")


# ---------------------------------------------------------------- composites, failures between, threads


ROWS: dict[str, tuple[Callable[..., Any], list[Any], Any]] = {
    "rows in, rows out": (lambda r: r * 2.0, [[[1.0, 2.0], [], [3.0]]], tf.RaggedTensorSpec([None, None], tf.float32)),
    "rows in, tensor out": (lambda r: tf.reduce_sum(r, axis=1), [[[1.0, 2.0], [], [3.0]]], tf.float32),
    "tensor in, rows out": (
        lambda n: tf.ragged.range(n),
        [np.array([2, 0, 3], np.int32)],
        tf.RaggedTensorSpec([None, None], tf.int32),
    ),
    "rows beside a tensor": (
        lambda r, x: [r + x, x],
        [[[1.0], [2.0, 3.0]], F32(0.5)],
        [tf.RaggedTensorSpec([None, None], tf.float32), tf.TensorSpec([], tf.float32)],
    ),
    "rows in a nest": (
        lambda r: {"rows": r, "count": r.nrows()},
        [[[1.0], []]],
        {"rows": tf.RaggedTensorSpec([None, None], tf.float32), "count": tf.int64},
    ),
    "tensor instead of rows": (lambda r: r.to_tensor(), [[[1.0], []]], tf.RaggedTensorSpec([None, None], tf.float32)),
    "rows instead of a tensor": (lambda r: r, [[[1.0], []]], tf.float32),
    "rows of another dtype": (lambda r: r, [[[1.0], []]], tf.RaggedTensorSpec([None, None], tf.int32)),
    "raising": (lambda r: r.no_such_thing, [[[1.0], []]], tf.float32),
}


def described_rows(value: Any) -> Any:
    """A result with rows as lists."""
    if isinstance(value, (dict, list)):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        return {k: described_rows(v) for k, v in pairs}
    return repr(value.to_list()) if hasattr(value, "to_list") else family_calls.described_result(value)


def outcomes_of(run: Callable[[], Any], times: int) -> list[Any]:
    """What each of some runs gives."""
    found = []
    for _ in range(times):
        try:
            found.append(described_rows(run()))
        except Exception as error:
            found.append(without_inputs(family_calls.described_error(error)))
    return found


@pytest.mark.parametrize("name", list(ROWS))
def test_rows_give_one_outcome_in_every_way(name: str) -> None:
    func, values, tout = ROWS[name]

    def inputs() -> list[Any]:
        return [tf.ragged.constant(v, dtype=tf.float32) if isinstance(v, list) else tf.constant(v) for v in values]

    def called(given: Any) -> Any:
        return tf.py_function(func, list(given), tout)

    want = outcomes_of(lambda: called(inputs()), 1)[0]
    assert outcomes_of(lambda: called(inputs()), 4) == [want] * 4
    assert outcomes_of(lambda: tf.py_function(func, inputs(), tout, kwargs={}), 1) == [want]
    around = tf.function(called)
    assert outcomes_of(lambda: around(inputs()), 4) == [want] * 4
    with tf.GradientTape():
        assert outcomes_of(lambda: called(inputs()), 1) == [want]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        made = called(inputs())
        assert outcomes_of(lambda: session.run(made), 5) == [want] * 5


@pytest.mark.parametrize("api", ["py_function", "numpy_function", "py_func"])
def test_a_call_that_fails_leaves_the_next_one_as_it_was(api: str) -> None:
    def picky(x: Any) -> Any:
        if x[0] < 0:
            raise ValueError("below zero")
        return x if x[0] < 10 else np.zeros(2)

    good, raising, wrong = F32([1, 2]), F32([-1, 2]), F32([11, 2])

    def seen(call: Callable[[Any], Any]) -> list[Any]:
        order = [good, raising, good, wrong, good, good, raising, wrong, good]
        return [outcomes_of(lambda v=v: call(v), 1)[0] for v in order]

    want = seen(lambda v: FAMILY[api](picky, [tf.constant(v)], tf.float32))
    wrong_is_converted = api == "py_function"
    assert [w[0] == want[0][0] for w in want] == [
        True, False, True, wrong_is_converted, True, True, False, wrong_is_converted, True,
    ]  # fmt: skip
    assert tf.executing_eagerly()
    around = tf.function(lambda x: FAMILY[api](picky, [x], tf.float32))
    assert seen(lambda v: around(tf.constant(v))) == want
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        place = tf.compat.v1.placeholder(tf.float32, [2])
        made = FAMILY[api](picky, [place], tf.float32)
        assert seen(lambda v: session.run(made, {place: v})) == want


@pytest.mark.parametrize("api", ["py_function", "numpy_function"])
def test_threads_that_share_a_function_do_not_meet(api: str) -> None:
    def half(x: Any) -> Any:
        time.sleep(0)
        return x / F32(2)

    with tf.Graph().as_default() as graph:
        place = tf.compat.v1.placeholder(tf.float32, [3])
        made = FAMILY[api](half, [place], tf.float32)
    around = tf.function(lambda x: FAMILY[api](half, [x], tf.float32))
    with tf.compat.v1.Session(graph=graph) as session:
        ways: list[Callable[[Any], Any]] = [
            lambda v: FAMILY[api](half, [tf.constant(v)], tf.float32).numpy(),
            lambda v: around(tf.constant(v)).numpy(),
            lambda v: session.run(made, {place: v}),
        ]

        def work(k: int) -> bool:
            values = [F32([k, n, -n]) for n in range(30)]
            return all((ways[(k + i) % 3](v) == v / F32(2)).all() for i, v in enumerate(values))

        with futures.ThreadPoolExecutor(4) as pool:
            assert all(pool.map(work, range(12)))


# ---------------------------------------------------------------- ops

LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "as it is": lambda a: a,
    "Fortran": lambda a: np.array(a, order="F"),
    "strided": lambda a: np.repeat(a, 2, axis=-1)[..., ::2] if a.ndim else a,
    "read-only": lambda a: _read_only(a),
}


def _read_only(array: np.ndarray) -> np.ndarray:
    copy = np.array(array)
    copy.flags.writeable = False
    return copy


def op_outcomes(case: Case, layout: str) -> dict[str, Any]:
    """An op call's outcome in every way; inputs in some layout of memory."""
    arrays = [
        [LAYOUTS[layout](a) for a in x] if isinstance(x, list) else x if arg.static else LAYOUTS[layout](x)
        for arg, x in zip(case.op.args, case.inputs, strict=True)
    ]
    tensors = [[*map(tf.constant, x)] if isinstance(x, list) else tf.constant(x) for x in arrays]

    def described(run: Callable[[], Any]) -> Any:
        try:
            made = run()
        except Exception as error:
            return "error", type(error).__name__
        values = made if isinstance(made, list) else [made]
        return [family_calls.described_result(v)[:3] for v in values]  # an eager tensor may be a transposed view

    def called(inputs: Any) -> Any:
        return emit(case.op, tuple(inputs), case.attrs)

    def taped() -> Any:
        with tf.GradientTape() as tape:
            tape.watch([t for t in tf.nest.flatten(tensors) if t.dtype.is_floating or t.dtype.is_complex])
            return called(tensors)

    found = {"eager": described(lambda: called(tensors)), "eager, of arrays": described(lambda: called(arrays))}
    for _ in range(3):
        found["eager, fourth call"] = described(lambda: called(tensors))
    found["eager, in a tape"] = described(taped)
    around = tf.function(lambda: called(tensors))
    found["function"] = described(around)
    found["function, second call"] = described(around)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        feeds: dict[Any, Any] = {}

        def placed(array: np.ndarray, arg: Any) -> Any:
            if arg.static:
                return tf.constant(array)
            place = tf.compat.v1.placeholder(tf.as_dtype(array.dtype), array.shape)
            feeds[place] = array
            return place

        places = [
            [placed(a, arg) for a in x] if isinstance(x, list) else placed(x, arg)
            for arg, x in zip(case.op.args, arrays, strict=True)
        ]
        fetched = called(places)
        for run in ("session", "session, second run", "session, third run", "session, fourth run"):
            found[run] = described(lambda: session.run(fetched, feeds))
    return found


def check_op(name: str, index: int, layout: str) -> None:
    with np.errstate(all="ignore"):
        several = list(cases(declared(name), SAMPLES[name]))
        case = several[index % len(several)]
        found = op_outcomes(case, layout)
    for way, outcome in found.items():
        assert outcome == found["eager"], f"{case.label}, {layout} memory: {way}"


@settings(max_examples=100, derandomize=True)
@given(name=st.sampled_from(sorted(SAMPLES)), index=st.integers(0, 15), layout=st.sampled_from(list(LAYOUTS)))
def test_an_op_gives_one_outcome_in_every_way(name: str, index: int, layout: str) -> None:
    check_op(name, index, layout)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("layout", list(LAYOUTS))
def test_every_op_gives_one_outcome_in_every_way(layout: str) -> None:
    for name in sorted(SAMPLES):
        for index in range(2):
            check_op(name, index, layout)


def test_a_result_is_in_c_order_in_every_way() -> None:
    call = Call("numpy_function", ending="Fortran array")
    assert family_calls.eagerly(call).result == family_calls.in_a_session(call).result


def test_a_function_runs_as_written_in_every_way() -> None:
    found: list[Any] = []

    @tf.function
    def around(x: Any) -> Any:
        def body(a: Any) -> Any:
            return F32(sys._getframe().f_code.co_filename == __file__)

        found.append(body)
        return x

    around(tf.constant(1.0))
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        assert session.run(tf.numpy_function(found[0], [1.0], tf.float32)) == 1.0
    assert tf.numpy_function(found[0], [tf.constant(1.0)], tf.float32).numpy() == 1.0


@pytest.mark.parametrize("api", ["py_function", "numpy_function", "py_func"])
def test_none_as_an_input_of_a_graph_is_a_type_error_as_in_tensorflow(api: str) -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError):
        FAMILY[api](lambda x: x, [None], tf.float32)


# ---------------------------------------------------------------- where the ways are known to differ


DEFECT = functools.partial(pytest.mark.xfail, strict=True)


def test_a_wrong_result_is_told_with_its_inputs_in_the_tenth_run_too() -> None:
    call = Call("numpy_function", ending="double for float32", inputs=("matrix",))
    want = family_calls.eagerly(call).error
    assert "inputs: float32[2,3]" in want[1]
    assert family_calls.in_a_session(call, times=10).error == want


def test_an_exception_of_a_shape_rule_is_one_class_in_every_way() -> None:
    call = Call("numpy_function", options=("failing shape rule",))
    assert family_calls.in_a_session(call).error == family_calls.eagerly(call).error


def test_a_tape_inside_a_function_sees_a_captured_tensor() -> None:
    x = tf.constant([1.0, 2.0])

    @tf.function
    def derived() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, x)

    assert derived().numpy().tolist() == [2.0, 4.0]

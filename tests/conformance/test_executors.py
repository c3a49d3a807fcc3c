"""One suite over every executor: a function gives the same wherever it runs as it gives in place."""

from __future__ import annotations

import contextvars
import functools
import os
import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import inlay as tf
from tests.conformance.conftest import Place

Make = Callable[[Place], Any]


def inline(where: Place) -> Place:
    """In place, with functions that are what they are there."""
    return Place("inline", here=True, stateful=where.stateful)


# ---------------------------------------------------------------- the same as in place


def plain(value: Any) -> Any:
    """A result with its dtypes, as something that `==` compares."""
    if isinstance(value, dict):
        return {name: plain(v) for name, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [plain(v) for v in value]
    if isinstance(value, tf.RaggedTensor):
        return "ragged", value.dtype.name, value.to_list()
    if isinstance(value, tf.compat.v1.ragged.RaggedTensorValue):
        return "ragged", tf.as_dtype(value.dtype).name, value.to_list()
    value = value.numpy() if isinstance(value, tf.Tensor) else value
    if value is None or isinstance(value, (bytes, str)):
        return "text", value
    array = np.asarray(value)
    return str(array.dtype), array.shape, array.tobytes() if array.dtype != object else array.tolist()


def found(make: Make, where: Place) -> list[Any]:
    """What a call gives eagerly, and in a session, twice."""
    results = [plain(make(where))]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        fetch = make(where)
        results += [plain(session.run(fetch)) for _ in range(2)]
    return results


def same(make: Make, where: Place) -> None:
    """A call gives the same there as in place."""
    assert found(make, where) == found(make, inline(where))


def failure(make: Make, where: Place) -> list[tuple[Any, ...]]:
    """What can be told of the error of a call, eagerly and in a session."""
    told = []
    for graph in (False, True):
        with ExitStack() as stack:
            if graph:
                stack.enter_context(tf.Graph().as_default())
                session = stack.enter_context(tf.compat.v1.Session())
            try:
                result = make(where)
                if graph:
                    session.run(result)
            except Exception as error:
                message, _, trace = str(error).partition("\n\n")
                cause = error.__cause__
                classes = [c.__name__ for c in type(error).__mro__]
                fields = {name: getattr(error, name, None) for name in ("errno", "reason", "code", "extra")}
                told.append((classes, message, fields, type(cause), str(cause), "in the_body" in trace))
    assert len(told) == 2
    return told


VALUES = {
    "bool": np.array([True, False]),
    "int8": np.array([-128, 127], np.int8),
    "uint64": np.array([0, 2**64 - 1], np.uint64),
    "float16": np.array([[1.5], [-2.0]], np.float16),
    "bfloat16": np.array([1.5, -2.0], ml_dtypes.bfloat16),
    "float64 with nan": np.array([np.nan, np.inf, -0.0]),
    "complex64": np.array([1 + 2j], np.complex64),
    "scalar": np.float32(3.0),
    "no elements": np.zeros((0, 3), np.int32),
    "rank 5": np.arange(32, dtype=np.int64).reshape(2, 2, 2, 2, 2),
    "strided": np.arange(12, dtype=np.float32).reshape(3, 4)[:, ::2],
    "columns": np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3)),
    "strings": np.array([b"", b"a\0b", "é".encode(), b"\xff" * 100], object),
    "one string": np.array(b"only", object),
    "no strings": np.array([], object),
}


@pytest.mark.parametrize("name", list(VALUES))
def test_values_of_every_dtype_and_shape(place: Place, name: str) -> None:
    value = VALUES[name]
    tout = tf.string if value.dtype == object else tf.as_dtype(value.dtype)
    same(lambda where: where.numpy(lambda x: x, [value], tout), place)
    same(lambda where: where.eager(lambda x: tf.identity(x), [value], tout), place)


def test_results_of_plain_python(place: Place) -> None:
    same(lambda where: where.numpy(lambda: [["a", "bc"]], [], tf.string), place)
    same(lambda where: where.eager(lambda: ([1.0, 2], "é", True), [], [tf.float32, tf.string, tf.bool]), place)


def test_several_results_and_nests_of_them(place: Place) -> None:
    same(lambda where: where.numpy(lambda x: (x + 1, x.sum() > 3), [VALUES["rank 5"]], [tf.int64, tf.bool]), place)
    nest = {"a": tf.float32, "b": (tf.int32, tf.string)}
    same(lambda where: where.eager(lambda x: {"a": x, "b": (tf.size(x), "s")}, [[1.0, 2.0]], nest), place)


def test_nests_of_keyword_arguments(place: Place) -> None:
    def body(x: Any, *, weights: Any, mode: str, more: Any) -> Any:
        return x * weights["w"][0] + len(mode) + more[1]

    kwargs = {"weights": {"w": [np.float32(2)]}, "mode": "plain", "more": (object, np.float32(1))}
    same(lambda where: where.numpy(body, [np.float32(3)], tf.float32, kwargs=kwargs), place)
    same(lambda where: where.eager(body, [np.float32(3)], tf.float32, kwargs=kwargs), place)


def test_ragged_values(place: Place) -> None:
    def make(where: Place) -> Any:
        rows = tf.ragged.constant([[1, 2], [], [3]])
        return where.eager(lambda r: r + 1, [rows], tf.RaggedTensorSpec([None, None], tf.int32))

    same(make, place)


def test_arrays_of_256_mb(place: Place) -> None:
    big = np.zeros((64, 1 << 20), np.float32)
    big[0, 0], big[-1, -1] = 1, 2

    def body(x: Any) -> Any:
        x[1, 1] = 7  # its own to write
        return x

    out = place.numpy(body, [big], tf.float32).numpy()
    assert (big[1, 1], out[1, 1], out[0, 0], out[-1, -1]) == (0, 7, 1, 2)
    assert out.shape == big.shape and out.dtype == big.dtype and int(np.count_nonzero(out)) == 3


def test_inputs_are_copies_or_views_that_cannot_be_written(place: Place) -> None:
    value = np.arange(40_000, dtype=np.float32)

    def writes(x: Any) -> Any:
        x[0] = 5
        return x

    same(lambda where: where.numpy(writes, [value], tf.float32), place)
    assert value[0] == 0
    same(lambda where: where.numpy(lambda x: x[::-1], [value], tf.float32, copy=False), place)

    def the_body(x: Any) -> Any:
        x[0] = 5
        return x

    def make(where: Place) -> Any:
        return where.numpy(the_body, [value], tf.float32, copy=False, name="reads")

    assert failure(make, place) == failure(make, inline(place))


# ---------------------------------------------------------------- functions of every kind


class Scaled:
    def __init__(self, factor: float) -> None:
        self.factor = np.float32(factor)

    def times(self, x: Any) -> Any:
        return x * self.factor

    def __call__(self, x: Any) -> Any:
        return self.times(x)


def at_the_top(x: Any) -> Any:
    return x + np.float32(10)


def test_functions_of_every_kind(place: Place) -> None:
    offset = np.float32(4)

    def closure(x: Any) -> Any:
        return x + offset

    async def coroutine(x: Any) -> Any:
        return closure(x)

    kinds: dict[str, Any] = {
        "at the top": at_the_top,
        "closure": closure,
        "lambda": lambda x: x - offset,
        "method": Scaled(3.0).times,
        "object": Scaled(2.0),
        "partial": functools.partial(pow, np.float32(2)),
        "ufunc": np.negative,
        "coroutine": coroutine,
    }
    for kind, function in kinds.items():
        for value in (np.float32(2), np.arange(3, dtype=np.float32)):
            assert plain(place.numpy(function, [value], tf.float32)) == plain(
                inline(place).numpy(function, [value], tf.float32)
            ), kind


def test_calls_that_nest(place: Place) -> None:
    inner = place.executor if place.nests else None

    def nested(depth: Any) -> Any:
        if not depth:
            return depth
        return tf.numpy_function(nested, [depth - np.int32(1)], tf.int32, executor=inner).numpy() + np.int32(1)

    assert place.numpy(nested, [np.int32(100)], tf.int32) == 100


def test_runs_inside_of_functions(place: Place) -> None:
    def body(x: Any) -> Any:
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            return session.run(tf.numpy_function(lambda v: v + np.float32(1), [x], tf.float32) * 2.0)

    same(lambda where: where.numpy(body, [np.float32(3)], tf.float32), place)


def test_independent_calls_of_one_run(place: Place) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.int32)
        calls = [place.numpy(lambda v, i: v * i, [x, np.int32(i)], tf.int32) for i in range(20)]
        chained = place.numpy(lambda v: v + np.int32(1), [calls[-1]], tf.int32)
        for value in (1, 2):
            assert session.run([*calls, chained], {x: value}) == [*(value * i for i in range(20)), value * 19 + 1]


def test_functions_that_are_traced(place: Place) -> None:
    @tf.function
    def traced(x: Any) -> Any:
        for _ in tf.range(3):
            x = tf.ensure_shape(place.numpy(lambda v: v * np.float32(2), [x], tf.float32), [])
        return x

    assert traced(tf.constant(1.0)) == 8.0


def test_the_context_of_the_caller(place: Place) -> None:
    if not place.here:
        pytest.skip("context variables do not leave the process")
    name: contextvars.ContextVar[str] = contextvars.ContextVar("name", default="nobody")
    token = name.set("the caller")
    try:
        same(lambda where: where.numpy(lambda: name.get(), [], tf.string), place)
        assert place.numpy(lambda: name.get(), [], tf.string) == b"the caller"
    finally:
        name.reset(token)


# ---------------------------------------------------------------- gradients


def cube(x: Any, y: Any) -> Any:
    return x * x * x + tf.sin(y) * x


def test_gradients_of_the_first_and_second_order(place: Place) -> None:
    def make(where: Place) -> Any:
        x, y = tf.constant([1.0, 2.0]), tf.constant([0.5, 0.25])
        with tf.GradientTape(persistent=True) as outer:
            outer.watch([x, y])
            with tf.GradientTape() as tape:
                tape.watch([x, y])
                z = where.eager(cube, [x, y], tf.float32)
            first = tape.gradient(z, [x, y])
        return [z, *first, *outer.gradient(first[0], [x, y]), outer.gradient(first[1], x)]

    assert plain(make(place)) == plain(make(inline(place)))

    def in_a_graph(where: Place) -> Any:
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            x, y = (tf.compat.v1.placeholder(tf.float32) for _ in range(2))
            z = where.eager(cube, [x, y], tf.float32)
            first = tf.gradients(z, [x, y])
            second = tf.gradients(first[0], [x, y])
            return [session.run([z, *first, *second], {x: v, y: 0.5}) for v in (1.0, 2.0)]

    assert plain(in_a_graph(place)) == plain(in_a_graph(inline(place)))


def test_gradients_of_several_results_and_of_what_comes_twice(place: Place) -> None:
    def make(where: Place) -> Any:
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            a, n, b = where.eager(
                lambda u, v: (u * v, tf.size(u), u + v * 2.0), [x, x], [tf.float32, tf.int32, tf.float32]
            )
            total = tf.reduce_sum(a * b)
        return [a, n, b, tape.gradient(total, x)]

    assert plain(make(place)) == plain(make(inline(place)))


def test_the_users_own_gradient(place: Place) -> None:
    def make(where: Place) -> Any:
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = where.numpy(np.square, [x], tf.float32, grad=lambda v, out, g: 2.0 * v * g)
            first = tape.gradient(y, x)
        return [y, first, outer.gradient(first, x)]

    assert plain(make(place)) == plain(make(inline(place)))


# ---------------------------------------------------------------- errors


class OwnError(Exception):
    """An exception that a worker can import."""

    def __init__(self, text: str, extra: int = 7) -> None:
        super().__init__(text)
        self.extra = extra


class TwoArguments(ValueError):
    """Its arguments are not those of `__init__`."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")
        self.extra = (one, two)


class NewWantsKeywords(LookupError):
    """Its `__new__` and its `__init__` take keywords only."""

    def __new__(cls, *, extra: Any) -> NewWantsKeywords:
        return super().__new__(cls, "by keyword")

    def __init__(self, *, extra: Any) -> None:
        self.extra = extra


class HoldsALock(RuntimeError):
    """What it holds does not pickle."""

    def __init__(self) -> None:
        super().__init__("holds")
        self.lock, self.extra = threading.Lock(), "sent"


class Slotted(KeyError):
    """Its field is in no dictionary."""

    __slots__ = ("extra",)

    def __init__(self, extra: Any) -> None:
        super().__init__("slotted")
        self.extra = extra


class OwnOSError(OSError, KeyError):
    """An OSError with a class of its own."""


class RefusesToPickle(BufferError):
    """It says itself that it does not pickle."""

    def __reduce__(self) -> Any:
        raise TypeError("no way")


class OwnNotFound(tf.errors.NotFoundError):
    """One of TensorFlow's with another `__init__`."""

    def __init__(self, extra: Any) -> None:
        super().__init__(None, None, "not there")
        self.extra = extra


def _local_class() -> Any:
    class Local(ArithmeticError):
        def __init__(self, one: Any, *, extra: Any) -> None:
            super().__init__(one)
            self.extra = extra

    return Local


LOCAL = _local_class()
"""An exception that cannot be imported."""

RAISED: dict[str, Callable[[], BaseException]] = {
    "ValueError": lambda: ValueError("a bad\nvalue"),
    "KeyError": lambda: KeyError("missing"),
    "TypeError": lambda: TypeError(),
    "ZeroDivisionError": lambda: ZeroDivisionError("no"),
    "FileNotFoundError": lambda: FileNotFoundError(2, "nothing there", "file.txt"),
    "UnicodeDecodeError": lambda: UnicodeDecodeError("utf-8", b"\xff", 0, 1, "no text"),
    "NotImplementedError": lambda: NotImplementedError("not yet"),
    "MemoryError": lambda: MemoryError("full"),
    "StopIteration": lambda: StopIteration(3),
    "group": lambda: ExceptionGroup("several", [ValueError("one"), KeyError("two")]),
    "group of own": lambda: ExceptionGroup("several", [TwoArguments(1, 2), HoldsALock()]),
    "StopAsyncIteration": lambda: StopAsyncIteration("over"),
    "ImportError": lambda: ImportError("none", name="module", path="path"),
    "AttributeError": lambda: AttributeError("none", name="name", obj=3),
    "own": lambda: OwnError("mine", 9),
    "two arguments": lambda: TwoArguments(1, 2),
    "keywords only": lambda: NewWantsKeywords(extra=4),
    "holds a lock": HoldsALock,
    "slotted": lambda: Slotted("where"),
    "own OSError": lambda: OwnOSError(2, "nothing there", "file.txt"),
    "refuses to pickle": lambda: RefusesToPickle("unwilling"),
    "own NotFoundError": lambda: OwnNotFound(5),
    "local class": lambda: LOCAL("local", extra=1),
    "NotFoundError": lambda: tf.errors.NotFoundError(None, None, "none here"),
    "AbortedError": lambda: tf.errors.AbortedError(None, None, "stopped"),
}


@pytest.mark.parametrize("name", list(RAISED))
def test_exceptions(place: Place, name: str, request: pytest.FixtureRequest) -> None:
    if name == "UnicodeDecodeError" and "[dask" in request.node.name:
        pytest.skip("Dask has tblib change how exceptions pickle, which loses the fields of this one")
    raised = RAISED[name]

    def the_body(x: Any) -> Any:
        raise raised()

    for form in ("numpy", "eager"):

        def make(where: Place, form: str = form) -> Any:
            return getattr(where, form)(the_body, [np.float32(1)], tf.float32, name="fails")

        assert failure(make, place) == failure(make, inline(place))


def wrong_count(x: Any) -> Any:
    return x, x


BREAKING = [
    lambda x: np.float64(x),
    wrong_count,
    lambda x: None,
    lambda x: [[1.0], [1.0, 2.0]],
    lambda x: np.zeros(2, np.float32),
]


@pytest.mark.parametrize("function", BREAKING)
def test_results_that_break_their_declaration(place: Place, function: Any) -> None:
    for form in ("numpy", "eager"):

        def make(where: Place, form: str = form) -> Any:
            return getattr(where, form)(function, [np.float32(1)], tf.float32, name="breaks", output_shapes=[])

        if form == "eager" and function is not wrong_count:
            continue  # eager tensors are converted
        assert failure(make, place) == failure(make, inline(place))


def test_calls_go_on_after_one_that_failed(place: Place) -> None:
    with pytest.raises(ZeroDivisionError):
        place.numpy(lambda: 1 // 0, [], tf.int64)
    assert place.numpy(lambda: np.int64(1), [], tf.int64) == 1


def test_inline_every_function_runs_on_the_calling_thread(place: Place) -> None:
    def where() -> Any:
        return np.array([os.getpid(), threading.get_ident()], np.uint64)

    here = where().tolist()
    with tf.debugging.run_inline():
        assert place.numpy(where, [], tf.uint64).numpy().tolist() == here
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            calls = [place.numpy(where, [], tf.uint64) for _ in range(3)]
            for _ in range(4):
                assert [v.tolist() for v in session.run(calls)] == [here] * 3
            x = tf.compat.v1.placeholder(tf.float32)
            dy = tf.gradients(place.eager(lambda v: v * v, [x], tf.float32), x)[0]
            assert [session.run(dy, {x: v}) for v in (1.0, 2.0, 3.0)] == [2.0, 4.0, 6.0]


# ---------------------------------------------------------------- random numbers


def test_every_call_gets_the_generator_of_its_number(place: Place) -> None:
    def drawn(x: Any, rng: np.random.Generator) -> Any:
        return x + rng.normal()

    wanted = [np.random.default_rng((21, i)).normal() for i in range(3)]
    with tf.Graph().as_default():
        calls = [place.numpy(drawn, [tf.zeros([], tf.float64)], tf.float64, rng=21) for _ in range(2)]
        for _ in range(2):
            with tf.compat.v1.Session() as session:
                assert [session.run(calls) for _ in range(3)] == [[v, v] for v in wanted]

"""What a function raises reaches the caller as TensorFlow's class and as its own."""

from __future__ import annotations

import asyncio
import copy
import errno
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf

E = tf.errors


class NeedsTwo(Exception):
    def __init__(self, one: int, two: int) -> None:
        super().__init__(one, two)
        self.one = one


class OwnNew(Exception):
    def __new__(cls, needed: int) -> OwnNew:
        return super().__new__(cls, needed)

    def __init__(self, needed: int) -> None:
        super().__init__(needed)


class Slotted(Exception):
    __slots__ = ("extra",)

    def __init__(self, extra: int) -> None:
        super().__init__("slotted")
        self.extra = extra


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


class SubValue(ValueError):
    pass


class Final(Exception):
    def __init_subclass__(cls, **kwargs: Any) -> None:
        if cls.__module__ != __name__:
            raise TypeError("Final is final")


class OwnOpError(E.NotFoundError):
    code = 99

    def __init__(self) -> None:  # does not call ours
        pass


def decode_error() -> UnicodeDecodeError:
    return UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")


# (what is raised, TensorFlow's class, whether the error is also of the original class)
TABLE: list[tuple[Callable[[], BaseException], type[E.OpError], bool]] = [
    (lambda: ValueError("boo"), E.InvalidArgumentError, True),
    (lambda: TypeError("boo"), E.InvalidArgumentError, True),
    (lambda: SubValue("boo"), E.InvalidArgumentError, True),
    (decode_error, E.InvalidArgumentError, True),
    (lambda: MemoryError("boo"), E.ResourceExhaustedError, True),
    (lambda: NotImplementedError("boo"), E.UnimplementedError, True),
    (lambda: KeyError("boo"), E.UnknownError, True),
    (lambda: IndexError("boo"), E.UnknownError, True),
    (lambda: RuntimeError("boo"), E.UnknownError, True),
    (lambda: AssertionError("boo"), E.UnknownError, True),
    (lambda: ZeroDivisionError("boo"), E.UnknownError, True),
    (lambda: OSError(errno.ENOENT, "missing", "a.txt"), E.UnknownError, True),
    (lambda: TimeoutError("boo"), E.UnknownError, True),
    (lambda: ImportError("boo", name="nope"), E.UnknownError, True),
    (lambda: SyntaxError("boo"), E.UnknownError, True),
    (lambda: NeedsTwo(1, 2), E.UnknownError, True),
    (lambda: OwnNew(1), E.UnknownError, True),
    (lambda: Slotted(5), E.UnknownError, True),
    (lambda: Unprintable(), E.UnknownError, True),
    (lambda: Final("boo"), E.UnknownError, False),
    (lambda: StopIteration("boo"), E.OutOfRangeError, False),
    (lambda: StopAsyncIteration("boo"), E.OutOfRangeError, False),
    (lambda: GeneratorExit("boo"), E.UnknownError, False),
    (lambda: asyncio.CancelledError("boo"), E.CancelledError, False),
    (lambda: ExceptionGroup("several", [ValueError("a"), KeyError("b")]), E.UnknownError, False),
    (lambda: E.NotFoundError(None, None, "boo"), E.NotFoundError, True),
    (lambda: E.OutOfRangeError(None, None, "boo"), E.OutOfRangeError, True),
    (lambda: OwnOpError(), E.NotFoundError, True),
]
IDS = [type(make()).__name__ for make, _, _ in TABLE]
FAMILY = [tf.py_function, tf.numpy_function, tf.compat.v1.py_func]
NAMES = ["py_function", "numpy_function", "py_func"]


class Modes:
    """One call site per mode: the same function raising again and again."""

    @staticmethod
    def eager(api: Any, func: Any) -> Callable[[], Any]:
        return lambda: api(func, [1.0, [1, 2]], tf.float32, name="mine")

    @staticmethod
    def graph(api: Any, func: Any) -> Callable[[], Any]:
        with tf.Graph().as_default() as graph:
            y = api(func, [1.0, [1, 2]], tf.float32, name="mine")
        session = tf.compat.v1.Session(graph=graph)
        return lambda: session.run(y)


MODES = pytest.mark.parametrize("mode", ["eager", "graph"])
APIS = pytest.mark.parametrize("api", FAMILY, ids=NAMES)


def failing(error: BaseException) -> Callable[..., Any]:
    def f(x: Any, y: Any) -> Any:
        raise error

    return f


@MODES
@APIS
@pytest.mark.parametrize(("make", "ours", "both"), TABLE, ids=IDS)
def test_exception_table(make: Any, ours: type[E.OpError], both: bool, api: Any, mode: str) -> None:
    original = make()
    call = getattr(Modes, mode)(api, failing(original))
    for _ in ("first call", "later call", "later still"):
        with pytest.raises(ours) as caught:
            call()
        error = caught.value
        assert isinstance(error, type(original)) is both
        assert error.__cause__ is original
        assert type(error).__name__ == ours.__name__
        assert error.error_code == (99 if isinstance(original, OwnOpError) else ours.code)
        text = str(error)
        assert text.startswith(f"{type(original).__name__}: ")
        assert "function failing.<locals>.f (" in text
        assert f"defined at {__file__}:" in text
        assert f"'{'mine' if mode == 'graph' else caught_type(api)}'" in text
        assert "inputs: float32[], int32[2]" in text
        assert error.args == (text,) == (error.message,)
        assert (error.op is None) == (mode == "eager")


def caught_type(api: Any) -> str:
    return "EagerPyFunc" if api is tf.py_function else "PyFunc"


def test_both_except_clauses_catch() -> None:
    for clause in (ValueError, E.InvalidArgumentError, E.OpError, Exception):
        try:
            tf.py_function(failing(ValueError("boo")), [1.0, 2.0], tf.float32)
        except clause as error:
            assert str(error).splitlines()[0] == "ValueError: boo"
        else:
            raise AssertionError(f"except {clause} caught nothing")


@MODES
@APIS
@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3)], ids=lambda e: type(e).__name__)
def test_the_wish_to_stop_passes_through(error: BaseException, api: Any, mode: str) -> None:
    call = getattr(Modes, mode)(api, failing(error))
    for _ in range(2):
        with pytest.raises(type(error)) as caught:
            call()
        assert caught.value is error


@MODES
@APIS
def test_stop_iteration_never_shortens_an_iteration(api: Any, mode: str) -> None:
    def f(x: Any, y: Any) -> Any:
        if calls[-1] == 1:
            raise StopIteration("early")
        return np.float32(1)

    calls: list[int] = []
    call = getattr(Modes, mode)(api, f)

    def step(i: int) -> Any:
        calls.append(i)
        return call()

    def generator() -> Any:
        for i in range(3):
            yield step(i)

    for consume in (
        lambda: [step(i) for i in range(3)],
        lambda: list(map(step, range(3))),
        lambda: list(generator()),
        lambda: list(step(i) for i in range(3)),
        lambda: next(iter(step(1) for _ in range(1)), "default"),
    ):
        with pytest.raises(E.OutOfRangeError, match="StopIteration: early"):
            consume()


@MODES
def test_exceptions_that_steer_python_do_not_end_coroutines_or_generators(mode: str) -> None:
    call = getattr(Modes, mode)(tf.py_function, failing(asyncio.CancelledError()))

    async def body() -> str:
        try:
            call()
        except E.CancelledError:
            return "caught as an error"
        return "nothing raised"

    assert asyncio.run(body()) == "caught as an error"


PICKLED = [row for row in TABLE]


@MODES
@pytest.mark.parametrize(("make", "ours", "both"), PICKLED, ids=IDS)
def test_errors_pickle_and_copy(make: Any, ours: type[E.OpError], both: bool, mode: str) -> None:
    original = make()
    with pytest.raises(ours) as caught:
        getattr(Modes, mode)(tf.py_function, failing(original))()
    for again in (pickle.loads(pickle.dumps(caught.value)), copy.copy(caught.value), copy.deepcopy(caught.value)):
        assert isinstance(again, ours)
        assert isinstance(again, type(original)) is both
        assert type(again).__name__ == ours.__name__
        assert (str(again), again.error_code) == (str(caught.value), caught.value.error_code)
        for name in ("errno", "strerror", "filename", "encoding", "reason", "start", "one", "extra", "name"):
            if getattr(original, name, None) is not None:
                assert getattr(again, name) == getattr(original, name), name


def test_an_error_whose_class_cannot_be_imported_still_pickles() -> None:
    class Local(ValueError):
        pass

    with pytest.raises(Local) as caught:
        tf.py_function(failing(Local("boo")), [1.0, 2.0], tf.float32)
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is E.InvalidArgumentError and str(again) == str(caught.value)


def test_fields_are_copied() -> None:
    with pytest.raises(FileNotFoundError) as caught:
        tf.py_function(lambda: open("/nowhere/at/all"), [], tf.float32)
    error = caught.value
    assert (error.errno, error.strerror, error.filename) == (
        errno.ENOENT,
        "No such file or directory",
        "/nowhere/at/all",
    )


def test_a_nul_in_the_message_is_escaped_and_nothing_is_cut() -> None:
    with pytest.raises(ValueError, match="boo") as caught:
        tf.py_function(failing(ValueError("boo\0end")), [1.0, 2.0], tf.float32)
    assert str(caught.value).splitlines()[0] == r"ValueError: boo\0end"
    assert "\0" not in str(caught.value)


def test_the_message_shows_the_users_frames_only_and_the_chain_of_causes() -> None:
    def inner() -> None:
        raise KeyError("first")

    def outer() -> Any:
        try:
            inner()
        except KeyError as error:
            raise ValueError("second") from error

    with pytest.raises(ValueError, match="second") as caught:
        tf.py_function(outer, [], tf.float32)
    text = str(caught.value)
    assert "in outer" in text and "in inner" in text
    assert "KeyError: 'first'" in text and "The above exception was the direct cause" in text
    assert "inlay/_src" not in text


def test_notes_are_kept() -> None:
    error = ValueError("boo")
    error.add_note("look at row 7")
    with pytest.raises(ValueError, match="look at row 7"):
        tf.py_function(failing(error), [1.0, 2.0], tf.float32)


def test_nested_calls_keep_the_innermost_original_class() -> None:
    def outer(x: Any) -> Any:
        return tf.py_function(failing(SubValue("deep")), [x, x], tf.float32)

    with pytest.raises(SubValue) as caught:
        tf.py_function(outer, [1.0], tf.float32)
    assert isinstance(caught.value, E.InvalidArgumentError)
    assert type(caught.value.__cause__) is SubValue  # the inner call's error, whose text the message has, is left out
    assert str(caught.value).count("\n  raised in function") == 2 and "SubValue: deep" in str(caught.value)


def test_graph_errors_know_their_operation() -> None:
    with tf.Graph().as_default() as graph:
        y = tf.py_function(failing(ValueError("boo")), [1.0, 2.0], tf.float32, name="mine")
    with pytest.raises(E.InvalidArgumentError) as caught, tf.compat.v1.Session(graph=graph) as session:
        session.run(y + 1.0)
    assert caught.value.op is y.op
    assert caught.value.node_def.name == "mine" and caught.value.node_def.op == "EagerPyFunc"


def test_errors_of_kernels_name_op_and_inputs() -> None:
    with tf.Graph().as_default() as graph:
        p = tf.compat.v1.placeholder(tf.float32)
        y = tf.add(p, tf.ones([2]), name="sum")
    with pytest.raises(E.InvalidArgumentError) as caught, tf.compat.v1.Session(graph=graph) as session:
        session.run(y, {p: [1.0, 2.0, 3.0]})
    text = str(caught.value)
    assert r"Incompatible shapes: [3] vs. [2]" in text
    assert "op 'sum' (AddV2) of (float32[3], float32[2])" in text
    assert f"defined at {__file__}:" in text
    assert caught.value.op is y.op


def test_an_error_in_the_users_gradient_is_mapped_too() -> None:
    def grad(*_: Any) -> Any:
        raise StopIteration("gradboo")

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.numpy_function(lambda v: v, [x], tf.float32, grad=grad)
    with pytest.raises(E.OutOfRangeError, match="StopIteration: gradboo") as caught:
        tape.gradient(y, x)
    assert isinstance(caught.value.__cause__, StopIteration)


def test_errors_while_folding_a_constant_call_are_the_same() -> None:
    with tf.Graph().as_default() as graph:
        y = tf.numpy_function(failing(ValueError("boo")), [1.0, 2.0], tf.float32, stateful=False, name="mine")
    with tf.compat.v1.Session(graph=graph) as session:
        for _ in range(2):
            with pytest.raises(ValueError, match="boo") as caught:
                session.run(y)
            assert isinstance(caught.value, E.InvalidArgumentError)
            assert caught.value.op is y.op

"""What holds of every function in a graph: how it fails, that it never waits in vain, what it is given and keeps."""

from __future__ import annotations

import gc
import itertools
import os
import queue
import threading
import traceback
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf

E = tf.errors
PAGE = os.sysconf("SC_PAGE_SIZE")


def session_run(op: Any, func: Callable[..., Any], inp: list[Any], tout: Any) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(op(func, inp, tout))


# ---------------------------------------------------------------- how it fails

# What is raised, what TensorFlow's runtime makes of it, and whether the caller may catch what was raised, too.
TABLE: list[tuple[type[Exception], type[E.OpError], bool]] = [
    (ValueError, E.InvalidArgumentError, True),
    (TypeError, E.InvalidArgumentError, True),
    (StopIteration, E.OutOfRangeError, False),
    (MemoryError, E.ResourceExhaustedError, True),
    (NotImplementedError, E.UnimplementedError, True),
    (KeyError, E.UnknownError, True),
    (RuntimeError, E.UnknownError, True),
    (ZeroDivisionError, E.UnknownError, True),
]


def failing(error: BaseException) -> Callable[[], None]:
    def outermost() -> None:
        innermost()

    def innermost() -> None:
        raise error

    return outermost


def in_this_order(text: str, parts: list[str]) -> bool:
    place = 0
    for part in parts:
        place = text.find(part, place)
        if place < 0:
            return False
        place += len(part)
    return True


@pytest.mark.parametrize("op", [tf.py_func, tf.numpy_function, tf.py_function])
@pytest.mark.parametrize(("raised", "seen", "both"), TABLE)
def test_what_a_function_raises(op: Any, raised: type[Exception], seen: type[E.OpError], both: bool) -> None:
    error = raised("boo")
    with pytest.raises(seen) as caught:
        session_run(op, failing(error), [], tf.float32)
    said = str(caught.value)
    assert isinstance(caught.value, raised) is both and caught.value.__cause__ is error
    assert said.startswith(f"{raised.__name__}: {error}\n")
    assert in_this_order(said, ["boo", "Traceback", "in outermost", "in innermost", "boo"])


@pytest.mark.parametrize("op", [tf.py_func, tf.numpy_function, tf.py_function])
def test_errors_of_the_library_keep_their_class(op: Any) -> None:
    error = E.NotFoundError(None, None, "boo")
    with pytest.raises(E.NotFoundError) as caught:  # UnknownError in TensorFlow
        session_run(op, failing(error), [], tf.float32)
    assert caught.value.__cause__ is error
    assert [frame.name for frame in traceback.extract_tb(error.__traceback__)][-2:] == ["outermost", "innermost"]
    assert str(caught.value).startswith("NotFoundError: boo\n")


def test_nothing_that_was_raised_is_taken_for_the_end_of_a_loop() -> None:
    def ended() -> None:
        raise StopIteration

    with pytest.raises(E.OutOfRangeError):
        list(session_run(tf.py_func, ended, [], tf.float32) for _ in range(3))


# ---------------------------------------------------------------- that it does not wait in vain


@pytest.mark.parametrize("op", [tf.py_func, tf.numpy_function, tf.py_function])
def test_two_functions_of_one_run_may_wait_for_each_other(op: Any) -> None:
    ping: queue.Queue[int] = queue.Queue(1)
    pong: queue.Queue[int] = queue.Queue(1)

    def first() -> np.int64:
        ping.put(1, timeout=30)
        return np.int64(pong.get(timeout=30))

    def second() -> np.int64:
        pong.put(10 + ping.get(timeout=30), timeout=30)
        return np.int64(20)

    with tf.Graph().as_default(), tf.Session() as session:
        both = [op(first, [], tf.int64), op(second, [], tf.int64)]
        assert session.run(both) == [11, 20]
        assert session.run(both[::-1]) == [20, 11]


def test_sixty_four_elements_of_a_map_are_in_flight_at_once() -> None:
    everyone = threading.Barrier(64, timeout=30)
    threads: set[int] = set()

    def wait(number: Any) -> Any:
        threads.add(threading.get_ident())
        everyone.wait()  # broken, and so an error, unless sixty-three others get here
        return number

    data = tf.data.Dataset.range(128).map(lambda i: tf.numpy_function(wait, [i], tf.int64), num_parallel_calls=64)
    assert list(data.as_numpy_iterator()) == list(range(128))
    assert len(threads) >= 64


# ---------------------------------------------------------------- what it is called with, and how often


@pytest.mark.parametrize(("stateful", "expected"), [(True, [0, 1, 2]), (False, [0, 0, 0])])
def test_a_stateless_function_of_nothing_is_called_once(stateful: bool, expected: list[int]) -> None:
    counter = itertools.count()
    with tf.Graph().as_default(), tf.Session() as session:
        count = tf.py_func(lambda: np.int64(next(counter)), [], tf.int64, stateful=stateful)
        assert [int(session.run(count)) for _ in range(3)] == expected


# What a function returns for a string, and the bytes that come out.
STRINGS: list[tuple[Any, Any]] = [
    (b"plain", b"plain"),
    ("plain", b"plain"),
    ("größe Ω", "größe Ω".encode()),
    (b"\xff\xfe not text", b"\xff\xfe not text"),
    (b"nul \x00 inside and after \x00", b"nul \x00 inside and after \x00"),
    ("", b""),
    (np.str_("scalar"), b"scalar"),
    (np.array([b"this is", b"a padded test"]), [b"this is", b"a padded test"]),
    (np.array(["this is", "größer"]), [b"this is", "größer".encode()]),
    (np.array([b"one", "zwei Ω", "three\x00"], object), [b"one", "zwei Ω".encode(), b"three\x00"]),
    (np.array([[b"a", b"b"], [b"", b"dd"]], object), [[b"a", b"b"], [b"", b"dd"]]),
    (np.array([], object), []),
    (np.asfortranarray([[b"a", b"bb"], [b"c", b"dd"]]), [[b"a", b"bb"], [b"c", b"dd"]]),
]


@pytest.mark.parametrize("op", [tf.py_func, tf.numpy_function, tf.py_function])
@pytest.mark.parametrize(("given", "expected"), STRINGS, ids=range(len(STRINGS)))
def test_strings_of_all_kinds_come_out_as_bytes(op: Any, given: Any, expected: Any) -> None:
    found = session_run(op, lambda: given, [], tf.string)
    assert (found.tolist() if isinstance(found, np.ndarray) else found) == expected
    if not isinstance(found, np.ndarray):
        assert type(found) is bytes


@pytest.mark.parametrize("text", [b"bytes", "text", "größe Ω", b"nul \x00 after \x00", b"\xff"])
def test_strings_of_all_kinds_go_in_as_bytes(text: Any) -> None:
    seen: list[Any] = []
    plain = text.encode() if isinstance(text, str) else text
    session_run(tf.py_func, seen.append, [text], [])
    session_run(tf.py_func, seen.append, [[text, b""]], [])
    assert type(seen[0]) is bytes and seen[0] == plain
    assert seen[1].dtype == object and seen[1].tolist() == [plain, b""]


# ---------------------------------------------------------------- what it keeps


class Body:
    """A function that can be watched, and that holds a tensor of its own graph."""

    held: Any = None

    def __call__(self, x: Any) -> Any:
        return x


def test_graphs_that_are_dropped_leave_no_function() -> None:
    watched: list[weakref.ref[Body]] = []
    for i in range(100):
        body = Body()
        watched.append(weakref.ref(body))
        with tf.Graph().as_default():
            body.held = tf.constant(float(i))
            tf.py_func(body, [body.held], tf.float32)
            tf.py_function(body, [body.held], tf.float32)
        del body
    gc.collect()
    assert [ref() for ref in watched] == [None] * 100


def resident() -> int:
    """Bytes of this process in memory."""
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * PAGE


def test_a_hundred_large_arrays_through_a_function_leave_nothing() -> None:
    large = np.zeros(1_000_000, np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None])
        y = tf.py_func(lambda v: v + 1, [x], tf.float32)

        def run(times: int) -> None:
            for _ in range(times):
                assert session.run(y, {x: large}).size == large.size

        run(10)
        before = resident()
        run(100)
        assert resident() - before < 5 * large.nbytes  # one copy kept by each run would be a hundred

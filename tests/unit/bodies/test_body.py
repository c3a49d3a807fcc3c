"""Functions as they travel: digests, what they may not capture, when they are pickled again."""

from __future__ import annotations

import functools
import gc
import math
import pickle
import socket
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core.portability import PROCESS_BOUND, process_bound
from inlay._src.host import bodies

FACTOR: Any = 2


def of_main(source: str, **names: Any) -> dict[str, Any]:
    """The names of a script, whose functions nobody can import."""
    space = {"__name__": "__main__", **names}
    exec(source, space)
    return space


def there(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function as it arrives."""
    return pickle.loads(bodies.body_of(function).data)  # type: ignore[no-any-return]


class Scale:
    def __init__(self, by: float) -> None:
        self.by = by

    def __call__(self, x: float) -> float:
        return x * self.by

    def method(self, x: float) -> float:
        return x * self.by


def test_functions_of_every_kind_travel() -> None:
    k = 3
    main = of_main("def f(x): return g(x) + 1\ndef g(x): return x * K\nK = 5")
    kinds: list[tuple[Callable[..., Any], float]] = [
        (lambda x: x + k, 5.0),
        (math.sqrt, math.sqrt(2.0)),
        (Scale(3.0), 6.0),
        (Scale(3.0).method, 6.0),
        (functools.partial(Scale.method, Scale(4.0)), 8.0),
        (main["f"], 11.0),
        (np.sin, float(np.sin(2.0))),
    ]
    assert [there(f)(2.0) for f, _ in kinds] == [expected for _, expected in kinds]


def test_the_digest_is_of_the_bytes_and_a_function_is_made_once() -> None:
    body = bodies.body_of(lambda: 1)
    assert len(body.digest) == 64 and body.label.endswith("<lambda>")
    assert bodies.function_of(body) is bodies.function_of(bodies.Body(*body))


def test_a_body_is_kept_as_long_as_nothing_was_rebound() -> None:
    k = [1]
    f = lambda x, d=(1,), *, e=2: x + k[0] + d[0] + e  # noqa: E731
    first = bodies.body_of(f)
    assert bodies.body_of(f) is first
    k.append(2)  # a change inside of what is captured is not seen
    assert bodies.body_of(f) is first


def test_what_a_function_uses_is_seen_when_it_is_rebound() -> None:
    k = 1

    def f(x: int, d: int = 10, *, e: int = 100) -> int:
        return x + k + d + e

    def changed(change: Callable[[], None]) -> int:
        before = bodies.body_of(f)
        change()
        after = bodies.body_of(f)
        assert after.digest != before.digest
        return pickle.loads(after.data)(0)  # type: ignore[no-any-return]

    def closure() -> None:
        nonlocal k
        k = 2

    assert there(f)(0) == 111
    assert changed(closure) == 112
    assert changed(lambda: setattr(f, "__defaults__", (20,))) == 122
    assert changed(lambda: f.__kwdefaults__.update(e=200)) == 222
    assert changed(lambda: setattr(f, "__kwdefaults__", {"e": 300})) == 322
    assert changed(lambda: setattr(f, "__code__", (lambda x, d=0, *, e=0: -1 + (k - k)).__code__)) == -1


def test_globals_and_functions_that_go_along_are_seen_when_they_are_rebound() -> None:
    main = of_main("def f(x): return [g(v) for v in [x]][0]\ndef g(x): return x * K\nK = 5")
    f = main["f"]
    assert there(f)(2) == 10
    main["K"] = 7
    assert there(f)(2) == 14
    main["g"] = lambda x: -x
    assert there(f)(2) == -2
    del main["K"]
    assert there(f)(2) == -2


def test_attributes_are_seen_when_they_are_rebound() -> None:
    scale = Scale(2.0)
    function = lambda x: scale(x)  # noqa: E731
    assert (there(scale)(1.0), there(function)(1.0)) == (2.0, 2.0)
    scale.by = 5.0
    assert (there(scale)(1.0), there(function)(1.0)) == (5.0, 5.0)


def test_a_function_and_what_it_captures_are_not_kept_alive() -> None:
    def made() -> tuple[Callable[..., Any], Any]:
        large = Scale(1.0)
        return lambda: large, weakref.ref(large)

    function, gone = made()
    bodies.body_of(function)
    del function
    gc.collect()
    assert gone() is None


def captured(value: Any) -> Callable[[], Any]:
    def f() -> Any:
        return value

    return f


def generator() -> Any:
    yield 1


@pytest.mark.parametrize(
    ("make", "kind", "advice"),
    [
        (lambda: tf.Variable(1.0, name="v"), "Variable named 'v:0'", "pass it as an input"),
        (lambda: tf.Graph(), "Graph", "build it in the function"),
        (lambda: symbolic(), "SymbolicTensor", "pass it as an input"),
        (lambda: symbolic().op, "Operation named", "build it in the function"),
        (lambda: tf.compat.v1.Session(graph=tf.Graph()), "Session", "open one in the function"),
        (lambda: threading.Lock(), "lock", "make it in the function"),
        (lambda: threading.RLock(), "RLock", "make it in the function"),
        (generator, "generator", "make it in the function"),
    ],
)
def test_what_may_not_be_captured_is_named(make: Callable[[], Any], kind: str, advice: str) -> None:
    place = rf"closure variable 'value' of captured\.<locals>\.f is an? {kind}(.|\n)*{advice}"
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"f cannot be sent to another process: {place}") as caught:
        bodies.body_of(captured(make()))
    assert isinstance(caught.value, TypeError)


def symbolic() -> Any:
    with tf.Graph().as_default():
        return tf.compat.v1.placeholder(tf.float32)


def test_open_files_and_sockets_are_named(tmp_path: Path) -> None:
    with open(tmp_path / "f", "w") as file, socket.socket() as connection:
        with pytest.raises(tf.errors.InvalidArgumentError, match="is a TextIOWrapper named .*pass its name"):
            bodies.body_of(captured(file))
        with pytest.raises(tf.errors.InvalidArgumentError, match="is a socket; .*connect in the function"):
            bodies.body_of(captured(connection))


def test_the_place_is_where_it_is_captured() -> None:
    lock = threading.Lock()

    def refused(function: Any, place: str) -> None:
        with pytest.raises(tf.errors.InvalidArgumentError, match=place):
            bodies.body_of(function)

    main = of_main("def f(): return LOCK\ndef g(): return f()", LOCK=lock)
    refused(main["f"], "global 'LOCK' of f is a lock")
    refused(main["g"], "global 'LOCK' of f is a lock")
    refused(captured([1, {"a": lock}]), "entry 'a' of a dict is a lock")
    scale = Scale(1.0)
    scale.lock = lock  # type: ignore[attr-defined]
    refused(scale.method, "attribute 'lock' of a Scale is a lock")
    refused(functools.partial(pow, lock), "argument 0 of a partial is a lock")
    refused(lambda x=lock: x, "default of 'x' of .*<lambda> is a lock")


def test_what_anyone_says_stays_is_refused() -> None:
    @process_bound("ask for another")
    class Handle:
        pass

    with pytest.raises(tf.errors.InvalidArgumentError, match="a Handle; ask for another"):
        bodies.body_of(captured(Handle()))
    del PROCESS_BOUND[Handle]

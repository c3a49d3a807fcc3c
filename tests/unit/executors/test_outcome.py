"""What a call elsewhere gives, as bytes: results, failures, and what does not pickle."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from inlay import errors
from inlay._src.base import tracebacks
from inlay._src.core.executor import Call
from inlay._src.host import bodies
from inlay._src.host.executors import outcome


def performed(function: Any, *args: Any) -> Any:
    call = Call(function, args, label="f (here.py:1)")
    return outcome.opened(outcome.perform(bodies.body_of(function), outcome.packed(call), False))


def test_a_result_comes_back_as_it_was() -> None:
    found = performed(lambda x: {"a": (x, b"b"), "n": None}, np.arange(3))
    assert found["a"][0].tolist() == [0, 1, 2]
    assert (found["a"][1], found["n"]) == (b"b", None)


def test_an_exception_keeps_its_class_and_tells_where_it_was_raised() -> None:
    class Special(Exception):
        pass

    def raise_special() -> None:
        raise Special("text", 3)

    with pytest.raises(Special) as caught:
        performed(raise_special)
    assert caught.value.args == ("text", 3)
    assert isinstance(caught.value.__cause__, tracebacks.RemoteTraceback)
    assert "in raise_special" in str(caught.value.__cause__)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, StopIteration, GeneratorExit])
def test_what_steers_python_is_sent_back_too(kind: type[BaseException]) -> None:
    def leave() -> None:
        raise kind

    with pytest.raises(kind):
        performed(leave)


def test_what_an_exception_holds_that_does_not_pickle_stays_behind() -> None:
    class Holding(Exception):
        def __init__(self) -> None:
            super().__init__("holds a lock", threading.Lock())
            self.lock, self.number = threading.Lock(), 3

    def fail() -> None:
        raise Holding

    with pytest.raises(Holding) as caught:
        performed(fail)
    assert caught.value.args[0] == "holds a lock" and "lock object" in caught.value.args[1]
    assert vars(caught.value)["number"] == 3 and "lock" not in vars(caught.value)
    assert "in fail" in str(caught.value.__cause__)


def test_an_exception_is_rebuilt_without_its_init() -> None:
    class Demanding(Exception):
        def __init__(self, one: int, two: int) -> None:
            super().__init__(f"{one} and {two}")
            self.one = one

    def fail() -> None:
        raise Demanding(1, 2)

    with pytest.raises(Demanding, match=r"1 and 2") as caught:
        performed(fail)
    assert caught.value.one == 1


def test_a_class_that_does_not_travel_is_replaced_by_its_nearest_base_that_does() -> None:
    class Base(LookupError):
        pass

    def fail() -> None:
        class Staying(Base):
            lock = __import__("threading").Lock()

        raise Staying("text")

    with pytest.raises(Base, match="text") as caught:
        performed(fail)
    assert type(caught.value).__name__ == "Base"


def test_a_result_that_does_not_pickle_is_refused() -> None:
    with pytest.raises(TypeError, match=r"result of .*, a lock, cannot be sent back") as caught:
        performed(lambda: threading.Lock())
    assert isinstance(caught.value, errors.InvalidArgumentError)


def test_the_argument_that_does_not_pickle_is_named() -> None:
    with pytest.raises(TypeError, match=r"argument 1 of f \(here.py:1\), a lock, cannot be sent elsewhere"):
        performed(lambda a, b: a, 1, threading.Lock())

"""Calls of everything public: what an internal error is, that calls follow from the seed, that hangs are noticed."""

from __future__ import annotations

import abc
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import inlay as tf
from benchmarks import soak_calls
from tests.faults import public_calls
from tests.faults.hostile_values import HOSTILE, UsersError, users_of_three
from tests.faults.internal_errors import LIBRARY, cause_of
from tests.faults.plausible_arguments import plus
from tests.recorded.draws import Draws


def raised(source: str, *, ours: bool = True, **names: Any) -> BaseException:
    """What a statement raises in a frame of the library, or of a user."""
    space = {"np": np, **names}
    text = compile(f"def run():\n    {source}", f"{LIBRARY}anything.py" if ours else "users.py", "exec")
    exec(text, space)
    with pytest.raises(BaseException) as caught:
        space["run"]()  # type: ignore[operator]
    return caught.value


def users(*_: Any) -> Any:
    raise KeyError("mine")


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("None.dtype", "AttributeError"),
        ("{}[1]", "KeyError"),
        ("[][0]", "IndexError"),
        ("x += 1", "UnboundLocalError"),
        ("run()", "RecursionError"),
        ("1 / 0", "ZeroDivisionError"),
        ("assert not 1", "AssertionError"),
        ("len(3)", "TypeError"),
        ("bool(np.zeros(2))", "ValueError"),
        ("np.zeros(2).sum(axis=4)", "AxisError"),
    ],
)
def test_accidents_of_our_frames_are_internal(source: str, kind: str) -> None:
    assert cause_of(raised(source)).startswith(f"{kind} at anything.py:2 run")
    assert cause_of(raised(source, ours=False)) == ""


@pytest.mark.parametrize(
    "source",
    [
        "raise KeyError('a collection')",
        "raise TypeError('`axis` must be an integer')",
        "int('a')",
        "users()",
        "sorted([3], key=users)",
        "users_of_three(1)",
        "np.zeros((2, 2)) @ np.zeros(3)",
        "Callable()",
    ],
)
def test_what_is_raised_on_purpose_or_by_the_caller_is_not(source: str) -> None:
    assert cause_of(raised(source, users=users, users_of_three=users_of_three, Callable=Callable)) == ""


@pytest.mark.parametrize("function", [int, object])
def test_what_a_passed_callable_says_of_its_arguments_is_not(function: Any) -> None:
    error = raised("function(np)", function=function)
    assert cause_of(error, passed=[1, function]) == ""
    assert cause_of(error, passed=[1]) != ""


@pytest.mark.parametrize("function", [len, np.float32])
def test_what_a_passed_callable_of_c_does_not_take_is_not(function: Any) -> None:
    error = raised("f = function; f(object())", function=function)
    assert cause_of(error, passed=[1, function]) == ""
    assert cause_of(error, passed=[1]) != ""
    assert cause_of(raised("f = function; 1 + None", function=function), passed=[function]) != ""


def test_what_the_signature_of_a_layer_refuses_is_not() -> None:
    layer = tf.compat.v1.layers.AveragePooling1D(2, 1)
    with pytest.raises(TypeError) as caught:
        layer(tf.ones([1, 2, 3]), 4)
    assert cause_of(caught.value, type(layer).__call__) == ""


def test_an_abstract_class_is_not_to_be_made() -> None:
    abstract = abc.ABCMeta("Abstract", (), {"f": abc.abstractmethod(lambda self: None)})
    assert cause_of(raised("made()", made=abstract)) == ""


def test_a_message_with_our_accident_is_internal() -> None:
    error = raised("raise ValueError(\"AttributeError: 'NoneType' object has no attribute 'x'\")")
    assert cause_of(error).startswith("ValueError tells of 'AttributeError' at anything.py:2")


def test_what_an_error_wraps_counts() -> None:
    inner = raised("None.dtype")
    wrapped = raised("raise error from inner", error=tf.errors.UnknownError(None, None, "told"), inner=inner)
    assert cause_of(wrapped).startswith("AttributeError at anything.py:2")


def test_calls_follow_from_the_seed(tmp_path: Path) -> None:
    texts = [[public_calls.Made(seed, n, str(tmp_path)).text() for n in range(60)] for seed in (3, 3, 4)]
    assert texts[0] == texts[1] != texts[2]


def test_all_kinds_of_public_things_are_called() -> None:
    names = {str(target) for target in public_calls.targets()}
    assert len(names) > 2500
    for end in ("nn.relu", "data.Dataset.batch", "Variable.assign", "train.Saver", "TensorArray.read"):
        assert any(name.endswith(end) for name in names), end
    assert not [name for name in names if public_calls.is_left_out(name)]
    for switch in ("debugging.run_inline", "debugging.set_log_device_placement", "enable_numpy_behavior", "TestCase."):
        assert not [name for name in names if switch in name], switch


@pytest.mark.parametrize("change", range(len(HOSTILE)))
def test_hostile_values_can_be_drawn_and_shown(change: int) -> None:
    for n in range(40):
        value = HOSTILE[change](Draws(f"{n}"), 1.0)
        assert len(public_calls.shown(value)) <= 160


def making(run: Callable[[], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> soak_calls.Calls:
    """The calls after one that runs a function."""
    made = SimpleNamespace(run=run, text=lambda: "call()", cause=cause_of)
    monkeypatch.setattr(public_calls, "Made", lambda *_: made)
    calls = soak_calls.Calls(0, str(tmp_path))
    calls.make(7)
    return calls


def test_a_cause_is_kept_with_the_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run() -> None:
        raise raised("None.dtype")

    causes = making(run, tmp_path, monkeypatch).causes
    ((cause, (times, number, text)),) = causes.items()
    assert cause.startswith("AttributeError at") and (times, number) == (1, 7) and text.startswith("call(): ")


def test_what_the_caller_raises_is_no_cause(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run() -> None:
        raise UsersError("on purpose")

    calls = making(run, tmp_path, monkeypatch)
    assert calls.causes == {} and calls.raised == 1


def test_a_call_that_exits_is_a_cause(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run() -> None:
        raise SystemExit

    assert list(making(run, tmp_path, monkeypatch).causes) == ["raises SystemExit"]


def test_a_hang_is_a_cause(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = soak_calls.Calls(0, str(tmp_path))
    monkeypatch.setattr(soak_calls, "HANGS", 0.2)
    monkeypatch.setattr(calls, "_used", None)
    calls._ended()  # half of the time is over
    with pytest.raises(soak_calls.TooLongError):
        calls._ended()


class Seen(Exception):
    """Ends a wait where it would begin."""


class UsersLock:
    """A lock whose release, with which the wait for an event begins, keeps the frame that waits."""

    def __init__(self) -> None:
        self.frames: list[FrameType] = []

    def acquire(self) -> bool:
        return True

    def release(self) -> None:
        pass

    def locked(self) -> bool:
        return True

    def _is_owned(self) -> bool:
        return True

    def _release_save(self) -> None:
        self.frames.append(sys._getframe(1))
        raise Seen


def at_an_event() -> FrameType:
    lock = UsersLock()
    with pytest.raises(Seen):
        threading.Condition(lock).wait()  # type: ignore[arg-type]
    return lock.frames[0]


def asleep() -> FrameType:
    return (time.sleep(0), sys._getframe())[1]


def elsewhere() -> FrameType:
    return sys._getframe()


def idle_until_ended(calls: soak_calls.Calls, frame: FrameType) -> None:
    calls._used = time.process_time()
    calls._ended(0, frame)


def busy_until_ended(calls: soak_calls.Calls, called: Callable[..., Any]) -> None:
    calls._used = time.process_time() - soak_calls.HANGS
    calls._ended()
    called(1)
    calls._ended()


@pytest.mark.parametrize(
    ("run", "waits"),
    [
        (lambda calls: idle_until_ended(calls, at_an_event()), 1),
        (lambda calls: idle_until_ended(calls, asleep()), 1),
        (lambda calls: idle_until_ended(calls, elsewhere()), 0),
        (lambda calls: busy_until_ended(calls, plus), 1),
        (lambda calls: busy_until_ended(calls, lambda x: x), 0),
    ],
    ids=["at an event", "asleep", "at a lock", "loop of the caller's", "loop of the library's"],
)
def test_what_waits_for_others_and_loops_of_the_callers_are_no_hangs(
    run: Callable[[soak_calls.Calls], None], waits: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(soak_calls, "HANGS", 1000.0)  # no alarm comes
    calls = soak_calls.Calls(0, str(tmp_path))
    made = SimpleNamespace(run=lambda: run(calls), text=lambda: "call()", cause=cause_of)
    monkeypatch.setattr(public_calls, "Made", lambda *_: made)
    assert isinstance(calls.make(7), soak_calls.TooLongError)
    assert calls.waits == waits
    assert list(calls.causes) == ([] if waits else ["hangs at no frame of ours"])


def test_a_wait_that_an_interrupt_does_not_end_soon_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soak_calls, "HANGS", 1000.0)
    monkeypatch.setattr(soak_calls, "PROMPT", 0.0)
    calls = soak_calls.Calls(0, str(tmp_path))
    made = SimpleNamespace(run=lambda: idle_until_ended(calls, asleep()), text=lambda: "call()", cause=cause_of)
    monkeypatch.setattr(public_calls, "Made", lambda *_: made)
    assert isinstance(calls.make(7), soak_calls.TooLongError)
    assert calls.waits == 0 and list(calls.causes) == ["hangs at no frame of ours"]

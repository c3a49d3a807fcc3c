"""The way of one call: the modules that its inputs pass through, from the public function to the user's and back.

A module is on the way if one of its functions receives an input: the tensor, its array, or a list, tuple, dict or
record that holds one. A climb is a move to a module of a higher room, by a call or by a return. The body of the user's
function and reads of properties do not count.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core.tensor import EagerTensor
from inlay._src.host.inputs import CallInputs

ROOMS = ("base", "core", "ops", "engine", "host", "programs")
"""From the lowest up."""
MOST_MODULES, MOST_CLIMBS = 12, 6
f32 = tf.float32


class Way:
    """Follows inputs by the arguments of the functions that are entered.

    Args:
      inputs: tensors and arrays.
      body: the code of the user's function.

    Attributes:
      stays: the modules in the order in which they were entered, and entered again by a return.
    """

    def __init__(self, inputs: tuple[Any, ...], body: CodeType) -> None:
        arrays = [value._value for value in inputs if isinstance(value, EagerTensor)]
        self._inputs, self._body, self._inside = {id(value) for value in (*inputs, *arrays)}, body, 0
        self._frames: list[tuple[FrameType, str]] = []
        self.stays: list[str] = []

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """Takes an event of `sys.setprofile`."""
        if frame.f_code is self._body:
            self._inside += {"call": 1, "return": -1}.get(event, 0)
        elif self._inside:
            return
        elif event == "return" and self._frames and self._frames[-1][0] is frame:
            self._frames.pop()
            if self._frames:
                self._enter(self._frames[-1][1])
        elif event == "call":
            package, _, module = str(frame.f_globals.get("__name__")).partition("._src.")
            if package == "inlay" and module and not _is_property(frame) and self._holds_input(_arguments(frame)):
                self._frames.append((frame, module))
                self._enter(module)

    def _enter(self, module: str) -> None:
        if not self.stays or self.stays[-1] != module:
            self.stays.append(module)

    def _holds_input(self, value: Any, depth: int = 5) -> bool:
        if id(value) in self._inputs:
            return True
        if isinstance(value, CallInputs):
            value = [getattr(value, name, None) for name in ("args", "kwargs", "values")]
        children = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
        return depth > 0 and any(self._holds_input(child, depth - 1) for child in children)

    @property
    def climbs(self) -> int:
        """The number of moves to a higher room."""
        floors = [ROOMS.index(module.partition(".")[0]) for module in self.stays]
        return sum(after > before for before, after in zip(floors, floors[1:], strict=False))


def _arguments(frame: FrameType) -> list[Any]:
    code = frame.f_code
    variadic = bool(code.co_flags & 4) + bool(code.co_flags & 8)
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + variadic]
    return [frame.f_locals.get(name) for name in names]


def _is_property(frame: FrameType) -> bool:
    return isinstance(getattr(type(frame.f_locals.get("self")), frame.f_code.co_name, None), property)


def way_of(call: Callable[[], Any], inputs: tuple[Any, ...], function: Any, calls_before: int) -> Way:
    """The way of one call, after the same call was made so many times."""
    for _ in range(calls_before):
        call()
    way, before = Way(inputs, function.__code__), sys.getprofile()
    sys.setprofile(way)
    try:
        call()
    finally:
        sys.setprofile(before)
    return way


def double(x: Any) -> Any:
    return x * 2


def first_of(x: Any, k: Any) -> Any:
    return x + k["b"][0]


def pulled(x: Any, y: Any, dy: Any) -> Any:
    return dy


x = tf.constant([1.0, 2.0])


@contextmanager
def tape_on_x() -> Iterator[None]:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        yield


@contextmanager
def nothing() -> Iterator[None]:
    yield


NESTED = {"k": {"b": [x], "c": 3}}
# Name -> (scope around the call, call, function, calls before).
EAGER: dict[str, tuple[Any, Callable[[], Any], Any, int]] = {
    "first": (nothing, lambda: tf.py_function(double, [x], f32), double, 0),
    "hot": (nothing, lambda: tf.py_function(double, [x], f32), double, 3),
    "arrays": (nothing, lambda: tf.numpy_function(double, [x], f32), double, 3),
    "first with kwargs": (nothing, lambda: tf.py_function(first_of, [x], f32, kwargs=NESTED), first_of, 0),
    "hot with kwargs": (nothing, lambda: tf.py_function(first_of, [x], f32, kwargs=NESTED), first_of, 3),
    "taped": (tape_on_x, lambda: tf.py_function(double, [x], f32), double, 3),
    "taped with a gradient": (tape_on_x, lambda: tf.py_function(double, [x], f32, grad=pulled), double, 3),
}
# Name -> call of a symbolic input.
NODES: dict[str, Callable[[Any], Any]] = {
    "flat": lambda p: tf.py_function(double, [p], f32),
    "arrays": lambda p: tf.numpy_function(double, [p], f32, stateful=False),
    "with kwargs": lambda p: tf.py_function(first_of, [p], f32, kwargs={"k": {"b": [p], "c": 3}}),
    "contrib": lambda p: tf.contrib.framework.py_func(first_of, [p], {"k": {"b": [p]}}, f32),
}


def check(way: Way) -> None:
    assert way.stays, "the inputs were not seen on any way"
    assert len(set(way.stays)) <= MOST_MODULES, way.stays
    assert way.climbs <= MOST_CLIMBS, way.stays


@pytest.mark.parametrize("name", EAGER)
def test_the_way_of_an_eager_call_is_short(name: str) -> None:
    scope, call, function, calls_before = EAGER[name]
    with scope():
        check(way_of(call, (x,), function, calls_before))


@pytest.mark.parametrize("name", NODES)
def test_the_way_of_a_call_that_adds_a_node_is_short(name: str) -> None:
    with tf.Graph().as_default():
        p = tf.compat.v1.placeholder(f32, [2])
        check(way_of(lambda: NODES[name](p), (p,), double, 0))


@pytest.mark.parametrize("calls_before", [0, 30])
@pytest.mark.parametrize("nested", [False, True])
def test_the_way_of_a_fed_value_through_a_run_is_short(calls_before: int, nested: bool) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(f32, [2])
        y: Any = tf.py_function(double, [p], f32)
        fetches, value = {"y": [y]} if nested else y, np.ones(2, np.float32)
        check(way_of(lambda: session.run(fetches, {p: value}), (value,), double, calls_before))


def test_the_way_of_an_input_to_the_users_gradient_is_short() -> None:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.py_function(double, [x], f32, grad=pulled)
    check(way_of(lambda: tape.gradient(y, x), (x,), pulled, 0))


def test_inputs_are_flattened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from inlay._src.host import inputs

    calls = []
    flatten = inputs.flatten_arguments
    monkeypatch.setattr(inputs, "flatten_arguments", lambda *args: calls.append(args) or flatten(*args))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.py_function(lambda a, k: a + k, [x], f32, kwargs={"k": x}, grad=lambda a, y, dy, k: (dy, {"k": dy}))
    tape.gradient(y, x)
    with tf.Graph().as_default():
        p = tf.compat.v1.placeholder(f32)
        tf.gradients(tf.py_function(first_of, [p], f32, kwargs={"k": {"b": [p]}}), p)
    assert len(calls) == 2

"""Functions without a fault, many of which look as if they had one."""

from __future__ import annotations

import asyncio
import functools
import threading
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import inlay as tf
from tests.unit.inspection.faults import ONE, PURE, ROWS


@dataclass
class Right:
    """A right function: its samples, and its declaration."""

    function: Any
    samples: list[Any]
    declaration: dict[str, Any] = field(default_factory=dict)


WEIGHTS = np.float32([0.5, 0.25, 0.125])
NAMES = {b"one": 1, b"two": 2}
LOCAL = threading.local()


def reads_constants(x: Any) -> Any:
    return x * WEIGHTS


@functools.lru_cache(maxsize=8)
def table(size: int) -> Any:
    return np.arange(size, dtype=np.float32)


def remembers_what_it_computed(x: Any) -> Any:
    return x + table(3)


_LOADED: dict[str, Any] = {}


def loads_once(x: Any) -> Any:
    if "weights" not in _LOADED:
        _LOADED["weights"] = np.float32([1, 2, 3])
    return x * _LOADED["weights"]


def scratch_of_the_thread(x: Any) -> Any:
    if not hasattr(LOCAL, "scratch"):
        LOCAL.scratch = np.zeros(3, np.float32)
    LOCAL.scratch[:] = x
    LOCAL.scratch[:] = LOCAL.scratch * 2
    return LOCAL.scratch.copy()


class Guarded:
    """A scratch array that one thread at a time uses."""

    def __init__(self) -> None:
        self.lock, self.scratch = threading.Lock(), np.zeros(3, np.float32)

    def double(self, x: Any) -> Any:
        with self.lock:
            self.scratch[:] = x
            self.scratch[:] = self.scratch * 2
            return self.scratch.copy()


def returns_not_a_number(x: Any) -> Any:
    return np.where(x > 0, x, np.float32(np.nan))


def own_copy(x: Any) -> Any:
    x = x.copy()
    x -= x.mean()
    return x


def numbers_of_names(names: Any) -> Any:
    return np.array([NAMES.get(name, 0) for name in names], np.int64)


def joined(a: bytes, b: bytes) -> bytes:
    return a + b"\0" + b


def several(x: Any) -> dict[str, Any]:
    return {"sum": x.sum(), "parts": (x * 2, (x > 0))}


def varying_length(x: Any) -> Any:
    return x[x > 0]


def relu(x: Any) -> Any:
    return tf.nn.relu(x)


def branches(x: Any) -> Any:
    return tf.reduce_sum(x**2) if x[0] > 0 else tf.reduce_sum(x**3)


def analytic(x: Any) -> Any:
    return np.sin(x)


def analytic_slope(x: Any, y: Any, d: Any) -> Any:
    return d * tf.cos(x)


def inner_products(x: Any, y: Any) -> Any:
    return tf.linalg.matvec(x, y)


def with_noise(x: Any, rng: Any) -> Any:
    return x + rng.normal(size=x.shape).astype(np.float32)


def complex_parts(x: Any) -> Any:
    return np.conj(x) * 2


def whole_numbers(n: Any) -> Any:
    return n + 1


def nothing() -> Any:
    return np.float32(3)


def prints(x: Any) -> None:
    print("seen", x.shape)


async def waits(x: Any) -> Any:
    await asyncio.sleep(0)
    return x * 2


def lengths(rows: Any) -> Any:
    return tf.reduce_sum(rows, axis=1)


def with_options(x: Any, scale: Any, shift: Any) -> Any:
    return x * np.float32(scale) + shift


def scaled(factor: float, x: Any) -> Any:
    return x * np.float32(factor)


def counts_calls() -> Any:
    calls = [0]

    def counting(x: Any) -> Any:
        calls[0] += 1
        return x * 2

    return counting


@tf.numpy_function(Tout=tf.float32, stateful=False, output_shapes=[3])
def decorated(x: Any) -> Any:
    return np.sort(x)


def program(x: Any) -> Any:
    """A function of tensors with a host function in it."""
    return tf.numpy_function(analytic, [x], tf.float32, grad=analytic_slope) * 2.0


RIGHT = {
    "reads constants": Right(reads_constants, ROWS, {**PURE, "executor": "processes"}),
    "remembers results": Right(remembers_what_it_computed, ROWS, PURE),
    "loads once": Right(loads_once, ROWS, PURE),
    "scratch of the thread": Right(scratch_of_the_thread, ROWS, PURE),
    "guarded scratch": Right(Guarded().double, ROWS, ONE),
    "NaN": Right(returns_not_a_number, ROWS, {**PURE, "output_shapes": [3]}),
    "own copy": Right(own_copy, ROWS, PURE),
    "strings": Right(numbers_of_names, [np.array([b"one", b"six"])], {**PURE, "Tout": tf.int64}),
    "string result": Right(joined, [(b"a", b"b\0")], {**PURE, "Tout": tf.string}),
    "several": Right(
        several, ROWS, {**PURE, "Tout": {"sum": tf.float32, "parts": (tf.float32, tf.bool)}, "executor": "threads"}
    ),
    "varying length": Right(varying_length, ROWS, {**PURE, "output_shapes": [None]}),
    "relu": Right(relu, ROWS, {"Tout": tf.float32}),
    "branches": Right(branches, ROWS, {"Tout": tf.float32, "stateful": False, "executor": "processes"}),
    "analytic gradient": Right(analytic, ROWS, {**ONE, "grad": analytic_slope}),
    "inner products": Right(
        inner_products, [(np.float64([[1, 2], [3, 4]]), np.float64([5, 6]))], {"Tout": tf.float64, "stateful": False}
    ),
    "noise of a seed": Right(with_noise, ROWS, {**PURE, "rng": 7, "executor": "processes"}),
    "complex": Right(complex_parts, [np.complex64([1 + 2j])], {**PURE, "Tout": tf.complex64}),
    "whole numbers": Right(whole_numbers, [np.int32(3), np.int32([1, 2])], {**PURE, "Tout": tf.int32}),
    "no input": Right(nothing, [()], PURE),
    "no result": Right(prints, ROWS, {**ONE, "Tout": []}),
    "async": Right(waits, ROWS, {**PURE, "executor": "processes"}),
    "ragged": Right(lengths, [tf.ragged.constant([[1.0, 2.0], [3.0]])], {"Tout": tf.float32}),
    "keyword arguments": Right(with_options, ROWS, {**PURE, "kwargs": {"scale": 2, "shift": np.float32(1)}}),
    "partial": Right(functools.partial(scaled, 3.0), ROWS, {**PURE, "executor": "processes"}),
    "counts, and says so": Right(counts_calls(), ROWS, ONE),
    "decorated": Right(decorated, ROWS),
    "program": Right(program, ROWS),
    "views": Right(analytic, ROWS, {**PURE, "copy": False}),
}

"""Functions with one fault each, written after the checker, to look for what it misses."""

from __future__ import annotations

import collections
import datetime
import sys
import uuid
from typing import Any

import numpy as np

import inlay as tf
from tests.unit.inspection.faults import ONE, PURE, ROWS, Fault

RECENT: Any = collections.deque(maxlen=3)
GENERATOR = np.random.default_rng(0)
TOTAL = tf.Variable([0.0, 0.0, 0.0])


def stops_a_factor(x: Any) -> Any:
    return tf.stop_gradient(x) * x


def square(x: Any) -> Any:
    return x**2


def wrong_above_five(x: Any, y: Any, d: Any) -> Any:
    return d * tf.where(x > 5, 1.0, 2.0) * x


def adds_the_time(x: Any) -> Any:
    return x + np.float32(datetime.datetime.now().microsecond)


def names_at_random(x: Any) -> Any:
    return uuid.uuid4().hex


class LastInput:
    """Keeps the result of the last input, in two steps."""

    last: Any = None

    def doubled(self, x: Any) -> Any:
        if LastInput.last is None or LastInput.last[0] != x[0]:
            LastInput.last = None
            LastInput.last = (x[0], x * 2)
        return LastInput.last[1].copy()


def keeps_the_last_sums(x: Any) -> Any:
    RECENT.append(x.sum())
    return x * 2


def rounds(x: Any) -> Any:
    return tf.cast(x, tf.float64) / 3


def whole_view(x: Any) -> Any:
    return x[...]


def _sent_by_value() -> tuple[Any, Any]:
    large = np.zeros(5_000_000)

    def generator_as_default(x: Any, numbers: Any = (i for i in range(9))) -> Any:
        return x * 2

    def captures_a_large_array(x: Any) -> Any:
        return x + np.float32(large[0])

    return generator_as_default, captures_a_large_array


def draws_from_a_captured_generator(x: Any) -> Any:
    return x + np.float32(GENERATOR.normal())


def adds_to_a_variable(x: Any) -> Any:
    TOTAL.assign_add(x)
    return x * 2


def _counter() -> Any:
    count = 0

    def rebinds_a_closure_variable(x: Any) -> Any:
        nonlocal count
        count += 1
        return x * 2

    return rebinds_a_closure_variable


def looks_at_its_callers(x: Any) -> Any:
    frame: Any = sys._getframe()
    while frame is not None:
        if frame.f_code.co_filename.endswith("session.py"):
            return x * 3
        frame = frame.f_back
    return x * 2


def sorts_columns(x: Any) -> Any:
    x.sort(axis=0)
    return x + 1


SENT = {**ONE, "executor": "processes"}
LATER = {
    "stops a factor": Fault(stops_a_factor, ROWS, "gradients", {"Tout": tf.float32}),
    "gradient wrong above five": Fault(square, ROWS, "gradients", {**ONE, "grad": wrong_above_five}),
    "adds the time": Fault(adds_the_time, ROWS, "repetition", PURE),
    "names at random": Fault(names_at_random, ROWS, "repetition", {**PURE, "Tout": tf.string}),
    "keeps the last input": Fault(LastInput().doubled, ROWS, "threads", ONE),
    "keeps the last sums": Fault(keeps_the_last_sums, ROWS, "state", PURE),
    "rounds": Fault(rounds, [np.float64([1, 2])], "declaration", {"Tout": tf.float32}),
    "shape of the spec": Fault(square, ROWS, "declaration", {**PURE, "Tout": tf.TensorSpec([2], tf.float32)}),
    "whole view": Fault(whole_view, ROWS, "aliases", ONE),
    "generator as default": Fault(_sent_by_value()[0], ROWS, "travel", SENT),
    "captured generator": Fault(draws_from_a_captured_generator, ROWS, "travel", SENT),
    "large array": Fault(_sent_by_value()[1], ROWS, "travel", SENT),
    "adds to a variable": Fault(adds_to_a_variable, ROWS, "state", {"Tout": tf.float32, "stateful": False}),
    "rebinds a closure variable": Fault(_counter(), ROWS, "state", PURE),
    "looks at its callers": Fault(looks_at_its_callers, ROWS, "agreement", {"Tout": tf.float32}),
    "sorts columns": Fault(sorts_columns, [np.float32([[3, 1], [2, 0]])], "inputs", ONE),
}

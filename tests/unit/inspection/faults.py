"""Functions with one fault each, for the checker of functions. Each was written before the checker that finds it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import inlay as tf


@dataclass
class Fault:
    """A wrong function.

    Attributes:
      function: the function.
      samples: its inputs, a tuple per call.
      kind: the check that must report it.
      declaration: the arguments of `check_function`.
    """

    function: Callable[..., Any]
    samples: list[Any]
    kind: str
    declaration: dict[str, Any] = field(default_factory=dict)


ROWS = [np.float32([1.0, 2.0, 3.0]), np.float32([-1.0, 0.5, 4.0]), np.float32([7.0, 8.0, 9.0])]
ONE = {"Tout": tf.float32, "api": "numpy_function"}
PURE = {**ONE, "stateful": False}


# ---------------------------------------------------------------- the declaration


def wrong_dtype(x: Any) -> Any:
    return x.astype(np.float64) * 0.5


def wrong_shape_for_one_sample(x: Any) -> Any:
    return x[x > 0]


def other_structure_on_a_branch(x: Any) -> Any:
    if x[0] < 0:
        return x
    return x, x.sum()


def drops_what_is_not_a_number(x: Any) -> Any:
    return x[~np.isnan(x)] * 2


# ---------------------------------------------------------------- memory

TABLE = np.arange(12, dtype=np.float32).reshape(4, 3)
BUFFER = np.zeros(3, np.float32)


def writes_into_its_input(x: Any) -> Any:
    x -= x.mean()
    return x * 2


def returns_its_input(x: Any) -> Any:
    return x


def returns_a_view_of_a_global(i: Any) -> Any:
    return TABLE[int(i)]


def returns_the_same_buffer(x: Any) -> Any:
    return np.multiply(x, 2, out=BUFFER)


# ---------------------------------------------------------------- purity

COUNT = 0


def random_without_a_seed(x: Any) -> Any:
    return x + np.random.normal(size=3).astype(np.float32)


def reads_the_clock(x: Any) -> Any:
    return x * np.float32(time.time() % 1000)


def counts_in_a_global(x: Any) -> Any:
    global COUNT
    COUNT += 1
    return x * 2


def keeps_in_a_default(x: Any, seen: Any = []) -> Any:  # noqa: B006
    seen.append(float(x[0]))
    return x * 2


def _appends() -> Callable[..., Any]:
    history: list[Any] = []

    def appends_to_a_list(x: Any) -> Any:
        history.append(x.shape)
        return x * 2

    return appends_to_a_list


# ---------------------------------------------------------------- gradients


def cube(x: Any) -> Any:
    return x**3


def wrong_first(x: Any, y: Any, d: Any) -> Any:
    return d * 2.0 * x**2


def wrong_second(x: Any, y: Any, d: Any) -> Any:
    return d * tf.numpy_function(lambda v: 3 * v**2, [x], tf.float32, grad=lambda v, w, e: e * 5.0 * v)


def leaves_the_tape(x: Any) -> Any:
    return tf.constant(np.sin(x.numpy()))


# ---------------------------------------------------------------- other threads, other processes


def _locked() -> Callable[..., Any]:
    lock = threading.Lock()

    def captures_a_lock(x: Any) -> Any:
        with lock:
            return x * 2

    return captures_a_lock


def _open_file() -> Callable[..., Any]:
    file = open(__file__, encoding="utf-8")

    def captures_an_open_file(x: Any) -> Any:
        file.seek(0)
        return x * len(file.readline())

    return captures_an_open_file


SCRATCH = np.zeros(3, np.float32)


def works_in_a_scratch_array(x: Any) -> Any:
    SCRATCH[:] = x
    SCRATCH[:] = SCRATCH * SCRATCH
    total = SCRATCH.sum()
    return x / total


SCALE = 2.0


def set_scale(value: float) -> None:
    global SCALE
    SCALE = value


def reads_a_global_that_changes(x: Any) -> Any:
    return x * np.float32(SCALE)


def reads_the_environment(x: Any) -> Any:
    return x * np.float32(os.environ.get("INLAY_TEST_FACTOR", "2"))


def asks_for_its_way(x: Any) -> Any:
    if hasattr(x, "numpy"):
        return tf.constant(x.numpy() * np.float32(1.1))
    return x * 1.2


FAULTS = {
    "wrong dtype": Fault(wrong_dtype, ROWS, "declaration", PURE),
    "wrong shape for one sample": Fault(
        wrong_shape_for_one_sample, ROWS, "declaration", {**PURE, "output_shapes": [3]}
    ),
    "other structure on a branch": Fault(
        other_structure_on_a_branch, ROWS, "declaration", {**PURE, "Tout": [tf.float32, tf.float32]}
    ),
    "drops NaN": Fault(drops_what_is_not_a_number, ROWS, "declaration", {**PURE, "output_shapes": [3]}),
    "writes into its input": Fault(writes_into_its_input, ROWS, "inputs", PURE),
    "returns its input": Fault(returns_its_input, ROWS, "aliases", PURE),
    "returns a view of a global": Fault(returns_a_view_of_a_global, [0, 1, 2], "aliases", ONE),
    "returns the same buffer": Fault(returns_the_same_buffer, ROWS, "aliases", ONE),
    "random without a seed": Fault(random_without_a_seed, ROWS, "repetition", PURE),
    "reads the clock": Fault(reads_the_clock, ROWS, "repetition", PURE),
    "counts in a global": Fault(counts_in_a_global, ROWS, "state", PURE),
    "keeps in a default": Fault(keeps_in_a_default, ROWS, "state", PURE),
    "appends to a list of its closure": Fault(_appends(), ROWS, "state", PURE),
    "wrong first gradient": Fault(cube, ROWS, "gradients", {**ONE, "grad": wrong_first}),
    "wrong second gradient": Fault(cube, ROWS, "gradients", {**ONE, "grad": wrong_second}),
    "gradient None": Fault(leaves_the_tape, ROWS, "gradients", {"Tout": tf.float32}),
    "captures a lock": Fault(_locked(), ROWS, "travel", {**ONE, "executor": "processes"}),
    "captures an open file": Fault(_open_file(), ROWS, "travel", {**ONE, "executor": "processes"}),
    "races for a scratch array": Fault(works_in_a_scratch_array, ROWS, "threads", ONE),
    "reads a global that changes": Fault(reads_a_global_that_changes, ROWS, "reads", PURE),
    "reads the environment": Fault(reads_the_environment, ROWS, "surroundings", PURE),
    "asks whether it is traced": Fault(asks_for_its_way, ROWS, "agreement", {}),
}

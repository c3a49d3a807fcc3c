"""More functions with one fault each, which were set aside while the checker was written."""

from __future__ import annotations

import itertools
import os
import random
import threading
from typing import Any

import numpy as np

import inlay as tf
from tests.unit.inspection.faults import ONE, PURE, ROWS, Fault


def python_number_on_a_branch(x: Any) -> Any:
    return 0 if x.sum() < 4 else x.sum()


def sorts_a_view_of_its_input(x: Any) -> Any:
    x.ravel().sort()
    return x[:1] + 1


def returns_reversed_inputs_in_a_dict(x: Any) -> Any:
    return {"back": x[::-1], "sum": x.sum()}


def _first_of_a_shape() -> Any:
    scales: dict[Any, Any] = {}

    def remembers_by_shape(x: Any) -> Any:
        scale = scales.setdefault(x.shape, x.max())
        return x / scale

    return remembers_by_shape


class Counter:
    """An object whose method counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def double(self, x: Any) -> Any:
        self.calls += 1
        return x * 2


def orders_by_hash(x: Any) -> Any:
    words = {str(number) for number in range(1000)}  # two processes hardly ever begin with the same three
    return x * np.float32([int(word) for word in words][:3])


def seeds_the_generator_of_all(x: Any) -> Any:
    np.random.seed(3)
    return x + np.float32(np.random.uniform())


def one_input_is_lost(x: Any, y: Any) -> Any:
    return x * tf.constant(y.numpy())


def _counts_along() -> Any:
    numbers = itertools.count()

    def draws_from_an_iterator(x: Any) -> Any:
        return x + np.float32(next(numbers))

    return draws_from_an_iterator


SETTINGS = {"scale": 2.0}


def configure(scale: float) -> None:
    SETTINGS["scale"] = scale


def reads_settings_that_change(x: Any) -> Any:
    return x * np.float32(SETTINGS["scale"])


def depends_on_the_process(x: Any) -> Any:
    return x + np.float32(os.getpid())


def depends_on_the_thread(x: Any) -> Any:
    return x * np.float32(1 if threading.current_thread() is threading.main_thread() else 2)


def counts_on_itself(x: Any) -> Any:
    counts_on_itself.calls = getattr(counts_on_itself, "calls", 0) + 1  # type: ignore[attr-defined]
    return x * 2


def shuffles_with_the_module(x: Any) -> Any:
    order = list(range(3))
    random.shuffle(order)
    return np.sort(x[order])


def relative_path(x: Any) -> Any:
    return x * np.float32(2 if os.path.exists("pyproject.toml") else 3)


def changes_the_folder(x: Any) -> Any:
    os.chdir(os.path.dirname(os.path.abspath(__file__)) if os.getcwd() == "/" else "/")
    return x * 2


class Accumulator:
    """Adds up in two steps, in an attribute."""

    def __init__(self) -> None:
        self.total = 0.0

    def norm(self, x: Any) -> Any:
        self.total = 0.0
        for v in x:
            self.total += float(v) ** 2
        return np.float32(self.total**0.5)


def rows_of_other_lengths(x: Any) -> Any:
    return [[1.0], [1.0, 2.0]] if x[0] < 0 else x


def gradient_of_the_first(x: Any, y: Any, z: Any, d: Any) -> Any:
    return d * y, d * y  # the second is d * x


HELD_OUT = {
    "Python's number on a branch": Fault(python_number_on_a_branch, ROWS, "declaration", PURE),
    "sorts a view of its input": Fault(sorts_a_view_of_its_input, [r[::-1].copy() for r in ROWS], "inputs", ONE),
    "returns reversed inputs in a dict": Fault(
        returns_reversed_inputs_in_a_dict, ROWS, "aliases", {**ONE, "Tout": {"back": tf.float32, "sum": tf.float32}}
    ),
    "remembers by shape": Fault(_first_of_a_shape(), ROWS, "agreement", PURE),
    "method that counts": Fault(Counter().double, ROWS, "state", PURE),
    "orders by hash": Fault(orders_by_hash, ROWS, "agreement", PURE),
    "seeds the generator of all": Fault(seeds_the_generator_of_all, ROWS, "state", PURE),
    "one input is lost": Fault(one_input_is_lost, [(r, r) for r in ROWS], "gradients", {"Tout": tf.float32}),
    "draws from an iterator": Fault(_counts_along(), ROWS, "repetition", PURE),
    "reads settings that change": Fault(reads_settings_that_change, ROWS, "reads", PURE),
    "depends on the process": Fault(depends_on_the_process, ROWS, "agreement", {**ONE, "executor": "processes"}),
    "depends on the thread": Fault(depends_on_the_thread, ROWS, "threads", ONE),
    "counts on itself": Fault(counts_on_itself, ROWS, "state", PURE),
    "shuffles with the module": Fault(shuffles_with_the_module, ROWS, "state", PURE),
    "relative path": Fault(relative_path, ROWS, "surroundings", PURE),
    "changes the folder": Fault(changes_the_folder, ROWS, "state", ONE),
    "adds up in an attribute": Fault(Accumulator().norm, ROWS, "threads", ONE),
    "rows of other lengths": Fault(rows_of_other_lengths, ROWS, "declaration", PURE),
    "gradient of the other input": Fault(
        lambda x, y: x * y, [(ROWS[0], ROWS[1])], "gradients", {**ONE, "grad": gradient_of_the_first}
    ),
}

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf
from tests.faults.test_refused_arguments import refused

v1 = tf.compat.v1
cells = v1.nn.rnn_cell
X = np.ones([2, 3], np.float32)
DEEP: Any = 1.0
for _ in range(200):
    DEEP = [DEEP]

CELLS: dict[str, Callable[[], Any]] = {
    "BasicRNNCell": lambda: cells.BasicRNNCell(4),
    "GRUCell": lambda: cells.GRUCell(4),
    "BasicLSTMCell": lambda: cells.BasicLSTMCell(4),
    "BasicLSTMCell of one tensor": lambda: cells.BasicLSTMCell(4, state_is_tuple=False),
    "LSTMCell": lambda: cells.LSTMCell(4),
    "LSTMCell with a projection": lambda: cells.LSTMCell(4, use_peepholes=True, num_proj=2),
    "LSTMCell of one tensor": lambda: cells.LSTMCell(4, state_is_tuple=False),
}
"""Every kind of cell with a state of its own."""


def built(name: str) -> Any:
    cell = CELLS[name]()
    cell.build([2, 3])
    return cell


@pytest.mark.parametrize("name", CELLS)
@pytest.mark.parametrize(
    "state", [DEEP, None, "text", object(), [[1, 2], [3, 4]]], ids=["deep", "none", "text", "object", "whole"]
)
def test_a_cell_says_what_its_state_is_not(name: str, state: Any) -> None:
    with tf.Graph().as_default():
        cell = built(name)
        refused(
            lambda: cell.call(X, state), ValueError, "64 levels|state to be a tuple|floating point|unsupported type"
        )
        refused(lambda: cell.call(state, state), ValueError, "64 levels|floating point|unsupported type")


@pytest.mark.parametrize("name", ["BasicLSTMCell", "LSTMCell", "LSTMCell with a projection"])
def test_the_state_of_an_lstm_has_two_parts(name: str) -> None:
    with tf.Graph().as_default():
        cell = built(name)
        for state in (X, (X,), (X, X, X), {"c": X, "h": X}):
            refused(lambda: cell.call(X, state), ValueError, "Expected state to be a tuple of length 2")  # noqa: B023


WRAPPERS: dict[str, Callable[[Any], Any]] = {
    "DropoutWrapper": lambda cell: cells.DropoutWrapper(cell, 0.5, 0.5, 0.5),
    "variational DropoutWrapper": lambda cell: cells.DropoutWrapper(
        cell, 0.5, 0.5, 0.5, variational_recurrent=True, input_size=3, dtype=tf.float32
    ),
    "ResidualWrapper": cells.ResidualWrapper,
    "DeviceWrapper": lambda cell: cells.DeviceWrapper(cell, "/cpu:0"),
    "MultiRNNCell": lambda cell: cells.MultiRNNCell([cell]),
}


class Answering(cells.RNNCell):
    """A cell whose step returns what it was made with."""

    state_size = output_size = 3

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self._answer = answer

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        return self._answer


@pytest.mark.parametrize("name", WRAPPERS)
@pytest.mark.parametrize(
    ("answer", "kind", "text"),
    [
        (None, TypeError, "returns its output and its new state, but this one returned None"),
        (3, TypeError, "its new state, but this one returned 3"),
        ((X,), ValueError, "but this one returned 1 values"),
        ((X, X, X), ValueError, "but this one returned 3 values"),
    ],
    ids=["none", "number", "one", "three"],
)
def test_a_step_returns_an_output_and_a_state(name: str, answer: Any, kind: type[Exception], text: str) -> None:
    with tf.Graph().as_default():
        cell, state = WRAPPERS[name](Answering(answer)), tf.zeros([2, 3])
        refused(lambda: cell(tf.constant(X), (state,) if name == "MultiRNNCell" else state), kind, text)
        for run in (
            lambda c: v1.nn.dynamic_rnn(c, tf.ones([2, 5, 3]), dtype=tf.float32),
            lambda c: v1.nn.static_rnn(c, [tf.constant(X)], dtype=tf.float32),
        ):
            refused(lambda: run(Answering(answer)), kind, text)  # noqa: B023


def test_variational_dropout_takes_as_many_tensors_as_it_was_made_for() -> None:
    with tf.Graph().as_default():
        cell = WRAPPERS["variational DropoutWrapper"](Answering((tf.constant(X), (tf.constant(X), tf.constant(X)))))
        refused(lambda: cell(tf.constant(X), tf.zeros([2, 3])), ValueError, "Expected 1 tensors of state")


def test_a_filter_of_dropout_says_something_of_each_part() -> None:
    with tf.Graph().as_default():
        cell = cells.DropoutWrapper(
            cells.LSTMCell(3), state_keep_prob=0.5, dropout_state_filter_visitor=lambda state: (True,)
        )
        state = cell.zero_state(2, tf.float32)
        refused(lambda: cell(tf.constant(X), state), ValueError, "dropout_state_filter_visitor returned")

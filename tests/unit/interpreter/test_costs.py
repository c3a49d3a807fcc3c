"""What NumPy's loops cost, about."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.interpreter import blocks, costs
from inlay._src.base.interpreter import threads as parked
from inlay._src.base.interpreter.costs import ThreadChoice
from inlay._src.base.tuning import TUNING
from inlay._src.core.opdef import OPS


def of(function: Any, dtype: Any) -> float:
    return costs.nanoseconds(function, np.dtype(dtype))


def test_wider_numbers_and_longer_functions_take_longer() -> None:
    assert of(np.add, np.float32) < of(np.add, np.float64) < of(np.exp, np.float64)
    assert of(np.exp, np.float32) < of(np.exp, np.complex64)
    assert of(np.add, np.float32) < of(np.add, np.float16)


def test_kernels_say_what_they_take() -> None:
    tf.math.erf, tf.nn.relu  # noqa: B018 - what declares them
    assert of(OPS["Erf"].kernel, np.float32) == 4.0
    assert of(OPS["Relu"].kernel, np.float32) < of(np.exp, np.float32)


@pytest.mark.parametrize("cores", [1, 2, 4])
def test_threads_are_woken_where_that_is_won_back(cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parked, "_asked", cores)
    monkeypatch.setattr(TUNING, "thread_trials", 0)
    choice, wakeup = ThreadChoice(), TUNING.thread_wakeup_ns
    assert choice.over(wakeup, 1).threads == 1
    assert choice.over(100 * wakeup, 1).threads == cores
    contended = 100 * wakeup / TUNING.interpreter_switch_ns
    assert choice.over(100 * wakeup, contended).threads == 1  # the threads would only take turns


@pytest.mark.parametrize("function", [np.exp, np.tanh, np.sin])
def test_single_functions_give_the_same_bits_on_several_threads(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TUNING, "thread_wakeup_ns", -1e12)
    monkeypatch.setattr(TUNING, "thread_trials", 0)
    for dtype in (np.float32, np.float64, np.float16):
        x = np.linspace(-9, 9, 2 * TUNING.blocked_elements + 333).astype(dtype)
        for cores in (2, 3):
            monkeypatch.setattr(parked, "_asked", cores)
            made = blocks.on_threads(function, x.reshape(1, -1))
            assert made.dtype == dtype and made.shape == (1, x.size) and made.base is None
            np.testing.assert_array_equal(made[0], function(x))
    np.testing.assert_array_equal(blocks.on_threads(function, x[::2]), function(x[::2]))  # in several pieces

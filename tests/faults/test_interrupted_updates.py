"""Ctrl-C within the update of a variable: the variable and its slots are as before, or all of them stepped."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.interpreter.interrupts import PutOff
from inlay._src.base.tuning import TUNING
from inlay._src.ops import updating

v1 = tf.compat.v1
RATE, MOMENTUM = 0.5, 0.5


@pytest.fixture(params=[1, 2])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    """How many threads work on an update."""
    tf.config.threading.set_intra_op_parallelism_threads(request.param)
    yield request.param
    tf.config.threading.set_intra_op_parallelism_threads(0)


def stepped(steps: int) -> tuple[float, float]:
    """What a variable of ones and its momentum are after so many steps along a gradient of ones."""
    value, moved = 1.0, 0.0
    for _ in range(steps):
        moved = MOMENTUM * moved + 1.0
        value -= RATE * moved
    return value, moved


def check_whole(variable: Any, slot: Any, steps: set[int]) -> int:
    """That the two are what some number of steps makes of them; that number."""
    for count in steps:
        value, moved = stepped(count)
        if variable.flat[0] == np.float32(value):
            np.testing.assert_array_equal(variable, np.float32(value))
            np.testing.assert_array_equal(slot, np.float32(moved))
            return count
    raise AssertionError(f"{variable.flat[0]} is not what {steps} steps give")


@pytest.mark.parametrize("size", [8, 5 * TUNING.block_elements + 3])
def test_an_interrupt_within_an_update_waits_for_its_end(
    size: int, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, calls = updating.write, []

    def interrupted(*args: Any) -> Any:
        calls.append(threading.get_ident())
        if threading.get_ident() == threading.main_thread().ident:
            signal.raise_signal(signal.SIGINT)
        return made(*args)

    variable = tf.Variable(np.ones(size, np.float32))
    optimizer = v1.train.MomentumOptimizer(RATE, MOMENTUM)
    optimizer.apply_gradients([(tf.ones([size]), variable)])
    slot = optimizer.get_slot(variable, "momentum")
    monkeypatch.setattr(updating, "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        optimizer.apply_gradients([(tf.ones([size]), variable)])
    monkeypatch.undo()
    assert threading.main_thread().ident in calls
    check_whole(variable.numpy(), slot.numpy(), {2})
    optimizer.apply_gradients([(tf.ones([size]), variable)])  # no lock is held, and nothing is taken


@pytest.mark.parametrize("size", [3, 6 * TUNING.block_elements])
@pytest.mark.parametrize("rows", [False, True])
def test_interrupts_at_any_moment_leave_variables_whole(size: int, rows: bool, threads: int) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        variable = v1.get_variable("v", initializer=np.ones([size, 1], np.float32))
        optimizer = v1.train.MomentumOptimizer(RATE, MOMENTUM)
        gradient: Any = tf.ones([size, 1])
        if rows:
            gradient = tf.IndexedSlices(gradient, tf.range(size), tf.constant([size, 1]))
        step = optimizer.apply_gradients([(gradient, variable)])
        both = [variable, optimizer.get_slot(variable, "momentum")]
        interrupted = 0
        for turn in range(12):
            session.run(v1.global_variables_initializer())
            done = 0
            timer = threading.Timer(0.0005 * turn, os.kill, (os.getpid(), signal.SIGINT))
            try:
                timer.start()
                for _ in range(20):  # further steps change too little
                    session.run(step)
                    done += 1
                timer.join()
                threading.Event().wait(2)  # not for ever: Python drops one that comes in a finalizer of garbage
            except KeyboardInterrupt:
                interrupted += 1
            timer.join()
            variable_now, slot_now = session.run(both)
            check_whole(variable_now, slot_now, {done, done + 1})
        assert interrupted > 6


def test_what_is_put_off_takes_effect_once_and_others_handle_it(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[Any] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: order.append((number, frame is not None)))
    try:
        with PutOff():
            with PutOff():
                signal.raise_signal(signal.SIGINT)
                signal.raise_signal(signal.SIGINT)
                order.append("inner")
            order.append("outer")
        assert order == ["inner", "outer", (signal.SIGINT, True)]
        with PutOff():
            pass
        assert len(order) == 3
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_error_and_an_interrupt_of_one_block_are_both_told() -> None:
    with pytest.raises(KeyboardInterrupt) as told, PutOff():
        signal.raise_signal(signal.SIGINT)
        raise MemoryError("too large")
    assert isinstance(told.value.__context__, MemoryError)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_threads_are_left_alone() -> None:
    seen: list[Any] = []

    def work() -> None:
        with PutOff():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(30)
    assert seen == [signal.default_int_handler]

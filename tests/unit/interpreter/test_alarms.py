"""Actions at a later time."""

from __future__ import annotations

import gc
import threading
import weakref

from inlay._src.base.interpreter.alarms import Alarms

BOUND = 30.0  # seconds; a hang, not a speed


def test_alarms_ring_in_the_order_of_their_times() -> None:
    alarms, rung, done = Alarms(), [], threading.Event()
    alarms.after(0.2, done.set)
    for i in (3, 1, 2):
        alarms.after(0.03 * i, lambda i=i: rung.append(i))  # type: ignore[misc]
    assert done.wait(BOUND) and rung == [1, 2, 3]


def test_one_that_was_cancelled_does_not_ring_and_holds_nothing() -> None:
    class Held:
        def ring(self) -> None:
            rung.append(self)

    alarms, rung, held, done = Alarms(), [], Held(), threading.Event()
    gone = weakref.ref(held)
    alarm = alarms.after(0.01, held.ring)
    alarm.cancel()
    del held
    gc.collect()
    assert gone() is None
    alarms.after(0.05, done.set)
    assert done.wait(BOUND) and rung == []


def test_many_that_were_cancelled_are_dropped() -> None:
    alarms = Alarms()
    for _ in range(10_000):
        alarms.after(1000.0, list).cancel()
    assert len(alarms._set) < 1000

"""Ctrl-C at every place where the interpreter runs handlers of signals: what other callers use must work afterwards.

`python -m tests.faults.interrupts CASE FIRST STEP` from the checkout's root runs a case again and again. It sends a
SIGINT to itself at the places FIRST, FIRST + STEP, ... of the case, numbered in the order in which the main thread
reaches them, until the case ends before the next one. After each the work of another caller has to end.

The interpreter runs handlers as a Python function begins, after a call of a C function and at the end of an
iteration. Only modules of `TRACED` count: they hold locks or move states that threads share.
"""

from __future__ import annotations

import asyncio
import contextlib
import dis
import functools
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

import numpy as np

import inlay as tf

TRACED = (
    "/host/executors/", "/base/interpreter/conditions", "/base/interpreter/threads", "/data/prefetching",
    "/data/parallel", "/engine/run/scheduling/", "/tf1/queues/", "/concurrent/futures/", "/host/remote_call",
    "/base/spans", "/base/traces/recording",
)  # fmt: skip
CHECKED = {"RESUME", "CALL", "CALL_FUNCTION_EX", "CALL_KW", "JUMP_BACKWARD"}
STILL, BOUND = 1.0, 30.0
"""Seconds without a place after which a call that lasts is interrupted; those that other work may take."""


@dataclass
class Interrupt:
    """Traces the main thread, and sends a SIGINT at one place.

    Attributes:
      number: the number of the place, from 1.
      place: the file and the line of it, once it was reached.
      count: the places so far.
      over: whether another SIGINT was sent: then this sends none.
    """

    number: int
    place: str = ""
    count: int = 0
    over: bool = False
    _last: dict[FrameType, str | None] = field(default_factory=dict)

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "call":
            if frame.f_back is not None:
                self._last[frame.f_back] = None  # it calls no C function
            if self.place or not any(part in frame.f_code.co_filename for part in TRACED):
                return None
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
        elif event == "exception":
            self._last[frame] = None
        elif event == "return":
            self._last.pop(frame, None)
        elif event == "opcode":
            last, self._last[frame] = self._last.get(frame), _operations(frame.f_code).get(frame.f_lasti)
            if last in CHECKED and not self.place:
                self.count += 1
                if self.count == self.number and not self.over:
                    self.place = f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
                    sys.settrace(None)
                    signal.raise_signal(signal.SIGINT)
        return self


@functools.cache
def _operations(code: CodeType) -> dict[int, str]:
    return {instruction.offset: instruction.opname for instruction in dis.get_instructions(code)}


# ---------------------------------------------------------------- cases


@dataclass
class Case:
    """Something to interrupt.

    Attributes:
      call: the call, on the main thread.
      other: the work of another caller afterwards.
      lasts: whether the call ends only by an interrupt.
    """

    call: Callable[[], Any]
    other: Callable[[], Any]
    lasts: bool = False


def _never(value: Any = None) -> Any:
    time.sleep(1000)


def _number(value: Any = 0) -> Any:
    return np.int64(value) + 1


async def _later(value: Any = 0) -> Any:
    await asyncio.sleep(1000 if value < 0 else 0)
    return np.int64(value) + 1


def _future(pool: Any) -> Case:
    def call() -> None:
        future = pool.submit(_never)
        try:
            future.result()
        finally:
            future.cancel()

    return Case(call, lambda: pool.submit(_number).result(BOUND), True)


def _eager(pool: Any, function: Callable[..., Any], value: int = 0) -> Case:
    return Case(
        lambda: tf.numpy_function(function, [value], tf.int64, executor=pool),
        lambda: pool.submit(_number).result(BOUND),
        function is _never,
    )


def _coroutine(value: int) -> Case:
    return Case(
        lambda: tf.numpy_function(_later, [value], tf.int64),
        lambda: tf.numpy_function(_later, [1], tf.int64).numpy(),
        value < 0,
    )


def _wave(pool: Any, function: Callable[..., Any]) -> Case:
    with tf.Graph().as_default() as graph:
        calls = [tf.numpy_function(function, [np.int64(n)], tf.int64, executor=pool) for n in range(4)]
        session = tf.compat.v1.Session(graph=graph)
    return Case(lambda: session.run(calls), lambda: pool.submit(_number).result(BOUND), function is _never)


def _pull(pool: Any) -> Case:
    x = tf.constant([1.0, 2.0])

    def call() -> None:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(lambda t: t * t, [x], tf.float32, executor=pool)
        tape.gradient(y, x)

    return Case(call, lambda: pool.submit(_number).result(BOUND))


def _dataset(transform: Callable[[Any], Any]) -> Case:
    elements = iter(transform(tf.data.Dataset.range(1 << 40)))
    next(elements)

    def other() -> Any:
        try:
            return next(elements)
        except tf.errors.CancelledError:  # the interrupt ended the iteration
            return next(iter(transform(tf.data.Dataset.range(3))))

    return Case(lambda: [next(elements) for _ in range(3)], other)


def _queue() -> Case:
    with tf.Graph().as_default() as graph:
        queue = tf.queue.FIFOQueue(3, [tf.int64], [[]])
        put, value, size = queue.enqueue(np.int64(1)), queue.dequeue(), queue.size()
        session = tf.compat.v1.Session(graph=graph)

    def call() -> None:
        session.run(put)
        session.run([value, put])
        session.run(value)
        session.run(value)

    def other() -> None:
        while session.run(size):  # of a call that was interrupted
            session.run(value)
        session.run(put)
        session.run(value)

    return Case(call, other, True)


def _reader() -> Case:
    with tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False) as file:
        file.write("a\nb\nc\n")
    with tf.Graph().as_default() as graph:
        queue = tf.queue.FIFOQueue(100_000, [tf.string], [[]])
        put = queue.enqueue(file.name)
        line = tf.compat.v1.TextLineReader().read(queue)[1]
        session = tf.compat.v1.Session(graph=graph)

    def call() -> None:
        session.run(put)
        for _ in range(4):  # one more than the file has: of another one, or none comes
            session.run(line)

    def other() -> None:
        session.run(put)
        session.run(line)

    return Case(call, other, True)


def _recording() -> Case:
    pool = tf.Threads(1)

    def call() -> None:
        with tf.profiler.trace():
            tf.numpy_function(_number, [1], tf.int64, executor=pool)

    def other() -> None:
        with contextlib.suppress(tf.errors.UnavailableError):  # the interrupt came before the end, or after it
            tf.profiler.experimental.stop(save=False)
        call()

    return Case(call, other)


CASES: dict[str, Callable[[], Case]] = {
    "a future of processes": lambda: _future(tf.Processes(1)),
    "a future of threads": lambda: _future(tf.Threads(1)),
    "an eager call on processes": lambda: _eager(tf.Processes(1), _number),
    "an eager call on processes that lasts": lambda: _eager(tf.Processes(1), _never),
    "an eager call on threads": lambda: _eager(tf.Threads(1), _number),
    "an eager call on threads that lasts": lambda: _eager(tf.Threads(1), _never),
    "a coroutine": lambda: _coroutine(0),
    "a coroutine that lasts": lambda: _coroutine(-1),
    "a wave of calls on processes": lambda: _wave(tf.Processes(2), _number),
    "a wave of calls on processes that last": lambda: _wave(tf.Processes(2), _never),
    "a wave of calls on threads": lambda: _wave(tf.Threads(2), _number),
    "a gradient on processes": lambda: _pull(tf.Processes(1)),
    "a prefetching dataset": lambda: _dataset(lambda numbers: numbers.prefetch(2)),
    "a parallel dataset": lambda: _dataset(
        lambda numbers: numbers.map(lambda n: tf.numpy_function(_number, [n], tf.int64), num_parallel_calls=2)
    ),
    "a queue": _queue,
    "a reader": _reader,
    "a recording": _recording,
}


# ---------------------------------------------------------------- the program


def _ended(work: Callable[[], Any]) -> bool:
    """Whether some work ends on a thread of its own, in time and without an error."""
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(work()), daemon=True)
    thread.start()
    thread.join(BOUND)
    return bool(results)


def _interrupted(case: Case, number: int) -> str:
    """Runs a case with an interrupt; the place of that, "" if the case has fewer places."""
    interrupt, ended = Interrupt(number), threading.Event()
    if case.lasts:
        threading.Thread(target=_interrupt_when_still, args=(interrupt, ended), daemon=True).start()
    try:
        sys.settrace(interrupt)
        case.call()
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(None)
        ended.set()
    return interrupt.place


def _interrupt_when_still(interrupt: Interrupt, ended: threading.Event) -> None:
    """Sends the first SIGINT to a call that waits, and never another one."""
    before = -1
    while not ended.wait(STILL) and not interrupt.place:
        if interrupt.count == before:
            interrupt.over = True
            os.kill(os.getpid(), signal.SIGINT)
            return
        before = interrupt.count


def main(name: str, first: int, step: int) -> int:
    """Interrupts a case at its places; returns their number. The process ends with status 1 at the first failure."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    case = CASES[name]()
    case.other()
    count = 0
    for number in range(first, sys.maxsize, step):
        place = _interrupted(case, number)
        if not place:
            return count
        if not _ended(case.other):
            print(f"{name}: nobody else goes on after an interrupt at place {number}, {place}", flush=True)
            os._exit(1)
        count += 1
    raise AssertionError("places never end")


if __name__ == "__main__":
    print(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])), flush=True)
    os._exit(0)

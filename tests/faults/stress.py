"""Random programs whose functions wait for one another, sleep, fail and run sessions: nothing may hang or mix values.

`run(seed)` builds one program, runs it several times, from several threads if the program says so, and compares every
value with what plain Python says. `at_once(seeds)` does that with several programs at a time, `soak(seconds, seed)` for
as long as asked; `python -m tests.faults.stress 60` from the checkout's root prints what it did.
"""

from __future__ import annotations

import queue
import random
import sys
import threading
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import inlay as tf


class Planned(Exception):
    """Raised on purpose by a function of a random program."""


@dataclass
class Report:
    """What happened in some programs."""

    programs: int = 0
    runs: int = 0
    failures_on_purpose: int = 0
    wrong: list[str] = field(default_factory=list)


class Program:
    """A random graph of kernels and host calls over float32 numbers, with the value each node must have."""

    def __init__(self, seed: int, size: int = 12) -> None:
        self.random = random.Random(seed)
        self.graph = tf.Graph()
        self.session = tf.compat.v1.Session(graph=self.graph)
        self.tensors: list[Any] = []
        self.value_of: list[Any] = []  # per node: fed value -> value
        self.fails: list[bool] = []  # whether evaluating it raises
        self.exclusive = False  # whether it has queues, which belong to one run at a time
        with self.graph.as_default():
            self.feed = tf.compat.v1.placeholder(tf.float32, [])
            self._add(self.feed, lambda fed: fed, False)
            # A function that fails would leave a partner waiting for ever: no program has both kinds.
            special = self.random.choice([self._pair, self._failing])
            for _ in range(size):
                self.random.choice([self._kernel, self._call, self._call, self._nested, special])()

    def _add(self, tensor: Any, value: Any, fails: bool) -> None:
        self.tensors.append(tensor)
        self.value_of.append(value)
        self.fails.append(fails)

    def _pick(self) -> tuple[Any, Any, bool]:
        i = self.random.randrange(len(self.tensors))
        return self.tensors[i], self.value_of[i], self.fails[i]

    def _api(self) -> Any:
        return self.random.choice([tf.numpy_function, tf.compat.v1.py_func, tf.py_function])

    def _kernel(self) -> None:
        (x, of_x, bad_x), (y, of_y, bad_y) = self._pick(), self._pick()
        self._add(x + y, lambda fed: of_x(fed) + of_y(fed), bad_x or bad_y)

    def _call(self) -> None:
        x, of_x, bad = self._pick()
        pause = self.random.choice([0.0, 0.0, 0.001, 0.006])

        def f(v: Any) -> Any:
            time.sleep(pause)
            return np.float32(v + np.float32(1))

        stateful = self.random.random() < 0.7
        self._add(self._api()(f, [x], tf.float32, stateful=stateful), lambda fed: of_x(fed) + 1, bad)

    def _pair(self) -> None:
        """Two calls that hand a value through a queue, in either creation order; each needs the other to run."""
        x, of_x, bad = self._pick()
        handed: queue.Queue[Any] = queue.Queue()
        back: queue.Queue[Any] = queue.Queue()

        def give(v: Any) -> Any:
            handed.put(np.float32(v))
            return np.float32(back.get(timeout=20))

        def take() -> Any:
            v = handed.get(timeout=20)
            back.put(v)
            return v

        with tf.control_dependencies([x]):
            if self.random.random() < 0.5:
                a, b = tf.numpy_function(give, [x], tf.float32), tf.numpy_function(take, [], tf.float32)
            else:
                b, a = tf.numpy_function(take, [], tf.float32), tf.numpy_function(give, [x], tf.float32)
        self._add(a + b, lambda fed: of_x(fed) * 2, bad)
        self.exclusive = True

    def _nested(self) -> None:
        x, of_x, bad = self._pick()
        i = self.random.randrange(len(self.tensors))
        inner, of_inner, inner_bad = self.tensors[i], self.value_of[i], self.fails[i]
        session, feed = self.session, self.feed

        def f(v: Any, fed: Any) -> Any:
            return np.float32(v + session.run(inner, {feed: fed}))

        call = tf.compat.v1.py_func(f, [x, self.feed], tf.float32)
        self._add(call, lambda fed: of_x(fed) + of_inner(fed), bad or inner_bad)

    def _failing(self) -> None:
        x, of_x, _ = self._pick()
        pause = self.random.choice([0.0, 0.003])

        def f(v: Any) -> Any:
            time.sleep(pause)
            raise Planned(float(v))

        self._add(self._api()(f, [x], tf.float32), of_x, True)

    def ask(self, report: Report, fed: float, wanted: list[int]) -> None:
        """One run; what it gives is compared with what it must give."""
        report.runs += 1
        try:
            got = self.session.run([self.tensors[i] for i in wanted], {self.feed: fed})
        except Planned:
            report.failures_on_purpose += 1
            if not any(self.fails[i] for i in wanted):
                report.wrong.append(f"nodes {wanted} of {fed} raised")
            return
        except Exception as error:
            report.wrong.append(f"nodes {wanted} of {fed}: {type(error).__name__}: {error}")
            return
        expected = [float(np.float32(self.value_of[i](fed))) for i in wanted]
        if any(self.fails[i] for i in wanted):
            report.wrong.append(f"nodes {wanted} of {fed} did not raise")
        elif not np.allclose(got, expected, rtol=1e-4):
            report.wrong.append(f"nodes {wanted} of {fed} gave {got}, not {expected}")


def run(seed: int, report: Report | None = None, size: int = 12) -> Report:
    """One random program, asked several times.

    Args:
      seed: decides everything about it.
      report: what to add to.
      size: how many nodes it has, about.
    """
    report = Report() if report is None else report
    report.programs += 1
    program = Program(seed, size)
    rand = random.Random(seed + 1)
    asks = [
        (float(rand.randrange(4)), rand.sample(range(len(program.tensors)), rand.randrange(1, 5))) for _ in range(4)
    ]
    if program.exclusive:
        for fed, wanted in asks * 3:  # the later runs of a plan are generated source
            program.ask(report, fed, wanted)
    else:
        threads = [threading.Thread(target=program.ask, args=(report, *ask)) for ask in asks * 3]
        for t in threads:
            t.start()
        for t in threads:
            t.join(30)
            if t.is_alive():
                report.wrong.append(f"a thread of program {seed} hangs")
    program.session.close()
    report.wrong[:] = [f"program {seed}: {w}" if not w.startswith("program") else w for w in report.wrong]
    return report


def at_once(seeds: Iterable[int], threads: int = 4) -> list[Report]:
    """What happened in the programs of these seeds, several of which run at any time: most of their time is waited."""
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(run, seeds))


def soak(seconds: float, seed: int = 0) -> Report:
    """Programs with consecutive seeds for `seconds`; stops at the first wrong one."""
    report = Report()
    end = time.monotonic() + seconds
    while time.monotonic() < end and not report.wrong:
        run(seed, report)
        seed += 1
    return report


if __name__ == "__main__":
    found = soak(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0, int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    print(found)
    sys.exit(bool(found.wrong))

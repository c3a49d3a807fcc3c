"""Worker processes are killed at random moments while calls run: nothing hangs, is lost, done twice or left behind.

One thread waits in person for each call (`run`), one keeps many in flight (`start`); half of the calls may be repeated,
and these all give their value. The others write their number into a file: it is there at most once, and once for each
that gave a value.
"""

from __future__ import annotations

import os
import random
import signal
import tempfile
import threading
import time
from collections import Counter, deque
from pathlib import Path
from typing import Any

import numpy as np

PAUSE = 0.3  # seconds between kills, at most: workers get something done, however busy the machine is
HANG = 60.0  # seconds that a single call may take, its repetitions counted
FLIGHT = 30  # calls of the thread that keeps many in flight
SIZES = (0, 10, 1 << 17)  # elements of the arrays that travel: none, in the packet, in shared memory


def square(x: Any) -> Any:
    """The square."""
    return x * x


def note(path: str, number: int) -> int:
    """Writes a number down, and takes a while over it."""
    time.sleep(0.005)
    with open(path, "a") as file:
        file.write(f"{number}\n")
    return number


def children() -> list[int]:
    """The processes that this one has started and not waited for."""
    found: list[int] = []
    for task in Path("/proc/self/task").iterdir():
        try:
            found += map(int, (task / "children").read_text().split())
        except OSError:  # the thread has ended
            continue
    return found


class Run:
    """The calls of one soak."""

    def __init__(self, seed: int, path: str) -> None:
        from inlay._src.host.executors.processes.pool import Processes

        self.pool = Processes(2, retries=1000)
        self.rand, self.path = random.Random(seed), path
        self.over = threading.Event()
        self.lock = threading.Lock()
        self.numbers = 0
        self.given: list[int] = []
        self.faults: list[str] = []
        self.done = Counter[str]()

    def call(self) -> tuple[Any, Any]:
        """A call, and what it is to give."""
        from inlay._src.core.executor import Call

        with self.lock:
            self.numbers += 1
            number, size = self.numbers, self.rand.choice(SIZES)
        if number % 2:
            data = np.full(size, number % 100, np.float64)
            return Call(square, (data,), label="square", repeatable=True), data * data
        return Call(note, (self.path, number), label="note"), number

    def judge(self, expected: Any, given: Any) -> None:
        """Compares what a call gave, a value or a function that gives it."""
        from inlay import errors

        try:
            value = given()
        except errors.UnavailableError as error:
            self.done["lost"] += 1
            if isinstance(expected, np.ndarray):
                self.faults.append(f"a call that may be repeated was lost: {error}")
            return
        except BaseException as error:
            self.faults.append(f"{type(error).__name__}: {error}")
            return
        self.done["calls"] += 1
        if not np.array_equal(value, expected):
            self.faults.append(f"{value!r} instead of {expected!r}")
        elif not isinstance(expected, np.ndarray):
            self.given.append(value)

    def wait_in_person(self) -> None:
        """Calls, one after the other."""
        while not self.over.is_set():
            call, expected = self.call()
            began = time.monotonic()
            self.judge(expected, lambda call=call: self.pool.run(call))
            if time.monotonic() - began > HANG:
                self.faults.append(f"a call took {time.monotonic() - began:.0f} s")

    def keep_in_flight(self) -> None:
        """Calls, many at a time."""
        flying: deque[tuple[Any, Any]] = deque()
        while not self.over.is_set() or flying:
            while len(flying) < FLIGHT and not self.over.is_set():
                call, expected = self.call()
                flying.append((self.pool.start(call), expected))
            if flying:
                future, expected = flying.popleft()
                self.judge(expected, lambda future=future: future.result(HANG))

    def ready(self) -> list[int]:
        """The workers that have begun: one that is killed before is no fault of a call, but of its start."""
        dispatcher = self.pool._dispatcher
        return [] if dispatcher is None else [w.pid for w in dispatcher._calls.workers if w.ready]

    def written(self) -> None:
        """Holds the file against what the calls gave."""
        counts = Counter(map(int, Path(self.path).read_text().split()))
        twice = [number for number, count in counts.items() if count > 1]
        missing = [number for number in self.given if not counts[number]]
        if twice:
            self.faults.append(f"{len(twice)} calls that may not be repeated were done twice")
        if missing:
            self.faults.append(f"{len(missing)} calls gave a value and were not done")


def _open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def _segments() -> int:
    """How many segments of shared memory are mapped: they have no name, and end with their last holder."""
    return Path("/proc/self/maps").read_text().count("/memfd:inlay")


def kills(seed: int, count: int, seconds: float) -> dict[str, Any]:
    """Kills workers `count` times."""
    end, done = time.monotonic() + seconds, 0
    descriptors, shared, before = _open_descriptors(), _segments(), set(children())
    with tempfile.TemporaryDirectory() as folder:
        run = Run(seed, f"{folder}/notes")
        Path(run.path).touch()
        threads = [threading.Thread(target=target) for target in (run.wait_in_person, run.keep_in_flight)]
        for thread in threads:
            thread.start()
        while done < count and time.monotonic() < end and not run.faults:
            time.sleep(run.rand.random() * PAUSE)
            victims = run.ready()
            if victims:
                os.kill(run.rand.choice(victims), signal.SIGKILL)
                done += 1
        run.over.set()
        for thread in threads:
            thread.join(2 * HANG)
        if any(thread.is_alive() for thread in threads):
            run.faults.append("hangs: " + "; ".join(run.pool.pending()))
        else:
            run.pool.shutdown()
        run.written()
    left = {
        "descriptors": _open_descriptors() - descriptors,
        "segments of shared memory": _segments() - shared,
        "processes": len(set(children()) - before),
    }
    run.faults += [f"{number} {what} left behind" for what, number in left.items() if number > 0]
    return {
        "done": done,
        "wrong": 0,
        "calls": run.done["calls"],
        "lost": run.done["lost"],
        "faults": run.faults[:5],
        "start_mb": 0.0,
        "grown_mb": None,
    }

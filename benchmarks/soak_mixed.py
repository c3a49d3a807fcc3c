"""Every kind of call at once on one pool of worker processes, for minutes: nothing wrong, nothing left, nothing hangs.

Threads call in person, by futures, in sessions, on tapes and in datasets; some calls are cancelled, some exceed the
pool's time limit. Meanwhile workers are killed, and this process forks: the child calls the same pool. Each value is
compared with what plain Python says; a call that may not be repeated is done at most once, and once if it gave a value.
"""

from __future__ import annotations

import faulthandler
import os
import random
import signal
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.soak_datasets import shared_mb
from benchmarks.soak_kills import children, note, square
from benchmarks.soak_memory import Memory
from benchmarks.timing import resident_mb

HANG = 120.0  # seconds that one piece of work may take, its repetitions counted
LIMIT = 6.0  # the pool's time limit: more than a call takes on a busy machine, so that only late ones exceed it
SIZES = (0, 10, 1 << 17)  # elements of arrays: none, in the packet, in shared memory
KILL_PAUSE, LATE_PAUSE, FORK_PAUSE = 4.0, 30.0, 7.0  # seconds between them, at most


def cube(x: Any) -> Any:
    """The cube, of tensors."""
    return x * x * x


def endless() -> None:
    """Never returns."""
    while True:
        time.sleep(1)


class Load:
    """The threads of one soak.

    Args:
      seed: chooses.
      path: a file for the numbers of calls that were done.
    """

    def __init__(self, seed: int, path: str) -> None:
        import inlay as tf

        self.tf, self.path = tf, path
        self.pool = tf.Processes(3, retries=1000, timeout=LIMIT)
        self.over = threading.Event()
        self.lock = threading.Lock()
        self.numbers = 0
        self.noted: list[int] = []
        self.faults: list[str] = []
        self.counts = Counter[str]()
        self.wrong = 0
        self.beats: dict[str, float] = {}
        kinds = (self.in_person, self.by_futures, self.in_sessions, self.on_tapes, self.in_datasets)
        works = [(f"{kind.__name__} {k}", kind) for k in range(2) for kind in kinds]
        works += [("late", self.late), ("forks", self.forks)]
        self.threads = [
            threading.Thread(target=self._work, name=name, args=(name, kind(random.Random(seed + k))))
            for k, (name, kind) in enumerate(works)
        ]

    def _work(self, name: str, pieces: Iterator[None]) -> None:
        """Does pieces of work, one after the other."""
        try:
            while not self.over.is_set():
                self.beats[name] = time.monotonic()
                next(pieces)
                self.counts[name.split()[0]] += 1
        except BaseException:
            self.faults.append(f"{name}: {traceback.format_exc(limit=-3)}")
        self.beats.pop(name, None)

    def compare(self, given: Any, expected: Any) -> None:
        """Counts a wrong value."""
        if not np.array_equal(given, expected):
            with self.lock:
                self.wrong += 1
                self.faults.append(f"{given!r} instead of {expected!r}"[:300])

    def number(self) -> int:
        """A number that no other call has."""
        with self.lock:
            self.numbers += 1
            return self.numbers

    def noting(self, number: int, given: Callable[[], Any]) -> None:
        """A call that may not be repeated: it gives its number, or is lost with its worker."""
        try:
            self.compare(given(), number)
            self.noted.append(number)
        except self.tf.errors.UnavailableError:
            self.counts["lost"] += 1

    def in_person(self, rand: random.Random) -> Iterator[None]:
        """Calls whose thread reads the answer."""
        from inlay._src.core.executor import Call

        while True:
            number = self.number()
            data = np.full(rand.choice(SIZES), number % 1000, np.float64)
            self.compare(self.pool.run(Call(square, (data,), repeatable=True)), data * data)
            call = Call(note, (self.path, number))
            self.noting(number, lambda call=call: self.pool.run(call))  # type: ignore[misc]
            yield

    def by_futures(self, rand: random.Random) -> Iterator[None]:
        """Calls in flight, some of which are cancelled."""
        from inlay._src.core.executor import Call

        while True:
            numbers = [self.number() for _ in range(rand.randrange(1, 30))]
            futures = [self.pool.start(Call(square, (np.int64(number),), repeatable=True)) for number in numbers]
            noted = self.number()
            last = self.pool.submit(note, self.path, noted)
            cancelled = [k for k, future in enumerate(futures) if rand.random() < 0.1 and future.cancel()]
            for k, (number, future) in enumerate(zip(numbers, futures, strict=True)):
                if k not in cancelled:
                    self.compare(future.result(), number * number)
            self.noting(noted, last.result)
            if rand.random() < 0.01:
                stuck = self.pool.submit(endless)
                time.sleep(rand.random() / 10)
                if not stuck.cancel() and not isinstance(stuck.exception(), self.tf.errors.UnavailableError):
                    self.faults.append(f"a call that never ends gave {stuck.exception()!r}")
            yield

    def in_sessions(self, rand: random.Random) -> Iterator[None]:
        """Runs of a graph."""
        tf = self.tf
        with tf.Graph().as_default() as graph:
            x = tf.compat.v1.placeholder(tf.float64, [None])
            y = tf.numpy_function(square, [x], tf.float64, stateful=False, executor=self.pool)
            z = tf.numpy_function(square, [y + 1.0], tf.float64, stateful=False, executor=self.pool)
        with tf.compat.v1.Session(graph=graph) as session:
            while True:
                data = np.full(rand.choice(SIZES), self.number() % 1000, np.float64)
                for given, expected in zip(session.run([y, z], {x: data}), (data**2, (data**2 + 1) ** 2), strict=True):
                    self.compare(given, expected)
                yield

    def on_tapes(self, rand: random.Random) -> Iterator[None]:
        """Gradients of gradients, whose pullbacks stay in workers."""
        tf = self.tf
        while True:
            value = float(self.number() % 1000)
            x = tf.constant(value, tf.float64)
            with tf.GradientTape() as outer:
                outer.watch(x)
                with tf.GradientTape() as inner:
                    inner.watch(x)
                    y = tf.py_function(cube, [x], tf.float64, stateful=False, executor=self.pool)
                first = inner.gradient(y, x)
            second = outer.gradient(first, x)
            self.compare([float(y), float(first), float(second)], [value**3, 3 * value**2, 6 * value])
            yield

    def in_datasets(self, rand: random.Random) -> Iterator[None]:
        """Elements of a dataset."""
        tf = self.tf

        def mapped(value: Any) -> Any:
            return tf.numpy_function(square, [value], tf.int64, stateful=False, executor=self.pool)

        while True:
            start, count, taken = self.number(), rand.randrange(1, 60), rand.randrange(1, 60)
            dataset = tf.data.Dataset.range(start, start + count).map(mapped, num_parallel_calls=4).take(taken)
            expected = [value * value for value in range(start, start + count)][:taken]
            self.compare([int(value) for value in dataset], expected)
            yield

    def late(self, rand: random.Random) -> Iterator[None]:
        """Calls that exceed the time limit."""
        from inlay._src.core.executor import Call

        while True:
            try:
                self.pool.run(Call(endless, label="endless"))
            except (self.tf.errors.DeadlineExceededError, self.tf.errors.UnavailableError):
                self.counts["deadlines"] += 1
            self.over.wait(rand.random() * LATE_PAUSE)
            yield

    def forks(self, rand: random.Random) -> Iterator[None]:
        """Children of this process that call the pool."""
        while len(self.counts) < 5:  # Python itself loses the modules that another thread imports during a fork
            time.sleep(0.1)
        while True:
            number = self.number()
            child = os.fork()
            if not child:
                status = 1
                try:
                    faulthandler.dump_traceback_later(HANG / 3)
                    signal.alarm(int(HANG / 2))
                    status = int(self.pool.submit(square, number).result() != number * number)
                finally:
                    os._exit(status)
            self.compare(os.waitpid(child, 0)[1], 0)
            self.over.wait(rand.random() * FORK_PAUSE)
            yield

    def sizes(self) -> dict[str, float]:
        """Resident memory of this process and of its largest worker, and the shared memory mapped here, in MB."""
        dispatcher = self.pool._dispatcher
        workers = [] if dispatcher is None else [worker.resident() / 1e6 for worker in dispatcher._calls.workers]
        return {"here": resident_mb(), "worker": max(workers, default=0.0), "shared": shared_mb()}

    def kill(self, rand: random.Random) -> None:
        """Kills a worker that is ready."""
        dispatcher = self.pool._dispatcher
        ready = [] if dispatcher is None else [worker.pid for worker in dispatcher._calls.workers if worker.ready]
        if ready:
            os.kill(rand.choice(ready), signal.SIGKILL)
            self.counts["kills"] += 1

    def standing(self) -> list[str]:
        """The threads that have done nothing for too long."""
        now = time.monotonic()
        return [name for name, beat in list(self.beats.items()) if now - beat > HANG]

    def check_notes(self) -> None:
        """Holds the file against what the calls gave."""
        done = Counter(map(int, Path(self.path).read_text().split()))
        twice = [number for number, count in done.items() if count > 1]
        missing = [number for number in self.noted if not done[number]]
        if twice or missing:
            self.faults.append(f"calls that may not be repeated: done twice {twice[:5]}, not done {missing[:5]}")


def holdings() -> dict[str, int]:
    """What this process holds."""
    return {
        "descriptors": len(os.listdir("/proc/self/fd")),
        "threads": len(os.listdir("/proc/self/task")),
        "segments of shared memory": Path("/proc/self/maps").read_text().count("/memfd:inlay"),
        "processes": len(children()),
    }


def _loaded(seed: int, count: int, until: float, folder: str) -> tuple[Load, Memory]:
    """A load of `count` seconds, and its memory."""
    load, rand, done = Load(seed, f"{folder}/notes {seed}"), random.Random(seed), 0
    memory = Memory(count, load.sizes)
    Path(load.path).touch()
    for thread in load.threads:
        thread.start()
    start = time.monotonic()
    next_kill = start + 3.0
    while done < count and time.monotonic() < until and not load.faults and not load.standing():
        time.sleep(0.05)
        now = time.monotonic()
        if now > next_kill:
            load.kill(rand)
            next_kill = now + rand.random() * KILL_PAUSE
        if int(now - start) > done:
            done = int(now - start)
            memory.look(done)
    if still := load.standing():
        faulthandler.dump_traceback(all_threads=True)
        load.faults.append(f"stands still: {', '.join(still)}; {'; '.join(load.pool.pending())[:2000]}")
    load.counts["seconds"] = min(done, count)
    load.over.set()
    end = time.monotonic() + HANG
    for thread in load.threads:
        thread.join(max(end - time.monotonic(), 0.1))
    hanging = [thread.name for thread in load.threads if thread.is_alive()]
    if hanging:
        load.faults.append(f"hangs: {', '.join(hanging)}; {'; '.join(load.pool.pending())[:2000]}")
    else:
        load.pool.shutdown()
        load.check_notes()
    return load, memory


def mixed(seed: int, count: int, seconds: float) -> dict[str, Any]:
    """A load of `count` seconds."""
    until = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        first, _ = _loaded(seed, 2, until, folder)  # what is made once for all is no growth
        before = holdings()
        load, memory = _loaded(seed + 1, count, until, folder)
    load.faults[:0] = first.faults
    end = time.monotonic() + 60  # parked threads end when they were not needed for a while
    while any(left > before[what] for what, left in holdings().items()) and time.monotonic() < end:
        time.sleep(0.2)
    load.faults += [f"{left - before[what]} {what} left" for what, left in holdings().items() if left > before[what]]
    counts = load.counts
    return {
        "done": counts.pop("seconds"),
        "wrong": load.wrong + first.wrong,
        "calls": sum(counts.values()),
        "lost": counts["lost"],
        "kinds": dict(counts),
        "faults": load.faults[:5],
        **memory.figures(),
    }

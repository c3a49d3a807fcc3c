"""Sixteen threads run one graph that reads, writes and calls host functions: every history must be an allowed one.

One run r does, ordered by control dependencies,

    before = read v;  seen(r, before);  v += one-hot(r);  w = r everywhere;  after = read v, last = read w;  seen again

`problems` is told what each run saw and when it began and ended, and lists what no order of indivisible steps explains.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

import numpy as np
import pytest

import inlay as tf
from inlay._src.ops.training import apply_momentum

WIDE = 4096


@dataclass(frozen=True)
class Run:
    """What one run saw: which runs had added to v before and after its own addition, and who wrote w last."""

    number: int
    began: float
    ended: float
    before: frozenset[int]
    after: frozenset[int]
    last: int


def problems(runs: list[Run]) -> list[str]:
    """What cannot be, in any order of indivisible steps that the control dependencies allow."""
    found = []
    by_number = {r.number: r for r in runs}
    for r in runs:
        if r.number in r.before:
            found.append(f"run {r.number} saw its own addition before it was made")
        if r.number not in r.after:
            found.append(f"run {r.number} did not see its own addition after it was made")
        if not r.before <= r.after:
            found.append(f"run {r.number} saw additions disappear")
        for other in runs:
            if other.ended < r.began and other.number not in r.before:
                found.append(f"run {r.number} did not see run {other.number}, which had ended before it began")
            if other.began > r.ended and other.number in r.after:
                found.append(f"run {r.number} saw run {other.number}, which began after it had ended")
        writer = by_number[r.last]
        if writer is not r and (writer.ended < r.began or writer.began > r.ended):
            found.append(f"run {r.number} read run {r.last}'s value although it had written its own since")
    views = sorted({v for r in runs for v in (r.before, r.after)}, key=len)
    for smaller, larger in zip(views, views[1:], strict=False):
        if not smaller <= larger:
            found.append(f"{sorted(smaller)} and {sorted(larger)} were both seen: additions had no one order")
    return found


def members(row: np.ndarray) -> frozenset[int]:
    """The runs whose addition a value of v holds; every one exactly once."""
    assert set(np.unique(row)) <= {0, 1}, "an addition was made twice"
    return frozenset(np.flatnonzero(row).tolist())


def whole(wide: np.ndarray) -> int:
    """The run that wrote a value of w."""
    assert (wide == wide[0]).all(), f"torn: parts of runs {np.unique(wide).tolist()}"
    return int(wide[0])


class Program:
    """The graph, and what its host functions were called with."""

    def __init__(self, count: int, pause: float) -> None:
        self.calls: list[tuple[str, int, np.ndarray]] = []
        self.pause = pause
        with tf.Graph().as_default() as self.graph:
            self.number = tf.placeholder(tf.int32, [])
            self.v = tf.Variable(np.zeros(count, np.int32))
            w = tf.Variable(np.full(WIDE, -1, np.int32))
            self.before = self.v.read_value()
            with tf.control_dependencies([self.before]):
                early = tf.py_func(lambda r, x: self.seen("before", r, x), [self.number, self.before], tf.int32)
            with tf.control_dependencies([early]):
                own = tf.where(
                    tf.equal(tf.range(count), self.number), tf.ones([count], tf.int32), tf.zeros([count], tf.int32)
                )
                add = self.v.assign_add(own, read_value=False)
            with tf.control_dependencies([add]):
                write = w.assign(tf.fill([WIDE], self.number), read_value=False)
            with tf.control_dependencies([write]):
                self.after, self.last = self.v.read_value(), w.read_value()
            self.late = tf.py_function(lambda r, x: self.seen("after", r, x), [self.number, self.after], tf.int32)
            self.other = tf.py_func(lambda r: self.seen("other", r, np.int32(0)), [self.number], tf.int32)
            self.session = tf.Session()
            self.session.run(tf.global_variables_initializer())

    def seen(self, label: str, number, value) -> np.int32:
        self.calls.append((label, int(number), np.array(value)))
        if self.pause:
            time.sleep(self.pause)
        return np.int32(number)

    def run(self, number: int) -> Run:
        began = time.monotonic()
        before, after, last, late, _ = self.session.run(
            [self.before, self.after, self.last, self.late, self.other], {self.number: number}
        )
        ended = time.monotonic()
        assert late == number
        return Run(number, began, ended, members(before), members(after), whole(last))


@pytest.mark.parametrize("pause", [0.0, 0.002])
def test_sixteen_threads_see_an_allowed_history(pause):
    threads, each = 16, 12 if pause else 40
    program = Program(threads * each, pause)
    runs: list[Run] = []
    failed: list[BaseException] = []
    start = threading.Barrier(threads)

    def work(first: int) -> None:
        try:
            start.wait()
            for number in range(first, threads * each, threads):
                runs.append(program.run(number))
        except BaseException as error:
            failed.append(error)

    workers = [threading.Thread(target=work, args=(k,)) for k in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert failed == []
    assert problems(runs) == []
    assert members(program.session.run(program.v)) == frozenset(range(threads * each))
    calls = {(label, number): members(value) for label, number, value in program.calls if label != "other"}
    assert len(program.calls) == 3 * len(runs), "a host function was called twice or not at all"
    assert calls == {("before", r.number): r.before for r in runs} | {("after", r.number): r.after for r in runs}


def history(*runs: tuple) -> list[Run]:
    return [Run(n, b, e, frozenset(x), frozenset(y), last) for n, b, e, x, y, last in runs]


@pytest.mark.parametrize(
    "runs, complaint",
    [
        (history((0, 0, 1, [0], [0], 0)), "its own addition before"),
        (history((0, 0, 1, [], [], 0)), "did not see its own"),
        (history((0, 0, 1, [], [0], 0), (1, 2, 3, [], [1], 1)), "did not see run 0, which had ended"),
        (history((0, 0, 1, [], [0, 1], 0), (1, 2, 3, [0, 1], [0, 1], 1)), "saw run 1, which began after"),
        (history((0, 0, 9, [], [0], 0), (1, 0, 9, [], [1], 1)), "had no one order"),
        (history((0, 0, 1, [], [0], 0), (1, 2, 3, [0], [0, 1], 0)), "although it had written its own since"),
        (history((0, 0, 9, [], [0], 0), (1, 0, 9, [0], [1], 1)), "disappear"),
    ],
)
def test_the_checker_finds_what_cannot_be(runs, complaint):
    assert any(complaint in p for p in problems(runs))


def test_the_checker_accepts_overlapping_runs():
    assert problems(history((0, 0, 9, [], [0, 1], 1), (1, 1, 8, [0], [0, 1], 1))) == []


def test_concurrent_updates_of_several_variables_take_no_lock_in_opposite_orders():
    """Optimizer steps lock a variable and its slots; two that share them in either role must not wait forever."""
    a, b = tf.Variable(np.zeros(100, np.float32)), tf.Variable(np.zeros(100, np.float32))

    def work(first, second):
        for _ in range(200):
            apply_momentum(first.handle, second.handle, 0.0, np.zeros(100, np.float32), 1.0)

    workers = [threading.Thread(target=work, args=pair, daemon=True) for pair in [(a, b), (b, a)] * 4]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(20)
    assert not any(worker.is_alive() for worker in workers)

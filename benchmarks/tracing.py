"""The price of the span recorder, by what is recorded: `python -m benchmarks.tracing`.

A chain of 100 kernels and one of 50 host calls in a session's run, an eager host call, and an eager op, each without a
recording and in one. Rounds alternate between both. The price is the difference, per step or call. A round also times a
loop of plain Python, and counts if the machine was as fast as in the fastest round. The memory is the growth of the
resident memory of a process by a million spans of steps, and by 200,000 of each other form, scaled.
"""

from __future__ import annotations

import argparse
import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import inlay as tf
from benchmarks import ledger

ROUNDS = 15
SLOWER = 1.1
"""The most that plain Python may take in a round, as a multiple of its time in the fastest one."""
GOALS = {"step of a plan": 0.3, "host call in a plan": 1.0, "eager host call": 1.0}
"""Title -> the most microseconds that a recording adds to each."""
SPANS = 1_000_000
MEMORY_GOAL = 100.0
"""The most megabytes of a million spans."""


def same(array: Any) -> Any:
    """The body of the host functions."""
    return array


def session_of(make: Callable[[Any], Any], count: int) -> Callable[[], Any]:
    """A session's run of a chain of ops."""
    with tf.Graph().as_default():
        first = y = tf.compat.v1.placeholder(tf.float32, [8])
        for _ in range(count):
            y = make(y)
        run = tf.compat.v1.Session().make_callable(y, [first])
    x = np.ones(8, np.float32)
    return lambda: run(x)


def host_call(x: Any) -> Any:
    """A host call as an op."""
    y = tf.numpy_function(same, [x], tf.float32)
    y.set_shape([8])
    return y


def cases() -> dict[str, tuple[Callable[[], Any], int]]:
    """Title -> a run, and the number of what is recorded in it."""
    x = tf.ones([8])
    return {
        "step of a plan": (session_of(lambda y: y + 1.0, 100), 100),
        "host call in a plan": (session_of(host_call, 50), 50),
        "eager host call": (lambda: tf.numpy_function(same, [x], tf.float32), 1),
        "eager op": (lambda: tf.add(x, x), 1),
    }


def measure(title: str, run: Callable[[], Any], count: int, rounds: int, seconds: float = 0.05) -> dict[str, Any]:
    """One ledger entry.

    Args:
      title: of the case.
      run: runs it.
      count: the number of steps or calls in a run.
      rounds: the number of rounds.
      seconds: about how long each way runs in a round.
    """
    for _ in range(200):
        run()
    begin = time.perf_counter()
    run()
    times = max(3, min(2000, int(seconds / max(time.perf_counter() - begin, 1e-6))))
    samples = []
    for _ in range(rounds):
        slowest = _least(_plain_loop, 300)
        off = _least(run, times) / count
        with tf.profiler.trace():
            for _ in range(20):
                run()
            on = _least(run, times) / count
        for _ in range(20):
            run()
        samples.append((max(slowest, _least(_plain_loop, 300)), off, on))
    fastest = min(control for control, _, _ in samples)
    controls, offs, ons = zip(*[sample for sample in samples if sample[0] <= SLOWER * fastest], strict=True)
    return {
        "title": title,
        "control": ledger.spread(controls),
        "off": ledger.spread(offs),
        "on": ledger.spread(ons),
        "microseconds": ledger.spread([(on - off) * 1e6 for off, on in zip(offs, ons, strict=True)]),
        "goal": GOALS.get(title),
    }


def _plain_loop() -> int:
    """Plain Python, whose time exposes the speed of the machine."""
    total = 0
    for number in range(300):
        total += number
    return total


def _least(run: Callable[[], Any], times: int) -> float:
    """The least seconds of a run, of so many: what others do on the machine only adds to them."""
    clock, least = time.perf_counter, float("inf")
    gc.collect()
    for _ in range(times):
        begin = clock()
        run()
        least = min(least, clock() - begin)
    return least


def _dataset() -> Callable[[], Any]:
    mapped = tf.data.Dataset.range(10**9).map(lambda x: tf.numpy_function(same, [x], tf.int64))
    iterator = iter(mapped.batch(2))
    return lambda: next(iterator)


def _eager(executor: str | None) -> Callable[[], Any]:
    x = tf.ones([8])
    return lambda: tf.numpy_function(same, [x], tf.float32, executor=executor)


def _plan(executor: str) -> Callable[[], Any]:
    return session_of(lambda x: tf.numpy_function(same, [x], tf.float32, executor=executor), 1)


def _function() -> Callable[[], Any]:
    x, call = tf.ones([8]), tf.function(host_call)
    return lambda: call(x)


def _op() -> Callable[[], Any]:
    x = tf.ones([8])
    return lambda: tf.add(x, x)


FORMS: dict[str, Callable[[], Callable[[], Any]]] = {
    "memory": lambda: session_of(lambda y: y + 1.0, 100),
    "memory of runs with one step": lambda: session_of(lambda y: y + 1.0, 1),
    "memory of runs with one host call": lambda: session_of(host_call, 1),
    "memory of calls of a function with a host call": _function,
    "memory of eager host calls": lambda: _eager(None),
    "memory of eager ops": _op,
    "memory of elements of a dataset": _dataset,
    "memory of eager calls on threads": lambda: _eager("threads"),
    "memory of eager calls on processes": lambda: _eager("processes"),
    "memory of runs with a call on processes": lambda: _plan("processes"),
}
"""Title -> makes what is called again and again while its spans are recorded; "memory" alone is a plan of 100 steps."""


def resident() -> int:
    """Bytes of resident memory of this process."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def growth(title: str, spans: int) -> tuple[int, int]:
    """Bytes by which a recording grew this process, and the number of its spans then."""
    run = FORMS[title]()
    for _ in range(50):
        run()
    with tf.profiler.trace() as trial:
        for _ in range(50):
            run()
    with tf.profiler.trace(capacity=10 * SPANS) as trace:
        for _ in range(50):
            run()
        before = resident()
        for _ in range(spans * 50 // len(trial.spans)):
            run()
        grown = resident() - before
    return grown, len(trace.spans)


def memory(title: str, spans: int) -> dict[str, Any]:
    """The ledger entry of the megabytes that a million spans of a form take, by so many."""
    source = f"from benchmarks import tracing; print(*tracing.growth({title!r}, {spans}))"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=600, check=True)
    grown, count = (int(number) for number in done.stdout.split())
    return {"title": title, "spans": count, "megabytes": grown / count, "goal": MEMORY_GOAL}


def line(entry: dict[str, Any]) -> str:
    """An entry as one line of text."""
    if "megabytes" in entry:
        return f"{entry['title']}: {entry['megabytes']:.1f} MB per million spans; goal at most {entry['goal']:g}"
    off, on, price = (entry[key]["median"] for key in ("off", "on", "microseconds"))
    goal = f"; goal at most {entry['goal']:g}" if entry["goal"] else ""
    speed = f"; {entry['control']['n']} rounds, plain Python {entry['control']['median'] * 1e6:.2f} us"
    return f"{entry['title']}: {off * 1e6:.3f} us, recorded {on * 1e6:.3f} us, price {price:.3f} us{goal}{speed}"


def main() -> int:
    """Measures, prints, appends to the ledger."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tracing", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--no-ledger", action="store_true", help="print only")
    options = parser.parse_args()
    entries = []
    for title, (run, count) in cases().items():
        entries.append(measure(title, run, count, 3 if options.quick else ROUNDS))
        print(line(entries[-1]), flush=True)
    for title in FORMS:
        entries.append(memory(title, SPANS // (1 if title == "memory" and not options.quick else 5)))
        print(line(entries[-1]), flush=True)
    if not options.no_ledger:
        shared = {**ledger.header("tracing"), "quick": options.quick}
        ledger.append([{**shared, **entry} for entry in entries])
    return 0


if __name__ == "__main__":
    sys.exit(main())

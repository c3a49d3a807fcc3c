"""The price of the span recorder, by what is recorded: `python -m benchmarks.tracing`.

A chain of 100 kernels and one of 50 host calls in a session's run, an eager host call, and an eager op, each without a
recording and in one. Rounds alternate between both. The price is the difference, per step or call. The memory is that
of a ring with a million spans.
"""

from __future__ import annotations

import argparse
import gc
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import inlay as tf
from benchmarks import ledger

ROUNDS = 15
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
    off, on, price = [], [], []
    for _ in range(rounds):
        off.append(_least(run, times) / count)
        with tf.profiler.trace():
            for _ in range(20):
                run()
            on.append(_least(run, times) / count)
        for _ in range(20):
            run()
        price.append((on[-1] - off[-1]) * 1e6)
    return {
        "title": title,
        "off": ledger.spread(off),
        "on": ledger.spread(on),
        "microseconds": ledger.spread(price),
        "goal": GOALS.get(title),
    }


def _least(run: Callable[[], Any], times: int) -> float:
    """The least seconds of a run, of so many: what others do on the machine only adds to them."""
    clock, least = time.perf_counter, float("inf")
    gc.collect()
    for _ in range(times):
        begin = clock()
        run()
        least = min(least, clock() - begin)
    return least


MEMORY = """
import resource
import sys
import inlay as tf
from benchmarks.tracing import session_of
run = session_of(lambda y: y + 1.0, 100)
for _ in range(50): run()
def resident():
    with open("/proc/self/statm") as file: return int(file.read().split()[1]) * 4096
with tf.profiler.trace():
    for _ in range(50): run()
    before = resident()
    for _ in range(int(sys.argv[1]) // 101): run()
    print((resident() - before) / 1e6)
    sys.stdout.flush()
    import os; os._exit(0)
"""


def memory(spans: int = SPANS) -> dict[str, Any]:
    """The ledger entry of the megabytes of so many spans of steps."""
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, str(spans)], capture_output=True, text=True, timeout=600, check=True
    )
    return {"title": "memory", "spans": spans, "megabytes": float(done.stdout), "goal": MEMORY_GOAL}


def line(entry: dict[str, Any]) -> str:
    """An entry as one line of text."""
    if "megabytes" in entry:
        return f"{entry['spans']:,} spans: {entry['megabytes']:.1f} MB; goal at most {entry['goal']:g}"
    off, on, price = (entry[key]["median"] for key in ("off", "on", "microseconds"))
    goal = f"; goal at most {entry['goal']:g}" if entry["goal"] else ""
    return f"{entry['title']}: {off * 1e6:.3f} us, recorded {on * 1e6:.3f} us, price {price:.3f} us{goal}"


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
    entries.append(memory())
    print(line(entries[-1]))
    if not options.no_ledger:
        shared = {**ledger.header("tracing"), "quick": options.quick}
        ledger.append([{**shared, **entry} for entry in entries])
    return 0


if __name__ == "__main__":
    sys.exit(main())

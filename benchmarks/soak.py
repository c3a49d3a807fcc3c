"""`make soak`: seeded checks for leaks, wrong values and hangs, bounded to 90 minutes; figures go into the ledger.

runs      10 million runs of one plan; resident memory flat after warm-up
plans     100,000 distinct plans, half of them of one session, half with a graph and a session each; memory flat
stress    100,000 random programs of `tests/faults/stress.py`: sleeps, exceptions, nested runs, calls that wait for
          one another; every value compared with what plain Python says
kills     1,000 kills of worker processes at random moments: no hang, nothing done twice, nothing left behind
elements  10 million small elements of a dataset mapped by two processes; memory of all three flat
images    20 GB of images, there and back, in the same way
schedules 100,000 schedules of the process pool, whose threads are interrupted at random lines: see
          `tests/faults/schedules.py`
mixed     10 minutes of calls of every kind on one pool (eager, sessions, tapes, datasets, futures), cancelled, late,
          killed and forked: every value right, nothing hangs; memory, descriptors, threads and segments flat
saves     200 kills of processes that save over a model: it is the old one or the new one, and whole
memory_programs  100,000 random programs of `tests/faults/memory_programs.py`, whose functions write into all memory
          that they get hold of, through NumPy, PyTorch and JAX if those are installed: no value changes but their own
readers   1 million files with damaged bytes or structure, given to every reader: values or errors of ours, soon, and in
          memory below 4 times the file and 64 MB; other files in every run unless `--seed` is given. It takes ten
          minutes of two quiet cores; on a busy machine
          `python -m benchmarks.soak --only readers --seconds 7200` gives it the time to do all

calls     100,000 calls of everything public with drawn arguments, right ones and hostile ones, eagerly, in graphs and
          in functions (`tests/faults/public_calls.py`): no exception that is not about the arguments, no hang. Other
          calls in every run unless `--seed` is given; each cause is told with the command that repeats it

Each part has processes of its own and a share of the time: a part that is cut off says how far it came, and fails if
that is not everything. `scale=0.01` does one hundredth; the test suite runs as much or less.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from typing import IO, Any

import numpy as np

from benchmarks import ledger
from benchmarks.environments import ROOT
from benchmarks.soak_calls import calls
from benchmarks.soak_datasets import IMAGE_BYTES, elements, images
from benchmarks.soak_kills import kills
from benchmarks.soak_memory import Memory, bounded
from benchmarks.soak_mixed import mixed
from benchmarks.soak_readers import readers
from benchmarks.soak_saves import saves
from benchmarks.soak_schedules import schedules

COUNTS = {
    "runs": 10_000_000,
    "plans": 100_000,
    "stress": 100_000,
    "kills": 1_000,
    "elements": 10_000_000,
    "images": -(-20_000_000_000 // IMAGE_BYTES),
    "schedules": 100_000,
    "mixed": 600,
    "saves": 200,
    "memory_programs": 100_000,
    "readers": 1_000_000,
    "calls": 100_000,
}
SECONDS = {
    "runs": 90.0,
    "plans": 90.0,
    "stress": 660.0,
    "kills": 300.0,
    "elements": 300.0,
    "images": 300.0,
    "schedules": 540.0,
    "mixed": 660.0,
    "saves": 60.0,
    "memory_programs": 600.0,
    "readers": 900.0,
    "calls": 900.0,
}
PROCESSES = {"stress": 6, "schedules": 2, "memory_programs": 2, "readers": 2, "calls": 2}
"""Stress sleeps half of the time; all else has one."""
DRAWN = {"readers", "calls"}  # parts that have another seed in every run
EXTRA = ("session_runs", "exceptions", "calls", "lost", "points", "saved", "readable", "writes", "waits")
"""What a part may count besides."""
FLAT_MB = 16.0  # growth that the allocator is forgiven
LEVEL_FROM = {"mixed": 60}
"""The least count from which memory is judged: workers are killed and replaced before they reach their level."""
FLAT_OF_MANY_MB = {
    "elements": 50.0,
    "images": 50.0,
    "mixed": 50.0,
    "readers": 100.0,
}  # of several processes, or of images' pieces


def runs(seed: int, count: int, seconds: float) -> dict[str, Any]:
    """Runs one plan `count` times with feeds that the seed chooses; checks every value."""
    import inlay as tf

    feeds = [np.full(4, value, np.float32) for value in random.Random(seed).sample(range(1000), 100)]
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [4])
        y = tf.compat.v1.py_func(lambda v: v + np.float32(1), [x], tf.float32) * 2.0
    session = tf.compat.v1.Session(graph=graph)
    memory, done, wrong = Memory(count), 0, 0
    for numbers in bounded(count, seconds, max(count // 200, 1)):
        for number in numbers:
            fed = feeds[number % 100]
            wrong += bool(session.run(y, {x: fed})[3] != (fed[3] + 1) * 2)
        done = numbers.stop
        memory.look(done)
    return {"done": done, "wrong": wrong, **memory.figures()}


def _of_one_session(tf: Any, rand: random.Random) -> Callable[[], bool]:
    """Each call runs a plan that its session has not run before: another pair of fetches. True if it is right."""
    width = 400  # 80,000 pairs
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [])
        ys = [tf.compat.v1.py_func(lambda v, k=k: v + np.float32(k), [x], tf.float32) * 2.0 for k in range(width)]
    session = tf.compat.v1.Session(graph=graph)
    pairs = [(a, b) for a in range(width) for b in range(a)]
    rand.shuffle(pairs)

    def call() -> bool:
        a, b = pairs.pop()
        return session.run([ys[a], ys[b]], {x: 1.0}) == [2.0 * (1 + a), 2.0 * (1 + b)]  # type: ignore[no-any-return]

    return call


def _of_new_graphs(tf: Any, rand: random.Random) -> Callable[[], bool]:
    """Each call builds a random graph, opens a session and runs it. True if it is right."""

    def call() -> bool:
        expected = fed = float(rand.randrange(100))
        with tf.Graph().as_default() as graph:
            x = y = tf.compat.v1.placeholder(tf.float32, [])
            for k in rand.choices(range(10), k=rand.randrange(1, 6)):
                y, expected = tf.compat.v1.py_func(lambda v, k=k: v + np.float32(k), [y], tf.float32), expected + k
                y, expected = y + float(k), expected + k
        with tf.compat.v1.Session(graph=graph) as session:
            return session.run(y, {x: fed}) == expected  # type: ignore[no-any-return]

    return call


def plans(seed: int, count: int, seconds: float) -> dict[str, Any]:
    """Makes and runs `count` distinct plans: in one session and in sessions of their own by turns; checks values."""
    import inlay as tf

    rand = random.Random(seed)
    kinds = (_of_one_session(tf, rand), _of_new_graphs(tf, rand))
    memory, done, wrong = Memory(count), 0, 0
    for numbers in bounded(count, seconds, max(count // 200, 2)):
        for number in numbers:
            wrong += not kinds[number % 2]()
        done = numbers.stop
        memory.look(done)
    return {"done": done, "wrong": wrong, **memory.figures()}


def stress(seed: int, count: int, seconds: float) -> dict[str, Any]:
    """Runs `count` random programs of 4 to 12 nodes, with consecutive seeds; stops at the first wrong one."""
    from tests.faults import stress as programs

    report, memory, done = programs.Report(), Memory(count), 0
    for numbers in bounded(count, seconds, max(count // 200, 1)):
        for number in numbers:
            programs.run(seed + number, report, size=4 + (seed + number) % 9)
        done = numbers.stop
        memory.look(done)
        if report.wrong:
            break
    extra = {"session_runs": report.runs, "exceptions": report.failures_on_purpose, "faults": report.wrong[:5]}
    return {"done": done, "wrong": len(report.wrong), **extra, **memory.figures()}


def memory_programs(seed: int, count: int, seconds: float) -> dict[str, Any]:
    """Runs `count` random programs whose functions write into memory, with consecutive seeds."""
    from tests.faults import memory_programs as programs

    report, memory, done = programs.Report(), Memory(count), 0
    for numbers in bounded(count, seconds, max(count // 200, 1)):
        for number in numbers:
            programs.run(seed + number, report)
        done = numbers.stop
        memory.look(done)
        if report.wrong:
            break
    extra = {"writes": report.writes, "files": report.through, "faults": [str(one) for one in report.wrong[:5]]}
    return {"done": done, "wrong": len(report.wrong), **extra, **memory.figures()}


PARTS = {
    "runs": runs,
    "plans": plans,
    "stress": stress,
    "kills": kills,
    "elements": elements,
    "images": images,
    "schedules": schedules,
    "mixed": mixed,
    "saves": saves,
    "memory_programs": memory_programs,
    "readers": readers,
    "calls": calls,
}


def _start(part: str, seed: int, count: int, seconds: float, errors: IO[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "benchmarks.soak", "--part", part]
    command += ["--seed", str(seed), "--count", str(count), "--seconds", str(seconds)]
    # A file and not a pipe: nobody reads the second process's pipe until the first has ended, and a full one blocks.
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=ROOT)


def _judged(part: str, asked: int, results: list[dict[str, Any]], faults: list[str], took: float) -> dict[str, Any]:
    """One ledger entry of a part's processes; `faults` says all that is wrong, the processes' own faults first."""
    done, wrong = (sum(result[key] for result in results) for key in ("done", "wrong"))
    grown = [result["grown_mb"] for result in results]
    faults = faults + [fault for result in results for fault in result.get("faults", ())]
    if wrong:
        faults.append(f"{wrong} wrong values")
    if done < asked:
        faults.append(f"{done:,} of {asked:,} done in the time given")
    flat = FLAT_OF_MANY_MB.get(part, FLAT_MB) if asked >= LEVEL_FROM.get(part, 0) else math.inf
    faults += [f"memory grew by {mb:.1f} MB after warm-up" for mb in grown if mb is not None and mb > flat]
    extra = {key: sum(r[key] for r in results) for key in EXTRA if any(key in r for r in results)}
    files = sum((Counter(r.get("files", {})) for r in results), Counter())
    return {
        "part": part,
        "asked": asked,
        "done": done,
        "seconds": round(took, 1),
        "start_mb": max((result["start_mb"] for result in results), default=None),
        "warm_mb": max((result["warm_mb"] for result in results if "warm_mb" in result), default=None),
        "grown_mb": max((mb for mb in grown if mb is not None), default=None),
        **extra,
        **({"files": dict(files)} if files else {}),
        **({"grown": results[0]["grown"]} if len(results) == 1 and "grown" in results[0] else {}),
        "faults": faults,
        "met": not faults,
    }


def run(part: str, scale: float = 1.0, seed: int = 0, seconds: float | None = None) -> dict[str, Any]:
    """Runs one part in processes of its own.

    Args:
      part: a name in `PARTS`.
      scale: the share of its count to do.
      seed: decides every random choice.
      seconds: the time it may take; None is its share of the time of `make soak`.

    Returns:
      A ledger entry; `faults` is empty if all is well.
    """
    asked, number = max(int(COUNTS[part] * scale), 1), PROCESSES.get(part, 1)
    shares = [asked // number + (k < asked % number) for k in range(number)]
    start = time.perf_counter()
    seconds = SECONDS[part] if seconds is None else seconds
    results, faults = [], []
    with contextlib.ExitStack() as files:
        errors = [files.enter_context(tempfile.TemporaryFile("w+", errors="replace")) for _ in shares]
        children = [_start(part, seed + sum(shares[:k]), shares[k], seconds, errors[k]) for k in range(number)]
        for child, file in zip(children, errors, strict=True):
            try:
                out, _ = child.communicate(timeout=max(seconds + 60 - (time.perf_counter() - start), 1))
            except subprocess.TimeoutExpired:
                child.kill()
                child.communicate()
                faults.append(f"hangs: no answer {seconds + 60:.0f} s after its start")
                continue
            if child.returncode:
                file.seek(0)
                faults.append(f"ended with {child.returncode}: {file.read().strip().splitlines()[-1:]}")
            else:
                results.append(json.loads(out.splitlines()[-1]))
    return _judged(part, asked, results, faults, time.perf_counter() - start)


def line(entry: dict[str, Any]) -> str:
    """An entry as one line of text."""
    extra = "".join(f", {entry[key]:,} {key.replace('_', ' ')}" for key in EXTRA if key in entry)
    if "files" in entry:
        extra += f" ({', '.join(f'{name} {count:,}' for name, count in sorted(entry['files'].items()))})"
    memory = ""
    if entry["grown_mb"] is not None:
        memory = f"; {entry['warm_mb']:.0f} MB after warm-up, then at most {entry['grown_mb']:+.1f} MB"
        if len(each := entry.get("grown", {})) > 1:
            memory += f" ({', '.join(f'{name} {mb:+.1f}' for name, mb in each.items())})"
    verdict = "; ".join(entry["faults"]) or "all well"
    return f"{entry['part']}: {entry['done']:,} in {entry['seconds']} s{extra}{memory}: {verdict}"


def main() -> int:
    """All parts, or one in this process for `run`."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__.split("\n\n")[0])
    parser.add_argument("--scale", type=float, default=1.0, help="share of the counts to do")
    parser.add_argument(
        "--seed",
        type=int,
        help="decides every random choice; 0 if not given, and another one each time for readers and calls",
    )
    parser.add_argument("--no-ledger", action="store_true", help="print only")
    parser.add_argument("--only", choices=PARTS, help="one part")
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    parser.add_argument("--count", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, help="the time for each part, instead of its share of 90 minutes")
    options = parser.parse_args()
    os.environ["INLAY_FULL_TRACEBACK"] = "1"  # a part asks where the library raised an error
    if options.part:
        print(json.dumps(PARTS[options.part](options.seed, options.count, options.seconds)))
        return 0
    shared, well = {**ledger.header("soak"), "scale": options.scale}, True
    for part in [options.only] if options.only else PARTS:
        seed = options.seed
        if seed is None:
            seed = random.SystemRandom().randrange(2**31) if part in DRAWN else 0
        entry = run(part, options.scale, seed, options.seconds)
        print(f"{line(entry)} (seed {seed})" if seed else line(entry), flush=True)
        well = well and entry["met"]
        if not options.no_ledger:
            ledger.append([{**shared, "seed": seed, **entry}])
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())

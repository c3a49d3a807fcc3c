"""What a call costs on each executor, beside the pools that others would use: `python -m benchmarks.executors`.

Three bodies: one that returns its argument, 75 us of pure Python, and a resize of an image. Each way runs them by the
same interface, `submit`: one call at a time, then many at once. Rounds go from way to way, so that a slow minute of the
machine falls on everyone; ratios are taken within a round. A way that cannot be had here is reported absent.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import multiprocessing
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import inlay as tf
from benchmarks import ledger
from benchmarks.cases import bodies

WORKERS, ROUNDS = 2, 7
MANY = {"tiny": 512, "pure Python": 256, "image": 32}
ONE = {"tiny": 200, "pure Python": 100, "image": 10}
CHUNK, CHUNKED = 32, ("bare loop", "inlay processes", "concurrent.futures processes", "loky")
FAULTS = {
    "kill -9": (bodies.killed, {}),
    "os._exit": (bodies.left, {}),
    "segmentation fault": (bodies.crashed, {}),
    "a call that never returns (limit 0.2 s)": (bodies.never, {"timeout": 0.2}),
    "memory beyond its limit": (bodies.greedy, {"memory_limit": 400 << 20}),
}


class Bare:
    """Calls in a loop: what everything else is held against."""

    def submit(self, function: Any, x: Any) -> concurrent.futures.Future[Any]:
        """Calls at once."""
        done: concurrent.futures.Future[Any] = concurrent.futures.Future()
        done.set_result(function(x))
        return done

    def map(self, function: Any, xs: Any, chunksize: int = 1) -> Any:
        """Calls one after the other."""
        return map(function, xs)

    def shutdown(self) -> None:
        """Nothing to do."""


class Family:
    """`numpy_function` with `executor=`: an eager call for one, a session's run for many.

    Args:
      executor: what runs the functions.
    """

    def __init__(self, executor: Any) -> None:
        self.executor, self._runs = executor, {}

    def one(self, function: Any, x: Any) -> Any:
        """One eager call."""
        return tf.numpy_function(function, [x], tf.float32, stateful=False, executor=self.executor)

    def many(self, function: Any, x: Any, count: int) -> Any:
        """One run of as many calls, none of which waits for another."""
        run = self._runs.get((function, count))
        if run is None:
            with tf.Graph().as_default() as graph:
                given = tf.compat.v1.placeholder(tf.as_dtype(x.dtype))
                outs = [self._node(function, given, i) for i in range(count)]
                run = tf.compat.v1.Session(graph=graph).make_callable([out.op for out in outs], [given])
            self._runs[function, count] = run
        return run(x)

    def _node(self, function: Any, given: Any, i: int) -> Any:
        # stateful, as equal stateless calls would be merged; in a session they overlap all the same
        return tf.numpy_function(function, [given], tf.float32, executor=self.executor)


def _loky() -> Any:
    from loky import ProcessPoolExecutor  # type: ignore[import-untyped]

    return ProcessPoolExecutor(WORKERS)


def _dask() -> Any:
    from distributed import Client  # type: ignore[import-untyped]

    client = Client(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None, silence_logs=50)
    pool = client.get_executor(pure=False)
    stop = pool.shutdown
    pool.shutdown = lambda: (stop(), client.shutdown())
    return pool


def _ray() -> Any:
    import ray  # type: ignore[import-not-found,unused-ignore]

    ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False)

    class Tasks:
        remote = staticmethod(ray.remote(lambda function, x: function(x)).remote)

        def submit(self, function: Any, x: Any) -> Any:
            return Reply(self.remote(function, x))

        def shutdown(self) -> None:
            ray.shutdown()

    class Reply:
        def __init__(self, reference: Any) -> None:
            self.reference = reference

        def result(self) -> Any:
            return ray.get(self.reference)

    return Tasks()


def _spawned() -> Any:
    return concurrent.futures.ProcessPoolExecutor(WORKERS, multiprocessing.get_context("spawn"))


WAYS: dict[str, Callable[[], Any]] = {
    "bare loop": Bare,
    "inlay threads": lambda: tf.Threads(workers=WORKERS),
    "inlay processes": lambda: tf.Processes(workers=WORKERS),
    "concurrent.futures threads": lambda: concurrent.futures.ThreadPoolExecutor(WORKERS),
    "concurrent.futures processes": _spawned,
    "loky": _loky,
    "dask": _dask,
    "ray": _ray,
}
THROUGH = {
    "numpy_function in place": lambda: "inline",
    "numpy_function on threads": lambda: tf.Threads(workers=WORKERS),
    "numpy_function on processes": lambda: tf.Processes(workers=WORKERS),
    "numpy_function on loky": _loky,
}


def opened(wanted: Callable[[str], bool]) -> tuple[dict[str, Any], dict[str, float], dict[str, str]]:
    """The ways that can be had by name, the seconds that each took to its first result, and why others are absent."""
    found: dict[str, Any] = {}
    starts: dict[str, float] = {}
    absent: dict[str, str] = {}
    for name, make in {**WAYS, **THROUGH}.items():
        if not wanted(name):
            continue
        begin = time.perf_counter()
        try:
            way = make()
            family = Family(way) if name in THROUGH else None
            _one(family or way, bodies.tiny, bodies.INPUTS["tiny"], 1)
        except ImportError as error:
            absent[name] = str(error)
            continue
        starts[name] = time.perf_counter() - begin
        found[name] = family or way
    return found, starts, absent


def _one(way: Any, function: Any, x: Any, count: int) -> float:
    """Seconds of one call, of as many after one another."""
    call = way.one if isinstance(way, Family) else lambda f, x: way.submit(f, x).result()
    begin = time.perf_counter()
    for _ in range(count):
        call(function, x)
    return (time.perf_counter() - begin) / count


def _many(way: Any, function: Any, x: Any, count: int) -> float:
    """Calls per second, of as many at once."""
    begin = time.perf_counter()
    if isinstance(way, Family):
        way.many(function, x, count)
    else:
        for future in [way.submit(function, x) for _ in range(count)]:
            future.result()
    return count / (time.perf_counter() - begin)


def _chunked(way: Any, function: Any, x: Any, count: int) -> float:
    """Calls per second, of as many at once, so many in a message that one takes more than a millisecond."""
    begin = time.perf_counter()
    for _ in way.map(function, [x] * count, chunksize=CHUNK):
        pass
    return count / (time.perf_counter() - begin)


def chunked(ways: dict[str, Any], rounds: int) -> dict[str, Any]:
    """Calls per second of the pure Python body through `map(chunksize=...)`, by way, beside the bare loop and loky."""
    function, x = bodies.BODIES["pure Python"], bodies.INPUTS["pure Python"]
    names = [name for name in CHUNKED if name in ways]
    many: dict[str, list[float]] = {name: [] for name in names}
    for name in names:
        _chunked(ways[name], function, x, 1024)
    for turn in range(rounds):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            many[name].append(_chunked(ways[name], function, x, 4096))
    faster = {
        against: {n: ledger.spread([a / b for a, b in zip(many[n], many[against], strict=True)]) for n in names}
        for against in ("bare loop", "loky")
        if against in many
    }
    rates = {name: ledger.spread(samples) for name, samples in many.items()}
    return {"title": f"pure Python, {CHUNK} in a message", "many": rates, "faster": faster}


def measure(ways: dict[str, Any], body: str, rounds: int) -> dict[str, Any]:
    """One ledger entry: seconds of a call and calls per second by way, beside the bare loop and loky."""
    function, x = bodies.BODIES[body], bodies.INPUTS[body]
    one: dict[str, list[float]] = {name: [] for name in ways}
    many: dict[str, list[float]] = {name: [] for name in ways}
    for way in ways.values():
        _one(way, function, x, 3)
        _many(way, function, x, MANY[body])
    names = list(ways)
    for turn in range(rounds):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            one[name].append(_one(ways[name], function, x, ONE[body]))
            many[name].append(_many(ways[name], function, x, MANY[body]))
    ratios = {
        against: {name: ledger.spread([a / b for a, b in zip(many[name], many[against], strict=True)]) for name in many}
        for against in ("bare loop", "loky")
        if against in many
    }
    slower = {n: [b / a for a, b in zip(one[n], one["loky"], strict=True)] for n in one if "loky" in one}
    beside = {name: ledger.spread(samples) for name, samples in slower.items()}
    return {
        "title": body,
        "one": {name: ledger.spread(samples) for name, samples in one.items()},
        "many": {name: ledger.spread(samples) for name, samples in many.items()},
        "faster": ratios,
        "one_beside_loky": beside,
    }


WAVE = 64


def wave(rounds: int) -> dict[str, Any]:
    """Seconds of 64 calls of 75 us, in one run with two workers and in a bare loop; how much faster the run is."""
    function, x = bodies.BODIES["pure Python"], bodies.INPUTS["pure Python"]
    seconds: dict[str, list[float]] = {"one run": [], "bare loop": []}
    with tf.Processes(workers=WORKERS) as pool:
        family = Family(pool)
        for turn in range(10 * rounds + 3):
            begin = time.perf_counter()
            family.many(function, x, WAVE)
            middle = time.perf_counter()
            for _ in range(WAVE):
                function(x)
            if turn >= 3:
                seconds["one run"].append(middle - begin)
                seconds["bare loop"].append(time.perf_counter() - middle)
    faster = ledger.spread([b / a for a, b in zip(seconds["one run"], seconds["bare loop"], strict=True)])
    return {"title": "wave", "seconds": {n: ledger.spread(s) for n, s in seconds.items()}, "faster": faster}


def processor_time(rounds: int) -> dict[str, Any]:
    """Seconds of processor time of a tiny call, in this process and its worker, by the form of the call."""
    function, x = bodies.BODIES["tiny"], bodies.INPUTS["tiny"]
    with tf.Processes(workers=1) as pool:
        family = Family(pool)
        forms = {"session": lambda: family.many(function, x, 1), "eager": lambda: family.one(function, x)}
        for call in forms.values():
            call()
        worker = pool.submit(os.getpid).result()
        samples: dict[str, list[float]] = {name: [] for name in forms}
        for turn in range(rounds + 1):
            for name, call in forms.items():
                begin = time.process_time() + _processor_time_of(worker)
                for _ in range(500):
                    call()
                spent = time.process_time() + _processor_time_of(worker) - begin
                samples[name] += [spent / 500] if turn else []
    return {"title": "processor time", "seconds": {name: ledger.spread(s) for name, s in samples.items()}}


def _processor_time_of(process: int) -> float:
    """Seconds that all threads of another process ran."""
    tasks = Path(f"/proc/{process}/task").iterdir()
    return sum([int((task / "schedstat").read_text().split()[0]) for task in tasks]) / 1e9


SIZES = {"8 bytes": 8, "1 KB": 1 << 10, "64 KB": 1 << 16, "1 MB": 1 << 20, "16 MB": 1 << 24, "100 MB": 100 << 20}


def sizes(ways: dict[str, Any], rounds: int) -> dict[str, Any]:
    """Seconds of one call that gets an array and returns it, by size and way."""
    found: dict[str, dict[str, Any]] = {}
    for title, size in SIZES.items():
        x = np.ones(size // 4, np.float32)
        samples: dict[str, list[float]] = {name: [] for name in ways}
        for turn in range(rounds + 1):
            for name, way in ways.items():
                seconds = _one(way, bodies.tiny, x, 1 if size > 1 << 22 else 20)
                samples[name] += [seconds] if turn else []
        found[title] = {name: ledger.spread(s) for name, s in samples.items()}
    return {"title": "sizes", "one": found}


def faults(rounds: int) -> dict[str, Any]:
    """Seconds from a call that ends its worker to the error, and that the pool works afterwards."""
    found: dict[str, Any] = {}
    x = bodies.INPUTS["tiny"]
    for title, (body, options) in FAULTS.items():
        with tf.Processes(workers=1, **options) as pool:
            pool.submit(bodies.tiny, x).result()
            samples = []
            for _ in range(rounds):
                begin = time.perf_counter()
                error = pool.submit(body, x).exception(timeout=60)
                samples.append(time.perf_counter() - begin)
                if error is None or pool.submit(bodies.tiny, x).result(60).tolist() != x.tolist():
                    raise AssertionError(f"{title}: {error!r}")
        found[title] = {**ledger.spread(samples), "error": type(error).__name__}
    return {"title": "faults", "seconds": found}


def lines(entry: dict[str, Any]) -> list[str]:
    """An entry as text."""
    if entry["title"] == "faults":
        return [f"{t}: {s['median']:.3f} s to {s['error']}" for t, s in entry["seconds"].items()]
    if entry["title"] == "wave":
        run, loop = (entry["seconds"][name]["median"] * 1e3 for name in ("one run", "bare loop"))
        return [f"wave of {WAVE}: {run:.2f} ms, bare loop {loop:.2f} ms ({entry['faster']['median']:.2f}x)"]
    if entry["title"] == "processor time":
        return [f"processor time, {name}: {s['median'] * 1e6:.1f} us" for name, s in entry["seconds"].items()]
    if entry["title"] == "start-up":
        return [f"start-up {name}: {seconds:.2f} s" for name, seconds in entry["seconds"].items()]
    if entry["title"] == "sizes":
        return [
            f"{size}: " + ", ".join(f"{name} {s['median'] * 1e3:.3g} ms" for name, s in ways.items())
            for size, ways in entry["one"].items()
        ]
    out = []
    for name, rate in entry["many"].items():
        ratios = ", ".join(f"{r[name]['median']:.2f}x {against}" for against, r in entry["faster"].items())
        one = f"{entry['one'][name]['median'] * 1e6:.1f} us a call, " if "one" in entry else ""
        out.append(f"{entry['title']}: {name}: {one}{rate['median']:,.0f} calls/s ({ratios})")
    return out


def main() -> int:
    """Measures, prints, appends to the ledger."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.executors", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--ways", default="", help="only those whose name contains one of these, separated by commas")
    parser.add_argument("--no-ledger", action="store_true", help="print only")
    options = parser.parse_args()
    parts = [part for part in options.ways.split(",") if part]
    rounds = 2 if options.quick else ROUNDS
    ways, starts, absent = opened(lambda name: not parts or any(part in name for part in parts))
    entries = [{"title": "start-up", "seconds": starts, "absent": absent}]
    entries += [measure(ways, body, rounds) for body in bodies.BODIES]
    entries.append(chunked(ways, rounds))
    entries.append(sizes({n: w for n, w in ways.items() if n not in ("dask", "ray")}, min(rounds, 3)))
    for way in ways.values():
        if not isinstance(way, Family):
            way.shutdown()
    entries += [wave(rounds), processor_time(rounds), faults(2 if options.quick else 10)]
    for entry in entries:
        print("\n".join(lines(entry)), flush=True)
    for name, why in absent.items():
        print(f"{name} ABSENT: {why}")
    if not options.no_ledger:
        shared = {**ledger.header("executors"), "quick": options.quick, "workers": WORKERS}
        ledger.append([{**shared, **entry} for entry in entries])
    return 0


if __name__ == "__main__":
    sys.exit(main())

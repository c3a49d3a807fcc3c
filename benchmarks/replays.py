"""Record and replay of many calls: seconds for each call, and the memory of a replay beside the size of the recording.

    python -m benchmarks.replays                          # 1 GB in calls of 64 kB each way
    python -m benchmarks.replays --megabytes 1024 --kilobytes 1
    python -m benchmarks.replays --megabytes 10           # the suite's version

Recording and replay run in a fresh process each. The exit status is 1 if a replay grows by more than `MOST_MB`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import inlay as tf

MOST_MB = 100.0
"""The resident memory by which a replay may grow."""


def shifted(x: Any) -> Any:
    """The recorded function; its arguments and results are different in every call."""
    return x * 0.5 - 1


def calls(count: int, size: int) -> float:
    """Makes calls with arrays of `size` bytes; returns the sum of the results."""
    total = 0.0
    ramp = np.arange(size // 8, dtype=np.float64)
    for i in range(count):
        result = tf.numpy_function(shifted, [ramp + i], tf.float64)
        total += float(result[0])
    return total


def _status_mb(name: str) -> float:
    """A figure of the kernel about this process: `VmRSS`, or its peak `VmHWM`."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1024
    raise LookupError(name)


def _recorded(path: str, count: int, size: int) -> dict[str, float]:
    begin = time.perf_counter()
    with tf.debugging.record(path, max_bytes=1 << 40):
        total = calls(count, size)
    return {"seconds": time.perf_counter() - begin, "total": total}


def _replayed(path: str, count: int, size: int) -> dict[str, float]:
    calls(3, size)  # what any call loads
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before, begin = _status_mb("VmRSS"), time.perf_counter()
    with tf.debugging.replay(path) as replaying:
        opened = time.perf_counter() - begin
        total = calls(count, size)
    replaying.check_all_made()
    seconds = time.perf_counter() - begin - opened
    return {"seconds": seconds, "opened": opened, "total": total, "grown_mb": _status_mb("VmHWM") - before}


_PARTS = {"record": _recorded, "replay": _replayed}


def measure(megabytes: float, kilobytes: float) -> dict[str, Any]:
    """Records and replays in processes of their own.

    Args:
      megabytes: the size of the recording.
      kilobytes: the size of the argument of each call, and of its result.

    Returns:
      The size in MB, the number of calls, microseconds per call of both, seconds to open, and the growth in MB.
    """
    size = int(kilobytes * 1024) // 8 * 8
    count = max(1, int(megabytes * 2**20) // (2 * size))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.calls")
        figures = {part: _in_a_process(part, path, count, size) for part in _PARTS}
        recorded_mb = os.path.getsize(path) / 2**20
    assert figures["record"]["total"] == figures["replay"]["total"]
    return {
        "mb": recorded_mb,
        "calls": count,
        "record_us": 1e6 * figures["record"]["seconds"] / count,
        "replay_us": 1e6 * figures["replay"]["seconds"] / count,
        "open_s": figures["replay"]["opened"],
        "grown_mb": figures["replay"]["grown_mb"],
    }


def _in_a_process(part: str, path: str, count: int, size: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.replays", "--part", part, path, str(count), str(size)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def main() -> int:
    """Measures, and prints a line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.replays", description=__doc__.split("\n\n")[0])
    parser.add_argument("--megabytes", type=float, default=1024)
    parser.add_argument("--kilobytes", type=float, default=64)
    parser.add_argument("--part", nargs=4, metavar=("PART", "PATH", "COUNT", "BYTES"))
    options = parser.parse_args()
    if options.part:
        part, path, count, size = options.part
        print(json.dumps(_PARTS[part](path, int(count), int(size))))
        return 0
    figures = measure(options.megabytes, options.kilobytes)
    print(
        f"{figures['mb']:,.0f} MB, {figures['calls']:,} calls: recorded in {figures['record_us']:.0f} us each, "
        f"opened in {figures['open_s']:.2f} s, replayed in {figures['replay_us']:.0f} us each, "
        f"grown by {figures['grown_mb']:.1f} MB"
    )
    return int(figures["grown_mb"] > MOST_MB)


if __name__ == "__main__":
    sys.exit(main())

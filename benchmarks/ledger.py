"""`ledger.jsonl`: one JSON object per measured row, appended, never rewritten. Says when, where and on what."""

from __future__ import annotations

import datetime
import json
import os
import platform
import statistics
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.environments import ROOT

LEDGER = ROOT / "benchmarks" / "ledger.jsonl"
# What may differ from the commit without making its figures doubtful: what the benchmarks write.
WRITTEN = ("benchmarks/ledger.jsonl", "benchmarks/README.md", "benchmarks/results.md")


def spread(samples: Sequence[float]) -> dict[str, float]:
    """Median, least, and the quartiles of some figures."""
    if len(samples) < 2:
        low = high = samples[0]
    else:
        low, _, high = statistics.quantiles(samples, n=4, method="inclusive")
    return {
        "median": statistics.median(samples),
        "min": min(samples),
        "q1": low,
        "q3": high,
        "n": len(samples),
    }


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, cwd=ROOT)
    return done.stdout.rstrip("\n") if done.returncode == 0 else ""


def commit() -> dict[str, Any]:
    """The commit measured, and whether `src` or `benchmarks` differ from it."""
    status = _git("status", "--porcelain", "--", "src", "benchmarks").splitlines()
    changed = [line[3:] for line in status if not line[3:].startswith(WRITTEN)]
    return {"commit": _git("rev-parse", "HEAD") or "unknown", "dirty": bool(changed)}


def _cpu() -> str:
    try:
        with open("/proc/cpuinfo") as lines:
            names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def machine(gpu: str | None = None) -> dict[str, Any]:
    """The machine, in words and numbers; `gpu` names the GPU that was measured."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)),
        "ram_gb": round(memory, 1),
        "system": platform.platform(),
        "gpu": gpu,
    }


def header(kind: str, gpu: str | None = None) -> dict[str, Any]:
    """The fields that every entry of one run shares; `gpu` names the GPU that was measured."""
    now = datetime.datetime.now(datetime.UTC).replace(microsecond=0).isoformat()
    return {"kind": kind, "run": now, **commit(), "machine": machine(gpu), "python": platform.python_version()}


def append(entries: Iterable[dict[str, Any]], path: Path = LEDGER) -> None:
    """Adds entries."""
    with open(path, "a") as ledger:
        for entry in entries:
            ledger.write(json.dumps(entry, sort_keys=True) + "\n")


def read(kind: str | None = None, path: Path = LEDGER) -> list[dict[str, Any]]:
    """All entries in order, or those of one kind."""
    if not path.exists():
        return []
    entries = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    return [e for e in entries if kind is None or e["kind"] == kind]

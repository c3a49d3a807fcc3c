"""The process of one peer: `python -m benchmarks.worker MODULE PACKAGE ...`, started by `benchmarks.peers`.

    parent                                          worker
      │  ◀── {"ready": true, "versions", "file"} ───── │   once, when the peer is imported
      │ ─── {"case": name, "calls": n} ──────────────▶ │
      │  ◀── {"seconds": s} or {"error": text} ─────── │   for every request
      │ ─── end of input ────────────────────────────▶ │   ends

One JSON object per line. `{"release": name}` drops what a case keeps, `{"figures": name, "arguments":
{...}}` runs a function of `FIGURES` that measures by itself and replies with what it returns, `{"modules": [...]}`
asks which are loaded. Standard output belongs to the protocol: whatever the peer prints
goes to standard error.
"""

from __future__ import annotations

import gc
import importlib
import importlib.metadata
import json
import os
import platform
import sys
import traceback
from typing import Any


def versions(packages: list[str]) -> dict[str, str]:
    """Python's version and those of the distributions that are installed."""
    found = {"python": platform.python_version()}
    for package in packages:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "absent"
    return found


class Worker:
    """Answers requests; keeps each case that it built until it is released."""

    def __init__(self, cases: Any) -> None:
        self.module = cases.load()
        self.builders = cases.CASES
        self.figures = getattr(cases, "FIGURES", {})
        self.built: dict[str, Any] = {}

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """One reply to one request."""
        if "release" in request:
            self.built.pop(request["release"], None)
            gc.collect()
            return {"released": request["release"]}
        if "figures" in request:
            return {"figures": self.figures[request["figures"]](self.module, **request["arguments"])}
        if "modules" in request:
            return {"loaded": [name for name in request["modules"] if name in sys.modules]}
        name = request["case"]
        if name not in self.builders:
            return {"absent": name}
        if name not in self.built:
            self.built[name] = self.builders[name](self.module)
        return {"seconds": self.built[name](request["calls"])}


def main() -> None:
    """Speaks the protocol until its input ends."""
    replies = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    module, packages = sys.argv[1], sys.argv[2:]
    try:
        worker = Worker(importlib.import_module(f"benchmarks.cases.{module}"))
        file = getattr(worker.module, "__file__", None)
        greeting: dict[str, Any] = {"ready": True, "versions": versions(packages), "file": file}
    except Exception:
        greeting = {"ready": False, "error": traceback.format_exc(limit=-3)}
    print(json.dumps(greeting), file=replies)
    for line in sys.stdin:
        try:
            reply = worker.answer(json.loads(line))
        except Exception:
            reply = {"error": traceback.format_exc(limit=-3)}
        print(json.dumps(reply), file=replies)


if __name__ == "__main__":
    main()

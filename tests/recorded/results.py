"""The files of recorded results: one for each module of calls, a line for each call, compressed."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import tests.recorded.calls  # noqa: F401
from tests.recorded.draws import TABLE

FOLDER = Path(__file__).parent / "results"

Rows = dict[str, list[dict[str, Any]]]


def area(name: str) -> str:
    """The module whose calls these are."""
    return TABLE[name].__module__.rsplit(".", 1)[-1]


def read(folder: Path = FOLDER) -> Rows:
    """Name -> its rows."""
    found: Rows = {}
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            next(lines)
            for line in lines:
                name, rows = json.loads(line)
                found[name] = rows
    return found


def seed_of(folder: Path = FOLDER) -> str:
    """The seed of the calls recorded in a folder."""
    with gzip.open(next(iter(sorted(folder.glob("*.jsonl.gz")))), "rt", encoding="utf-8") as lines:
        return str(json.loads(next(lines))["seed"])


def write(folder: Path, made_with: str, seed: str, rows: Rows) -> None:
    """Write all rows."""
    folder.mkdir(parents=True, exist_ok=True)
    areas: dict[str, list[str]] = {}
    for name in sorted(rows):
        line = json.dumps([name, rows[name]], separators=(",", ":"), ensure_ascii=True)
        areas.setdefault(area(name), []).append(line)
    for title, lines in areas.items():
        head = json.dumps({"made_with": made_with, "seed": seed})
        data = "\n".join([head, *lines, ""]).encode()
        (folder / f"{title}.jsonl.gz").write_bytes(gzip.compress(data, 9, mtime=0))

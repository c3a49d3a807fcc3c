"""Runs a pipeline twice, in sequence and overlapped, and records its timeline and `stats()` for `pipeline.svg`.

    python -m scripts.pictures.record_pipeline

The times are those of the machine, so the record is committed and the picture is drawn from it.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import inlay as tf

RECORD = Path(__file__).with_name("records") / "pipeline.json"
ELEMENTS = 10
SECONDS = {"read": 0.012, "augment": 0.02, "train": 0.012}


def timeline(overlapped: bool) -> dict[str, Any]:
    """One iteration: when each step worked on each element, in milliseconds, and the figures of each stage."""
    spans: list[tuple[str, int, float, float]] = []

    def step(name: str, element: int) -> None:
        start = time.perf_counter()
        time.sleep(SECONDS[name])
        spans.append((name, element, start, time.perf_counter()))

    def read(index: Any) -> Any:
        step("read", int(index))
        return index

    def augment(index: Any) -> Any:
        step("augment", int(index))
        return index

    calls = {"num_parallel_calls": 2} if overlapped else {}
    dataset = tf.data.Dataset.range(ELEMENTS)
    dataset = dataset.map(lambda i: tf.numpy_function(read, [i], tf.int64), **calls)
    dataset = dataset.map(lambda i: tf.numpy_function(augment, [i], tf.int64), **calls)
    if overlapped:
        dataset = dataset.prefetch(2)
    stats = dataset.stats()
    begin = time.perf_counter()
    for element in stats:
        step("train", int(element))
    names = ["prefetch", "augment", "read", "range"] if overlapped else ["augment", "read", "range"]
    return {
        "milliseconds": round((time.perf_counter() - begin) * 1e3, 1),
        "spans": [
            [name, number, round((start - begin) * 1e3, 1), round((end - begin) * 1e3, 1)]
            for name, number, start, end in sorted(spans, key=lambda span: span[2])
        ],
        "stages": {
            name: {"elements": stage.elements, "itself": round(stage.itself * 1e3, 1)}
            for name, stage in zip(names, stats.stages, strict=True)
        },
    }


def main() -> None:
    timeline(overlapped=True)  # starts the threads
    record = {"sequential": timeline(overlapped=False), "overlapped": timeline(overlapped=True)}
    RECORD.parent.mkdir(exist_ok=True)
    RECORD.write_text(json.dumps(record) + "\n", encoding="utf-8")
    print(f"wrote {RECORD}")


if __name__ == "__main__":
    main()

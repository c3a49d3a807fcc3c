"""A dataset pipeline and its timeline, in sequence and overlapped, from `records/pipeline.json`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scripts.pictures.canvas import Canvas

RECORD = Path(__file__).with_name("records") / "pipeline.json"
TONES = {"read": "blue", "augment": "orange", "train": "green"}
LEFT, LANE = 128.0, 20.0


def draw() -> Canvas:
    """The picture."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    slow, fast = record["sequential"], record["overlapped"]
    canvas = Canvas(
        900, 490, "A dataset pipeline and its timeline",
        "A pipeline of range, map(read), map(augment), prefetch and a training loop. Below, the measured timeline of "
        f"ten elements: in sequence they take {slow['milliseconds']:.0f} ms; with parallel maps and prefetch, "
        f"reading, augmenting and training overlap and take {fast['milliseconds']:.0f} ms.",
    )  # fmt: skip
    _pipeline(canvas, fast)
    scale = (canvas.width - LEFT - 40) / slow["milliseconds"]
    y = _timeline(canvas, 196, slow, scale, "In sequence", "ds.map(read).map(augment)")
    code = "ds.map(read, num_parallel_calls=2).map(augment, num_parallel_calls=2).prefetch(2)"
    y = _timeline(canvas, y + 50, fast, scale, "Overlapped", code)
    for milliseconds in range(0, 451, 50):
        x = LEFT + milliseconds * scale
        canvas.line([(x, y + 2), (x, y + 7)], "muted", width=1)
        canvas.text(x, y + 21, f"{milliseconds}", size=11, tone="muted", anchor="middle")
    canvas.text(LEFT - 12, y + 21, "milliseconds", size=11, tone="muted", anchor="end")
    return canvas


def _pipeline(canvas: Canvas, run: dict[str, Any]) -> None:
    """The stages from left to right, with the measured time of each."""
    canvas.text(24, 36, "The pipeline", size=16, bold=True)
    canvas.text(
        144, 36, "an iterator pulls elements from the right; stats() measures each stage", size=13, tone="muted"
    )
    stages = [
        ("range(10)", "muted", "range"),
        ("map(read)", "blue", "read"),
        ("map(augment)", "orange", "augment"),
        ("prefetch(2)", "muted", "prefetch"),
        ("for x in ds:", "green", None),
    ]
    width, gap = 138.0, 40.5
    bottleneck = max(run["stages"], key=lambda name: run["stages"][name]["itself"])
    for number, (label, tone, stage) in enumerate(stages):
        x = 24 + number * (width + gap)
        canvas.box(x, 56, width, 46, tone, border=2.5 if stage == bottleneck else 1.5)
        canvas.text(
            x + width / 2, 84, label, size=13, mono=True, anchor="middle", tone=tone if tone != "muted" else "ink"
        )
        if number:
            canvas.arrow([(x - gap + 3, 79), (x - 3, 79)], "muted")
        if stage is None:
            canvas.text(x + width / 2, 122, "your training step", size=12, tone="muted", anchor="middle")
            continue
        text = f"{run['stages'][stage]['itself']:.0f} ms"
        canvas.text(x + width / 2, 122, f"readers waited {text}", size=12, tone="muted", anchor="middle")
        if stage == bottleneck:
            canvas.text(x + width / 2, 139, "the bottleneck", size=12, tone=tone, anchor="middle", bold=True)


def _timeline(canvas: Canvas, y: float, run: dict[str, Any], scale: float, title: str, code: str) -> float:
    """The lanes of one iteration from `y` downwards. Returns where they end."""
    canvas.text(24, y - 12, f"{title}: {run['milliseconds']:.0f} ms", size=15, bold=True)
    canvas.text(canvas.width - 24, y - 12, code, size=11.5, mono=True, tone="muted", anchor="end")
    top = y
    for name, tone in TONES.items():
        spans = [span for span in run["spans"] if span[0] == name]
        lanes = _lanes(spans)
        y += 6
        canvas.text(LEFT - 12, y + len(lanes) * LANE / 2 + 4, name, size=13, tone=tone, anchor="end", bold=True)
        for lane in lanes:
            for _, element, start, end in lane:
                x, width = LEFT + start * scale, (end - start) * scale
                canvas.box(x + 0.5, y, width - 1, LANE - 3, tone, radius=3, border=1.2)
                canvas.text(x + width / 2, y + LANE - 7, str(element), size=11, tone=tone, anchor="middle")
            y += LANE
    end = LEFT + run["milliseconds"] * scale
    canvas.line([(LEFT, top), (LEFT, y + 4)], "grid")
    canvas.line([(end, top), (end, y + 4)], "ink", dashed=True)
    return y


def _lanes(spans: Sequence[Any]) -> list[list[Any]]:
    """The spans in as few rows as have no overlap."""
    lanes: list[list[Any]] = []
    for span in spans:
        for lane in lanes:
            if lane[-1][3] <= span[2]:
                lane.append(span)
                break
        else:
            lanes.append([span])
    return lanes

"""The charts of docs/start/benchmarks.md, from `benchmarks/ledger.jsonl`.

The figures of a row come from one entry of the ledger, which was measured in one run: the newest entry that has every
peer of the row.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks import ledger
from scripts.pictures import charts
from scripts.pictures.canvas import Canvas
from scripts.pictures.charts import Panel, Spread

WIDTH = 780.0
# A chart's rows: the row of the ledger, its label, the peers beside us, and over how many elements its time is shared.
Rows = Sequence[tuple[str, str, tuple[str, ...], int]]
TENSORFLOW = ("tensorflow",)
EVERYONE = ("tensorflow", "jax", "torch", "pytensor", "dask")


@functools.cache
def _ledger() -> list[dict[str, Any]]:
    return [entry for entry in ledger.read() if not entry.get("quick")]


def newest(kind: str, key: str, value: Any, peers: Sequence[str] = ()) -> dict[str, Any]:
    """The newest full entry of a kind with a value and figures of all the peers.

    Raises:
      LookupError: there is none.
    """
    for entry in reversed(_ledger()):
        if entry["kind"] == kind and entry.get(key) == value and set(peers) <= set(entry.get("seconds", peers)):
            return entry
    raise LookupError(f"the ledger has no {kind} with {key}={value!r} and {', '.join(peers)}")


def _shared(spread: Spread, elements: int) -> dict[str, float]:
    return {key: spread[key] / elements for key in ("median", "q1", "q3")}


def _panel(title: str, rows: Rows, low: float, high: float) -> tuple[Panel, list[dict[str, Any]]]:
    """A panel of rows, and the entries that they come from."""
    panel, entries = Panel(title, low, high, ("inlay", "ratio")), []
    for name, label, peers, elements in rows:
        entry = newest("row", "row", name, peers)
        entries.append(entry)
        spreads = {peer: _shared(entry["seconds"][peer], elements) for peer in ("inlay", *peers)}
        texts = (charts.seconds(spreads["inlay"]["median"]), charts.ratio(entry["ratios"]["tensorflow"]["median"]))
        panel.rows.append((label, spreads, texts))
    if any(entry.get("bare") for entry in entries):
        panel.columns = ("inlay", "of bare", "ratio")
        loops = [charts.ratio(1 / entry["bare"]["median"]) if entry.get("bare") else "" for entry in entries]
        rows_of_three = zip(panel.rows, loops, strict=True)
        panel.rows = [(label, spreads, (time, loop, ratio)) for (label, spreads, (time, ratio)), loop in rows_of_three]
    return panel, entries


def _chart(
    title: str, subtitle: str, description: str, panels: Sequence[Panel], entries: Sequence[Mapping[str, Any]]
) -> Canvas:
    names = dict.fromkeys(name for panel in panels for _, spreads, _ in panel.rows for name in spreads)
    height = 92 + sum(panel.height + 8 for panel in panels) + 22
    canvas = Canvas(WIDTH, height, title, description)
    canvas.text(24, 36, title, size=17, bold=True)
    canvas.text(24, 57, subtitle, size=12.5, tone="muted")
    charts.draw_legend(canvas, 83, [name for name in charts.TONES if name in names])
    y = 96.0
    for panel in panels:
        y = charts.draw_panel(canvas, panel, y) + 8
    canvas.text(24, height - 14, f"Measured {charts.source(entries)}", size=11, tone="muted")
    canvas.text(WIDTH - 24, height - 14, "ratio: TensorFlow / inlay", size=11, tone="muted", anchor="end")
    return canvas


def _words(panels: Sequence[Panel]) -> str:
    """The medians of a chart, for readers who do not see it."""
    rows = [
        f"{label}: " + ", ".join(f"{charts.NAMES.get(n, n)} {panel.label(s['median'])}" for n, s in spreads.items())
        for panel in panels
        for label, spreads, _ in panel.rows
    ]
    return "; ".join(rows) + "."


def _rows_chart(title: str, subtitle: str, parts: Sequence[tuple[str, Rows, float, float]]) -> Canvas:
    panels, entries = [], []
    for heading, rows, low, high in parts:
        panel, measured = _panel(heading, rows, low, high)
        panels.append(panel)
        entries += measured
    return _chart(title, subtitle, f"{title}. {_words(panels)}", panels, entries)


def eager() -> Canvas:
    """Eager calls, and a Python function in a graph beside every peer."""
    return _rows_chart(
        "Calling a Python function",
        "Time of one call. Left is faster; the function returns its argument, so that the call is measured.",
        [
            (
                "Eager calls",
                [
                    ("eager_py_function", "py_function", TENSORFLOW, 1),
                    ("eager_numpy_function", "numpy_function", TENSORFLOW, 1),
                    ("eager_add", "add, no Python function", TENSORFLOW, 1),
                ],
                1e-6, 1e-2,
            ),
            (
                "In a compiled graph or plan",
                [
                    ("session_py_func", "one Python function", EVERYONE, 1),
                    ("session_py_func_chain", "50 of them, a chain", EVERYONE, 1),
                    ("session_py_func_wide", "100 of them, side by side", EVERYONE, 1),
                ],
                1e-6, 1e-2,
            ),
        ],
    )  # fmt: skip


def datasets() -> Canvas:
    """Time per element of datasets."""
    return _rows_chart(
        "Datasets around Python functions",
        "Time per element. Left is faster. TensorFlow runs Python functions on threads of one process.",
        [
            (
                "Quick functions",
                [
                    ("data_identity", "map of an identity", TENSORFLOW, 1),
                    ("data_chain", "three maps of ops", TENSORFLOW, 1),
                    ("data_text_encode", "a line of text encoded", TENSORFLOW, 1),
                    ("data_records", "a TFRecord read and parsed", TENSORFLOW, 1),
                    ("data_records_batched", "100 TFRecords parsed together", TENSORFLOW, 100),
                ],
                1e-6, 1e-3,
            ),
            (
                "Slow functions, two workers",
                [
                    ("data_python_body", "75 µs of pure Python", TENSORFLOW, 1000),
                    ("data_image_body", "an image, 480×640 to 224×224", TENSORFLOW, 40),
                ],
                1e-5, 1e-2,
            ),
        ],
    )  # fmt: skip


def session() -> Canvas:
    """Steps of sessions and functions."""
    return _rows_chart(
        "A step of a session or a function",
        "Time of one run. Left is faster.",
        [
            (
                "Python functions in the graph",
                [
                    ("session_py_func", "session: one py_func", TENSORFLOW, 1),
                    ("session_py_function", "session: one py_function", TENSORFLOW, 1),
                    ("function_py_function", "tf.function: one py_function", TENSORFLOW, 1),
                    ("loop_session_host", "while_loop, 100 iterations", TENSORFLOW, 1),
                    ("train_session", "training step fed by a py_func", TENSORFLOW, 1),
                ],
                1e-6, 1e-1,
            ),
            (
                "Pure ops",
                [
                    ("loop_session", "while_loop, 100 iterations", TENSORFLOW, 1),
                    ("train_adam_many", "Adam, 20 variables", TENSORFLOW, 1),
                    ("sine_chain_1e6", "50 × (sin + 1), 10⁶ numbers", TENSORFLOW, 1),
                ],
                1e-6, 1e-1,
            ),
        ],
    )  # fmt: skip


def gradients() -> Canvas:
    """Gradients through Python functions and ops."""
    every = ("tensorflow", "jax", "torch")
    return _rows_chart(
        "Gradients",
        "Time of the forward and the backward pass together. Left is faster.",
        [
            (
                "Through a Python function",
                [
                    ("session_py_function_gradient", "session: py_function", every, 1),
                    ("eager_py_function_gradient", "tape: py_function", TENSORFLOW, 1),
                    ("session_log_huber_gradient", "session: log-Huber with an if", TENSORFLOW, 1),
                    ("new_shapes_gradient", "a new shape at every call", every, 1),
                ],
                1e-5, 1e-1,
            ),
            (
                "Through ops",
                [
                    ("eager_tape_multiply", "tape: multiply", every, 1),
                    ("loop_session_gradient", "session: while_loop", TENSORFLOW, 1),
                    ("train_tape", "tape over two layers, and a step", TENSORFLOW, 1),
                ],
                1e-6, 1e-2,
            ),
        ],
    )  # fmt: skip


def start() -> Canvas:
    """Import, building of graphs, memory."""
    imports = newest("row", "row", "import", TENSORFLOW)
    start_up = Panel("Import, and a first run", 1e-3, 1e1, ("inlay", "ratio"))
    start_up.rows.append(_beside("import, and its first name", imports["seconds"]))
    memory = Panel("Memory of a graph and its session", 1e-2, 1e3, ("inlay", "ratio"), charts.megabytes)
    entries = [imports]
    for ops in (100, 1000, 10_000):
        entry = newest("growth", "ops", ops)
        entries.append(entry)
        figures = entry["figures"]
        first = {name: _sum(figures[name]["build"], figures[name]["first"]) for name in ("inlay", "tensorflow")}
        start_up.rows.append(_beside(f"{ops:,} ops, built and run once", first))
        memory.rows.append(_beside(f"{ops:,} ops", {n: figures[n]["mb"] for n in first}, charts.megabytes))
    title = "Start-up and memory"
    panels = [start_up, memory]
    subtitle = "Left is less. Each measurement is a fresh process."
    return _chart(title, subtitle, f"{title}. {_words(panels)}", panels, entries)


def _sum(one: Spread, two: Spread) -> dict[str, float]:
    """The spread of two steps after one another, as if both were slow or quick together."""
    return {key: one[key] + two[key] for key in ("median", "q1", "q3")}


def _beside(
    label: str, spreads: Mapping[str, Spread], shown: Any = charts.seconds
) -> tuple[str, dict[str, Spread], tuple[str, ...]]:
    ours, theirs = spreads["inlay"], spreads["tensorflow"]
    texts = (shown(ours["median"]), charts.ratio(theirs["median"] / ours["median"]))
    return label, {"inlay": ours, "tensorflow": theirs}, texts

"""The cost of a call on each executor: the picture of the guide, and the benchmark beside other pools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scripts.pictures import charts
from scripts.pictures.benchmark_charts import newest
from scripts.pictures.canvas import Canvas
from scripts.pictures.charts import Panel

WIDTH = 780.0
BODIES = {
    "tiny": "A function that returns its argument",
    "pure Python": "75 µs of pure Python",
    "image": "An image, 480×640 to 224×224: a few milliseconds of NumPy",
}
# Of each executor the ledger's name of a whole call of the family on it; on Ray it is the task alone.
EXECUTORS = {
    "in place, the default": "numpy_function in place",
    'executor="threads"': "numpy_function on threads",
    'executor="processes"': "numpy_function on processes",
    'executor="ray" (the task alone)': "ray",
}
TONES = {
    "numpy_function in place": "blue",
    "numpy_function on threads": "green",
    "numpy_function on processes": "orange",
    "ray": "purple",
}
POOLS = {
    "threads": ("inlay threads", "concurrent.futures threads"),
    "processes": ("inlay processes", "concurrent.futures processes", "loky"),
    "cluster": ("ray", "dask"),
}
LABELS = {"ray": "Ray", "dask": "Dask", "inlay threads": "inlay", "inlay processes": "inlay"}


def executors() -> Canvas:
    """One call, and calls per second, on each executor."""
    title = "What a call costs on each executor"
    return _chart(
        title, "One call waits for its result", BODIES, {name: label for label, name in EXECUTORS.items()}, TONES
    )


def pools() -> Canvas:
    """Our pools beside others."""
    labels = {
        name: f"{group}: {LABELS.get(name, name.removesuffix(f' {group}'))}"
        for group, names in POOLS.items()
        for name in names
    }
    tones = {name: "blue" if name.startswith("inlay") else "muted" for name in labels}
    return _chart("Executors beside other pools", "submit() and its result", ("tiny", "pure Python"), labels, tones)


def _chart(
    title: str, measured: str, bodies: Iterable[str], labels: Mapping[str, str], tones: Mapping[str, str]
) -> Canvas:
    """A panel for each body with a row for each of the ledger's names."""
    panels, entries = [], []
    for body in bodies:
        entry = newest("executors", "title", body)
        entries.append(entry)
        panel = Panel(BODIES[body], 1e-5, 1e-1, ("one call", "calls per second"))
        for name, label in labels.items():
            texts = (charts.seconds(entry["one"][name]["median"]), f"{entry['many'][name]['median']:,.0f}")
            panel.rows.append((label, {name: entry["one"][name]}, texts))
        panels.append(panel)
    height = 76 + sum(panel.height + 8 for panel in panels) + 22
    words = "; ".join(f"{p.title}: " + ", ".join(f"{row[0]} {row[2][0]}" for row in p.rows) for p in panels)
    canvas = Canvas(WIDTH, height, title, f"{title}. {words}.")
    canvas.text(24, 36, title, size=17, bold=True)
    subtitle = f"{measured} (left is faster). Calls per second: many in flight, two workers."
    canvas.text(24, 57, subtitle, size=12.5, tone="muted")
    y = 72.0
    for panel in panels:
        y = charts.draw_panel(canvas, panel, y, left=252, right=240, tones=tones) + 8
    canvas.text(24, height - 14, f"Measured {charts.source(entries)}", size=11, tone="muted")
    return canvas

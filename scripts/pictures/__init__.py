"""The pictures of the documentation: each is drawn by a module of this package from data in the repository.

`python scripts/update_generated.py` writes them into `docs/pictures`, and a test compares the files with what it would
write.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from scripts.pictures import benchmark_charts, executor_charts, graph, ownership, pipeline, traceback, tracing, trust
from scripts.pictures.canvas import Canvas

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "pictures"
DRAWINGS: dict[str, Callable[[], Canvas]] = {
    "inlay": graph.draw,
    "pipeline": pipeline.draw,
    "tracing": tracing.draw,
    "ownership": ownership.draw,
    "trust": trust.draw,
    "traceback": traceback.draw,
    "executors": executor_charts.executors,
    "benchmarks/eager": benchmark_charts.eager,
    "benchmarks/executors": executor_charts.pools,
    "benchmarks/datasets": benchmark_charts.datasets,
    "benchmarks/session": benchmark_charts.session,
    "benchmarks/gradients": benchmark_charts.gradients,
    "benchmarks/start": benchmark_charts.start,
}


BY_HAND = {"logo.svg"}


def present() -> set[Path]:
    """The pictures in the folder that a script draws."""
    return {path for path in FOLDER.rglob("*.svg") if path.name not in BY_HAND}


def pages() -> dict[Path, str]:
    """Each picture and its text."""
    return {FOLDER / f"{name}.svg": draw().svg() for name, draw in DRAWINGS.items()}

"""The plots of `benchmarks/README.md`. Needs the `bench` extra (matplotlib)."""

from __future__ import annotations

from typing import Any

from benchmarks.environments import ROOT
from benchmarks.rows import ROWS

PLOTS = ROOT / "benchmarks" / "plots"
COLORS = {
    "inlay": "#1b6ca8",
    "tensorflow": "#e8710a",
    "jax": "#7b3fa0",
    "torch": "#c0392b",
    "pytensor": "#2e8b57",
    "dask": "#8a8a00",
    "tensorflow+malloc": "#f4b183",
}


def _pyplot() -> Any:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "inlay", "svg.fonttype": "none"})  # equal figures give equal files
    import matplotlib.pyplot as pyplot

    return pyplot


def _save(figure: Any, name: str) -> None:
    PLOTS.mkdir(exist_ok=True)
    figure.savefig(PLOTS / name, metadata={"Date": None}, bbox_inches="tight")


def plot_ratios(entries: dict[str, dict[str, Any]]) -> None:
    """How many times faster than each peer, a line per row, with quartiles and the goal."""
    pyplot = _pyplot()
    rows = [row for row in ROWS if entries.get(row.name, {}).get("ratios")][::-1]
    figure, axes = pyplot.subplots(figsize=(9, 0.34 * len(rows) + 1.2))
    seen: set[str] = set()
    for height, row in enumerate(rows):
        for name, ratio in entries[row.name]["ratios"].items():
            if name == entries[row.name].get("before"):
                continue
            label = None if name in seen else name
            seen.add(name)
            axes.plot([ratio["q1"], ratio["q3"]], [height, height], color=COLORS[name], linewidth=1.5)
            axes.plot(ratio["median"], height, "o", color=COLORS[name], markersize=6, label=label)
        if row.ratio is not None:
            label = None if "goal" in seen else "goal, against TensorFlow"
            seen.add("goal")
            axes.plot(row.ratio, height, "|", color="black", markersize=13, markeredgewidth=1.5, label=label)
    axes.axvline(1, color="grey", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yticks(range(len(rows)), [row.title.replace("`", "") for row in rows], fontsize=8)
    axes.set_xlabel("times faster than the peer (left of 1: slower)")
    axes.grid(axis="x", alpha=0.3)
    axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    _save(figure, "ratios.svg")
    pyplot.close(figure)


def plot_growth(entries: dict[int, dict[str, Any]]) -> None:
    """The four figures over the number of ops."""
    pyplot = _pyplot()
    panels = (("build", "build"), ("first", "first run"), ("steady", "steady run"), ("mb", "memory"))
    figure, all_axes = pyplot.subplots(1, 4, figsize=(13, 3.2), layout="constrained")
    for axes, (key, title) in zip(all_axes, panels, strict=True):
        for name in ("inlay", "tensorflow"):
            found = [(ops, e["figures"][name][key]) for ops, e in sorted(entries.items()) if name in e["figures"]]
            found = [(ops, f) for ops, f in found if f["median"] > 0]
            sizes, medians = [ops for ops, _ in found], [f["median"] for _, f in found]
            axes.plot(sizes, medians, "o-", color=COLORS[name], markersize=4, label=name)
            axes.fill_between(
                sizes, [f["q1"] for _, f in found], [f["q3"] for _, f in found], color=COLORS[name], alpha=0.2
            )
        axes.set(xscale="log", yscale="log", title=title, xlabel="ops", ylabel="MB" if key == "mb" else "seconds")
        axes.grid(alpha=0.3)
    all_axes[0].legend(fontsize=8)
    _save(figure, "growth.svg")
    pyplot.close(figure)


def plot_data_growth(entries: dict[str, dict[str, Any]]) -> None:
    """Elements per second over the number of stages, and over the size of an element."""
    units = {t: "stages" if max(e["points"]) < 1 << 10 else "bytes of an element" for t, e in entries.items()}
    _plot_series(entries, units, "elements per second", "data_growth.svg")


def plot_work_growth(entries: dict[str, dict[str, Any]]) -> None:
    """Runs per second over the size of arrays, the turns of loops and the ops of graphs."""
    _plot_series(entries, {t: e["unit"] for t, e in entries.items()}, "runs per second", "work_growth.svg")


def _plot_series(entries: dict[str, dict[str, Any]], units: dict[str, str], label: str, file: str) -> None:
    """A panel for each series: how often per second, over what grows in it."""
    pyplot = _pyplot()
    across = 4
    down = -(-len(entries) // across)
    figure, all_axes = pyplot.subplots(down, across, figsize=(13, 3.2 * down), layout="constrained", squeeze=False)
    for axes in all_axes.flat[len(entries) :]:
        axes.set_visible(False)
    for axes, (title, entry) in zip(all_axes.flat, entries.items(), strict=False):
        for name, seconds in entry["seconds"].items():
            color = COLORS.get(name, "grey")
            rates, low, high = ([1 / s[key] for s in seconds] for key in ("median", "q3", "q1"))
            axes.plot(entry["points"], rates, "o-", color=color, markersize=4, label=name)
            axes.fill_between(entry["points"], low, high, color=color, alpha=0.2)
        axes.set(xscale="log", yscale="log", xlabel=units[title], ylabel=label)
        axes.set_title(title, fontsize=9)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=7)
    _save(figure, file)
    pyplot.close(figure)

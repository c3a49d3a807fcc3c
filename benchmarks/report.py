"""Draws the plots and writes the tables of `benchmarks/README.md` from the ledger: `python -m benchmarks.report`.

Needs the `bench` extra (matplotlib). Everything between the markers of the page is rewritten; nothing else is.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks import ledger
from benchmarks.cases import forms
from benchmarks.environments import ROOT
from benchmarks.rows import ALL_ROWS, FORM_ROWS, ROWS
from benchmarks.run import beside_before, duration, goals

HERE = ROOT / "benchmarks"
README, REASONS, PLOTS = HERE / "README.md", HERE / "reasons.toml", HERE / "plots"
DATA_PLOT = "\n![elements per second over the number of stages and the size of elements](plots/data_growth.svg)"
COLOURS = {
    "inlay": "#1b6ca8",
    "tensorflow": "#e8710a",
    "jax": "#7b3fa0",
    "torch": "#c0392b",
    "pytensor": "#2e8b57",
    "dask": "#8a8a00",
    "tensorflow+malloc": "#f4b183",
}


def latest(entries: Sequence[dict[str, Any]], key: str) -> dict[Any, dict[str, Any]]:
    """The newest entry for each value of `key`; a full measurement wins over a quick one."""
    found: dict[Any, dict[str, Any]] = {}
    for entry in entries:
        old = found.get(entry[key])
        if old is None or old.get("quick") or not entry.get("quick"):
            found[entry[key]] = entry
    return found


def times(ratio: float) -> str:
    """A ratio with two or three figures."""
    return f"{ratio:,.0f}x" if ratio >= 100 else f"{ratio:.2g}x" if ratio < 10 else f"{ratio:.0f}x"


def source(entries: Sequence[dict[str, Any]]) -> str:
    """When, where and on what some entries were measured."""
    lines = []
    for run in sorted({entry["run"] for entry in entries}):
        entry = next(e for e in entries if e["run"] == run)
        machine = entry["machine"]
        state = " with changes" if entry["dirty"] else ""
        quick = ", quick" if entry.get("quick") else ""
        gpu = f", {machine['gpu']}" if machine.get("gpu") else ""
        lines.append(
            f"{run[:16].replace('T', ' ')} UTC{quick}: commit `{entry['commit'][:10]}`{state}, {machine['cpu']}, "
            f"{machine['cores']} cores, {machine['ram_gb']:.0f} GB{gpu}, Python {entry['python']}"
        )
    return "Measured " + "; ".join(lines) + "."


def versions(entries: Sequence[dict[str, Any]]) -> str:
    """The libraries that took part, of the newest entry that names each."""
    named: dict[str, dict[str, str]] = {}
    for entry in entries:
        named.update(entry["versions"])
    parts = []
    for name, found in sorted(named.items()):
        if "+" not in name:
            parts.append(f"{name} ({', '.join(f'{k} {v}' for k, v in found.items())})")
    return "Versions: " + "; ".join(parts) + "."


# ---------------------------------------------------------------- the table


def _goal(entry: dict[str, Any]) -> str:
    return ", ".join(goals(entry, "≤ ", "≥ "))


def _verdict(entry: dict[str, Any]) -> str:
    text: str = {True: "met", False: "**missed**", None: "not judged" if _goal(entry) else ""}[entry["met"]]
    return text + (f" (loaded {', '.join(entry['loaded'])})" if entry["loaded"] else "")


def _others(entry: dict[str, Any]) -> str:
    """The remaining peers' times, each with how many times faster ours is."""
    parts = [
        f"{name} {duration(entry['seconds'][name]['median'])} ({times(ratio['median'])})"
        for name, ratio in entry["ratios"].items()
        if name not in (entry["against"], entry.get("before"))
    ]
    parts += [f"{name}: {'failed' if why.startswith('failed') else 'absent'}" for name, why in entry["absent"].items()]
    return ", ".join(parts)


def _before(entry: dict[str, Any]) -> str:
    """How many times faster than its predecessor a row is, bold where it is slower; empty without one."""
    ratio = entry["ratios"].get(entry.get("before"))
    if ratio is None:
        return ""
    spread, verdict = f"{ratio['median']:.2f}x ({ratio['q1']:.2f} to {ratio['q3']:.2f})", beside_before(ratio)
    return f"**{spread}**" if verdict == "slower" else f"{spread}, {verdict}" if verdict else spread


def table(entries: dict[str, dict[str, Any]]) -> list[str]:
    """The rows in their order, as Markdown."""
    out = [
        "| | inlay | (quartiles) | TensorFlow | times faster (quartiles) | goal | | others (times faster) | before |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in ROWS:
        entry = entries.get(row.name)
        if entry is None:
            out.append(f"| {row.title} | not measured yet | | | | | | | |")
            continue
        ours, theirs = entry["seconds"].get(entry["subject"]), entry["seconds"].get(entry["against"])
        ratio = entry["ratios"].get(entry["against"])
        cells = [
            entry["title"] + (f" ({entry['note']})" if entry["note"] else ""),
            duration(ours["median"]) if ours else "failed",
            f"{duration(ours['q1'])} to {duration(ours['q3'])}" if ours else "",
            duration(theirs["median"]) if theirs else "absent" if entry["against"] else "",
            f"{times(ratio['median'])} ({times(ratio['q1'])} to {times(ratio['q3'])})" if ratio else "",
            _goal(entry),
            _verdict(entry),
            _others(entry),
            _before(entry),
        ]
        out.append(f"| {' | '.join(cells)} |")
    return out


def _form_cells(entry: dict[str, Any] | None) -> list[str]:
    """Our time and how many times faster than TensorFlow; bold is what misses its goal."""
    if entry is None:
        return ["not measured yet", ""]
    ours, ratio, goal = entry["seconds"].get(entry["subject"]), entry["ratios"].get(entry["against"]), entry["goal"]
    if ours is None:
        return ["**failed**", ""]
    time, faster = duration(ours["median"]), times(ratio["median"]) if ratio else ""
    if ratio and goal["ratio"] is not None and ratio["median"] < goal["ratio"]:
        faster = f"**{faster}**"
    if entry["bound"]:
        most = duration(entry["bound"]["median"])
        time = f"**{time}** (≤ {most})" if ours["median"] > entry["bound"]["median"] else f"{time} (≤ {most})"
    return [time, faster]


def forms_table(entries: dict[str, dict[str, Any]]) -> list[str]:
    """The forms of a call, a line each: our time and bound, and the ratio to TensorFlow, in each way to call."""
    head = [cell for way in forms.WAYS for cell in (way, "TensorFlow")]
    out = [f"| | {' | '.join(head)} | before: {', '.join(forms.WAYS)} |", f"|{'---|' * (len(head) + 2)}"]
    for family in forms.FAMILIES:
        for form in (form for form in forms.FORMS if family in form.families):
            cells, before = [], []
            for way in forms.WAYS:
                entry = entries.get(forms.case_name(form, family, way))
                cells += _form_cells(entry) if way in form.ways else ["", ""]
                ratio = entry["ratios"].get(entry["before"]) if entry else None
                if ratio:
                    value = f"{ratio['median']:.2f}"
                    before.append(f"**{value}**" if beside_before(ratio) == "slower" else value)
            out.append(f"| `{family}`, {form.title} | {' | '.join(cells)} | {', '.join(before)} |")
    alone = [
        f"{title} {duration(entries[name]['seconds']['inlay']['median'])}"
        for name, (title, _) in forms.CONVERSIONS.items()
        if name in entries
    ]
    return [*out, "", f"NumPy alone: {', '.join(alone)}."]


def predecessor(entries: dict[str, dict[str, Any]]) -> list[str]:
    """Which commit the rows were compared with, and what was slower; empty if none was."""
    compared = [e for e in entries.values() if e.get("before")]
    if not compared:
        return []
    commits = sorted({e["versions"][e["before"]]["commit"][:10] for e in compared})
    verdicts = {e["row"]: beside_before(e["ratios"][e["before"]]) for e in compared}
    well = sum(not verdict for verdict in verdicts.values())
    lines = [f"Beside commit {', '.join(commits)}: {well} of {len(verdicts)} rows take at most 1/0.95 of its time."]
    for word in ("slower", "in doubt"):
        if found := [row for row, verdict in verdicts.items() if verdict == word]:
            lines.append(f"{word.capitalize()}: {', '.join(found)}.")
    return lines


def absent(entries: dict[str, dict[str, Any]]) -> list[str]:
    """Peers that did not take part, with the reason."""
    why: dict[str, set[str]] = {}
    for entry in entries.values():
        for name, reason in entry["absent"].items():
            why.setdefault(f"{name}: {reason}", set()).add(entry["row"])
    return [f"- Did not take part: {text} ({', '.join(sorted(rows))})" for text, rows in why.items()]


def wanting(entry: dict[str, Any]) -> str:
    """What of a row asks for a reason: a missed goal, a peer that is faster. Empty if nothing does."""
    slower = [
        f"{name} takes {duration(entry['seconds'][name]['median'])}, {times(1 / ratio['median'])} faster"
        for name, ratio in entry["ratios"].items()
        if name != entry.get("before") and ratio["q3"] < 1  # beyond what the spread may explain
    ]
    since = entry["ratios"].get(entry.get("before"))
    if since and beside_before(since) == "slower":
        slower.append(f"its predecessor took {duration(entry['seconds'][entry['before']]['median'])}")
    missed = [f"goal {_goal(entry)} missed"] if entry["met"] is False else []
    failed = ["did not run"] if entry["subject"] in entry["absent"] else missed + slower
    return "; ".join(failed)


def explained(entries: dict[str, dict[str, Any]], reasons: dict[str, str]) -> tuple[list[str], list[str]]:
    """The list of shortcomings with their reasons, and the rows that still lack one."""
    out, lacking = [], []
    for row in ALL_ROWS:
        entry = entries.get(row.name)
        text = wanting(entry) if entry else ""
        if not text:
            continue
        if row.name not in reasons:
            lacking.append(row.name)
        assert entry is not None
        out.append(f"- {entry['title']}: {text}. {reasons.get(row.name, 'Not explained yet.')}")
    return out or ["Nothing: every goal is met and no peer is faster."], lacking


# ---------------------------------------------------------------- the other pages' parts


def growth_table(entries: dict[int, dict[str, Any]]) -> list[str]:
    """Build, first run, steady run and memory by size."""
    out = ["| ops | | build | first run | steady run | memory |", "|---|---|---|---|---|---|"]
    for ops, entry in sorted(entries.items()):
        for name, figures in entry["figures"].items():
            cells = [duration(figures[key]["median"]) for key in ("build", "first", "steady")]
            out.append(f"| {ops:,} | {name} | {' | '.join(cells)} | {figures['mb']['median']:.1f} MB |")
    return out


def data_growth_table(entries: dict[str, dict[str, Any]]) -> list[str]:
    """What an element costs by stages and size, and with which exponents that grows."""
    out: list[str] = []
    for title, entry in entries.items():
        heads = " | ".join(_point(at) for at in entry["points"])
        out += [f"| {title} | {heads} | exponents |", f"|{'---|' * (len(entry['points']) + 2)}"]
        for name, seconds in entry["seconds"].items():
            powers = ", ".join(f"{power:.2f}" for power in entry["exponents"][name])
            out.append(f"| {name} | {' | '.join(duration(s['median']) for s in seconds)} | {powers} |")
        verdict = {True: "Nowhere faster than the work.", False: "**Faster than the work.**", None: "Not judged."}
        out += ["", verdict[entry["met"]], ""]
    return out[:-1]


def _point(at: int) -> str:
    """A number of stages, or bytes."""
    return f"{at >> 20} MB" if at >= 1 << 20 else f"{at >> 10} KB" if at >= 1 << 10 else str(at)


def concurrency_table(entries: dict[str, dict[str, Any]]) -> list[str]:
    """Throughput by one thread and by many."""
    out = ["| a run of | | alone | 32 threads | ratio (quartiles) | goal |", "|---|---|---|---|---|---|"]
    for title, entry in entries.items():
        for name, ratio in entry["ratios"].items():
            verdict = f"≥ {entry['goal']}x: {'met' if entry['met'] else '**missed**'}" if name == "inlay" else ""
            out.append(
                f"| {title} | {name} | {entry['one'][name]['median']:,.0f}/s | {entry['many'][name]['median']:,.0f}/s "
                f"| {ratio['median']:.2f}x ({ratio['q1']:.2f} to {ratio['q3']:.2f}) | {verdict} |"
            )
    return out


def executors_table(entries: dict[str, dict[str, Any]]) -> list[str]:
    """What a call costs on each executor, start-up, arrays by size, and seconds from a fault to its error."""
    out = ["| body | on | one call | calls/s | beside a bare loop | beside loky |", "|---|---|---|---|---|---|"]
    for body in (e for e in entries.values() if "many" in e):
        for name, rate in body["many"].items():
            ratios = [body["faster"].get(against, {}).get(name) for against in ("bare loop", "loky")]
            cells = [f"{r['median']:.2f}x ({r['q1']:.2f} to {r['q3']:.2f})" if r else "" for r in ratios]
            one = duration(body["one"][name]["median"]) if "one" in body else ""
            out.append(f"| {body['title']} | {name} | {one} | {rate['median']:,.0f} | {' | '.join(cells)} |")
    starting, arrays, faults = (entries.get(title) for title in ("start-up", "sizes", "faults"))
    if starting:
        out += ["", f"To the first result: {', '.join(f'{n} {duration(s)}' for n, s in starting['seconds'].items())}."]
    if arrays:
        names = list(next(iter(arrays["one"].values())))
        out += ["", f"| there and back | {' | '.join(names)} |", f"|{'---|' * (len(names) + 1)}"]
        by_size = sorted(arrays["one"].items(), key=lambda item: (item[0].split()[1], int(item[0].split()[0])))
        for size, ways in by_size:
            out.append(f"| {size} | {' | '.join(duration(ways[name]['median']) for name in names)} |")
    if faults:
        told = [f"{t} {duration(f['median'])} to `{f['error']}`" for t, f in faults["seconds"].items()]
        out += ["", f"From a fault to its error: {'; '.join(told)}."]
    return out


def soak_table(entries: dict[str, dict[str, Any]]) -> list[str]:
    """What the soak did last."""
    out = ["| part | done | seconds | memory after warm-up | grown after that | |", "|---|---|---|---|---|---|"]
    for part, entry in entries.items():
        warm, grown = entry["warm_mb"], entry["grown_mb"]
        verdict = "; ".join(entry["faults"]) or "all well"
        out.append(
            f"| {part} | {entry['done']:,} of {entry['asked']:,} | {entry['seconds']:.0f} | "
            + (f"{warm:.0f} MB | {grown:+.1f} MB" if grown is not None else "| ")
            + f" | {verdict} |"
        )
    return out


def gpu_table(entries: dict[str, dict[str, Any]]) -> list[str]:
    """A host function on the GPU beside the peers'."""
    peers = list(dict.fromkeys(name for entry in entries.values() for name in entry["seconds"]))
    out = [f"| array | {' | '.join(peers)} | times faster (quartiles) |", f"|{'---|' * (len(peers) + 2)}"]
    for title, entry in entries.items():
        cells = [duration(entry["seconds"][p]["median"]) if p in entry["seconds"] else "absent" for p in peers]
        ratios = [
            f"{name} {times(ratio['median'])} ({times(ratio['q1'])} to {times(ratio['q3'])})"
            for name, ratio in entry["ratios"].items()
        ]
        out.append(f"| {title} | {' | '.join(cells)} | {', '.join(ratios)} |")
    missing = {f"{name}: {why}" for entry in entries.values() for name, why in entry["absent"].items()}
    return [*out, *(f"\nDid not take part: {text}" for text in sorted(missing))]


def gpu_part(entries: dict[str, dict[str, Any]]) -> list[str]:
    """The page's part about GPUs."""
    return _section(entries, gpu_table) if entries else ["No GPU was there: nothing is measured on one yet."]


# ---------------------------------------------------------------- plots


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
            axes.plot([ratio["q1"], ratio["q3"]], [height, height], color=COLOURS[name], linewidth=1.5)
            axes.plot(ratio["median"], height, "o", color=COLOURS[name], markersize=6, label=label)
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
            axes.plot(sizes, medians, "o-", color=COLOURS[name], markersize=4, label=name)
            axes.fill_between(
                sizes, [f["q1"] for _, f in found], [f["q3"] for _, f in found], color=COLOURS[name], alpha=0.2
            )
        axes.set(xscale="log", yscale="log", title=title, xlabel="ops", ylabel="MB" if key == "mb" else "seconds")
        axes.grid(alpha=0.3)
    all_axes[0].legend(fontsize=8)
    _save(figure, "growth.svg")
    pyplot.close(figure)


def plot_data_growth(entries: dict[str, dict[str, Any]]) -> None:
    """Elements per second over the number of stages, and over the size of an element."""
    pyplot = _pyplot()
    across = 4
    down = -(-len(entries) // across)
    figure, all_axes = pyplot.subplots(down, across, figsize=(13, 3.2 * down), layout="constrained", squeeze=False)
    for axes in all_axes.flat[len(entries) :]:
        axes.set_visible(False)
    for axes, (title, entry) in zip(all_axes.flat, entries.items(), strict=False):
        for name, seconds in entry["seconds"].items():
            colour = COLOURS.get(name, "grey")
            rates, low, high = ([1 / s[key] for s in seconds] for key in ("median", "q3", "q1"))
            axes.plot(entry["points"], rates, "o-", color=colour, markersize=4, label=name)
            axes.fill_between(entry["points"], low, high, color=colour, alpha=0.2)
        unit = "stages" if max(entry["points"]) < 1 << 10 else "bytes of an element"
        axes.set(xscale="log", yscale="log", xlabel=unit, ylabel="elements per second")
        axes.set_title(title, fontsize=9)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=7)
    _save(figure, "data_growth.svg")
    pyplot.close(figure)


# ---------------------------------------------------------------- the page


def filled(page: str, parts: dict[str, list[str]]) -> str:
    """The page with the text between each `<!-- name -->` and `<!-- /name -->` replaced.

    Raises:
      ValueError: the page has no such pair of markers.
    """
    for name, lines in parts.items():
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        if not pattern.search(page):
            raise ValueError(f"{README.name} has no <!-- {name} --> ... <!-- /{name} -->")
        text = "\n".join(["", *lines, "\n"])
        page = pattern.sub(lambda m, text=text: m[1] + text + m[2], page)
    return page


def _section(entries: dict[Any, dict[str, Any]], show: Callable[[dict[Any, Any]], list[str]]) -> list[str]:
    if not entries:
        return ["Not measured yet."]
    return [*show(entries), "", source(list(entries.values()))]


def main() -> int:
    """Writes page and plots; says which rows lack a reason."""
    rows = latest(ledger.read("row"), "row")
    growth = latest(ledger.read("growth"), "ops")
    data = latest(ledger.read("data_growth"), "title")
    reasons = tomllib.loads(REASONS.read_text(encoding="utf-8"))
    shortcomings, lacking = explained(rows, reasons)
    main_rows = {row.name: rows[row.name] for row in ROWS if row.name in rows}
    form_rows = {row.name: rows[row.name] for row in FORM_ROWS if row.name in rows}
    measured = list(main_rows.values())
    parts = {
        "rows": [*_section(main_rows, table), *([versions(measured)] if main_rows else []), *absent(main_rows)],
        "forms": [*_section(form_rows, forms_table), *absent(form_rows)],
        "before": predecessor(rows) or ["No row was compared with a predecessor."],
        "slower": shortcomings if rows else ["Not measured yet."],
        "growth": _section(growth, growth_table),
        "data_growth": [*_section(data, data_growth_table), *([DATA_PLOT] if data else [])],
        "concurrency": _section(latest(ledger.read("concurrency"), "title"), concurrency_table),
        "executors": _section(latest(ledger.read("executors"), "title"), executors_table),
        "soak": _section(latest(ledger.read("soak"), "part"), soak_table),
        "gpu": gpu_part(latest(ledger.read("gpu"), "title")),
    }
    README.write_text(filled(README.read_text(encoding="utf-8"), parts), encoding="utf-8")
    if rows:
        plot_ratios(rows)
    if growth:
        plot_growth(growth)
    if data:
        plot_data_growth(data)
    print(f"wrote {README.relative_to(ROOT)} and {PLOTS.relative_to(ROOT)}/")
    if lacking:
        print(f"{REASONS.relative_to(ROOT)} lacks a reason for: {', '.join(lacking)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

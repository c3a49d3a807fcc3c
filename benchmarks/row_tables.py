"""The tables of rows as Markdown: what each took beside its peers, whether it met its goal, and why not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.cases import forms
from benchmarks.rows import ROWS, Row
from benchmarks.run import beside_before, duration, goals


def times(ratio: float) -> str:
    """A ratio with two or three figures."""
    return f"{ratio:,.0f}x" if ratio >= 100 else f"{ratio:.2g}x" if ratio < 10 else f"{ratio:.0f}x"


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


def _beside(entry: dict[str, Any]) -> tuple[str, str, str]:
    """Our time, the other's, and how many times faster ours is, with quartiles."""
    ours, theirs = entry["seconds"].get(entry["subject"]), entry["seconds"].get(entry["against"])
    ratio = entry["ratios"].get(entry["against"])
    return (
        duration(ours["median"]) if ours else "failed",
        duration(theirs["median"]) if theirs else "absent" if entry["against"] else "",
        f"{times(ratio['median'])} ({times(ratio['q1'])} to {times(ratio['q3'])})" if ratio else "",
    )


def of_bare(entry: dict[str, Any] | None) -> str:
    """How many times the row takes the time of its bare loop; empty if that was not measured."""
    bare = entry.get("bare") if entry else None
    return times(1 / bare["median"]) if bare else ""


def table(entries: dict[str, dict[str, Any]]) -> list[str]:
    """The rows in their order, as Markdown."""
    out = [
        "| | inlay | (quartiles) | of the bare loop | TensorFlow | times faster (quartiles) | goal | "
        "| others (times faster) | before |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in ROWS:
        entry = entries.get(row.name)
        if entry is None:
            out.append(f"| {row.title} | not measured yet | | | | | | | | |")
            continue
        ours, theirs, faster = _beside(entry)
        own = entry["seconds"].get(entry["subject"])
        cells = [
            entry["title"] + (f" ({entry['note']})" if entry["note"] else ""),
            ours,
            f"{duration(own['q1'])} to {duration(own['q3'])}" if own else "",
            of_bare(entry),
            theirs,
            faster,
            _goal(entry),
            _verdict(entry),
            _others(entry),
            _before(entry),
        ]
        out.append(f"| {' | '.join(cells)} |")
    return out


def _form_cells(entry: dict[str, Any] | None) -> list[str]:
    """Our time, its multiple of the bare loop, how many times faster than TensorFlow; bold is what misses its goal."""
    if entry is None:
        return ["not measured yet", "", ""]
    ours, ratio, goal = entry["seconds"].get(entry["subject"]), entry["ratios"].get(entry["against"]), entry["goal"]
    if ours is None:
        return ["**failed**", "", ""]
    time, faster = duration(ours["median"]), times(ratio["median"]) if ratio else ""
    if ratio and goal["ratio"] is not None and ratio["median"] < goal["ratio"]:
        faster = f"**{faster}**"
    if entry["bound"]:
        most = duration(entry["bound"]["median"])
        time = f"**{time}** (≤ {most})" if ours["median"] > entry["bound"]["median"] else f"{time} (≤ {most})"
    return [time, of_bare(entry), faster]


def forms_table(entries: dict[str, dict[str, Any]]) -> list[str]:
    """The forms of a call, a line each: our time and bound, and the ratio to TensorFlow, in each way to call."""
    head = [cell for way in forms.WAYS for cell in (way, "of bare", "TensorFlow")]
    out = [f"| | {' | '.join(head)} | before: {', '.join(forms.WAYS)} |", f"|{'---|' * (len(head) + 2)}"]
    for family in forms.FAMILIES:
        for form in (form for form in forms.FORMS if family in form.families):
            cells, before = [], []
            for way in forms.WAYS:
                entry = entries.get(forms.case_name(form, family, way))
                cells += _form_cells(entry) if way in form.ways else ["", "", ""]
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


def explained(
    entries: dict[str, dict[str, Any]], reasons: dict[str, str], rows: Sequence[Row]
) -> tuple[list[str], list[str]]:
    """The list of shortcomings of some rows with their reasons, and the rows that still lack one."""
    out, lacking = [], []
    for row in rows:
        entry = entries.get(row.name)
        text = wanting(entry) if entry else ""
        if not text:
            continue
        if row.name not in reasons:
            lacking.append(row.name)
        assert entry is not None
        out.append(f"- {entry['title']}: {text}. {reasons.get(row.name, 'Not explained yet.')}")
    return out or ["Nothing: every goal is met and no peer is faster."], lacking


def group_table(rows: Sequence[Row], entries: dict[str, dict[str, Any]]) -> list[str]:
    """Rows of one group beside TensorFlow's, as Markdown."""
    out = [
        "| | inlay | of the bare loop | TensorFlow | times faster (quartiles) | goal | | before |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        entry = entries.get(row.name)
        if entry is None:
            out.append(f"| {row.title} | not measured yet | | | | | | |")
            continue
        ours, theirs, faster = _beside(entry)
        cells = [entry["title"], ours, of_bare(entry), theirs, faster, _goal(entry), _verdict(entry), _before(entry)]
        out.append(f"| {' | '.join(cells)} |")
    judged = [entries[row.name]["met"] for row in rows if row.name in entries]
    return [*out, "", f"{judged.count(True)} of {len(judged)} rows meet their goal."]

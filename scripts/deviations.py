"""The last part of docs/deviations.md, from the lists that the tests hold: what differs, and why.

Its first part is tables that are written by hand; the reference repeats their rows at the names of the first column.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "deviations.md"
MARK = "<!-- Below: written by scripts/update_generated.py from the lists that the tests hold. Change those. -->\n"
NOT_YET = "not yet"


def listed(path: str) -> dict[str, Any]:
    """A list of the tests."""
    return tomllib.loads((ROOT / path).read_text(encoding="utf-8"))


def quoted(names: list[str]) -> str:
    """Names as code."""
    return ", ".join(f"`{name}`" for name in names)


def programs() -> str:
    """Recorded programs, by reason."""
    reasons: dict[str, list[str]] = {}
    for case, reason in listed("tests/conformance/deviations.toml")["deviations"].items():
        reasons.setdefault(reason, []).append(case)
    rows = "".join(f"| {reason} | {quoted(cases)} |\n" for reason, cases in reasons.items())
    return f"## Programs\n\n| inlay | recorded programs |\n|---|---|\n{rows}"


def results() -> str:
    """Recorded results, by reason; what is to be mended last."""
    entries = listed("tests/recorded/results.toml")["differs"]
    rows = ""
    for entry in entries:
        if entry["reason"] != NOT_YET:
            names = [*entry.get("names", ()), *entry.get("also", ()), *entry.get("calls", ())]
            rows += f"| {entry['reason']} | {'all' if names == ['*'] else quoted(names)} |\n"
    text = f"## Results\n\n| inlay | functions |\n|---|---|\n{rows}"
    left = {name: len(calls) for e in entries if e["reason"] == NOT_YET for name, calls in e["calls"].items()}
    if left:
        names = quoted(sorted(left, key=lambda name: (-left[name], name)))
        text += f"\nTo be mended: {sum(left.values())} recorded calls of {names}.\n"
    return text


def pipelines() -> str:
    """Recorded pipelines of datasets, by reason."""
    entries = listed("tests/recorded/pipelines.toml")["differs"]
    rows = "".join(f"| {e['reason']} | {', '.join(e['what'])} | {quoted(e['text'])} |\n" for e in entries)
    return f"## Pipelines of datasets\n\n| inlay | what differs | pipelines with |\n|---|---|---|\n{rows}"


def signatures() -> str:
    """Signatures, by reason; what is to be mended last."""
    entries = listed("tests/recorded/signatures.toml")["differs"]
    rows = "".join(f"| {e['reason']} | {quoted(e['names'])} |\n" for e in entries if e["reason"] != NOT_YET)
    text = f"## Signatures\n\n| inlay | names |\n|---|---|\n{rows}"
    left = [name for e in entries if e["reason"] == NOT_YET for name in e["names"]]
    return text + (f"\nTo be mended: {quoted(left)}.\n" if left else "")


def rows() -> Iterator[tuple[list[str], str, str, str]]:
    """The names of each row that was written by hand, what TensorFlow does, what inlay does, and why."""
    for line in PAGE.read_text(encoding="utf-8").split(MARK)[0].splitlines():
        if line.startswith("| ") and not line.startswith("| names"):
            names, theirs, ours, why = re.split(r" \| ", line.removeprefix("| ").removesuffix(" |"))
            yield re.findall(r"`([\w.]+)`", names), theirs, ours, why


def by_name() -> dict[str, list[str]]:
    """The path of each symbol without `tf.` -> sentences on what differs from TensorFlow."""
    found: dict[str, list[str]] = {}

    def add(name: str, text: str) -> None:
        texts = found.setdefault(name, [])
        if text not in texts:
            texts.append(text)

    for names, theirs, ours, why in rows():
        text = f"TensorFlow {theirs}. inlay {ours}. The reason: {why}.".replace("](", "](../")
        for name in names:
            add(name, text)
    for name, words in listed("docs/symbols.toml")["deviation"].items():
        add(name, f"{words[0].upper()}{words[1:]}.")
    for path in ("tests/recorded/signatures.toml", "tests/recorded/results.toml"):
        for rule in listed(path)["differs"]:
            if rule["reason"] != NOT_YET:
                for name in (*rule.get("names", ()), *rule.get("also", ())):
                    add(name.partition(":")[0], rule["reason"])
    return found


def pages() -> dict[Path, str]:
    """The page and its text: what was written by hand, and the lists."""
    by_hand = PAGE.read_text(encoding="utf-8").split(MARK)[0]
    return {PAGE: f"{by_hand}{MARK}\n" + "\n".join([programs(), results(), pipelines(), signatures()])}

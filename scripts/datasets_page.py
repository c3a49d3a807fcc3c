"""docs/datasets.md: which methods and arguments of `tf.data.Dataset` and names of `tf.data` exist, from TensorFlow's
recorded signatures and what `inlay` really has."""

from __future__ import annotations

import importlib
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.recorded.signatures import signature_of

ROOT = Path(__file__).resolve().parents[1]
RECORDED = ROOT / "tests" / "recorded" / "signatures.json"
SYMBOLS = ROOT / "docs" / "symbols.toml"
PAGE = ROOT / "docs" / "datasets.md"

HEAD = """# Dataset methods

<!-- Written by scripts/update_generated.py from tests/recorded/signatures.json and docs/symbols.toml: change these,
then run `make generate`. -->

This page lists the methods of TensorFlow's `tf.data.Dataset`, and the names of `tf.data` and `tf.data.experimental`,
with their arguments. "Yes" means that inlay has the name and that it takes these arguments. The last column lists the
additional arguments of inlay. For a missing name it gives the text of the error.

"""


def recorded() -> Iterator[tuple[str, str]]:
    """(dotted name below `tf`, TensorFlow's arguments) of each name of `tf.data`, and of each method of datasets."""
    signatures = json.loads(RECORDED.read_text(encoding="utf-8"))["signatures"]
    for name, signature in signatures.items():
        if not name.startswith("data."):
            continue
        whole = signature if isinstance(signature, dict) else {"": signature}
        if name == "data.Dataset":
            yield from ((f"{name}.{method}", text) for method, text in whole.items() if method)
        else:
            yield name, whole.get("", "")


def found(root: Any, dotted: str) -> Any:
    """What stands at the end of a dotted path; None if nothing does."""
    for part in dotted.split("."):
        root = getattr(root, part, None)
        if root is None:
            return None
    return root


def status(root: Any, name: str, wanted: str, refused: dict[str, str]) -> tuple[str, str]:
    """Whether a name exists, and a remark."""
    here = found(root, name)
    if here is None:
        if name.startswith("data.Dataset."):
            try:
                getattr(root.data.Dataset.range(0), name.rpartition(".")[2])
            except AttributeError as error:
                return "no", str(error).partition(": ")[2] or "not yet here"
        reasons = (text for path, text in refused.items() if name == path or name.startswith(f"{path}."))
        return "no", next(reasons, "not yet here")
    if isinstance(here, type) or not callable(here) or wanted.startswith("="):
        return "yes", ""
    signature = str(signature_of(here)).replace("(self, ", "(").replace("(self)", "()")
    return "yes", "" if signature == wanted else f"takes `{signature}`"


def render(root: Any) -> str:
    """The page's text."""
    refused: dict[str, str] = tomllib.loads(SYMBOLS.read_text(encoding="utf-8"))["refused"]
    rows: dict[str, list[str]] = {"tf.data.Dataset": [], "tf.data": [], "tf.data.experimental": []}
    counts = dict.fromkeys(rows, 0)
    for name, wanted in recorded():
        title = "tf.data.Dataset" if name.startswith("data.Dataset.") else "tf.data"
        title = "tf.data.experimental" if name.startswith("data.experimental.") else title
        there, remark = status(root, name, wanted, refused)
        counts[title] += there == "yes"
        cell = "" if wanted.startswith("=") else f"`{wanted}`"
        rows[title].append(
            f"| `{name.removeprefix(title.removeprefix('tf.') + '.')}` | {cell} | {there} | {remark} |\n"
        )
    parts = [
        f"## `{title}`: {counts[title]} of {len(lines)}\n\n| name | arguments in TensorFlow | here | remark |\n"
        f"|---|---|---|---|\n{''.join(lines)}"
        for title, lines in rows.items()
    ]
    return HEAD + "\n".join(parts)


def pages() -> dict[Path, str]:
    """The generated file and its text."""
    return {PAGE: render(importlib.import_module("inlay"))}

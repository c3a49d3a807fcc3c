"""docs/compatibility.md, and the words on what differs that `inlay coverage` shows, from docs/symbols.toml."""

from __future__ import annotations

import importlib
import json
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SYMBOLS = ROOT / "docs" / "symbols.toml"
PAGE = ROOT / "docs" / "compatibility.md"
DIFFERING = ROOT / "src" / "inlay" / "_src" / "tools" / "unmodified" / "differing.py"

HEAD = """# Compatibility

<!-- Written by scripts/update_generated.py from docs/symbols.toml: change that file, then run `make generate`. -->

This page lists the names of TensorFlow that programs with the `py_function` family use, by area. "Yes" means that inlay
has the name with TensorFlow's signature. The last column lists intended differences; [deviations](deviations.md) gives
the reasons. "Not yet" is planned.

"""


def has(root: Any, dotted: str) -> bool:
    """Whether `root` has the attribute at the end of a dotted path."""
    kinds = [root]  # of an abstract class those below it too: some members are only theirs
    for part in dotted.split("."):
        kinds = [getattr(kind, part) for kind in kinds if hasattr(kind, part)]
        if not kinds:
            return False
        kinds += [below for kind in kinds if isinstance(kind, type) for below in _ours_below(kind)]
    return True


def _ours_below(kind: type) -> list[type]:
    """The classes of the library that derive from a class of the library."""
    if not kind.__module__.startswith("inlay"):
        return []
    direct = [below for below in type.__subclasses__(kind) if below.__module__.startswith("inlay")]
    return direct + [lower for below in direct for lower in _ours_below(below)]


def render(root: Any, symbols: dict[str, Any]) -> str:
    """The page's text."""
    deviation: dict[str, str] = symbols["deviation"]
    refused: dict[str, str] = symbols["refused"]
    sections, here, all_names = [], 0, 0
    for group in symbols["group"]:
        names = group["names"].split()
        found = {name: has(root, name) for name in names}
        here, all_names = here + sum(found.values()), all_names + len(names)
        rows = "".join(
            f"| `{name}` | {'yes' if there else 'not yet'} | {deviation.get(name, '') if there else ''} |\n"
            for name, there in found.items()
        )
        title = f"## {group['title']}: {sum(found.values())} of {len(names)}"
        sections.append(f"{title}\n\n| symbol | status | deviation |\n|---|---|---|\n{rows}")
    out = "".join(f"| `{name}` | {instead} |\n" for name, instead in refused.items())
    sections.append(f"## Out of scope\n\n| namespace | instead |\n|---|---|\n{out}")
    absent = "".join(f"| `{name}` | {instead} |\n" for name, instead in symbols["absent"].items())
    sections.append(f"## Absent\n\n| namespace | instead |\n|---|---|\n{absent}")
    return f"{HEAD}{here} of {all_names} symbols exist.\n\n" + "\n".join(sections)


def differing(symbols: dict[str, Any]) -> str:
    """The module that says what differs, and what is out of scope."""
    deviation, extended = symbols["deviation"], symbols["extended"]["names"].split()
    scope = "".join(f"    {json.dumps(name)},\n" for name in sorted(symbols["refused"]))
    rows = "".join(
        f"    {json.dumps(name)}: {json.dumps(words)},\n"
        for name, words in sorted(deviation.items())
        if name not in extended
    )
    return (
        '"""What is here and behaves otherwise than TensorFlow\'s, in a few words each; what is out of scope."""\n\n'
        "# Written by scripts/update_generated.py from docs/symbols.toml: change that, then run `make generate`.\n"
        f"# fmt: off\nDIFFERING = {{\n{rows}}}\n\nOUT_OF_SCOPE = frozenset({{\n{scope}}})\n"
    )


def pages() -> dict[Path, str]:
    """The generated files and their texts."""
    symbols = tomllib.loads(SYMBOLS.read_text(encoding="utf-8"))
    return {
        PAGE: render(importlib.import_module("inlay"), symbols),
        DIFFERING: differing(symbols),
    }

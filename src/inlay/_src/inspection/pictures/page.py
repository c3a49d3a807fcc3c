"""Pictures as a page for a browser: one file that asks no server for anything.

The texts of a picture are data in the page: JSON in a script that is not executed. The page's own script puts them into
text nodes. Its content security policy admits two scripts and a style, each by its digest, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from typing import Any

from inlay._src.base.export import data_file
from inlay._src.core.pictured import DRAWINGS
from inlay._src.inspection.pictures.arranging import second_line, unfolded
from inlay._src.inspection.pictures.scene import Picture, total_times
from inlay._src.inspection.pictures.times import times_of

_FOLDER = __package__ or ""
WORDS = {
    "op": "op", "host": "host function", "call": "runs programs", "input": "input", "output": "result",
    "constant": "constant", "variable": "variable", "move": "move between devices", "stage": "stage",
    "scope": "name scope", "program": "program", "part": "part of a task",
    "shelf": "not needed",
}  # fmt: skip
"""Kind of item -> its name for readers."""


def page(picture: Picture, times: Any = None) -> str:
    """The page of a picture, as HTML.

    Args:
      picture: the picture.
      times: colors boxes by their time: see `times_of`.
    """
    style = data_file(_FOLDER, "picture.css") + data_file(_FOLDER, "page.css")
    elk, script = data_file(_FOLDER, "elk/elk.bundled.js"), data_file(_FOLDER, "page.js")
    parts = {
        "title": escape(picture.title),
        "style_hash": _digest(style),
        "elk_hash": _digest(elk),
        "script_hash": _digest(script),
        "style": style,
        "data": embedded(as_data(picture, times)),
        "elk": elk,
        "script": script,
    }
    # Each part once, in the order of the template: a part may hold what looks like the name of another.
    whole = data_file(_FOLDER, "page.html")
    pieces = []
    while (start := whole.find("{")) != -1:
        name, _, behind = whole[start + 1 :].partition("}")
        pieces += [whole[:start], parts[name]]
        whole = behind
    return "".join([*pieces, whole])


def as_data(picture: Picture, times: Any = None) -> dict[str, Any]:
    """A picture as the page reads it: rows of items and wires, and the containers that are open at first."""
    sums = total_times(picture, times_of(times))
    kinds = list(WORDS)
    labels: dict[str, int] = {}
    return {
        "title": picture.title,
        "facts": picture.facts,
        "source": picture.source,
        "kinds": kinds,
        "words": WORDS,
        "items": [
            [
                item.label, kinds.index(item.kind), item.parent, item.name, item.op, second_line(item, 0), item.facts,
                item.source, item.decisions, int(item.idle), round(time, 3),
            ]
            for item, time in zip(picture.items, sums, strict=True)
        ],
        "wires": [
            [wire.tail, wire.head, labels.setdefault(wire.label, len(labels)), int(wire.control)]
            for wire in picture.wires
        ],
        "labels": list(labels),
        "opened": sorted(unfolded(picture)),
    }  # fmt: skip


def embedded(data: Any) -> str:
    """Data as JSON within a script of a page: no character of it means anything to a reader of HTML."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _digest(text: str) -> str:
    """A source of a content security policy: the digest of a script or a style."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


DRAWINGS["page"] = page

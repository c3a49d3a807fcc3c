"""Run the code of Markdown pages: `python scripts/run_snippets.py README.md docs/*.md`.

Blocks fenced as `python` run in order and share one namespace per page. A `text` block that follows a line saying
`Output:` is what the block before it must print. Blocks fenced as `pycon` run under doctest in the same namespace.
A block fenced as `python shows NAME` must end with an error, or tell a warning, that refers to `inlay explain NAME`.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import logging
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from types import CodeType
from typing import Any

FENCE = re.compile(
    r"^(?P<indent> *)(?P<ticks>`{3,})(?P<lang>[\w-]*)(?P<said>[^\n]*)\n(?P<code>.*?)^(?P=indent)(?P=ticks) *$",
    re.M | re.S,
)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A piece of code of a page: the number of the line before its first, what it must print, if that is said, and the
    entry of the error catalogue that it shows, or ""."""

    lang: str
    code: str
    line: int
    output: str | None
    shows: str = ""


def blocks(text: str) -> Iterator[Block]:
    """The `python` and `pycon` blocks of a page in order."""
    fences = list(FENCE.finditer(text))
    for fence, after in zip_longest(fences, fences[1:]):
        if fence["lang"] in ("python", "pycon"):
            said = (
                after is not None and after["lang"] == "text" and text[fence.end() : after.start()].strip() == "Output:"
            )
            yield Block(
                fence["lang"],
                _dedent(fence["code"], fence["indent"]),
                text.count("\n", 0, fence.start("code")),
                _dedent(after["code"], after["indent"]) if said and after is not None else None,
                fence["said"].strip().partition("shows ")[2],
            )


def _dedent(code: str, indent: str) -> str:
    return "".join(line.removeprefix(indent) for line in code.splitlines(keepends=True))


def run_page(page: Path) -> int:
    """Run a page's blocks; the number that ran. A traceback names the page's own lines."""
    scope: dict[str, Any] = {"__name__": "__main__"}
    found = list(blocks(page.read_text(encoding="utf-8")))
    for block in found:
        where = f"{page}:{block.line + 1}"
        if block.lang == "pycon":
            test = doctest.DocTestParser().get_doctest(block.code, scope, where, str(page), block.line)
            test.globs = scope  # get_doctest copies; later blocks use the names of this one
            if doctest.DocTestRunner(optionflags=FLAGS).run(test, clear_globs=False).failed:
                raise SystemExit(f"{where}: the block prints something else")
            continue
        printed = io.StringIO()
        code = compile("\n" * block.line + block.code, str(page), "exec", dont_inherit=True)
        if block.shows:
            told = _told(code, scope)
            if f"(inlay explain {block.shows})" not in told:
                raise SystemExit(f"{where}: the block does not show {block.shows}; it told\n{told}")
            continue
        with contextlib.redirect_stdout(printed):
            exec(code, scope)
        if block.output is not None and printed.getvalue().strip() != block.output.strip():
            raise SystemExit(f"{where}: the page says it prints\n{block.output}\nit printed\n{printed.getvalue()}")
    return len(found)


def _told(code: CodeType, scope: dict[str, Any]) -> str:
    """What a piece of code ends with, or tells as a warning of ours."""
    told = io.StringIO()
    heard = logging.StreamHandler(told)
    logger = logging.getLogger("inlay")
    logger.addHandler(heard)
    try:
        exec(code, scope)
    except Exception as error:
        print(error, file=told)
    finally:
        logger.removeHandler(heard)
    return told.getvalue()


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(f"{name}: {run_page(Path(name))} blocks")

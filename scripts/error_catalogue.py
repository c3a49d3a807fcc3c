"""The error catalogue as `inlay explain` prints it, from docs/errors.md: an installed package has no docs/."""

from __future__ import annotations

import re
from pathlib import Path

from inlay._src.tools import explained

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "errors.md"
COPY = ROOT / "src" / "inlay" / "_src" / "tools" / explained.FILE
REFERENCE = re.compile(r"\(inlay explain ([\w-]+)\)")
"""What a message ends with."""


def copied(page: str) -> str:
    """The entries of the page, with links as paths of the repository and plain fences."""
    text = page[page.index("\n## ") :].lstrip()
    text = re.sub(r"^```python shows [\w-]+$", "```python", text, flags=re.M)
    return re.sub(r"\]\((?!https?:)", "](docs/", text)


def pages() -> dict[Path, str]:
    """The generated file and its text."""
    mark = "<!-- Written by scripts/update_generated.py from docs/errors.md: change that, then run `make generate`. -->"
    return {COPY: f"{mark}\n\n{copied(PAGE.read_text(encoding='utf-8'))}"}

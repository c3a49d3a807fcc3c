"""Text that may reach a terminal, without the characters that steer one."""

from __future__ import annotations

import re

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters but for line ends and tabs, marks that turn the direction of writing, halves of characters."""


def escaped(text: str, lines: bool = True) -> str:
    """Text as it may reach a terminal: characters that steer one are written out.

    Messages hold names of files, models and peers, which anyone may have chosen.

    Args:
      text: the text.
      lines: whether it may have several lines.
    """
    if text.isprintable():
        return text
    safe = _CONTROL.sub(_written_out, text)
    return safe if lines else safe.replace("\n", "\\n").replace("\t", "\\t")


def _written_out(character: re.Match[str]) -> str:
    number = ord(character[0])
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}"


def tamed(error: BaseException) -> None:
    """Escapes the texts of an error and of its causes: a traceback shows them."""
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        if at.args and not isinstance(at, (OSError, UnicodeError)):
            at.args = tuple([escaped(a) if isinstance(a, str) else a for a in at.args])
        at = at.__cause__ or at.__context__

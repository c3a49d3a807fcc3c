"""What the examples say of their results: a line for each, and in the end an exit status."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

wrong: list[str] = []


def check(what: str, fine: object) -> None:
    """Prints what was found, and remembers it if it is wrong.

    Args:
      what: what was looked at, as a statement.
      fine: whether the statement is true.
    """
    print(f"  {'ok   ' if fine else 'WRONG'} {what}")
    if not fine:
        wrong.append(what)


def status() -> int:
    """Prints the verdict; 0 if nothing was wrong, else 1."""
    print("all right" if not wrong else f"wrong: {', '.join(wrong)}")
    return bool(wrong)


@contextlib.contextmanager
def needs(install: str) -> Iterator[None]:
    """Around imports of packages that the library does without: ends the program in a line if one is not there.

    Args:
      install: what pip is to be told.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        sys.exit(f"this example needs {error.name}: pip install '{install}'")

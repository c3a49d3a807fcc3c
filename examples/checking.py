"""What the examples say of their results: a line for each, and in the end an exit status."""

from __future__ import annotations

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

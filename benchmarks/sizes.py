"""How large the library is: lines by package, before and now, and what is longest: `python -m benchmarks.sizes`.

Prints Markdown. `--before COMMIT` adds a column for that commit. Lines are those of the files, with comments and blank
lines; a function is measured as the architecture tests measure it, without its docstring. Stubs (`.pyi`) are counted
apart: they are generated.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks import environments
from tests.architecture.test_size import long_functions

LONGEST = 10
SOURCE, TESTS = "src/inlay", "tests"
ROOT_MODULES, STUBS = "(its own modules)", "(stubs)"


def files(root: Path, folder: str, suffix: str = ".py") -> Iterator[tuple[Path, str]]:
    """Each file below a folder, relative to it, with its text."""
    for path in sorted((root / folder).rglob(f"*{suffix}")):
        yield path.relative_to(root / folder), path.read_text(encoding="utf-8")


def lines(root: Path, folder: str) -> Counter[str]:
    """Lines by package: the first folder below `folder`."""
    found: Counter[str] = Counter()
    for suffix in (".py", ".pyi"):
        for path, text in files(root, folder, suffix):
            package = STUBS if suffix == ".pyi" else path.parts[0] if len(path.parts) > 1 else ROOT_MODULES
            found[package] += len(text.splitlines())
    return found


def total(found: Counter[str]) -> int:
    """Lines without the stubs."""
    return found.total() - found[STUBS]


def _row(cells: list[str], before: int | None, now: int) -> str:
    if before is not None:
        cells = [*cells, f"{before:,}" if before else "", f"{now:,}" if now else "", f"{now - before:+,}"]
    else:
        cells = [*cells, f"{now:,}"]
    return f"| {' | '.join(cells)} |"


def table(now: Path, before: Path | None) -> list[str]:
    """Lines by package as Markdown.

    Args:
      now: the root of a checkout.
      before: another one to compare it with, or None.
    """
    head = ["", "before", "now", "change"] if before else ["", "lines"]
    out = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    totals: dict[str, list[int]] = {}
    for folder in (SOURCE, TESTS):
        old, new = lines(before, folder) if before else None, lines(now, folder)
        for package in sorted({*new, *(old or ())} - {STUBS}):
            out.append(_row([f"`{folder}/{package}`"], old[package] if old is not None else None, new[package]))
        out.append(_row([f"**{folder}**"], total(old) if old is not None else None, total(new)))
        totals[folder] = ([total(old)] if old is not None else []) + [total(new)]
        if new[STUBS]:
            out.append(_row([f"`{folder}`, stubs"], old[STUBS] if old is not None else None, new[STUBS]))
    ratios = [f"{tests / source:.2f}" for source, tests in zip(totals[SOURCE], totals[TESTS], strict=True)]
    out.append(f"| tests per line of source | {' | '.join(ratios)} |{' |' if before else ''}")
    return out


def longest_modules(root: Path) -> list[tuple[str, int]]:
    """The longest modules of the source."""
    sizes = [(path.as_posix(), len(text.splitlines())) for path, text in files(root, SOURCE)]
    return sorted(sizes, key=lambda item: -item[1])[:LONGEST]


def longest_functions(root: Path) -> list[tuple[str, int]]:
    """The longest functions of the source."""
    sizes = [
        (f"{path.as_posix()}: {name}", size)
        for path, text in files(root, SOURCE)
        for name, size in long_functions(ast.parse(text), 0)
    ]
    return sorted(sizes, key=lambda item: -item[1])[:LONGEST]


def main() -> int:
    """Prints the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sizes", description=__doc__.split("\n\n")[0])
    parser.add_argument("--before", metavar="COMMIT", help="a commit to compare with")
    options = parser.parse_args()
    try:
        before = environments.checkout(options.before) if options.before else None
    except ValueError as error:
        raise SystemExit(str(error)) from None
    print("\n".join(table(environments.ROOT, before)))
    for title, found in (("modules", longest_modules), ("functions", longest_functions)):
        print(f"\nLongest {title}: " + ", ".join(f"`{name}` {size}" for name, size in found(environments.ROOT)) + ".")
    return 0


if __name__ == "__main__":
    sys.exit(main())

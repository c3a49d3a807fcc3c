"""Write what is generated: the public namespaces with their stubs, the list of public names,
docs/compatibility.md, docs/datasets.md, docs/reference/, docs/pictures/, the ends of docs/command_line.md,
docs/deviations.md, docs/execution.md and docs/scale/performance.md, the tables of benchmarks/, the error catalogue as
`inlay explain` prints it, and the modules that declare ops.

    python scripts/update_generated.py            # or: make generate

Tests compare the files in the checkout with what this would write.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from scripts import namespaces  # noqa: E402

if __name__ == "__main__":  # what is imported below imports the namespaces, which must be right by then
    for path in namespaces.write(namespaces.runtimes()):
        print(f"wrote {path.relative_to(ROOT)}")

from benchmarks import report  # noqa: E402
from scripts import (  # noqa: E402
    command_line,
    compatibility,
    datasets_page,
    declaring_modules,
    deviations,
    error_catalogue,
    execution,
    performance_page,
    pictures,
    reference,
    update_public_names,
)

SOURCES: tuple[Callable[[], dict[Path, str]], ...] = (
    namespaces.pages,
    declaring_modules.pages,
    update_public_names.pages,
    command_line.pages,
    compatibility.pages,
    datasets_page.pages,
    deviations.pages,
    error_catalogue.pages,
    execution.pages,
    performance_page.pages,
    pictures.pages,
    reference.pages,
    report.pages,
)


def wanted() -> dict[Path, str]:
    """Every generated file and its text."""
    return {path: text for pages in SOURCES for path, text in pages().items()}


def stale() -> list[Path]:
    """Generated files that no longer have a source."""
    return sorted({*reference.FOLDER.glob("*.md"), *namespaces.present(), *pictures.present()} - set(wanted()))


def main() -> None:
    # The pages below are written from the namespaces as they are imported.
    for path in namespaces.write(namespaces.pages()):
        print(f"wrote {path.relative_to(ROOT)}")
    for path in sorted(namespaces.present() - set(namespaces.pages())):
        path.unlink()
        print(f"removed {path.relative_to(ROOT)}")
    for path in namespaces.write(wanted()):
        print(f"wrote {path.relative_to(ROOT)}")
    for path in stale():
        path.unlink()
        print(f"removed {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()

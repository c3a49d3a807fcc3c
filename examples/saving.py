"""What the command lines of the examples have in common, and how they save what they found."""

from __future__ import annotations

import argparse
import csv
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any


def arguments(doc: str | None, **numbers: float) -> argparse.Namespace:
    """What the command line says.

    Args:
      doc: the program's description; its first line is shown by `--help`.
      numbers: options that take a number, such as `steps=300` for `--steps`, with their defaults.

    Returns:
      The numbers by name, and the folder `out`.
    """
    parser = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
    out = Path(__file__).with_name("out")
    parser.add_argument("--out", type=Path, default=out, help=f"the folder to save into; {out} if nothing is said")
    for name, number in numbers.items():
        parser.add_argument(f"--{name}", type=type(number), default=number, help=f"{number} if nothing is said")
    return parser.parse_args()


def save(out: Path, name: str, columns: Mapping[str, Sequence[Any]], draw: Callable[[Any], None]) -> None:
    """Saves numbers as NAME.csv, and a picture of them as NAME.png if matplotlib is installed.

    Args:
      out: the folder; it is made if it is not there.
      name: the files' name, without an ending.
      columns: the table, equally many values for each heading.
      draw: draws into the `matplotlib.figure.Figure` that it is given.
    """
    out.mkdir(parents=True, exist_ok=True)
    with open(out / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(columns)
        rows.writerows(zip(*columns.values(), strict=True))
    print(f"  saved {out / name}.csv")
    if importlib.util.find_spec("matplotlib") is None:
        print("  no picture of it: pip install matplotlib")
        return
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    draw(figure)
    figure.savefig(out / f"{name}.png")
    print(f"  drawn {out / name}.png")

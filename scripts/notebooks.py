"""Run the notebooks in docs/notebooks, and compare their outputs with those in the files.

    python scripts/notebooks.py [--write] [NOTEBOOK ...]

Each notebook runs in a new process and an empty folder, cell by cell as in Jupyter. Standard output and the value of
the last expression, text or picture, are the outputs of a cell. `--write` replaces the outputs in the files. Otherwise
the exit status is 1 if one differs: words must be equal, numbers and pixels near.
"""

from __future__ import annotations

import argparse
import ast
import base64
import contextlib
import importlib
import io
import json
import linecache
import os
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import traceback
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "docs" / "notebooks"
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d*)?(?:e[-+]?\d+)?(?!\w)")
RELATIVE, ABSOLUTE = 1e-3, 2e-4
LEVELS = 2.0
"""How far the pixels of two pictures may be apart on average, of 255 levels."""
CELL_SECONDS = 30


@dataclass(frozen=True)
class Outcome:
    """The outcome of one cell.

    Attributes:
      error: the last line of its traceback; None if it ran.
      printed: standard output.
      value: the value of its last expression as text without addresses; "" if that is None or there is none.
      picture: the value as a PNG in base64, if it has that form.
    """

    error: str | None
    printed: str
    value: str = ""
    picture: str = ""


class _OutOfTime(BaseException):
    """A cell took longer than its limit; no `except Exception` of the cell stops it."""


def interrupt(*_: Any) -> None:
    """The handler of SIGALRM in a process that runs cells."""
    raise _OutOfTime


def code_cells(notebook: Path) -> list[str]:
    """The code cells of a notebook, lines of the shell and of IPython blanked."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return [textwrap.dedent(re.sub(r"^\s*[%!].*$", "", text, flags=re.M)) for text in texts]


def run_cell(source: str, name: str, scope: dict[str, Any], seconds: int) -> Outcome:
    """Runs a cell as IPython would; SIGALRM must have the handler `interrupt`."""
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    out = io.StringIO()
    value = None
    signal.alarm(seconds)
    try:
        with contextlib.redirect_stdout(out):
            tree = ast.parse(source, name)
            last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, name, "exec", dont_inherit=True), scope)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), name, "eval", dont_inherit=True), scope)
            text = "" if value is None else re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))
    except _OutOfTime:
        return Outcome(f"no end within {seconds} s", out.getvalue())
    except BaseException as error:
        return Outcome(traceback.format_exception_only(error)[-1].strip() or repr(error), out.getvalue())
    finally:
        signal.alarm(0)
    png = value._repr_png_() if hasattr(type(value), "_repr_png_") else None
    return Outcome(None, out.getvalue(), text, "" if png is None else base64.b64encode(png).decode())


def same_text(one: str, other: str) -> bool:
    """Whether two texts have the same words, and numbers that are near."""

    def parts(text: str) -> tuple[str, list[float]]:
        text = re.sub(r"0x[0-9a-fA-F]+|\d+(\.\d+)?\s*(seconds|secs|ms|µs|s)\b", "@", text)
        words = re.sub(r"\s+", " ", NUMBER.sub("#", text))
        return re.sub(r" (?=[\])])|(?<=[\[(]) ", "", words), [float(n) for n in NUMBER.findall(text)]

    (words, numbers), (other_words, other_numbers) = parts(one), parts(other)
    near = (abs(a - b) <= max(ABSOLUTE, RELATIVE * abs(b)) for a, b in zip(numbers, other_numbers, strict=False))
    return words == other_words and len(numbers) == len(other_numbers) and all(near)


def same_picture(one: str, other: str) -> bool:
    """Whether two pictures, each a PNG in base64, have the same size and near pixels."""
    if one == other:
        return True
    if not one or not other:
        return False
    numpy, image = importlib.import_module("numpy"), importlib.import_module("PIL.Image")
    pixels = [numpy.asarray(image.open(io.BytesIO(base64.b64decode(png))), numpy.float64) for png in (one, other)]
    return pixels[0].shape == pixels[1].shape and float(abs(pixels[0] - pixels[1]).mean()) <= LEVELS


def same(one: Outcome, other: Outcome) -> bool:
    """Whether two runs of a cell show the same."""
    texts = zip((one.printed, one.value), (other.printed, other.value), strict=True)
    return one.error == other.error and all(same_text(*t) for t in texts) and same_picture(one.picture, other.picture)


# ---- outputs in the file


def stored(notebook: Path) -> list[Outcome]:
    """The outcomes of the code cells that a file holds."""
    outcomes = []
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        printed, value, picture = "", "", ""
        for output in cell["outputs"]:
            if output["output_type"] == "stream":
                printed += "".join(output["text"])
            else:
                value = "".join(output["data"]["text/plain"])
                picture = output["data"].get("image/png", "")
        outcomes.append(Outcome(None, printed, value, picture))
    return outcomes


def _outputs(outcome: Outcome, count: int) -> list[dict[str, Any]]:
    outputs: list[dict[str, Any]] = []
    if outcome.printed:
        lines = outcome.printed.splitlines(keepends=True)
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines})
    if outcome.value:
        data: dict[str, Any] = {"text/plain": outcome.value.splitlines(keepends=True)}
        if outcome.picture:
            data["image/png"] = outcome.picture
        outputs.append({"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"})
    return outputs


def write(notebook: Path, outcomes: list[Outcome]) -> None:
    """Replaces the outputs in a file."""
    content = json.loads(notebook.read_text(encoding="utf-8"))
    cells = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    for count, (cell, outcome) in enumerate(zip(cells, outcomes, strict=True), 1):
        cell["execution_count"], cell["outputs"] = count, _outputs(outcome, count)
    notebook.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def page(notebook: Path) -> str:
    """A notebook with its outputs as Markdown."""
    parts, outcomes = [], iter(stored(notebook))
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code":
            parts.append(source)
            continue
        outcome = next(outcomes)
        parts.append(f"```python\n{source}\n```")
        text = outcome.printed.rstrip() if outcome.picture else f"{outcome.printed}{outcome.value}".rstrip()
        if text:
            parts.append(f"Output:\n\n```text\n{text}\n```")
        if outcome.picture:
            parts.append(f"![{outcome.value.strip('<>')}](data:image/png;base64,{outcome.picture})")
    return "\n\n".join(parts) + "\n"


# ---- runs


def child(notebook: Path, to: Path) -> None:
    """Runs a notebook in this process; a line of JSON per cell, written as it ends."""
    signal.signal(signal.SIGALRM, interrupt)
    scope: dict[str, Any] = {"__name__": "__main__"}
    with to.open("w", encoding="utf-8") as lines:
        for count, source in enumerate(code_cells(notebook), 1):
            outcome = run_cell(source, f"<cell {count} of {notebook.stem}>", scope, CELL_SECONDS)
            lines.write(json.dumps(asdict(outcome)) + "\n")
            lines.flush()


def run(notebook: Path) -> list[Outcome]:
    """Runs a notebook in a new process and an empty folder, warnings as errors.

    Raises:
      RuntimeError: if the process ended before the last cell.
    """
    with tempfile.TemporaryDirectory() as folder:
        to = Path(folder) / "outcomes"
        here = Path(folder) / "here"
        here.mkdir()
        command = [sys.executable, "-W", "error", __file__, "--child", str(to), str(notebook)]
        environment = {"OPENBLAS_NUM_THREADS": "1", **os.environ}
        done = subprocess.run(command, cwd=here, env=environment, capture_output=True, text=True)
        outcomes = [Outcome(**json.loads(line)) for line in to.read_text(encoding="utf-8").splitlines()]
    if len(outcomes) != len(code_cells(notebook)):
        raise RuntimeError(f"{notebook.name} ended in cell {len(outcomes) + 1}:\n{done.stdout}{done.stderr}")
    return outcomes


def differences(notebook: Path, outcomes: list[Outcome]) -> list[str]:
    """A line for each cell of a file that failed, or shows something else than the file holds."""
    lines = []
    for count, (expected, outcome) in enumerate(zip(stored(notebook), outcomes, strict=True), 1):
        where = f"{notebook.name}, cell {count}"
        if outcome.error is not None:
            lines.append(f"{where} fails: {outcome.error}")
        elif not same(outcome, expected):
            shown = [f"{o.printed}{o.value}{' and a picture' * bool(o.picture)}" for o in (expected, outcome)]
            lines.append(f"{where} shows something else; the file holds\n{shown[0]}\nand the cell shows\n{shown[1]}")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("notebooks", nargs="*", type=Path, help="default: all in docs/notebooks")
    parser.add_argument("--write", action="store_true", help="replace the outputs in the files")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.notebooks, options.child)
        return 0
    lines = []
    for notebook in [path.resolve() for path in options.notebooks] or sorted(NOTEBOOKS.glob("*.ipynb")):
        outcomes = run(notebook)
        if options.write:
            write(notebook, outcomes)
        lines += differences(notebook, outcomes)
    print(*lines, sep="\n", end="\n" * bool(lines))
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main())

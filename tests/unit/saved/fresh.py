"""Models saved by one process and loaded by another, which has none of the source."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path


def run(code: str, folder: Path, *options: str) -> str:
    """What a fresh process prints, started in a folder; its errors fail the test."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONSTARTUP")}
    done = subprocess.run(
        [sys.executable, *options, "-c", code],
        cwd=folder, capture_output=True, text=True, timeout=50, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def saved_and_loaded(tmp_path: Path, sources: list[str], use: str) -> tuple[str, str]:
    """What a program prints after it saved models, and what another prints that loads them when the first is gone.

    Args:
      tmp_path: an empty folder.
      sources: parts of the program; they have `tf`, `np` and `helpers`, a module beside it with `twice`, and each makes
        a `model`.
      use: what both do then with each `model`; it prints.
    """
    written, elsewhere = tmp_path / "written", tmp_path / "elsewhere"
    written.mkdir()
    elsewhere.mkdir()
    (written / "helpers.py").write_text("def twice(x):\n    return x * 2\n")
    program = written / "program.py"
    head = "import inlay as tf, numpy as np\n"
    folder = str(tmp_path / "model")
    made = [
        f"{source}\ntf.saved_model.save(model, {folder!r} + '{number}')\n{use}\n"
        for number, source in enumerate(sources)
    ]
    program.write_text(f"{head}import helpers\n{''.join(made)}")
    done = subprocess.run([sys.executable, str(program)], cwd=written, capture_output=True, text=True, timeout=50)
    assert done.returncode == 0, done.stderr
    for file in written.rglob("*"):
        if file.is_file():
            file.unlink()
    load = (
        f"{head}from inlay._src.saved.container import Container\n"
        f"for path in [{folder!r} + str(i) for i in range({len(sources)})]:\n"
        "    model = tf.saved_model.load(path, trust=Container(path).digest)\n"
    )
    return done.stdout, run(load + textwrap.indent(use, "    "), elsewhere, "-I")

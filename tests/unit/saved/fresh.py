"""Models saved by one process and loaded by another, which has none of the source."""

from __future__ import annotations

import os
import subprocess
import sys
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


def saved_and_loaded(tmp_path: Path, source: str, use: str) -> tuple[str, str]:
    """What a program prints after it saved a model, and what another prints that loads it when the first is gone.

    Args:
      tmp_path: an empty folder.
      source: the program; it has `tf`, `np` and `helpers`, a module beside it with `twice`, and makes `model`.
      use: what both do then, with `model`; it prints.
    """
    written, elsewhere = tmp_path / "written", tmp_path / "elsewhere"
    written.mkdir()
    elsewhere.mkdir()
    (written / "helpers.py").write_text("def twice(x):\n    return x * 2\n")
    program = written / "program.py"
    head = "import inlay as tf, numpy as np\n"
    program.write_text(
        f"{head}import helpers\n{source}\ntf.saved_model.save(model, {str(tmp_path / 'model')!r})\n{use}\n"
    )
    done = subprocess.run([sys.executable, str(program)], cwd=written, capture_output=True, text=True, timeout=50)
    assert done.returncode == 0, done.stderr
    for file in written.rglob("*"):
        if file.is_file():
            file.unlink()
    load = (
        f"{head}from inlay.saved.container import Container\n"
        f"path = {str(tmp_path / 'model')!r}\n"
        "model = tf.saved_model.load(path, trust=Container(path).digest)\n"
    )
    return done.stdout, run(f"{load}{use}", elsewhere, "-I")

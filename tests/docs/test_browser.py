"""The first program of README.md needs what Python in a browser has: NumPy, ml_dtypes, no threads and no processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from scripts.run_snippets import blocks

ROOT = Path(__file__).resolve().parents[2]

# Pyodide 314 has no `resource`, `_multiprocessing` and `_posixshmem`, cannot start threads, and gets pure wheels alone.
BROWSER = """
import sys
import threading

ABSENT = {"_multiprocessing", "_posixshmem", "resource"}
PRESENT = {*sys.stdlib_module_names, "inlay", "ml_dtypes", "numpy"} - ABSENT


class Browser:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] not in PRESENT:
            raise ModuleNotFoundError(f"no module {name!r} in a browser", name=name)


def start(thread):
    raise RuntimeError("can't start new thread")


sys.meta_path.insert(0, Browser)
threading.Thread.start = start
"""


def test_the_first_program_of_the_readme_runs_with_what_a_browser_has() -> None:
    first, second = list(blocks((ROOT / "README.md").read_text(encoding="utf-8")))[:2]
    for block in (first, second):  # eagerly, in a graph
        done = subprocess.run(
            [sys.executable, "-c", BROWSER + block.code], capture_output=True, text=True, timeout=50, cwd=ROOT
        )
        assert done.stdout == block.output, done.stderr


def test_what_a_browser_lacks_is_really_missing() -> None:
    for code in ("import cloudpickle", "import resource", "import threading; threading.Thread().start()"):
        assert subprocess.run([sys.executable, "-c", BROWSER + code], capture_output=True).returncode

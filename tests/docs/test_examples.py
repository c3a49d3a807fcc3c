"""The programs in `examples/` find what they expect, each in a process of its own, as a reader would start it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from scripts.run_examples import EXAMPLES, PROGRAMS, ROOT, failure, missing, run

GALLERY = ROOT / "docs" / "pictures" / "gallery"
ELSEWHERE = {"cluster.py"}  # needs a cluster: tests/conformance/test_local_cluster.py
SHARED = {"boxes.py", "checking.py", "drawing.py", "saving.py"}  # what the programs import, not a program


@pytest.mark.parametrize("name", sorted(set(PROGRAMS) - ELSEWHERE))
def test_examples_find_what_they_expect(name: str, tmp_path: Path) -> None:
    if absent := missing(name):
        pytest.skip(f"{name} needs {', '.join(absent)}")
    done = run(name, tmp_path, seconds=55)
    assert failure(name, done, tmp_path) is None
    if name.startswith("unmodified/"):
        losses = [float(found) for found in re.findall(r"^step \d+: loss (\S+), ", done.stdout, re.MULTILINE)]
        # What TensorFlow 2.21's compat.v1 prints; another order of additions is felt in the end.
        assert losses == pytest.approx([1.080, 0.466, 0.334, 0.143], abs=0.03)
    else:
        assert " ok " in done.stdout
    for shown in (GALLERY / path.name for path in tmp_path.glob("*.png")):
        if shown.exists():
            assert difference(shown, tmp_path / shown.name) < 25


def difference(one: Path, other: Path) -> float:
    """The mean difference of two images, between 0 and 255. Training amplifies the rounding of other processors."""
    left, right = (np.asarray(Image.open(path).convert("RGB"), float) for path in (one, other))
    return float(np.abs(left - right).mean()) if left.shape == right.shape else 255.0


def test_the_gallery_shows_the_pictures_of_the_short_programs() -> None:
    page = (ROOT / "docs" / "start" / "gallery.md").read_text(encoding="utf-8")
    pictures = sorted(path.stem for path in GALLERY.glob("*.png"))
    assert sorted(re.findall(r"/gallery/(\w+)\.png\)", page)) == pictures
    assert sorted(re.findall(r"/examples/(\w+)\.py\)", page)) == pictures


def test_a_missing_package_is_told_in_a_line(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("from checking import needs\nwith needs('inlay[absent]'):\n    import absent_package\n")
    environment = {**os.environ, "PYTHONPATH": str(EXAMPLES)}
    done = subprocess.run([sys.executable, str(program)], env=environment, capture_output=True, text=True, timeout=55)
    assert (done.returncode, done.stderr) == (1, "this example needs absent_package: pip install 'inlay[absent]'\n")


def test_wrong_results_are_an_exit_status(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("from checking import check, status\ncheck('two is one', 2 == 1)\nraise SystemExit(status())\n")
    environment = {**os.environ, "PYTHONPATH": str(EXAMPLES)}
    done = subprocess.run([sys.executable, str(program)], env=environment, capture_output=True, text=True, timeout=55)
    assert (done.returncode, done.stdout) == (1, "  WRONG two is one\nwrong: two is one\n")


def test_every_example_is_run_and_described() -> None:
    programs = {str(path.relative_to(EXAMPLES)) for path in EXAMPLES.rglob("*.py")} - SHARED
    assert programs == set(PROGRAMS)
    rows = re.findall(r"^\| \[`(.+?)`\]\((.+?)\)", (EXAMPLES / "README.md").read_text(), re.MULTILINE)
    assert {name for name, _ in rows} == programs and all(name == link for name, link in rows)


def test_programs_of_tensorflow_import_tensorflow_alone() -> None:
    for path in (EXAMPLES / "unmodified").glob("*.py"):
        code = path.read_text().partition('"""')[2].partition('"""')[2]  # what is below the description
        assert "import tensorflow as tf\n" in code and "inlay" not in code

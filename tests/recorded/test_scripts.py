"""Whole programs written for TensorFlow, run unmodified by `inlay run`, print what they print under TensorFlow.

`make_scripts.py` recorded that. Words must be the same; numbers may differ by `RELATIVE` or `ABSOLUTE`, whichever
allows more: sums are taken in another order, and training carries the difference on.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.recorded.make_scripts import FOLDER, command

RELATIVE = 1e-3
ABSOLUTE = 2e-4
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?!\w)")
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py"))


def words(text: str) -> list[str]:
    """The lines with a mark for each number, without what names a class of the library's own."""
    plain = re.sub(r"<_?\w*Dataset element_spec", "<Dataset element_spec", text)
    return NUMBER.sub("#", plain).splitlines()


def numbers(text: str) -> list[float]:
    return [float(n) for n in NUMBER.findall(text)]


@pytest.mark.slow
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_prints_what_it_prints_under_tensorflow(name: str, tmp_path: Path) -> None:
    expected = (FOLDER / f"{name}.txt").read_text()
    paths = os.pathsep.join([str(FOLDER), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-m", "inlay", "run", *command(FOLDER / f"{name}.py")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths},
        timeout=55,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert words(done.stdout) == words(expected)
    assert numbers(done.stdout) == pytest.approx(numbers(expected), rel=RELATIVE, abs=ABSOLUTE)
    assert list(tmp_path.iterdir()) == [], "a script leaves nothing behind"


def test_the_comparison_sees_words_and_numbers() -> None:
    assert words("step 1: loss 0.5") == words("step 2: loss -1e-05")
    assert words("step 1: loss 0.5") != words("step 1: gain 0.5")
    assert numbers("a1 2.5 -3 [4e-05]") == [2.5, -3.0, 4e-05]


def test_every_script_has_what_it_prints_recorded() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.txt")) == SCRIPTS
    assert len(SCRIPTS) >= 10

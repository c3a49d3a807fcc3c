"""CONTRIBUTING.md says how to add an op in two steps: following it, word by word, adds one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("src", "scripts", "tests", "docs", "pyproject.toml")


def steps() -> list[tuple[str, str]]:
    """The file each step names, and the code it adds there."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition("## To add an op")[2].partition("\n## ")[0]
    parts = re.findall(r"^\d\. (.*?)^   ```python\n(.*?)^   ```", section, re.M | re.S)
    return [(re.findall(r"`([\w/]+\.py)`", said)[-1], re.sub("^   ", "", code, flags=re.M)) for said, code in parts]


def run(copy: Path, *command: str) -> str:
    """What a command prints in the copy, which it imports in place of the checkout."""
    space = os.environ | {"PYTHONPATH": f"{copy / 'src'}{os.pathsep}{copy}"}
    done = subprocess.run([sys.executable, *command], cwd=copy, env=space, capture_output=True, text=True, timeout=170)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_following_the_text_adds_an_op(tmp_path: Path) -> None:
    for name in COPIED:
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    (declared_in, declaration), (sampled_in, sample) = steps()
    with (tmp_path / declared_in).open("a", encoding="utf-8") as file:
        file.write("\n\n" + declaration)
    table = tmp_path / sampled_in
    head = "ELEMENTWISE: dict[str, Row] = {\n"
    assert head in table.read_text(encoding="utf-8")
    table.write_text(table.read_text(encoding="utf-8").replace(head, head + sample), encoding="utf-8")

    run(tmp_path, "scripts/update_generated.py")

    assert "inlay.math.cube\n" in (tmp_path / "tests/architecture/public_names.txt").read_text(encoding="utf-8")
    assert "def cube(x: _TensorLike, name: str | None = None) -> _Tensor: ..." in (
        tmp_path / "src/inlay/math/__init__.pyi"
    ).read_text(encoding="utf-8")
    program = """
        import inlay as tf
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.math.cube(x)
        print(float(y), float(tape.gradient(y, x)), tf.compat.v1.math.cube is tf.math.cube)
    """
    assert run(tmp_path, "-c", textwrap.dedent(program)) == "8.0 12.0 True\n"
    tests = ["tests/conformance", "tests/architecture/test_exports.py", "tests/docs/test_generated.py"]
    ran = run(
        tmp_path,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-k",
        "Cube or samples or exports or up_to_date",
        *tests,
    )
    assert int(re.findall(r"(\d+) passed", ran)[0]) > 10

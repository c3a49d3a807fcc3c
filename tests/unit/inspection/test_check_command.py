"""`inlay check`, and the fixture `check_function` of pytest."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from inlay._src.tools.command import main
from tests.architecture.sources import ROOT

MODULE = """
import numpy as np
import inlay as tf

@tf.numpy_function(Tout=tf.float32, stateful=False)
def halved(x, y):
    x /= 2
    return x + y

@tf.numpy_function(Tout=tf.float32, stateful=False)
def annotated(x: tf.TensorSpec([None, 2], tf.float32), n: tf.TensorSpec([], tf.int32), s: tf.TensorSpec([], tf.string)):
    return x * np.float32(n + len(s))

@tf.numpy_function(Tout=tf.float32, stateful=False, sample=[np.float32([1, 2])])
def sampled(x):
    return x * 2

class Scale:
    def plain(self, x):
        return x * 2

def narrow(x):
    return x * np.float64(2)

scale = Scale()
narrow.samples = [np.float32([1, 2])]
PAIRS = [(np.float32([1, 2]), np.float32(1))]

def pairs():
    return iter(PAIRS)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "augment.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "augment", raising=False)
    importlib.invalidate_caches()
    return tmp_path


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["check", *arguments])
    return done.exit_code, done.output


def test_a_finding_is_status_1_and_a_page(folder: Path) -> None:
    status, says = run("augment:halved", "--samples", "PAIRS")
    assert status == 1 and says.startswith(
        "halved (augment.py:5) as numpy_function, stateful=False, 1 sample: 1 problem"
    )
    assert "it writes into input 0" in says and "where     augment.py:7 in halved" in says


@pytest.mark.parametrize(
    "arguments",
    [
        ["augment:halved", "--samples", "pairs", "--skip", "inputs"],
        ["augment:halved", "--samples", "augment:pairs", "--skip", "inputs"],
        ["augment:annotated"],
        ["augment:annotated", "--input", "float32[3,2]", "--input", "int32", "--input", "string[]"],
        ["augment:sampled"],
        ["augment:scale.plain", "--input", "float32[3]", "--tout", "float32", "--api", "numpy_function", "--pure"],
        ["augment:scale.plain", "--input", "float64[3]"],
    ],
)
def test_a_right_function_is_status_0(folder: Path, arguments: list[str]) -> None:
    status, says = run(*arguments)
    assert (status, "no problems" in says) == (0, True), says


def test_the_samples_are_an_attribute_of_the_function_and_the_report_may_be_json(folder: Path) -> None:
    status, says = run("augment:narrow", "--tout", "float32", "--api", "numpy_function", "--json")
    data = json.loads(says)
    assert status == 1 and data["findings"][0]["check"] == "declaration"
    assert data["findings"][0]["where"] == "augment.py:23 in narrow"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["augment:halved"], "there are no samples of the inputs of augment:halved: name a list with --samples"),
        (["augment:absent"], "cannot import 'augment:absent'"),
        (["absent_module:f"], "cannot import 'absent_module:f'"),
        (["augment:narrow", "--input", "float32[a]"], "expected a form such as float32[28,28], got 'float32[a]'"),
        (["augment:narrow", "--input", "float33[2]"], "float33"),
        (["augment:narrow", "--input", "float32[2]", "--samples", "PAIRS"], "give --samples or --input, not both"),
    ],
)
def test_a_wrong_command_line_is_status_2(folder: Path, arguments: list[str], says: str) -> None:
    status, said = run(*arguments)
    assert status == 2 and says in " ".join(said.split()), said


TESTS = """
import numpy as np
import pytest
import inlay as tf

def test_right(check_function):
    assert check_function(lambda x: x * 2, [np.float32([1, 2])], tf.float32).ok

def test_wrong(check_function):
    check_function(lambda x: x * np.float64(2), [np.float32([1, 2])], tf.float32, api="numpy_function")
"""


def test_the_fixture_fails_a_test_with_the_page(tmp_path: Path) -> None:
    (tmp_path / "test_augment.py").write_text(TESTS)
    options = ["-p", "inlay._src.tools.pytest_plugin", "-p", "no:cacheprovider", "-p", "no:xdist", "-q"]
    command = [sys.executable, "-m", "pytest", *options, "test_augment.py"]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=55, cwd=tmp_path, env=environment)
    assert done.returncode == 1 and "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    words = " ".join(done.stdout.replace("\nE ", " ").split())
    assert (
        "1. declaration: sample 0: 0-th value returned by test_wrong.<locals>.<lambda> is double, but expects float"
        in words
    )
    assert "pytest_plugin.py" not in done.stdout and 'api="numpy_function")' in done.stdout


LOADED = ["inlay._src.base", "inlay._src.base.former_names", "inlay._src.tools", "inlay._src.tools.pytest_plugin"]
"""All that the package itself loads, and the plugin."""


def test_the_plugin_is_an_entry_point_that_loads_nothing_of_inlay() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    plugin = project["entry-points"]["pytest11"]["inlay"]
    names = "n for n in sys.modules if n.startswith(('inlay._src.', 'numpy', 'click'))"
    code = f"import sys, {plugin}\nprint(sorted({names}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=55)
    assert done.stdout == f"{LOADED}\n", done.stderr

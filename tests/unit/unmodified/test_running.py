"""Programs run as they are, by the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FIRST = """
import sys
import tensorflow as tf
from beside import double

x = tf.placeholder(tf.float32, [2])
with tf.Session() as session:
    print(session.run(double(x), {x: [1, 2]}), sys.argv[1:], __name__, tf.executing_eagerly())
"""
BESIDE = """
from tensorflow.python.framework import ops
from tensorflow.python.ops.script_ops import py_func

def double(x):
    return py_func(lambda v: v * 2, [ops.convert_to_tensor(x)], x.dtype)
"""
SECOND = """
import tensorflow as tf

@tf.function
def f(x):
    return tf.numpy_function(lambda v: v + 1, [x], tf.float32)

print(f(tf.constant(1.0)).numpy(), tf.__version__)
"""


def started(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "inlay", "run", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)


def test_a_script_of_the_first_version(tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text(FIRST)
    (tmp_path / "beside.py").write_text(BESIDE)
    done = started(tmp_path, "first.py", "--steps", "3")
    assert done.stdout == "[2. 4.] ['--steps', '3'] __main__ False\n", done.stderr
    assert "first.py line 6 uses tf.placeholder, so this runs as a program of TensorFlow 1" in done.stderr


def test_a_module_of_the_second_version(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__main__.py").write_text(SECOND)
    done = started(tmp_path, "-m", "package")
    assert (done.stdout, done.stderr) == ("2.0 2.21.0\n", "")


def test_the_version_can_be_told(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("import tensorflow as tf\nprint(tf.__version__, tf.executing_eagerly())")
    assert started(tmp_path, "--v1", "plain.py").stdout == "1.15.5 False\n"


def test_errors_and_exit_status_are_the_programs_own(tmp_path: Path) -> None:
    (tmp_path / "failing.py").write_text("import tensorflow as tf\n\ntf.constant([1.0]) + tf.constant([1])\n")
    done = started(tmp_path, "failing.py")
    assert done.returncode == 1
    first, second = done.stderr.splitlines()[:2]
    assert first == "Traceback (most recent call last):" and second.endswith('failing.py", line 3, in <module>')
    (tmp_path / "leaving.py").write_text("import sys\nsys.exit(7)\n")
    assert started(tmp_path, "leaving.py").returncode == 7


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["absent.py"], "Error: FileNotFoundError: there is no script absent.py\n"),
        (["-m", "absent.module"], "Error: ModuleNotFoundError: there is no module absent.module\n"),
    ],
)
def test_a_program_that_is_not_there_is_told_in_a_line(tmp_path: Path, arguments: list[str], says: str) -> None:
    done = started(tmp_path, *arguments)
    assert (done.returncode, done.stderr) == (1, says)


SPAWNS = """
import multiprocessing
import os
import subprocess
import sys
import tensorflow as tf

def version(_):
    return tf.__version__, tf.executing_eagerly()

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(version, [0]))
    script = "import importlib.metadata as m, tensorflow.nn as nn; print(m.version('tensorflow')); print(nn.relu)"
    print(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout)
"""


@pytest.mark.parametrize(("option", "version", "eager"), [("--v2", "2.21.0", True), ("--v1", "1.15.5", False)])
def test_processes_that_a_program_spawns_find_inlay_too(tmp_path: Path, option: str, version: str, eager: bool) -> None:
    (tmp_path / "spawns.py").write_text(SPAWNS)
    done = started(tmp_path, option, "spawns.py")
    assert f"[('{version}', {eager})]\n{version}\n<function relu at " in done.stdout, done.stderr

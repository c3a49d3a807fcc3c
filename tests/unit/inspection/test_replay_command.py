"""`inlay replay`: the list, a call made again, and the debugger."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import inlay as tf
from inlay._src.tools.command import main

PROGRAM = """
import inlay as tf
import numpy as np

def step(x, k):
    y = x * k
    if k > 3:
        raise ZeroDivisionError(f"{k} is large")
    return y

@tf.numpy_function(Tout=tf.float64)
def twice(x):
    return 2 * x

async def later(x):
    return x + 1

class Cart:
    def move(self, x):
        return x

def moved(x):
    return Cart().move(x)

def main(path):
    with tf.debugging.record(path):
        for k in range(6):
            try:
                tf.numpy_function(step, [np.arange(4.0), k], tf.float64)
            except ZeroDivisionError:
                pass
        twice(np.arange(3.0))
        tf.numpy_function(later, [1.0], tf.float32)
        tf.numpy_function(Cart().move, [1.0], tf.float32)
        tf.numpy_function(lambda: np.float32(1), [], tf.float32)

if __name__ == "__main__":
    main("run.calls")
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a program and its recording."""
    folder = tmp_path_factory.mktemp("recorded")
    (folder / "production.py").write_text(PROGRAM)
    subprocess.run([sys.executable, "production.py"], check=True, timeout=55, cwd=folder)
    return folder


@pytest.fixture
def folder(recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, which is the current folder."""
    monkeypatch.chdir(shutil.copytree(recorded, tmp_path / "copy"))
    monkeypatch.delitem(sys.modules, "production", raising=False)
    return tmp_path / "copy"


def replayed(*arguments: str, input: str | None = None) -> Result:
    return CliRunner().invoke(main, ["replay", "run.calls", *arguments], input=input)


def test_the_list_has_functions_calls_sizes_and_errors(folder: Path) -> None:
    done = replayed()
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert re.fullmatch(r"run\.calls: [\d,]+ bytes", lines[0])
    assert re.fullmatch(r"step \(production\.py:5\): 6 calls, [\d,]+ bytes, 2 raised", lines[1])
    assert lines[2] == "  call 4 raised ZeroDivisionError: 4 is large"
    about = json.loads(replayed("--json").output)
    assert [f["name"] for f in about["functions"]] == ["step", "twice", "later", "Cart.move", "main.<locals>.<lambda>"]
    assert about["functions"][0]["errors"] == {
        "4": "ZeroDivisionError: 4 is large",
        "5": "ZeroDivisionError: 5 is large",
    }


def test_a_failing_call_is_made_again(folder: Path) -> None:
    done = replayed("--function", "step", "--call", "4")
    assert done.exit_code == 0, done.output
    assert "call 4 of step (production.py:5), op 'PyFunc'" in done.output
    assert "argument 0: array([0., 1., 2., 3.])" in done.output
    assert "recorded: raised ZeroDivisionError: 4 is large" in done.output
    assert 'line 8, in step\n    raise ZeroDivisionError(f"{k} is large")\n' in done.output
    assert done.output.endswith("the outcome is the recorded one\n")


def test_a_mended_function_is_a_difference(folder: Path) -> None:
    (folder / "production.py").write_text(PROGRAM.replace("k > 3", "k > 30"))
    sys.modules.pop("production", None)
    done = replayed("--function", "step", "--call", "4")
    assert done.exit_code == 1
    assert "raised ZeroDivisionError: 4 is large, and now returns" in done.output
    done = replayed("--function", "step")
    assert done.exit_code == 1
    assert "call 4 of step (production.py:5), op 'PyFunc' raised" in done.output


def test_all_calls_of_a_function_are_checked(folder: Path) -> None:
    for name, count in (("step", 6), ("twice", 1), ("later", 1)):
        done = replayed("--function", name)
        assert (done.exit_code, done.output.split(" (")[0]) == (0, f"{count} calls of {name}"), done.output


def test_a_method_needs_a_function_to_call(folder: Path) -> None:
    done = replayed("--function", "main.<locals>.<lambda>")
    assert done.exit_code == 2
    assert "is not a function of a module: name one with --using MODULE:FUNCTION" in done.output
    done = replayed("--function", "Cart.move", "--using", "production:moved", "--call", "0")
    assert done.exit_code == 0, done.output
    done = replayed("--function", "Cart.move", "--using", "production:absent")
    assert done.exit_code == 2
    assert "is not at production:absent" in done.output


def test_wrong_command_lines_are_refused(folder: Path) -> None:
    for arguments, text in (
        (["--call", "3"], "need --function"),
        (["--function", "step", "--pdb"], "--pdb needs --call"),
        (["--function", "step", "--call", "60"], r"no call 60 of step \(production.py:5\)"),
        (["--function", "absent"], "no function 'absent'; it has step"),
    ):
        done = replayed(*arguments)
        assert done.exit_code == 2
        assert re.search(text, done.output.replace("\n", " ")), done.output


def test_the_debugger_stops_at_the_functions_frame(folder: Path) -> None:
    command = [sys.executable, "-m", "inlay", "replay", "run.calls", "--function", "step", "--call", "4", "--pdb"]
    done = subprocess.run(command, input="p k + 100\nc\np y[3]\nc\n", capture_output=True, text=True, timeout=55)
    assert done.returncode == 0, done.stderr
    begins, printed, raises, held, *_ = done.stdout.split("(Pdb) ")
    assert re.search(r"production\.py\(6\)step\(\)\n-> y = x \* k\n", begins)
    assert "104" in printed
    assert re.match(r"ZeroDivisionError: 4 is large\n> .*production\.py\(8\)step\(\)\n", raises)
    assert "12.0" in held
    assert "the outcome is the recorded one" in done.stdout


def test_a_partial_recording_is_read_if_asked(folder: Path) -> None:
    whole = (folder / "run.calls").read_bytes()
    (folder / "run.calls").write_bytes(whole[:-20])
    done = replayed()
    assert done.exit_code == 1
    assert "is not whole" in done.output
    assert "partial=True" in done.output
    done = replayed("--partial")
    assert done.exit_code == 0
    assert "cut short at byte" in done.output


def test_names_in_a_recording_are_shown_without_control_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def f(x: object) -> object:
        raise ValueError("\x1b[31mred")

    with tf.debugging.record("run.calls"), pytest.raises(ValueError, match="red"):
        tf.numpy_function(f, [np.ones(2)], tf.float64)
    assert "\x1b" not in replayed().output

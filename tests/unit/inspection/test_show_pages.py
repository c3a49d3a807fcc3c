"""`inlay show --html`: pages of saved models and of scripts."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import inlay as tf
from inlay._src.tools.command import main
from inlay._src.tools.commands import showing_pictures
from tests.golden.test_tensorflow_models import FOLDER

SCRIPT = """
import sys
import tensorflow.compat.v1 as tf

def halved(x):
    return x / 2

graph = tf.Graph()
with graph.as_default():
    x = tf.placeholder(tf.float32, name="x")
    y = tf.py_func(halved, [x], tf.float32, name="call")
    z = tf.sqrt(x, name="one") + tf.sqrt(x, name="two")
session = tf.Session(graph=graph)
session.run([y, z], {x: 2.0})
print("ran with", sys.argv[1:])
"""


def run(*arguments: Any) -> tuple[int, str]:
    """Exit status and output of a command."""
    done = CliRunner().invoke(main, [str(a) for a in arguments])
    assert isinstance(done.exception, (SystemExit, type(None))), done.exception
    return done.exit_code, done.output


def data_of(page: Path) -> dict[str, Any]:
    """The data in a page."""
    text = page.read_text(encoding="utf-8")
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert data is not None
    decoded: dict[str, Any] = json.loads(data[1])
    return decoded


def rows(page: Path) -> dict[str, list[Any]]:
    """The items of a page by name."""
    return {row[3]: row for row in data_of(page)["items"]}


def noisy(x: Any) -> Any:
    """Not called when a model is drawn."""
    raise AssertionError


@pytest.fixture
def model(tmp_path: Path) -> Path:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
        def f(self, x: Any) -> Any:
            return tf.numpy_function(noisy, [x], tf.float32, name="call")

    tf.saved_model.save(Model(), str(tmp_path / "model"))
    return tmp_path / "model"


def test_the_page_of_a_model_is_written_without_running_it(model: Path, tmp_path: Path) -> None:
    status, output = run("show", model, "--html", tmp_path / "model.html")
    assert (status, output) == (0, f"wrote {tmp_path / 'model.html'}\n")
    call = rows(tmp_path / "model.html")["call"]
    assert call[7].startswith("def noisy(x: Any)")


def test_the_page_of_a_model_of_tensorflow_shows_its_graphs(tmp_path: Path) -> None:
    folder = next(path for path in sorted(FOLDER.iterdir()) if path.is_dir())
    assert run("show", folder, "--html", tmp_path / "foreign.html")[0] == 0
    assert data_of(tmp_path / "foreign.html")["items"]


def test_a_script_runs_with_its_arguments_and_its_sessions_show_their_plans(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPT, encoding="utf-8")
    status, output = run("show", tmp_path / "train.py", "--html", tmp_path / "train.html", "7", "more")
    assert status == 0 and "ran with ['7', 'more']" in output
    items = rows(tmp_path / "train.html")
    assert items["call"][7].startswith("def halved(x):")
    assert items["two"][8] == [["merged", "one has the same op, inputs and attributes, and its result stands for both"]]


def test_times_of_a_file_are_in_the_page(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "times.json").write_text('{"call": 1500}', encoding="utf-8")
    assert run("show", tmp_path / "train.py", "--html", tmp_path / "a.html", "--times", tmp_path / "times.json")[0] == 0
    assert rows(tmp_path / "a.html")["call"][10] == 1500.0
    event = {"ph": "X", "name": "PyFunc", "dur": 35, "args": {"name": "call", "op": "PyFunc"}}
    trace = {"traceEvents": [event, event, {"ph": "M", "name": "process_name"}]}
    (tmp_path / "trace.json").write_text(json.dumps(trace), encoding="utf-8")
    assert run("show", tmp_path / "train.py", "--html", tmp_path / "b.html", "--times", tmp_path / "trace.json")[0] == 0
    assert rows(tmp_path / "b.html")["call"][10] == 70.0
    (tmp_path / "times.json").write_text("[1]", encoding="utf-8")
    status, output = run(
        "show", tmp_path / "train.py", "--html", tmp_path / "c.html", "--times", tmp_path / "times.json"
    )
    assert status == 1 and "must map the names of steps to microseconds, got a list" in output


def test_a_script_needs_a_page_and_a_model_takes_no_arguments(model: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.py").touch()
    status, output = run("show", tmp_path / "empty.py")
    assert status == 2 and "give --html FILE" in output
    status, output = run("show", model, "extra", "--html", tmp_path / "x.html")
    assert status == 2 and "a model takes no arguments" in output
    status, output = run("show", model, "extra")
    assert status == 2


def test_a_script_without_anything_to_draw_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty.py").write_text("x = 1\n", encoding="utf-8")
    monkeypatch.setattr(showing_pictures.scripts, "_alive", lambda kind: [])
    monkeypatch.setattr(showing_pictures.scripts, "default_graph", tf.Graph)
    status, output = run("show", tmp_path / "empty.py", "--html", tmp_path / "x.html")
    assert status == 1 and "left no graph, traced function, dataset or loaded model" in output
    assert not (tmp_path / "x.html").exists()


@pytest.mark.parametrize(
    ("end", "status", "words"),
    [("raise KeyError('mine')", 1, "KeyError: 'mine'"), ("sys.exit(3)", 3, ""), ("sys.exit(0)", 0, "")],
)
def test_a_script_that_ends_itself_or_fails_has_a_page_and_its_own_traceback(
    tmp_path: Path, end: str, status: int, words: str
) -> None:
    script, page = tmp_path / "script.py", tmp_path / "page.html"
    script.write_text(f"{SCRIPT}{end}\n")
    command = [sys.executable, "-m", "inlay", "show", str(script), "--html", str(page)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == status and words in done.stderr
    assert "_src" not in done.stderr
    assert "call" in rows(page)


def test_a_page_without_a_folder_is_refused_before_the_script_runs(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("raise AssertionError('ran')\n")
    status, output = run("show", script, "--html", tmp_path / "missing" / "page.html")
    assert status == 1 and "there is no folder for" in output and "ran" not in output

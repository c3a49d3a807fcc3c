"""What a program uses of TensorFlow, read from its source."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from inlay._src.tools.command import main
from inlay._src.tools.unmodified.coverage import Availability, as_json, as_text, coverage

SOURCE = """
import os
import tensorflow as tf
import tensorflow.compat.v1 as v1
from tensorflow.python.ops import array_ops
from tensorflow import keras
from tensorflow.nn import relu as rectified

def model(x):
    x = tf.reshape(array_ops.identity(x), [-1])
    y = tf.train.Checkpoint.nothing, tf.no_such_name(x), rectified(x)
    keras.layers.Dense(3)
    tf.tpu
    os.path.join("a", "b")
    return v1.Session().run(y), tf.float32.anything
"""


def names_by_status(path: Path, v1: bool | None = None) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for use in coverage(path, v1).uses:
        found.setdefault(use.resolution.status.value, set()).add(use.name.removeprefix("tensorflow."))
    return found


def test_names_are_followed_through_imports(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SOURCE)
    assert names_by_status(script) == {
        "here": {
            "reshape", "python.ops.array_ops", "python.ops.array_ops.identity", "nn.relu", "float32.anything",
            "compat.v1.Session", "keras", "keras.layers.Dense",
        },
        "absent": {"train.Checkpoint.nothing", "no_such_name"},
        "out of scope": {"tpu"},
    }  # fmt: skip


def test_which_tensorflow_a_file_is_for_is_told_by_its_names(tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text("import tensorflow as tf\ntf.Session\ntf.nn.xw_plus_b")
    (tmp_path / "second.py").write_text("import tensorflow as tf\ntf.nn.xw_plus_b")
    found = coverage(tmp_path)
    assert [(use.file.name, use.resolution.status) for use in found.uses if "xw" in use.name] == [
        ("first.py", Availability.HERE),
        ("second.py", Availability.ABSENT),
    ]
    assert coverage(tmp_path, v1=True).share == 1


def test_shares_leave_out_what_is_out_of_scope(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import tensorflow as tf\ntf.constant\ntf.constant\ntf.nothing\ntf.tpu.rewrite\ntf.tpu.rewrite")
    found = coverage(script)
    assert found.share == pytest.approx(2 / 3)
    told = json.loads(as_json(found))
    assert (told["files"], told["uses"], told["here"], told["absent"], told["out of scope"]) == (1, 5, 2, 1, 2)
    assert told["names"][0] == {
        "name": "tensorflow.constant", "uses": 2, "status": "here", "says": "", "files": 1,
        "places": [f"{script}:2", f"{script}:3"],
    }  # fmt: skip
    assert "    2 x tf.tpu.rewrite: no TPU runtime" in as_text(found)
    assert f"[{script}:5, {script}:6]" in as_text(found)
    assert as_text(found).endswith("2 out of scope; 66.7% of those in scope are here")


def test_notebooks_are_read_and_what_cannot_be_is_told(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# tf.title"]},
        {"cell_type": "code", "source": ["%pip install x\n", "import tensorflow as tf\n", "tf.abs(1)"]},
        {"cell_type": "code", "source": "!ls\ntf.add(1, 2)"},
    ]
    (tmp_path / "book.ipynb").write_text(json.dumps({"cells": cells}))
    (tmp_path / "old.py").write_text("print 'two'")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "more.py").write_text("import tensorflow as tf\ntf.abs")
    found = coverage(tmp_path)
    assert [use.name for use in found.uses] == ["tensorflow.abs", "tensorflow.add"]
    assert [path.name for path in found.unreadable] == ["old.py"]
    with pytest.raises(FileNotFoundError):
        coverage(tmp_path / "nothing")


def test_the_command_shows_it_and_runs_nothing(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("import tensorflow as tf\ntf.abs\nraise SystemExit(3)")
    done = CliRunner().invoke(main, ["coverage", str(tmp_path)])
    assert (done.exit_code, done.output.splitlines()[-1][:43]) == (0, "1 uses of TensorFlow's names in 1 files: 1 ")
    done = CliRunner().invoke(main, ["coverage", "--json", str(tmp_path / "script.py")])
    assert json.loads(done.output)["share"] == 1
    assert CliRunner().invoke(main, ["coverage", str(tmp_path / "none")]).exit_code == 2


def test_out_of_scope_is_what_is_so_by_decision(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    names = "feature_column.numeric_column", "estimator.Estimator", "compat.v1.app.flags.DEFINE_float", "contrib.tpu.x"
    script.write_text("import tensorflow as tf\n" + "\n".join(f"tf.{name}" for name in names))
    assert names_by_status(script, v1=True) == {
        "absent": {names[0]},
        "out of scope": {names[1], names[3]},
        "here": {names[2]},
    }
    assert "Keras 3" in as_text(coverage(script, True))


def test_a_program_without_tensorflow_has_no_share(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import os\nos.getcwd()")
    report = coverage(script)
    assert as_text(report) == "no TensorFlow here"
    assert json.loads(as_json(report))["share"] is None


def test_many_places_of_a_name_are_counted(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import tensorflow as tf\n" + "tf.no_such_name\n" * 5)
    assert f"    5 x tf.no_such_name  [{script}:2, {script}:3, {script}:4, and 2 more]" in as_text(coverage(script))


def test_what_inlay_adds_is_no_difference(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import tensorflow as tf\ntf.py_function\ntf.numpy_function\ntf.GradientTape\ntf.distribute.Server"
    )
    assert names_by_status(script, v1=False) == {
        "here": {"py_function", "numpy_function", "GradientTape"},
        "differing": {"distribute.Server"},
    }


def test_packages_that_import_tensorflow_are_named(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import os, tensorflow_datasets as d\nfrom tensorflow_probability import distributions\nimport tensorflow_hub"
    )
    report = coverage(script)
    assert json.loads(as_json(report))["packages"] == {
        "tensorflow_datasets": [f"{script}:1"],
        "tensorflow_probability": [f"{script}:2"],
        "tensorflow_hub": [f"{script}:3"],
    }
    assert "  tensorflow_probability: its package for JAX needs no TensorFlow" in as_text(report)


@pytest.mark.parametrize(("percent", "status"), [("50", 0), ("66.7", 1), ("100", 1)])
def test_a_share_below_what_is_asked_for_fails(tmp_path: Path, percent: str, status: int) -> None:
    script = tmp_path / "script.py"
    script.write_text("import tensorflow as tf\ntf.constant\ntf.constant\ntf.nothing")
    done = CliRunner().invoke(main, ["coverage", str(script), "--fail-under", percent])
    assert done.exit_code == status
    assert ("Error: 66.7% of the uses in scope are here" in done.output) == bool(status)

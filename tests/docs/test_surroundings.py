"""The README's claims on where inlay runs and what takes its tensors."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import inlay as tf

PROGRAM = """
import inlay as tf

def doubled(x):
    return x * 2

print(tf.__file__, tf.numpy_function(doubled, [21], tf.int32, executor="processes").numpy())
"""
FOLDER = Path(tf.__file__).parent


def test_it_runs_from_a_zip_without_a_home(tmp_path: Path) -> None:
    archive = tmp_path / "inlay.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for path in sorted(FOLDER.rglob("*")):
            if path.suffix in (".py", ".md") and "__pycache__" not in path.parts:
                file.write(path, path.relative_to(FOLDER.parent))
    environment = {name: value for name, value in os.environ.items() if name not in ("HOME", "PYTHONPATH")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=55, cwd=tmp_path,
        env={**environment, "PYTHONPATH": str(archive)},
    )  # fmt: skip
    assert done.stdout == f"{archive}/inlay/__init__.py 42\n", done.stderr


def test_workers_start_for_a_program_from_standard_input(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-"], input=PROGRAM, capture_output=True, text=True, timeout=55, cwd=tmp_path
    )
    assert done.stdout.split()[-1:] == ["42"], done.stderr


def test_workers_need_no_shared_memory_folder(tmp_path: Path) -> None:
    readonly = "mount -t tmpfs -o ro none /dev/shm"
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-rm", "sh", "-c", readonly]).returncode:
        pytest.skip("this process may not mount")
    (tmp_path / "program.py").write_text(PROGRAM)
    script = f"{readonly} && exec '{sys.executable}' program.py"
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script], capture_output=True, text=True, timeout=55, cwd=tmp_path
    )
    assert done.stdout.split()[-1:] == ["42"], done.stderr


def test_scikit_learn_and_joblib_take_tensors() -> None:
    linear_model, joblib = pytest.importorskip("sklearn.linear_model"), pytest.importorskip("joblib")
    x, y = tf.constant([[1.0], [2.0], [3.0]]), tf.constant([2.0, 4.0, 6.0])
    assert np.allclose(linear_model.LinearRegression().fit(x, y).coef_, [2.0])
    assert joblib.hash(y) == joblib.hash(tf.constant([2.0, 4.0, 6.0])) != joblib.hash(x)


def test_pandas_and_xarray_take_tensors() -> None:
    pandas, xarray = pytest.importorskip("pandas"), pytest.importorskip("xarray")
    x = tf.constant([[1.0], [2.0]])
    assert pandas.DataFrame(x).shape == xarray.DataArray(x).shape == (2, 1)

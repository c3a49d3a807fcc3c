"""The checker reports nothing of right functions, among them every host function of `examples/`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from scripts.run_examples import EXAMPLES, PROGRAMS, missing
from tests.unit.inspection import check_example
from tests.unit.inspection.right_functions import RIGHT


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_function_passes(name: str) -> None:
    right = RIGHT[name]
    report = tf.test.check_function(right.function, right.samples, **right.declaration)
    assert report.ok, report


FUNCTIONS: dict[str, int] = {
    "actor_critic.py": 1,
    "augmentation.py": 1,
    "batch_environment.py": 2,
    "coins.py": 1,
    "data_guide.py": 1,
    "data_performance.py": 3,
    "demo.py": 3,
    "detector.py": 3,
    "environment.py": 1,
    "foreign_network.py": 2,
    "keras_training.py": 1,
    "load_text.py": 1,
    "mandelbrot.py": 1,
    "metrics.py": 2,
    "optax_training.py": 1,
    "patterns.py": 1,
    "pendulum.py": 1,
    "records.py": 1,
    "renderer.py": 2,
    "rotated_images.py": 2,
    "scipy_gradients.py": 3,
    "side_effects.py": 3,
    "spirals.py": 1,
    "text_classifier.py": 1,
    "tokens.py": 1,
    "torch_inside.py": 2,
    "torch_training.py": 1,
    "translation.py": 1,
    "unmodified/digits.py": 2,
}
"""Program -> the number of its host functions."""
CLUSTER = "cluster.py"  # it starts a cluster; its functions are checked below


def test_every_example_is_among_them() -> None:
    assert set(FUNCTIONS) == set(PROGRAMS) - {CLUSTER}


@pytest.mark.slow
@pytest.mark.timeout(200)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_functions_of_an_example_pass(name: str, tmp_path: Path) -> None:
    if absent := missing(name):
        pytest.skip(f"{name} needs {', '.join(absent)}")
    arguments = [argument.format(out=tmp_path) for argument in PROGRAMS[name].arguments]
    out = tmp_path / "report.json"
    command = [sys.executable, check_example.__file__, str(out), name, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=190, env={**os.environ})
    assert out.exists(), done.stderr
    rows: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    assert len(rows) == FUNCTIONS[name], list(rows)
    assert "".join(row["page"] for row in rows.values() if not row["ok"]) == ""


@pytest.mark.parametrize("name", ["measured", "squared_error", "getpid"])
def test_the_functions_of_the_cluster_pass(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import cluster

    rows: dict[str, Any] = {
        "measured": (cluster.measured, [np.int32(0), np.int32(1)], [tf.float32, tf.float32]),
        "squared_error": (
            cluster.squared_error,
            [(np.float32([1, 2]), np.float32([3, 1]), np.float32([0.5, 0.25]))],
            tf.float32,
        ),
        "getpid": (os.getpid, [()], tf.int64),
    }
    api = "py_function" if name == "squared_error" else "numpy_function"
    report = tf.test.check_function(*rows[name], api=api)
    assert report.ok, report

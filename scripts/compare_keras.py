"""Keras's own tests, with TensorFlow and with inlay as its TensorFlow.

    python -m scripts.compare_keras --tensorflow .envs/tensorflow/bin/python [--out build/keras] [--only ops,layers]

The wheel of Keras has its tests. They run under both, with as many processes, in batches of one folder each. A test
counts if it passes under TensorFlow. The results of TensorFlow are kept in OUT and taken up again. `--list` prints the
tests that count and do not pass here, each with the last line of what it says.

Both environments need Keras of one release, pytest, pytest-xdist, pytest-timeout, pandas, scipy and scikit-learn.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET  # of a file that pytest just wrote
from collections.abc import Mapping
from pathlib import Path

BATCHES = {
    "activations": ["activations"],
    "applications": ["applications"],
    "backend": ["backend"],
    "callbacks": ["callbacks"],
    "constraints": ["constraints", "initializers", "regularizers", "quantizers", "dtype_policies", "tree"],
    "datasets": ["datasets", "distillation", "distribution", "visualization", "wrappers"],
    "export": ["export"],
    "layers": ["layers"],
    "losses": ["losses"],
    "metrics": ["metrics"],
    "models": ["models"],
    "ops": ["ops"],
    "optimizers": ["optimizers"],
    "random": ["random"],
    "saving": ["saving", "legacy"],
    "trainers": ["trainers"],
    "utils": ["utils", "testing"],
}
"""Batch -> folders below `keras/src`."""
SECONDS = 300
"""The most that one test may take."""
_PLUGIN = """
import importlib
import pytest

{load}


def pytest_configure(config):
    for name in ("requires_trainable_backend", "multi_device", "skip_if_backend"):
        config.addinivalue_line("markers", name)
"""
LOADS = {"tensorflow": "import tensorflow", "inlay": "import inlay\n\ninlay.keras"}
Outcome = tuple[str, str]
"""How a test ended ("passed", "failed", "skipped"), and the last line of what it said."""


def outcomes(python: str, library: str, batch: str, jobs: int) -> dict[str, Outcome]:
    """Runs a batch.

    Args:
      python: the interpreter.
      library: "tensorflow" or "inlay".
      batch: a key of `BATCHES`.
      jobs: processes.

    Returns:
      Test -> how it ended.

    Raises:
      RuntimeError: if pytest did not write its results.
    """
    where = "import importlib.util as u; print(u.find_spec('keras').submodule_search_locations[0])"
    keras = subprocess.run([python, "-c", where], capture_output=True, text=True, check=True).stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "keras_plugin.py").write_text(_PLUGIN.format(load=LOADS[library]), encoding="utf-8")
        Path(folder, "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        paths = [str(path) for name in BATCHES[batch] if (path := Path(keras, "src", name)).exists()]
        options = ["-q", "-p", "keras_plugin", "-p", "no:cacheprovider", "-c", "pytest.ini", "--rootdir", folder]
        limits = ["--timeout", str(SECONDS), "-n", str(jobs), "--junitxml", "results.xml", "-W", "ignore"]
        command = [os.path.abspath(python), "-m", "pytest", *options, *limits, "-o", "python_files=*_test.py", *paths]
        environment = {"PYTHONPATH": f"{folder}:{Path(__file__).resolve().parents[1] / 'src'}"}
        if library == "tensorflow":
            environment = {"PYTHONPATH": folder, "TF_CPP_MIN_LOG_LEVEL": "3"}
        ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**_inherited(), **environment})
        results = Path(folder, "results.xml")
        if not results.exists():
            raise RuntimeError(f"pytest wrote no results for {batch}: {ran.stdout[-2000:]}{ran.stderr[-2000:]}")
        return _read(results)


def _inherited() -> dict[str, str]:
    left_out = {"PYTHONPATH", "KERAS_BACKEND", "PYTHONDONTWRITEBYTECODE"}
    return {name: value for name, value in os.environ.items() if name not in left_out}


def _read(path: Path) -> dict[str, Outcome]:
    found: dict[str, Outcome] = {}
    for case in ET.parse(path).getroot().iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        bad = next((child for child in case if child.tag in ("failure", "error")), None)
        if bad is not None:
            found[name] = "failed", (bad.get("message") or bad.text or "").strip()[:300]
        elif any(child.tag == "skipped" for child in case):
            found.setdefault(name, ("skipped", ""))
        else:
            found.setdefault(name, ("passed", ""))
    return found


def _kept(file: Path) -> dict[str, Outcome] | None:
    return {k: tuple(v) for k, v in json.loads(file.read_text("utf-8")).items()} if file.exists() else None


def compared(there: Mapping[str, Outcome], here: Mapping[str, Outcome]) -> tuple[int, dict[str, str]]:
    """The tests that count, and those of them that do not pass here, with what they say."""
    counted = [name for name, (how, _) in there.items() if how == "passed"]
    missed = {name: here.get(name, ("absent", "not collected")) for name in counted}
    return len(counted), {name: f"{how}: {said}" for name, (how, said) in missed.items() if how != "passed"}


def main() -> None:
    """Prints a row for each batch, and the sum."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tensorflow", required=True, help="a Python with TensorFlow 2.21 and Keras")
    parser.add_argument("--out", type=Path, default=Path("build/keras"))
    parser.add_argument("--only", default="", help="batches, divided by commas")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true", help="print the tests that do not pass")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    total = failed = 0
    for batch in options.only.split(",") if options.only else BATCHES:
        file = options.out / f"{batch}.json"
        there = _kept(file)
        if there is None:
            there = outcomes(options.tensorflow, "tensorflow", batch, options.jobs)
            file.write_text(json.dumps(there), encoding="utf-8")
        here = outcomes(sys.executable, "inlay", batch, options.jobs)
        (options.out / f"{batch}.inlay.json").write_text(json.dumps(here), encoding="utf-8")
        counted, missed = compared(there, here)
        total, failed = total + counted, failed + len(missed)
        share = 1 - len(missed) / counted if counted else 1.0
        print(f"{batch:14} {counted - len(missed):6} of {counted:6}  {share:7.2%}", flush=True)
        for name, said in missed.items() if options.list else ():
            print(f"    {name}\n        {said.splitlines()[0] if said else said}")
    print(f"{'all':14} {total - failed:6} of {total:6}  {1 - failed / max(total, 1):7.2%}")


if __name__ == "__main__":
    main()

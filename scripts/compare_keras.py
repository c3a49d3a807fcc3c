"""Keras's own tests, with TensorFlow and with inlay as its TensorFlow.

    python -m scripts.compare_keras [--only ops,layers] [--list]
    python -m scripts.compare_keras --tensorflow .envs/tensorflow/bin/python    # records TensorFlow's side first

The wheel of Keras has its tests; they stay there. They run in batches of one folder each. A test counts if it passes
under TensorFlow: `tests/recorded/keras_tests.json.gz` has the names of those. `--list` prints the tests that count and
do not pass here, each with the first line of its message. The script fails if one of the main batches is below 95
percent, or all together are below 97.

Both environments need Keras of one release, pytest, pytest-xdist and pytest-timeout. Tests that import
a package of `OPTIONAL` which is not installed here are counted apart. Other tests that do not run here have failed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
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
LEAST, LEAST_OF_A_BATCH = 0.97, 0.95
MAIN = ("ops", "layers", "trainers", "optimizers")
OPTIONAL = frozenset({"flax", "grain", "pandas", "torch"})
"""Packages that Keras's tests import and need not be installed."""
RECORDED = Path(__file__).resolve().parents[1] / "tests" / "recorded" / "keras_tests.json.gz"
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
"""How a test ended ("passed", "failed", "skipped"), and the beginning of its message; of a module that could not be
collected, the end of it.
"""


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
    ended: dict[str, Outcome] = {}
    for case in ET.parse(path).getroot().iter("testcase"):
        bad = next((child for child in case if child.tag in ("failure", "error")), None)
        if not case.get("classname"):  # a module: it was not collected
            ended[str(case.get("name"))] = "failed", "" if bad is None else (bad.text or "").strip()[-300:]
            continue
        name = f"{case.get('classname')}::{case.get('name')}"
        if bad is not None:
            ended[name] = "failed", (bad.get("message") or bad.text or "").strip()[:300]
        elif any(child.tag == "skipped" for child in case):
            ended.setdefault(name, ("skipped", ""))
        else:
            ended.setdefault(name, ("passed", ""))
    return ended


def recorded() -> dict[str, list[str]]:
    """Batch -> the tests that pass under TensorFlow."""
    if not RECORDED.exists():
        return {}
    return json.loads(gzip.decompress(RECORDED.read_bytes()))  # type: ignore[no-any-return]


def record(batch: str, there: Mapping[str, Outcome]) -> None:
    """Writes the tests of a batch that pass under TensorFlow."""
    names = {**recorded(), batch: sorted(name for name, (how, _) in there.items() if how == "passed")}
    RECORDED.write_bytes(gzip.compress(json.dumps(names, sort_keys=True).encode(), mtime=0))


def compared(counted: list[str], here: Mapping[str, Outcome]) -> tuple[int, dict[str, str]]:
    """The number of tests that count and could run here, and the messages of those that do not pass."""
    could = [name for name in counted if not _lacks_package(name, here)]
    missed = {name: here.get(name, ("failed", "it did not run")) for name in could}
    return len(could), {name: f"{how}: {text}" for name, (how, text) in missed.items() if how != "passed"}


def _lacks_package(test: str, here: Mapping[str, Outcome]) -> bool:
    """Whether a test, or the module of one that did not run, asked for an absent package of `OPTIONAL`."""
    parts = test.partition("::")[0].split(".")
    names = (test, *(".".join(parts[:end]) for end in range(len(parts), 0, -1)))
    text = next((here[name][1] for name in names if name in here), "")
    absent = re.search(r"No module named '(\w+)", text)
    return absent is not None and absent[1] in OPTIONAL


def main() -> int:
    """Prints a row for each batch, and the sum."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tensorflow", help="a Python with TensorFlow 2.21 and Keras, to record its side")
    parser.add_argument("--only", default="", help="batches, divided by commas")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true", help="print the tests that do not pass")
    options = parser.parse_args()
    total = failed = apart = 0
    low: list[str] = []
    for batch in options.only.split(",") if options.only else BATCHES:
        if options.tensorflow:
            record(batch, outcomes(options.tensorflow, "tensorflow", batch, options.jobs))
        names = recorded().get(batch, [])
        if not names:
            continue
        count, missed = compared(names, outcomes(sys.executable, "inlay", batch, options.jobs))
        total, failed, apart = total + count, failed + len(missed), apart + len(names) - count
        share = 1 - len(missed) / max(count, 1)
        low += [batch] if batch in MAIN and share < LEAST_OF_A_BATCH else []
        beside = f"  {len(names) - count} left apart" if len(names) > count else ""
        print(f"{batch:14} {count - len(missed):6} of {count:6}  {share:7.2%}{beside}", flush=True)
        for name, text in missed.items() if options.list else ():
            print(f"    {name}\n        {text.splitlines()[0]}")
    share = 1 - failed / max(total, 1)
    print(f"{'all':14} {total - failed:6} of {total:6}  {share:7.2%}  {apart} left apart")
    return bool(low) or share < LEAST


if __name__ == "__main__":
    sys.exit(main())

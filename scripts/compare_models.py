"""Compare saved models of inlay in TensorFlow: TensorFlow loads each and runs its program.

    python -m scripts.compare_models --tensorflow PYTHON [NAME ...]

Each program of `tests/golden/tensorflow_models.py` is saved by inlay in two ways: as inlay makes it ("made"), and from
the golden model of TensorFlow, which inlay loads and saves again ("again"). The values must be those that TensorFlow
recorded for its own model. The exit status is 1 if a model outside of `KNOWN` differs or is refused, or if one of
`KNOWN` no longer does. PYTHON is an interpreter that has TensorFlow.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests" / "golden"
KNOWN = {("made", "generator"): "the state of a generator of random numbers is in a form of inlay"}
"""(way, program) -> why TensorFlow does not load the model."""
WAYS = ("made", "again")
CLOSE = 1e-5


def programs() -> tuple[Any, Any]:
    """The programs by name, and the function that gives their values as arrays."""
    sys.path.insert(0, str(GOLDEN))
    import tensorflow_models

    return tensorflow_models.PROGRAMS, tensorflow_models.arrays


def save(folder: Path, names: list[str]) -> dict[str, str]:
    """Saves every model in both ways with inlay; "way/name" -> the error, of those that are not saved."""
    import inlay as tf

    failed: dict[str, str] = {}
    models = programs()[0]
    for name in names:
        for way in WAYS:
            try:
                model, signatures = models[name].make(tf)
                if way == "again":
                    model = tf.saved_model.load(GOLDEN / "tensorflow_models" / name)
                    signatures = dict(model.signatures) if signatures is not None else None
                tf.saved_model.save(model, folder / way / name, signatures=signatures)
            except Exception as error:
                failed[f"{way}/{name}"] = f"inlay does not save it: {type(error).__name__}: {error}"
    return failed


def use(folder: Path, names: list[str]) -> dict[str, str]:
    """Runs the program of every saved model with TensorFlow; "way/name" -> the difference, "" for none."""
    import tensorflow as tf

    models, arrays = programs()
    outcomes: dict[str, str] = {}
    for name in names:
        with np.load(GOLDEN / "tensorflow_models" / f"{name}.npz", allow_pickle=True) as values:
            recorded = dict(values)
        for way in WAYS:
            path = folder / way / name
            if not path.exists():
                continue
            try:
                results = arrays(models[name].use(tf, tf.saved_model.load(str(path))))
                outcomes[f"{way}/{name}"] = difference(results, recorded)
            except Exception as error:
                text = " ".join(str(error).split())
                outcomes[f"{way}/{name}"] = f"TensorFlow refuses it: {type(error).__name__}: {text[-300:]}"
    return outcomes


def difference(given: dict[str, Any], recorded: dict[str, Any]) -> str:
    """The first difference between values, in words; "" for none."""
    if given.keys() != recorded.keys():
        return f"the names of its values differ: {sorted(given.keys() ^ recorded.keys())}"
    for name, value in recorded.items():
        if given[name].shape != value.shape:
            return f"{name} has the shape {given[name].shape}, expected {value.shape}"
        if value.dtype.kind in "fc":
            equal = np.allclose(given[name], value, rtol=CLOSE, atol=CLOSE, equal_nan=True)
        else:
            equal = np.array_equal(given[name], value)
        if not equal:
            return f"{name} is {given[name].tolist()!r:.200}, expected {value.tolist()!r:.200}"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tensorflow", metavar="PYTHON", help="an interpreter that has TensorFlow")
    parser.add_argument("--use", metavar="FOLDER", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", metavar="NAME", help="programs; all if there is none")
    options = parser.parse_args()
    names = options.names or list(programs()[0])
    if options.use:
        print(json.dumps(use(Path(options.use), names)))
        return 0
    if not options.tensorflow:
        parser.error("--tensorflow is missing")
    with tempfile.TemporaryDirectory() as folder:
        outcomes = save(Path(folder), names)
        done = subprocess.run(
            [options.tensorflow, __file__, "--use", folder, *names],
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            sys.exit(f"TensorFlow cannot read models: {done.stderr[-4000:]}")
        outcomes |= json.loads(done.stdout.splitlines()[-1])
    return report(outcomes, names)


def report(outcomes: dict[str, str], names: list[str]) -> int:
    """Prints the outcome of every model, and gives the exit status."""
    status = 0
    for way in WAYS:
        for name in names:
            outcome, reason = outcomes[f"{way}/{name}"], KNOWN.get((way, name))
            status |= bool(outcome) != bool(reason)
            print(f"{way:6} {name:28} {outcome or 'equal'}" + (f" (known: {reason})" if reason else ""))
    for way in WAYS:
        equal = sum(not outcomes[f"{way}/{name}"] for name in names)
        print(f"{way}: {equal} of {len(names)} are equal")
    return status


if __name__ == "__main__":
    sys.exit(main())

"""Records what the scripts in `scripts/` print under TensorFlow, and the status they end with.

Those of Keras need keras==3.15.* beside TensorFlow, and tensorboard.

`tf.layers` and the cells of `tf.nn.rnn_cell` are in the package tf_keras since 2.16, so it needs an environment with:

    python -m venv /some/where && /some/where/bin/pip install tensorflow-cpu==2.21.0 tf_keras==2.21.0
    /some/where/bin/python tests/recorded/make_scripts.py [NAME ...]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent / "scripts"
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(FOLDER)}


def command(script: Path) -> list[str]:
    """How a script is run: a test file as a module, any other as a file."""
    return ["-m", script.stem] if script.stem.endswith("_test") else [str(script)]


def main() -> None:
    """Writes `scripts/*.txt`."""
    for script in sorted(FOLDER.glob("*.py")):
        if sys.argv[1:] and script.stem not in sys.argv[1:]:
            continue
        with tempfile.TemporaryDirectory() as here:
            done = subprocess.run(
                [sys.executable, *command(script)],
                capture_output=True,
                text=True,
                cwd=here,
                env={**os.environ, **QUIET, "TF_USE_LEGACY_KERAS": "0" if script.stem.startswith("keras_") else "1"},
            )
        if done.returncode:
            raise SystemExit(f"{script.name} ended with {done.returncode}:\n{done.stderr[-3000:]}")
        script.with_suffix(".txt").write_text(done.stdout)
        print(script.name, len(done.stdout.splitlines()), "lines")


if __name__ == "__main__":
    main()

"""Records the event files that TensorFlow writes for `summaries/program.py`, one below each folder of that program.

TensorFlow records images, sounds and so on of 2.x with the package tensorboard, so it needs an environment with both:

    python -m venv /some/where && /some/where/bin/pip install tensorflow-cpu==2.21.0 tensorboard==2.21.0
    /some/where/bin/python tests/recorded/make_summaries.py
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "summaries"))


def main() -> None:
    """Writes `summaries/*.events`."""
    import program
    import tensorflow as tf

    with tempfile.TemporaryDirectory() as folder:
        program.write(tf, tf.compat.v1, folder)
        for name in program.FOLDERS:
            (written,) = Path(folder, name).iterdir()
            shutil.copy(written, HERE / "summaries" / f"{name}.events")


if __name__ == "__main__":
    main()

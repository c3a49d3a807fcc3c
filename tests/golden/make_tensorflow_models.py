"""Save the models of `tensorflow_models.py` with TensorFlow 2.21, with the values that they give there.

    python tests/golden/make_tensorflow_models.py            # tensorflow-cpu==2.21.0

The debug information and the fingerprint of a model are left out: nothing reads them.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

sys.path.insert(0, str(Path(__file__).parent))
from tensorflow_models import PROGRAMS, arrays

FOLDER = Path(__file__).parent / "tensorflow_models"


def main() -> None:
    for name in sys.argv[1:] or PROGRAMS:
        program, folder = PROGRAMS[name], FOLDER / name
        shutil.rmtree(folder, ignore_errors=True)
        model, signatures = program.make(tf)
        options = tf.saved_model.SaveOptions(experimental_custom_gradients=True)
        tf.saved_model.save(model, str(folder), signatures=signatures, options=options)
        for left in ("fingerprint.pb", "debug"):
            path = folder / left
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        for empty in [path for path, folders, files in os.walk(folder, topdown=False) if not folders and not files]:
            os.rmdir(empty)
        loaded = tf.saved_model.load(str(folder))
        np.savez_compressed(FOLDER / f"{name}.npz", **arrays(program.use(tf, loaded)))
        print(name)


if __name__ == "__main__":
    main()

"""Write tests/recorded/layers.json.gz: what TensorFlow gives for the layers in tests/recorded/layers.py.

pip install tensorflow-cpu==2.21.0 tf_keras==2.21.0 tf_slim==1.1.0
PYTHONPATH=. TF_USE_LEGACY_KERAS=1 python tests/recorded/make_layers.py
"""

from __future__ import annotations

import gzip
import importlib
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import tests.recorded.recurrent  # noqa: F401
from tests.recorded.layers import CASES, outcome

FILE = Path(__file__).parent / "layers.json.gz"


def legacy() -> tuple[Any, Any]:
    """TensorFlow under 1.x behavior, and slim.

    TensorFlow looks for layers in `tf_keras.legacy_tf_layers`; the wheel has them in `tf_keras.src`.
    """
    for name in ("", ".base", ".convolutional", ".core", ".normalization", ".pooling"):
        source = importlib.import_module(f"tf_keras.src.legacy_tf_layers{name}")
        sys.modules[f"tf_keras.legacy_tf_layers{name}"] = source
        sys.modules[f"tensorflow.python.keras.legacy_tf_layers{name}"] = source
    import tensorflow.compat.v1 as tf  # type: ignore[import-not-found]

    tf.disable_v2_behavior()
    from tensorflow.python.framework import ops, tensor  # type: ignore[import-not-found]
    from tensorflow.python.ops import control_flow_ops  # type: ignore[import-not-found]

    ops.Tensor, control_flow_ops.cond = tensor.Tensor, tf.cond  # where slim looks for them
    import tf_slim  # type: ignore[import-not-found]

    return tf, tf_slim


def main() -> None:
    warnings.simplefilter("ignore")
    tf, slim = legacy()
    found = {name: outcome(tf, slim, build) for name, build in CASES.items()}
    text = json.dumps({"made_with": f"TensorFlow {tf.__version__}", "cases": found}, separators=(",", ":"))
    FILE.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    for name, row in found.items():
        print(name, row.get("error", "fine"))


if __name__ == "__main__":
    main()

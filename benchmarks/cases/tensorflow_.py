"""TensorFlow."""

from __future__ import annotations

from typing import Any

from benchmarks.cases.tensorflow_api import CASES as CASES


def load() -> Any:
    """The module that the programs call `tf`."""
    import tensorflow

    return tensorflow

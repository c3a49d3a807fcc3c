"""TensorFlow."""

from __future__ import annotations

from typing import Any

from benchmarks.cases.tensorflow_api import CASES as CASES
from benchmarks.cases.tensorflow_figures import FIGURES as FIGURES


def load() -> Any:
    """The module that the programs call `tf`."""
    import tensorflow

    return tensorflow

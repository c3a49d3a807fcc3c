"""Keras 3 on JAX reads datasets. In a process of its own: a process has one backend of Keras, and here it is inlay."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).with_name("keras_on_jax.py")


def test_keras_on_jax_reads_datasets() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(TESTS)],
        capture_output=True,
        text=True,
        env={**os.environ, "KERAS_BACKEND": "jax"},
        timeout=55,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert " passed" in done.stdout, done.stdout[-500:]

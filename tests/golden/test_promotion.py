"""Operands of several dtypes get those that TensorFlow gives them, in every mode of NumPy's behaviour.

The behaviour is a setting of the process, which has no end: each mode has a process of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.golden.make_promotion import MODES

RECORDED: dict[str, Any] = json.loads((Path(__file__).parent / "promotion.json").read_text(encoding="utf-8"))["modes"]
CHILD = (
    "import json, sys, inlay as tf; from tests.golden.make_promotion import outcomes; "
    "print(json.dumps(outcomes(tf, sys.argv[1])))"
)


@pytest.mark.parametrize("mode", MODES)
def test_dtypes_are_tensorflows(mode: str) -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", CHILD, mode], cwd=root, capture_output=True, text=True, timeout=120, check=True
    )
    got = json.loads(done.stdout.splitlines()[-1])
    want = RECORDED[mode]
    assert {name: (value, want[name]) for name, value in got.items() if value != want[name]} == {}
    assert got.keys() == want.keys()

"""Programs give what TensorFlow gives, recorded by make_programs.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import inlay as tf
from tests.golden.make_expressions import plain
from tests.golden.make_programs import programs
from tests.golden.test_expressions import compare

RECORDED: dict[str, Any] = json.loads((Path(__file__).parent / "programs.json").read_text(encoding="utf-8"))["values"]
PROGRAMS = programs()
DIFFERENT: dict[str, str] = {
    "gradients: own_gradients_with_variables": "the gradient function is not handed the variables that were read",
    "graphs: names_are_made_unique": "`+` is named AddV2 and `*` Mul: TensorFlow says add and mul, Add for tf.add",
    "graphs: kinds_of_operations": "matmul of matrices is another type of op than MatMul",
    "variables: two_sessions_two_values": "get_variable(initializer=7) is float32: TensorFlow makes it int32",
}
"""Programs whose outcome is another one here, and why."""


def test_the_recorded_programs_are_those_run() -> None:
    assert list(RECORDED) == list(PROGRAMS)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(n, marks=pytest.mark.xfail(strict=True, reason=DIFFERENT[n])) if n in DIFFERENT else n
        for n in PROGRAMS
    ],
)
def test_a_program_gives_what_tensorflow_gives(name: str) -> None:
    compare(plain(PROGRAMS[name](tf)), RECORDED[name])

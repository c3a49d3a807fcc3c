"""Programs give what TensorFlow gives, recorded by make_programs.py."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

import inlay as tf
from tests.golden.make_programs import TABLES, Refused, plain, programs

RECORDED: dict[str, Any] = json.loads((Path(__file__).parent / "programs.json").read_text(encoding="utf-8"))["values"]
PROGRAMS = {name: program for table in TABLES for name, program in programs(table).items()}
TOLERANCE = 1e-5
REFERENCE = re.compile(r" \(inlay explain [\w-]+\)")
"""What our messages end with."""
_ONE_CLASS = "meant: one class in eager code and in graphs; TensorFlow's eager arrays raise other ones than its graphs"
DIFFERENT: dict[str, str] = {
    **{
        f"tensor_arrays: arrays_refuse {what!r}": _ONE_CLASS
        for what in ("write past the end", "read past the end", "read before any write", "negative place")
    },
}
"""Programs that give something else here, and why. Those that are meant say so; the others want to be mended."""


def test_the_recorded_programs_are_those_there_are() -> None:
    assert set(DIFFERENT) <= set(RECORDED)
    assert list(RECORDED) == list(PROGRAMS)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(n, marks=pytest.mark.xfail(strict=True, reason=DIFFERENT[n])) if n in DIFFERENT else n
        for n in PROGRAMS
    ],
)
def test_gives_what_tensorflow_gives(name: str) -> None:
    compare(PROGRAMS[name](tf), RECORDED[name], "result")


def compare(got: Any, want: Any, where: str) -> None:
    """Equal structures, types and values; numbers up to rounding; exceptions of the recorded class."""
    if isinstance(want, dict) and "raises" in want:
        assert isinstance(got, Refused) and want["raises"] in got.names, f"{where}: {got} instead of {want}"
    elif isinstance(got, dict) and isinstance(want, dict):
        assert [str(k) for k in got] == list(want), where
        for key, value in got.items():
            compare(value, want[str(key)], f"{where}[{key!r}]")
    elif isinstance(got, (list, tuple)) and type(got).__name__ != "TensorShape":
        assert isinstance(want, list) and len(got) == len(want), f"{where}: {got} instead of {want}"
        for i, (g, w) in enumerate(zip(got, want, strict=True)):
            compare(g, w, f"{where}[{i}]")
    else:
        _same(plain(got), want, where)


def _same(got: Any, want: Any, where: str) -> None:
    if isinstance(want, list):
        assert isinstance(got, list) and len(got) == len(want), f"{where}: {got} instead of {want}"
        for g, w in zip(got, want, strict=True):
            _same(g, w, where)
    elif isinstance(want, float) and isinstance(got, float):
        assert math.isclose(got, want, rel_tol=TOLERANCE, abs_tol=TOLERANCE), f"{where}: {got} instead of {want}"
    else:
        if isinstance(got, str):
            got = REFERENCE.sub("", got)
        assert got == want and type(got) is type(want), f"{where}: {got!r} instead of {want!r}"

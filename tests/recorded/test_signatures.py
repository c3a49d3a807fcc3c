"""Parameters are TensorFlow's: order, names, kinds and defaults, recorded by make_signatures.py.

Differences stand in signatures.toml with a reason each. One that is not listed fails, and so does a listed one that is
no longer there.
"""

from __future__ import annotations

import enum
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import inlay as tf
from tests.recorded.signatures import signature_of

HERE = Path(__file__).parent
RECORDED: dict[str, Any] = json.loads((HERE / "signatures.json").read_text(encoding="utf-8"))["signatures"]
LISTED = tomllib.loads((HERE / "signatures.toml").read_text(encoding="utf-8"))["differs"]


def ours(dotted: str) -> Any:
    """What stands here under a dotted name, or None."""
    found: Any = tf
    for part in dotted.split("."):
        found = getattr(found, part, None)
    return found


def pairs() -> Iterator[tuple[str, str, str]]:
    """(name, signature here, TensorFlow's signature) of each function, constructor and method that both have."""
    for name, want in RECORDED.items():
        value = ours(name)
        if value is None or isinstance(value, enum.EnumMeta):  # Python's constructor, which changes with its version
            continue
        if isinstance(want, str) and want.startswith("= "):
            want = RECORDED[want[2:]]
        got = signature_of(value)
        if isinstance(want, str) or not isinstance(got, dict):
            yield name, constructor(got), constructor(want)
            continue
        for method in sorted(set(want) & set(got)):
            yield f"{name}.{method}".rstrip("."), got[method], want[method]


def constructor(signature: Any) -> str:
    """The text of a signature where a class stands beside a function."""
    return signature.get("", "()") if isinstance(signature, dict) else str(signature)


def differences() -> dict[str, str]:
    """Name -> the two signatures, where they differ."""
    return {name: f"{got}, in TensorFlow {want}" for name, got, want in pairs() if got != want}


def test_signatures_are_tensorflows() -> None:
    listed = {name for entry in LISTED for name in entry["names"]}
    found = differences()
    unlisted = {name: text for name, text in found.items() if name not in listed}
    gone = sorted(listed - set(found))
    assert unlisted == {}, "mend them, or list them with a reason in tests/recorded/signatures.toml"
    assert gone == [], "these no longer differ: take them out of tests/recorded/signatures.toml"


def test_a_difference_is_listed_once_and_has_a_reason() -> None:
    names = [name for entry in LISTED for name in entry["names"]]
    assert sorted(names) == sorted(set(names))
    assert all(entry["reason"].strip() for entry in LISTED)


def test_most_names_are_compared() -> None:
    assert sum(1 for _ in pairs()) > 1700

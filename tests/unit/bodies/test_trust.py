"""What `trust=` can be, and the message of what it does not allow."""

from __future__ import annotations

from typing import Any

import pytest

import inlay as tf
from inlay._src.host.bodies.manifest import MOST_MANIFEST, NAME, VALUE, BodyManifest
from inlay._src.host.bodies.portable import PortableBody
from inlay._src.host.bodies.trust import Trust, covers, printable

DIGEST, KEY = "ab" * 32, "cd" * 32


def test_the_forms() -> None:
    trust = Trust.of([DIGEST, f"sha256:{KEY}", f"ed25519:{KEY}", "a.b", "a.b:c.d"])
    assert trust.digests == {DIGEST, KEY} and trust.keys == {KEY} and trust.names == ("a.b", "a.b:c.d")
    assert Trust.of(trust) is trust and Trust.of(None).names == () and Trust.of("numpy").names == ("numpy",)
    assert trust.with_digests(["x"]).digests == {DIGEST, KEY, "x"}


@pytest.mark.parametrize("given", ["", "*", "a.*", "a..b", "sha256:12", "a:b:c", "a b", DIGEST.upper() + "-"])
def test_other_texts_are_refused(given: str) -> None:
    with pytest.raises(ValueError, match="not a valid value"):
        Trust.of(given)


@pytest.mark.parametrize("given", [True, 1, [1], b"numpy", {"numpy": 1}])
def test_other_types_are_refused(given: Any) -> None:
    with pytest.raises(TypeError, match="a text or a list of texts"):
        Trust.of(given)


@pytest.mark.parametrize(
    ("entry", "name", "expected"),
    [
        ("a", "a:f", True), ("a", "a.b:f", True), ("a", "ab:f", False), ("a.b", "a:f", False), ("a.b:f", "a.b:f", True),
        ("a.b:f", "a.b:g", False), ("a.b:f", "a.b", False), ("a.b", "a.b", True), ("a.b:f", "a.b.f:g", False),
    ],
)  # fmt: skip
def test_what_an_entry_covers(entry: str, name: str, expected: bool) -> None:
    assert covers(entry, name) is expected


def test_every_part_of_a_body_by_name_must_be_allowed() -> None:
    body = PortableBody(BodyManifest("f", NAME, ("a:f", "b:g"), "cpython 3.11"), b"")
    assert not Trust.of("a").allows(body)
    assert Trust.of(["a", "b:g"]).allows(body) and Trust.of(body.digest).allows(body)
    by_value = PortableBody(BodyManifest("f", VALUE, ("a:f",), "cpython 3.11"), b"x")
    assert not Trust.of(["a", "b"]).allows(by_value)


def test_the_message_lists_each_function_once_and_the_ways() -> None:
    said = BodyManifest(
        "log_huber (a.py:3)", VALUE, (), "cpython 3.11", imports=("numpy",), packages={"numpy": "2.1"},
        sources={"f": "def f(x):\n    return x\x1b[2J"},
    )  # fmt: skip
    bodies = [PortableBody(said, b"1"), PortableBody(said, b"1"), PortableBody(said, b"2")]
    with pytest.raises(tf.errors.PermissionDeniedError) as caught:
        Trust.of(None).check(bodies, "the model m")
    text = str(caught.value)
    assert text.startswith("the model m holds 2 Python functions")
    for part in (
        "log_huber (a.py:3)",
        bodies[0].digest,
        bodies[2].digest,
        "numpy 2.1",
        "proves nothing",
        "ed25519:KEY",
    ):
        assert part in text
    assert "\x1b" not in text
    Trust.of([b.digest for b in bodies]).check(bodies)


def test_nothing_steers_the_terminal() -> None:
    assert printable("a\x1b[31m\n\u202eb") == "a\\x1b[31m\\n\\u202eb" and len(printable("x" * 10_000)) == 2000


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "{}", "1", '{"kind": "value"}', "[" * 100_000, "x" * (MOST_MANIFEST + 1),
        BodyManifest("f", VALUE, (), "p").to_json().replace('"value"', '"pickle"'),
        BodyManifest("f", VALUE, (), "p").to_json().replace('"names": []', '"names": [1]'),
        BodyManifest("f", VALUE, (), "p").to_json().replace('"variables": 0', '"variables": -1'),
        BodyManifest("f", VALUE, (), "p").to_json().replace('"sources": {}', '"sources": {"a": []}'),
    ],
)  # fmt: skip
def test_a_damaged_manifest_is_refused(text: str) -> None:
    with pytest.raises(tf.errors.DataLossError, match="manifest of a saved function is damaged"):
        BodyManifest.from_json(text)

"""Random calls give what TensorFlow gave when make_results.py recorded them; what differs stands in results.toml.

A sample of the recorded calls, the same in every run. `make conformance` compares all of them.
"""

from __future__ import annotations

import functools
import zlib

import pytest

from tests.recorded import compare_results
from tests.recorded.compare_results import Entry
from tests.recorded.draws import TABLE
from tests.recorded.results import Rows, area, read, seed_of

AREAS = sorted({area(name) for name in TABLE})
ONE_IN = 5


@functools.cache
def recorded() -> Rows:
    return read()


def in_the_sample(name: str, index: int) -> bool:
    """Whether the suite makes a call."""
    return zlib.crc32(f"{name}:{index}".encode()) % ONE_IN == 0


@pytest.mark.parametrize("title", AREAS)
def test_calls_give_what_tensorflow_gives(title: str) -> None:
    rows = {name: found for name, found in recorded().items() if area(name) == title}
    found = list(compare_results.differences(rows, seed_of(), in_the_sample))
    listed = compare_results.entries()
    unlisted = [d for d in found if not any(e.lists(d) for e in listed)]
    assert unlisted == [], compare_results.report(unlisted, len(rows), 3)
    of_calls = [Entry(e.reason, calls=tuple(c for c in e.calls if c[0] in rows)) for e in listed]
    gone = compare_results.stale(of_calls, found, in_the_sample)
    assert gone == [], "these no longer differ: take them out of tests/recorded/results.toml"


def test_every_function_with_calls_is_recorded() -> None:
    assert sorted(recorded()) == sorted(TABLE)
    assert len(TABLE) > 300 and sum(map(len, recorded().values())) > 20_000


def test_every_difference_has_a_reason() -> None:
    assert all(e.reason.strip() and (e.names or e.also or e.calls) for e in compare_results.entries())

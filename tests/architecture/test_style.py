"""The names and the docstrings of the package stay within the counts of `scripts.style_counts`."""

from __future__ import annotations

import pytest

from scripts import style_counts

ALLOWED = {"bindings": 5, "sentences": 10, "classes": 4, "repeats": 0}
"""Kind of pattern -> the number of places up to which it is tolerated while new code is under review."""


@pytest.fixture(scope="module")
def places() -> dict[str, list[style_counts.Place]]:
    return style_counts.count()


@pytest.mark.parametrize("kind", ALLOWED)
def test_patterns_that_the_style_rules_out_are_rare(kind: str, places: dict[str, list[style_counts.Place]]) -> None:
    texts = [str(place) for place in places[kind]]
    assert len(texts) <= ALLOWED[kind], f"`python -m scripts.style_counts --list {kind}`:\n" + "\n".join(texts)

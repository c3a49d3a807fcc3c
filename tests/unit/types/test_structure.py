"""Declared nests against what came."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict, namedtuple
from typing import Any

import pytest

from inlay._src.base.types.nest import StructureError, leaves_of

Point = namedtuple("Point", "x y")
Other = namedtuple("Other", "x z")


@dataclasses.dataclass
class Pair:
    a: Any
    b: Any


@dataclasses.dataclass
class Twin:
    a: Any
    b: Any


@pytest.mark.parametrize(
    ("declared", "got", "leaves"),
    [
        (0, "x", ["x"]),
        (0, [1, 2], [[1, 2]]),
        ([0, 0], (1, 2), [1, 2]),
        ((0, 0), [1, 2], [1, 2]),
        ({"b": 0, "a": 0}, {"a": 1, "b": 2}, [1, 2]),
        ({"a": 0}, OrderedDict(a=1), [1]),
        (Point(0, 0), Point(1, 2), [1, 2]),
        (Pair(0, [0]), Pair(1, [2]), [1, 2]),
        ([0, {"k": (0, 0)}], [1, {"k": [2, 3]}], [1, 2, 3]),
        ([], [], []),
        ({}, {}, []),
    ],
)
def test_what_stands_at_the_leaves_in_order(declared: Any, got: Any, leaves: list[Any]) -> None:
    assert leaves_of(declared, got) == leaves


@pytest.mark.parametrize(
    ("declared", "got", "says"),
    [
        ([0, 0], [1], "at the top: expected a list of 2, got a list of 1"),
        ([0, 0], 1, "at the top: expected a list of 2, got one int"),
        ([0], None, "expected a list of 1, got None"),
        ({"a": 0}, {"b": 1}, r"expected a dict with keys \['a'\], got a dict with keys \['b'\]"),
        ({"a": 0}, [1], r"expected a dict with keys \['a'\], got a list of 1"),
        (Point(0, 0), Other(1, 2), "expected a Point with fields .*, got a Other with fields"),
        (Point(0, 0), (1, 2), "expected a Point with fields .*, got a tuple of 2"),
        (Pair(0, 0), Twin(1, 2), "expected a Pair, got a Twin"),
        ([0, {"k": [0, 0]}], [1, {"k": [1]}], r"at \[1\]\['k'\]: expected a list of 2, got a list of 1"),
    ],
)
def test_the_first_container_that_differs_is_named(declared: Any, got: Any, says: str) -> None:
    with pytest.raises(StructureError, match=says):
        leaves_of(declared, got)

"""Keys of static values: equal only for values that no program can tell apart."""

from __future__ import annotations

import enum
import math
import struct
from collections import OrderedDict, namedtuple
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.types import keys
from inlay._src.base.types.keys import NoKey, key_of

Point = namedtuple("Point", "x y")
Pair = namedtuple("Pair", "x y")


class Color(enum.Enum):
    RED = 1
    GREEN = 2


class Level(enum.IntEnum):
    LOW = 1


NEGATIVE_NAN = struct.unpack("d", struct.pack("d", math.nan)[:7] + b"\xff")[0]

DIFFERENT: list[Any] = [
    None, ..., False, True, 0, 1, 0.0, -0.0, 1.0, math.nan, NEGATIVE_NAN, math.inf, 0j, 1 + 0j, complex(0.0, -0.0),
    complex(-0.0, 0.0), "", "1", b"", b"1", np.float32(1), np.float64(1), np.float64(-0.0), np.float64(0.0),
    np.int32(1), np.int64(1), np.bool_(True), np.array(1), np.array(1.0), np.array([1]), np.array([[1]]),
    np.array([1], np.int8), np.array([], np.int32), np.array([[]], np.int32), np.array([0.0]), np.array([-0.0]),
    np.array(["a"], object), np.array([b"a"], object), np.array([["a"]], object), (), (1,), (True,), (1.0,), ((1,),),
    [], [1], [[1]], {}, {1: 2}, {True: 2}, {"a": 1, "b": 2}, {"b": 2, "a": 1}, OrderedDict(), OrderedDict({1: 2}),
    MappingProxyType({1: 2}), set(), {1}, {1.0}, frozenset(), frozenset({1}), slice(1), slice(None, 1, 1), range(1),
    range(2), tf.float32, tf.int32, np.dtype("float32"), np.dtype("int32"), float, int, np.float32, Color, Color.RED,
    Color.GREEN, Level.LOW, Point(1, 2), Point(1, 2.0), Pair(1, 2), (1, 2), tf.TensorShape(None), tf.TensorShape([]),
    tf.TensorShape([1]), tf.TensorShape([None]), "float32",
]  # fmt: skip


def test_values_that_can_be_told_apart_have_different_keys() -> None:
    found = [key_of(v) for v in DIFFERENT]
    same = [(DIFFERENT[i], DIFFERENT[j]) for i in range(len(found)) for j in range(i) if found[i] == found[j]]
    assert same == []
    assert len(set(found)) == len(DIFFERENT)


@pytest.mark.parametrize("position", range(len(DIFFERENT)))
def test_a_difference_shows_through_every_container(position: int) -> None:
    value = DIFFERENT[position]
    following = DIFFERENT[(position + 1) % len(DIFFERENT)]
    for wrap in (lambda v: (v,), lambda v: [v], lambda v: {"k": v}, lambda v: Point(v, 0), lambda v: [((v,),)]):
        assert key_of(wrap(value)) == key_of(wrap(value))
        assert key_of(wrap(value)) != key_of(wrap(following))


def test_equal_values_made_twice_have_one_key() -> None:
    def make() -> list[Any]:
        return [
            1.5,
            float("nan"),
            (1, [2.0, {"a": (b"x", None)}]),
            np.arange(6).reshape(2, 3),
            np.array(["a", b"b"], object),
            tf.TensorShape([None, 3]),
            {"x", "y", "z"},
            "".join(["a", "b"]),
        ]

    assert [key_of(v) for v in make()] == [key_of(v) for v in make()]
    assert hash(key_of(make())) == hash(key_of(make()))


def test_an_array_is_known_by_its_content_whatever_its_layout() -> None:
    array = np.arange(12).reshape(3, 4)
    assert key_of(array) == key_of(np.asfortranarray(array)) == key_of(np.array(array.tolist()))
    assert key_of(array[:, ::2]) == key_of(array[:, ::2].copy())
    assert key_of(array) != key_of(array.astype(">i8"))


def test_a_key_does_not_follow_a_value_that_is_changed_later() -> None:
    array, items = np.zeros(3), [1, [2]]
    before = key_of(array), key_of(items)
    array[0] = 1
    items[1].append(3)  # type: ignore[attr-defined]
    assert before == (key_of(np.zeros(3)), key_of([1, [2]]))
    assert (key_of(array), key_of(items)) != before


class _Own:
    """Equal to everything: such a class may not decide."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class _List(list[int]):
    pass


@pytest.mark.parametrize(
    "value",
    [
        _Own(),
        Fraction(1, 2),
        lambda: None,
        object(),
        _List(),
        np.ma.masked_array([1], [True]),
        np.zeros(keys.MOST_BYTES + 1, np.int8),
        np.zeros(keys._MOST_STRINGS + 1, object),
        np.zeros(2, [("a", object)]),
        np.array([object()]),
    ],
)
def test_what_nothing_is_known_of_has_no_key_also_inside_containers(value: Any) -> None:
    for wrapped in (value, [value], {"k": (value,)}):
        with pytest.raises(NoKey, match="has no key"):
            key_of(wrapped)
        assert hash(key_of(wrapped, other=id)) == hash(key_of(wrapped, other=id))


def test_the_caller_says_what_stands_for_a_value_without_key() -> None:
    first, second = _Own(), _Own()
    assert key_of([first, 1], other=id) == ((list, ((_Own, id(first)), (int, 1))))
    assert key_of((first,), other=id) != key_of((second,), other=id)
    assert key_of(1, other=id) == key_of(1)


def test_an_array_at_the_bound_has_a_key() -> None:
    assert key_of(np.zeros(keys.MOST_BYTES, np.int8)) == key_of(np.zeros(keys.MOST_BYTES, np.int8))
    assert key_of(np.full(keys._MOST_STRINGS, b"x", object)) is not None

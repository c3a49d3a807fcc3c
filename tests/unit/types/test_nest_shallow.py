"""Nests: prefixes, paths, and structures that users make themselves."""

from __future__ import annotations

import collections
import dataclasses
import types
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inlay as tf
from inlay._src.base.types import nest

Pair = collections.namedtuple("Pair", "left right")

SHAPE = st.recursive(
    st.just(0),
    lambda part: st.one_of(
        st.lists(part, min_size=1, max_size=3),
        st.dictionaries(st.text("ab", max_size=1), part, min_size=1, max_size=2),
        st.tuples(part, part).map(lambda p: Pair(*p)),
    ),
    max_leaves=6,
)


def filled(structure: Any, leaves: Any) -> Any:
    """The structure with other things at its leaves."""
    if structure == 0 and not isinstance(structure, (list, dict, tuple)):
        return next(leaves)
    if isinstance(structure, dict):
        return {k: filled(structure[k], leaves) for k in sorted(structure)}
    if isinstance(structure, Pair):
        return Pair(*(filled(p, leaves) for p in structure))
    return [filled(p, leaves) for p in structure]


@given(SHAPE, st.lists(SHAPE, min_size=18, max_size=18))
def test_a_prefix_finds_what_was_put_at_its_leaves(shallow: Any, parts: list[Any]) -> None:
    deep = filled(shallow, iter(parts))
    count = len(nest.flatten(shallow))
    nest.assert_shallow_structure(shallow, deep)
    assert nest.flatten_up_to(shallow, deep) == parts[:count]
    assert nest.map_structure_up_to(shallow, lambda p: p, deep) == deep
    counted = nest.map_structure_up_to(shallow, lambda p, q: len(nest.flatten(p)) + len(nest.flatten(q)), deep, deep)
    assert nest.flatten(counted) == [2 * len(nest.flatten(p)) for p in parts[:count]]


@given(SHAPE)
def test_paths_lead_to_the_leaves(structure: Any) -> None:
    deep = filled(structure, iter(range(100)))
    for path, leaf in nest.flatten_with_paths(deep):
        found = deep
        for key in path.replace("]", "").split("[")[1:]:
            name = key.strip("'")
            found = getattr(found, name) if isinstance(found, Pair) else found[int(key) if key.isdigit() else name]
        assert found == leaf


@pytest.mark.parametrize(
    ("shallow", "deep", "error", "says"),
    [
        ([1, 2], 3, TypeError, "input must also be a sequence"),
        ([1], (1,), TypeError, "don't have the same sequence type"),
        ([1, 2], [1], ValueError, "don't have the same sequence length. Input structure has length 1"),
        ({"a": 1}, {"b": 1}, ValueError, r"don't have the same keys. Input structure has keys \['b'\]"),
        ({"a": [1, 2]}, {"a": 1}, TypeError, "input must also be a sequence"),
        (Pair(1, 2), (1, 2), TypeError, "sequence type"),
    ],
)
def test_what_is_no_prefix_is_said(shallow: Any, deep: Any, error: Any, says: str) -> None:
    for call in (nest.assert_shallow_structure, nest.flatten_up_to):
        with pytest.raises(error, match=says):
            call(shallow, deep)


def test_types_of_containers_may_differ_on_request() -> None:
    assert nest.flatten_up_to([1, 2], (3, [4]), check_types=False) == [3, [4]]
    assert nest.map_structure_up_to([0], lambda v: v, (5,), check_types=False) == [5]


def test_a_mapping_of_a_users_own_class_is_looked_into() -> None:
    class Frozen(collections.abc.Mapping):  # type: ignore[type-arg]
        def __init__(self, pairs: Any) -> None:
            self._pairs = dict(pairs)

        def __getitem__(self, key: Any) -> Any:
            return self._pairs[key]

        def __iter__(self) -> Any:
            return iter(self._pairs)

        def __len__(self) -> int:
            return len(self._pairs)

    made = tf.nest.map_structure(lambda v: v + 1, Frozen({"b": 1, "a": 2}))
    assert type(made) is Frozen and dict(made) == {"b": 2, "a": 3}
    assert tf.nest.flatten(types.MappingProxyType({"b": 1, "a": 2})) == [2, 1]


def test_dataclasses_are_containers_unless_they_say_they_are_leaves() -> None:
    @dataclasses.dataclass
    class Open:
        x: Any
        y: Any = 5

    @dataclasses.dataclass
    class Shut:
        __inlay_leaf__ = True
        x: Any

    assert tf.nest.flatten([Open(1, {"k": 2}), Shut(3)])[:2] == [1, 2]
    assert tf.nest.map_structure(lambda v: v, Shut(3)) == Shut(3)
    assert tf.nest.map_structure(lambda a, b: a + b, Open(1, 2), Open(10, 20)) == Open(11, 22)
    with pytest.raises(TypeError, match="sequence type"):
        tf.nest.assert_same_structure(Open(1, 2), (1, 2))


@pytest.mark.parametrize("leaf", ["text", b"bytes", {1, 2}, iter(()), None, frozenset(), bytearray(b"x")])
def test_what_is_a_leaf(leaf: Any) -> None:
    assert not tf.nest.is_nested(leaf) and tf.nest.flatten(leaf) == [leaf]


def test_nesting_without_end_is_not_supported_and_does_not_hang() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(RecursionError):
        tf.nest.flatten(loop)

"""Nested structures."""

from __future__ import annotations

import collections
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inlay as tf
from inlay._src.base.types import nest

Pair = collections.namedtuple("Pair", "a b")


@dataclass
class Record:
    x: Any
    y: Any


LEAF = st.integers() | st.text(max_size=2) | st.none()
NEST = st.recursive(
    LEAF,
    lambda part: st.one_of(
        st.lists(part, max_size=3),
        st.lists(part, max_size=3).map(tuple),
        st.dictionaries(st.text(max_size=2), part, max_size=3),
        st.tuples(part, part).map(lambda p: Pair(*p)),
        st.tuples(part, part).map(lambda p: Record(*p)),
        st.dictionaries(st.text(max_size=2), part, max_size=3).map(collections.OrderedDict),
    ),
    max_leaves=12,
)


@given(NEST)
def test_packing_what_was_flattened_gives_the_same(structure: Any) -> None:
    flat = tf.nest.flatten(structure)
    again = tf.nest.pack_sequence_as(structure, flat)
    assert again == structure and type(again) is type(structure)
    assert tf.nest.map_structure(lambda leaf: leaf, structure) == structure
    tf.nest.assert_same_structure(structure, again)
    assert [leaf for _, leaf in nest.flatten_with_paths(structure)] == flat


@given(NEST)
def test_a_structure_is_a_prefix_of_itself_with_nested_leaves(structure: Any) -> None:
    deeper = tf.nest.map_structure(lambda leaf: [leaf, leaf], structure)
    assert nest.flatten_up_to(structure, deeper) == [[leaf, leaf] for leaf in tf.nest.flatten(structure)]


def test_dict_keys_are_sorted_and_the_order_of_insertion_comes_back() -> None:
    structure = {"b": 1, "a": [2, {"d": 3, "c": 4}]}
    assert tf.nest.flatten(structure) == [2, 4, 3, 1]
    packed = tf.nest.pack_sequence_as(structure, "wxyz")
    assert list(packed.items()) == [("b", "z"), ("a", ["w", {"d": "y", "c": "x"}])]


def test_containers_keep_their_class() -> None:
    default = collections.defaultdict(list, {"k": 1})
    packed = tf.nest.map_structure(lambda v: v + 1, default)
    assert (type(packed), packed["k"], packed["new"]) == (collections.defaultdict, 2, [])
    assert tf.nest.map_structure(lambda v: v + 1, Pair(1, Record(2, 3))) == Pair(2, Record(3, 4))


def test_differences_are_explained() -> None:
    with pytest.raises(ValueError, match="don't have the same nested structure"):
        tf.nest.assert_same_structure([1, 2], [1, [2]])
    with pytest.raises(TypeError, match="don't have the same sequence type"):
        tf.nest.assert_same_structure([1, 2], (1, 2))
    tf.nest.assert_same_structure([1, 2], (1, 2), check_types=False)
    with pytest.raises(ValueError, match=r"\['a'\] against \['b'\]"):
        tf.nest.assert_same_structure({"a": 1}, {"b": 1})
    with pytest.raises(ValueError, match="Structure had 2 atoms, but flat_sequence had 3 items"):
        tf.nest.pack_sequence_as([0, 0], [1, 2, 3])
    with pytest.raises(ValueError, match="a leaf, but flat_sequence has 2 elements"):
        tf.nest.pack_sequence_as(0, [1, 2])
    with pytest.raises(TypeError, match="sortable keys"):
        tf.nest.flatten({1: 0, "a": 0})
    with pytest.raises(TypeError, match="func must be callable"):
        tf.nest.map_structure(3, [1])


def test_what_is_nested() -> None:
    assert [tf.nest.is_nested(v) for v in ([], (), {}, Pair(1, 2), Record(1, 2), "ab", {1}, 3, None)] == [True] * 5 + [
        False
    ] * 4


def test_other_keyword_arguments_of_map_structure_are_refused_as_in_tensorflow() -> None:
    with pytest.raises(ValueError, match="Only valid keyword arguments are `check_types` and `expand_composites`"):
        tf.nest.map_structure(lambda leaf: leaf, [1], foo=1)


def test_keys_are_types() -> None:
    for one, other in (({"a": 1}, {"b": 2}), ({"x": {"a": 1}}, {"x": {"b": 2}}), ({"a": 1}, (2,))):
        tf.nest.assert_same_structure(one, other, check_types=False)
    summed = tf.nest.map_structure(lambda x, y: x + y, {"a": (1, 2)}, {"b": [3, 4]}, check_types=False)
    assert summed == {"a": (4, 6)}
    with pytest.raises(ValueError, match="don't have the same number of elements"):
        tf.nest.assert_same_structure({"a": 1, "b": 2}, {"a": 1}, check_types=False)
    with pytest.raises(ValueError, match="don't have the same set of keys"):
        tf.nest.assert_same_structure({"a": 1}, {"b": 2})

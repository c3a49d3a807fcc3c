"""Templates: what is taken out of a nest and filled in again."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict, namedtuple
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inlay._src.base.types import nest, template
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.template import Flattening, Hole, Plain, Template, part_key

Pair = namedtuple("Pair", "left right")


@dataclasses.dataclass
class Point:
    x: Any
    y: Any


class Parts(Composite):
    """A composite of any number of components."""

    def __init__(self, *components: Any) -> None:
        self.held = components

    @property
    def _type_spec(self) -> Any:
        return "parts", len(self.held)

    def _components(self) -> Any:
        return self.held

    def _rebuild(self, components: Any) -> Any:
        return Parts(*components)

    def _component_shape(self, found: Any) -> Any:
        return "shape of", tuple(found)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Parts) and self.held == other.held

    def __repr__(self) -> str:
        return f"Parts{self.held}"


leaves = st.integers() | st.text(max_size=3) | st.none()
composites = st.lists(st.integers(), max_size=3).map(lambda parts: Parts(*parts))


def containers(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return (
        st.lists(children, max_size=3)
        | st.lists(children, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=2), children, max_size=3)
        | st.dictionaries(st.integers(), children, max_size=3).map(OrderedDict)
        | st.builds(Pair, children, children)
        | st.builds(Point, children, children)
    )


nests = st.recursive(leaves | composites, containers, max_leaves=12)


@given(nests)
def test_what_was_flattened_is_filled_again(structure):
    flat, made = template.flatten(structure)
    assert made.fill(flat) == structure
    assert flat == nest.flatten(structure, expand_composites=True)


@given(nests)
def test_leaves_that_are_not_taken_stay(structure):
    flat = Flattening()
    made = Template(flat.part(structure, lambda leaf: flat.hole(leaf) if isinstance(leaf, int) else leaf))
    assert all(isinstance(value, int) for value in flat.values)
    assert made.fill(flat.values) == structure
    replaced = nest.map_structure(lambda leaf: "new" if isinstance(leaf, int) else leaf, structure)
    assert made.fill(["new"] * len(flat.values)) == replaced


@given(nests, nests)
def test_equal_keys_are_equal_nests(one, two):
    (flat_one, a), (flat_two, b) = template.flatten(one), template.flatten(two)
    if a.key() == b.key():
        assert len(flat_one) == len(flat_two)
        assert a.fill(flat_one) == b.fill(flat_one) == one
    else:
        assert len(flat_one) != len(flat_two) or repr(b.fill(flat_one)) != repr(one)


def test_a_composite_takes_several_places():
    flat, made = template.flatten([1, Parts(2, 3), 4])
    assert flat == [1, 2, 3, 4]
    assert repr(made.structure) == "[Hole(0), Hole(1, 2, Parts), Hole(3)]"
    assert made.fill("abcd") == ["a", Parts("b", "c"), "d"]
    assert made.shapes("abcd") == ["a", ("shape of", ("b", "c")), "d"]


def test_a_composite_can_be_taken_as_one_value():
    flat = Flattening()
    whole = Parts(1, 2)
    assert Template(flat.part([whole, 3], flat.single)).fill(flat.values) == [whole, 3]
    assert flat.values == [whole, 3]


def test_plain_objects_arrive_themselves():
    held = [1, {"a": 2}]
    made = Template((Plain(held), Hole(0)))
    assert made.fill([5])[0] is held
    assert not template.has_holes(made.structure[0])
    assert template.has_holes(made.structure)


def test_several_nests_share_one_list_of_values():
    flat = Flattening()
    made = Template((flat.part([1, 2]), {"k": flat.part((3,))}))
    assert made.fill([10, 20, 30]) == ([10, 20], {"k": (30,)})
    assert [hole.index for hole in made.holes()] == [0, 1, 2]


def test_values_that_compare_equal_have_keys_of_their_own():
    def key(value: Any) -> Any:
        return Template([Hole(0), value]).key()

    assert len({key(v) for v in (0.0, -0.0, 0, False, 1, True, 1.0, "1", (1,), (True,))}) == 10
    assert key([1]) != key((1,))
    assert Template([Plain([])]).key() != Template([[]]).key()


def test_a_key_has_no_hash_if_a_leaf_has_none():
    for leaf in ({}, (1, [2]), bytearray()):
        with pytest.raises(TypeError, match="unhashable"):
            hash(Template((Plain(leaf), Hole(0))).key())


def test_mappings_are_told_apart_by_order_unless_asked_not_to():
    one, two = Template({"a": Hole(0), "b": Hole(1)}), Template({"b": Hole(1), "a": Hole(0)})
    assert one.key() != two.key()
    unordered = [part_key(made.structure, type, type, ordered=False) for made in (one, two)]
    assert unordered[0] == unordered[1]

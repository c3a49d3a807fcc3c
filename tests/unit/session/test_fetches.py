"""Fetches: nested structures come back with their classes, whatever way they are asked for."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inlay as tf

v1 = tf.compat.v1
Pair = collections.namedtuple("Pair", "left right")


@dataclasses.dataclass
class Record:
    left: Any
    right: Any


GRAPH = tf.Graph()
with GRAPH.as_default():
    TENSORS = [tf.constant(float(i), name=f"t{i}") for i in range(4)] + [tf.no_op(name="nothing")]
SESSION = v1.Session(graph=GRAPH)

LEAF = st.integers(0, 4)
NEST = st.recursive(
    LEAF,
    lambda part: st.one_of(
        st.lists(part, max_size=3),
        st.lists(part, max_size=3).map(tuple),
        st.dictionaries(st.text("abc", max_size=2), part, max_size=3),
        st.tuples(part, part).map(lambda p: Pair(*p)),
        st.tuples(part, part).map(lambda p: Record(*p)),
        st.dictionaries(st.integers(), part, max_size=2).map(collections.OrderedDict),
    ),
    max_leaves=8,
)


def mapped(structure: Any, leaf: Any) -> Any:
    """Written apart from the library's own walk: order of keys and classes as they are given."""
    if isinstance(structure, int):
        return leaf(structure)
    if isinstance(structure, dict):
        return type(structure)((k, mapped(v, leaf)) for k, v in structure.items())
    if isinstance(structure, Pair):
        return Pair(*(mapped(v, leaf) for v in structure))
    if isinstance(structure, Record):
        return Record(mapped(structure.left, leaf), mapped(structure.right, leaf))
    return type(structure)(mapped(v, leaf) for v in structure)


@settings(max_examples=100)
@given(NEST, st.sampled_from(["tensors", "names"]))
def test_any_nest_comes_back_as_it_was_asked_for(structure: Any, how: str) -> None:
    def name(i: int) -> Any:
        element = TENSORS[i]
        return element if how == "tensors" else element.name

    want = mapped(structure, lambda i: float(i) if i < 4 else None)
    got = SESSION.run(mapped(structure, name))
    assert got == want and type(got) is (type(want) if not isinstance(structure, int) else type(got))
    assert SESSION.run(mapped(structure, name)) == want, "a nest that is recalled"


def test_nests_of_the_same_parts_are_told_apart() -> None:
    a, b = TENSORS[:2]
    first = [SESSION.run(f) for f in ({"x": a, "y": b}, {"y": a, "x": b}, [a, b], (a, b), [[a], b], [a, [b]])]
    assert first == [{"x": 0.0, "y": 1.0}, {"y": 0.0, "x": 1.0}, [0.0, 1.0], (0.0, 1.0), [[0.0], 1.0], [0.0, [1.0]]]
    assert first == [SESSION.run(f) for f in ({"x": a, "y": b}, {"y": a, "x": b}, [a, b], (a, b), [[a], b], [a, [b]])]


def test_a_tuple_and_a_namedtuple_of_the_same_parts_are_told_apart() -> None:
    a, b = TENSORS[:2]
    for fetch in ((a, b), Pair(a, b), (a, b), Pair(a, b)):
        for holder in (lambda part: part, lambda part: [part], lambda part: (part,), lambda part: {"k": part}):
            got = SESSION.run(holder(fetch))
            inner = got if isinstance(got, type(fetch)) and len(got) == 2 else got["k" if isinstance(got, dict) else 0]
            assert inner == (0.0, 1.0) and type(inner) is type(fetch)


def test_a_tuple_of_fed_tensors_is_taken_apart_at_every_run() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        a, b = v1.placeholder(tf.float32), v1.placeholder(tf.float32)
        for fetch in ({"k": [a - b]}, [a - b], a - b):
            got = [session.run(fetch, {(a, b): (float(n), 1.0)}) for n in (2, 3)]
            assert np.ravel([list(g.values()) if isinstance(g, dict) else g for g in got]).tolist() == [1.0, 2.0]


def test_a_name_that_is_recalled_belongs_to_the_graph_as_it_is_now() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        tf.constant(1.0, name="one")
        assert session.run({"k": "one:0"}) == session.run({"k": "one:0"}) == {"k": 1.0}
        with pytest.raises(ValueError, match="two"):
            session.run({"k": "two:0"})
        tf.constant(2.0, name="two")
        assert session.run({"k": "two:0", "l": ["one:0"]}) == {"k": 2.0, "l": [1.0]}


def test_a_dictionary_keeps_the_order_of_its_keys() -> None:
    got = SESSION.run({"z": TENSORS[0], "a": TENSORS[1], "m": TENSORS[2]})
    assert list(got) == ["z", "a", "m"]


def test_a_defaultdict_keeps_what_it_makes() -> None:
    asked: Any = collections.defaultdict(list, {"k": TENSORS[1]})
    got = SESSION.run(asked)
    assert (type(got), got["k"], got["new"]) == (collections.defaultdict, 1.0, [])


def test_a_subclass_of_list_comes_back_as_a_list() -> None:
    class Mine(list):
        pass

    assert SESSION.run(Mine([TENSORS[0]])) == [0.0]


@pytest.mark.parametrize("count", [1, 2, 5])
def test_the_same_tensor_is_one_object_however_often_it_is_fetched(count: int) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = tf.constant([1.0, 2.0]) * 2.0
        got = session.run([x] * count)
        assert all(g is got[0] for g in got)


@pytest.mark.parametrize(
    ("value", "kind"),
    [(1.5, np.float32), (2, np.int32), (True, np.bool_), ("text", bytes), (1j, np.complex128), (np.int8(3), np.int8)],
)
def test_scalars_are_numpy_scalars_and_bytes(value: Any, kind: type) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = tf.constant(value)
        assert type(session.run(x)) is type(session.run([x, x])[1]) is type(session.run({"x": x})["x"]) is kind


def test_results_of_two_runs_are_two_arrays() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = tf.constant([1.0, 2.0])
        one, two = session.run(x), session.run(x)
        one[:] = 9
        assert two.tolist() == session.run(x).tolist() == [1, 2]


def test_a_ragged_and_a_sparse_tensor_come_back_as_values() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        ragged = tf.ragged.constant([[1], [2, 3]])
        sparse = tf.SparseTensor([[0, 1]], [5.0], [2, 2])
        got = session.run((ragged, {"s": sparse}))
        assert got[0].to_list() == [[1], [2, 3]]
        assert got[1]["s"].values.tolist() == [5] and got[1]["s"].dense_shape.tolist() == [2, 2]


def test_an_instance_of_a_class_of_attrs_is_a_structure() -> None:
    attr = pytest.importorskip("attr")
    pair = attr.make_class("Pair", ["one", "two"])
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        fetched = session.run(pair(tf.constant(1), {"a": pair(tf.constant(2), tf.constant(3))}))
    assert fetched == pair(1, {"a": pair(2, 3)})
    assert tf.nest.flatten(pair(1, [2, 3])) == [1, 2, 3]
    assert tf.nest.map_structure(lambda v: v + 1, pair(1, 2)) == pair(2, 3)

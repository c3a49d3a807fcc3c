"""`tf.nest`: flattening, packing, mapping, comparing."""

from __future__ import annotations

import collections
from typing import Any

from tests.golden.make_programs import refused, rows

_Point = collections.namedtuple("_Point", "x y")
_Same = collections.namedtuple("_Same", "x y")
_Other = collections.namedtuple("_Other", "y x")

_NESTS = {
    "leaf": 1,
    "none": None,
    "text": "ab",
    "list": [1, 2],
    "tuple": (1, 2),
    "empty": [],
    "dict": {"b": 1, "a": 2},
    "ordered": collections.OrderedDict([("b", 1), ("a", 2)]),
    "point": _Point(1, 2),
    "deep": {"k": [1, (2, {"z": 3, "y": [4]})], "a": _Point([5], ())},
    "Counter": collections.Counter({"b": 1, "a": 2}),
    "defaultdict": collections.defaultdict(int, {"b": 1, "a": 2}),
    "set": {1},
    "values": {"b": 1, "a": 2}.values(),
    "keys": {"b": 1, "a": 2}.keys(),
    "items": {"b": 1, "a": 2}.items(),
    "range": range(3),
    "numbers as keys": {2: "two", 1: "one"},
}


@rows(*_NESTS)
def flat(tf: Any, name: str) -> Any:
    return [refused(lambda: tf.nest.flatten(_NESTS[name])), tf.nest.is_nested(_NESTS[name])] if name != "set" else None


@rows(*(n for n in _NESTS if n != "set"))
def packed_again(tf: Any, name: str) -> Any:
    structure = _NESTS[name]
    got = tf.nest.pack_sequence_as(structure, [f"leaf {i}" for i in range(len(tf.nest.flatten(structure)))])
    return [got, type(got).__name__]


@rows(*(n for n in _NESTS if n not in ("set", "none", "text", "numbers as keys", "values", "keys", "items", "range")))
def mapped(tf: Any, name: str) -> Any:
    structure = _NESTS[name]
    one = tf.nest.map_structure(lambda v: v * 10, structure)
    two = tf.nest.map_structure(lambda a, b: a + b, structure, one)
    return [one, two]


_COMPARED = {
    "list and tuple": ([1, 2], (3, 4)),
    "list and longer": ([1, 2], [1, 2, 3]),
    "leaf and list": (1, [1]),
    "equal dicts": ({"a": 1, "b": 2}, {"b": 3, "a": 4}),
    "other keys": ({"a": 1}, {"b": 1}),
    "dict and ordered": ({"a": 1}, collections.OrderedDict(a=1)),
    "namedtuples of one name": (_Point(1, 2), _Point(3, 4)),
    "namedtuple and tuple": (_Point(1, 2), (3, 4)),
    "namedtuples of other fields": (_Point(1, 2), _Other(1, 2)),
    "namedtuples of other names": (_Point(1, 2), _Same(1, 2)),
    "deep": ({"a": [1, (2, 3)]}, {"a": [1, (2, 3)]}),
    "deep difference": ({"a": [1, (2, 3)]}, {"a": [1, (2,)]}),
    "nothing": ([], []),
    "nothing and something": ([], [1]),
    "text is a leaf": ("abc", 5),
}


@rows(*_COMPARED)
def compared(tf: Any, name: str) -> Any:
    one, two = _COMPARED[name]
    return [
        refused(lambda: tf.nest.assert_same_structure(one, two)),
        refused(lambda: tf.nest.assert_same_structure(one, two, check_types=False)),
        refused(lambda: tf.nest.map_structure(lambda a, b: (a, b), one, two, check_types=False)),
    ]


@rows("too few", "too many", "leaf for two", "not callable", "no structure")
def refuses(tf: Any, what: str) -> Any:
    return refused(
        {
            "too few": lambda: tf.nest.pack_sequence_as([1, [2]], [1]),
            "too many": lambda: tf.nest.pack_sequence_as([1, [2]], [1, 2, 3]),
            "leaf for two": lambda: tf.nest.pack_sequence_as(1, [1, 2]),
            "not callable": lambda: tf.nest.map_structure(3, [1]),
            "no structure": lambda: tf.nest.map_structure(lambda: 1),
        }[what]
    )


def composites_are_leaves_unless_expanded(tf: Any) -> Any:
    ragged = tf.ragged.constant([[1, 2], [3]])
    sparse = tf.SparseTensor([[0, 1]], [5.0], [2, 2])
    whole = tf.nest.flatten({"r": ragged, "s": [sparse, 1]})
    parts = tf.nest.flatten({"r": ragged, "s": [sparse, 1]}, expand_composites=True)
    again = tf.nest.pack_sequence_as({"r": ragged, "s": sparse}, parts[:5], expand_composites=True)
    return [len(whole), len(parts), again["r"].to_list(), again["s"].values.numpy(), type(again["s"]).__name__]

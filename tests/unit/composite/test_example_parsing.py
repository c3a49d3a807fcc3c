"""Examples parsed: values, static shapes and messages as TensorFlow 2.21 gives them, and a random round trip."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inlay as tf

io, train, v1 = tf.io, tf.train, tf.compat.v1
BAD = tf.errors.InvalidArgumentError
R = io.RaggedFeature


def feature(values: Any) -> Any:
    """A feature of the type of its values; int64 if there are none."""
    array = np.asarray(values) if len(values) else np.zeros(0, np.int64)
    if array.dtype.kind == "f":
        return train.Feature(float_list={"value": array.tolist()})
    if array.dtype.kind in "iu":
        return train.Feature(int64_list={"value": array.tolist()})
    return train.Feature(bytes_list={"value": list(values)})


def example(**values: Any) -> bytes:
    features = {k: v if isinstance(v, train.Feature) else feature(v) for k, v in values.items()}
    return train.Example(features={"feature": features}).SerializeToString()  # type: ignore[no-any-return]


def sequence(context: dict[str, Any], **lists: Any) -> bytes:
    message = train.SequenceExample(context={"feature": {k: feature(v) for k, v in context.items()}})
    for key, steps in lists.items():
        message.feature_lists.feature_list[key].feature.extend([feature(step) for step in steps])
    return message.SerializeToString()  # type: ignore[no-any-return]


def plain(value: Any) -> Any:
    """What was parsed as lists."""
    if isinstance(value, (dict, tuple)):
        return {k: plain(v) for k, v in value.items()} if isinstance(value, dict) else tuple(map(plain, value))
    if isinstance(value, tf.SparseTensor):
        return tuple(part.numpy().tolist() for part in (value.indices, value.values, value.dense_shape))
    return value.to_list() if isinstance(value, tf.RaggedTensor) else value.numpy().tolist()


def many(features: dict[str, Any]) -> Any:
    return io.parse_example(TWO, features)


TWO = [example(a=[1.0, 2.0], b=[3], c=[b"x\0"]), example(a=[4.0, 5.0], b=[6], d=[7, 8, 9])]
FIXED, VAR, SEQ = io.FixedLenFeature, io.VarLenFeature, io.FixedLenSequenceFeature


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        ({"a": FIXED([2], tf.float32)}, {"a": [[1.0, 2.0], [4.0, 5.0]]}),
        ({"a": FIXED([1, 2], tf.float32)}, {"a": [[[1.0, 2.0]], [[4.0, 5.0]]]}),
        ({"b": FIXED([], tf.int64), "c": FIXED([], tf.string, "none")}, {"b": [3, 6], "c": [b"x\0", b"none"]}),
        ({"d": FIXED([3], tf.int64, [1, 2, 3])}, {"d": [[1, 2, 3], [7, 8, 9]]}),
        (
            {"a": VAR(tf.float32), "d": VAR(tf.int64), "z": VAR(tf.string)},
            {
                "a": ([[0, 0], [0, 1], [1, 0], [1, 1]], [1.0, 2.0, 4.0, 5.0], [2, 2]),
                "d": ([[1, 0], [1, 1], [1, 2]], [7, 8, 9], [2, 3]),
                "z": ([], [], [2, 0]),
            },
        ),
        ({"d": SEQ([], tf.int64, allow_missing=True)}, {"d": [[0, 0, 0], [7, 8, 9]]}),
        ({"d": SEQ([], tf.int64, True, -1)}, {"d": [[-1, -1, -1], [7, 8, 9]]}),
        ({"a": SEQ([2], tf.float32, True)}, {"a": [[[1.0, 2.0]], [[4.0, 5.0]]]}),
        ({"c": SEQ([], tf.string, True)}, {"c": [[b"x\0"], [b""]]}),
        ({"d": R(tf.int64)}, {"d": [[], [7, 8, 9]]}),
        ({"e": R(tf.int64, "d"), "d": R(tf.int64)}, {"e": [[], [7, 8, 9]], "d": [[], [7, 8, 9]]}),
    ],
)
def test_examples_in_a_batch(features: dict[str, Any], expected: Any) -> None:
    assert plain(io.parse_example(TWO, features)) == expected


@pytest.mark.parametrize(
    ("text", "features", "expected"),
    [
        (
            TWO[0],
            {"a": FIXED([2], tf.float32), "b": FIXED([], tf.int64), "c": VAR(tf.string), "d": VAR(tf.int64)},
            {"a": [1.0, 2.0], "b": 3, "c": ([[0]], [b"x\0"], [1]), "d": ([], [], [0])},
        ),
        (TWO[1], {"d": SEQ([], tf.int64, True), "e": SEQ([2], tf.int64, True)}, {"d": [7, 8, 9], "e": []}),
        (TWO[1], {"d": R(tf.int64)}, {"d": [7, 8, 9]}),
        (example(a=list(np.arange(20.0))), {"a": FIXED([20], tf.float32)}, {"a": list(range(20))}),
        (example(v=[1, 2, 3], l=[2, 1]), {"r": R(tf.int64, "v", [R.RowLengths("l")])}, {"r": [[1, 2], [3]]}),
        (example(v=[1, 2, 3, 4]), {"r": R(tf.int64, "v", [R.UniformRowLength(2)])}, {"r": [[1, 2], [3, 4]]}),
        (
            example(v=[1, 2, 3, 4, 5], l=[2, 3], m=[1, 1]),
            {"r": R(tf.int64, "v", [R.RowLengths("m"), R.RowLengths("l")])},
            {"r": [[[1, 2]], [[3, 4, 5]]]},
        ),
        (
            example(ix=[0, 3], va=[1.0, 2.0]),
            {"s": io.SparseFeature("ix", "va", tf.float32, 5)},
            {"s": ([[0], [3]], [1.0, 2.0], [5])},
        ),
    ],
    ids=lambda value: "" if isinstance(value, bytes) else None,  # the order of maps in bytes is not fixed
)
def test_one_example(text: bytes, features: dict[str, Any], expected: Any) -> None:
    assert plain(io.parse_single_example(text, features)) == expected


@pytest.mark.parametrize(
    ("partition", "first", "second", "expected"),
    [
        (R.RowLengths("i"), [2, 0, 2], [1, 1], [[[1, 2], [], [3, 4]], [[5], [6]]]),
        (R.RowSplits("i"), [0, 2, 2, 4], [0, 1, 2], [[[1, 2], [], [3, 4]], [[5], [6]]]),
        (R.ValueRowIds("i"), [0, 0, 1, 3], [0, 1], [[[1, 2], [3], [], [4]], [[5], [6]]]),
        (R.RowStarts("i"), [0, 1], [0], [[[1], [2, 3, 4]], [[5, 6]]]),
        (R.RowLimits("i"), [1, 4], [2], [[[1], [2, 3, 4]], [[5, 6]]]),
        (R.UniformRowLength(2), [], [], [[[1, 2], [3, 4]], [[5, 6]]]),
    ],
)
def test_partitions_cut_ragged_features_into_rows(partition: Any, first: Any, second: Any, expected: Any) -> None:
    texts = [example(v=[1, 2, 3, 4], i=first), example(v=[5, 6], i=second)]
    for splits in (tf.int32, tf.int64):
        found = io.parse_example(texts, {"r": R(tf.int64, "v", [partition], splits)})["r"]
        assert found.to_list() == expected and found.row_splits.dtype == splits
    single = io.parse_single_example(texts[0], {"r": R(tf.int64, "v", [partition])})["r"]
    assert plain(single) == expected[0]
    twice = [
        example(v=[1, 2, 3, 4], i=first, o=[1, len(expected[0]) - 1]),
        example(v=[5, 6], i=second, o=[len(expected[1])]),
    ]
    nested = io.parse_example(twice, {"r": R(tf.int64, "v", [R.RowLengths("o"), partition])})["r"]
    assert nested.to_list() == [[expected[0][:1], expected[0][1:]], [expected[1]]]


def test_a_partition_that_does_not_fit_its_values_is_refused() -> None:
    with pytest.raises(
        BAD, match=r"Feature r, Index: 0: the partition \[1\] \(row_lengths\) does not fit its 2 values"
    ):
        io.parse_example([example(v=[1, 2], l=[1])], {"r": R(tf.int64, "v", [R.RowLengths("l")])})


def test_a_partition_with_other_steps_than_its_values_is_refused() -> None:
    text = sequence({}, v=[[1, 2], [3]], l=[[2]])
    with pytest.raises(
        BAD, match="Feature r: values and partitions are not aligned: 2 rows of values, 1 of partitions"
    ):
        io.parse_single_sequence_example(text, None, {"r": R(tf.int64, "v", [R.RowLengths("l")])})


def test_sparse_features_hold_coordinates_in_features_of_their_own() -> None:
    one = [example(ix=[0, 3], va=[1.0, 2.0]), example(ix=[1], va=[3.0])]
    found = io.parse_example(one, {"s": io.SparseFeature("ix", "va", tf.float32, 5)})
    assert plain(found) == {"s": ([[0, 0], [0, 3], [1, 1]], [1.0, 2.0, 3.0], [2, 5])}
    two = [example(ix=[3, 0], iy=[1, 2], va=[1.0, 2.0])]
    found = io.parse_example(two, {"s": io.SparseFeature(["ix", "iy"], "va", tf.float32, [5, 4])})
    assert plain(found) == {"s": ([[0, 0, 2], [0, 3, 1]], [2.0, 1.0], [1, 5, 4])}


@pytest.mark.parametrize(
    ("features", "names", "says"),
    [
        (
            {"c": FIXED([], tf.string)},
            None,
            "Name: <unknown>, Feature: c (data type: string) is required but could not be",
        ),
        (
            {"c": FIXED([], tf.string)},
            ["e1", "e2"],
            "Name: e2, Feature: c (data type: string) is required but could not",
        ),
        (
            {"a": FIXED([2], tf.int64)},
            None,
            "Key: a, Index: 0.  Data types don't match. Data type: float but expected type: i",
        ),
        (
            {"a": FIXED([3], tf.float32)},
            None,
            "Key: a, Index: 0.  Number of float values != expected.  Values size: 2 but",
        ),
        ({"c": FIXED([3], tf.string, ["", "", ""])}, None, "Number of bytes values != expected.  Values size: 1 but"),
        (
            {"d": VAR(tf.float32)},
            None,
            "Key: d, Index: 1.  Data types don't match. Expected type: float, Actual type: int64",
        ),
        (
            {"d": SEQ([2], tf.int64, True)},
            None,
            "Key: d, Index: 1.  Number of int64 values is not a multiple of stride length. Saw 3",
        ),
        (
            {"d": R(tf.float32)},
            None,
            "Key: d, Index: 1.  Data types don't match. Expected type: float, Actual type: int64",
        ),
        ({"a": VAR(tf.int32)}, None, "not in the list of allowed values: float, int64, string"),
    ],
)
def test_examples_that_are_not_as_declared(features: dict[str, Any], names: Any, says: str) -> None:
    with pytest.raises(BAD, match=re.escape(says)):
        io.parse_example(TWO, features, example_names=names)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: many({}), ValueError, "Argument `features` cannot be None or falsy. Got {}"),
        (lambda: many({"a": 3}), ValueError, "Unsupported int 3 for key 'a'"),
        (lambda: many({"a": VAR(None)}), ValueError, "Missing type for feature a. Received feature=VarL"),
        (lambda: many({"a": FIXED(None, tf.int64)}), ValueError, "Missing shape for feature a."),
        (lambda: many({"a": FIXED([None, 2], tf.int64)}), ValueError, "First dimension of shape for fea"),
        (lambda: many({"a": FIXED([2, None], tf.int64)}), ValueError, "need to be known but received"),
        (lambda: many({"d": SEQ([], tf.int64)}), ValueError, "FixedLenSequenceFeature requires allow_missing"),
        (lambda: io.parse_example([TWO], {"a": VAR(tf.float32)}), BAD, "to be a scalar or vector, got shape: [1,2]"),
        (lambda: io.parse_example([b"\xff"], {"a": VAR(tf.float32)}), BAD, "Could not parse example input, value: b'"),
        (lambda: io.parse_single_example(TWO, {"a": VAR(tf.float32)}), ValueError, "Input serialized must be a scalar"),
        (lambda: io.parse_single_example(TWO[0], {"z": FIXED([], tf.int64)}), BAD, "Feature: z (data type: int64)"),
        (lambda: many({"b": io.SparseFeature("a", "a", tf.string, 1)}), ValueError, "Conflicting type int64 vs"),
        (lambda: many({"a": VAR(tf.int64), "b": R(tf.int64, "a")}), ValueError, "Ragged and sparse keys"),
        (lambda: many({"s": io.SparseFeature("", "a", tf.int64, 1)}), ValueError, "Missing index_key"),
        (lambda: R(tf.int32), ValueError, "Argument `dtype` must be int64, float32, or bytes"),
        (lambda: R(tf.int64, ""), ValueError, "Argument `value_key` must not be empty"),
        (lambda: R(tf.int64, 3), ValueError, "Argument `value_key` must be a string"),
        (lambda: R(tf.int64, "a", "b"), TypeError, "Argument `partitions` must be a list or tuple"),
        (lambda: R(tf.int64, "a", ["b"]), TypeError, "cannot be cast to any of the partition types"),
        (lambda: R(tf.int64, "a", [], tf.int8), ValueError, "Argument `row_splits_dtype` must be int32 or int64"),
        (lambda: io.parse_single_sequence_example(b""), ValueError, "are None, but at least one should have values"),
        (lambda: io.parse_single_sequence_example("", None, {"f": FIXED([], "int64")}), ValueError, "Unsupported Fix"),
    ],
)  # fmt: skip
def test_what_is_refused(call: Callable[[], Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=re.escape(says)):
        call()


# ---------------------------------------------------------------- sequences

FIRST = sequence({"n": [2]}, f=[[1.0, 2.0], [3.0, 4.0]], v=[[1], [2, 3]], e=[])
SECOND = sequence({"n": [3]}, f=[[5.0, 6.0]], v=[[4]])


def test_one_sequence() -> None:
    found = io.parse_single_sequence_example(
        FIRST, {"n": FIXED([], tf.int64)}, {"f": SEQ([2], tf.float32), "v": VAR(tf.int64), "e": VAR(tf.string)}
    )
    assert plain(found) == (
        {"n": 2},
        {
            "f": [[1.0, 2.0], [3.0, 4.0]],
            "v": ([[0, 0], [1, 0], [1, 1]], [1, 2, 3], [2, 2]),
            "e": ([], [], [0, 0]),
        },
    )
    ragged = io.parse_single_sequence_example(FIRST, {"n": R(tf.int64)}, {"v": R(tf.int64)})
    assert plain(ragged) == ({"n": [2]}, {"v": [[1], [2, 3]]})
    missing = {"z": SEQ([2], tf.float32, allow_missing=True), "y": VAR(tf.int64)}
    assert plain(io.parse_single_sequence_example(FIRST, None, missing)) == ({}, {"z": [], "y": ([], [], [0, 0])})


def test_sequences_in_a_batch_are_padded() -> None:
    found = io.parse_sequence_example(
        [FIRST, SECOND], {"n": FIXED([], tf.int64)}, {"f": SEQ([2], tf.float32), "v": VAR(tf.int64)}
    )
    assert plain(found) == (
        {"n": [2, 3]},
        {
            "f": [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [0.0, 0.0]]],
            "v": ([[0, 0, 0], [0, 1, 0], [0, 1, 1], [1, 0, 0]], [1, 2, 3, 4], [2, 2, 2]),
        },
        {"f": [2, 1]},
    )
    ragged = io.parse_sequence_example([FIRST, SECOND], {"n": R(tf.int64)}, {"v": R(tf.int64)})
    assert plain(ragged) == ({"n": [[2], [3]]}, {"v": [[[1], [2, 3]], [[4]]]}, {})


def test_ragged_steps_are_cut_by_partitions() -> None:
    text = sequence({}, v=[[1, 2, 3], [4]], l=[[2, 1], [1]])
    wanted = {"r": R(tf.int64, "v", [R.RowLengths("l")]), "u": R(tf.int64, "v", [R.UniformRowLength(1)])}
    _, found = io.parse_single_sequence_example(text, None, wanted)
    assert plain(found) == {"r": [[[1, 2], [3]], [[4]]], "u": [[[1], [2], [3]], [[4]]]}
    _, found, _ = io.parse_sequence_example([text, text], None, wanted)
    assert found["r"].to_list() == [[[[1, 2], [3]], [[4]]]] * 2


@pytest.mark.parametrize(
    ("context", "lists", "says"),
    [
        ({"z": FIXED([], tf.int64)}, None, "Feature: z (data type: int64) is required but could not be found."),
        (
            None,
            {"z": SEQ([2], tf.float32)},
            "Feature list 'z' is required but could not be found.  Did you mean to include",
        ),
        (
            None,
            {"f": SEQ([3], tf.float32)},
            "Key: f, Index: 0.  Number of values != expected.  values size: 2 but output",
        ),
        (
            None,
            {"v": SEQ([1], tf.int64)},
            "Key: v, Index: 1.  Number of values != expected.  values size: 2 but output",
        ),
        (None, {"f": SEQ([2], tf.int64)}, "Feature list: f, Index: 0.  Data types don't match. Expected type: int64"),
        (None, {"f": VAR(tf.int64)}, "Feature list: f, Index: 0.  Data types don't match. Expected type: int64"),
    ],
)
def test_sequences_that_are_not_as_declared(context: Any, lists: Any, says: str) -> None:
    with pytest.raises(BAD, match=re.escape(says)):
        io.parse_single_sequence_example(FIRST, context, lists)
    with pytest.raises(BAD, match=re.escape(says)):
        io.parse_sequence_example([FIRST], context, lists)


# ---------------------------------------------------------------- static shapes, graphs, datasets

ALL = {
    "a": FIXED([2], tf.float32),
    "b": FIXED([], tf.int64),
    "c": VAR(tf.string),
    "d": SEQ([3], tf.int64, True),
    "e": R(tf.int64),
    "r": R(tf.int64, "v", [R.RowLengths("l")]),
}


@pytest.mark.parametrize(
    ("lead", "expected"),
    [
        ([], {"a": [2], "b": [], "c": [None], "d": [None, 3], "e": [None], "r": [None, None]}),
        (
            [None],
            {"a": [None, 2], "b": [None], "c": [None] * 2, "d": [None, None, 3], "e": [None] * 2, "r": [None] * 3},
        ),
    ],
)
def test_shapes_are_known_while_tracing(lead: list[None], expected: dict[str, Any]) -> None:
    shapes: dict[str, Any] = {}

    @tf.function(input_signature=[tf.TensorSpec(lead, tf.string)])
    def parse(text: Any) -> Any:
        made = (io.parse_example if lead else io.parse_single_example)(text, ALL)
        shapes.update({key: value.shape.as_list() for key, value in made.items()})
        return made["b"]

    parse.get_concrete_function()
    assert shapes == expected


def test_in_a_graph_and_by_the_first_names() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        texts = tf.placeholder(tf.string, [None])
        made = tf.parse_example(
            texts, {"a": tf.FixedLenFeature([2], tf.float32), "c": tf.VarLenFeature(tf.string)}, "p"
        )
        one = tf.parse_single_example(texts[0], {"a": tf.FixedLenFeature((2,), tf.float32)})
        found = session.run([made["a"], made["c"], one["a"]], {texts: TWO})
    assert (
        found[0].tolist() == [[1, 2], [4, 5]] and found[1].values.tolist() == [b"x\0"] and found[2].tolist() == [1, 2]
    )


def test_inside_maps_of_datasets() -> None:
    records = tf.data.Dataset.from_tensor_slices(TWO)
    parsed = records.map(lambda text: io.parse_single_example(text, {k: ALL[k] for k in "abce"}))
    assert parsed.element_spec["a"] == tf.TensorSpec([2], tf.float32)
    found = [plain(element) for element in parsed]
    assert found[0] == {"a": [1.0, 2.0], "b": 3, "c": ([[0]], [b"x\0"], [1]), "e": []}
    batched = records.batch(2).map(lambda texts: io.parse_example(texts, {"d": R(tf.int64), "b": ALL["b"]}))
    assert [plain(element) for element in batched] == [{"d": [[], [7, 8, 9]], "b": [3, 6]}]


VALUES = st.one_of(
    st.lists(st.integers(-(2**63), 2**63 - 1), max_size=12),
    st.lists(st.floats(width=32, allow_nan=False), min_size=1, max_size=12),
    st.lists(st.binary(max_size=9), min_size=1, max_size=4),
)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.dictionaries(st.text(max_size=5), VALUES, max_size=4), max_size=5))
def test_what_was_written_is_what_is_parsed(rows: list[dict[str, Any]]) -> None:
    messages = [train.Example(features={"feature": {k: feature(v) for k, v in row.items()}}) for row in rows]
    texts = [message.SerializeToString() for message in messages]
    for key in {key for row in rows for key in row}:
        kinds = {
            "if"[isinstance(row[key][0], float)] if not isinstance(row[key][0], bytes) else "s"
            for row in rows
            if row.get(key)
        }
        if len(kinds) != 1:
            continue
        kind = {"i": tf.int64, "f": tf.float32, "s": tf.string}[kinds.pop()]
        if kind != tf.int64 and any(row.get(key) == [] for row in rows):
            continue  # an empty list was written as one of integers
        expected = [row.get(key, []) for row in rows]
        assert io.parse_example(texts, {key: R(kind)})[key].to_list() == expected
        sparse = io.parse_example(texts, {key: VAR(kind)})[key]
        assert sparse.values.numpy().tolist() == [v for row in expected for v in row]
        for text, row in zip(texts, expected, strict=True):
            one = io.parse_single_example(text, {key: SEQ([], kind, True)})[key]
            assert one.numpy().tolist() == row

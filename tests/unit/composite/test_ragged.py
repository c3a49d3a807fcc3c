"""RaggedTensor: making, taking apart, indexing, arithmetic, reductions, gradients; eager and in graphs."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inlay as tf

ROWS = [[1.0, 2.0], [], [3.0, 4.0, 5.0]]
DEEP = [[[1, 2], [3]], [], [[4, 5, 6]]]
NESTED = st.lists(st.lists(st.integers(-9, 9), max_size=5), max_size=6)


def ragged(rows: Any = ROWS) -> Any:
    return tf.ragged.constant(rows)


FACTORIES = {
    "row_splits": lambda v: tf.RaggedTensor.from_row_splits(v, [0, 2, 2, 5]),
    "row_lengths": lambda v: tf.RaggedTensor.from_row_lengths(v, [2, 0, 3]),
    "value_rowids": lambda v: tf.RaggedTensor.from_value_rowids(v, [0, 0, 2, 2, 2]),
    "value_rowids_nrows": lambda v: tf.RaggedTensor.from_value_rowids(v, [0, 0, 2, 2, 2], nrows=3),
    "row_starts": lambda v: tf.RaggedTensor.from_row_starts(v, [0, 2, 2]),
    "row_limits": lambda v: tf.RaggedTensor.from_row_limits(v, [2, 2, 5]),
    "nested_row_splits": lambda v: tf.RaggedTensor.from_nested_row_splits(v, [[0, 2, 2, 5]]),
    "nested_row_lengths": lambda v: tf.RaggedTensor.from_nested_row_lengths(v, [[2, 0, 3]]),
    "nested_value_rowids": lambda v: tf.RaggedTensor.from_nested_value_rowids(v, [[0, 0, 2, 2, 2]]),
}


@pytest.mark.parametrize("make", FACTORIES.values(), ids=FACTORIES)
def test_every_factory_makes_the_same_rows_eagerly_and_in_a_graph(make: Any) -> None:
    assert make([1.0, 2.0, 3.0, 4.0, 5.0]).to_list() == ROWS
    with tf.Graph().as_default(), tf.Session() as session:
        values = tf.placeholder(tf.float32, [None])
        value = session.run(make(values), {values: [1, 2, 3, 4, 5]})
    assert isinstance(value, tf.ragged.RaggedTensorValue)
    assert value.to_list() == ROWS and value.row_splits.dtype == np.int64


def test_its_parts() -> None:
    rt = ragged()
    assert rt.shape.as_list() == [3, None] and rt.dtype is tf.float32 and rt.ragged_rank == 1
    assert rt.row_splits.numpy().tolist() == [0, 2, 2, 5]
    assert rt.row_lengths().numpy().tolist() == [2, 0, 3]
    assert rt.value_rowids().numpy().tolist() == [0, 0, 2, 2, 2]
    assert rt.row_starts().numpy().tolist() == [0, 2, 2] and rt.row_limits().numpy().tolist() == [2, 2, 5]
    assert int(rt.nrows()) == 3 == len(rt)
    assert rt.bounding_shape().numpy().tolist() == [3, 3]
    assert rt.with_values(tf.constant([5, 4, 3, 2, 1])).to_list() == [[5, 4], [], [3, 2, 1]]


def test_nested_rows_know_all_their_partitions() -> None:
    rt = ragged(DEEP)
    assert rt.ragged_rank == 2 and rt.shape.as_list() == [3, None, None]
    assert [s.numpy().tolist() for s in rt.nested_row_splits] == [[0, 2, 2, 3], [0, 2, 3, 6]]
    assert [s.numpy().tolist() for s in rt.nested_row_lengths()] == [[2, 0, 1], [2, 1, 3]]
    assert rt.flat_values.numpy().tolist() == [1, 2, 3, 4, 5, 6]
    assert rt.bounding_shape().numpy().tolist() == [3, 2, 3]
    assert rt.row_lengths(axis=2).to_list() == [[2, 1], [], [3]]
    assert rt.merge_dims(0, 1).to_list() == [[1, 2], [3], [4, 5, 6]]
    assert rt.merge_dims(1, 2).to_list() == [[1, 2, 3], [], [4, 5, 6]]
    assert rt.merge_dims(0, -1).numpy().tolist() == [1, 2, 3, 4, 5, 6]


def test_inner_dimensions_may_be_uniform() -> None:
    rt = tf.RaggedTensor.from_row_lengths([[1, 2], [3, 4], [5, 6]], [1, 2])
    assert rt.shape.as_list() == [2, None, 2] and rt.ragged_rank == 1
    assert rt.to_list() == [[[1, 2]], [[3, 4], [5, 6]]]
    assert rt.to_tensor().shape.as_list() == [2, 2, 2]
    assert rt.merge_dims(1, 2).to_list() == [[1, 2], [3, 4, 5, 6]] and rt.merge_dims(0, 1).shape.as_list() == [3, 2]
    assert tf.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1).shape.as_list() == [2, None, 2]
    uniform = tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2)
    assert uniform.shape.as_list() == [2, 2] and uniform[:, 1].numpy().tolist() == [2, 4]


@pytest.mark.parametrize(
    ("splits", "message"),
    [
        ([0, 3], "must end with the number of values, 2; it ends with 3"),
        ([1, 2], "must start with 0, got 1"),
        ([0, 2, 1, 2], "must not decrease: row 1 starts at 2 and ends at 1"),
    ],
)
def test_a_false_partition_is_refused_where_it_has_a_value(splits: list[int], message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.RaggedTensor.from_row_splits([1, 2], splits)
    with tf.Graph().as_default(), tf.Session() as session:
        rt = tf.RaggedTensor.from_row_splits(tf.constant([1, 2]), tf.placeholder_with_default(splits, [None]))
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            session.run(rt)


def test_unsorted_row_numbers_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be sorted"):
        tf.RaggedTensor.from_value_rowids([1, 2], [1, 0])
    with pytest.raises(
        ValueError, match=r"Expected nrows >= value_rowids\[-1\] \+ 1; got nrows=1, value_rowids\[-1\]=1"
    ):
        tf.RaggedTensor.from_value_rowids([1, 2], [0, 1], nrows=1)


def test_scalars_at_different_depths_are_refused() -> None:
    with pytest.raises(ValueError, match="same nesting depth"):
        tf.ragged.constant([1, [2]])


INDICES: list[tuple[Any, Any]] = [
    (0, [1.0, 2.0]),
    (-1, [3.0, 4.0, 5.0]),
    ((2, 1), 4.0),
    (slice(1, None), [[], [3.0, 4.0, 5.0]]),
    (slice(None, None, -1), [[3.0, 4.0, 5.0], [], [1.0, 2.0]]),
    ((slice(None), slice(None, 1)), [[1.0], [], [3.0]]),
    ((slice(None), slice(None, None, -1)), [[2.0, 1.0], [], [5.0, 4.0, 3.0]]),
    ((Ellipsis, slice(-1, None)), [[2.0], [], [5.0]]),
    ((2, slice(1, None)), [4.0, 5.0]),
]


@pytest.mark.parametrize(("key", "expected"), INDICES, ids=[str(k) for k, _ in INDICES])
def test_indexing(key: Any, expected: Any) -> None:
    def plain(value: Any) -> Any:
        return value.to_list() if hasattr(value, "to_list") else np.asarray(value).tolist()

    assert plain(ragged()[key]) == expected
    with tf.Graph().as_default(), tf.Session() as session:
        assert plain(session.run(ragged()[key])) == expected


def test_a_position_inside_a_ragged_dimension_is_refused() -> None:
    with pytest.raises(ValueError, match="Cannot index into an inner ragged dimension"):
        ragged()[:, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
        ragged()[3]


def test_indexing_nested_rows() -> None:
    rt = ragged(DEEP)
    assert rt[0].to_list() == [[1, 2], [3]] and rt[0, 0].numpy().tolist() == [1, 2] and int(rt[2, 0, 1]) == 5
    assert rt[:, :1].to_list() == [[[1, 2]], [], [[4, 5, 6]]]
    assert rt[..., :1].to_list() == [[[1], [3]], [], [[4]]]


def test_iteration_gives_rows() -> None:
    assert [row.numpy().tolist() for row in ragged()] == ROWS


@given(NESTED)
def test_lists_survive_the_way_there_and_back(rows: list[list[int]]) -> None:
    rt = tf.ragged.constant(rows, tf.int64, ragged_rank=1 if rows else 0)
    if not rows:
        return
    assert rt.to_list() == rows
    assert tf.RaggedTensor.from_tensor(rt.to_tensor(), lengths=rt.row_lengths()).to_list() == rows
    width = max(map(len, rows))
    assert rt.to_tensor(-1).numpy().tolist() == [r + [-1] * (width - len(r)) for r in rows]
    assert tf.reduce_sum(rt, axis=1).numpy().tolist() == [sum(r) for r in rows]
    assert pickle.loads(pickle.dumps(rt)).to_list() == rows


@given(NESTED, st.integers(-6, 6), st.integers(-6, 6), st.sampled_from([-2, -1, 1, 2]))
def test_slices_are_those_of_lists(rows: list[list[int]], start: int, stop: int, step: int) -> None:
    if not rows:
        return
    rt, cut = tf.ragged.constant(rows, tf.int32, ragged_rank=1), slice(start, stop, step)
    assert rt[cut].to_list() == rows[cut]
    assert rt[:, cut].to_list() == [row[cut] for row in rows]


def test_dense_forms() -> None:
    rt = ragged()
    assert rt.to_tensor(shape=[2, 2]).numpy().tolist() == [[1, 2], [0, 0]]
    assert rt.to_tensor(-1.0, shape=[None, 4]).numpy()[1].tolist() == [-1] * 4
    assert tf.ragged.constant([["a", "b"], ["c"]]).to_tensor().numpy().tolist() == [[b"a", b"b"], [b"c", b""]]
    assert ragged(DEEP).to_tensor().numpy()[0].tolist() == [[1, 2, 0], [3, 0, 0]]
    assert tf.RaggedTensor.from_tensor([[1, 2, 0], [3, 0, 0]], padding=0).to_list() == [[1, 2], [3]]
    assert tf.RaggedTensor.from_tensor([[[1, 2], [3, 4]]], ragged_rank=2).to_list() == [[[1, 2], [3, 4]]]
    array = rt.numpy()
    assert array.dtype == object and array[2].tolist() == [3, 4, 5]
    assert ragged([[1, 2], [3, 4]]).numpy().dtype == np.int32


def test_arithmetic_works_on_flat_values() -> None:
    rt = ragged()
    assert (rt + 1).to_list() == (1 + rt).to_list() == [[2, 3], [], [4, 5, 6]]
    assert (rt * rt - rt / 2).to_list() == [[0.5, 3], [], [7.5, 14, 22.5]]
    assert (tf.constant(2.0) * rt).to_list() == (-(-rt * 2)).to_list() == [[2, 4], [], [6, 8, 10]]
    assert (rt > 2).to_list() == [[False, False], [], [True, True, True]]
    assert (rt * tf.constant([[1.0], [2.0], [3.0]])).to_list() == [[1, 2], [], [9, 12, 15]]
    assert tf.cast(rt, tf.int32).dtype is tf.int32 and tf.abs(-rt).to_list() == ROWS
    assert tf.square(rt).to_list() == tf.ragged.map_flat_values(tf.square, rt).to_list()


def test_every_operator_of_tensors_is_one_of_rows() -> None:
    numbers, flags = tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[True, False], [True]])
    assert (2**numbers).to_list() == [[2, 4], [8]] and (numbers**2).to_list() == [[1, 4], [9]]
    assert (7 // numbers).to_list() == [[7, 3], [2]] and (7 % numbers).to_list() == [[0, 1], [1]]
    assert (flags ^ True).to_list() == (True ^ flags).to_list() == (~flags).to_list() == [[False, True], [False]]
    assert (True & flags).to_list() == (flags | False).to_list() == flags.to_list()
    assert (numbers & 1).to_list() == [[1, 0], [1]] and (4 | numbers).to_list() == [[5, 6], [7]]
    assert (~numbers).to_list() == [[-2, -3], [-4]] and (numbers ^ numbers).to_list() == [[0, 0], [0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="may not be ragged in their innermost dimension"):
        numbers @ numbers


def test_different_rows_do_not_mix() -> None:
    other = tf.ragged.constant([[1.0], [], [2.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unable to broadcast"):
        ragged() + other
    with tf.Graph().as_default(), tf.Session() as session:
        lengths = tf.placeholder(tf.int64, [None])
        one, two = (tf.RaggedTensor.from_row_lengths(tf.constant([1.0, 2.0]), n) for n in (lengths, [1, 1]))
        total = one + two
        assert session.run(total, {lengths: [1, 1]}).to_list() == [[2.0], [4.0]]
        with pytest.raises(tf.errors.InvalidArgumentError, match="Unable to broadcast"):
            session.run(total, {lengths: [2, 0]})


def test_text_and_special_functions_work_on_flat_values() -> None:
    words = tf.ragged.constant([["ab", "b"], ["c"]])
    assert tf.strings.regex_replace(words, "b", "x").to_list() == [[b"ax", b"x"], [b"c"]]
    assert tf.strings.regex_full_match(words, "a?b").to_list() == [[True, True], [False]]
    assert tf.strings.join([words, words, "!"], "-").to_list() == [[b"ab-ab-!", b"b-b-!"], [b"c-c-!"]]
    numbers = tf.ragged.constant([[0.5], [], [-0.5, 0.0]])
    assert tf.math.erfinv(tf.math.erf(numbers)).to_tensor().numpy() == pytest.approx(numbers.to_tensor().numpy())


def test_an_op_without_a_meaning_for_rows_names_itself() -> None:
    with pytest.raises(TypeError, match=r"does not take a RaggedTensor.*to_tensor\(\)"):
        tf.roll(ragged(), 1, 0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unable to broadcast: rows of lengths"):
        ragged() + tf.constant([1.0, 2.0, 3.0])
    with pytest.raises(TypeError, match="StatelessMultinomial does not take a RaggedTensor"):
        tf.random.stateless_categorical([[0.0, 1.0]], 2, [tf.ragged.constant([[1]]), 2])


REDUCTIONS = [("reduce_sum", np.sum), ("reduce_mean", np.mean), ("reduce_max", np.max), ("reduce_min", np.min)]


@pytest.mark.parametrize(("name", "reference"), REDUCTIONS)
def test_reductions(name: str, reference: Any) -> None:
    rows = [[4.0, 2.0], [7.0], [3.0, 9.0, 5.0]]
    reduce = getattr(tf, name)
    with tf.Graph().as_default(), tf.Session() as session:
        in_graph = session.run([reduce(ragged(rows), axis=a) for a in (None, 0, 1)])
    for found in (in_graph, [reduce(ragged(rows), axis=a).numpy() for a in (None, 0, 1)]):
        np.testing.assert_allclose(found[0], reference(sum(rows, [])))
        np.testing.assert_allclose(
            found[1], [reference([r[k] for r in rows if len(r) > k]) for k in range(max(map(len, rows)))]
        )
        np.testing.assert_allclose(found[2], [reference(r) for r in rows])


def test_reductions_of_nested_and_empty_rows() -> None:
    assert tf.reduce_sum(ragged(DEEP), axis=2).to_list() == [[3, 3], [], [15]]
    assert tf.reduce_sum(ragged(DEEP), axis=[1, 2]).numpy().tolist() == [6, 0, 15]
    assert np.isnan(tf.reduce_mean(ragged(), axis=1).numpy()[1])
    assert tf.reduce_sum(ragged(), axis=1, keepdims=True).shape.as_list() == [3, 1]
    assert tf.reduce_sum(ragged(DEEP), axis=1).to_list() == [[4, 2], [], [4, 5, 6]]


def test_joining_and_gathering() -> None:
    rt = ragged()
    assert tf.concat([rt, rt], 0).to_list() == ROWS + ROWS
    assert tf.concat([rt, rt], 1).to_list() == [r + r for r in ROWS]
    assert tf.concat([ragged(DEEP), ragged(DEEP)], -1).to_list() == [[r + r for r in m] for m in DEEP]
    assert tf.concat([rt, tf.constant([[7.0]])], 0).to_list() == [*ROWS, [7.0]]
    assert tf.stack([rt, rt]).to_list() == [ROWS, ROWS]
    assert tf.ragged.stack([[1, 2], [3]]).to_list() == [[1, 2], [3]]
    assert tf.ragged.stack([[1, 2], [3, 4]], axis=1).numpy().tolist() == [[1, 3], [2, 4]]
    assert tf.gather(rt, [2, 0]).to_list() == [ROWS[2], ROWS[0]]
    assert tf.expand_dims(rt, 1).to_list() == [[r] for r in ROWS]
    assert int(tf.size(rt)) == 5


def test_ranges_and_masks() -> None:
    assert tf.ragged.range([3, 0, 2]).to_list() == [[0, 1, 2], [], [0, 1]]
    assert tf.ragged.range([0, 5], [4, 8], 2).to_list() == [[0, 2], [5, 7]]
    keep = tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]])
    assert keep.to_list() == [[1], [3, 4]]
    assert tf.ragged.boolean_mask(ragged(), ragged() > 1.5).to_list() == [[2.0], [], [3.0, 4.0, 5.0]]
    assert tf.ragged.boolean_mask(ragged(), [True, True, False]).to_list() == [[1.0, 2.0], []]
    assert tf.ragged.row_splits_to_segment_ids([0, 2, 3]).numpy().tolist() == [0, 0, 1]
    assert tf.ragged.segment_ids_to_row_splits([0, 0, 1]).numpy().tolist() == [0, 2, 3]


def test_map_flat_values_refuses_an_op_that_changes_the_count() -> None:
    with pytest.raises(ValueError, match="same outer-dimension size"):
        tf.ragged.map_flat_values(lambda v: v[:1], ragged())


GRADIENTS = {
    "to_tensor": lambda r: r.to_tensor(),
    "cropped": lambda r: r.to_tensor(shape=[2, 2]),
    "sum": lambda r: tf.reduce_sum(r, axis=1),
    "mean": lambda r: tf.reduce_mean(r, axis=1),
    "max": lambda r: tf.reduce_max(r, axis=1),
    "min": lambda r: tf.reduce_min(r, axis=1),
    "columns": lambda r: tf.reduce_sum(r, axis=0),
    "rows": lambda r: r[::-1].flat_values,
    "inside": lambda r: r[:, ::-1].flat_values,
    "row": lambda r: r[2],
    "concat": lambda r: tf.concat([r, r], 1).flat_values,
    "square": lambda r: (r * r).flat_values,
    "there_and_back": lambda r: tf.RaggedTensor.from_tensor(r.to_tensor(), lengths=[1, 2, 3]).flat_values,
}


@pytest.mark.parametrize("function", GRADIENTS.values(), ids=GRADIENTS)
def test_gradients_reach_the_flat_values(function: Any) -> None:
    start = np.array([1.0, 2.5, 7.0, 3.0, 5.0])

    def weighted(values: Any) -> Any:
        out = function(tf.RaggedTensor.from_row_lengths(values, [2, 1, 2]))
        weights = np.arange(1.0, out.numpy().size + 1).reshape(out.shape) if hasattr(out, "numpy") else 1.0
        return tf.reduce_sum(out * out * weights)

    x = tf.constant(start)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = weighted(x)
        first = tf.convert_to_tensor(tape.gradient(y, x))
        total = tf.reduce_sum(first * first)
    step = 1e-6
    shifts = [step * np.eye(5)[i] for i in range(5)]
    numeric = [float(weighted(tf.constant(start + d)) - weighted(tf.constant(start - d))) / (2 * step) for d in shifts]
    np.testing.assert_allclose(first.numpy(), numeric, rtol=1e-5, atol=1e-6)
    second = tf.convert_to_tensor(outer.gradient(total, x))

    def norm(values: Any) -> float:
        with tf.GradientTape() as tape:
            tape.watch(values)
            y = weighted(values)
        return float(tf.reduce_sum(tf.convert_to_tensor(tape.gradient(y, values)) ** 2))

    numeric = [(norm(tf.constant(start + d)) - norm(tf.constant(start - d))) / (2 * step) for d in shifts]
    np.testing.assert_allclose(second.numpy(), numeric, rtol=1e-4, atol=1e-4)


def test_a_tape_differentiates_with_respect_to_rows() -> None:
    rt = ragged()
    with tf.GradientTape() as tape:
        tape.watch(rt)
        y = tf.reduce_sum(rt * rt)
    assert tape.gradient(y, rt).to_list() == [[2, 4], [], [6, 8, 10]]


def test_printing() -> None:
    assert repr(ragged()) == "<tf.RaggedTensor [[1.0, 2.0], [], [3.0, 4.0, 5.0]]>"
    assert repr(tf.ragged.constant([["a"], []])) == "<tf.RaggedTensor [[b'a'], []]>"
    assert "..." in repr(tf.ragged.range([1001]))
    assert repr(tf.ragged.constant([[[]], []])) == "<tf.RaggedTensor [[[]], []]>"
    assert repr(tf.ragged.constant([[0.1, 2.0], [3.0, 4.0]])) == "<tf.RaggedTensor [[0.1, 2.0],\n [3.0, 4.0]]>"
    with tf.Graph().as_default():
        rt = tf.ragged.placeholder(tf.float32, 1, value_shape=(), name="p")
        assert repr(rt).startswith('tf.RaggedTensor(values=Tensor("p/flat_values:0", shape=(None,), dtype=float32)')
        with pytest.raises(TypeError, match="symbolic RaggedTensor"):
            iter(rt)


def test_equality_is_identity_in_a_graph_of_1x_and_of_values_elsewhere() -> None:
    """As TensorFlow 2.21, and as tensors that are not ragged."""
    with tf.Graph().as_default():
        one, two = ragged(), ragged()
        assert (one == one, one == two, one != one, one != two, one == 1.0) == (True, False, False, True, False)
        sparse = tf.sparse.from_dense([1.0])
        assert (sparse == sparse, sparse != sparse) == (True, False)
    same = [[True, True], [], [True, True, True]]
    assert (ragged() == ragged()).to_list() == tf.function(lambda a: a == a)(ragged()).to_list() == same
    assert (ragged() != 4.0).to_list() == [[True, True], [], [True, False, True]]


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_rows_keep_the_encoding_they_were_made_from(dtype: Any) -> None:
    lengths, ids, count = (tf.constant(v, dtype) for v in ([1, 2], [0, 2, 2], 5))
    assert tf.RaggedTensor.from_row_lengths([1, 2, 3], lengths).row_lengths() is lengths
    rows = tf.RaggedTensor.from_value_rowids([1, 2, 3], ids, count)
    assert rows.value_rowids() is ids and rows.nrows() is count
    assert rows.with_values([4.0, 5.0, 6.0]).value_rowids() is ids


def test_an_encoding_in_a_graph_waits_for_the_check_of_its_rows() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        lengths = tf.compat.v1.placeholder(tf.int64, [None])
        fetched = tf.RaggedTensor.from_row_lengths([1, 2, 3], lengths).row_lengths()
        assert session.run(fetched, {lengths: [1, 2]}).tolist() == [1, 2]
        with pytest.raises(tf.errors.InvalidArgumentError, match="number of values"):
            session.run(fetched, {lengths: [1, 1]})


@pytest.mark.parametrize("other", [[[3, 4, 5]], [[1.5, 2.5]], "x", object()], ids=["wider", "floats", "text", "object"])
def test_rows_that_cannot_be_compared_are_not_equal(other: Any) -> None:
    rows = tf.RaggedTensor.from_row_splits([[1, 2]], [0, 1])
    if isinstance(other, list):
        other = tf.RaggedTensor.from_row_splits(other, [0, 1])
    assert (rows == other) is False and (rows != other) is True
    assert rows in [other, rows]


def test_names_of_rows_in_a_graph_tell_how_they_were_made() -> None:
    with tf.Graph().as_default():
        rows = tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 3], validate=False)
        assert rows.values.name == "RaggedFromRowSplits/values:0"
        assert rows.row_splits.name == "RaggedFromRowSplits/RowPartitionFromRowSplits/row_splits:0"

"""Tensors of records: what is not recorded from TensorFlow, which has ops of them in a module that is not public."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import inlay as tf

Structured = tf.experimental.StructuredTensor


def _records() -> Any:
    return Structured.from_pyval([[{"a": 1, "b": [2, 3]}, {"a": 4, "b": []}], [{"a": 5, "b": [7]}]])


def test_ops_on_records_work_on_every_field() -> None:
    value = _records()
    rows = value.to_pyval()
    assert tf.expand_dims(value, 1).to_pyval() == [[row] for row in rows]
    assert tf.gather(value, [1, 0, 1]).to_pyval() == [rows[1], rows[0], rows[1]]
    assert tf.concat([value, value], 0).to_pyval() == rows + rows
    assert tf.concat([value, value], -1).to_pyval() == [row + row for row in rows]
    assert sorted(map(repr, tf.random.shuffle(value).to_pyval())) == sorted(map(repr, rows))


def test_ops_on_the_shape_of_records() -> None:
    value = _records()
    assert tf.shape(value).static_lengths() == [2, (2, 1)]
    assert tf.shape(value).dtype is tf.int32
    assert [int(tf.size(value)), int(tf.rank(value))] == [3, 2]
    assert tf.zeros_like(value).to_list() == [[0.0, 0.0], [0.0]]
    assert tf.ones_like(value, tf.int32).to_list() == [[1, 1], [1]]
    assert tf.ones_like(Structured.from_fields({"a": 1})).numpy() == 1.0


def test_records_of_other_fields_are_not_joined() -> None:
    with pytest.raises(ValueError, match="Some paths are present in some, but not all"):
        tf.concat([Structured.from_pyval([{"a": 1}]), Structured.from_pyval([{"b": 1}])], 0)
    with pytest.raises(ValueError, match="must be a list of StructuredTensors"):
        tf.concat([Structured.from_pyval([{"a": 1}]), tf.constant([1])], 0)


def test_ops_without_a_meaning_for_records_say_so() -> None:
    with pytest.raises(TypeError, match="AddV2 does not take a StructuredTensor, got <StructuredTensor"):
        tf.add(_records(), 1)


def test_records_go_through_datasets_functions_and_pickles() -> None:
    rows = [{"a": 1, "b": [2, 3]}, {"a": 4, "b": []}, {"a": 5, "b": [7]}]
    value = Structured.from_pyval(rows)
    data = tf.data.Dataset.from_tensor_slices(value)
    assert [row.to_pyval() for row in data] == rows
    batches = data.batch(2).map(lambda rows: rows.with_updates({"a": lambda a: a + 1}))
    assert [batch[:, "a"].numpy().tolist() for batch in batches] == [[2, 5], [6]]
    assert pickle.loads(pickle.dumps(value)).to_pyval() == rows
    spec = tf.type_spec_from_value(value)
    assert pickle.loads(pickle.dumps(spec)) == spec

    @tf.function(input_signature=[spec])
    def total(value: Any) -> Any:
        return tf.reduce_sum(value[:, "b"])

    assert int(total(value)) == 12


def test_fields_share_the_row_partitions_of_the_whole() -> None:
    value = _records()
    (rows,) = value.row_partitions
    assert all(field.row_splits is rows.row_splits() for field in (value[:, :, "a"], value[:, :, "b"]))


def test_records_have_values_only_eagerly() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="only supported in eager mode"):
        _records().to_pyval()


def test_lists_of_records_fit_a_spec() -> None:
    spec = tf.type_spec_from_value(Structured.from_pyval([{"a": 1, "b": [1.5]}]))
    wide = Structured.Spec._from_fields_and_rank(
        {"a": tf.TensorSpec([None], tf.int64), "b": tf.RaggedTensorSpec([None, None], tf.float32)}, 1
    )
    value = Structured.from_pyval([{"a": 1, "b": []}, {"a": 2, "b": [1]}], wide)
    assert [value[:, "a"].dtype, value[:, "b"].dtype] == [tf.int64, tf.float32]
    assert Structured.from_pyval([], wide).to_pyval() == []
    with pytest.raises(ValueError, match="does not match typespec"):
        Structured.from_pyval([{"c": 1}], spec)
    with pytest.raises(ValueError, match="does not match typespec"):
        Structured.from_pyval({"a": 1}, spec)


def test_a_saved_function_takes_and_gives_records(tmp_path: Any) -> None:
    value = Structured.from_pyval([{"a": 1, "b": [2, 3]}, {"a": 4, "b": []}])

    class Doubler(tf.Module):
        @tf.function(input_signature=[tf.type_spec_from_value(value)])
        def __call__(self, value: Any) -> Any:
            return value.with_updates({"a": lambda a: a * 2})

    tf.saved_model.save(Doubler(), str(tmp_path))
    result = tf.saved_model.load(str(tmp_path))(value)
    assert result.to_pyval() == [{"a": 2, "b": [2, 3]}, {"a": 8, "b": []}]

"""Tensors of records, in programs of our own."""

from __future__ import annotations

from typing import Any

from tests.golden.make_programs import refused, rows


def _people(tf: Any) -> Any:
    structured = tf.experimental.StructuredTensor
    homes = structured.from_fields({"city": tf.constant(["Oslo", "Rome"]), "no": tf.constant([4, 7])}, shape=[2])
    return structured.from_fields(
        {"name": tf.constant(["Ada", "Bo"]), "marks": tf.ragged.constant([[1, 2], [3]]), "home": homes}, shape=[2]
    )


def _matrix(tf: Any) -> Any:
    marks = tf.ragged.constant([[1, 2], [3]])
    return tf.experimental.StructuredTensor.from_fields({"a": marks, "b": marks * 2}, [None, None])


def _facts(value: Any) -> Any:
    if not hasattr(value, "field_names"):
        return value.to_list() if hasattr(value, "to_list") else value
    partitions = [p.row_splits() for p in value.row_partitions]
    return [value.rank, value.shape, value.nrows(), sorted(value.field_names()), partitions, value.to_pyval()]


_FIELDS: dict[str, Any] = {
    "scalar": lambda tf: ({"a": 1, "b": [2, 3]}, {}),
    "vector": lambda tf: ({"a": [1, 2], "b": [[1.0], [2.0]]}, {"shape": [2]}),
    "unknown size": lambda tf: ({"a": [1, 2]}, {"shape": [None]}),
    "ragged": lambda tf: ({"a": tf.ragged.constant([[1, 2], [3]])}, {"shape": [None, None]}),
    "dense matrix": lambda tf: ({"a": [[1, 2], [3, 4]], "b": [[5, 6], [7, 8]]}, {"shape": [2, 2]}),
    "no fields": lambda tf: ({}, {"shape": [3]}),
    "no fields but rows": lambda tf: ({}, {"shape": [None], "nrows": tf.constant(2)}),
    "partitions": lambda tf: (
        {},
        {"shape": [2, None], "row_partitions": [tf.experimental.RowPartition.from_row_lengths([1, 2])]},
    ),
    "unknown rank": lambda tf: ({"a": 1}, {"shape": None}),
    "no dictionary": lambda tf: ([1], {}),
    "number as name": lambda tf: ({1: 1}, {}),
    "bad name": lambda tf: ({"_a": 1}, {}),
    "differing sizes": lambda tf: ({"a": [1, 2], "b": [1]}, {"shape": [2]}),
    "too few dimensions": lambda tf: ({"a": 1}, {"shape": [2]}),
    "scalar with rows": lambda tf: ({"a": 1}, {"nrows": 1}),
    "nothing tells the size": lambda tf: ({}, {"shape": [None]}),
    "partitions of a vector": lambda tf: (
        {},
        {"shape": [2], "row_partitions": [tf.experimental.RowPartition.from_row_lengths([1, 2])]},
    ),
    "no tensor": lambda tf: ({"a": object()}, {}),
}


@rows(*_FIELDS)
def of_fields(tf: Any, which: str) -> Any:
    fields, arguments = _FIELDS[which](tf)
    return refused(lambda: _facts(tf.experimental.StructuredTensor.from_fields(fields, **arguments)))


_VALUES: dict[str, Any] = {
    "record": {"a": 1, "b": [[1, 2], [3]]},
    "records": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}],
    "nested": [{"a": [{"b": 1}, {"b": 2}]}, {"a": [{"b": 3}]}],
    "matrix": [[{"a": 1}], [{"a": 2}, {"a": 3}], []],
    "empty records": [{}, {}],
    "empty records in lists": [[{}], [{}, {}]],
    "lists": [[1], [2, 3]],
    "number": 5,
    "differing depths": [{"a": 1}, [{"a": 2}]],
    "differing keys": [{"a": 1}, {"b": 2}],
    "mixed": {"a": [1, "x"]},
}


@rows(*_VALUES)
def of_python_values(tf: Any, which: str) -> Any:
    return refused(lambda: _facts(tf.experimental.StructuredTensor.from_pyval(_VALUES[which])))


_KEYS: dict[str, Any] = {
    "row": 1,
    "last row": -1,
    "rows": slice(0, 1),
    "no rows": slice(2, None),
    "field of rows": (slice(None), "name"),
    "field of a row": (0, "marks"),
    "item of a field": (0, "marks", 1),
    "field of a field": (slice(None), "home", "city"),
    "nothing": (),
    "field alone": "name",
    "new axis": None,
    "too many": (0, 0),
    "missing field": (0, "age"),
}


@rows(*_KEYS)
def item(tf: Any, which: str) -> Any:
    return refused(lambda: _facts(_people(tf)[_KEYS[which]]))


def fields(tf: Any) -> Any:
    people = _people(tf)
    return [
        _facts(people.field_value("marks")),
        _facts(people.field_value(("home", "city"))),
        refused(lambda: people.field_value("age")),
        refused(lambda: people.field_value(("name", "first"))),
        _facts(tf.experimental.StructuredTensor.from_fields_and_rank({"a": [[1], [2]]}, rank=1)),
        refused(lambda: tf.experimental.StructuredTensor.from_fields_and_rank({}, rank=1)),
        refused(lambda: tf.experimental.StructuredTensor.from_fields_and_rank({"a": 1}, rank=-1)),
    ]


_UPDATES: dict[str, Any] = {
    "new": {"age": [7, 9]},
    "function": {"marks": lambda marks: marks + 1},
    "removed": {"marks": None, "name": None},
    "below": {("home", "no"): lambda no: no * 10, ("home", "zip"): [1, 2]},
    "parent and child": {"home": None, ("home", "no"): None},
    "missing removed": {"age": None},
    "missing changed": {"age": lambda age: age},
    "below a tensor": {("name", "first"): [1, 2]},
    "below nothing": {("work", "no"): [1, 2]},
    "other size": {"age": [1, 2, 3]},
}


@rows(*_UPDATES)
def updated(tf: Any, which: str) -> Any:
    return refused(lambda: _facts(_people(tf).with_updates(_UPDATES[which])))


def other_shapes(tf: Any) -> Any:
    people, matrix = _people(tf), _matrix(tf)
    partition = tf.experimental.RowPartition
    nested = tf.experimental.StructuredTensor.from_pyval([{"a": [{"b": [1]}, {"b": [2, 3]}]}, {"a": []}])
    return [
        _facts(matrix.merge_dims(0, 1)),
        _facts(people.partition_outer_dimension(partition.from_row_lengths([1, 0, 1]))),
        _facts(people.partition_outer_dimension(partition.from_uniform_row_length(2, nvals=2))),
        _facts(nested.promote(("a", "b"), "all")),
        _facts(matrix.with_shape_dtype(tf.int32)),
        refused(lambda: matrix.merge_dims(1, 0)),
        refused(lambda: people.merge_dims(0, 1)),
        refused(lambda: people.partition_outer_dimension([0, 1, 2])),
        refused(lambda: nested.promote(("a",), "all")),
    ]


def through_functions(tf: Any) -> Any:
    doubled = tf.function(lambda value: value.with_updates({"a": lambda a: a * 2}))
    loop = tf.function(lambda value: tf.while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, doubled(v)), (0, value))[1])
    return [_facts(doubled(_matrix(tf))), _facts(loop(_matrix(tf)))]

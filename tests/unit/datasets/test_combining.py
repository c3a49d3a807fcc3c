"""One dataset of several."""

from __future__ import annotations

import numpy as np

import inlay as tf

Dataset = tf.data.Dataset


def test_many_datasets_in_a_row_are_one_stage() -> None:
    dataset = Dataset.range(2)
    for i in range(1500):
        dataset = dataset.concatenate(Dataset.from_tensors(np.int64(i)))
    assert int(dataset.cardinality()) == 1502
    one, other = (dataset.as_numpy_iterator() for _ in range(2))
    assert [int(next(one)) for _ in range(700)] == [0, 1, *range(698)]
    other.restore(one.save())
    assert [int(x) for x in other] == [int(x) for x in one] == list(range(698, 1500))


def test_a_row_of_datasets_is_no_part_of_what_was_made_of_it_before() -> None:
    first = Dataset.range(2).concatenate(Dataset.range(1))
    second = first.concatenate(Dataset.range(1))
    assert [int(x) for x in first] == [0, 1, 0]
    assert [int(x) for x in second] == [0, 1, 0, 0]
    ragged = Dataset.from_tensors([1]).concatenate(Dataset.from_tensors([1, 2])).concatenate(Dataset.from_tensors([0]))
    assert ragged.element_spec.shape.as_list() == [None]
    assert [x.tolist() for x in ragged.as_numpy_iterator()] == [[1], [1, 2], [0]]

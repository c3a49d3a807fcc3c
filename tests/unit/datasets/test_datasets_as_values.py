"""Datasets as elements of others, as arguments and results of functions, and at the end of branches."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import inlay as tf

Dataset = tf.data.Dataset


def numbers(dataset: Any) -> list[int]:
    return [int(x) for x in dataset]


def test_a_dataset_of_datasets() -> None:
    dataset = Dataset.from_tensors((Dataset.range(3), {"x": Dataset.from_tensors("a")}))
    assert isinstance(dataset.element_spec[0], tf.data.DatasetSpec)
    assert numbers(dataset.flat_map(lambda d, _: d)) == [0, 1, 2]
    assert [list(d.as_numpy_iterator()) for d, _ in dataset] == [[0, 1, 2]]
    several = tf.data.experimental.from_list([Dataset.range(2), Dataset.range(3)])
    assert numbers(several.flat_map(lambda d: d)) == [0, 1, 0, 1, 2]


def test_a_function_is_traced_once_for_datasets_of_one_spec() -> None:
    traces = []

    @tf.function
    def total(dataset: Any) -> Any:
        traces.append(dataset.element_spec)
        found = tf.constant(0, tf.int64)
        for x in dataset:
            found += x
        return found

    options = tf.data.Options()
    options.deterministic = False
    assert [int(total(d)) for d in (Dataset.range(4), Dataset.range(5).with_options(options))] == [6, 10]
    assert len(traces) == 1


def test_a_declared_argument() -> None:
    @tf.function(input_signature=[tf.data.DatasetSpec(tf.TensorSpec([None], tf.int64))])
    def count(dataset: Any) -> Any:
        return dataset.reduce(tf.constant(0), lambda n, x: n + tf.size(x))

    assert int(count(Dataset.range(5).batch(2))) == 5
    assert int(count(Dataset.range(6).batch(3, drop_remainder=True))) == 6
    with pytest.raises(TypeError, match="Can not cast"):
        count(Dataset.range(5))


def test_a_function_gives_a_dataset() -> None:
    @tf.function
    def doubled(count: Any) -> Any:
        return Dataset.range(count).map(lambda x: x * 2 + count)

    first, second = doubled(tf.constant(2, tf.int64)), doubled(tf.constant(3, tf.int64))
    assert numbers(first.concatenate(second)) == [2, 4, 3, 5, 7]


def test_branches_that_end_with_datasets() -> None:
    def either(x: Any) -> Any:
        if x > 1:
            return Dataset.range(x)
        return Dataset.range(10, 12)

    assert numbers(Dataset.range(3).flat_map(either)) == [10, 11, 10, 11, 0, 1]

    def unlike(x: Any) -> Any:
        if x > 1:
            return Dataset.range(x)
        return Dataset.from_tensors("a")

    with pytest.raises(TypeError, match="main branch"):
        Dataset.range(3).flat_map(unlike)


def test_in_a_session() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        stop = tf.compat.v1.placeholder(tf.int64, [])
        dataset = Dataset.from_tensors(Dataset.range(stop)).flat_map(lambda d: d)
        iterator = tf.compat.v1.data.make_initializable_iterator(dataset.batch(9))
        session.run(iterator.initializer, {stop: 3})
        assert session.run(iterator.get_next()).tolist() == [0, 1, 2]


def test_the_spec_of_a_dataset() -> None:
    spec = tf.type_spec_from_value(Dataset.range(3))
    assert spec == tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Dataset.range(4).flat_map(lambda x: Dataset.range(x)),
        lambda: Dataset.range(4).flat_map(lambda x: Dataset.range(x).flat_map(lambda y: Dataset.range(y + x).take(x))),
        lambda: Dataset.range(4).interleave(lambda x: Dataset.from_tensors(x).repeat(x).prefetch(2), cycle_length=2),
        lambda: Dataset.range(7).map(lambda x: x + 1).map(lambda x: x * 2).batch(2).unbatch(),
        lambda: Dataset.range(7).window(3).flat_map(lambda w: w.batch(3)).map(tf.reduce_sum),
        lambda: Dataset.range(3).map(lambda x: Dataset.range(x)).flat_map(lambda d: d.map(lambda y: y + 1)),
        lambda: Dataset.range(4).flat_map(lambda x: Dataset.range(2).map(lambda i: tf.strings.length("ab") + 1)),
        lambda: Dataset.range(4).flat_map(lambda x: Dataset.zip((Dataset.range(x), Dataset.range(x + 1)))).map(tf.add),
    ],
)
def test_a_dataset_whose_functions_make_datasets_pickles(make: Any) -> None:
    dataset = make()
    sent = pickle.dumps(dataset)
    assert numbers(pickle.loads(sent)) == numbers(dataset) != []
    assert numbers(pickle.loads(pickle.dumps(dataset))) == numbers(dataset)


def test_a_tensor_of_a_traced_function_pickles_in_no_other_way() -> None:
    kept: list[Any] = []

    def around(x: Any) -> Any:
        kept.extend((x, lambda: x))
        return Dataset.range(x)

    dataset = Dataset.range(2).flat_map(around)
    with pytest.raises(TypeError, match="cannot pickle 'SymbolicTensor' object"):
        pickle.dumps(kept[0])
    pickle.dumps(dataset)
    asked = Dataset.range(2).flat_map(
        lambda x: Dataset.from_tensors(x).filter(lambda y: tf.py_function(kept[1], [], tf.bool))
    )
    with pytest.raises(TypeError, match="it has no value until its graph runs"):
        pickle.dumps(asked)


def test_identity_takes_datasets_iterators_and_optionals() -> None:
    for same in (tf.identity, tf.stop_gradient):
        assert numbers(same(Dataset.range(3))) == [0, 1, 2]
        assert int(same(tf.experimental.Optional.from_value(7)).get_value()) == 7
        iterator = iter(Dataset.range(3))
        assert [int(next(same(iterator))), int(next(iterator))] == [0, 1]
        assert numbers(tf.function(lambda: same(Dataset.range(4).skip(1)))()) == [1, 2, 3]  # noqa: B023
    for op in (lambda: tf.add(Dataset.range(3), 1), lambda: tf.reshape(Dataset.range(3), [1])):
        with pytest.raises(ValueError, match="unsupported type"):
            op()


def test_a_hint_of_shards_is_no_number() -> None:
    hinted = Dataset.range(10).shard(tf.data.experimental.SHARD_HINT, 0)
    with pytest.raises(tf.errors.FailedPreconditionError, match="SHARD_HINT"):
        list(hinted)
    with pytest.raises(tf.errors.InvalidArgumentError, match="greater than zero"):
        Dataset.range(10).shard(-2, 0)


def test_a_dataset_that_a_function_passes_on_keeps_its_options() -> None:
    options = tf.data.Options()
    options.deterministic, options.threading.private_threadpool_size = True, 2
    dataset = Dataset.range(3).with_options(options)
    for passed in (tf.function(lambda d: d)(dataset), tf.function(lambda: dataset)(), tf.identity(dataset)):
        assert passed.options() == dataset.options()

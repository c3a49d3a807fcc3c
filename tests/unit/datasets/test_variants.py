"""Datasets as tensors, as users' own classes, and as elements; transformations that name a device."""

from __future__ import annotations

from typing import Any

import pytest

import inlay as tf

Data = tf.data.Dataset
experimental = tf.data.experimental


def numbers(dataset: Any) -> list[Any]:
    return [int(v) for v in dataset]


class Doubled(Data):  # type: ignore[misc,valid-type]
    """A dataset in TensorFlow's way: made of the tensor of another one."""

    def __init__(self, source: Any) -> None:
        self._source = source
        super().__init__(source.map(lambda x: 2 * x)._variant_tensor)

    def _inputs(self) -> list[Any]:
        return [self._source]

    @property
    def element_spec(self) -> Any:
        return self._source.element_spec


class Untold(Data):  # type: ignore[misc,valid-type]
    def __init__(self) -> None:
        super().__init__(Data.range(3)._variant_tensor)


def test_a_class_of_datasets_of_the_user_hands_on_the_tensor_of_another_dataset() -> None:
    dataset = Doubled(Data.range(3))
    assert isinstance(dataset, Data)
    assert numbers(dataset) == numbers(dataset) == [0, 2, 4]
    assert numbers(dataset.map(lambda x: x + 1).take(2)) == [1, 3]
    assert len(dataset) == 3
    with pytest.raises(TypeError, match="Untold says by a property element_spec"):
        Untold()


def test_a_class_of_datasets_works_in_a_session() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        following = tf.compat.v1.data.make_one_shot_iterator(Doubled(Data.range(3))).get_next()
        assert [int(session.run(following)) for _ in range(3)] == [0, 2, 4]


def test_a_dataset_becomes_a_tensor_and_a_dataset_again() -> None:
    dataset = Data.range(5).map(lambda x: x * x)
    variant = experimental.to_variant(dataset)
    assert (variant.dtype, variant.shape) == (tf.variant, ())
    again = experimental.from_variant(variant, experimental.get_structure(dataset))
    assert numbers(again) == [0, 1, 4, 9, 16]
    assert int(again.cardinality()) == 5


def test_a_list_of_datasets_is_a_dataset_of_datasets() -> None:
    listed = Data.from_tensor_slices([Data.range(2), Data.range(5, 8)])
    assert [numbers(d) for d in listed] == [[0, 1], [5, 6, 7]]
    assert numbers(listed.flat_map(lambda d: d.map(lambda x: x + 1))) == [1, 2, 6, 7, 8]
    with pytest.raises((TypeError, ValueError)):
        Data.from_tensor_slices([Data.range(2), Data.from_tensors("a")])


def test_elements_are_copied_to_cpus_and_prefetched_there() -> None:
    assert numbers(Data.range(3).apply(experimental.copy_to_device("/cpu:0"))) == [0, 1, 2]
    assert numbers(Data.range(3).apply(experimental.prefetch_to_device("/device:CPU:0", 2))) == [0, 1, 2]
    for refused in (experimental.copy_to_device, experimental.prefetch_to_device):
        with pytest.raises(tf.errors.UnimplementedError, match="as_jax_iterator"):
            refused("/gpu:0")


def test_iterators_have_next() -> None:
    assert int(iter(Data.range(3)).next()) == 0


@pytest.mark.parametrize(
    ("dataset", "element"),
    [
        (Data.range(5).repeat().cache(), 2),
        (Data.range(5).repeat().cache().map(lambda x: x + 1), 3),
        (Data.range(5).concatenate(Data.range(5).repeat()).cache(), 2),
    ],
)
def test_what_is_kept_of_an_endless_dataset_has_random_access(dataset: Any, element: int) -> None:
    assert int(experimental.at(dataset, 7)) == element


@pytest.mark.parametrize("dataset", [Data.range(5).repeat(), Data.range(5).cache().repeat(), Data.counter()])
def test_a_dataset_without_end_has_no_random_access(dataset: Any) -> None:
    with pytest.raises(tf.errors.FailedPreconditionError, match="without end"):
        experimental.at(dataset, 2)


def test_a_loop_over_a_dataset_widens_the_shapes_of_its_variables() -> None:
    dataset = Data.from_generator(lambda: iter([1, 2, 3]), tf.int64)

    @tf.function
    def summed() -> Any:
        total, rows = tf.constant(0, tf.int64), tf.zeros([0], tf.int64)
        for x in dataset:
            total += x
            rows = tf.concat([rows, tf.reshape(x, [1])], 0)
        return total, rows

    total, rows = summed()
    assert (int(total), rows.numpy().tolist()) == (6, [1, 2, 3])

    @tf.function
    def read(iterator: Any) -> Any:
        total = tf.constant(0, tf.int64)
        for x in iterator:
            total += x
        return total

    with pytest.raises(ValueError, match="shape"):  # such a loop is no `reduce`, in TensorFlow either
        read(iter(dataset))


def test_a_graph_takes_datasets_whose_files_and_lengths_are_looked_at_while_it_is_built(tmp_path: Any) -> None:
    (tmp_path / "a.csv").write_text("n,m\n1,2\n3,4\n")
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        rows = experimental.make_csv_dataset(str(tmp_path / "a.csv"), 2, shuffle=False, num_epochs=1)
        padded = Data.from_tensor_slices({"x": [7, 8]}).apply(experimental.pad_to_cardinality(3)).batch(3)
        both = tf.compat.v1.data.make_one_shot_iterator(Data.zip((rows, padded))).get_next()
        found, whole = session.run(both)
        assert {name: v.tolist() for name, v in found.items()} == {"n": [1, 3], "m": [2, 4]}
        assert whole["valid"].tolist() == [True, True, False]
        with pytest.raises(RuntimeError, match="only supported in eager mode"):
            Data.range(2).as_numpy_iterator()


def test_a_range_is_a_value_and_no_structure() -> None:
    assert numbers(Data.from_tensor_slices(range(3))) == [0, 1, 2]
    assert next(iter(Data.from_tensors((range(3), [4]))))[0].numpy().tolist() == [0, 1, 2]
    assert next(iter(Data.range(1).map(lambda _: range(3)))).numpy().tolist() == [0, 1, 2]


def test_a_cache_is_whole_behind_the_last_element_of_a_known_number() -> None:
    dataset = Data.range(10).shuffle(10).cache()
    iterator = iter(dataset)
    first = [int(next(iterator)) for _ in range(10)]
    assert numbers(dataset) == numbers(dataset) == first


def test_what_is_no_choice_and_shapes_of_another_nest_are_refused() -> None:
    with pytest.raises(TypeError, match="`choice_dataset` should be a `tf.data.Dataset`"):
        Data.choose_from_datasets([Data.range(2)], None)
    with pytest.raises(TypeError, match="not nested like the dtypes"):
        Data.from_generator(lambda: iter([(1, 2.0)]), (tf.int64, tf.float32), [None])


@pytest.mark.parametrize(
    "make",
    [
        lambda zero: Data.range(2, 10, zero),
        lambda zero: Data.range(9).window(2, shift=zero),
        lambda zero: Data.range(9).batch(zero),
        lambda zero: Data.range(9).padded_batch(zero),
        lambda zero: Data.range(9).map(lambda x: x[None]).sparse_batch(zero, [1]),
        lambda zero: Data.range(9).shuffle(zero),
        lambda zero: Data.range(9).shard(zero, zero),
        lambda zero: Data.range(9).interleave(Data.from_tensors, cycle_length=zero),
        lambda zero: Data.range(9).prefetch(zero - 2).map(lambda x: x),
    ],
    ids=["range", "window", "batch", "padded", "sparse", "shuffle", "shard", "interleave", "prefetch"],
)
def test_a_dataset_of_a_graph_is_no_tensor_if_its_arguments_mean_nothing(make: Any) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        zero = tf.compat.v1.placeholder(tf.int64, [])
        variant = experimental.to_variant(make(zero))
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(variant, {zero: 0})

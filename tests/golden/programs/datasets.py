"""Datasets: specs, elements, cardinalities and errors of transformations."""

from __future__ import annotations

import os
import re
import tempfile
from typing import Any

import numpy as np

from tests.golden.make_programs import Refused, refused, rows


def _elements(dataset: Any) -> Any:
    """The elements as NumPy has them, those of windows too."""
    return [_plain(element) for element in dataset]


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if hasattr(value, "element_spec"):
        return [_plain(part) for part in value]
    if hasattr(value, "to_list"):
        return ["ragged", value.to_list()]
    if hasattr(value, "dense_shape"):
        return ["sparse", value.indices, value.values, value.dense_shape]
    return value


def _told(dataset: Any) -> Any:
    return [repr(dataset.element_spec), int(dataset.cardinality()), _elements(dataset)]


def _lengths(tf: Any, *lengths: int) -> Any:
    return tf.data.Dataset.from_tensor_slices(np.array(lengths)).map(lambda n: tf.fill([n], n))


_WINDOWS: list[Any] = [
    (size, shift, stride, drop) for size in (1, 3) for shift in (1, 2, 5) for stride in (1, 2) for drop in (False, True)
]


@rows(*_WINDOWS)
def windows(tf: Any, settings: Any) -> Any:
    return [_told(tf.data.Dataset.range(n).window(*settings)) for n in (0, 1, 7)]


def windows_of_nests(tf: Any) -> Any:
    whole = tf.data.Dataset.from_tensor_slices({"a": [1, 2, 3], "b": ([1.0, 2.0, 3.0], ["x", "y", "z"])})
    return [repr(whole.window(2)), _elements(whole.window(2))]


def windows_batched(tf: Any) -> Any:
    windows = tf.data.Dataset.range(7).window(3, shift=1, drop_remainder=True)
    pairs = tf.data.Dataset.from_tensor_slices(([1, 2, 3, 4], [5, 6, 7, 8])).window(2)
    return [
        _told(windows.flat_map(lambda w: w.batch(3, drop_remainder=True))),
        _told(pairs.flat_map(lambda a, b: tf.data.Dataset.zip((a.batch(2), b.batch(2))))),
    ]


@rows((0, 1, 1), (2, 0, 1), (2, 1, 0))
def windows_refused(tf: Any, settings: Any) -> Any:
    return refused(lambda: _elements(tf.data.Dataset.range(7).window(*settings)))


@rows({}, {"drop_remainder": True}, {"padded_shapes": 5}, {"padded_shapes": [5]}, {"padded_shapes": [None]})
def padded(tf: Any, settings: Any) -> Any:
    return _told(_lengths(tf, 0, 1, 2, 4, 3).padded_batch(2, **settings))


@rows(
    {"padded_shapes": [1]}, {"padded_shapes": [2, 2]}, {"padding_values": 1.5}, {"padding_values": -1},
    {"padding_values": (1, 2)},
)  # fmt: skip
def padded_refused(tf: Any, settings: Any) -> Any:
    return refused(lambda: _elements(_lengths(tf, 0, 1, 2, 4, 3).padded_batch(2, **settings)))


@rows(
    {}, {"padding_values": (None, "z")}, {"padded_shapes": ([], [3])}, {"padded_shapes": ([], [-1])},
    {"padding_values": (np.int64(7), b"q")},
)  # fmt: skip
def padded_pairs(tf: Any, settings: Any) -> Any:
    pairs = tf.data.Dataset.range(3).map(lambda x: (x, tf.fill([x], "a")))
    return _told(pairs.padded_batch(2, **settings))


def padded_unknown_rank(tf: Any) -> Any:
    unknown = tf.data.Dataset.range(3).map(lambda x: tf.numpy_function(lambda v: v, [x], tf.int64))
    return [
        refused(lambda: unknown.padded_batch(2)),
        _told(unknown.padded_batch(2, padded_shapes=[])),
        refused(lambda: _elements(unknown.padded_batch(2, padded_shapes=[None]))),
    ]


def padded_refuses_composites(tf: Any) -> Any:
    ragged = tf.data.Dataset.from_tensors(tf.ragged.constant([[1]]))
    return [
        refused(lambda: ragged.padded_batch(2)),
        refused(lambda: tf.data.Dataset.range(2).window(2).padded_batch(2)),
    ]


def ragged_batches(tf: Any) -> Any:
    lines = _lengths(tf, 0, 1, 2, 4, 3)
    return [
        _told(lines.ragged_batch(2)),
        _told(lines.ragged_batch(2, drop_remainder=True)),
        _told(tf.data.Dataset.range(3).ragged_batch(2, drop_remainder=True)),
        _told(tf.data.Dataset.range(3).map(lambda n: tf.ones([n, 2, n])).ragged_batch(2)),
        _told(lines.apply(tf.data.experimental.dense_to_ragged_batch(3))),
    ]


def batches_of_composites(tf: Any) -> Any:
    slices = tf.data.Dataset.from_tensor_slices
    one = slices(tf.ragged.constant([[1], [2, 3], []]))
    two = slices(tf.ragged.constant([[[1]], [[2, 3], []], []]))
    sparse = slices(tf.sparse.from_dense([[1, 0], [0, 2], [0, 0]]))
    every = (one, two, sparse, tf.data.Dataset.zip((one, sparse)))
    return [[_told(d), _told(d.batch(2)), repr(d.batch(2, drop_remainder=True).element_spec)] for d in every]


def batches_taken_apart(tf: Any) -> Any:
    slices = tf.data.Dataset.from_tensor_slices
    two = slices(tf.ragged.constant([[[1]], [[2, 3], []], []]))
    sparse = slices(tf.sparse.from_dense([[1, 0], [0, 2], [0, 0]]))
    return [_told(d.batch(2).unbatch()) for d in (two, sparse, tf.data.Dataset.range(5))]


def none_is_a_component(tf: Any) -> Any:
    pair = tf.data.Dataset.from_tensors((1, None))
    return [_told(pair), _told(pair.batch(2)), repr(tf.data.Dataset.range(2).map(lambda x: (x, None)).element_spec)]


def zips(tf: Any) -> Any:
    a, b = tf.data.Dataset.range(3), tf.data.Dataset.range(10, 12)
    zip_ = tf.data.Dataset.zip
    return [_told(d) for d in (zip_(a), zip_((a,)), zip_(a, b), zip_({"a": a, "b": (b, a)}), zip_(datasets=(a, b)))]


def zips_refused(tf: Any) -> Any:
    a, zip_ = tf.data.Dataset.range(3), tf.data.Dataset.zip
    calls = (
        lambda: zip_(), lambda: zip_([a, a]), lambda: zip_(a, datasets=a), lambda: zip_((a, 3)), lambda: zip_(a, 3),
    )  # fmt: skip
    return [refused(call) for call in calls]


def concatenated(tf: Any) -> Any:
    a = tf.data.Dataset.range(3)
    return [
        _told(a.concatenate(tf.data.Dataset.from_tensors([7, 8]).map(lambda x: tf.cast(x, tf.int64)))),
        refused(lambda: a.concatenate(tf.data.Dataset.range(3, output_type=tf.int32))),
        refused(lambda: a.concatenate(tf.data.Dataset.from_tensors((1, 2)))),
    ]


def enumerated(tf: Any) -> Any:
    a = tf.data.Dataset.from_tensor_slices({"a": ["x", "y"]})
    return [_told(a.enumerate()), _told(a.enumerate(5)), _told(a.apply(tf.data.experimental.enumerate_dataset(2)))]


@rows((1, 0), (3, 0), (3, 1), (3, 2), (20, 15))
def shards(tf: Any, settings: Any) -> Any:
    return _told(tf.data.Dataset.range(10).shard(*settings))


@rows((3, 3), (3, -1), (0, 0))
def shards_refused(tf: Any, settings: Any) -> Any:
    return refused(lambda: tf.data.Dataset.range(10).shard(*settings))


def taken_while(tf: Any) -> Any:
    return [
        _told(tf.data.Dataset.range(10).take_while(lambda x: x < 5)),
        refused(lambda: tf.data.Dataset.range(10).take_while(lambda x: x)),
    ]


def scans(tf: Any) -> Any:
    numbers = tf.data.Dataset.range(5)
    return [
        _told(numbers.scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s + x))),
        _told(numbers.scan([0], lambda s, x: (tf.concat([s, [1]], 0), s))),
        _told(numbers.scan({"a": 0}, lambda s, x: ((s["a"] + 1,), s["a"]))),
        _told(numbers.scan((0, 1.0), lambda s, x: ((s[0] + 1, s[1] * 2), (s, x)))),
    ]


def scans_refused(tf: Any) -> Any:
    numbers = tf.data.Dataset.range(5)
    calls = (
        lambda: numbers.scan(0, lambda s, x: (s,)),
        lambda: numbers.scan(0, lambda s, x: s),
        lambda: numbers.scan(0, lambda s, x: (x, s)),
    )
    return [refused(call) for call in calls]


def reductions(tf: Any) -> Any:
    numbers = tf.data.Dataset.range(5)
    return [
        numbers.reduce(np.int64(0), lambda s, x: s + x),
        numbers.reduce((0, [0]), lambda s, x: (s[0] + 1, tf.concat([s[1], [s[0]]], 0))),
        refused(lambda: numbers.reduce(0, lambda s, x: x)),
    ]


def unique_elements(tf: Any) -> Any:
    slices = tf.data.Dataset.from_tensor_slices
    return [
        _told(slices([1, 2, 1, 3, 2]).unique()),
        _told(slices(["a", "b", "a"]).unique()),
        _told(slices([[1, 2], [1, 2], [3, 4]]).unique()),
        refused(lambda: slices([1.0, 2.0]).unique()),
        refused(lambda: slices(([1, 2], [1, 2])).unique()),
    ]


def caches(tf: Any) -> Any:
    runs = []

    def count(x: Any) -> Any:
        runs.append(int(x))
        return x

    cached = tf.data.Dataset.range(3).map(lambda x: tf.numpy_function(count, [x], tf.int64)).cache()
    left = iter(cached)
    next(left)
    del left
    return [_elements(cached), _elements(cached), len(runs) - 3 < 4, runs[-3:], repr(tf.data.Dataset.range(3).cache())]


@rows((1, 1), (2, 3), (3, 2), (5, 1))
def interleaved(tf: Any, settings: Any) -> Any:
    cycle, block = settings
    return _told(
        tf.data.Dataset.range(1, 7).interleave(
            lambda x: tf.data.Dataset.from_tensors(x).repeat(x), cycle_length=cycle, block_length=block
        )
    )


def interleaving_refused(tf: Any) -> Any:
    numbers = tf.data.Dataset.range(4)
    return [
        refused(lambda: _elements(numbers.interleave(lambda x: tf.data.Dataset.range(x), cycle_length=0))),
        refused(lambda: _elements(numbers.interleave(lambda x: tf.data.Dataset.range(x), 2, block_length=0))),
    ]


def prefetched(tf: Any) -> Any:
    numbers = tf.data.Dataset.range(3)
    return [_told(numbers.prefetch(n)) for n in (0, 1, tf.data.AUTOTUNE)] + [
        refused(lambda: _elements(numbers.prefetch(-2)))
    ]


@rows({}, {"pad_to_bucket_boundary": True}, {"drop_remainder": True}, {"padding_values": np.int64(-1)})
def buckets(tf: Any, settings: Any) -> Any:
    lines = _lengths(tf, 1, 4, 3, 5, 4, 2, 2)
    made = lines.bucket_by_sequence_length(lambda e: tf.shape(e)[0], [3, 6], [2, 2, 2], **settings)
    return _told(made)


def buckets_without_padding(tf: Any) -> Any:
    pairs = tf.data.Dataset.range(4).map(lambda x: tf.zeros([2]))
    return _told(pairs.bucket_by_sequence_length(lambda e: tf.shape(e)[0], [3], [3, 2], no_padding=True))


def buckets_refused(tf: Any) -> Any:
    lines = _lengths(tf, 1, 4)
    return [
        refused(lambda: lines.bucket_by_sequence_length(lambda e: tf.shape(e)[0], [3, 5], [2, 2])),
        refused(lambda: lines.bucket_by_sequence_length(lambda e: tf.shape(e)[0], [], [2, 2])),
    ]


def groups(tf: Any) -> Any:
    numbers = tf.data.Dataset.range(10)
    return [
        _told(numbers.group_by_window(lambda x: x % 2, lambda k, w: w.batch(3), window_size=3)),
        _told(numbers.group_by_window(lambda x: x % 2, lambda k, w: w.map(lambda v: v + k * 100), window_size=4)),
        _told(numbers.group_by_window(lambda x: x % 3, lambda k, w: w.batch(9), window_size_func=lambda k: k + 1)),
        _told(numbers.apply(tf.data.experimental.group_by_window(lambda x: x % 2, lambda k, w: w.batch(4), 4))),
    ]


def groups_refused(tf: Any) -> Any:
    numbers, batch = tf.data.Dataset.range(10), lambda k, w: w.batch(3)
    calls = (
        lambda: numbers.group_by_window(lambda x: x % 2, batch),
        lambda: numbers.group_by_window(lambda x: x % 2, batch, window_size=3, window_size_func=lambda k: k),
        lambda: numbers.group_by_window(lambda x: tf.cast(x, tf.int32), batch, window_size=3),
        lambda: numbers.group_by_window(lambda x: x % 2, lambda k, w: k, window_size=3),
        lambda: _elements(numbers.group_by_window(lambda x: x % 2, batch, window_size=0)),
    )
    return [refused(call) for call in calls]


def chosen(tf: Any) -> Any:
    word = tf.data.Dataset.from_tensors
    two = [word("a").repeat(2), word("b").repeat(2)]
    turns = tf.data.Dataset.range(2).repeat(3)
    choose = tf.data.Dataset.choose_from_datasets
    return [
        _told(choose(two, turns)),
        _told(choose([word("a"), word("b").repeat(2)], turns, stop_on_empty_dataset=False)),
        refused(lambda: _elements(choose([tf.data.Dataset.range(3)], turns))),
        refused(lambda: choose(two, word(1))),
        refused(lambda: choose([], turns)),
    ]


def sampled(tf: Any) -> Any:
    numbers, sample = tf.data.Dataset.range(3), tf.data.Dataset.sample_from_datasets
    other = tf.data.Dataset.range(10, 12)
    return [
        sorted(int(x) for x in sample([numbers, other])),
        sorted(int(x) for x in sample([numbers, other], [0.9, 0.1], seed=4)),
        _elements(sample([numbers, other], [1.0, 0.0])),
        sorted(int(x) for x in sample([numbers, other], tf.data.Dataset.from_tensors([0.5, 0.5]).repeat())),
        refused(lambda: sample([numbers, other], [1.0])),
        refused(lambda: sample([numbers, other], [1, 2])),
        refused(lambda: sample([])),
        refused(lambda: sample([numbers, tf.data.Dataset.from_tensors("a")])),
    ]


def errors_ignored(tf: Any) -> Any:
    numbers = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 0.0, 4.0])
    checked = numbers.map(lambda x: tf.debugging.check_numerics(1.0 / x, "zero"))
    return [_told(checked.ignore_errors()), _told(checked.apply(tf.data.experimental.ignore_errors()))]


@rows(2, [2, 1], [1, 4])
def batched_again(tf: Any, sizes: Any) -> Any:
    batches = tf.data.Dataset.range(7).batch(3)
    return [_elements(batches.rebatch(sizes)), _elements(batches.rebatch(sizes, drop_remainder=True))]


def sparse_batches(tf: Any) -> Any:
    return _told(_lengths(tf, 0, 1, 3, 2).sparse_batch(3, [4]))


def cardinalities_asserted(tf: Any) -> Any:
    say = tf.data.experimental.assert_cardinality
    three = tf.data.Dataset.range(3).filter(lambda x: True)
    return [
        _told(three.apply(say(3))),
        refused(lambda: _elements(three.apply(say(2)))),
        refused(lambda: _elements(three.apply(say(4)))),
    ]


def reduced_by_key(tf: Any) -> Any:
    reducer = tf.data.experimental.Reducer(lambda k: k * 100, lambda s, x: s + x, lambda s: (s, s * 2))
    return _told(tf.data.Dataset.range(6).apply(tf.data.experimental.group_by_reducer(lambda x: x % 2, reducer)))


def mapped_and_batched(tf: Any) -> Any:
    both = tf.data.experimental.map_and_batch
    numbers = tf.data.Dataset.range(6)
    return [
        _told(numbers.apply(both(lambda x: x + 1, 4))),
        _told(numbers.apply(both(lambda x: x, 4, drop_remainder=True))),
    ]


def lists_and_places(tf: Any) -> Any:
    listed = tf.data.experimental.from_list([(1, "a"), (2, "b")])
    return [
        _told(listed),
        refused(lambda: tf.data.experimental.from_list([])),
        tf.data.experimental.at(tf.data.Dataset.range(5), 3),
        refused(lambda: tf.data.experimental.at(tf.data.Dataset.range(5), 5)),
        refused(lambda: tf.data.experimental.get_structure(3)),
        _told(tf.data.Dataset.from_tensor_slices({"a": [1, 2]}).apply(tf.data.experimental.pad_to_cardinality(3))),
    ]


class _Twice:
    """A function of datasets for `apply`."""

    def __call__(self, dataset: Any) -> Any:
        return dataset.concatenate(dataset)


def applied(tf: Any) -> Any:
    return [
        _told(tf.data.Dataset.range(2).apply(_Twice())),
        refused(lambda: tf.data.Dataset.range(2).apply(lambda d: 3)),
    ]


def numpy_iterators(tf: Any) -> Any:
    sparse = tf.data.Dataset.from_tensor_slices(tf.sparse.from_dense([[1, 0], [0, 2]]))
    return [
        list(sparse.as_numpy_iterator()),
        list(tf.data.Dataset.from_tensor_slices(["a", "b"]).as_numpy_iterator()),
        refused(lambda: tf.data.Dataset.range(2).window(2).as_numpy_iterator()),
        [
            array.flags.writeable
            for dataset in (tf.data.Dataset.from_tensors([1, 2]), tf.data.Dataset.from_tensors({"a": [1.5]}), sparse)
            for array in tf.nest.flatten(next(dataset.as_numpy_iterator()))
        ],
    ]


def class_whose_new_gives_a_dataset(tf: Any) -> Any:
    class Artificial(tf.data.Dataset):  # type: ignore[misc, name-defined]
        def __new__(cls, count: int = 3) -> Any:
            return tf.data.Dataset.range(count).map(lambda x: x * 2)

    return [type(Artificial()).__name__ != "Artificial", _told(Artificial(2).repeat(2).prefetch(1))]


def cardinalities_of_long_ranges(tf: Any) -> Any:
    numbers, last = tf.data.Dataset.range, 2**63 - 1
    ranges = [numbers(last), numbers(3, last, 2), numbers(last - 1), numbers(0, -last, -1), numbers(last, 0)]
    return [int(made.cardinality()) for made in (*ranges, numbers(2).repeat().enumerate(), numbers(2).enumerate())]


def cardinalities_of_several(tf: Any) -> Any:
    few, endless, make = tf.data.Dataset.range(3), tf.data.Dataset.range(3).repeat(), tf.data.Dataset
    return [
        int(made.cardinality())
        for made in (
            make.sample_from_datasets([few, endless]),
            make.sample_from_datasets([few, endless], weights=[0.5, 0.0]),
            make.sample_from_datasets([few, few]),
            make.choose_from_datasets([few, endless], make.range(2).repeat()),
            make.choose_from_datasets([few, few], make.range(2).repeat()),
            endless.interleave(lambda x: make.range(x), 2),
            endless.interleave(lambda x: make.range(x), 2, num_parallel_calls=2),
            few.interleave(lambda x: make.range(x), 2, num_parallel_calls=2),
        )
    ]


@rows(([[1]], [12]), (list(range(13)), [12]), (3, [12]), (3, []), ([[1, 2, 3]], [None, 2]), ([[1, 2, 3]], [None, 4]))
def sparse_batches_of_shapes(tf: Any, row: Any) -> Any:
    value, shape = row
    return refused(lambda: _elements(tf.data.Dataset.from_tensors(np.array(value)).sparse_batch(4, shape)))


def symbolic_positions_refused(tf: Any) -> Any:
    """Which stages the option refuses, after one element; positions of the others are saved."""
    D = tf.data.Dataset
    reducer = tf.data.experimental.Reducer(lambda key: key, lambda state, x: state + x, lambda state: state)
    windows = D.range(6).window(3)
    datasets = {
        "batch": D.range(6).batch(3),
        "cache": D.range(6).cache(),
        "flat_map of windows": windows.flat_map(lambda window: window.batch(3)),
        "flat_map": D.range(6).flat_map(D.range),
        "group_by_reducer": D.range(6).apply(tf.data.experimental.group_by_reducer(lambda x: x % 2, reducer)),
        "group_by_window": D.range(6).group_by_window(lambda x: x % 2, lambda key, window: window.batch(3), 3),
        "ignore_errors": D.range(6).ignore_errors(),
        "interleave of windows": D.range(6).interleave(lambda x: D.range(6).window(3).flat_map(lambda w: w)),
        "interleave": D.range(6).interleave(lambda x: D.range(3), num_parallel_calls=2),
        "map": D.range(6).map(lambda x: x + 1, num_parallel_calls=2),
        "prefetch": D.range(6).prefetch(2),
        "rebatch": D.range(6).batch(2).rebatch(3),
        "scan": D.range(6).scan(np.int64(0), lambda state, x: (state + x, state)),
        "shuffle": D.range(6).shuffle(3),
        "unbatch": D.range(6).batch(3).unbatch(),
        "unique": D.range(6).unique(),
        "window": windows,
        "zip": D.zip((D.range(6), D.range(6))),
    }
    options = tf.data.Options()
    options.experimental_symbolic_checkpoint = True
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, dataset in datasets.items():
            iterator = iter(dataset.with_options(options))
            next(iterator)
            checkpoint = tf.train.Checkpoint(iterator=iterator)
            saved = refused(lambda checkpoint=checkpoint: checkpoint.save(os.path.join(folder, "c")))
            results[name] = saved if isinstance(saved, Refused) else "saved"
    return results


def negative_padded_shapes(tf: Any) -> Any:
    """A number that a graph computes is refused where it runs; one that is known is refused at once."""
    D = tf.data.Dataset
    pairs = D.range(4).map(lambda x: (x, tf.reshape(x, [1])))

    def padded_to(number: Any) -> Any:
        return pairs.padded_batch(2, padded_shapes=([], tf.reshape(tf.constant(number, tf.int64), [1])))

    return [
        refused(lambda: padded_to(-5)),
        refused(lambda: _elements(D.range(1).flat_map(lambda x: padded_to(-5)))),
        refused(lambda: _elements(pairs.group_by_window(lambda x, _: x % 2, lambda key, window: padded_to(-5), 2))),
        _elements(D.range(1).flat_map(lambda x: padded_to(-1))),
    ]


def messages_of_asserted_cardinalities(tf: Any) -> Any:
    """One element, several elements and an infinite number of them."""
    results = []
    for count in range(3):
        for said in (0, 1, 2, tf.data.INFINITE_CARDINALITY):
            asserted = tf.data.experimental.assert_cardinality(said)
            try:
                results.append(_elements(tf.data.Dataset.range(count).apply(asserted)))
            except tf.errors.FailedPreconditionError as error:
                results.append(re.search(r"Input dataset.*?elements?\.", str(error)).group())
    return results

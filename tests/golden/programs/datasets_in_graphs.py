"""Datasets in sessions and in traced functions: iterators of 1.x, loops, reductions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.make_programs import first_behaviour, refused, session


def _runs(opened: Any, fetched: Any, count: int) -> list[Any]:
    return [refused(lambda: opened.run(fetched)) for _ in range(count)]


def begun_by_an_operation(tf: Any) -> Any:
    v1 = tf.compat.v1
    with session(tf) as opened:
        rows, size = v1.placeholder(tf.int64, [None]), v1.placeholder(tf.int64, [])
        scale = v1.get_variable("scale", initializer=np.int64(10))
        dataset = v1.data.Dataset.from_tensor_slices(rows).map(lambda x: x * scale).batch(size)
        iterator = dataset.make_initializable_iterator()
        following = iterator.get_next()
        early = _runs(opened, following, 1)
        opened.run(v1.global_variables_initializer())
        opened.run(iterator.initializer, {rows: [1, 2, 3], size: 2})
        first = _runs(opened, following, 3)
        opened.run(iterator.initializer, {rows: [5], size: 1})
        return [early, first, _runs(opened, following, 2), str(following.shape), str(following.dtype)]


def one_shot(tf: Any) -> Any:
    v1 = tf.compat.v1
    with session(tf) as opened:
        pairs = v1.data.Dataset.from_tensor_slices({"a": [1, 2, 3], "b": ["x", "y", "z"]}).repeat(2).batch(4)
        iterator = v1.data.make_one_shot_iterator(pairs)
        following = iterator.get_next()
        told = [str(iterator.output_types), str(iterator.output_shapes), repr(iterator.element_spec)]
        return [told, _runs(opened, following, 3), refused(lambda: iterator.initializer)]


def one_shot_refuses_what_is_fed_and_variables(tf: Any) -> Any:
    v1 = tf.compat.v1
    with session(tf):
        fed, scale = v1.placeholder(tf.int64, []), v1.get_variable("scale", initializer=np.int64(10))
        numbers = v1.data.Dataset.range(3)
        return [
            refused(lambda: v1.data.Dataset.from_tensors(fed).make_one_shot_iterator()),
            refused(lambda: numbers.map(lambda x: x * scale).make_one_shot_iterator()),
        ]


def of_a_structure(tf: Any) -> Any:
    v1 = tf.compat.v1
    with session(tf) as opened:
        numbers = v1.data.Dataset.range
        iterator = v1.data.Iterator.from_structure(tf.int64, [])
        small, large = iterator.make_initializer(numbers(2)), iterator.make_initializer(numbers(10, 13))
        following = iterator.get_next()
        opened.run(small)
        first = _runs(opened, following, 3)
        opened.run(large)
        with v1.Session() as other:
            elsewhere = _runs(other, following, 1)
        return [
            first,
            _runs(opened, following, 2),
            elsewhere,
            refused(lambda: iterator.make_initializer(v1.data.Dataset.from_tensors(1))),
            refused(lambda: iterator.make_initializer(v1.data.Dataset.from_tensors(([1], 2)))),
            refused(lambda: iterator.initializer),
        ]


def fed_by_handle(tf: Any) -> Any:
    v1 = tf.compat.v1
    with session(tf) as opened:
        small = v1.data.make_one_shot_iterator(v1.data.Dataset.range(2))
        large = v1.data.make_one_shot_iterator(v1.data.Dataset.range(10, 13))
        handle = v1.placeholder(tf.string, [])
        following = v1.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()
        named = [opened.run(i.string_handle()) for i in (small, large)]
        return [
            [refused(lambda h=h: opened.run(following, {handle: h})) for h in [*named, *named, *named]],
            refused(lambda: opened.run(following, {handle: b"nobody"})),
        ]


def two_fetches_of_one_element(tf: Any) -> Any:
    v1 = tf.compat.v1
    with session(tf) as opened:
        a, b = v1.data.make_one_shot_iterator(v1.data.Dataset.range(8).map(lambda x: (x, x * x))).get_next()
        return [opened.run([a, b]), opened.run([b, a + b]), opened.run(a)]


def programs_of_1_x(tf: Any) -> Any:
    with first_behaviour(tf) as v1, v1.Session() as opened:
        dataset = v1.data.Dataset.range(4).map(lambda x: x + 1).repeat(2).batch(3)
        following = dataset.make_one_shot_iterator().get_next()
        total, taken = 0, []
        while True:
            try:
                taken.append(opened.run(following))
                total += int(taken[-1].sum())
            except v1.errors.OutOfRangeError:
                return [taken, total]


def loops_over_datasets(tf: Any) -> Any:
    @tf.function
    def summed(dataset: Any) -> Any:
        total = tf.constant(0, tf.int64)
        for x in dataset:
            total += x
        return total

    @tf.function
    def left_early(count: Any) -> Any:
        total = tf.constant(0, tf.int64)
        for i, x in tf.data.Dataset.range(count).enumerate():
            if x > 3:
                break
            total += x * i
        return total

    @tf.function
    def passed_over(count: Any) -> Any:
        total = tf.constant(0, tf.int64)
        for row in tf.data.Dataset.range(count).batch(3):
            if tf.reduce_sum(row) < 10:
                continue
            total += tf.reduce_sum(row)
        return total

    numbers = tf.data.Dataset.range
    return [
        summed(numbers(5)), summed(numbers(0)), left_early(np.int64(10)), left_early(np.int64(2)),
        passed_over(np.int64(10)),
    ]  # fmt: skip


def loops_over_iterators(tf: Any) -> Any:
    iterator = iter(tf.data.Dataset.range(10))

    @tf.function
    def following() -> Any:
        return next(iterator)

    @tf.function
    def some() -> Any:
        total = tf.constant(0, tf.int64)
        for x in iterator:
            if x >= 5:
                break
            total += x
        return total

    @tf.function
    def two_of_its_own() -> Any:
        own = iter(tf.data.Dataset.range(3))
        return next(own), next(own)

    found = [following(), following(), next(iterator), some(), next(iterator), *two_of_its_own()]
    return [found, [int(x) for x in iterator], refused(following)]


def results_inside_functions(tf: Any) -> Any:
    scale = tf.Variable(3, dtype=tf.int64)

    @tf.function
    def results(count: Any) -> Any:
        numbers = tf.data.Dataset.range(count)
        return (
            numbers.map(lambda x: x * scale).reduce(tf.constant(0, tf.int64), lambda s, x: s + x),
            numbers.batch(count).get_single_element(),
            tf.data.Dataset.range(7).cardinality(),
        )

    return [results(tf.constant(4, tf.int64)), results(tf.constant(2, tf.int64))]


def datasets_of_placeholders(tf: Any) -> Any:
    v1 = tf.compat.v1
    with session(tf) as opened:
        start = v1.placeholder(tf.int64, [])
        dataset = v1.data.Dataset.range(4).flat_map(lambda x: v1.data.Dataset.range(x).map(lambda y: y + start))
        windows = dataset.window(2).flat_map(lambda w: w.batch(2))
        iterator = v1.data.make_initializable_iterator(windows)
        following = iterator.get_next()
        opened.run(iterator.initializer, {start: 100})
        return _runs(opened, following, 4)


def string_handles(tf: Any) -> Any:
    with session(tf) as sess:
        handle = tf.compat.v1.placeholder(tf.string, [])
        numbers = tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.range(3))
        vectors = tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.from_tensors([1.0, 2.0]))
        pairs = tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.from_tensors((1, 2)))
        kinds = [(tf.int64, []), (tf.int64, None), (tf.int64, [None]), (tf.float32, [2]), (tf.float32, [None])]
        elements = [tf.compat.v1.data.Iterator.from_string_handle(handle, *kind).get_next() for kind in kinds]
        same = numbers.string_handle() is numbers.string_handle()
        named = numbers.string_handle(name="handle").op.name, numbers.string_handle(name="handle").op.name
        texts = [sess.run(iterator.string_handle()) for iterator in (numbers, vectors, pairs)]
        found = [
            refused(lambda element=element, text=text: sess.run(element, {handle: text}))
            for text in texts
            for element in elements
        ]
        return [same, named, found]


def zero_weights(tf: Any) -> Any:
    with session(tf) as sess:
        chosen = tf.data.Dataset.sample_from_datasets([tf.data.Dataset.range(2).repeat()] * 2, weights=[0.0, 0.0])
        element = tf.compat.v1.data.make_one_shot_iterator(chosen).get_next()
        return refused(lambda: sess.run(element))

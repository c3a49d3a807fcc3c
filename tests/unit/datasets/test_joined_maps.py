"""Parallel maps in a row that one executor runs elsewhere are one stage, with values, errors and positions of each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inlay as tf
from inlay._src.data.node import Iteration
from inlay._src.data.parallel import ParallelMapCursor
from inlay._src.data.ways import Placing

Dataset = tf.data.Dataset


@pytest.fixture(scope="module")
def pool() -> Iterator[Any]:
    with tf.Processes(workers=2) as processes:
        yield processes


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], Any]:
    """Calls a function while each map is a stage of its own."""

    def called(function: Callable[[], Any]) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr(Placing, "joins", lambda self, below, iteration, calls: False)
            return function()

    return called


def stages(dataset: Any) -> int:
    """The number of stages of parallel maps in an iteration of a dataset."""
    waiting, count = [Iteration(dataset.options()).opened(dataset._node)], 0
    while waiting:
        each = waiting.pop()
        count += isinstance(each, ParallelMapCursor)
        waiting += each.sources
    return count


def plus(number: int, **how: Any) -> Any:
    return lambda x: tf.numpy_function(lambda v: v + np.int64(number), [x], tf.int64, **how)


def three(pool: Any, **how: Any) -> Any:
    dataset = Dataset.range(30)
    for number in (1, 10, 100):
        dataset = dataset.map(plus(number), executor=pool, **how)
    return dataset


def test_maps_of_one_pool_are_one_stage_with_the_same_values(pool: Any, apart: Any) -> None:
    assert stages(three(pool)) == 1
    assert apart(lambda: stages(three(pool))) == 3
    values = list(map(int, three(pool)))
    assert values == [v + 111 for v in range(30)] == apart(lambda: list(map(int, three(pool))))


def test_an_element_stays_in_the_process_that_took_it(pool: Any) -> None:
    def here(x: Any) -> Any:
        return tf.numpy_function(lambda v: np.append(v, np.int64(os.getpid())), [x], tf.int64)

    dataset = Dataset.range(20).map(lambda x: here([x]), executor=pool).map(here, executor=pool)
    for _, first, second in dataset.as_numpy_iterator():
        assert first == second != os.getpid()


def test_maps_stay_apart_where_the_workers_are_not_the_only_limit(pool: Any) -> None:
    with tf.Processes(workers=1) as other:
        assert stages(Dataset.range(3).map(plus(1), executor=other).map(plus(1), executor=pool)) == 2
    assert stages(Dataset.range(3).map(plus(1), 1, executor=pool).map(plus(1), executor=pool)) == 2
    assert stages(Dataset.range(3).map(plus(1), 2, executor=pool).map(plus(1), 5, executor=pool)) == 1
    assert stages(Dataset.range(3).map(plus(1), 2).map(plus(1), 2)) == 2


def test_stages_that_are_measured_are_apart(pool: Any) -> None:
    dataset = three(pool)
    assert len([stage for stage in dataset.stats().stages if stage.name == "ParallelMap"]) == 3


@pytest.mark.parametrize("failing", range(3))
def test_an_error_is_that_of_its_stage(pool: Any, apart: Any, failing: int) -> None:
    def function(number: int) -> Any:
        def raises(v: Any) -> Any:
            if number == failing and v % 1000 == 7 + number:
                raise ValueError(f"not {v}")
            return v + np.int64(1)

        return lambda x: tf.numpy_function(raises, [x], tf.int64)

    def outcomes() -> list[Any]:
        dataset = Dataset.range(20)
        for number in range(3):
            dataset = dataset.map(function(number), executor=pool)
        iterator, out = iter(dataset), []
        while True:
            try:
                out.append(int(next(iterator)))
            except StopIteration:
                return out
            except tf.errors.OpError as error:
                out.append((type(error), error.message.splitlines()[0], str(error).count("element 7 of")))

    joined = outcomes()
    assert joined == apart(outcomes)
    (kind, first_line, places) = joined[7]
    assert issubclass(kind, ValueError) and f"ParallelMapDataset:{failing + 1}" in first_line and places == 1


def test_what_cannot_be_read_is_raised_in_its_place(pool: Any) -> None:
    def once(v: Any) -> Any:
        if v == 3:
            raise KeyError(3)
        return v

    source = Dataset.range(6).map(lambda x: tf.numpy_function(once, [x], tf.int64))
    iterator, out = iter(source.map(plus(1), executor=pool).map(plus(10), executor=pool)), []
    while len(out) < 6:
        try:
            out.append(int(next(iterator)))
        except tf.errors.OpError:
            out.append(-1)
    assert out == [11, 12, 13, -1, 15, 16]
    with pytest.raises(StopIteration):
        next(iterator)


def drawing(x: Any) -> Any:
    return x * 1000 + tf.random.uniform([], 0, 1000, tf.int64)


def drawn(pool: Any, count: int = 24) -> Any:
    tf.random.set_seed(5)
    dataset = Dataset.range(count).map(drawing, executor=pool).map(plus(0, stateful=False), executor=pool)
    return dataset.map(lambda x: x * 3 + tf.random.uniform([], 0, 3, tf.int64), executor=pool)


def test_random_numbers_are_those_of_each_stage(pool: Any, apart: Any) -> None:
    assert stages(drawn(pool)) == 1
    values = list(map(int, drawn(pool).repeat(2)))
    assert values == apart(lambda: list(map(int, drawn(pool).repeat(2))))
    assert values[:24] != values[24:]
    assert len({v // 3 % 1000 for v in values}) > 20


@settings(max_examples=25, deadline=None)
@given(
    taken=st.lists(st.integers(0, 15), min_size=1, max_size=3), together=st.lists(st.booleans(), min_size=4, max_size=4)
)
def test_positions_of_one_stage_and_of_several_are_exchangeable(
    pool: Any, taken: list[int], together: list[bool]
) -> None:
    expected = list(map(int, drawn(pool).repeat(2)))
    position, values = None, []
    for count, joined in zip([*taken, 48], together, strict=False):
        with pytest.MonkeyPatch.context() as patch:
            if not joined:
                patch.setattr(Placing, "joins", lambda self, below, iteration, calls: False)
            iterator = drawn(pool).repeat(2).as_numpy_iterator()
            if position is not None:
                iterator.restore(position)
            for _ in range(count):
                values.append(int(value) if (value := next(iterator, None)) is not None else None)
            position = iterator.save()
    assert [value for value in values if value is not None] == expected


def test_an_order_that_does_not_matter_at_one_stage_does_not_matter(pool: Any) -> None:
    dataset = Dataset.range(50).map(plus(1), executor=pool, deterministic=False).map(plus(1), executor=pool)
    assert stages(dataset) == 1
    assert sorted(map(int, dataset)) == list(range(2, 52))


@pytest.mark.parametrize("stateful", [False, True])
def test_a_lost_element_is_run_again_from_its_first_function_if_none_has_effects(
    pool: Any, tmp_path: Any, stateful: bool
) -> None:
    died = str(tmp_path / "died")

    def dies(v: Any) -> Any:
        if v == 105 and not os.path.exists(died):
            open(died, "w").close()
            os._exit(1)
        return v + np.int64(1)

    dataset = Dataset.range(10).map(plus(100, stateful=stateful), executor=pool)
    dataset = dataset.map(lambda x: tf.numpy_function(dies, [x], tf.int64, stateful=False), executor=pool)
    assert stages(dataset) == 1
    iterator, out = iter(dataset), []
    while len(out) < 10:
        try:
            out.append(int(next(iterator)))
        except tf.errors.UnavailableError as error:
            assert "it is not run again, as the function may have effects" in str(error)
            out.append(-1)
    assert os.path.exists(died)
    lost = {i for i, v in enumerate(out) if v == -1}
    assert (5 in lost) is stateful
    assert [v for v in out if v != -1] == [i + 101 for i in range(10) if i not in lost]

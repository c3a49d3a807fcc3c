"""Large plans written in parts: what they share, hand over and free, and what they say of a step that fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.tuning import TUNING
from inlay._src.engine.plan.build import build
from inlay._src.engine.run import reference
from inlay._src.engine.run.executable import Executable
from inlay._src.engine.run.lowering.chunks import Chunks
from inlay._src.engine.run.scheduling.work_stealing import Armed


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TUNING, "chunk_steps", 4)


def made_of(function: Callable[[Any], Any]) -> Executable:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None])
        found = function(x)
        return Executable(build(graph, found if isinstance(found, list) else [found], [x]), graph)


def cells_of(made: Executable, value: Any) -> list[Any]:
    cells = made.template.copy()
    cells[made.feeds[0]] = np.asarray(value, np.float32)
    return cells


def written(made: Executable) -> Chunks:
    found = Chunks(made.plan, made.calls, made.template)
    while found.function is None:
        found.write_for_runs(1)
    return found


def run(made: Executable, value: Any) -> list[Any]:
    """What a plan fetches; the interpreter says the same."""
    cells, expected = cells_of(made, value), cells_of(made, value)
    body = written(made).function
    assert body is not None and body(cells) == len(made.steps)
    reference.execute(made.steps, made.calls, expected)
    for found, other in zip(cells, expected, strict=True):
        np.testing.assert_array_equal(found, other)
    return [cells[slot] for slot in made.fetches]


def chain(length: int) -> Callable[[Any], Any]:
    def build_chain(x: Any) -> Any:
        for _ in range(length):
            x = tf.numpy_function(lambda v: v + np.float32(1), [x], tf.float32) * 2.0
        return x

    return build_chain


def test_parts_of_equal_structure_share_their_code() -> None:
    made = made_of(chain(20))
    compiled = [part._source.compiled for part in written(made)._chunks]
    assert len(compiled) == 10 and sum(compiled[1:-1]) == 0, compiled
    codes = {part.function.__code__ for part in written(made)._chunks}
    assert len(codes) <= 3, "the first, the last, and all between"
    np.testing.assert_array_equal(run(made, [0.0])[0], np.float32([2.0 * (2**20 - 1)]))


def test_values_go_from_part_to_part_and_are_freed() -> None:
    def program(x: Any) -> list[Any]:
        early = tf.sin(x)
        late = x
        for _ in range(9):
            late = tf.cos(late)
        return [late + early, early, tf.numpy_function(np.abs, [x], tf.float32)]

    made = made_of(program)
    values = run(made, [0.5, 1.0])
    np.testing.assert_array_equal(values[2], np.float32([0.5, 1.0]))


def test_a_function_may_write_into_what_an_earlier_part_made() -> None:
    def overwrite(v: Any) -> Any:
        v[:] = 7
        return v

    def program(x: Any) -> list[Any]:
        kept = x + 1.0
        for _ in range(6):
            x = tf.sin(x)
        return [tf.numpy_function(overwrite, [kept], tf.float32) + x, kept]

    values = run(made_of(program), [0.0])
    np.testing.assert_array_equal(values[0], np.float32([7.0]))
    np.testing.assert_array_equal(values[1], np.float32([1.0]))


def test_what_fails_is_named_with_its_inputs() -> None:
    def refuse(v: Any) -> Any:
        raise KeyError("too small")

    def program(x: Any) -> Any:
        for _ in range(6):
            x = tf.sin(x)
        return tf.numpy_function(refuse, [tf.stack([x, x])], tf.float32, name="strict")

    made = made_of(program)
    body = written(made).function
    assert body is not None
    with pytest.raises(tf.errors.UnknownError, match="strict") as found:
        body(cells_of(made, [1.0]))
    assert isinstance(found.value, KeyError) and "inputs: float32[2,1]" in found.value.message


def test_a_run_that_is_taken_over_says_which_step_is_next() -> None:
    made = made_of(lambda x: [tf.numpy_function(np.sin, [x], tf.float32) for _ in range(10)])
    assert made.plan.concurrent
    body = written(made).function
    assert body is not None
    cells = cells_of(made, [1.0])
    armed = Armed(made.steps, made.calls, cells)
    assert body(cells, armed) == armed.cursor == 10
    armed.taken = True
    assert body(cells, armed) == armed.cursor == 0


def test_a_run_is_left_in_the_middle_of_a_part() -> None:
    armed: list[Armed] = []

    def take_over(v: Any) -> Any:
        armed[0].taken = True
        return v

    def program(x: Any) -> list[Any]:
        calls = [tf.numpy_function(np.sin, [x], tf.float32) for _ in range(5)]
        return [*calls, tf.numpy_function(take_over, [x], tf.float32), tf.numpy_function(np.cos, [x], tf.float32)]

    made = made_of(program)
    body = written(made).function
    cells = cells_of(made, [1.0])
    armed.append(Armed(made.steps, made.calls, cells))
    assert body is not None and body(cells, armed[0]) == 6
    assert cells[made.fetches[5]] is not None and cells[made.fetches[6]] is None


def test_a_fetched_result_of_a_function_is_the_runs_own() -> None:
    made = made_of(lambda x: [tf.numpy_function(np.sin, [x], tf.float32) for _ in range(6)])
    assert written(made).private == set(made.fetches)


def test_a_run_pays_for_what_is_written_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    made = made_of(chain(20))
    monkeypatch.setattr(TUNING, "step_writing_cost", 10)
    found = Chunks(made.plan, made.calls, made.template)
    runs = 0
    while found.function is None:
        found.write_for_runs(1)
        runs += 1
    assert runs >= 10, "each of 40 steps costs as much as 10 interpreted ones"


def test_loops_and_branches_stand_in_parts() -> None:
    def halved(v: Any) -> Any:
        return tf.ensure_shape(tf.numpy_function(lambda a: a * np.float32(0.5), [v], tf.float32), [None])

    def program(x: Any) -> list[Any]:
        y = x
        for _ in range(3):
            y = tf.sin(y) + 1.0
            _, y = tf.while_loop(lambda i, _: i < 3, lambda i, v: (i + 1, halved(v) + x), [tf.constant(0), y])
            y = tf.cond(tf.reduce_sum(y) > 0, lambda y=y: y * 0.5, lambda y=y: y - 1.0)
        return [y, tf.gradients(tf.reduce_sum(tf.sin(x) * tf.cos(x)), x)[0]]

    made = made_of(program)
    assert len(written(made)._chunks) > 2
    run(made, [0.5, 1.0])


@pytest.mark.parametrize("size", [0, 1, 3, 9_000])
def test_what_many_steps_read_is_read_once_and_stays_as_it_is(size: int) -> None:
    def sums(x: Any) -> Any:
        y = x
        for _ in range(11):
            y = y + x
        return [y, y * x, x]

    fed = np.arange(size, dtype=np.float32)
    first, second, third = run(made_of(sums), fed)
    np.testing.assert_array_equal(first, 12 * np.arange(size, dtype=np.float32))
    np.testing.assert_array_equal(second, first * third)
    np.testing.assert_array_equal(third, np.arange(size, dtype=np.float32))


def test_results_that_grow_by_broadcasting_are_those_of_the_interpreter() -> None:
    def grown(x: Any) -> Any:
        row, column = tf.reshape(x, [1, -1]), tf.reshape(x, [-1, 1])
        for _ in range(5):
            row = row + 1.0
        y = row
        for _ in range(6):
            y = y + column
        return y

    x = np.arange(100, dtype=np.float32)
    (found,) = run(made_of(grown), x)
    np.testing.assert_array_equal(found, (x + 5)[None, :] + 6 * x[:, None])

"""Random pipelines give the elements of a naive model of the same operations on lists, also when they are resumed."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inlay as tf

Elements = list[Any]
NUMBERS, LINES = "numbers", "lines"
"""What the elements of a pipeline are: scalars, or vectors of different lengths."""


class Stage(NamedTuple):
    """One transformation, and the same on lists.

    Attributes:
      dataset: of a dataset and two small numbers.
      model: of a list and the same numbers; None where only the order is not the model's.
      gives: what the elements are afterwards.
    """

    dataset: Callable[[Any, int, int], Any]
    model: Callable[[Elements, int, int], Elements] | None
    gives: str


def _windows(x: Elements, size: int, shift: int) -> Elements:
    return [x[i : i + size] for i in range(0, len(x), shift)]


def _grouped(x: Elements, a: int, b: int) -> Elements:
    out: Elements = []
    groups: dict[int, Elements] = {}
    for element in x:
        group = groups.setdefault(element % a, [])
        group.append(element)
        if len(group) == b + 1:
            out.append(groups.pop(element % a))
    return out + [groups[key] for key in sorted(groups)]


def _by_turns(sources: list[Elements], cycle: int, block: int) -> Elements:
    waiting, out = [list(s) for s in sources], []
    slots: list[Elements | None] = [None] * cycle
    at = 0
    while waiting or any(s is not None for s in slots):
        if slots[at] is None:
            if not waiting:
                at = (at + 1) % cycle
                continue
            slots[at] = waiting.pop(0)
        held = slots[at]
        assert held is not None
        out += held[:block]
        slots[at] = held[block:] if len(held) >= block else None
        at = (at + 1) % cycle
    return out


def _padded(x: Elements, a: int) -> Elements:
    batches = [x[i : i + a] for i in range(0, len(x), a)]
    return [
        list(itertools.chain(*[line + [-1] * (max(map(len, batch)) - len(line)) for line in batch]))
        for batch in batches
    ]


def _accumulated(x: Elements, a: int, b: int) -> Elements:
    return list(itertools.accumulate(x, lambda s, e: (s + e) % 97, initial=a))[1:]


def _concatenated(dataset: Any, a: int, b: int) -> Any:
    return dataset.concatenate(tf.data.Dataset.range(b, b + a))


def _zipped(dataset: Any, a: int, b: int) -> Any:
    return tf.data.Dataset.zip(dataset, tf.data.Dataset.range(a, a + 20)).map(lambda x, y: x * 2 + y)


def _small(x: Any, a: int) -> Any:
    return tf.data.Dataset.range(x % (a + 1)).map(lambda y: y + x)


def _flat(x: Any) -> Any:
    """The elements of a batch, which is ragged unless all lines are known to have one length."""
    return x.flat_values if hasattr(x, "flat_values") else tf.reshape(x, [-1])


ANY: list[Callable[[str], Stage]] = [
    lambda kind: Stage(lambda d, a, b: d.take(a + b), lambda x, a, b: x[: a + b], kind),
    lambda kind: Stage(lambda d, a, b: d.skip(a), lambda x, a, b: x[a:], kind),
    lambda kind: Stage(lambda d, a, b: d.repeat(2), lambda x, a, b: x + x, kind),
    lambda kind: Stage(lambda d, a, b: d.shard(a, b % a), lambda x, a, b: x[b % a :: a], kind),
    lambda kind: Stage(lambda d, a, b: d.cache(), lambda x, a, b: x, kind),
    lambda kind: Stage(lambda d, a, b: d.prefetch(a), lambda x, a, b: x, kind),
    lambda kind: Stage(lambda d, a, b: d.shuffle(a + 1, seed=b), None, kind),
    lambda kind: Stage(lambda d, a, b: d.enumerate(a).map(lambda i, x: x + i),
                       lambda x, a, b: [e + i if kind == NUMBERS else [v + i for v in e] for i, e in enumerate(x, a)],
                       kind),
]  # fmt: skip
OF_NUMBERS: list[Stage] = [
    Stage(lambda d, a, b: d.map(lambda x: x * a + b), lambda x, a, b: [e * a + b for e in x], NUMBERS),
    Stage(lambda d, a, b: d.map(lambda x: x * a - b, num_parallel_calls=2), lambda x, a, b: [e * a - b for e in x],
          NUMBERS),
    Stage(lambda d, a, b: d.filter(lambda x: x % (a + 1) != b % (a + 1)),
          lambda x, a, b: [e for e in x if e % (a + 1) != b % (a + 1)], NUMBERS),
    Stage(lambda d, a, b: d.batch(a), lambda x, a, b: [x[i : i + a] for i in range(0, len(x), a)], LINES),
    Stage(lambda d, a, b: d.batch(a, drop_remainder=True),
          lambda x, a, b: [x[i : i + a] for i in range(0, len(x) - a + 1, a)], LINES),
    Stage(lambda d, a, b: d.window(a, b + 1).flat_map(lambda w: w.batch(a)),
          lambda x, a, b: _windows(x, a, b + 1), LINES),
    Stage(lambda d, a, b: d.group_by_window(lambda x: x % a, lambda k, w: w.batch(b + 1), window_size=b + 1), _grouped,
          LINES),
    Stage(lambda d, a, b: d.scan(np.int64(a), lambda s, x: ((s + x) % 97, (s + x) % 97)), _accumulated, NUMBERS),
    Stage(lambda d, a, b: d.take_while(lambda x: x < 9 * a), lambda x, a, b: list(
        itertools.takewhile(lambda e: e < 9 * a, x)), NUMBERS),
    Stage(lambda d, a, b: d.unique(), lambda x, a, b: list(dict.fromkeys(x)), NUMBERS),
    Stage(_concatenated, lambda x, a, b: x + list(range(b, b + a)), NUMBERS),
    Stage(_zipped, lambda x, a, b: [e * 2 + y for e, y in zip(x, range(a, a + 20), strict=False)], NUMBERS),
    Stage(lambda d, a, b: d.flat_map(lambda x: _small(x, a)),
          lambda x, a, b: [e + y for e in x for y in range(e % (a + 1))], NUMBERS),
    Stage(lambda d, a, b: d.interleave(lambda x: _small(x, a), cycle_length=a, block_length=b + 1),
          lambda x, a, b: _by_turns([[e + y for y in range(e % (a + 1))] for e in x], a, b + 1), NUMBERS),
]  # fmt: skip
OF_LINES: list[Stage] = [
    Stage(lambda d, a, b: d.unbatch(), lambda x, a, b: [v for e in x for v in e], NUMBERS),
    Stage(lambda d, a, b: d.map(tf.reduce_sum), lambda x, a, b: [sum(e) for e in x], NUMBERS),
    Stage(lambda d, a, b: d.map(lambda x: x[::-1]), lambda x, a, b: [e[::-1] for e in x], LINES),
    Stage(lambda d, a, b: d.filter(lambda x: tf.size(x) > b), lambda x, a, b: [e for e in x if len(e) > b], LINES),
    Stage(lambda d, a, b: d.padded_batch(a, padding_values=np.int64(-1)).map(lambda x: tf.reshape(x, [-1])),
          lambda x, a, b: _padded(x, a), LINES),
    Stage(lambda d, a, b: d.ragged_batch(a).map(_flat),
          lambda x, a, b: [list(itertools.chain(*x[i : i + a])) for i in range(0, len(x), a)], LINES),
    Stage(lambda d, a, b: d.rebatch(a), lambda x, a, b: [
        flat[i : i + a] for flat in [[v for e in x for v in e]] for i in range(0, len(flat), a)], LINES),
]  # fmt: skip

CHOICE = st.tuples(st.integers(0, 99), st.integers(1, 4), st.integers(0, 3))
LIMIT = 60


def built(count: int, choices: list[tuple[int, int, int]], modeled: bool) -> tuple[Any, Elements]:
    """A pipeline, and the elements of its model; without stages that have no model if `modeled`."""
    dataset, model, kind = tf.data.Dataset.range(count), list(range(count)), NUMBERS
    for number, a, b in choices:
        stages = [*(make(kind) for make in ANY), *(OF_NUMBERS if kind == NUMBERS else OF_LINES)]
        stage = stages[number % len(stages)]
        if stage.model is None and modeled:
            continue
        dataset = stage.dataset(dataset, a, b).take(LIMIT)
        model = [] if stage.model is None else stage.model(model, a, b)[:LIMIT]
        kind = stage.gives
    return dataset, model


def plain(elements: Any) -> Elements:
    return [element.numpy().tolist() for element in elements]


@pytest.mark.timeout(300)
@settings(max_examples=200, deadline=None)
@given(st.integers(0, 12), st.lists(CHOICE, max_size=5))
def test_random_pipelines_give_what_a_model_on_lists_gives(count: int, choices: list[tuple[int, int, int]]) -> None:
    dataset, model = built(count, choices, modeled=True)
    assert plain(dataset) == model
    assert plain(dataset) == model, "again"
    size = int(dataset.cardinality())
    assert size in (tf.data.UNKNOWN_CARDINALITY, len(model))


@pytest.mark.timeout(300)  # a hundred examples, each with threads: a busy machine takes its time
@settings(max_examples=100, deadline=None)
@given(st.integers(0, 12), st.lists(CHOICE, max_size=5), st.integers(0, 20))
def test_random_pipelines_go_on_where_they_stood(count: int, choices: list[tuple[int, int, int]], at: int) -> None:
    one, other = (built(count, choices, modeled=False)[0].as_numpy_iterator() for _ in range(2))
    for _ in itertools.islice(one, at):
        pass
    other.restore(one.save())
    rest, expected = [x.tolist() for x in other], [x.tolist() for x in one]
    assert rest == expected

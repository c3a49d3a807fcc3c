"""Generators whose state functions, loops and datasets change."""

from __future__ import annotations

from typing import Any

from tests.golden.make_programs import refused, rows

CHANGES = {
    "reset": lambda g: g.reset([1, 2, 3]),
    "reset_from_seed": lambda g: g.reset_from_seed(1234),
    "reset_from_key_counter": lambda g: g.reset_from_key_counter(1, [2, 3]),
    "skip": lambda g: g.skip(2),
}


def _generator(tf: Any) -> Any:
    return tf.random.Generator.from_seed(7)


@rows(*CHANGES)
def a_function_changes_the_state_whenever_it_runs(tf: Any, change: str) -> Any:
    generator = _generator(tf)

    @tf.function
    def draw() -> Any:
        first = generator.uniform([])
        CHANGES[change](generator)
        return first, generator.uniform([2])

    return [draw(), draw(), tf.identity(generator.state)]


def seeds_and_states_are_tensors_of_a_function(tf: Any) -> Any:
    generator = _generator(tf)

    @tf.function
    def draw(seed: Any, state: Any) -> Any:
        generator.reset_from_seed(seed)
        first = generator.uniform([])
        generator.reset(state)
        return first, generator.uniform([]), tf.identity(generator.state), generator.key

    states = [tf.constant([1, 2, n], tf.int64) for n in (3, 4)]
    return [draw(tf.constant(n), state) for n, state in enumerate(states)]


def branches_and_loops_change_the_state(tf: Any) -> Any:
    generator = _generator(tf)

    @tf.function
    def draw(count: Any) -> Any:
        if count > 2:
            generator.reset_from_seed(1)
        else:
            generator.reset_from_seed(2)
        total = generator.uniform([])
        for i in tf.range(count):
            generator.reset_from_seed(i)
            total += generator.uniform([])
        return total

    return [draw(tf.constant(n)) for n in (1, 3, 1)]


def a_dataset_changes_the_state(tf: Any) -> Any:
    generator = _generator(tf)

    def drawn(i: Any) -> Any:
        generator.reset_from_seed(i)
        return generator.uniform([])

    return list(tf.data.Dataset.range(3).map(drawn))


def keys_and_counters_are_states(tf: Any) -> Any:
    generator = tf.random.Generator.from_key_counter(key=-1, counter=[2, 3], alg="philox")
    states = [tf.identity(generator.state), tf.identity(generator.skip(3)), tf.identity(generator.skip(-1))]
    generator.reset_from_key_counter(5, [6, 7])
    wrong = [refused(lambda c=c: generator.reset_from_key_counter(5, c)) for c in ([6], [6, 7, 8], [[6, 7]])]
    return [*states, tf.identity(generator.state), *wrong, refused(lambda: generator.skip([1, 2]))]

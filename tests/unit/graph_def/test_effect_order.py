"""The order of reads and writes in a function, as control inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import inlay as tf
from inlay._src.core.operation import Operation
from inlay._src.programs.graph_def.effect_order import preceding


def order(trace: Any) -> dict[str, list[str]]:
    """For each node with an effect the types of the nodes that must have run."""
    graph = tf.function(trace, autograph=False).get_concrete_function().graph
    before = preceding(graph)
    return {f"{node.type} {n}": [other.type for other in others] for n, (node, others) in enumerate(before.items())}


def test_reads_follow_the_last_write_and_writes_follow_the_reads() -> None:
    v = tf.Variable(1.0)

    def trace() -> Any:
        one = v.read_value() + v.read_value()
        v.assign(one)
        return v.read_value()

    assert order(trace) == {
        "ReadVariableOp 0": [],
        "ReadVariableOp 1": [],
        "AssignVariableOp 2": ["ReadVariableOp", "ReadVariableOp"],
        "ReadVariableOp 3": ["AssignVariableOp"],
    }


def test_variables_do_not_wait_for_one_another() -> None:
    v, w = tf.Variable(1.0), tf.Variable(2.0)

    def trace() -> None:
        v.assign(3.0)
        w.assign(4.0)

    assert list(order(trace).values()) == [[], []]


def test_a_call_of_python_keeps_its_place() -> None:
    v = tf.Variable(1.0)

    def trace() -> None:
        v.assign(3.0)
        tf.py_function(lambda: None, [], [])
        v.assign(4.0)

    assert list(order(trace).values()) == [[], ["AssignVariableOp"], ["EagerPyFunc", "EagerPyFunc"]] or list(
        order(trace).values()
    ) == [[], ["AssignVariableOp"], ["EagerPyFunc"]]


@pytest.mark.parametrize("seed", range(8))
def test_every_pair_that_matters_is_ordered(seed: int) -> None:
    """Random reads and writes of three variables: whatever may not change places is joined by a path."""
    variables = [tf.Variable(float(n)) for n in range(3)]
    kinds = [((seed * 7 + n * n * 3 + n) % 3, (seed + n) % 2) for n in range(12)]

    def trace() -> None:
        for which, writes in kinds:
            if writes:
                variables[which].assign(1.0)
            else:
                variables[which].read_value()

    graph = tf.function(trace, autograph=False).get_concrete_function().graph
    before = preceding(graph)
    nodes = list(before)
    reached: dict[Operation, set[Operation]] = {}
    for node in nodes:
        reached[node] = closure(before[node], reached)
    for n, (which, writes) in enumerate(kinds):
        for m, (other, earlier_writes) in enumerate(kinds[:n]):
            assert (nodes[m] in reached[nodes[n]]) or which != other or not (writes or earlier_writes)


def closure(direct: Sequence[Operation], reached: dict[Operation, set[Operation]]) -> set[Operation]:
    return set(direct).union(*(reached[node] for node in direct))

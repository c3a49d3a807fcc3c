"""Reads of one variable in a function are one step where no write can come between them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf


def reads(function: Any) -> int:
    """The reads in the plan of a function without arguments."""
    plan = function.get_concrete_function().program.plan
    return sum(step.opdef.name == "ReadVariableOp" for step in plan.steps)


def test_reads_without_a_write_between_them_are_one() -> None:
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def f() -> Any:
        return v * 2.0 + v, v.read_value()

    assert reads(f) == 1
    assert [y.numpy().tolist() for y in f()] == [[3.0, 6.0], [1.0, 2.0]]
    v.assign([5.0, 5.0])
    assert f()[0].numpy().tolist() == [15.0, 15.0]


@pytest.mark.parametrize("write", ["assign", "assign_add", "scatter", "host", "call", "branch", "loop"])
def test_a_write_comes_between(write: str) -> None:
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def bump() -> Any:
        v.assign_add([1.0, 1.0])

    def by_hand() -> Any:
        v.assign_add([1.0, 1.0])
        return np.float32(0)

    def turn(i: Any) -> Any:
        v.assign_add([1.0, 1.0])
        return (i + 1,)

    ways: dict[str, Callable[[], Any]] = {
        "assign": lambda: v.assign(v + 1.0),
        "assign_add": lambda: v.assign_add([1.0, 1.0]),
        "scatter": lambda: v.scatter_nd_add([[0], [1]], [1.0, 1.0]),
        "host": lambda: tf.py_function(by_hand, [], tf.float32),
        "call": bump,
        "branch": lambda: tf.cond(tf.reduce_sum(v) > 0, lambda: v.assign_add([1.0, 1.0]), lambda: v),
        "loop": lambda: tf.while_loop(lambda i: i < 1, turn, [tf.constant(0)]),
    }

    @tf.function
    def f() -> Any:
        before = v * 1.0
        ways[write]()
        return before, v * 1.0

    assert [y.numpy().tolist() for y in f()] == [[1.0, 2.0], [2.0, 3.0]]
    assert [y.numpy().tolist() for y in f()] == [[2.0, 3.0], [3.0, 4.0]]


def test_a_write_to_another_variable_comes_not_between() -> None:
    v, w = tf.Variable(1.0), tf.Variable(1.0)

    @tf.function
    def f() -> Any:
        x = v * 2.0
        w.assign(x)
        return x + v + w

    assert reads(f) == 2 and float(f()) == 5.0


@pytest.mark.parametrize("seed", range(20))
def test_random_reads_and_writes_are_those_of_eager_code(seed: int) -> None:
    rng = random.Random(seed)
    program = [
        (rng.choice(["read", "read", "add", "set", "copy"]), rng.randrange(3), rng.randrange(3)) for _ in range(25)
    ]

    def run(variables: list[Any]) -> list[Any]:
        seen = []
        for what, one, two in program:
            if what == "read":
                seen.append(variables[one] * float(two + 1) + variables[two])
            elif what == "add":
                variables[one].assign_add([1.0 + two, 2.0])
            elif what == "set":
                variables[one].assign([float(two), 3.0])
            else:
                variables[one].assign(variables[two] + 0.5)
        return seen

    def fresh() -> list[Any]:
        return [tf.Variable([float(k), 1.0]) for k in range(3)]

    eager, traced = fresh(), fresh()
    f = tf.function(lambda: run(traced))
    for _ in range(3):
        expected, result = run(eager), f()
        assert [y.numpy().tolist() for y in result] == [y.numpy().tolist() for y in expected]
    assert [v.numpy().tolist() for v in traced] == [v.numpy().tolist() for v in eager]

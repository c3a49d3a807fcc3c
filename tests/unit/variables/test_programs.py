"""Random programs of reads and writes, built into a 1.x graph, agree with the same program in plain Python."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import inlay as tf

VARIABLES = 3


@dataclass(frozen=True)
class Statement:
    """`target op= source`, where the source is a constant, another variable, or a host function of one."""

    op: str
    target: int
    source: int | None
    constant: int
    host: bool

    @property
    def touches(self) -> set[int]:
        return {self.target} if self.source is None else {self.target, self.source}


statements = st.lists(
    st.builds(
        Statement,
        st.sampled_from(["assign", "add", "sub", "scatter", "read"]),
        st.integers(0, VARIABLES - 1),
        st.none() | st.integers(0, VARIABLES - 1),
        st.integers(-3, 3),
        st.booleans(),
    ),
    max_size=12,
)


def in_python(program: list[Statement], state: list[np.ndarray]) -> list[np.ndarray]:
    """Runs the program on `state`; returns what its reads saw."""
    reads = []
    for s in program:
        value = np.full(2, s.constant, np.int64) if s.source is None else state[s.source]
        value = value + 1 if s.host else value
        if s.op == "read":
            reads.append(value)
        elif s.op == "assign":
            state[s.target] = value
        elif s.op == "scatter":
            state[s.target] = np.array([value[0], state[s.target][1]])
        else:
            state[s.target] = state[s.target] + (value if s.op == "add" else -value)
    return reads


def in_graph(program: list[Statement], pause: float) -> tuple[list[Any], list[Any], Any]:
    """(variables, reads, last operations), ordered only between statements that touch the same variable."""

    def plus_one(x):
        time.sleep(pause)
        return x + 1

    variables = [tf.Variable(np.int64([k, -k])) for k in range(VARIABLES)]
    last: list[list[Any]] = [[] for _ in variables]
    reads = []
    for s in program:
        with tf.control_dependencies([node for k in s.touches for node in last[k]]):
            value = tf.constant(s.constant, tf.int64, [2]) if s.source is None else variables[s.source].read_value()
            if s.host:
                value = tf.py_func(plus_one, [value], tf.int64)
            target = variables[s.target]
            if s.op == "read":
                node = tf.identity(value)
                reads.append(node)
            elif s.op == "assign":
                node = target.assign(value, read_value=False)
            elif s.op == "scatter":
                node = tf.scatter_update(target, [0], value[:1]).op
            else:
                node = (target.assign_add if s.op == "add" else target.assign_sub)(value, read_value=False)
        for k in s.touches:
            last[k] = [node]
    return variables, reads, [node for nodes in last for node in nodes]


def check(program: list[Statement], pause: float) -> None:
    with tf.Graph().as_default():
        variables, reads, last = in_graph(program, pause)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            state = [np.int64([k, -k]) for k in range(VARIABLES)]
            for _ in range(2):  # the second run goes on from the first one's state
                got = session.run([reads, last])[0]
                want = in_python(program, state)
                assert [g.tolist() for g in got] == [w.tolist() for w in want]
                assert [v.tolist() for v in session.run(variables)] == [s.tolist() for s in state]


@given(statements)
def test_programs_agree_with_python(program):
    check(program, 0.0)


@settings(max_examples=15)
@given(statements)
def test_programs_agree_with_python_when_host_functions_block(program):
    check(program, 0.003)

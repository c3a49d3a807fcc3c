"""Which rule differentiates an op application."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.types.dtypes import FLOATS
from inlay._src.core import context
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.record import Record
from inlay._src.core.opdef import OPS, same
from inlay._src.engine.autodiff import rules

tf.Graph  # noqa: B018  (declares the ops)


def record(name: str, *inputs: Any, override: str | None = None, pull: Any = None, **attrs: Any) -> Record:
    made = OPS[name].dispatch.function(*inputs, **attrs)
    outputs = tuple(made) if isinstance(made, list) else (made,)
    return Record(OPS[name], inputs, outputs, attrs, None, override=override, pull=pull)


def numbers(grads: Any) -> list[Any]:
    return [None if g is None else g.numpy().tolist() for g in grads]


X = tf.constant([1.0, 2.0])
ONES = tf.constant([1.0, 1.0])


def test_an_override_wins_over_a_pull_and_a_pull_over_the_ops_own_rule() -> None:
    name = "RulesTestTimesSeven"
    tf.RegisterGradient(name)(lambda op, g: g * 7.0)

    def pull(record: Any, g: Any) -> Any:
        return g * 5.0

    assert numbers(rules.input_gradients(record("Square", X), [ONES])) == [[2, 4]]
    assert numbers(rules.input_gradients(record("Square", X, pull=pull), [ONES])) == [[5, 5]]
    assert numbers(rules.input_gradients(record("Square", X, pull=pull, override=name), [ONES])) == [[7, 7]]
    assert rules.gradient_function(record("Square", X)) is OPS["Square"].vjp
    assert rules.gradient_function(record("Square", X, pull=pull)) is pull


def test_no_rule_where_a_gradient_makes_no_sense() -> None:
    for name, inputs in (("Less", (X, X)), ("ZerosLike", (X,))):
        found = record(name, *inputs)
        assert rules.gradient_function(found) is None
        assert rules.input_gradients(found, [ONES]) == (None,) * len(inputs)


def test_a_rule_is_derived_where_an_op_declares_none() -> None:
    @op("RulesTestCube", "x:T -> T", types={"T": FLOATS}, infer=same)
    def cube(xp, x):  # type: ignore[no-untyped-def]
        """x**3."""
        return x * x * x

    @op("RulesTestCount", "x:T -> int32", types={"T": FLOATS})
    def count(xp, x):  # type: ignore[no-untyped-def]
        """The number of elements."""
        return xp.asarray(x.size, np.int32)

    @op("RulesTestPartly", "x:T -> T", types={"T": FLOATS}, infer=same, vjp=lambda op, g: NotImplemented)
    def partly(xp, x):  # type: ignore[no-untyped-def]
        """-x, whose rule leaves every case to the kernel."""
        return -x

    try:
        assert numbers(rules.input_gradients(record("RulesTestCube", X), [ONES])) == [[3, 12]]
        assert rules.gradient_function(record("RulesTestCount", X)) is None
        assert numbers(rules.input_gradients(record("RulesTestPartly", X), [ONES])) == [[-1, -1]]
    finally:
        for name in ("RulesTestCube", "RulesTestCount", "RulesTestPartly"):
            del OPS[name]


def test_a_rule_may_return_one_gradient_alone() -> None:
    for result in (ONES, [ONES], (ONES,)):
        assert numbers(rules.input_gradients(record("Sin", X, pull=lambda r, g, v=result: v), [ONES])) == [[1, 1]]


def test_names_are_registered_once_and_are_text() -> None:
    tf.RegisterGradient("RulesTestOnce")(lambda op, g: g)
    with pytest.raises(KeyError, match="two gradient with name 'RulesTestOnce'"):
        tf.RegisterGradient("RulesTestOnce")(lambda op, g: g)
    with pytest.raises(TypeError, match="op_type must be a string"):
        tf.RegisterGradient(3)


@pytest.mark.parametrize("register", ["NotDifferentiable", "no_gradient"])
def test_a_name_may_let_nothing_pass(register: str) -> None:
    name = f"RulesTestNothing{register}"
    getattr(tf, register)(name)
    state = context.current().replace(overrides=(("Mul", name),))
    with tf.GradientTape() as tape:
        tape.watch(X)
        with context.using(state.replace(tapes=context.current().tapes)):
            y = X * X
    assert tape.gradient(y, X) is None


def test_a_graphs_overrides_are_its_nodes() -> None:
    tf.RegisterGradient("RulesTestNine")(lambda op, g: g * 9.0)
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        x = tf.constant([1.0, 2.0])
        with graph.gradient_override_map({"Square": "RulesTestNine"}):
            y = tf.square(x)
        inside, outside = tf.gradients(y, x)[0], tf.gradients(tf.square(x), x)[0]
        assert session.run(inside).tolist() == [9, 9] and session.run(outside).tolist() == [2, 4]


def test_an_index_that_comes_twice_in_a_sum_of_products_is_left_to_the_kernel() -> None:
    m = tf.constant(np.arange(9.0).reshape(3, 3))
    with tf.GradientTape() as tape:
        tape.watch(m)
        y = tf.einsum("ii->i", m)
    np.testing.assert_array_equal(tape.gradient(y, m, tf.constant([1.0, 2.0, 3.0], tf.float64)), np.diag([1, 2, 3]))

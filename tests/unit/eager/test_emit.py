"""The funnel decides: composite values answer themselves, a graph is built, or the kernel runs."""

from __future__ import annotations

from typing import Any

import pytest

import inlay as tf
from inlay._src.core.eager.emit import ANSWERS, answers, emit, filled, graph_of
from inlay._src.core.opdef import OPS
from inlay._src.core.tensor import EagerTensor, SymbolicTensor


def test_without_a_graph_the_op_runs() -> None:
    assert isinstance(emit(OPS["Sin"], (1.0,)), EagerTensor)


def test_in_a_graph_the_op_is_built_whatever_its_inputs() -> None:
    with tf.Graph().as_default() as graph:
        made = emit(OPS["Sin"], (1.0,), name="wave")
    assert isinstance(made, SymbolicTensor) and made.graph is graph and made.op.name == "wave"


def test_a_symbolic_tensor_leads_to_its_graph_also_from_a_nest_or_a_variable() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant(1.0)
        v = tf.compat.v1.get_variable("v", initializer=1.0)
    assert graph_of([x]) is graph_of([1.0, [2.0, (x,)]]) is graph_of([v]) is graph
    assert graph_of([1.0, tf.constant(1.0), [], tf.Variable(1.0)]) is None


def test_a_tensor_of_a_function_is_refused_when_its_trace_is_over() -> None:
    kept: list[Any] = []

    @tf.function
    def f(x: tf.Tensor) -> tf.Tensor:
        kept.append(x)
        return x

    f(tf.constant(1.0))
    with pytest.raises(TypeError, match="out of scope.*no longer being traced. Return it from the function"):
        kept[0] + 1.0


def test_a_body_that_uses_a_tensor_of_the_function_around_it_is_told_so() -> None:
    @tf.function
    def f(x: tf.Tensor) -> tf.Tensor:
        return tf.py_function(lambda y: y + x, [tf.constant(1.0)], tf.float32)

    with pytest.raises(TypeError, match="runs when the graph runs.*Pass it to the function through `inp`"):
        f(tf.constant(1.0))


class _Boxed:
    """A value that answers ops."""


@pytest.fixture
def asked() -> Any:
    seen: list[Any] = []

    def answer(op: Any, inputs: Any, attrs: Any, name: Any) -> Any:
        seen.append((op.name, len(inputs), dict(attrs), name))
        return "answered"

    ANSWERS[_Boxed] = answer
    try:
        yield seen
    finally:
        del ANSWERS[_Boxed]


def test_a_composite_answers_ops_itself_also_from_a_list_input(asked: list[Any]) -> None:
    box = _Boxed()
    assert answers(box) and not answers(1.0)
    assert emit(OPS["AddV2"], (1.0, box), {}, "n") == "answered"
    assert emit(OPS["Pack"], ([1.0, box],), {"axis": 0}) == "answered"
    assert asked == [("AddV2", 2, {}, "n"), ("Pack", 1, {"axis": 0}, None)]


def test_a_composite_answers_in_a_graph_too(asked: list[Any]) -> None:
    with tf.Graph().as_default() as graph:
        assert emit(OPS["AddV2"], (_Boxed(), 1.0)) == "answered"
    assert graph.nodes == []


def test_a_static_input_left_out_is_worked_out_in_graphs_only(asked: list[Any]) -> None:
    count: list[int] = []

    def axes(x: Any) -> str:
        count.append(1)
        return "axes"

    assert filled(axes, (tf.constant(1.0),)) is None and filled(axes, (_Boxed(),)) is None
    with tf.Graph().as_default():
        x = tf.constant(1.0)
        assert filled(axes, (x,)) == "axes"
    assert filled(axes, (x,)) == "axes" and len(count) == 2


def test_every_op_has_a_public_function_that_knows_its_declaration() -> None:
    wrong = [
        name for name, op in OPS.items() if op.dispatch.function is not None and op.dispatch.function.opdef is not op
    ]  # type: ignore[attr-defined]
    assert wrong == []

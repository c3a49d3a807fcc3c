"""Reference counts are asked only of variables that are bound to no parameter."""

from __future__ import annotations

import ast

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.interpreter.source import Source
from tests import generated_sources
from tests.architecture.sources import modules


@pytest.mark.parametrize(
    ("body", "asked"),
    [
        ("ref(p)", ["p"]),
        ("x = p\n ref(x)", ["x"]),
        ("x, y = 1, p\n z = y\n (ref(x), ref(z))", ["z"]),
        ("x = y = p\n ref(x)", ["x"]),
        ("ref(x := p)", ["(x := p)"]),
        ("x = p if ref else None\n ref(x)", ["x"]),
        ("x = None or p\n ref(x)", ["x"]),
        ("ref(outer)", ["outer"]),
        ("x = None\n def inner():\n  return ref(x)", ["x"]),
        ("def inner(q, x=p):\n  return ref(q), ref(x)", ["q", "x"]),
        ("x = [p]\n x = x[0]\n ref(x)", []),
        ("x, = p\n ref(x)", []),
        ("for x in p: ref(x)", []),
        ("x = p.value\n y = x\n ref(y)", []),
        ("ref(p[0])", []),
        ("def inner(q):\n  x = q.copy()\n  return ref(x)", []),
    ],
)
def test_a_count_of_a_parameter_is_found(body: str, asked: list[str]) -> None:
    tree = ast.parse(f"def f(p, ref=ref):\n {body}")
    assert list(generated_sources.counted_parameters(tree, {"ref"})) == asked


def test_a_source_that_asks_for_the_count_of_a_parameter_fails_its_test() -> None:
    source = Source({"ref": len})
    with source.block("def f(x):"):
        source.write("return ref(x)")
    with pytest.raises(pytest.fail.Exception, match="asks for reference counts of x, bound to a parameter"):
        source.function("f", __file__)


def test_sources_of_plans_calls_and_eager_calls_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(generated_sources, "check", lambda source, file: read.append("\n".join(source.lines)))

    def double(a: np.ndarray) -> np.ndarray:
        return a * 2.5

    @tf.function(input_signature=[tf.TensorSpec([None])])  # of small arrays of known shape no count is asked for
    def looped(x: tf.Tensor) -> tf.Tensor:
        return tf.while_loop(lambda y: tf.reduce_sum(y) < 100, lambda y: tf.exp(y) + y * 3, [x])[0]  # type: ignore[no-any-return]

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [None])
        y = tf.numpy_function(double, [tf.exp(x) + 1.25], tf.float32)
        z = tf.sqrt(y) * 7.5
        for _ in range(20):  # the first runs of a plan are interpreted
            session.run(z, {x: np.ones(3, np.float32)})
    tf.numpy_function(double, [tf.constant([1.5])], tf.float32)
    for _ in range(20):
        looped(tf.ones([5]))
    counting = [text for text in read if "ref(" in text]
    assert len(counting) >= 3, f"{len(read)} sources were generated"


def test_our_own_code_asks_for_no_count_of_a_parameter() -> None:
    asked = {
        module.name: list(generated_sources.counted_parameters(module.tree, {"getrefcount"}))
        for module in modules().values()
    }
    assert {name: arguments for name, arguments in asked.items() if arguments} == {}

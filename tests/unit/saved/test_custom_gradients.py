"""Gradients that a saved function brings are those of the loaded one, in a process that has none of the source."""

from __future__ import annotations

from pathlib import Path

from tests.unit.saved.fresh import run, saved_and_loaded
from tests.unit.saved.test_fresh import GRADIENT

MODEL = """
class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(3.0)

    @tf.function(input_signature=[tf.TensorSpec([3], tf.float32)])
    def f(self, x):
        w = self.w
        @tf.custom_gradient
        def own({parameters}):
            {own}
        {rest}

model = Model()
"""
BODIES = {
    "a Python function computes the gradient": (
        "v",
        "return tf.nn.relu(v), lambda dy: tf.numpy_function(lambda d: d * np.float32(7), [dy], tf.float32) * v",
        "return own(x) * w",
    ),
    "it knows of variables": (
        "v",
        "return v * w, lambda dy, variables=None: (dy * 2 * w, [tf.reduce_sum(dy * v) * 10 for _ in variables])",
        "return own(x)",
    ),
    "it is called by a Python function": (
        "v",
        "return v * v, lambda dy: dy * 5 * v",
        "return tf.ensure_shape(tf.py_function(lambda v: own(v) * w, [x], tf.float32), [3])",
    ),
    "its gradient has a gradient of its own": (
        "v",
        "return v * v, lambda dy: tf.grad_pass_through(lambda d: d * v * 5)(dy)",
        "return own(x) * w",
    ),
    "it takes and gives several": (
        "v, u",
        "return (v * u, v + u), lambda a, b: (a * 5 * v, b * 3)",
        "p, q = own(x, x * 2.0); return p * q * w",
    ),
    "it is called in a loop": (
        "v",
        "return tf.tanh(v), lambda dy: dy * 5 * v",
        """for _ in tf.range(3):
            if tf.reduce_sum(x) > -100.0:
                x = own(x)
        return x * w""",
    ),
    "it computes again": ("v", "return v, lambda dy: dy", "return tf.recompute_grad(lambda v: tf.sin(v) * v)(x) * w"),
}


def test_a_loaded_function_has_the_gradients_that_it_was_given(tmp_path: Path) -> None:
    sources = [MODEL.format(parameters=p, own=own, rest=rest) for p, own, rest in BODIES.values()]
    before, after = saved_and_loaded(tmp_path, sources, GRADIENT)
    assert after == before and before.count("\n") == 3 * len(BODIES)
    firsts = [line.rpartition(" [")[2] for line in before.splitlines()[::3]]
    assert firsts[0] == "10.5, -63.0, 52.5]" and firsts[2] == "7.5, -45.0, 37.5]"


SESSION = """
import inlay as tf, numpy as np
v1 = tf.compat.v1

@tf.RegisterGradient("Tripled")
def tripled(op, dy):
    return tf.numpy_function(lambda d, x: d * x * np.float32(3), [dy, op.inputs[0]], tf.float32)

with tf.Graph().as_default() as graph, v1.Session() as session:
    x = v1.placeholder(tf.float32, [3], name="x")
    scale = v1.get_variable("scale", initializer=2.0)
    kept = tf.exp(x * 0.5)

    @tf.custom_gradient
    def own(v):
        table = tf.constant(np.arange(3, dtype=np.float32))
        return tf.nn.relu(v) * scale, lambda dy, variables=(): (dy * kept * table * 7.0 + v, [tf.reduce_sum(dy) * 5.0])

    @tf.custom_gradient
    def outer(v):
        return v * 2.0, lambda dy: own(dy * v)

    y = own(x) + outer(x)
    with graph.gradient_override_map({"Square": "Tripled"}):
        y += tf.square(x)
    y = tf.add(y, own(y), name="y")
    session.run(v1.global_variables_initializer())
    v1.saved_model.simple_save(session, PATH, {"x": x}, {"y": y})
    USE
"""
LOAD = """
import inlay as tf
from inlay._src.saved.container import Container
v1 = tf.compat.v1
with tf.Graph().as_default() as graph, v1.Session() as session:
    v1.saved_model.load(session, ["serve"], PATH, trust=Container(PATH).digest)
    USE
"""
USE = """
    x, y = graph.get_tensor_by_name("x:0"), graph.get_tensor_by_name("y:0")
    first = tf.gradients(y, [x])[0]
    found = [y, first, tf.gradients(first, x)[0]]
    print([a.tolist() for a in session.run(found, {x: [0.5, -3.0, 2.5]})])
"""


def test_gradients_in_the_graph_of_a_session_travel(tmp_path: Path) -> None:
    said = repr(str(tmp_path / "model"))
    before, after = (run(code.replace("PATH", said).replace("    USE", USE), tmp_path) for code in (SESSION, LOAD))
    assert after == before and before.count("[") == 4

"""Traced functions as JAX's, and JAX's functions as ops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf

jax = pytest.importorskip("jax")
jnp = jax.numpy


@tf.function
def _everything(x: Any, n: Any) -> Any:
    if tf.reduce_sum(x) > 0.0:
        y = 3.0 * x
    else:
        y = x - 1.0
    i = tf.constant(0)
    while i < n:
        y = y * 1.5
        i += 1
    z = tf.py_function(lambda a: a * a, [y], tf.float32, output_shapes=lambda shape: shape)
    return {"z": z, "rest": (tf.switch_case(n, [lambda: tf.sin(x), lambda: tf.cos(x)]), tf.shape(x))}


def test_branches_loops_and_host_calls_under_every_transformation() -> None:
    lifted = tf.jax.lift(_everything)
    for values in ([1.0, 2.0, -1.0], [-1.0, -2.0, 0.5]):
        x = jnp.array(values, jnp.float32)
        for n in 0, 1, 3:
            wanted = _everything(tf.constant(values), tf.constant(n))
            for call in lifted, jax.jit(lifted):
                results = call(x, jnp.int32(n))
                assert jax.tree.structure(results) == jax.tree.structure({"z": 0, "rest": (0, 0)})
                np.testing.assert_allclose(results["z"], wanted["z"], rtol=1e-6)
                np.testing.assert_allclose(results["rest"][0], wanted["rest"][0], rtol=1e-6)
                assert results["rest"][1].tolist() == [3]
    batch = jax.vmap(lifted, (0, None))(jnp.stack([x, -x]), jnp.int32(2))
    np.testing.assert_allclose(batch["z"][0], lifted(x, jnp.int32(2))["z"], rtol=1e-6)
    np.testing.assert_allclose(batch["z"][1], lifted(-x, jnp.int32(2))["z"], rtol=1e-6)


def test_gradients_are_those_of_jax_and_of_the_host_call() -> None:
    @tf.function
    def energy(x: Any) -> Any:
        return tf.reduce_sum(tf.py_function(tf.sin, [x * x], tf.float32, output_shapes=lambda shape: shape))

    x = jnp.array([1.0, -2.0, 0.5])
    gradient = jax.grad(tf.jax.lift(energy))
    for call in gradient, jax.jit(gradient):
        np.testing.assert_allclose(call(x), jnp.cos(x * x) * 2 * x, rtol=1e-5)
    same = jax.jacrev(jax.grad(lambda x: jnp.sum(jnp.sin(x * x))))(x)
    np.testing.assert_allclose(jax.jacrev(gradient)(x), same, rtol=1e-4, atol=1e-5)


def test_a_variable_has_its_value_while_jax_traces() -> None:
    v = tf.Variable(2.0)
    lifted = tf.jax.lift(tf.function(lambda x: x * v))
    assert lifted(jnp.ones(2)).tolist() == [2, 2]
    v.assign(3.0)
    assert lifted(jnp.ones(2)).tolist() == jax.jit(lifted)(jnp.ones(2)).tolist() == [3, 3]


def test_a_concrete_function_and_a_loaded_model(tmp_path: Any) -> None:
    module = tf.Module()
    module.double = tf.function(lambda x: 2.0 * x, input_signature=[tf.TensorSpec([2], tf.float32)])
    tf.saved_model.save(module, str(tmp_path / "model"))
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    for function in module.double.get_concrete_function(), loaded.double:
        assert jax.jit(tf.jax.lift(function))(jnp.ones(2)).tolist() == [2, 2]


def _listed(x: Any) -> Any:
    items = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    for i in tf.range(tf.cast(tf.reduce_sum(x), tf.int32)):
        items = items.write(i, x[0])
    return items.stack()


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x + tf.random.normal([3]), "it changes state, draws random numbers or runs other programs"),
        (lambda x: tf.py_function(lambda a: a, [x], tf.float32), "say output_shapes="),
        (lambda x: tf.boolean_mask(x, x > 0.0), "op '.*' .Where., defined at .*test_jax_lift.py"),
        (_listed, "jax.lift cannot take op"),
    ],
)
def test_steps_that_jax_cannot_have_are_refused_with_their_place(function: Any, message: str) -> None:
    with pytest.raises(tf.errors.UnimplementedError, match=message):
        jax.jit(tf.jax.lift(tf.function(function)))(jnp.ones(3))


def test_a_plain_function_is_no_traced_one() -> None:
    with pytest.raises(TypeError, match="takes what tf.function returns"):
        tf.jax.lift(lambda x: x)


# ---------------------------------------------------------------- back


def test_a_function_of_jax_as_an_op_with_gradients_of_both_orders() -> None:
    distance = tf.jax.from_jax(lambda x, more: {"d": jnp.sqrt(((x - more["y"]) ** 2).sum()), "n": jnp.int32(3)})
    x, y = tf.constant([1.0, 2.0]), tf.constant([0.0, 0.5])

    def first(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            results = distance(x, {"y": y})
        assert results["n"].dtype is tf.int32
        return tape.gradient(results["d"], x)

    def norm(x: Any) -> Any:
        return jnp.sqrt(((x - jnp.array([0.0, 0.5])) ** 2).sum())

    for call in first, tf.function(first):
        np.testing.assert_allclose(call(x), jax.grad(norm)(jnp.array([1.0, 2.0])), rtol=1e-5)
        with tf.GradientTape() as tape:
            tape.watch(x)
            gradient = call(x)
        np.testing.assert_allclose(tape.jacobian(gradient, x), jax.hessian(norm)(jnp.array([1.0, 2.0])), atol=1e-5)


def test_shapes_follow_from_those_of_the_inputs_in_graphs_and_datasets() -> None:
    double = tf.jax.from_jax(lambda v: 2 * v)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float64)])
    def call(v: Any) -> Any:
        result = double(v)
        assert result.dtype is tf.float64
        return result

    assert call(np.arange(3.0)).numpy().tolist() == [0, 2, 4]
    dataset = tf.data.Dataset.from_tensor_slices(np.ones((3, 2), np.float32)).map(double)
    assert dataset.element_spec.shape == [2] and [e.numpy().tolist() for e in dataset] == [[2, 2]] * 3


def test_an_input_of_unknown_rank_is_refused() -> None:
    @tf.function(input_signature=[tf.TensorSpec(None, tf.float32)])
    def call(v: Any) -> Any:
        return tf.jax.from_jax(lambda v: 2 * v)(v)

    with pytest.raises(ValueError, match="needs the rank of its input 0: use tf.ensure_shape"):
        call(tf.ones(3))


def test_complex_gradients_follow_the_convention_of_tensorflow() -> None:
    z = tf.constant([1 + 2j, 3 - 1j], tf.complex64)
    gradients = []
    for function in (
        tf.jax.from_jax(lambda z: z * z * jnp.real(z)),
        lambda z: z * z * tf.cast(tf.math.real(z), z.dtype),
    ):
        with tf.GradientTape() as tape:
            tape.watch(z)
            loss = tf.reduce_sum(tf.abs(function(z)) ** 2)
        gradients.append(tape.gradient(loss, z).numpy())
    np.testing.assert_allclose(*gradients, rtol=1e-5)


def test_one_compilation_for_equal_shapes() -> None:
    traces = []

    def noted(x: Any) -> Any:
        traces.append(x.shape)
        return x + 1

    call = tf.jax.from_jax(noted)
    for _ in range(5):
        call(tf.ones(3))
    count = len(traces)
    call(tf.ones(3))
    assert len(traces) == count <= 3

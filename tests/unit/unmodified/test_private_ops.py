"""Ops and tables of TensorFlow's private modules, by the names that libraries import."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.tools.unmodified import private_ops, type_spec_registry
from inlay._src.tools.unmodified.stand_ins import StandIns

MODULES = StandIns(v1=False)


@pytest.mark.parametrize(("start", "at"), [([1, 1], (1, 1)), ([0, 0], (0, 0)), ([5, -3], (2, 0))])
def test_a_block_is_put_into_a_tensor(start: list[int], at: tuple[int, int]) -> None:
    update = MODULES.load("tensorflow.compiler.tf2xla.python.xla").dynamic_update_slice
    assert update is private_ops.dynamic_update_slice
    whole, block = np.arange(12.0).reshape(4, 3), -np.ones((2, 2))
    expected = whole.copy()
    expected[at[0] : at[0] + 2, at[1] : at[1] + 2] = block
    x, u = tf.Variable(whole), tf.Variable(block)
    with tf.GradientTape() as tape:
        y = update(x, u, start)
    assert y.numpy().tolist() == expected.tolist() and y.shape == (4, 3)
    of_whole, of_block = tape.gradient(y, [x, u])
    assert of_whole.numpy().sum() == 8 and of_block.numpy().tolist() == np.ones((2, 2)).tolist()


def product(a: Any, b: Any) -> Any:
    ops = MODULES.load("tensorflow.python.ops.linalg.sparse").sparse_csr_matrix_ops
    left, right = (ops.sparse_tensor_to_csr_sparse_matrix(m.indices, m.values, m.dense_shape) for m in (a, b))
    result = ops.sparse_matrix_sparse_mat_mul(left, right, tf.float64)
    return ops.csr_sparse_matrix_to_sparse_tensor(result, tf.float64)


@pytest.mark.parametrize("batch", [(), (3,)])
def test_the_product_of_sparse_matrices(batch: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        m, k, n = rng.integers(1, 6, 3)
        a, b = (rng.integers(-2, 3, (*batch, *s)) * (rng.random((*batch, *s)) < 0.5) for s in ((m, k), (k, n)))
        a, b = a.astype(float), b.astype(float)
        result = product(tf.sparse.from_dense(a), tf.sparse.from_dense(b))
        assert tf.sparse.to_dense(result).numpy().tolist() == (a @ b).tolist()
        order = [tuple(i) for i in result.indices.numpy().tolist()]
        assert order == sorted(set(order))


@pytest.mark.parametrize(
    ("a", "b"), [((2, 3), (4, 2)), ((2, 3), (1, 2)), ((3, 2, 3), (2, 3, 2)), ((2, 3, 2), (3, 2, 2))]
)
@pytest.mark.parametrize("traced", [False, True])
def test_sparse_matrices_of_other_sizes_have_no_product(a: tuple[int, ...], b: tuple[int, ...], traced: bool) -> None:
    multiply = tf.function(product, reduce_retracing=True) if traced else product
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(Inner product dimensions|Batch sizes) of A and B"):
        multiply(tf.sparse.from_dense(np.ones(a)), tf.sparse.from_dense(np.ones(b)))


@pytest.mark.parametrize("shape", [(5,), (2, 2)])
def test_a_block_without_a_place_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="has no place in"):
        private_ops.dynamic_update_slice(np.zeros(3), np.zeros(shape), [0] * len(shape))


def test_the_product_of_sparse_matrices_has_gradients() -> None:
    a = tf.sparse.from_dense([[1.0, 2.0], [0.0, 3.0]])
    with tf.GradientTape() as tape:
        tape.watch(a.values)
        y = tf.reduce_sum(product(a, tf.sparse.from_dense([[1.0, 0.0], [4.0, 5.0]])).values)
    assert tape.gradient(y, a.values).numpy().tolist() == [1.0, 9.0, 9.0]


def test_specs_have_names() -> None:
    registry = MODULES.load("tensorflow.python.framework").type_spec_registry
    for cls in (tf.TensorSpec, tf.RaggedTensorSpec, tf.SparseTensorSpec):
        assert registry.lookup(registry.get_name(cls)) is cls

    class Masked(tf.experimental.ExtensionType):
        __name__ = "tests.Masked"
        values: tf.Tensor

    assert type_spec_registry.get_name(Masked.Spec) == "tests.Masked.Spec"
    assert type_spec_registry.lookup("tests.Masked.Spec") is Masked.Spec

    @registry.register("tests.OwnSpec")
    class OwnSpec(tf.TypeSpec):
        pass

    assert type_spec_registry.get_name(OwnSpec) == "tests.OwnSpec"
    for name, error in (("bad", ValueError), (3, TypeError), ("tests.OwnSpec", ValueError)):
        with pytest.raises(error):
            type_spec_registry.register(name)(type("Other", (tf.TypeSpec,), {}))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="No TypeSpec has been registered with name"):
        type_spec_registry.lookup("tests.absent")
    with pytest.raises(ValueError, match="has not been registered"):
        type_spec_registry.get_name(type("Nameless", (tf.TypeSpec,), {}))


def test_determinism_is_asked_for_and_taken_back() -> None:
    config = MODULES.load("tensorflow.python.framework").config
    assert not config.is_op_determinism_enabled()
    config.enable_op_determinism()
    try:
        assert config.is_op_determinism_enabled()
    finally:
        config.disable_op_determinism()
    assert not config.is_op_determinism_enabled()

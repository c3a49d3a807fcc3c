"""Gradients of host functions in JAX's programs, of every order, against JAX's own of the same functions."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.tuning import TUNING
from inlay._src.compilers import residuals, xla_ffi

jax = pytest.importorskip("jax")
jnp = jax.numpy
check_grads = pytest.importorskip("jax.test_util").check_grads

Function = Callable[..., Any]
# name -> (the function of tensors, the same of JAX arrays, its number of arguments)
FUNCTIONS: dict[str, tuple[Function, Function, int]] = {
    "sin": (tf.sin, jnp.sin, 1),
    "cos": (tf.cos, jnp.cos, 1),
    "tanh": (tf.tanh, jnp.tanh, 1),
    "exp": (tf.exp, jnp.exp, 1),
    "sigmoid": (tf.sigmoid, jax.nn.sigmoid, 1),
    "softplus": (tf.nn.softplus, jax.nn.softplus, 1),
    "square": (tf.square, jnp.square, 1),
    "cube": (lambda x: x * x * x, lambda x: x * x * x, 1),
    "erf": (tf.math.erf, jax.scipy.special.erf, 1),
    "log1p": (lambda x: tf.math.log1p(x * x), lambda x: jnp.log1p(x * x), 1),
    "sqrt": (lambda x: tf.sqrt(1.0 + x * x), lambda x: jnp.sqrt(1 + x * x), 1),
    "reciprocal": (lambda x: 1.0 / (2.0 + x * x), lambda x: 1 / (2 + x * x), 1),
    "atan": (tf.atan, jnp.arctan, 1),
    "sum": (lambda x: tf.reduce_sum(x * x), lambda x: jnp.sum(x * x), 1),
    "mean": (lambda x: tf.reduce_mean(tf.sin(x), -1), lambda x: jnp.mean(jnp.sin(x), -1), 1),
    "logsumexp": (lambda x: tf.reduce_logsumexp(x, -1), lambda x: jax.nn.logsumexp(x, -1), 1),
    "softmax": (tf.nn.softmax, jax.nn.softmax, 1),
    "cumsum": (lambda x: tf.cumsum(x * x, -1), lambda x: jnp.cumsum(x * x, -1), 1),
    "reverse": (lambda x: tf.reverse(x, [-1]) * x, lambda x: x[..., ::-1] * x, 1),
    "part": (lambda x: tf.sin(x)[..., :2], lambda x: jnp.sin(x)[..., :2], 1),
    "reshaped": (lambda x: tf.reshape(x * x, [-1]), lambda x: jnp.reshape(x * x, -1), 1),
    "branch": (lambda x: tf.where(x > 0.0, x * x, -x), lambda x: jnp.where(x > 0, x * x, -x), 1),
    "add": (lambda x, y: x + 2.0 * y, lambda x, y: x + 2 * y, 2),
    "multiply": (lambda x, y: x * y, lambda x, y: x * y, 2),
    "divide": (lambda x, y: x / (2.0 + y * y), lambda x, y: x / (2 + y * y), 2),
    "product": (lambda x, y: tf.tensordot(x, y, 1), lambda x, y: jnp.dot(x, y), 2),
    "atan2": (lambda x, y: tf.atan2(x, 3.0 + y * y), lambda x, y: jnp.arctan2(x, 3 + y * y), 2),
    "hypotenuse": (lambda x, y: tf.sqrt(1.0 + x * x + y * y), lambda x, y: jnp.sqrt(1 + x * x + y * y), 2),
    "pair": (lambda x, y: (tf.sin(x * y), x + y), lambda x, y: (jnp.sin(x * y), x + y), 2),
    "python": (lambda x: sum([x * float(i) * x for i in range(3)], x), lambda x: x + 3 * x * x, 1),
}


def op_of(name: str, **options: Any) -> Any:
    function, same, _ = FUNCTIONS[name]
    return tf.jax.op(function, lambda *x: jax.eval_shape(same, *x), **options)


def arguments(name: str, seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [jnp.asarray(rng.uniform(-1, 1, 3), jnp.float32) for _ in range(FUNCTIONS[name][2])]


@pytest.fixture(params=["ffi", "callback"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    if request.param == "callback":
        monkeypatch.setattr(xla_ffi, "unsupported", lambda: "a test")
    yield request.param


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_gradients_to_the_third_order(name: str) -> None:
    assert len(FUNCTIONS) == 30
    check_grads(op_of(name), arguments(name), order=3, modes=["rev"], atol=0.05, rtol=0.05)


def _transformed(transform: str, function: Function, count: int) -> Function:
    every = tuple(range(count))
    first = lambda *x: sum(jnp.sum(leaf) for leaf in jax.tree.leaves(function(*x)))  # noqa: E731
    if transform == "scan":
        return lambda *x: jax.lax.scan(lambda c, _: (c + 1, function(*[v * c for v in x])), 1.0, None, length=3)[1]
    return {
        "call": function,
        "grad": jax.grad(first, every),
        "second": jax.grad(lambda *x: sum(jnp.sum(g**2) for g in jax.grad(first, every)(*x)), every),
        "vmap": jax.vmap(function),
        "vmap_grad": jax.vmap(jax.grad(first, every)),
        "jacrev": jax.jacrev(function, every),
        "checkpoint": jax.grad(jax.checkpoint(first), every),
        "scan_grad": jax.grad(lambda *x: jnp.sum(_sums(_transformed("scan", function, count)(*x))), every),
        "cond": lambda *x: jax.lax.cond(x[0].sum() > 0, function, lambda *y: function(*[v / 2 for v in y]), *x),
    }[transform]


def _sums(tree: Any) -> Any:
    return sum(jnp.sum(leaf) for leaf in jax.tree.leaves(tree))


TRANSFORMS = "call grad second vmap vmap_grad jacrev checkpoint scan scan_grad cond".split()


def _agreement(seed: int, count: int) -> None:
    rand = random.Random(seed)
    for _ in range(count):
        name, transform, jit = rand.choice(sorted(FUNCTIONS)), rand.choice(TRANSFORMS), rand.random() < 0.5
        options: dict[str, Any] = {"executor": "threads"} if rand.random() < 0.1 else {}
        if rand.random() < 0.2 and name not in ("sum", "product", "reshaped", "reverse"):
            options["vmap"] = "batched"
        values = arguments(name, rand.randrange(1 << 30))
        if transform.startswith("vmap"):
            values = [jnp.stack([v, v / 2, -v]) for v in values]
        got, wanted = (
            _transformed(transform, function, len(values)) for function in (op_of(name, **options), FUNCTIONS[name][1])
        )
        if jit:
            got = jax.jit(got)
        for ours, theirs in zip(jax.tree.leaves(got(*values)), jax.tree.leaves(wanted(*values)), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=2e-4, atol=2e-5, err_msg=f"{name}, {transform}, {options}")


def test_random_combinations_agree_with_jax() -> None:
    _agreement(28, 60)


@pytest.mark.exhaustive
@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", range(20))
def test_two_thousand_combinations_agree_with_jax(seed: int) -> None:
    _agreement(seed, 100)
    jax.clear_caches()


@pytest.mark.usefixtures("way")
def test_complex_gradients_follow_the_convention_of_jax() -> None:
    z = jnp.array([1 + 2j, 3 - 1j], jnp.complex64)
    ours = tf.jax.op(lambda z: z * z * tf.cast(tf.math.real(z), tf.complex64), lambda z: z)

    def theirs(z: Any) -> Any:
        return z * z * jnp.real(z)

    def size(function: Function) -> Function:
        return lambda z: jnp.sum(jnp.abs(function(z)) ** 2)

    for order in range(2):
        a, b = size(ours), size(theirs)
        for _ in range(order):
            a, b = size(jax.grad(a)), size(jax.grad(b))
        np.testing.assert_allclose(jax.grad(a)(z), jax.grad(b)(z), rtol=1e-4)


@pytest.mark.usefixtures("way")
def test_a_gradient_of_the_users_own() -> None:
    def clip(x: Any, g: Any) -> Any:
        return tf.where(tf.abs(x) < 1.0, g, 0.0 * g)

    for mode, function in (("numpy", lambda x: np.clip(x, -1, 1)), ("eager", lambda x: tf.clip_by_value(x, -1.0, 1.0))):
        call = tf.jax.op(function, lambda x: x, mode=mode, grad=lambda x, y, g: 3.0 * clip(x, g))
        x = jnp.array([0.5, 2.0, -0.5])
        assert jax.jit(jax.grad(lambda x: call(x).sum()))(x).tolist() == [3, 0, 3]  # noqa: B023
        assert jax.grad(lambda x: (call(x) ** 2).sum())(x).tolist() == [3, 0, -3]  # noqa: B023


def test_a_function_of_arrays_without_a_gradient_is_refused_when_it_is_differentiated() -> None:
    with pytest.raises(TypeError, match="takes NumPy arrays, through which no gradient flows: give it one with grad="):
        jax.grad(lambda x: tf.jax.op(np.sort, lambda x: x, mode="numpy")(x).sum())(jnp.ones(3))


@pytest.mark.usefixtures("way")
def test_integers_have_no_gradient_and_unused_inputs_have_zeros() -> None:
    @tf.jax.op(result=lambda x, n, y: (x, n))
    def scaled(x: Any, n: Any, y: Any) -> Any:
        return x * tf.cast(n, tf.float32), n + 1

    def loss(x: Any, y: Any) -> Any:
        return scaled(x, jnp.int32(3), y)[0].sum()

    gradients = jax.jit(jax.grad(loss, (0, 1)))(jnp.ones(2), jnp.ones(3))
    assert [g.tolist() for g in gradients] == [[3, 3], [0, 0, 0]]


def test_a_dropped_residual_is_computed_again_for_a_pure_function_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(x: Any) -> Any:
        calls.append(1)
        return x * x

    monkeypatch.setattr(TUNING, "residual_entries", 2)
    for stateful in False, True:
        call = tf.jax.op(counted, lambda x: x, stateful=stateful)
        pulls = [jax.vjp(call, jnp.full(2, float(i)))[1] for i in range(4)]
        calls.clear()
        assert pulls[3](jnp.ones(2))[0].tolist() == [6, 6] and not calls
        if stateful:
            with pytest.raises(
                jax.errors.JaxRuntimeError, match="is gone: more forward calls than the table of residuals holds"
            ):
                jax.block_until_ready(pulls[0](jnp.ones(2)))
        else:
            assert pulls[0](jnp.ones(2))[0].tolist() == [0, 0] and len(calls) == 1


def test_gradients_of_a_batch_belong_to_their_own_calls() -> None:
    x = jnp.arange(6.0).reshape(2, 3)
    for vmap in "sequential", "batched":
        square = tf.jax.op(lambda x: x * x, lambda x: x, vmap=vmap)
        np.testing.assert_allclose(jax.jacrev(square)(x[1]), np.diag(2 * x[1]))  # a batch of cotangents alone
    order = next(iter(square._bindings.values()))._order
    tokens = np.array([order.with_token([np.asarray(row)])[-1] for row in x])
    (grads,) = order.next().values([np.asarray(x), tokens, np.ones((2, 3), np.float32)])  # of two calls, not of one
    np.testing.assert_allclose(grads, 2 * x)


@pytest.mark.parametrize("vmap", ["sequential", "batched"])
def test_an_empty_batch_has_empty_gradients(vmap: str) -> None:
    square = tf.jax.op(lambda x: x * x, lambda x: x, vmap=vmap)
    gradient = jax.vmap(jax.grad(lambda x: square(x).sum()))(jnp.ones((0, 3)))
    assert gradient.shape == (0, 3)


def test_a_pullback_may_be_called_again_and_in_any_order() -> None:
    call = tf.jax.op(lambda x: x * x, lambda x: x, stateful=True)
    pulls = [jax.vjp(call, jnp.full(2, float(i)))[1] for i in range(10)]
    for i in [9, 0, 0, 5, 9, 1, 1]:
        assert pulls[i](jnp.ones(2))[0].tolist() == [2 * i] * 2


def test_forward_calls_without_a_backward_call_keep_a_bounded_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TUNING, "residual_entries", 100)
    forward = jax.jit(lambda x: jax.vjp(tf.jax.op(lambda x: x * x, lambda x: x), x)[0])
    loop = jax.jit(lambda x: jax.lax.fori_loop(0, 1000, lambda i, x: jax.vjp(squared, x)[0] / 1e3, x))
    squared = tf.jax.op(lambda x: x * x, lambda x: x, stateful=True)
    forward(jnp.ones(3)), jax.block_until_ready(loop(jnp.ones(3)))
    assert len(residuals.RESIDUALS) <= 100


def test_gradients_of_a_variable_that_the_function_reads_stay_outside() -> None:
    v = tf.Variable(3.0)
    call = tf.jax.op(lambda x: x * v, lambda x: x)
    assert jax.jit(jax.grad(lambda x: call(x).sum()))(jnp.ones(2)).tolist() == [3, 3]
    v.assign(5.0)
    assert jax.jit(jax.grad(lambda x: call(x).sum()))(jnp.ones(2)).tolist() == [5, 5]


def test_a_traced_function_and_a_function_that_traces() -> None:
    traced = tf.function(lambda x: tf.sin(x) * x)
    x = jnp.array([1.0, 2.0])
    for function in traced, lambda x: tf.function(lambda y: tf.sin(y) * y)(x):
        call = tf.jax.op(function, lambda x: x)
        np.testing.assert_allclose(jax.jit(call)(x), jnp.sin(x) * x, rtol=1e-6)
        np.testing.assert_allclose(
            jax.grad(lambda x: call(x).sum())(x),  # noqa: B023
            jnp.cos(x) * x + jnp.sin(x),
            rtol=1e-5,
        )

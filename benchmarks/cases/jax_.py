"""JAX: `pure_callback` under `jit`, and `jit` alone where a row has no host function."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.cases import shapes
from benchmarks.timing import Timed, control, loop


def load() -> Any:
    """The module that the programs call `jax`."""
    import jax

    return jax


def unchanged(value: Any) -> Any:
    return np.asarray(value)


def _vector(jax: Any) -> Any:
    return jax.numpy.ones(4, "float32")


def _ready(call: Any, *inputs: Any) -> Timed:
    """Times a call until its results can be read, as `Session.run` returns results that can."""
    return loop(lambda: [np.asarray(v) for v in _leaves(call(*inputs))])


def _leaves(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else (value,)


def _callback(jax: Any, x: Any) -> Any:
    return jax.pure_callback(unchanged, jax.ShapeDtypeStruct((4,), "float32"), x)


def session_py_func(jax: Any) -> Timed:
    return _ready(jax.jit(lambda x: _callback(jax, x)), _vector(jax))


def session_py_func_chain(jax: Any) -> Timed:
    def chain(x: Any) -> Any:
        for _ in range(50):
            x = _callback(jax, x)
        return x

    return _ready(jax.jit(chain), _vector(jax))


def session_py_func_wide(jax: Any) -> Timed:
    # Distinct functions, because equal pure callbacks of equal inputs may be merged.
    spec = jax.ShapeDtypeStruct((4,), "float32")
    functions = [lambda v, k=k: np.asarray(v) + np.float32(k) for k in range(100)]
    return _ready(jax.jit(lambda x: [jax.pure_callback(f, spec, x) for f in functions]), _vector(jax))


def session_py_function_gradient(jax: Any) -> Timed:
    spec = jax.ShapeDtypeStruct((4,), "float32")

    @jax.custom_vjp
    def square(x: Any) -> Any:
        return jax.pure_callback(lambda v: np.square(v), spec, x)

    def forward(x: Any) -> Any:
        return square(x), x

    def backward(x: Any, g: Any) -> Any:
        return (jax.pure_callback(lambda v, w: 2 * np.asarray(v) * np.asarray(w), spec, x, g),)

    square.defvjp(forward, backward)

    def both(x: Any) -> Any:
        y, pullback = jax.vjp(square, x)
        return y, pullback(jax.numpy.ones_like(y))[0]

    return _ready(jax.jit(both), _vector(jax))


def eager_add(jax: Any) -> Timed:
    x, y = _vector(jax), _vector(jax)
    return loop(lambda: x + y)


def eager_tape_multiply(jax: Any) -> Timed:
    gradient = jax.grad(lambda x: (x * x).sum())
    x = _vector(jax)
    return loop(lambda: gradient(x))


def new_shapes_gradient(jax: Any) -> Timed:
    """One compilation per shape, which is what `jit` costs where shapes vary."""
    jnp = jax.numpy
    arrays = shapes.distinct()

    def log_huber(x: Any) -> Any:
        m = 2.0
        return jnp.where(jnp.abs(x) <= m, x**2, m**2 * (1 - 2 * jnp.log(m) + jnp.log(x**2 + 1e-6))).sum()

    gradient = jax.jit(jax.grad(log_huber))
    return loop(lambda: gradient(next(arrays)).block_until_ready())


def _sine_chain(jax: Any, size: int) -> Timed:
    def chain(x: Any) -> Any:
        for _ in range(50):
            x = jax.numpy.sin(x) + 1.0
        return x

    return _ready(jax.jit(chain), jax.numpy.linspace(0, 1, size, dtype="float32"))


def sine_chain_4(jax: Any) -> Timed:
    return _sine_chain(jax, 4)


def sine_chain_1e6(jax: Any) -> Timed:
    return _sine_chain(jax, 1_000_000)


CASES = {
    builder.__name__: builder
    for builder in (
        control,
        session_py_func,
        session_py_func_chain,
        session_py_func_wide,
        session_py_function_gradient,
        eager_add,
        eager_tape_multiply,
        new_shapes_gradient,
        sine_chain_4,
        sine_chain_1e6,
    )
}

"""Programs that wait forever with `jax.pure_callback` end.

Each program repeats the structure of a report: jax#24255 (a decomposition by JAX in a callback), jax#24219 (an
optimizer by JAX in a callback, under `vmap` and `jit`), jax#25861 (callbacks in a loop while programs are dispatched),
agjax#43 (JAX's types in the forward and the backward callback). They run in processes of their own.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("jax")

BEGIN = """
import sys
import numpy as np
import jax, jax.numpy as jnp
import inlay as tf

count = int(sys.argv[1])
"""

PROGRAMS = {
    "jax#24255": """
decomposed = jax.jit(jnp.linalg.eig)

def eig(matrix):
    values, vectors = decomposed(jnp.asarray(matrix))
    return np.asarray(values), np.asarray(vectors)

n = 40
result = jax.ShapeDtypeStruct((n,), np.complex64), jax.ShapeDtypeStruct((n, n), np.complex64)
matrix = jnp.eye(n, dtype=jnp.complex64) * 2
for _ in range(count):
    values, _ = jax.block_until_ready(tf.jax.call(eig, result, matrix, mode="numpy"))
assert np.allclose(values, 2)
""",
    "jax#24219": """
slope = jax.jit(jax.grad(lambda x: jnp.sum((x - 3.0) ** 2)))

def descend(x):
    x = jnp.asarray(x)
    for _ in range(3):
        x = x - 0.25 * slope(x)
    return np.asarray(x)

step = jax.jit(jax.vmap(tf.jax.op(descend, lambda x: x, mode="numpy")))
x = jnp.zeros((2, 9))
for _ in range(count):
    x = step(x)
jax.block_until_ready(x)
assert np.allclose(x, 3, atol=0.5 ** (3 * min(count, 8)) * 4)
""",
    "jax#25861": """
seen = []

def noted(i, x):
    seen.append(int(i))
    return np.int32(1)

op = tf.jax.op(noted, jax.ShapeDtypeStruct((), np.int32), mode="numpy", stateful=True)

@jax.jit
def loop(x):
    return jax.lax.while_loop(lambda v: v[1] < 10, lambda v: (v[0] + 1.0, v[1] + op(v[1], v[0])), (x, jnp.int32(0)))

for k in range(count):
    x, i = loop(jnp.zeros((50, 50)) + k)
    y = x @ x
jax.block_until_ready(y)
assert len(seen) == 10 * count and int(i) == 10
""",
    "agjax#43": """
def forward(x):
    return np.asarray(jnp.sum(jnp.sin(jnp.asarray(x)) ** 2))

def backward(x, y, g):
    def pull(x, g):
        return np.asarray(jax.grad(lambda v: jnp.sum(jnp.sin(v) ** 2))(x)) * g

    return tf.ensure_shape(tf.numpy_function(pull, [x, g], tf.float32), x.shape)

op = tf.jax.op(forward, lambda x: jax.ShapeDtypeStruct((), x.dtype), mode="numpy", grad=backward)
both = jax.jit(jax.value_and_grad(op))
x = jnp.linspace(0.0, 1.0, 50)
for _ in range(count):
    value, grad = both(x)
    x = x - 1e-4 * grad
jax.block_until_ready(x)
assert np.isfinite(x).all()
""",
}


def _run(name: str, count: int, seconds: int, folder: Path) -> None:
    script = folder / "program.py"
    script.write_text(BEGIN + PROGRAMS[name])
    done = subprocess.run([sys.executable, script, str(count)], capture_output=True, text=True, timeout=seconds)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_a_program_ends(name: str, tmp_path: Path) -> None:
    _run(name, 10, 60, tmp_path)


@pytest.mark.exhaustive
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_a_program_ends_a_thousand_times(name: str, tmp_path: Path) -> None:
    _run(name, 1000, 900, tmp_path)

"""Programs traced by JAX give on NumPy what JAX gives: every rule by itself, sizes, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from inlay.autodiff import jaxpr

WHOLE = np.array([[7, -7, 3], [-2, 5, -1]], np.int32)
OTHER = np.array([[2, 2, -2], [3, -4, 5]], np.int32)
REAL = np.array([[0.3, -0.7, 0.9], [0.2, -0.1, 0.6]], np.float32)
POSITIVE = np.array([[1.5, 2.0, 3.25], [1.0, 1.75, 8.0]], np.float64)
HALVES = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.4, -0.6], np.float32)
COMPLEX = np.array([1 + 2j, -3j, 0.5 - 1j], np.complex64)
FLAGS = np.array([[True, False, True], [True, True, False]])
SPECIAL = np.array([np.inf, -np.inf, np.nan, 1.0], np.float32)

BINARY = {"add": lax.add, "sub": lax.sub, "mul": lax.mul, "max": lax.max, "min": lax.min}
UNARY_REAL = (
    "sin cos tan asin acos atan sinh cosh tanh asinh atanh exp exp2 expm1 log1p logistic cbrt floor ceil neg abs sign "
    "square is_finite"
).split()
UNARY_POSITIVE = ["log", "sqrt", "rsqrt", "acosh"]
COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge"]

Case = tuple[Callable[..., Any], tuple[Any, ...]]


def cases() -> Iterator[tuple[str, Case]]:
    """(instruction, a function that JAX traces to it and its arguments)."""
    for name, function in BINARY.items():
        yield name, (function, (REAL, REAL[::-1]))
        yield name, (function, (WHOLE, OTHER))
    for name in UNARY_REAL:
        yield name, (getattr(lax, name), (REAL,))
    for name in UNARY_POSITIVE:
        yield name, (getattr(lax, name), (POSITIVE,))
    for name in COMPARISONS:
        yield name, (getattr(lax, name), (WHOLE, OTHER.copy()))
    for name in ("and", "or", "xor"):
        function = getattr(lax, f"bitwise_{name}")
        yield name, (function, (WHOLE, OTHER))
        yield name, (function, (FLAGS, ~FLAGS[::-1]))
    yield "not", (lax.bitwise_not, (WHOLE,))
    yield "not", (lax.bitwise_not, (FLAGS,))
    yield "div", (lax.div, (REAL, POSITIVE.astype(np.float32)))
    yield "div", (lax.div, (WHOLE, OTHER))  # towards zero
    yield "div", (lax.div, (np.array([2**62 + 1, -(2**62) - 1]), np.array([3, 3])))  # exact
    yield "rem", (lax.rem, (WHOLE, OTHER))  # the sign of the dividend
    yield "rem", (lax.rem, (REAL, REAL[::-1].copy()))
    yield "pow", (lax.pow, (POSITIVE, REAL.astype(np.float64)))
    yield "atan2", (lax.atan2, (REAL, REAL[::-1].copy()))
    yield "nextafter", (lax.nextafter, (REAL, -REAL))
    yield "is_finite", (lax.is_finite, (SPECIAL,))
    yield "real", (lax.real, (COMPLEX,))
    yield "imag", (lax.imag, (COMPLEX,))
    yield "complex", (lax.complex, (REAL, -REAL))
    yield "conj", (lax.conj, (COMPLEX,))
    yield "conj", (lambda x: lax.conj_p.bind(x, input_dtype=np.dtype(np.float32)), (REAL,))
    yield "clamp", (lambda x: lax.clamp(np.float32(-0.5), x, np.float32(0.5)), (REAL,))
    yield "copy", (lax.copy_p.bind if hasattr(lax, "copy_p") else jnp.copy, (REAL,))
    yield "optimization_barrier", (lambda x, y: lax.optimization_barrier((x, y)), (REAL, WHOLE))
    for power in (3, 0, -2):
        yield "integer_pow", (lambda x, power=power: lax.integer_pow(x, power), (POSITIVE,))
    yield "round", (lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), (HALVES,))
    yield "round", (lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), (HALVES,))
    yield "select_n", (lax.select_n, (FLAGS, REAL, -REAL))
    yield "select_n", (lax.select_n, (np.array([0, 2, 1], np.int32), *(np.full(3, k, np.float32) for k in range(3))))
    yield "convert_element_type", (lambda x: lax.convert_element_type(x, np.int32), (HALVES,))
    yield "convert_element_type", (lambda x: lax.convert_element_type(x, np.float32), (FLAGS,))
    yield "broadcast_in_dim", (lambda x: lax.broadcast_in_dim(x, (2, 3, 4), (1,)), (np.arange(3.0, dtype=np.float32),))
    yield "broadcast_in_dim", (lambda x: lax.broadcast_in_dim(x, (2, 3), ()), (np.float32(2.0),))
    yield "reshape", (lambda x: lax.reshape(x, (3, 2)), (REAL,))
    yield "squeeze", (lambda x: lax.squeeze(x, (0, 2)), (REAL[:1, :, None],))
    yield "transpose", (lambda x: lax.transpose(x, (2, 0, 1)), (np.arange(24.0).reshape(2, 3, 4),))
    yield "rev", (lambda x: lax.rev(x, (1,)), (WHOLE,))
    yield "concatenate", (lambda x, y: lax.concatenate((x, y), 1), (REAL, -REAL))
    yield "slice", (lambda x: lax.slice(x, (0, 1), (2, 3)), (REAL,))
    yield "slice", (lambda x: lax.slice(x, (0, 0), (2, 3), (1, 2)), (REAL,))
    for config in ([(1, 2, 0), (0, 1, 0)], [(0, 0, 2), (1, 0, 1)], [(-1, 0, 0), (2, -1, 0)], [(1, -2, 1), (0, 0, 0)]):
        yield "pad", (lambda x, config=config: lax.pad(x, np.float32(9), config), (REAL,))
    yield "iota", (lambda: lax.broadcasted_iota(np.int32, (2, 3), 1), ())
    for name, operand in (("sum", REAL), ("prod", REAL), ("max", WHOLE), ("min", WHOLE), ("and", FLAGS), ("or", FLAGS)):
        yield (
            f"reduce_{name}",
            (lambda x, name=name: getattr(lax, f"reduce_{name}_p").bind(x, **_axes(name)), (operand,)),
        )
    yield "reduce_sum", (lambda x: jnp.sum(x, axis=(0, 1), dtype=x.dtype), (WHOLE.astype(np.int8),))
    for name in ("cumsum", "cumprod", "cummax", "cummin"):
        for reverse in (False, True):
            yield name, (lambda x, n=name, r=reverse: getattr(lax, n)(x, 1, r), (WHOLE,))
    for name in ("argmax", "argmin"):
        yield name, (lambda x, n=name: getattr(lax, n)(x, 1, np.int32), (REAL,))
    a, b = np.arange(24.0).reshape(2, 3, 4), np.arange(40.0).reshape(2, 4, 5)
    yield "dot_general", (lambda x, y: lax.dot_general(x, y, (((2,), (1,)), ((0,), (0,)))), (a, b))
    yield "dot_general", (lambda x, y: lax.dot_general(x, y, (((0, 1), (0, 1)), ((), ()))), (REAL, -REAL))
    yield (
        "dot_general",
        (
            lambda x, y: lax.dot_general(x, y, (((1,), (1,)), ((), ())), preferred_element_type=np.float32),
            (WHOLE, OTHER),
        ),
    )


def _axes(name: str) -> dict[str, Any]:
    """What a reduction is bound with: some take a sharding, too."""
    closed = jax.make_jaxpr({"sum": jnp.sum, "prod": jnp.prod, "max": jnp.max, "min": jnp.min, "and": jnp.all,
                             "or": jnp.any}[name])(FLAGS if name in ("and", "or") else REAL)  # fmt: skip
    eqn = next(e for e in closed.jaxpr.eqns if e.primitive.name == f"reduce_{name}")
    return {**eqn.params, "axes": (1,)}


CASES = list(cases())
UNREACHED = {
    "add_any": "made by transposition only: see the gradients below",
    "copy_p": "another name of copy",
    "dim_as_value": "made from symbolic sizes only: see below",
    "stop_gradient": "older JAX traces it, newer drops it",
}


def instructions(closed: Any) -> set[str]:
    """The instructions of a traced program, those of inner programs included."""
    found: set[str] = set()
    for eqn in closed.eqns:
        found.add(eqn.primitive.name)
        inner = eqn.params.get(jaxpr.INNER.get(eqn.primitive.name, ""))
        if inner is not None:
            found |= instructions(getattr(inner, "jaxpr", inner))
    return found


def agrees(function: Callable[..., Any], arguments: tuple[Any, ...], exact: bool = False) -> set[str]:
    """Runs a function both ways, compares whole results and returns the instructions that ran."""
    with jax.enable_x64(True):
        specs = [jax.ShapeDtypeStruct(np.shape(a), np.asarray(a).dtype) for a in arguments]
        program = jaxpr.trace(function, specs, 0)
        want = jax.tree.leaves(function(*map(jnp.asarray, arguments)))
        ran = instructions(jax.make_jaxpr(function)(*specs).jaxpr)
    assert program is not None
    got = program([np.asarray(a) for a in arguments], ())
    assert len(got) == len(want)
    for one, two in zip(got, want, strict=True):
        assert one.shape == two.shape and one.dtype == two.dtype
        if exact or one.dtype.kind in "biu":
            np.testing.assert_array_equal(one, two)
        else:
            np.testing.assert_allclose(one, two, rtol=2e-6 if one.dtype.itemsize <= 8 else 1e-12, atol=1e-7)
    return ran


@pytest.mark.parametrize(("name", "case"), CASES, ids=[f"{name}-{i}" for i, (name, _) in enumerate(CASES)])
def test_a_rule_gives_what_jax_gives(name: str, case: Case) -> None:
    assert name in agrees(*case)


def test_every_rule_has_a_case_or_a_reason() -> None:
    assert {name for name, _ in CASES} | set(UNREACHED) == set(jaxpr.RULES)
    assert not {name for name, _ in CASES} & set(UNREACHED)


def test_programs_within_programs_are_entered() -> None:
    inner = jax.jit(lambda x: jnp.sin(x) + 1.0)
    assert {"sin", "mul"} <= agrees(lambda x: inner(x) * x, (REAL,))

    @jax.custom_jvp
    def with_own_derivative(x: Any) -> Any:
        return jnp.cos(x)

    with_own_derivative.defjvp(lambda primals, tangents: (jnp.cos(primals[0]), tangents[0]))
    assert "custom_jvp_call" in agrees(lambda x: with_own_derivative(x) * 2.0, (REAL,))

    @jax.custom_vjp
    def with_own_pullback(x: Any) -> Any:
        return jnp.tan(x)

    with_own_pullback.defvjp(lambda x: (jnp.tan(x), x), lambda x, g: (g,))
    assert instructions(jax.make_jaxpr(lambda x: with_own_pullback(x))(REAL)) & {
        "custom_vjp_call",
        "custom_vjp_call_jaxpr",
    }
    agrees(lambda x: with_own_pullback(x) * 2.0, (REAL,))


def test_constants_of_a_program_are_kept() -> None:
    table = jnp.arange(6.0, dtype=np.float32).reshape(2, 3)
    agrees(lambda x: x * table + jnp.asarray(WHOLE), (REAL,))


def test_gradients_are_programs_too() -> None:
    def loss(x: Any, y: Any) -> Any:
        return jnp.sum(jnp.tanh(x @ y.T) * jnp.exp(-x @ y.T)) + jnp.sum(x * x * y)

    assert "add_any" in agrees(jax.grad(loss, (0, 1)), (REAL, POSITIVE.astype(np.float32)))


def test_an_instruction_without_a_rule_makes_no_program() -> None:
    spec = jax.ShapeDtypeStruct((3, 3), np.float32)
    assert jaxpr.trace(jnp.linalg.cholesky, [spec], 0) is None
    assert jaxpr.trace(jax.jit(lambda x: jnp.linalg.cholesky(x) + 1.0), [spec], 0) is None
    assert jaxpr.trace(lambda x: lax.while_loop(lambda v: v.sum() < 1, lambda v: v + 1, x), [spec], 0) is None


def test_one_program_serves_every_size() -> None:
    n, m = jaxpr.symbols(2)

    def function(x: Any, y: Any) -> Any:
        flat = jnp.concatenate([x.reshape(-1), y])
        padded = lax.pad(flat, np.float32(0), [(1, 2, 0)])
        return (
            padded,
            x.sum(axis=0) / x.shape[0],
            jnp.broadcast_to(lax.slice(y, (0,), (1,)), (x.shape[0] + y.shape[0] // 2,)),
        )

    specs = [jax.ShapeDtypeStruct((n, 3), np.float32), jax.ShapeDtypeStruct((m,), np.float32)]
    program = jaxpr.trace(function, specs, 2)
    assert program is not None
    for rows, length in ((2, 3), (5, 2), (7, 9)):
        x, y = np.random.default_rng(rows).random((rows, 3), np.float32), np.arange(length, dtype=np.float32)
        for got, want in zip(program([x, y], (rows, length)), function(x, y), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-6)


def test_sizes_may_be_values() -> None:
    (n,) = jaxpr.symbols(1)
    program = jaxpr.trace(lambda x: x * (2 * x.shape[0] + 1), [jax.ShapeDtypeStruct((n,), np.float32)], 1)
    assert program is not None
    np.testing.assert_array_equal(program([np.ones(4, np.float32)], (4,))[0], np.full(4, 9.0))
    assert jaxpr.symbols(0) == ()


@pytest.mark.parametrize(
    ("text", "sizes", "value"),
    [
        ("n0 + 1", (4,), 5), ("floordiv(n0, 2)", (5,), 2), ("n0^2 + -1*n1", (3, 4), 5), ("max(0, n0 - 3)", (2,), 0),
        ("min(n0, n1)", (2, 7), 2), ("mod(n0, 3)", (8,), 2), ("2*n0*n1 - 3", (4, 5), 37),
    ],
)  # fmt: skip
def test_sizes_are_read_from_what_jax_prints(text: str, sizes: tuple[int, ...], value: int) -> None:
    from jax import export

    names = ", ".join(f"n{i}" for i in range(len(sizes)))
    scope = export.symbolic_shape(names)[0].scope
    (size,) = export.symbolic_shape(text, scope=scope)
    env = {f"n{i}": n for i, n in enumerate(sizes)}
    assert jaxpr.size_value(size, env) == value
    assert jaxpr.size_value((size, 3, (None, size)), env) == (value, 3, (None, value))
    assert jaxpr.size_value(np.dtype(np.int8), env) == np.int8

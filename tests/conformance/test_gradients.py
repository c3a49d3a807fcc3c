"""Every differentiable op against finite differences, in float64 and complex128, to the second order.

A random cotangent makes a real number of the outputs; its derivative along random directions is compared with central
differences. For the second order the same is done with the gradient, the cotangent now being an input too. In graphs
of unknown shapes the gradients are those of eager calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS
from inlay._src.engine.autodiff import backward, compiled_vjp
from tests.conformance.samples import SAMPLES
from tests.conformance.sampling import Case, cases, declared

STEP = 1e-5
DIRECTIONS = 3
Function = Callable[..., list[Any]]


def _differentiable(name: str) -> bool:
    return SAMPLES[name].order > 0


KINDS = [
    (name, kind)
    for name in sorted(SAMPLES)
    if _differentiable(name)
    for kind in (dtypes.float64, dtypes.complex128)
    if (SAMPLES[name].complex_gradient or kind is dtypes.float64) and any(cases(declared(name), SAMPLES[name], kind))
]


def only_case(name: str, kind: Any) -> Case:
    return next(iter(cases(declared(name), SAMPLES[name], kind)))


def sources_of(case: Case) -> list[tuple[int, int | None]]:
    """(input, place in the list input) of what has a gradient."""
    found: list[tuple[int, int | None]] = []
    for i, (arg, x) in enumerate(zip(case.op.args, case.inputs, strict=True)):
        if arg.static or (case.row.sources is not None and i not in case.row.sources):
            continue
        if isinstance(x, list):
            found.extend((i, k) for k, v in enumerate(x) if v.dtype.kind in "fc")
        elif x.dtype.kind in "fc":
            found.append((i, None))
    return found


def function_of(case: Case) -> tuple[Function, list[np.ndarray]]:
    """The op as a function of its differentiable inputs to its differentiable outputs, and those inputs."""
    places = sources_of(case)
    arrays = [case.inputs[i] if k is None else case.inputs[i][k] for i, k in places]

    def function(*given: Any) -> list[Any]:
        if case.row.prepare is not None:
            given = case.row.prepare(*given)
        full = [list(x) if isinstance(x, list) else x for x in case.inputs]
        for (i, k), value in zip(places, given, strict=True):
            if k is None:
                full[i] = value
            else:
                full[i][k] = value
        made = emit(case.op, tuple(full), case.attrs)
        outputs = made if isinstance(made, list) else [made]
        outputs = [y for y in outputs if y.dtype.is_trainable]
        return list(case.row.seen(*outputs)) if case.row.seen is not None else outputs

    return function, arrays


def draw(random: np.random.Generator, like: Sequence[Any]) -> list[np.ndarray]:
    """Random arrays of the shapes and types of others."""
    made = []
    for x in like:
        real = random.standard_normal(np.shape(x))
        value = real + 1j * random.standard_normal(np.shape(x)) if x.dtype.kind == "c" else real
        made.append(np.asarray(value, x.dtype))
    return made


def inner(a: Sequence[Any], b: Sequence[Any]) -> float:
    """The real inner product of two lists of arrays."""
    return float(sum(np.sum(np.real(np.conj(x) * y)) for x, y in zip(a, b, strict=True)))


def values(tensors: Sequence[Any]) -> list[np.ndarray]:
    return [np.asarray(t.numpy()) for t in tensors]


def pulled(function: Function, count: int) -> Function:
    """The gradient of a function of `count` inputs, as a function of those inputs and of cotangents."""

    def gradient(*given: Any) -> list[Any]:
        inputs, cotangents = [tf.convert_to_tensor(x) for x in given[:count]], list(given[count:])
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            outputs = function(*inputs)
        found = tape.gradient(outputs, inputs, output_gradients=cotangents)
        for i, (g, x) in enumerate(zip(found, inputs, strict=True)):
            assert g is not None, f"no gradient reaches input {i}"
            assert g.dtype is x.dtype and g.shape == x.shape, (
                f"gradient {i} is {g.dtype} {g.shape}, not {x.dtype} {x.shape}"
            )
        return list(found)

    return gradient


def check_pullback(function: Function, arrays: Sequence[np.ndarray], random: np.random.Generator, label: str) -> None:
    """Compares the gradient of a function at a point with central differences along random directions."""
    cotangents = draw(random, values(function(*map(tf.constant, arrays))))
    found = values(pulled(function, len(arrays))(*arrays, *map(tf.constant, cotangents)))
    assert all(np.all(np.isfinite(g)) for g in found), f"{label}: the gradient is not finite: {found}"
    for _ in range(DIRECTIONS):
        direction = draw(random, arrays)
        ahead, behind = (
            inner(
                cotangents, values(function(*(tf.constant(x + s * v) for x, v in zip(arrays, direction, strict=True))))
            )
            for s in (STEP, -STEP)
        )
        want, got = (ahead - behind) / (2 * STEP), inner(found, direction)
        scale = max(1.0, abs(want), np.sqrt(inner(found, found) * inner(direction, direction)))
        assert abs(got - want) <= 2e-6 * scale, f"{label}: derivative {got}, by differences {want}"


@pytest.mark.parametrize(("name", "kind"), KINDS, ids=[f"{n}-{k.name}" for n, k in KINDS])
def test_gradient_is_the_derivative(name: str, kind: Any) -> None:
    function, arrays = function_of(only_case(name, kind))
    assert arrays, f"{name}: the row has no input with a gradient; say order=0"
    check_pullback(function, arrays, np.random.default_rng(7), f"{name} first order")


TWICE = [(name, kind) for name, kind in KINDS if SAMPLES[name].order > 1]


@pytest.mark.parametrize(("name", "kind"), TWICE, ids=[f"{n}-{k.name}" for n, k in TWICE])
def test_gradient_of_the_gradient_is_the_second_derivative(name: str, kind: Any) -> None:
    function, arrays = function_of(only_case(name, kind))
    random = np.random.default_rng(11)
    cotangents = draw(random, values(function(*map(tf.constant, arrays))))
    gradient = pulled(function, len(arrays))

    def connected(*given: Any) -> list[Any]:
        # What is linear in an input has a gradient that does not depend on it: 0 keeps it connected.
        return [g + 0 * x for g, x in zip(gradient(*given), given, strict=False)]

    check_pullback(
        lambda *given: [*connected(*given), *(0 * c for c in given[len(arrays) :])],
        [*arrays, *cotangents],
        random,
        f"{name} second order",
    )


@pytest.mark.parametrize("name", sorted({n for n, _ in KINDS}))
def test_gradients_in_graphs_of_unknown_shapes_are_those_of_eager_calls(name: str) -> None:
    kind = next(k for n, k in KINDS if n == name)
    case = only_case(name, kind)
    function, arrays = function_of(case)
    if case.row.prepare is not None:
        prepared = case.row.prepare(*map(tf.constant, arrays))
        arrays = values(prepared)
        case = Case(case.op, SAMPLES[name].but(prepare=None), case.letters, _with(case, arrays), case.attrs)
        function, _ = function_of(case)
    cotangents = draw(np.random.default_rng(3), values(function(*map(tf.constant, arrays))))
    want = values(pulled(function, len(arrays))(*arrays, *map(tf.constant, cotangents)))
    with tf.Graph().as_default(), tf.Session() as session:
        for known in (True, False):
            given = [tf.placeholder(x.dtype, [None] * x.ndim if known else None) for x in arrays]
            outputs = function(*given)
            grads = tf.gradients(outputs, given, grad_ys=cotangents)
            got = session.run(grads, dict(zip(given, arrays, strict=True)))
            for g, w in zip(got, want, strict=True):
                np.testing.assert_allclose(g, w, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("name", "kind"), KINDS, ids=[f"{n}-{k.name}" for n, k in KINDS])
def test_a_written_gradient_is_that_of_the_walk(name: str, kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    function, arrays = function_of(only_case(name, kind))
    cotangents = draw(np.random.default_rng(5), values(function(*map(tf.constant, arrays))))
    given = [*arrays, *map(tf.constant, cotangents)]
    monkeypatch.setattr(compiled_vjp, "_BY_STRUCTURE", {})
    monkeypatch.setattr(compiled_vjp, "_BY_SIZES", {})
    monkeypatch.setattr(TUNING, "vjp_sightings", 1)
    walked = values(pulled(function, len(arrays))(*given))
    monkeypatch.setattr(backward, "accumulate", lambda *_: pytest.fail(f"{name}: walked again"))
    written = values(pulled(function, len(arrays))(*given))
    monkeypatch.setattr(TUNING, "vjp_exact_sightings", 0)
    exact = values(pulled(function, len(arrays))(*given))
    known = [*compiled_vjp._BY_STRUCTURE.values(), *compiled_vjp._BY_SIZES.values()]
    made = [isinstance(found, compiled_vjp._CompiledVjp) or callable(found) for found in known]
    assert made == [True, True], f"{name}: no function was written"
    for w, g, e in zip(walked, written, exact, strict=True):
        np.testing.assert_array_equal(g, w, strict=True)
        np.testing.assert_array_equal(e, w, strict=True)


def _with(case: Case, arrays: Sequence[np.ndarray]) -> tuple[Any, ...]:
    full = [list(x) if isinstance(x, list) else x for x in case.inputs]
    for (i, k), value in zip(sources_of(case), arrays, strict=True):
        if k is None:
            full[i] = value
        else:
            full[i][k] = value
    return tuple(full)


def test_what_is_not_differentiated_says_so() -> None:
    # An op that takes and gives numbers either has a checked gradient or declares that it has none.
    silent = [
        name
        for name, sample in SAMPLES.items()
        if sample.order == 0
        and OPS[name].vjp is None
        and any(cases(OPS[name], sample, dtypes.float64))
        and any(d.is_trainable for d in OPS[name].output_dtypes(*_types_of(name)))
    ]
    assert silent == []


def _types_of(name: str) -> tuple[Any, Any]:
    case = only_case(name, dtypes.float64)
    return case.letters, case.attrs

"""Every op on NumPy and compiled by JAX, in every type it takes: value, type, shape, and what `infer` foretold.

The library compiles each kernel that JAX runs. On eager JAX, one instruction after another, each of which is compiled,
ops run here in their widest type; `make conformance` runs them in every type. JAX runs in a second thread, where
nothing but the context of a call keeps its 64-bit types.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.interpreter import xla
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS
from tests.conformance.samples import SAMPLES
from tests.conformance.sampling import Case, cases, declared, may_be_compiled

# The relative error that differing orders of the same operations may make.
TOLERANCE = {
    "float16": 4e-3,
    "bfloat16": 3e-2,
    "float32": 2e-5,
    "complex64": 2e-5,
    "float64": 1e-12,
    "complex128": 1e-12,
}
_RUNS = itertools.count(1)
QUICK = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
QUICKER = {**QUICK, "xla_cpu_use_fusion_emitters": False}


def listed(case: Case, result: Any) -> list[Any]:
    """A kernel's results as a list."""
    return list(result) if case.op.variadic_out or len(case.op.outs) != 1 else [result]


def on_numpy(case: Case) -> list[Any]:
    with np.errstate(all="ignore"):
        return listed(case, case.op.kernel(np, *case.inputs, **case.attrs))


def _places(case: Case) -> list[bool]:
    """Which inputs are arrays to a compiler, rather than values it must know."""
    return [not a.static for a in case.op.args]


def _caller(case: Case) -> tuple[Callable[..., Any], list[Any]]:
    """The kernel under `jax.numpy` as a function of its arrays, and the arrays."""
    xp, moving = xla.jnp(), _places(case)

    def call(*arrays: Any) -> list[Any]:
        rest = iter(arrays)
        full = [next(rest) if m else x for m, x in zip(moving, case.inputs, strict=True)]
        return listed(case, case.op.kernel(xp, *full, **case.attrs))

    return call, [x for m, x in zip(moving, case.inputs, strict=True) if m]


def eagerly(several: Sequence[Case]) -> list[list[Any]]:
    """The results of all cases by JAX, one instruction after another."""
    import jax

    callers = [_caller(c) for c in several]
    return [call(*(jax.tree.map(jax.numpy.asarray, a) for a in arrays)) for call, arrays in callers]


@functools.cache
def quick() -> dict[str, Any]:
    """Compiler options for code that is compiled quickly and runs once: those that this release of XLA knows."""
    import jax

    try:
        jax.jit(lambda x: x + 1).lower(0).compile(QUICKER)
    except Exception:
        return QUICK
    return QUICKER


def compiled(several: Sequence[Case]) -> list[list[Any]]:
    """The results of all cases by JAX; one compilation for all."""
    import jax

    callers = [_caller(c) for c in several]
    arrays = [jax.tree.map(jax.numpy.asarray, a) for _, a in callers]

    def everything(lists: Any) -> Any:
        return [call(*a) for (call, _), a in zip(callers, lists, strict=True)]

    return jax.jit(everything).lower(arrays).compile(quick())(arrays)  # type: ignore[no-any-return]


def on_jax(way: Callable[[Sequence[Case]], list[list[Any]]], several: Sequence[Case]) -> list[list[Any]]:
    """Results by JAX, in a thread of its own."""
    made: list[Any] = []

    def work() -> None:
        try:
            with xla.wide_types():
                made.append([[np.asarray(x) for x in results] for results in way(several)])
        except BaseException as error:
            made.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if next(_RUNS) % 40 == 0:
        import jax

        jax.clear_caches()  # compiled instructions add up to gigabytes
    if isinstance(made[0], BaseException):
        raise made[0]
    return made[0]  # type: ignore[no-any-return]


def check_same(case: Case, where: str, got: Sequence[Any], want: Sequence[Any]) -> None:
    """Same count, types, shapes and values."""
    kinds = case.op.output_dtypes(case.letters, case.attrs)
    assert len(got) == len(kinds), f"{case.label} {where}: {len(got)} results, {len(kinds)} declared"
    for i, (a, b, kind) in enumerate(zip(got, want, kinds, strict=True)):
        assert a.dtype == kind.np, f"{case.label} {where}: output {i} is {a.dtype}, declared {kind.name}"
        assert np.shape(a) == np.shape(b), (
            f"{case.label} {where}: output {i} has shape {np.shape(a)}, not {np.shape(b)}"
        )
    view = case.row.view or list
    for i, (a, b) in enumerate(zip(view(list(got)), view(list(want)), strict=True)):
        tolerance = TOLERANCE.get(next(iter(case.letters.values())).name if case.letters else "", 0.0) * case.row.loose
        tolerance = max(tolerance, TOLERANCE.get(np.asarray(a).dtype.name, 0.0) * case.row.loose)
        one, two = (np.asarray(x) for x in (a, b))
        if one.dtype.kind == "O":
            assert one.tolist() == two.tolist(), f"{case.label} {where}: output {i}"
            continue
        wide = np.complex128 if one.dtype.kind == "c" else np.float64
        np.testing.assert_allclose(
            one.astype(wide),
            two.astype(wide),
            rtol=tolerance,
            atol=tolerance,
            err_msg=f"{case.label} {where}: output {i}",
        )


def fits(actual: tuple[int, ...], inferred: Any) -> bool:
    """Whether an inferred partial shape admits an actual shape."""
    return inferred is None or (
        len(inferred) == len(actual) and all(d is None or d == a for d, a in zip(inferred, actual, strict=True))
    )


def check_infer(case: Case, results: Sequence[Any]) -> None:
    """What a graph says of the shapes before running, with inputs known, of known rank, and unknown."""
    for known in ("shape", "rank", "nothing"):
        with tf.Graph().as_default():
            node = build(case, known)
        for i, (out, result) in enumerate(zip(node.outputs, results, strict=True)):
            dims, shape = out._dims, np.shape(result)
            assert fits(shape, dims), (
                f"{case.label}: output {i} is inferred as {dims} of inputs known by {known}: {shape}"
            )
            if known == "shape" and not case.row.unknown:
                assert dims == shape, f"{case.label}: output {i} is inferred as {dims}, not {shape}"


def build(case: Case, known: str) -> Any:
    """The op as a node with placeholders for its arrays."""

    def placed(array: np.ndarray, moving: bool) -> Any:
        if not moving:
            return tf.constant(array)
        shape = array.shape if known == "shape" else [None] * array.ndim if known == "rank" else None
        return tf.placeholder(tf.as_dtype(array.dtype), shape)

    inputs = tuple(
        [placed(v, m) for v in x] if isinstance(x, list) else placed(x, m)
        for x, m in zip(case.inputs, _places(case), strict=True)
    )
    made = emit(case.op, inputs, case.attrs)
    return (made[0] if isinstance(made, list) else made).op


def results_on_numpy(name: str) -> tuple[list[Case], list[list[Any]]]:
    """Every case of an op and its results."""
    several = list(cases(declared(name), SAMPLES[name]))
    assert several, f"{name}: the row stands for no case"
    return several, [on_numpy(c) for c in several]


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_numpy_gives_the_declared_types_and_the_foretold_shapes(name: str) -> None:
    several, here = results_on_numpy(name)
    for case, results in zip(several, here, strict=True):
        check_same(case, "on NumPy", results, results)
    check_infer(several[0], here[0])


COMPILED = sorted(name for name, sample in SAMPLES.items() if not sample.numpy_only)


@pytest.mark.parametrize("name", COMPILED)
def test_compiled_kernels_agree_with_numpy(name: str) -> None:
    several, here = results_on_numpy(name)
    held = [(case, results) for case, results in zip(several, here, strict=True) if may_be_compiled(case)]
    for (case, results), built in zip(held, on_jax(compiled, [case for case, _ in held]), strict=True):
        check_same(case, "compiled", built, results)


def _widest(several: Sequence[Case]) -> list[int]:
    """The case of the widest type: what JAX would narrow if it were not told otherwise."""
    sizes = [max((d.size for d in c.letters.values()), default=0) for c in several]
    return [sizes.index(max(sizes))]


@pytest.mark.parametrize("name", COMPILED)
def test_eager_jax_agrees_with_numpy_in_the_widest_type(name: str) -> None:
    several, here = results_on_numpy(name)
    chosen = _widest(several)
    for i, ran in zip(chosen, on_jax(eagerly, [several[i] for i in chosen]), strict=True):
        check_same(several[i], "on eager JAX", ran, here[i])


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", COMPILED)
def test_eager_jax_agrees_with_numpy_in_every_type(name: str) -> None:
    several, here = results_on_numpy(name)
    held = [(case, results) for case, results in zip(several, here, strict=True) if may_be_compiled(case)]
    for (case, results), ran in zip(held, on_jax(eagerly, [case for case, _ in held]), strict=True):
        check_same(case, "on eager JAX", ran, results)


@pytest.mark.parametrize("name", sorted(name for name in SAMPLES if declared(name).elementwise))
def test_elements_of_an_elementwise_op_do_not_meet(name: str) -> None:
    """Rows given alone give the rows of the whole: what ragged tensors rely on."""
    case, *_ = cases(declared(name), SAMPLES[name])
    arrays = [v for x in case.inputs for v in (x if isinstance(x, list) else [x])]
    full = np.broadcast_shapes(*(np.shape(a) for a in arrays))
    spread = iter([np.broadcast_to(a, full) for a in arrays])
    inputs = [[next(spread) for _ in x] if isinstance(x, list) else next(spread) for x in case.inputs]
    (whole,) = on_numpy(dataclasses.replace(case, inputs=tuple(inputs)))
    for k in range(full[0]):
        rows = tuple([v[k : k + 1] for v in x] if isinstance(x, list) else x[k : k + 1] for x in inputs)
        (row,) = on_numpy(dataclasses.replace(case, inputs=rows))
        if row.dtype.kind in "fc":  # what XLA computes, also for NumPy arrays, rounds by the size that it is given
            np.testing.assert_allclose(row, whole[k : k + 1], rtol=4 * np.finfo(row.dtype).eps)
        else:
            np.testing.assert_array_equal(row, whole[k : k + 1])


UNARY = sorted(n for n in SAMPLES if OPS[n].elementwise and len(OPS[n].args) == 1 and not OPS[n].args[0].variadic)


@pytest.mark.parametrize("name", UNARY)
def test_sparse_tensors_answer_ops_that_leave_zeros_zero_and_no_others(name: str) -> None:
    case, *_ = cases(declared(name), SAMPLES[name])
    (dense,) = case.inputs
    zero = np.zeros_like(dense) if dense.dtype != object else np.full_like(dense, b"")
    sparse = tf.sparse.from_dense(dense)
    try:
        keeps = not np.any(on_numpy(dataclasses.replace(case, inputs=(zero,)))[0])
    except ValueError:
        keeps = False
    if not keeps:
        with pytest.raises(TypeError, match="only ops that leave zeros zero"):
            emit(case.op, (sparse,), case.attrs)
    else:
        (expected,) = on_numpy(case)
        np.testing.assert_array_equal(tf.sparse.to_dense(emit(case.op, (sparse,), case.attrs)).numpy(), expected)

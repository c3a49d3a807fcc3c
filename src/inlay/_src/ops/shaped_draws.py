"""Draws whose distribution has parameters of its own for each number: gamma, Poisson and binomial ones."""

from __future__ import annotations

import functools
import math as pymath
from collections.abc import Callable
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.interpreter import xla
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import INDEX
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.another_form import another_form
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import Effect, Shapes, broadcast, no_gradient
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, division, math, philox, ranges, reductions, rejection, shaping
from inlay._src.ops.draws import SEED, as_shape, checked_sizes, shape_at
from inlay._src.ops.seeds import draw_scope, state_of_draw
from inlay._src.ops.shaping import sum_like

_FLOATS = frozenset({dtypes.float16, dtypes.float32, dtypes.float64})
_COUNTS = _FLOATS | INDEX
_WIDE = frozenset({dtypes.float32, dtypes.float64})


def _seeded(seed: Any) -> rejection.BlockOrigin:
    if np.shape(seed) != (2,):
        raise ValueError(f"seed must have shape [2], not {list(np.shape(seed))}")
    key, high = philox.scrambled(np, np.asarray(seed))
    return rejection.BlockOrigin(key, high, 0)


def _reserved(state: Any, count: int) -> rejection.BlockOrigin:
    key, high, start = state.reserve(count * philox.RESERVED)
    return rejection.BlockOrigin(key, high, start)


def _by_parameter(sizes: tuple[int, ...], parameter: np.ndarray) -> np.ndarray:
    """The parameter of each number, in the order in which they are drawn: all of one parameter after another.

    Raises:
      ValueError: if the parameter's shape is not the end of `sizes`.
    """
    if sizes[len(sizes) - parameter.ndim :] != parameter.shape or parameter.ndim > len(sizes):
        raise ValueError(f"Shape passed in must end with broadcasted shape {list(parameter.shape)}, got {list(sizes)}")
    return np.repeat(parameter.reshape(-1), pymath.prod(sizes[: len(sizes) - parameter.ndim]))


def _in_place(drawn: np.ndarray, sizes: tuple[int, ...], parameter: np.ndarray, dtype: Any) -> np.ndarray:
    """Numbers in the order of `_by_parameter` as an array of shape `sizes`."""
    if parameter.size:
        drawn = drawn.reshape(parameter.size, -1).T
    return drawn.reshape(sizes).astype(dtype)


def _samples_of_each(s: Shapes) -> list[Dims]:
    """The shape that is asked for, before that of the parameter."""
    shape, parameter = s.partial_value(1), s.dims[2]
    return [None if shape is None or parameter is None else (*shape, *parameter)]


# ---------------------------------------------------------------- gamma


@functools.cache
def _compiled_partial() -> Callable[..., Any]:
    """XLA's loop, which JAX compiles anew for each call of the function alone."""
    return xla.compiled(xla.lax().random_gamma_grad)


@op("RandomGammaGrad", "alpha:T, sample:T -> T", types=_WIDE, infer=broadcast, vjp=no_gradient)
def random_gamma_grad(xp, alpha, sample):
    """The derivative of a gamma number in its shape `alpha`, its quantile held; XLA computes it, also for NumPy."""
    alpha, sample = xp.broadcast_arrays(alpha, sample)
    if xp is not np:
        return xla.lax().random_gamma_grad(alpha, sample)
    room = (0, max(64, 1 << (alpha.size - 1).bit_length()) - alpha.size)  # few sizes to compile
    lines = [np.pad(a.reshape(-1), room, constant_values=1) for a in (alpha, sample)]
    with xla.wide_types():
        return np.asarray(_compiled_partial()(*lines))[: alpha.size].reshape(alpha.shape)


def _partial(alpha: Any, sample: Any) -> Any:
    """Derivatives of draws with respect to their shape parameters; in at least 32 bits."""
    if sample.dtype in _WIDE:
        return random_gamma_grad(alpha, sample)
    wide = random_gamma_grad(math.cast(alpha, dtypes.float32), math.cast(sample, dtypes.float32))
    return math.cast(wide, sample.dtype)


def _gamma_vjp(op, dy):
    alpha, sample = op.inputs[2], op.outputs[0]
    slope = math.multiply(dy, _partial(alpha, sample))
    axes = ranges.range_(math.subtract(array.rank(sample), array.rank(alpha)))
    return None, None, reductions.reduce_sum(slope, axes)


def _seeded_gamma_vjp(op, dy):
    alpha, sample = op.inputs[2], op.outputs[0]
    return None, None, sum_like(math.multiply(dy, _partial(alpha, sample)), alpha)


@op(
    "RandomGamma",
    "state:resource, shape:Index, alpha:T -> T",
    types=_FLOATS,
    static=("shape",),
    infer=_samples_of_each,
    effect=Effect.RANDOM,
    vjp=_gamma_vjp,
)
def gamma_op(xp, state, shape, alpha, *, seed=0, seed2=0):
    """Gamma numbers, as many as `shape` says for each shape `alpha`."""
    alpha = np.asarray(alpha)
    sizes = (*checked_sizes(shape), *alpha.shape)
    each = _by_parameter(sizes, alpha.astype(np.float64))
    return _in_place(rejection.gamma(_reserved(state, each.size), each), sizes, alpha, alpha.dtype)


@op(
    "StatelessRandomGammaV2",
    "shape:Index, seed:Seed, alpha:T -> T",
    types={"T": _FLOATS, "Seed": INDEX},
    static=("shape",),
    ranks=SEED,
    infer=shape_at(0),
    vjp=_seeded_gamma_vjp,
)
def _stateless_gamma(xp, shape, seed, alpha):
    """Gamma numbers, a function of the seed."""
    alpha, sizes = np.asarray(alpha), checked_sizes(shape)
    each = _by_parameter(sizes, alpha.astype(np.float64))
    return _in_place(rejection.gamma(_seeded(seed), each), sizes, alpha, alpha.dtype)


def _gamma_of(alpha: Any, beta: Any, dtype: Any, draw: Any) -> Any:
    """`draw(alpha)` with `alpha` as large as `beta`, divided by that; never 0."""
    kind = dtypes.as_dtype(dtype)
    if kind not in _FLOATS:
        raise TypeError(f"gamma numbers are float16, float32 or float64, not {kind.name}")
    alpha, beta = convert_to_tensor(alpha, kind), convert_to_tensor(1 if beta is None else beta, kind)
    whole = shaping.broadcast_dynamic_shape(array.shape(alpha), array.shape(beta))
    drawn = division.divide(draw(shaping.broadcast_to(alpha, whole)), beta)
    return math.maximum(convert_to_tensor(np.finfo(kind.np).tiny, kind), drawn)


@export("random.gamma", "compat.v1.random_gamma")
def random_gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None
) -> Tensor:
    """Gamma distributed numbers; gradients flow to `alpha` and `beta`.

    Args:
      shape: of the numbers of each pair of parameters.
      alpha: the shapes of the distributions.
      beta: their inverse scales, which broadcast with `alpha`; 1 if None.
      dtype: float16, float32 or float64.
      seed: the op's seed.
      name: the scope of the nodes.

    Returns:
      [shape..., shape of `alpha + beta`...].
    """
    kind, shape = dtypes.as_dtype(dtype), as_shape(shape)

    def draw(parameters: Any) -> Any:
        state, attrs = state_of_draw("RandomGamma", seed, (shape, parameters), kind.name)
        return gamma_op(state, shape, parameters, **attrs)

    with draw_scope(name or "random_gamma"):
        return _gamma_of(alpha, beta, kind, draw)


@export("random.stateless_gamma")
def stateless_random_gamma(
    shape: Any, seed: Any, alpha: Any, beta: Any = None, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """Gamma distributed numbers: equal seeds give equal numbers. Gradients flow to `alpha` and `beta`.

    Args:
      shape: the result's shape; it ends with that of `alpha + beta`.
      seed: two integers.
      alpha: the shapes of the distributions.
      beta: their inverse scales; 1 if None.
      dtype: float16, float32 or float64.
      name: the scope of the nodes.
    """
    shape = as_shape(shape)
    with draw_scope(name or "stateless_random_gamma"):
        return _gamma_of(alpha, beta, dtype, lambda parameters: _stateless_gamma(shape, seed, parameters))


# ---------------------------------------------------------------- Poisson


def _poisson(draw: rejection.BlockOrigin, sizes: tuple[int, ...], rate: np.ndarray, dtype: Any) -> np.ndarray:
    each, most = _by_parameter(sizes, rate.astype(np.float64)), float(dtype.max)
    return _in_place(rejection.poisson(draw, each, most), sizes, rate, dtype.np)


_RATES: dict[str, Any] = {"types": {"Rate": _COUNTS, "Seed": INDEX}, "static": ("shape",), "vjp": no_gradient}


@op(
    "RandomPoissonV2",
    "state:resource, shape:Index, rate:Rate -> dtype",
    infer=_samples_of_each,
    effect=Effect.RANDOM,
    **_RATES,
)
def poisson_op(xp, state, shape, rate, *, dtype=dtypes.int64, seed=0, seed2=0):
    """Poisson numbers, as many as `shape` says for each mean."""
    rate = np.asarray(rate)
    sizes = (*checked_sizes(shape), *rate.shape)
    return _poisson(_reserved(state, pymath.prod(sizes)), sizes, rate, dtype)


@op(
    "StatelessRandomPoisson",
    "shape:Index, seed:Seed, lam:Rate -> dtype",
    ranks=SEED,
    infer=shape_at(0),
    **_RATES,
)
def _stateless_poisson(xp, shape, seed, lam, *, dtype):
    """Poisson numbers, a function of the seed."""
    rate, sizes = np.asarray(lam), checked_sizes(shape)
    return _poisson(_seeded(seed), sizes, rate, dtype)


def _count_type(dtype: Any) -> Any:
    kind = dtypes.as_dtype(dtype)
    if kind not in _COUNTS:
        raise TypeError(f"such numbers are float16, float32, float64, int32 or int64, not {kind.name}")
    return kind


@export("random.poisson")
def random_poisson(
    shape: Any, lam: Any, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None
) -> Tensor:
    """Poisson distributed numbers.

    Args:
      shape: of the numbers of each mean.
      lam: the means.
      dtype: float16, float32, float64, int32 or int64.
      seed: the op's seed.
      name: the scope of the nodes.

    Returns:
      [shape..., shape of `lam`...].
    """
    kind, shape = _count_type(dtype), as_shape(shape)
    with draw_scope(name or "random_poisson"):
        rate = convert_to_tensor(lam)
        state, attrs = state_of_draw("RandomPoissonV2", seed, (shape, rate), (rate.dtype.name, kind.name))
        return poisson_op(state, shape, rate, dtype=kind, **attrs)


random_poisson_v1: Any = export("compat.v1.random.poisson", "compat.v1.random_poisson")(
    another_form(random_poisson, "lam, shape, dtype=dtypes.float32, seed=None, name=None")
)


@export("random.stateless_poisson")
def stateless_random_poisson(
    shape: Any, seed: Any, lam: Any, dtype: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """Poisson distributed numbers: equal seeds give equal numbers.

    Args:
      shape: the result's shape; it ends with that of `lam`.
      seed: two integers.
      lam: the means.
      dtype: float16, float32, float64, int32 or int64.
      name: the scope of the nodes.
    """
    kind = _count_type(dtype)
    with draw_scope(name or "stateless_random_poisson"):
        sizes, rate = convert_to_tensor(as_shape(shape), dtype_hint=dtypes.int32), convert_to_tensor(lam)
        whole = shaping.broadcast_dynamic_shape(sizes, array.shape(rate, sizes.dtype))
        return _stateless_poisson(whole, seed, rate, dtype=kind)


# ---------------------------------------------------------------- binomial


def _binomial(draw: rejection.BlockOrigin, sizes: tuple[int, ...], counts: Any, probs: Any, dtype: Any) -> np.ndarray:
    parameters = np.broadcast_arrays(np.asarray(counts), np.asarray(probs))
    many, share = (_by_parameter(sizes, p) for p in parameters)
    return _in_place(rejection.binomial(draw, many, share), sizes, parameters[0], dtype.np)


_TRIALS: dict[str, Any] = {"types": {"T": _COUNTS, "Seed": INDEX}, "static": ("shape",), "vjp": no_gradient}


@op(
    "StatefulRandomBinomial",
    "state:resource, shape:Index, counts:T, probs:T -> dtype",
    infer=shape_at(1),
    effect=Effect.RANDOM,
    **_TRIALS,
)
def binomial_op(xp, state, shape, counts, probs, *, dtype=dtypes.int64):
    """Binomial numbers."""
    sizes = checked_sizes(shape)
    return _binomial(_reserved(state, pymath.prod(sizes)), sizes, counts, probs, dtype)


@op(
    "StatelessRandomBinomial",
    "shape:Index, seed:Seed, counts:T, probs:T -> dtype",
    ranks=SEED,
    infer=shape_at(0),
    **_TRIALS,
)
def _stateless_binomial(xp, shape, seed, counts, probs, *, dtype=dtypes.int64):
    """Binomial numbers, a function of the seed."""
    sizes = checked_sizes(shape)
    return _binomial(_seeded(seed), sizes, counts, probs, dtype)


@export("random.stateless_binomial")
def stateless_random_binomial(
    shape: Any, seed: Any, counts: Any, probs: Any, output_dtype: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """Draws from binomial distributions: equal seeds give equal numbers.

    Args:
      shape: the result's shape; it ends with that of `counts + probs`.
      seed: two integers.
      counts: the numbers of trials.
      probs: probability of success in each trial.
      output_dtype: float16, float32, float64, int32 or int64.
      name: the scope of the nodes.
    """
    kind = _count_type(output_dtype)
    with draw_scope(name or "stateless_random_binomial"):
        share = convert_to_tensor(probs)
        return _stateless_binomial(as_shape(shape), seed, math.cast(counts, share.dtype), share, dtype=kind)

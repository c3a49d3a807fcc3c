"""Random numbers that depend on nothing but a seed."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.core.opdef import some_values
from inlay.eager.convert import convert_to_tensor
from inlay.eager.declaration import op
from inlay.export import export
from inlay.ops import philox
from inlay.ops.draws import (
    INTEGERS,
    as_shape,
    bounds_of,
    check_algorithm,
    checked_sizes,
    chosen_classes,
    float_type,
    in_range,
    known_int,
    scaled,
    shape_at,
    with_moments,
    words_of,
)
from inlay.ops.seeds import draw_scope
from inlay.types import dtypes
from inlay.types.dtypes import INDEX, REALS


def _stateless(xp: Any, kind: str, shape: Any, seed: Any, dtype: Any) -> Any:
    if np.shape(seed) != (2,):
        raise ValueError(f"seed must have shape [2], not {list(np.shape(seed))}")
    with np.errstate(over="ignore"):
        return philox.fill(xp, kind, dtype, *philox.scrambled(xp, seed), np.uint64(0), checked_sizes(shape))


SEEDED: Any = {
    "types": {"Index": INDEX, "Seed": INDEX},
    "static": ("shape",),
    "infer": shape_at(0),
    "differentiable": False,
}


@op("StatelessRandomUniform", "shape:Index, seed:Seed -> dtype", **SEEDED)
def _stateless_uniform(xp, shape, seed, *, dtype):
    """Uniform numbers in [0, 1), a function of the seed."""
    return _stateless(xp, "uniform", shape, seed, dtype)


@op("StatelessRandomNormal", "shape:Index, seed:Seed -> dtype", **SEEDED)
def _stateless_normal(xp, shape, seed, *, dtype):
    """Standard normal numbers, a function of the seed."""
    return _stateless(xp, "normal", shape, seed, dtype)


@op("StatelessTruncatedNormal", "shape:Index, seed:Seed -> dtype", **SEEDED)
def _stateless_truncated(xp, shape, seed, *, dtype):
    """Standard normal numbers within two deviations, a function of the seed."""
    return _stateless(xp, "truncated", shape, seed, dtype)


@op(
    "StatelessRandomUniformInt",
    "shape:Index, seed:Seed, minval:T, maxval:T -> T",
    types={"Index": INDEX, "Seed": INDEX, "T": INTEGERS},
    static=("shape",),
    infer=shape_at(0),
    differentiable=False,
    refuses=some_values,
)
def _stateless_uniform_int(xp, shape, seed, minval, maxval):
    """Uniform integers in [minval, maxval), a function of the seed."""
    with np.errstate(over="ignore"):
        return in_range(xp, _stateless(xp, "words", shape, seed, words_of(minval.dtype)), minval, maxval)


@op(
    "StatelessMultinomial",
    "logits:T, num_samples:int32, seed:Seed -> output_dtype",
    types={"T": REALS, "Seed": INDEX},
    static=("num_samples",),
    infer=lambda s: [(None if s.dims[0] is None else s.dims[0][0], known_int(s.value(1)))],
    differentiable=False,
)
def _stateless_multinomial(xp, logits, num_samples, seed, *, output_dtype):
    """Classes drawn by unnormalised log-probabilities, a function of the seed."""
    count = int(np.asarray(num_samples))
    key, high = philox.scrambled(np, np.asarray(seed))
    return chosen_classes(
        logits, philox.doubles(int(key), int(high), 0, np.shape(logits)[0] * count), count, output_dtype
    )


@export("random.stateless_uniform")
def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Any:
    """Uniformly distributed numbers in [minval, maxval): equal seeds give equal numbers.

    Args:
      shape: the result's shape.
      seed: two integers.
      minval, maxval: the bounds; see `uniform`.
      dtype: the result's type.
      name: the scope of the nodes.
      alg: "auto_select" or "philox"; there is one algorithm.
    """
    check_algorithm(alg)
    kind = dtypes.as_dtype(dtype)
    minval, maxval = bounds_of(kind, minval, maxval)
    shape = as_shape(shape)
    with draw_scope(name or "stateless_random_uniform"):
        if kind.is_integer:
            return _stateless_uniform_int(shape, seed, convert_to_tensor(minval, kind), convert_to_tensor(maxval, kind))
        return scaled(_stateless_uniform(shape, seed, dtype=kind), minval, maxval, kind)


@export("random.stateless_normal")
def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Any:
    """Normally distributed numbers: equal seeds give equal numbers.

    Args:
      shape: the result's shape.
      seed: two integers.
      mean, stddev: the distribution.
      dtype: a floating type.
      name: the scope of the nodes.
      alg: "auto_select" or "philox".
    """
    check_algorithm(alg)
    kind = float_type(dtype)
    with draw_scope(name or "stateless_random_normal"):
        return with_moments(_stateless_normal(as_shape(shape), seed, dtype=kind), mean, stddev, kind)


@export("random.stateless_truncated_normal")
def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Any:
    """Normally distributed numbers within two deviations: equal seeds give equal numbers.

    Args:
      shape: the result's shape.
      seed: two integers.
      mean, stddev: the distribution before truncation.
      dtype: a floating type.
      name: the scope of the nodes.
      alg: "auto_select" or "philox".
    """
    check_algorithm(alg)
    kind = float_type(dtype)
    with draw_scope(name or "stateless_truncated_normal"):
        return with_moments(_stateless_truncated(as_shape(shape), seed, dtype=kind), mean, stddev, kind)


@export("random.stateless_categorical")
def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, dtype: Any = dtypes.int64, name: str | None = None
) -> Any:
    """Classes drawn by unnormalised log-probabilities: equal seeds give equal classes.

    Args:
      logits: a matrix, one row per distribution.
      num_samples: how many draws per row.
      seed: two integers.
      dtype: int32 or int64.
      name: the node's name.
    """
    return _stateless_multinomial(logits, num_samples, seed, output_dtype=dtypes.as_dtype(dtype), name=name)

"""Random numbers: ops that draw from a state, ops that are functions of a seed, and the rules for seeds.

A stateful draw takes its state as a resource input, as a variable does. So the same machinery gives every session, and
every function, sequences of its own: a graph with given seeds gives the same values in each fresh session, and each run
goes on where the last one stopped.

With equal seeds `uniform`, `normal`, `truncated_normal`, `shuffle`, `categorical` and the stateless ops give
TensorFlow's numbers (normal ones up to rounding).
"""

from __future__ import annotations

import math as pymath
from collections.abc import Callable
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.interpreter.blocks import in_blocks
from inlay._src.base.parameters import described
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import INDEX, REALS
from inlay._src.core.eager.another_form import another_form
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import answers
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import Effect, no_gradient, of_ranks
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, asserting, control, division, math, philox, slicing
from inlay._src.ops.draws import (
    INTEGERS,
    SEED,
    STATELESS_INTEGERS,
    as_shape,
    bounded_shape_at,
    bounds_of,
    check_algorithm,
    checked_sizes,
    chosen_classes,
    float_type,
    in_range,
    known_int,
    scaled,
    shape_at,
    shuffled,
    with_moments,
    words_of,
)
from inlay._src.ops.seeds import RandomState, draw_scope, state_of_draw

# ---------------------------------------------------------------- what is drawn


def _drawn_from(kind: str, state: RandomState, shape: Any, dtype: Any) -> Any:
    sizes = checked_sizes(shape)
    count = pymath.prod(sizes)
    if state.ahead is not None and 0 < count <= FEW:
        return _from_ahead(kind, state, state.ahead, dtype, count).reshape(sizes)
    return philox.fill(np, kind, dtype, *state.reserve(count * philox.RESERVED), sizes)


FEW, AHEAD = 64, 1024
"""Greatest size of an unseeded draw that reads a buffer, and the greatest size of the buffer."""


def _from_ahead(kind: str, state: RandomState, buffers: dict[Any, Any], dtype: Any, count: int) -> Any:
    """The next numbers of a buffer, refilled with more each time, since a program may draw once."""
    numbers, at = buffers.get((kind, dtype), (_NOTHING, 0))
    if at + count > numbers.size:
        more = min(max(2 * numbers.size, 4 * count), AHEAD)
        numbers, at = philox.fill(np, kind, dtype, *state.reserve(more * philox.RESERVED), (more,)), 0
    buffers[kind, dtype] = numbers, at + count
    return numbers[at : at + count].copy()


_NOTHING = np.empty(0)


def _drawn_by(xp: Any, kind: str, shape: Any, seed: Any, dtype: Any) -> Any:
    if np.shape(seed) != (2,):
        raise ValueError(f"seed must have shape [2], not {list(np.shape(seed))}")
    start = 0 if xp is np else np.uint64(0)
    return philox.fill(xp, kind, dtype, *philox.scrambled(xp, seed), start, checked_sizes(shape))


DRAW: Any = {"static": ("shape",), "infer": shape_at(1), "effect": Effect.RANDOM, "vjp": no_gradient}
SEEDED: Any = {"static": ("shape",), "infer": shape_at(0), "ranks": SEED, "vjp": no_gradient}
BOUNDED_DRAW: Any = {**DRAW, "infer": bounded_shape_at(1)}
BOUNDED_SEEDED: Any = {**SEEDED, "infer": bounded_shape_at(0)}


def _distribution(drawn: str, stateless: str, kind: str, says: str) -> tuple[Any, Any]:
    """The op that draws from a state, and the one that is a function of a seed."""

    def draw(xp, state, shape, *, dtype, seed=0, seed2=0):
        return _drawn_from(kind, state, shape, dtype)

    def make(xp, shape, seed, *, dtype):
        return _drawn_by(xp, kind, shape, seed, dtype)

    draw.__doc__, make.__doc__ = f"{says}.", f"{says}, a function of the seed."
    return (
        op(drawn, "state:resource, shape:Index -> dtype", **DRAW)(draw),
        op(stateless, "shape:Index, seed:Seed -> dtype", types={"Seed": INDEX}, **SEEDED)(make),
    )


uniform_op: Any
normal_op: Any
truncated_normal_op: Any
uniform_op, _stateless_uniform = _distribution(
    "RandomUniform", "StatelessRandomUniform", "uniform", "Uniform numbers in [0, 1)"
)
normal_op, _stateless_normal = _distribution(
    "RandomStandardNormal", "StatelessRandomNormal", "normal", "Standard normal numbers"
)
truncated_normal_op, _stateless_truncated = _distribution(
    "TruncatedNormal", "StatelessTruncatedNormal", "truncated", "Standard normal numbers within two deviations"
)


@op("RandomUniformInt", "state:resource, shape:Index, minval:T, maxval:T -> T", types=INTEGERS, **BOUNDED_DRAW)
def uniform_int_op(xp, state, shape, minval, maxval, *, seed=0, seed2=0):
    """Uniform integers in [minval, maxval)."""
    with np.errstate(over="ignore"):
        return in_range(np, _drawn_from("words", state, shape, words_of(minval.dtype)), minval, maxval)


@op(
    "StatelessRandomUniformInt",
    "shape:Index, seed:Seed, minval:T, maxval:T -> T",
    types={"Seed": INDEX, "T": INTEGERS},
    lower=REFUSES_VALUES,
    **BOUNDED_SEEDED,
)
def _stateless_uniform_int(xp, shape, seed, minval, maxval):
    """Uniform integers in [minval, maxval), a function of the seed."""
    with np.errstate(over="ignore"):
        return in_range(xp, _drawn_by(xp, "words", shape, seed, words_of(minval.dtype)), minval, maxval)


@op("StatefulUniformFullInt", "state:resource, shape:Index -> dtype", **DRAW)
def uniform_full_int_op(xp, state, shape, *, dtype):
    """Uniform integers of the whole range of their type."""
    return _drawn_from("words", state, shape, words_of(dtype.np)).view(dtype.np)


# ---------------------------------------------------------------- stateful draws


@export("random.uniform", "random_uniform")
def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Uniformly distributed numbers in [minval, maxval).

    Args:
      shape: the result's shape.
      minval, maxval: the bounds; maxval is 1 for floating types if None, and required for integers.
      dtype: float16, bfloat16, float32, float64, int32 or int64.
      seed: the op's seed.
      name: the scope of the nodes.
    """
    kind = dtypes.as_dtype(dtype)
    minval, maxval = bounds_of(kind, minval, maxval)
    shape = as_shape(shape)
    with draw_scope(name or "random_uniform"):
        if kind.is_integer:
            state, attrs = state_of_draw("RandomUniformInt", seed, (shape, minval, maxval), kind.name)
            low, high = convert_to_tensor(minval, kind), convert_to_tensor(maxval, kind)
            return uniform_int_op(state, shape, low, high, **attrs)
        state, attrs = state_of_draw("RandomUniform", seed, (shape,), kind.name)
        return scaled(uniform_op(state, shape, kind, **attrs), minval, maxval, kind)


def _normal_like(
    op_: Any, kind_name: str, scope: str, shape: Any, mean: Any, stddev: Any, dtype: Any, seed: Any
) -> Any:
    kind = float_type(dtype)
    shape = as_shape(shape)
    with draw_scope(scope):
        state, attrs = state_of_draw(kind_name, seed, (shape,), kind.name)
        return with_moments(op_(state, shape, dtype=kind, **attrs), mean, stddev, kind)


@export("random.normal", "random_normal")
def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Normally distributed numbers.

    Args:
      shape: the result's shape.
      mean, stddev: the distribution; tensors broadcast, and gradients flow to them.
      dtype: a floating type.
      seed: the op's seed.
      name: the scope of the nodes.
    """
    scope = name or "random_normal"
    return _normal_like(normal_op, "RandomStandardNormal", scope, shape, mean, stddev, dtype, seed)


@export("truncated_normal", "random.truncated_normal")
@described(normal.__doc__)
def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Normally distributed numbers, drawn again while further than two deviations from the mean.

    Args:
      mean, stddev: the distribution before truncation.
    """
    scope = name or "truncated_normal"
    return _normal_like(truncated_normal_op, "TruncatedNormal", scope, shape, mean, stddev, dtype, seed)


_targets = in_blocks(2)(lambda xp, words, steps, rows: steps + words % (rows - steps))
"""The place that each step swaps its own with: one of those from its own on."""


@op(
    "RandomShuffle",
    "state:resource, value:T -> T",
    infer=lambda s: [s.dims[1]],
    effect=Effect.RANDOM,
    vjp=no_gradient,
)
def _random_shuffle(xp, state, value, *, seed=0, seed2=0):
    """The rows in random order."""
    return _in_order(value, *state.reserve((int(np.size(value)) + 3) // 4))


def _in_order(value: Any, key: int, high: int, start: int) -> Any:
    """The rows of an array in the order that the words of a sequence give them."""
    n = value.shape[0] if np.ndim(value) else 1
    words = philox.fill(np, "words", dtypes.uint32, key, high, start, (max(n - 1, 0),))
    steps = np.arange(words.size, dtype=np.uint32)
    return shuffled(value, _targets(np, words, steps, np.uint32(n))) if n > 1 else value


@op(
    "StatelessRandomShuffle",
    "value:T, seed:Seed -> T",
    types={"Seed": INDEX},
    ranks=SEED,
    infer=lambda s: [s.dims[0]],
    vjp=no_gradient,
)
def _stateless_shuffle(xp, value, seed):
    """The rows in an order that the seed determines."""
    if np.shape(seed) != (2,):
        raise ValueError(f"seed must have shape [2], not {list(np.shape(seed))}")
    return _in_order(np.asarray(value), *philox.scrambled(np, np.asarray(seed)), 0)


@export("random.experimental.stateless_shuffle")
def stateless_shuffle(value: Any, seed: Any, alg: Any = "auto_select", name: str | None = None) -> Tensor:
    """The slices of `value` along its first axis, in an order that the seed determines.

    Args:
      value: a tensor.
      seed: two integers.
      alg: "auto_select" or "philox".
      name: the node's name.
    """
    check_algorithm(alg)
    return _stateless_shuffle(value, seed, name=name)


@export("random.shuffle", "random_shuffle")
def shuffle(value: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """The slices of `value` along its first axis in random order.

    Args:
      value: a tensor, or a StructuredTensor.
      seed: the op's seed.
      name: the node's name.
    """
    if answers(value):
        return _random_shuffle(None, value, name=name, seed=seed)
    value = convert_to_tensor(value)
    state, attrs = state_of_draw("RandomShuffle", seed, (value,), value.dtype.name)
    return _random_shuffle(state, value, name=name, **attrs)


@op(
    "Multinomial",
    "state:resource, logits:T, num_samples:int32 -> output_dtype",
    types=REALS,
    static=("num_samples",),
    ranks={"num_samples": 0},
    infer=of_ranks(lambda s: [(None if s.dims[1] is None else s.dims[1][0], known_int(s.value(2)))], None, 2),
    effect=Effect.RANDOM,
    vjp=no_gradient,
)
def _multinomial(xp, state, logits, num_samples, *, output_dtype, seed=0, seed2=0):
    """Classes drawn by unnormalized log-probabilities."""
    count, rows = int(np.asarray(num_samples)), np.shape(logits)[0] if np.ndim(logits) else 0
    key, high, start = state.reserve(rows * (-(-count // 4) * 4) * 2 * philox.RESERVED)
    draws = philox.doubles(key, high, start, rows * max(count, 0))
    return chosen_classes(logits, draws, count, output_dtype)


@export("random.categorical")
def categorical(logits: Any, num_samples: Any, dtype: Any = None, seed: Any = None, name: str | None = None) -> Tensor:
    """Classes drawn by unnormalized log-probabilities.

    Args:
      logits: a matrix, one row per distribution.
      num_samples: number of draws per row.
      dtype: int32 or int64 (the default).
      seed: the op's seed.
      name: the node's name.

    Returns:
      Integers of shape [rows, num_samples].
    """
    logits = convert_to_tensor(logits)
    kind = dtypes.int64 if dtype is None else dtypes.as_dtype(dtype)
    state, attrs = state_of_draw("Multinomial", seed, (logits, num_samples), kind.name)
    return _multinomial(state, logits, num_samples, output_dtype=kind, name=name, **attrs)


@export("random_crop", "image.random_crop")
def random_crop(value: Any, size: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """A box of shape `size` at a random place of `value`.

    Args:
      value: the tensor to crop.
      size: the sizes, one per axis.
      seed: the op's seed.
      name: the scope of the nodes.
    """
    with draw_scope(name or "random_crop"):
        return cropped(value, size, lambda shape, kind: uniform(shape, maxval=kind.max, dtype=kind, seed=seed))


def cropped(value: Any, size: Any, draw: Callable[[Any, Any], Any]) -> Any:
    """A box of shape `size`, where `draw(shape, integer type)` says: it gives numbers from 0 on."""
    value, size = convert_to_tensor(value), convert_to_tensor(size, dtypes.int32)
    whole = array.shape(value)
    fits = asserting.assert_less_equal(size, whole, message="size must be at most the shape of the value to crop")
    with control.control_dependencies([] if fits is None else [fits]):
        limit = math.add(math.subtract(whole, size), 1)
        return slicing.slice_(value, division.floormod(draw(array.shape(size), dtypes.int32), limit), size)


multinomial: Any = export("multinomial", "compat.v1.random.multinomial")(
    another_form(
        categorical, "logits, num_samples, seed=None, name=None, output_dtype=None", "multinomial", output_dtype="dtype"
    )
)

# ---------------------------------------------------------------- functions of a seed


@op(
    "StatelessMultinomial",
    "logits:T, num_samples:int32, seed:Seed -> output_dtype",
    types={"T": REALS, "Seed": INDEX},
    static=("num_samples",),
    ranks={"logits": 2, "num_samples": 0, **SEED},
    infer=lambda s: [(None if s.dims[0] is None else s.dims[0][0], known_int(s.value(1)))],
    vjp=no_gradient,
)
def _stateless_multinomial(xp, logits, num_samples, seed, *, output_dtype):
    """Classes drawn by unnormalized log-probabilities, a function of the seed."""
    count = int(np.asarray(num_samples))
    key, high = philox.scrambled(np, np.asarray(seed))
    return chosen_classes(logits, philox.doubles(key, high, 0, np.shape(logits)[0] * count), count, output_dtype)


@op(
    "StatelessRandomUniformFullInt",
    "shape:Index, seed:Seed -> dtype",
    types={"Seed": INDEX},
    **SEEDED,
)
def _stateless_full_int(xp, shape, seed, *, dtype):
    """Uniform integers of the whole range of their type, a function of the seed."""
    return _drawn_by(xp, "words", shape, seed, words_of(dtype.np)).view(dtype.np)


@export("random.stateless_uniform")
def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Uniformly distributed numbers in [minval, maxval): equal seeds give equal numbers.

    Args:
      shape: the result's shape.
      seed: two integers.
      minval, maxval: the bounds; see `uniform`. Integers take all numbers of their type if both are None.
      dtype: float16, bfloat16, float32, float64, int32, int64; uint32 and uint64 without bounds.
      name: the scope of the nodes.
      alg: "auto_select" or "philox"; there is one algorithm.
    """
    check_algorithm(alg)
    kind = dtypes.as_dtype(dtype)
    whole = kind in STATELESS_INTEGERS and minval is None and maxval is None
    if not whole:
        minval, maxval = bounds_of(kind, minval, maxval)
    shape = as_shape(shape)
    with draw_scope(name or "stateless_random_uniform"):
        if whole:
            return _stateless_full_int(shape, seed, dtype=kind)
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
) -> Tensor:
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
@described(stateless_normal.__doc__)
def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Normally distributed numbers within two deviations: equal seeds give equal numbers.

    Args:
      mean, stddev: the distribution before truncation.
    """
    check_algorithm(alg)
    kind = float_type(dtype)
    with draw_scope(name or "stateless_truncated_normal"):
        return with_moments(_stateless_truncated(as_shape(shape), seed, dtype=kind), mean, stddev, kind)


@export("random.stateless_categorical")
def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, dtype: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """Classes drawn by unnormalized log-probabilities: equal seeds give equal classes.

    Args:
      logits: a matrix, one row per distribution.
      num_samples: number of draws per row.
      seed: two integers.
      dtype: int32 or int64.
      name: the node's name.
    """
    return _stateless_multinomial(logits, num_samples, seed, output_dtype=dtypes.as_dtype(dtype), name=name)


@export("compat.v1.random.stateless_multinomial")
@described(stateless_categorical.__doc__)
def stateless_multinomial(
    logits: Any, num_samples: Any, seed: Any, output_dtype: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """`stateless_categorical` by its first name.

    Args:
      output_dtype: int32 or int64.
    """
    return stateless_categorical(logits, num_samples, seed, output_dtype, name)

"""Random numbers: ops that draw from a state, ops that are functions of a seed, and the rules for seeds.

A stateful draw takes its state as a resource input, as a variable does. So the same machinery gives every session, and
every function, sequences of its own: a graph with given seeds gives the same values in each fresh session, and each run
goes on where the last one stopped.

With equal seeds `uniform`, `normal`, `truncated_normal`, `shuffle`, `categorical` and the stateless ops give
TensorFlow's numbers (normal ones up to rounding).
"""

from __future__ import annotations

import contextlib
import math as pymath
import os
import random as pyrandom
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from inlay.core import context
from inlay.core import graph as graphs
from inlay.core.opdef import OPS, Effect, Shapes, some_values
from inlay.core.tensor import EagerTensor, SymbolicTensor
from inlay.eager.declaration import op
from inlay.eager.emit import convert_to_tensor
from inlay.interpreter.forking import new_lock
from inlay.ops import array, asserting, control, math, philox, slicing
from inlay.ops.shaping import sizes_of
from inlay.types import dtypes, shapes
from inlay.types.dtypes import ANY, FLOATS, INDEX, REALS
from inlay.types.shapes import Dims

MAXINT32 = 2**31 - 1
DEFAULT_GRAPH_SEED = 87654321


# ---------------------------------------------------------------- state and seeds


def _entropy() -> int:
    """64 bits from the operating system; `secrets` gives the same and takes 6 ms to import."""
    return int.from_bytes(os.urandom(8), "little")


class RandomState:
    """Where one stateful draw stands in its sequence.

    Attributes:
      name, dtype, dims, trainable, owner: what every resource answers.
      key, high: the seed; `position` is the next unused block.
    """

    dtype, dims, trainable, owner = dtypes.variant, (), False, None
    __slots__ = ("__weakref__", "high", "key", "lock", "name", "position")

    def __init__(self, name: str, seeds: tuple[int, int] | None) -> None:
        given = seeds or (_entropy(), _entropy())
        self.name, self.key, self.high, self.position = name, given[0] % 2**64, given[1] % 2**64, 0
        self.lock = new_lock()

    # What error messages print of a runtime value.
    shape = property(lambda self: ())

    def reserve(self, count: int) -> tuple[np.uint64, np.uint64, np.uint64]:
        """(key, upper counter, first block) of a draw of `count` blocks that nobody else gets."""
        with self.lock:
            start = self.position
            self.position = (start + count) % 2**64
        return np.uint64(self.key), np.uint64(self.high), np.uint64(start)

    def __repr__(self) -> str:
        return f"<RandomState {self.name}>"


class RandomKey:
    """Names the state of one draw of a graph; each session makes its own."""

    dtype, dims, trainable, owner = dtypes.variant, (), False, None
    __slots__ = ("name", "seeds")

    def __init__(self, name: str, seeds: tuple[int, int] | None) -> None:
        self.name, self.seeds = name, seeds

    def make(self) -> RandomState:
        """A state at its beginning."""
        return RandomState(self.name, self.seeds)

    def __repr__(self) -> str:
        return f"random state {self.name}"


class _Eager(threading.local):
    """The seed set for eager draws, the source of their op seeds, and the states of draws that name a seed."""

    def __init__(self) -> None:
        self.set(None)

    def set(self, seed: int | None) -> None:
        self.seed, self.source = seed, pyrandom.Random(seed)
        self.states: dict[Any, RandomState] = {}


_eager = _Eager()
_drawn: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()  # graph -> op seeds given out


def set_seed(seed: int) -> None:
    """Sets the global seed: of the default graph while one is being built, else of eager execution.

    Args:
      seed: an integer.
    """
    if context.executing_eagerly():
        _eager.set(int(seed))
    else:
        graphs.default_graph().seed = int(seed)


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """The pair of seeds an op would use here.

    Args:
      op_seed: the op's own seed, or None.

    Returns:
      (graph-level seed, op-level seed); (None, None) if neither is set.
    """
    return _seeds(op_seed, context.current().graph) or (None, None)


def _global_seed(graph: Any) -> int | None:
    return _eager.seed if graph is None or (graph.seed is None and graph.building_function) else graph.seed


def _seeds(op_seed: Any, graph: Any) -> tuple[int, int] | None:
    if op_seed is not None:
        op_seed = int(op_seed)
    whole = _global_seed(graph)
    if whole is None:
        if op_seed is None:
            return None
        whole = DEFAULT_GRAPH_SEED
    elif op_seed is None:
        if graph is None:
            op_seed = _eager.source.randint(0, MAXINT32)
        else:
            op_seed = _drawn.get(graph, 0)
            _drawn[graph] = op_seed + 1
    pair = whole % MAXINT32, op_seed % MAXINT32
    return (0, MAXINT32) if pair == (0, 0) else pair


def _state(kind: str, op_seed: Any, inputs: tuple[Any, ...], of: Any = ()) -> tuple[Any, dict[str, int]]:
    """(the state input of a draw, its seed attributes)."""
    graph = context.current().graph
    if graph is None:
        graph = next((x.op.graph for x in inputs if isinstance(x, SymbolicTensor)), None)
    seeds = _seeds(op_seed, graph)
    attrs = {"seed": seeds[0], "seed2": seeds[1]} if seeds is not None else {"seed": 0, "seed2": 0}
    if graph is None:
        if seeds is None or op_seed is None:
            return EagerTensor(RandomState(kind, seeds), dtypes.resource), attrs
        key = (kind, of, seeds)
        if key not in _eager.states:
            _eager.states[key] = RandomState(kind, seeds)
        return EagerTensor(_eager.states[key], dtypes.resource), attrs
    root: Any = graph
    while getattr(root, "outer", None) is not None:
        root = root.outer
    if root.building_function:
        return EagerTensor(RandomState(kind, seeds), dtypes.resource), attrs
    with root.as_default(), root.control_dependencies(None):
        made = {"handle": root.resources.add(RandomKey(kind, seeds), "random_state"), "dtype": dtypes.variant}
        node = root.add(OPS["VarHandleOp"], (), made, (dtypes.resource,), ((),), "random_state")
    return node.outputs[0], attrs


@contextlib.contextmanager
def _scope(name: str) -> Any:
    graph = context.current().graph
    if graph is None:
        yield
    else:
        with graph.name_scope(name):
            yield


# ---------------------------------------------------------------- stateful draws


def _shape_at(position: int) -> Any:
    def infer(s: Shapes) -> list[Dims]:
        return [s.partial_value(position)]

    return infer


def _sizes(shape: Any) -> tuple[int, ...]:
    sizes = sizes_of(shape)
    if any(d < 0 for d in sizes):
        raise ValueError(f"the shape of random numbers must not be negative, got {list(sizes)}")
    return sizes


def _drawn_from(kind: str, state: RandomState, shape: Any, dtype: Any) -> Any:
    sizes = _sizes(shape)
    return philox.fill(np, kind, dtype, *state.reserve(pymath.prod(sizes) * philox.RESERVED), sizes)


DRAW: Any = {
    "types": {"Index": INDEX},
    "static": ("shape",),
    "infer": _shape_at(1),
    "effect": Effect.RANDOM,
    "differentiable": False,
}


@op("RandomUniform", "state:resource, shape:Index -> dtype", **DRAW)
def _random_uniform(xp, state, shape, *, dtype, seed=0, seed2=0):
    """Uniform numbers in [0, 1)."""
    return _drawn_from("uniform", state, shape, dtype)


@op("RandomStandardNormal", "state:resource, shape:Index -> dtype", **DRAW)
def _random_normal(xp, state, shape, *, dtype, seed=0, seed2=0):
    """Standard normal numbers."""
    return _drawn_from("normal", state, shape, dtype)


@op("TruncatedNormal", "state:resource, shape:Index -> dtype", **DRAW)
def _truncated_normal(xp, state, shape, *, dtype, seed=0, seed2=0):
    """Standard normal numbers within two deviations."""
    return _drawn_from("truncated", state, shape, dtype)


def _ranged(xp: Any, words: Any, low: Any, high: Any) -> Any:
    """Words reduced to [low, high)."""
    kind = words.dtype
    if xp is np and not np.all(np.less(low, high)):
        raise ValueError(f"Need minval < maxval, got {low} >= {high}")
    span = xp.asarray(high).astype(kind) - xp.asarray(low).astype(kind)
    return (words % span + xp.asarray(low).astype(kind)).astype(low.dtype)


def _words(dtype: Any) -> Any:
    return dtypes.uint32 if dtype.itemsize == 4 else dtypes.uint64


INTEGERS = frozenset({dtypes.int32, dtypes.int64})


@op(
    "RandomUniformInt",
    "state:resource, shape:Index, minval:T, maxval:T -> T",
    types={"Index": INDEX, "T": INTEGERS},
    static=("shape",),
    infer=_shape_at(1),
    effect=Effect.RANDOM,
    differentiable=False,
)
def _random_uniform_int(xp, state, shape, minval, maxval, *, seed=0, seed2=0):
    """Uniform integers in [minval, maxval)."""
    with np.errstate(over="ignore"):
        return _ranged(np, _drawn_from("words", state, shape, _words(minval.dtype)), minval, maxval)


def _scaled(value: Any, low: Any, high: Any, dtype: Any) -> Any:
    """[0, 1) to [low, high)."""
    unit = _is_number(low, 0), _is_number(high, 1)
    if unit == (True, True):
        return value
    high = convert_to_tensor(high, dtype)
    if unit[0]:
        return math.multiply(value, high)
    low = convert_to_tensor(low, dtype)
    return math.add(math.multiply(value, math.subtract(high, low)), low)


def _is_number(value: Any, number: float) -> bool:
    return value.__class__ in (int, float) and value == number


def _float_type(dtype: Any) -> Any:
    kind = dtypes.as_dtype(dtype)
    if kind not in FLOATS:
        raise ValueError(f"Invalid dtype {kind.name}: random normal numbers have a floating type")
    return kind


def _bounds_of(kind: Any, minval: Any, maxval: Any) -> tuple[Any, Any]:
    if kind not in FLOATS | INTEGERS:
        raise ValueError(
            f"Invalid dtype {kind.name}: uniform numbers are float16, bfloat16, float32, float64, int32, int64"
        )
    if maxval is None:
        if kind.is_integer:
            raise ValueError("Must specify maxval for integer dtype")
        maxval = 1
    return minval, maxval


def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Uniformly distributed numbers in [minval, maxval).

    Args:
      shape: the result's shape.
      minval, maxval: the bounds; maxval is 1 for floating types if None, and required for integers.
      dtype: float16, bfloat16, float32, float64, int32 or int64.
      seed: the op's seed.
      name: the scope of the nodes.
    """
    kind = dtypes.as_dtype(dtype)
    minval, maxval = _bounds_of(kind, minval, maxval)
    shape = _as_shape(shape)
    with _scope(name or "random_uniform"):
        if kind.is_integer:
            state, attrs = _state("RandomUniformInt", seed, (shape, minval, maxval), kind.name)
            low, high = convert_to_tensor(minval, kind), convert_to_tensor(maxval, kind)
            return _random_uniform_int(state, shape, low, high, **attrs)
        state, attrs = _state("RandomUniform", seed, (shape,), kind.name)
        return _scaled(_random_uniform(state, shape, dtype=kind, **attrs), minval, maxval, kind)


def _as_shape(shape: Any) -> Any:
    if isinstance(shape, shapes.TensorShape):
        return shape.as_list()
    if isinstance(shape, (list, tuple)):
        return list(shape) if not any(hasattr(d, "dtype") for d in shape) else convert_to_tensor(list(shape))
    return shape


def _normal_like(
    op_: Any, kind_name: str, scope: str, shape: Any, mean: Any, stddev: Any, dtype: Any, seed: Any
) -> Any:
    kind = _float_type(dtype)
    shape = _as_shape(shape)
    with _scope(scope):
        state, attrs = _state(kind_name, seed, (shape,), kind.name)
        return _moved(op_(state, shape, dtype=kind, **attrs), mean, stddev, kind)


def _moved(value: Any, mean: Any, stddev: Any, kind: Any) -> Any:
    if not _is_number(stddev, 1):
        value = math.multiply(value, convert_to_tensor(stddev, kind))
    return value if _is_number(mean, 0) else math.add(value, convert_to_tensor(mean, kind))


def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Normally distributed numbers.

    Args:
      shape: the result's shape.
      mean, stddev: the distribution; tensors broadcast, and gradients flow to them.
      dtype: a floating type.
      seed: the op's seed.
      name: the scope of the nodes.
    """
    scope = name or "random_normal"
    return _normal_like(_random_normal, "RandomStandardNormal", scope, shape, mean, stddev, dtype, seed)


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Normally distributed numbers, drawn again while further than two deviations from the mean.

    Args:
      shape: the result's shape.
      mean, stddev: the distribution before truncation.
      dtype: a floating type.
      seed: the op's seed.
      name: the scope of the nodes.
    """
    scope = name or "truncated_normal"
    return _normal_like(_truncated_normal, "TruncatedNormal", scope, shape, mean, stddev, dtype, seed)


@op(
    "RandomShuffle",
    "state:resource, value:T -> T",
    types={"T": ANY},
    infer=lambda s: [s.dims[1]],
    effect=Effect.RANDOM,
    differentiable=False,
)
def _random_shuffle(xp, state, value, *, seed=0, seed2=0):
    """The rows in random order."""
    n = value.shape[0] if np.ndim(value) else 1
    rows = int(np.size(value))
    key, high, start = state.reserve((rows + 3) // 4)
    words = philox.fill(np, "words", dtypes.uint32, key, high, start, (max(n - 1, 0),)).tolist()
    order = list(range(n))
    for i, word in enumerate(words):
        j = i + word % (n - i)
        order[i], order[j] = order[j], order[i]
    return value[order] if np.ndim(value) else value


def shuffle(value: Any, seed: Any = None, name: str | None = None) -> Any:
    """The slices of `value` along its first axis in random order.

    Args:
      value: a tensor.
      seed: the op's seed.
      name: the node's name.
    """
    value = convert_to_tensor(value)
    state, attrs = _state("RandomShuffle", seed, (value,), value.dtype.name)
    return _random_shuffle(state, value, name=name, **attrs)


def _chosen(logits: Any, uniform_: np.ndarray, count: int, dtype: Any) -> np.ndarray:
    """Classes drawn by inverting each row's cumulative distribution."""
    if np.ndim(logits) != 2:
        raise ValueError(f"logits should be a matrix, got shape {list(np.shape(logits))}")
    if count < 0:
        raise ValueError(f"num_samples should be nonnegative, got {count}")
    x = np.asarray(logits).astype(np.float64)
    finite = np.isfinite(x)
    top = np.where(finite, x, -np.inf).max(axis=1, keepdims=True, initial=-np.inf)
    with np.errstate(invalid="ignore"):
        cdf = np.cumsum(np.where(finite, np.exp(x - top), 0.0), axis=1)
    out = np.empty((x.shape[0], count), dtype.np)
    for row, line in enumerate(cdf):
        total = line[-1] if line.size else 0.0
        out[row] = np.searchsorted(line, uniform_[row * count : (row + 1) * count] * total, side="right")
    return out


@op(
    "Multinomial",
    "state:resource, logits:T, num_samples:int32 -> output_dtype",
    types={"T": REALS},
    static=("num_samples",),
    infer=lambda s: [(None if s.dims[1] is None else s.dims[1][0], _known(s.value(2)))],
    effect=Effect.RANDOM,
    differentiable=False,
)
def _multinomial(xp, state, logits, num_samples, *, output_dtype, seed=0, seed2=0):
    """Classes drawn by unnormalised log-probabilities."""
    count, rows = int(np.asarray(num_samples)), np.shape(logits)[0] if np.ndim(logits) else 0
    key, high, start = state.reserve(rows * (-(-count // 4) * 4) * 2 * philox.RESERVED)
    draws = philox.doubles(int(key), int(high), int(start), rows * max(count, 0))
    return _chosen(logits, draws, count, output_dtype)


def _known(value: Any) -> int | None:
    return None if value is None else int(value)


def categorical(logits: Any, num_samples: Any, dtype: Any = None, seed: Any = None, name: str | None = None) -> Any:
    """Classes drawn by unnormalised log-probabilities.

    Args:
      logits: a matrix, one row per distribution.
      num_samples: how many draws per row.
      dtype: int32 or int64 (the default).
      seed: the op's seed.
      name: the node's name.

    Returns:
      Integers of shape [rows, num_samples].
    """
    logits = convert_to_tensor(logits)
    kind = dtypes.int64 if dtype is None else dtypes.as_dtype(dtype)
    state, attrs = _state("Multinomial", seed, (logits, num_samples), kind.name)
    return _multinomial(state, logits, num_samples, output_dtype=kind, name=name, **attrs)


def random_crop(value: Any, size: Any, seed: Any = None, name: str | None = None) -> Any:
    """A box of shape `size` at a random place of `value`.

    Args:
      value: the tensor to crop.
      size: the sizes, one per axis.
      seed: the op's seed.
      name: the scope of the nodes.
    """
    with _scope(name or "random_crop"):
        return cropped(value, size, lambda shape, kind: uniform(shape, maxval=kind.max, dtype=kind, seed=seed))


def cropped(value: Any, size: Any, draw: Callable[[Any, Any], Any]) -> Any:
    """A box of shape `size`, where `draw(shape, integer type)` says: it gives numbers from 0 on."""
    value, size = convert_to_tensor(value), convert_to_tensor(size, dtype_hint=dtypes.int32)
    whole = array.shape(value, size.dtype)
    fits = asserting.assert_less_equal(size, whole, message="size must be at most the shape of the value to crop")
    with control.control_dependencies([] if fits is None else [fits]):
        limit = math.add(math.subtract(whole, size), 1)
        return slicing.slice_(value, math.floormod(draw(array.shape(size), size.dtype), limit), size)


# ---------------------------------------------------------------- stateless draws


def _stateless(xp: Any, kind: str, shape: Any, seed: Any, dtype: Any) -> Any:
    if np.shape(seed) != (2,):
        raise ValueError(f"seed must have shape [2], not {list(np.shape(seed))}")
    with np.errstate(over="ignore"):
        return philox.fill(xp, kind, dtype, *philox.scrambled(xp, seed), np.uint64(0), _sizes(shape))


SEEDED: Any = {
    "types": {"Index": INDEX, "Seed": INDEX},
    "static": ("shape",),
    "infer": _shape_at(0),
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
    infer=_shape_at(0),
    differentiable=False,
    refuses=some_values,
)
def _stateless_uniform_int(xp, shape, seed, minval, maxval):
    """Uniform integers in [minval, maxval), a function of the seed."""
    with np.errstate(over="ignore"):
        return _ranged(xp, _stateless(xp, "words", shape, seed, _words(minval.dtype)), minval, maxval)


@op(
    "StatelessMultinomial",
    "logits:T, num_samples:int32, seed:Seed -> output_dtype",
    types={"T": REALS, "Seed": INDEX},
    static=("num_samples",),
    infer=lambda s: [(None if s.dims[0] is None else s.dims[0][0], _known(s.value(1)))],
    differentiable=False,
)
def _stateless_multinomial(xp, logits, num_samples, seed, *, output_dtype):
    """Classes drawn by unnormalised log-probabilities, a function of the seed."""
    count = int(np.asarray(num_samples))
    key, high = philox.scrambled(np, np.asarray(seed))
    return _chosen(logits, philox.doubles(int(key), int(high), 0, np.shape(logits)[0] * count), count, output_dtype)


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
    _check_algorithm(alg)
    kind = dtypes.as_dtype(dtype)
    minval, maxval = _bounds_of(kind, minval, maxval)
    shape = _as_shape(shape)
    with _scope(name or "stateless_random_uniform"):
        if kind.is_integer:
            return _stateless_uniform_int(shape, seed, convert_to_tensor(minval, kind), convert_to_tensor(maxval, kind))
        return _scaled(_stateless_uniform(shape, seed, dtype=kind), minval, maxval, kind)


def _check_algorithm(alg: Any) -> None:
    if alg not in ("auto_select", "philox", 1, 3):
        raise ValueError(f"Unsupported algorithm {alg!r}: random numbers come from 'philox'")


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
    _check_algorithm(alg)
    kind = _float_type(dtype)
    with _scope(name or "stateless_random_normal"):
        return _moved(_stateless_normal(_as_shape(shape), seed, dtype=kind), mean, stddev, kind)


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
    _check_algorithm(alg)
    kind = _float_type(dtype)
    with _scope(name or "stateless_truncated_normal"):
        return _moved(_stateless_truncated(_as_shape(shape), seed, dtype=kind), mean, stddev, kind)


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


# ---------------------------------------------------------------- Generator


class Generator:
    """A source of random numbers that keeps its own position.

    Args:
      state: three integers as `state` gives them: the counter's lower and upper half, and the key. Use `from_seed` or
        `from_non_deterministic_state` for a new sequence.
      alg: "philox", the only algorithm.
    """

    def __init__(self, state: Any, alg: Any = None) -> None:
        _check_algorithm("philox" if alg is None else alg)
        self._state = RandomState("generator", (0, 0))
        self.reset(state)

    @classmethod
    def from_seed(cls, seed: int, alg: Any = None) -> Generator:
        """A generator whose numbers follow from `seed`."""
        return cls((int(seed), 0, 0), alg)

    @classmethod
    def from_state(cls, state: Any, alg: Any = None) -> Generator:
        """A generator that goes on where another one's `state` was taken."""
        return cls(state, alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A generator seeded by the operating system."""
        return cls(tuple(_entropy() >> 1 for _ in range(3)), alg)

    @property
    def state(self) -> Any:
        """The counter's lower and upper half, and the key, as an int64 vector."""
        whole = np.array([self._state.position, self._state.high, self._state.key], np.uint64)
        return EagerTensor(whole.view(np.int64), dtypes.int64)

    def reset(self, state: Any) -> None:
        """Goes to another generator's `state`."""
        low, high, key = (int(v) % 2**64 for v in np.asarray(state))
        with self._state.lock:
            self._state.position, self._state.high, self._state.key = low, high, key

    def reset_from_seed(self, seed: int) -> None:
        """Starts the sequence of `seed` from its beginning."""
        self.reset((int(seed), 0, 0))

    def skip(self, delta: int) -> None:
        """Leaves out as many blocks as `delta` draws of one number would take."""
        self._state.reserve(int(delta) * philox.RESERVED)

    def _handle(self) -> EagerTensor:
        return EagerTensor(self._state, dtypes.resource)

    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32, name: str | None = None
    ) -> Any:
        """Uniformly distributed numbers; see `tf.random.uniform`."""
        kind = dtypes.as_dtype(dtype)
        minval, maxval = _bounds_of(kind, minval, maxval)
        if kind.is_integer:
            low, high = convert_to_tensor(minval, kind), convert_to_tensor(maxval, kind)
            return _random_uniform_int(self._handle(), _as_shape(shape), low, high, name=name)
        drawn = _random_uniform(self._handle(), _as_shape(shape), dtype=kind, name=name)
        return _scaled(drawn, minval, maxval, kind)

    def normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name: str | None = None
    ) -> Any:
        """Normally distributed numbers; see `tf.random.normal`."""
        kind = _float_type(dtype)
        return _moved(_random_normal(self._handle(), _as_shape(shape), dtype=kind, name=name), mean, stddev, kind)

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name: str | None = None
    ) -> Any:
        """Normally distributed numbers within two deviations; see `tf.random.truncated_normal`."""
        kind = _float_type(dtype)
        return _moved(_truncated_normal(self._handle(), _as_shape(shape), dtype=kind, name=name), mean, stddev, kind)


_global_generator: Generator | None = None


def get_global_generator() -> Generator:
    """The process's generator, made on first use."""
    global _global_generator
    if _global_generator is None:
        _global_generator = Generator.from_non_deterministic_state()
    return _global_generator


def set_global_generator(generator: Generator) -> None:
    """Replaces the process's generator."""
    global _global_generator
    _global_generator = generator


# ---------------------------------------------------------------- 1.x


def multinomial(
    logits: Any, num_samples: Any, seed: Any = None, name: str | None = None, output_dtype: Any = None
) -> Any:
    """Classes drawn by unnormalised log-probabilities; the 1.x form of `categorical`."""
    return categorical(logits, num_samples, output_dtype, seed, name)

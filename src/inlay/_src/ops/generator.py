"""`Generator`: a stream of random numbers that a program holds in its hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.context import executing_eagerly
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import Effect, no_gradient
from inlay._src.core.state import Cell
from inlay._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from inlay._src.ops import philox
from inlay._src.ops.array import reshape, zeros, zeros_like
from inlay._src.ops.draws import (
    STATELESS_INTEGERS,
    Algorithm,
    as_shape,
    bounds_of,
    check_algorithm,
    float_type,
    numbered_algorithm,
    scaled,
    with_moments,
)
from inlay._src.ops.joining import concat
from inlay._src.ops.math import cast
from inlay._src.ops.random import normal_op, truncated_normal_op, uniform_full_int_op, uniform_int_op, uniform_op
from inlay._src.ops.seeds import RandomState, entropy, is_deterministic
from inlay._src.ops.shaped_draws import binomial_op
from inlay._src.ops.shaping import ensure_shape
from inlay._src.ops.stacking import stack

PHILOX = 1
"""TensorFlow's number of the algorithm."""
STATE_SIZE = 3
"""Numbers of a state: the counter's lower and upper half, and the key."""


@export("random.create_rng_state", "random.experimental.create_rng_state")
def create_rng_state(seed: Any, alg: Any) -> Tensor:
    """The state with which a generator begins.

    Args:
      seed: an integer of any size, or a list or a tensor of integers. Integers that are missing are zeros in front;
        those beyond the size of the state are left out.
      alg: an `Algorithm`, its name or its number.

    Returns:
      An int64 vector: of three numbers for Philox, of two for ThreeFry.

    Raises:
      ValueError: for another algorithm.
    """
    size = 2 if numbered_algorithm(alg) is Algorithm.THREEFRY else 3
    if not isinstance(seed, SymbolicTensor):
        return convert_to_tensor(_state_of_seed(seed, size))
    whole = reshape(cast(seed, dtypes.int64), [-1])[:size]
    return ensure_shape(concat([zeros([size], dtypes.int64), whole], 0)[-size:], [size])


def _state_of_seed(seed: Any, size: int) -> np.ndarray:
    numbers = [seed >> (64 * place) for place in range(size)] if isinstance(seed, int) else np.ravel(seed)
    whole = [int(number) % 2**64 for number in numbers][:size]
    return np.array([0] * (size - len(whole)) + whole, np.uint64).view(np.int64)


@op(
    "RngReadAndSkip",
    "resource:resource, delta:int64 -> int64",
    infer=lambda s: [(STATE_SIZE,)],
    effect=Effect.WRITES,
    vjp=no_gradient,
)
def _read_and_skip(xp, resource, delta):
    """The state of a generator, which goes on by as many blocks as `delta` draws of one number would take."""
    if np.ndim(delta):
        raise errors.InvalidArgumentError(None, None, f"delta must have shape [], not {list(np.shape(delta))}")
    count = int(delta) * philox.RESERVED
    if isinstance(resource, Cell):
        return _variable_skipped(resource, count)
    key, high, position = resource.reserve(count)
    return np.array([position, high, key], np.uint64).view(np.int64)


def _variable_skipped(cell: Cell, count: int) -> np.ndarray:
    """The state of a generator that is a variable, as in TensorFlow; it goes on by `count` blocks."""
    with cell.lock:
        state = np.array(cell.held())
        if state.dtype != np.int64 or state.shape != (STATE_SIZE,):
            raise errors.InvalidArgumentError(
                None, None, f"the state of a generator is int64 of shape [3], got {state.dtype} of {list(state.shape)}"
            )
        position, high, key = state.view(np.uint64).tolist()
        later = (position + (high << 64) + count % (1 << 64)) % (1 << 128)
        cell.value = np.array([later % (1 << 64), later >> 64, key], np.uint64).view(np.int64)
    return state


@op("RngReset", "resource:resource, state:int64 -> ", infer=lambda s: [], effect=Effect.WRITES, vjp=no_gradient)
def _reset(xp, resource, state):
    """Puts a generator where another one's state was taken."""
    _put(resource, np.asarray(state))
    return ()


def _taken(generator: RandomState) -> np.ndarray:
    """The state of a generator: int64[3]."""
    return np.array([generator.position, generator.high, generator.key], np.uint64).view(np.int64)


def _put(generator: RandomState, state: np.ndarray) -> None:
    with generator.lock:
        generator.position, generator.high, generator.key = state.view(np.uint64).tolist()


def _numbers(value: Any, shape: list[int], name: str) -> np.ndarray:
    """Integers of a shape, modulo 2**64.

    Raises:
      ValueError: for other values.
    """
    array = np.asarray(value)
    if array.shape != tuple(shape) or array.dtype.kind not in "iuO":
        raise ValueError(f"`{name}` must be integers of shape {shape}, got {value!r}")
    return np.array([int(number) % 2**64 for number in array.ravel()], np.uint64).view(np.int64).reshape(shape)


def _fitting(value: Any, shape: list[int], name: str) -> Any:
    """A tensor of integers of a shape."""
    if not isinstance(value, SymbolicTensor):
        return convert_to_tensor(_numbers(value, shape, name))
    if not (value.dtype.is_integer and value.shape.is_compatible_with(shape)):
        raise ValueError(f"`{name}` must be integers of shape {shape}, got {value!r}")
    return value


class _SavedState:
    """The state of a generator in checkpoints, where TensorFlow has a variable."""

    def __init__(self, state: RandomState) -> None:
        self._state = state

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {"VARIABLE_VALUE": lambda key: _StateSaveable(key, self._state)}


class _StateSaveable:
    """The state under its key; see `training.saveable`.

    Attributes:
      specs: itself: one tensor, and its name.
    """

    def __init__(self, name: str, state: RandomState) -> None:
        self.name, self._state = name, state
        self.specs = [self]

    def tensor(self) -> Tensor:
        """The state: int64[3]."""
        return convert_to_tensor(_taken(self._state))

    def restore(self, tensors: Sequence[Any], shapes: Any) -> None:
        """Goes to a state."""
        _put(self._state, _numbers(tensors[0].numpy(), [STATE_SIZE], "state"))


@export("random.Generator", "random.experimental.Generator")
class Generator:
    """A source of random numbers that keeps its own position.

    Args:
      copy_from: a generator whose state to take, instead of `state` and `alg`.
      state: three integers as `state` gives them: the counter's lower and upper half, and the key. Use `from_seed` or
        `from_non_deterministic_state` for a new sequence.
      alg: "philox", the only algorithm.
    """

    def __init__(self, copy_from: Generator | None = None, state: Any = None, alg: Any = None) -> None:
        check_algorithm("philox" if alg is None else alg)
        if (copy_from is None) == (state is None):
            raise ValueError("a Generator is made of another one or of a state: give `copy_from` or `state`")
        self._state = RandomState("generator", (0, 0))
        self._state.kept = True
        self._saved = _SavedState(self._state)
        _put(self._state, _numbers(state, [STATE_SIZE], "state") if copy_from is None else _taken(copy_from._state))

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """A generator whose numbers follow from `seed`: see `create_rng_state`."""
        return cls(state=_state_of_seed(seed, STATE_SIZE), alg=alg)

    @classmethod
    def from_state(cls, state: Any, alg: Any = None) -> Generator:
        """A generator that goes on where another one's `state` was taken."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> Generator:
        """A generator of a key and a counter.

        Args:
          key: an integer.
          counter: two integers, the lower half first.
          alg: "philox", the only algorithm.

        Raises:
          ValueError: for other shapes.
        """
        numbers = _numbers(counter, [STATE_SIZE - 1], "counter"), _numbers(key, [], "key")
        return cls(state=np.hstack(numbers), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A generator seeded by the operating system.

        Raises:
          RuntimeError: after `tf.config.experimental.enable_op_determinism`.
        """
        if is_deterministic():
            raise RuntimeError(
                '"from_non_deterministic_state" cannot be called when determinism is enabled. Use `from_seed`.'
            )
        return cls(state=tuple(entropy() >> 1 for _ in range(STATE_SIZE)), alg=alg)

    @property
    def state(self) -> Tensor:
        """The counter's lower and upper half, and the key, as an int64 vector; in a graph, those when it runs."""
        return _read_and_skip(self._handle(), 0)

    @property
    def key(self) -> Tensor:
        """The key of the counter-based algorithm, as an int64 scalar."""
        return self.state[2]

    @property
    def algorithm(self) -> int:
        """1: Philox."""
        return PHILOX

    def reset(self, state: Any) -> None:
        """Goes to another generator's `state`; in a graph, whenever it runs.

        Args:
          state: three integers.

        Raises:
          ValueError: for another shape or dtype.
        """
        if executing_eagerly() and not isinstance(state, SymbolicTensor):
            _put(self._state, _numbers(state, [STATE_SIZE], "state"))
        else:
            _reset(self._handle(), cast(_fitting(state, [STATE_SIZE], "state"), dtypes.int64))

    def reset_from_seed(self, seed: Any) -> None:
        """Starts the sequence of `seed` from its beginning."""
        self.reset(create_rng_state(seed, "philox"))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Goes to a key and a counter: see `from_key_counter`."""
        halves = cast(_fitting(counter, [STATE_SIZE - 1], "counter"), dtypes.int64)
        self.reset(concat([halves, reshape(cast(_fitting(key, [], "key"), dtypes.int64), [1])], 0))

    def skip(self, delta: Any) -> Tensor:
        """Leaves out as many blocks as `delta` draws of one number would take.

        Args:
          delta: an integer.

        Returns:
          The state before.
        """
        return _read_and_skip(self._handle(), delta)

    def _checkpoint_children(self) -> dict[str, Any]:
        return {"_state_var": self._saved}

    def __inlay_restore__(self, saved: bytes) -> None:  # from checkpoints of earlier versions
        _put(self._state, np.frombuffer(saved, "<i8").astype(np.int64))

    def _handle(self) -> EagerTensor:
        return EagerTensor(self._state, dtypes.resource)

    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32, name: str | None = None
    ) -> Tensor:
        """Uniformly distributed numbers; see `tf.random.uniform`. Integers without bounds take their whole range."""
        kind = dtypes.as_dtype(dtype)
        if kind.is_integer and minval is None and maxval is None:
            return self.uniform_full_int(shape, kind, name)
        minval, maxval = bounds_of(kind, minval, maxval)
        if kind.is_integer:
            low, high = convert_to_tensor(minval, kind), convert_to_tensor(maxval, kind)
            return uniform_int_op(self._handle(), as_shape(shape), low, high, name=name)
        drawn = uniform_op(self._handle(), as_shape(shape), dtype=kind, name=name)
        return scaled(drawn, minval, maxval, kind)

    def uniform_full_int(self, shape: Any, dtype: Any = dtypes.uint64, name: str | None = None) -> Tensor:
        """Uniformly distributed integers of the whole range of their type.

        Args:
          shape: the result's shape.
          dtype: int32, int64, uint32 or uint64.
          name: the node's name.

        Raises:
          ValueError: for another dtype.
        """
        integer = dtypes.as_dtype(dtype)
        if integer not in STATELESS_INTEGERS:
            raise ValueError(f"uniform_full_int: dtype must be int32, int64, uint32 or uint64, got {integer.name}")
        return uniform_full_int_op(self._handle(), as_shape(shape), dtype=integer, name=name)

    def make_seeds(self, count: int = 1) -> Tensor:
        """Seeds for stateless random functions, drawn from this generator.

        Args:
          count: number of seeds.

        Returns:
          An int64 tensor of shape [2, count]: a seed is a column.
        """
        keys = self.uniform_full_int([count], dtypes.int64)
        return stack([keys, zeros_like(keys)])

    def split(self, count: int = 1) -> list[Generator]:
        """Generators whose numbers are independent of one another and of this one's.

        Args:
          count: number of generators.

        Raises:
          ValueError: inside a graph, which cannot create a generator.
        """
        if not executing_eagerly():
            raise ValueError("Generator.split creates generators, and a graph cannot: split before tracing")
        keys = self.uniform_full_int([count], dtypes.int64).numpy()
        return [Generator(state=(0, 0, int(key))) for key in keys]

    def normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name: str | None = None
    ) -> Tensor:
        """Normally distributed numbers; see `tf.random.normal`."""
        kind = float_type(dtype)
        return with_moments(normal_op(self._handle(), as_shape(shape), dtype=kind, name=name), mean, stddev, kind)

    def binomial(
        self, shape: Any, counts: Any, probs: Any, dtype: Any = dtypes.int32, name: str | None = None
    ) -> Tensor:
        """Draws from binomial distributions.

        Args:
          shape: the result's shape; it ends with that of `counts + probs`.
          counts: the numbers of trials.
          probs: probability of success in each trial.
          dtype: float16, float32, float64, int32 or int64.
          name: the node's name.
        """
        counts, share = convert_to_tensor(counts), convert_to_tensor(probs)
        kind = dtypes.as_dtype(dtype)
        return binomial_op(self._handle(), as_shape(shape), counts, cast(share, counts.dtype), dtype=kind, name=name)

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name: str | None = None
    ) -> Tensor:
        """Normally distributed numbers within two deviations; see `tf.random.truncated_normal`."""
        kind = float_type(dtype)
        return with_moments(
            truncated_normal_op(self._handle(), as_shape(shape), dtype=kind, name=name), mean, stddev, kind
        )


_global_generator: Generator | None = None


@export("random.get_global_generator", "random.experimental.get_global_generator")
def get_global_generator() -> Generator:
    """The process's generator, made on first use.

    Raises:
      RuntimeError: if it would be made after `tf.config.experimental.enable_op_determinism`.
    """
    global _global_generator
    if _global_generator is None:
        if is_deterministic():
            raise RuntimeError(
                '"get_global_generator" cannot be called if determinism is enabled, unless "set_global_generator" has '
                "been called before: give it a generator with a seed"
            )
        _global_generator = Generator.from_non_deterministic_state()
    return _global_generator


@export("random.set_global_generator", "random.experimental.set_global_generator")
def set_global_generator(generator: Generator) -> None:
    """Replaces the process's generator."""
    global _global_generator
    _global_generator = generator

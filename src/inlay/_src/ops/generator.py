"""`Generator`: a stream of random numbers that a program holds in its hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.context import executing_eagerly
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import EagerTensor, SymbolicTensor
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
from inlay._src.ops.joining import concat, stack
from inlay._src.ops.math import cast
from inlay._src.ops.random import normal_op, truncated_normal_op, uniform_full_int_op, uniform_int_op, uniform_op
from inlay._src.ops.seeds import RandomState, entropy
from inlay._src.ops.shaped_draws import binomial_op
from inlay._src.ops.shaping import ensure_shape

PHILOX = 1
"""TensorFlow's number of the algorithm."""


@export("random.create_rng_state", "random.experimental.create_rng_state")
def create_rng_state(seed: Any, alg: Any) -> Any:
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
        self.reset(state if copy_from is None else copy_from.state)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """A generator whose numbers follow from `seed`: see `create_rng_state`."""
        return cls(state=_state_of_seed(seed, 3), alg=alg)

    @classmethod
    def from_state(cls, state: Any, alg: Any = None) -> Generator:
        """A generator that goes on where another one's `state` was taken."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A generator seeded by the operating system."""
        return cls(state=tuple(entropy() >> 1 for _ in range(3)), alg=alg)

    @property
    def state(self) -> Any:
        """The counter's lower and upper half, and the key, as an int64 vector."""
        whole = np.array([self._state.position, self._state.high, self._state.key], np.uint64)
        return EagerTensor(whole.view(np.int64), dtypes.int64)

    @property
    def key(self) -> Any:
        """The key of the counter-based algorithm, as an int64 scalar."""
        return self.state[2]

    @property
    def algorithm(self) -> int:
        """1: Philox."""
        return PHILOX

    def reset(self, state: Any) -> None:
        """Goes to another generator's `state`."""
        array = np.asarray(state)
        if array.shape != (3,) or array.dtype.kind not in "iuO":
            raise ValueError(f"`state` must be three integers, as `Generator.state` gives them, got {state!r}")
        low, high, key = (int(v) % 2**64 for v in array)
        with self._state.lock:
            self._state.position, self._state.high, self._state.key = low, high, key

    def reset_from_seed(self, seed: Any) -> None:
        """Starts the sequence of `seed` from its beginning."""
        self.reset(_state_of_seed(seed, 3))

    def skip(self, delta: int) -> None:
        """Leaves out as many blocks as `delta` draws of one number would take."""
        self._state.reserve(int(delta) * philox.RESERVED)

    def __inlay_save__(self) -> bytes:
        return self.state.numpy().astype("<i8").tobytes()  # type: ignore[no-any-return]

    def __inlay_restore__(self, saved: bytes) -> None:
        self.reset(np.frombuffer(saved, "<i8"))

    def _handle(self) -> EagerTensor:
        return EagerTensor(self._state, dtypes.resource)

    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32, name: str | None = None
    ) -> Any:
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

    def uniform_full_int(self, shape: Any, dtype: Any = dtypes.uint64, name: str | None = None) -> Any:
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

    def make_seeds(self, count: int = 1) -> Any:
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
    ) -> Any:
        """Normally distributed numbers; see `tf.random.normal`."""
        kind = float_type(dtype)
        return with_moments(normal_op(self._handle(), as_shape(shape), dtype=kind, name=name), mean, stddev, kind)

    def binomial(self, shape: Any, counts: Any, probs: Any, dtype: Any = dtypes.int32, name: str | None = None) -> Any:
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
    ) -> Any:
        """Normally distributed numbers within two deviations; see `tf.random.truncated_normal`."""
        kind = float_type(dtype)
        return with_moments(
            truncated_normal_op(self._handle(), as_shape(shape), dtype=kind, name=name), mean, stddev, kind
        )


_global_generator: Generator | None = None


@export("random.get_global_generator", "random.experimental.get_global_generator")
def get_global_generator() -> Generator:
    """The process's generator, made on first use."""
    global _global_generator
    if _global_generator is None:
        _global_generator = Generator.from_non_deterministic_state()
    return _global_generator


@export("random.set_global_generator", "random.experimental.set_global_generator")
def set_global_generator(generator: Generator) -> None:
    """Replaces the process's generator."""
    global _global_generator
    _global_generator = generator

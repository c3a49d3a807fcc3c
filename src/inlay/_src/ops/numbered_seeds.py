"""Seeds of NumPy's generators for calls: the user's seed, followed by the number of the call.

The op counts its executions in a state like that of a draw, so the numbers are those of the elements in functions of
datasets (see `datasets.draws`), and count the runs of a session, the calls of a function, or eager calls elsewhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.core import context
from inlay._src.core.devices.device_tensor import value_of
from inlay._src.core.eager import emit
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.graph import Graph
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import Effect, no_gradient
from inlay._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from inlay._src.ops.seeds import RandomState, state_of_counter

_WHOLE = frozenset(dtype for dtype in dtypes.ANY if dtype.is_integer and not dtype.is_quantized)


@op(
    "NumberedSeed",
    "state:resource, seed:Seed -> uint64",
    types={"Seed": _WHOLE},
    infer=lambda s: [(None,)],
    lower=REFUSES_VALUES,
    effect=Effect.RANDOM,
    vjp=no_gradient,
)
def _numbered_seed(xp: Any, state: RandomState, seed: Any) -> Any:
    """The words of a seed, followed by how often the op ran before."""
    words = _checked(np.asarray(seed)).astype(np.uint64)
    _, high, number = state.reserve(1)
    return np.append(words, np.array([number, high] if high else [number], np.uint64))


def _checked(words: np.ndarray) -> np.ndarray:
    """A seed as a vector.

    Raises:
      ValueError: if it is none.
    """
    if words.ndim > 1 or not words.size:
        raise ValueError(f"rng: the seed must be an integer or a vector of them, got shape {list(words.shape)}")
    if words.dtype.kind == "i" and words.min() < 0:
        raise ValueError(f"rng: the seed must not be negative, got {words.tolist()}")
    return words.reshape(-1)


def seed_tensor(seed: Any, api: str) -> Tensor | np.ndarray:
    """A seed as a user writes it, as integers.

    Args:
      seed: an integer; a sequence of them; a `np.random.SeedSequence`; a tensor of integers.
      api: the public name, for messages.

    Raises:
      TypeError: if it is something else, such as a generator.
      ValueError: if it is negative, has no number or more than one axis.
    """
    if isinstance(seed, (np.random.Generator, np.random.RandomState, np.random.BitGenerator)):
        raise TypeError(
            f"{api}: rng= takes a seed, of which every call gets a generator of its own, and got {seed!r}, whose "
            "numbers depend on who draws first. Draw a seed from it: rng=int(generator.integers(2**63))"
        )
    if isinstance(seed, np.random.SeedSequence):
        return seed.generate_state(4).astype(np.uint64)
    if isinstance(seed, Tensor) or hasattr(seed, "__tf_tensor__"):
        tensor = convert_to_tensor(seed)
        if tensor.dtype not in _WHOLE:
            raise TypeError(f"{api}: rng= takes integers as a seed, got {tensor!r}")
        return _checked(np.asarray(value_of(tensor))) if isinstance(tensor, EagerTensor) else tensor
    numbers = seed.reshape(-1).tolist() if isinstance(seed, np.ndarray) else seed
    numbers = list(numbers) if isinstance(numbers, (list, tuple)) else [numbers]
    if not all(isinstance(n, (int, np.integer)) and not isinstance(n, bool) for n in numbers):
        raise TypeError(
            f"{api}: rng= takes an integer, a sequence of integers, a SeedSequence or a tensor of integers as a seed, "
            f"got {seed!r}"
        )
    if not numbers or min(numbers) < 0:
        raise ValueError(f"{api}: rng= takes integers that are not negative as a seed, got {seed!r}")
    return np.array([word for n in numbers for word in _words(int(n))], np.uint64)


def _words(number: int) -> list[int]:
    """A number as NumPy's `SeedSequence` reads it: one above 64 bits is the same as its 32-bit words, lowest first."""
    if number < 2**64:
        return [number]
    return [number >> shift & 0xFFFFFFFF for shift in range(0, number.bit_length(), 32)]


def numbered(seed: Tensor | np.ndarray, graph: Graph | None) -> Tensor:
    """The seed of one call, followed by its number.

    Args:
      seed: result of `seed_tensor`.
      graph: the graph of the call; None if it runs eagerly.
    """
    graph = context.current().graph or graph or emit.graph_of([seed])
    of = None if isinstance(seed, SymbolicTensor) else tuple(np.asarray(seed).tolist())
    if graph is None:
        return _numbered_seed(state_of_counter("NumberedSeed", None, of), seed)  # type: ignore[no-any-return]
    with context.within(graph):
        return _numbered_seed(state_of_counter("NumberedSeed", graph, of), seed, name="numbered_seed")  # type: ignore[no-any-return]


def generator_of(words: Any) -> np.random.Generator:
    """The generator of a call, from the value of `numbered`: `np.random.default_rng((seed, number))`."""
    value = value_of(words) if isinstance(words, EagerTensor) else words
    return np.random.default_rng(np.asarray(value).tolist())

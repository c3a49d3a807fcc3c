"""Places in a permutation that a seed determines, computed one by one: `random.experimental.index_shuffle`.

A block cipher permutes the numbers of its block. One that falls outside of [0, max_index] is enciphered again until it
falls inside ("cycle walking"), which permutes that range. The cipher is Simon (Beaulieu et al., 2013, eprint 2013/404)
with a key of three words and few rounds; as in TensorFlow, so that the places are the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import Shapes, no_gradient
from inlay._src.core.tensor import Tensor
from inlay._src.ops.slicing import pad

INTEGERS = frozenset({dtypes.int32, dtypes.uint32, dtypes.int64, dtypes.uint64})
LEAST_BLOCK, LEAST_ROUNDS = 16, 4
_CONSTANT, _SEQUENCE = 0xFFFFFFFC, 0x7369F885192C0EF5
"""Terms of Simon's key schedule: a constant of the word's width, and one bit of a sequence in each round."""
FIRST_OF_SEED = 498247692
"""The word before the two of a public seed, as in TensorFlow."""


class _Cipher:
    """Simon with words of `width` bits."""

    def __init__(self, width: int, key: Any, rounds: int) -> None:
        self.width, self.mask = width, (1 << width) - 1
        self.keys = [int(k) & 0xFFFFFFFF & self.mask for k in key]
        for i in range(3, rounds):
            bit = (_SEQUENCE & self.mask) >> (i - 3) & 1
            last = self.keys[i - 1]
            turned = self._left(last, width - 3) ^ self._left(last, width - 4)
            self.keys.append((_CONSTANT & self.mask) ^ bit ^ self.keys[i - 3] ^ turned)

    def _left(self, word: int, places: int) -> int:
        return (word << places | word >> (self.width - places)) & self.mask

    def _mixed(self, word: int) -> int:
        return self._left(word, 1) & self._left(word, 8) ^ self._left(word, 2)

    def of(self, block: int) -> int:
        """The block that another one becomes."""
        left, right = block >> self.width & self.mask, block & self.mask
        for first, second in zip(self.keys[::2], self.keys[1::2], strict=True):
            left ^= self._mixed(right) ^ first
            right ^= self._mixed(left) ^ second
        return left << self.width | right


def _place(index: int, key: Any, greatest: int, rounds: int) -> int:
    """The place of one index.

    Raises:
      ValueError: if it is not in [0, greatest].
    """
    for value, name in ((index, "index"), (greatest, "max_index")):
        if value < 0:
            raise ValueError(f"{name} must be >= 0 but was {value}")
    if greatest < index:
        raise ValueError(f"max_index must be >= index, but {greatest} < {index}")
    if greatest == 0:
        return 0
    bits = int(np.ceil(np.log2(np.float64(greatest))))
    block = min(max(bits + bits % 2, LEAST_BLOCK), 64)
    cipher, place = _Cipher(block // 2, key, rounds), index
    while True:
        place = cipher.of(place)
        if place <= greatest:
            return place


def _infer(s: Shapes) -> list[Dims]:
    index, seed, greatest = s.dims
    for dims, name, most in ((index, "index", 1), (greatest, "max_index", 1), (seed, "seed", 2)):
        if dims is not None and len(dims) > most:
            raise ValueError(f"Shape must be at most rank {most} but is rank {len(dims)}: {name}")
    if seed is not None and (not seed or seed[-1] not in (3, None)):
        raise ValueError(f"Seed must have shape [3] or [n, 3] but got {shapes.bracketed(seed)}.")
    if index is None or seed is None or greatest is None:
        return [None]
    if len(index) == len(greatest) == 0 and len(seed) == 1:
        return [()]
    sizes = {d[0] for d in (index, greatest, seed[:-1]) if d} - {None}
    return [(sizes.pop() if len(sizes) == 1 else None,)]


@op(
    "RandomIndexShuffle",
    "index:T, seed:Seed, max_index:T -> T",
    types={"T": INTEGERS, "Seed": INTEGERS},
    infer=_infer,
    vjp=no_gradient,
    lower=REFUSES_VALUES,
)
@export("random_index_shuffle")
def random_index_shuffle(xp, index, seed, max_index, *, rounds=4):
    """The place of each index in a permutation of [0, max_index], which `seed` determines.

    Args:
      index: integers in [0, max_index], a scalar or n of them.
      seed: three integers, or three for each index, [n, 3].
      max_index: the greatest index, a scalar or n of them.
      rounds: of the cipher: an even number of at least 4.

    Returns:
      Of the type of `index`; a vector if any argument has n rows.
    """
    index, seed, greatest = np.asarray(index), np.asarray(seed), np.asarray(max_index)
    if index.ndim > 1:
        raise ValueError(f"Index must be a scalar or vector, got shape {list(index.shape)}.")
    rows = [a.shape[0] for a in (index, greatest) if a.ndim] + ([seed.shape[0]] if seed.ndim > 1 else [])
    size = max(rows, default=1)
    if seed.shape not in ((3,), (size, 3)):
        raise ValueError(
            f"Seed must be a vector of size [3] or a matrix of size [{size}, 3] but got {list(seed.shape)}."
        )
    if greatest.ndim and greatest.shape != (size,):
        raise ValueError(
            f"Maxval must be a scalar or a vector of the same size as index but got {list(greatest.shape)}"
        )
    if index.ndim and index.shape != (size,):
        raise ValueError(f"Index must be a scalar or a vector of size {size}, got {list(index.shape)}.")
    if rounds < LEAST_ROUNDS or rounds % 2:
        raise ValueError(f"rounds must be an even number of at least {LEAST_ROUNDS}, got {rounds}")
    every = np.broadcast_to(index, (size,)).tolist(), np.broadcast_to(greatest, (size,)).tolist()
    keys = np.broadcast_to(seed, (size, 3)).tolist()
    places = [_place(i, key, most, rounds) for i, most, key in zip(*every, keys, strict=True)]
    out = np.array(places, index.dtype)
    return out if rows else out.reshape(())


@export("random.experimental.index_shuffle")
def index_shuffle(index: Any, seed: Any, max_index: Any) -> Tensor:
    """The place of an index in a permutation of [0, max_index] that `seed` determines, without making the permutation.

    Args:
      index: integers in [0, max_index]: a scalar or a vector.
      seed: two integers.
      max_index: the greatest index, of the shape of `index` or a scalar.

    Returns:
      Integers of the type of `index`, different for different indices.
    """
    seed = convert_to_tensor(seed)
    before = [[1, 0]] + [[0, 0]] * ((seed.shape.rank or 1) - 1)
    return random_index_shuffle(index, pad(seed, before, constant_values=FIRST_OF_SEED), max_index)

"""Hashes of strings and rows: FarmHash's 64-bit fingerprint, MurmurHash64A and SipHash-2-4, as TensorFlow has them."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types.dtypes import DENSE
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.another_form import another_form
from inlay._src.core.eager.attributes import wholes
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import Shapes, same
from inlay._src.core.signature import AtLeast
from inlay._src.core.tensor import Tensor

_MASK = (1 << 64) - 1
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F  # FarmHash's primes


def _word(text: bytes, at: int) -> int:
    return int.from_bytes(text[at : at + 8], "little")


def _turned(value: int, by: int) -> int:
    """A 64-bit word rotated to the right."""
    value &= _MASK
    return (value >> by | value << (64 - by)) & _MASK


def _folded(value: int, by: int = 47) -> int:
    value &= _MASK
    return value ^ value >> by


def _mixed(u: int, v: int, by: int) -> int:
    a = _folded((u ^ v) * by)
    return _folded((v ^ a) * by) * by & _MASK


# ---------------------------------------------------------------- FarmHash


def _short(text: bytes) -> int:
    """The fingerprint of at most 16 bytes."""
    size = len(text)
    by = _K2 + size * 2
    if size >= 8:
        a, b = _word(text, 0) + _K2, _word(text, size - 8)
        return _mixed((_turned(b, 37) * by + a) & _MASK, ((_turned(a, 25) + b) * by) & _MASK, by)
    if size >= 4:
        first, last = (int.from_bytes(text[at : at + 4], "little") for at in (0, size - 4))
        return _mixed(size + (first << 3), last, by)
    if size:
        y, z = text[0] + (text[size >> 1] << 8), size + (text[-1] << 2)
        return _folded(y * _K2 ^ z * _K0) * _K2 & _MASK
    return _K2


def _medium(text: bytes) -> int:
    """The fingerprint of 17 to 64 bytes."""
    size = len(text)
    by = _K2 + size * 2
    first, c, d = _K1 if size <= 32 else _K2, _word(text, size - 8) * by, _word(text, size - 16) * _K2
    a, b = _word(text, 0) * first & _MASK, _word(text, 8)
    y = (_turned(a + b, 43) + _turned(c, 30) + d) & _MASK
    z = _mixed(y, (a + _turned(b + _K2, 18) + c) & _MASK, by)
    if size <= 32:
        return z
    e, f = _word(text, 16) * by & _MASK, _word(text, 24)
    g, h = (y + _word(text, size - 32)) * by, (z + _word(text, size - 24)) * by
    return _mixed((_turned(e + f, 43) + _turned(g, 30) + h) & _MASK, (e + _turned(f + a, 18) + g) & _MASK, by)


class _Long:
    """The state of the fingerprint of more than 64 bytes, which takes 64 bytes at a time."""

    def __init__(self, text: bytes) -> None:
        seed = 81
        self.text = text
        self.x, self.y = (seed * _K2 + _word(text, 0)) & _MASK, (seed * _K1 + 113) & _MASK
        self.z = _folded(self.y * _K2 + 113) * _K2 & _MASK
        self.v, self.w = (0, 0), (0, 0)

    def _pair(self, at: int, a: int, b: int) -> tuple[int, int]:
        w, x, y, z = (_word(self.text, at + 8 * i) for i in range(4))
        a += w
        b = _turned(b + a + z, 21)
        c, a = a, a + x + y
        return (a + z) & _MASK, (b + _turned(a, 44) + c) & _MASK

    def take(self, at: int, by: int, factor: int) -> None:
        """Takes the 64 bytes from `at` on; `by` and `factor` differ for the last ones."""
        text, v, w = self.text, self.v, self.w
        x = _turned(self.x + self.y + v[0] + _word(text, at + 8), 37) * by & _MASK
        y = _turned(self.y + v[1] + _word(text, at + 48), 42) * by & _MASK
        x ^= w[1] * factor & _MASK
        y = (y + v[0] * factor + _word(text, at + 40)) & _MASK
        z = _turned(self.z + w[0], 33) * by & _MASK
        self.v = self._pair(at, v[1] * by, x + w[0])
        self.w = self._pair(at + 32, z + w[1], y + _word(text, at + 16))
        self.x, self.y, self.z = z, y, x

    def end(self) -> int:
        size = len(self.text)
        for at in range(0, (size - 1) // 64 * 64, 64):
            self.take(at, _K1, 1)
        by = _K1 + ((self.z & 0xFF) << 1)
        w = (self.w[0] + ((size - 1) & 63)) & _MASK
        v = (self.v[0] + w) & _MASK
        self.v, self.w = (v, self.v[1]), ((w + v) & _MASK, self.w[1])
        self.take(size - 64, by, 9)
        v, w = self.v, self.w  # type: ignore[assignment]
        one = (_mixed(v[0], w[0], by) + _folded(self.y) * _K0 + self.z) & _MASK  # type: ignore[index]
        return _mixed(one, (_mixed(v[1], w[1], by) + self.x) & _MASK, by)  # type: ignore[index]


def farm(text: bytes) -> int:
    """FarmHash's 64-bit fingerprint."""
    return _short(text) if len(text) <= 16 else _medium(text) if len(text) <= 64 else _Long(text).end()


# ---------------------------------------------------------------- MurmurHash64A and SipHash


def murmur(text: bytes) -> int:
    """MurmurHash64A with TensorFlow's seed."""
    by, whole = 0xC6A4A7935BD1E995, len(text) // 8 * 8
    h = 0xDECAFCAFFE ^ (len(text) * by & _MASK)
    for at in range(0, whole, 8):
        h = (h ^ _folded(_word(text, at) * by) * by & _MASK) * by & _MASK
    if whole < len(text):
        h = (h ^ _word(text, whole)) * by & _MASK
    return _folded(_folded(h) * by)


def _round(a: int, b: int, c: int, d: int) -> tuple[int, int, int, int]:
    a, c = (a + b) & _MASK, (c + d) & _MASK
    b, d = _turned(b, 51) ^ a, _turned(d, 48) ^ c
    a, c = (_turned(a, 32) + d) & _MASK, (c + b) & _MASK
    return a, _turned(b, 47) ^ c, _turned(c, 32), _turned(d, 43) ^ a


def sip(text: bytes, key: Sequence[int]) -> int:
    """SipHash-2-4 with a key of two words."""
    k, m = [int(word) & _MASK for word in key], b"somepseudorandomlygeneratedbytes"
    v = tuple(int.from_bytes(m[8 * i : 8 * i + 8], "big") ^ k[i % 2] for i in range(4))
    size = len(text)
    padded = text + bytes(7 - size % 8) + bytes([size & 0xFF])
    for (word,) in struct.iter_unpack("<Q", padded):
        v = _round(*_round(v[0], v[1], v[2], v[3] ^ word))
        v = (v[0] ^ word, *v[1:])
    v = (v[0], v[1], v[2] ^ 0xFF, v[3])
    for _ in range(4):
        v = _round(*v)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


# ---------------------------------------------------------------- buckets


_LEAST = {"num_buckets": AtLeast(1)}


def _buckets(input: Any, hashed: Callable[[bytes], int], num_buckets: int) -> np.ndarray:
    flat = [hashed(text) % num_buckets for text in np.asarray(input).reshape(-1).tolist()]
    return np.asarray(flat, np.int64).reshape(np.shape(input))


@op("StringToHashBucketFast", "input:string -> int64", infer=same, attrs=_LEAST)
@export("strings.to_hash_bucket_fast", "string_to_hash_bucket_fast")
def to_hash_bucket_fast(xp, input, *, num_buckets: int):
    """A number below `num_buckets` for each string, by its FarmHash fingerprint: the same everywhere and always.

    Args:
      input: strings.
      num_buckets: number of buckets.
    """
    return _buckets(input, farm, num_buckets)


@op("StringToHashBucketStrong", "input:string -> int64", infer=same, attrs=_LEAST)
def _to_hash_bucket_strong(xp, input, *, num_buckets: int, key):
    """Strings hashed by SipHash."""
    if len(key) != 2:
        raise ValueError(f"Key must have 2 elements, got {list(key)}")
    return _buckets(input, lambda text: sip(text, key), num_buckets)


@export("strings.to_hash_bucket_strong", "string_to_hash_bucket_strong")
def to_hash_bucket_strong(input: Any, num_buckets: int, key: Any, name: str | None = None) -> Tensor:
    """A number below `num_buckets` for each string, which nobody without the key can foretell (SipHash).

    Args:
      input: strings.
      num_buckets: number of buckets.
      key: a list of two integers.
      name: the node's name.

    Raises:
      TypeError: for a key that is no list of integers.
    """
    if not isinstance(key, (list, tuple)):
        raise TypeError(f"Expected list for 'key' argument to 'string_to_hash_bucket_strong' Op, not {key!r}.")
    return _to_hash_bucket_strong(input, num_buckets=num_buckets, key=wholes(key, "key"), name=name)


@op("StringToHashBucket", "string_tensor:string -> int64", infer=same, attrs=_LEAST)
def _to_hash_bucket(xp, string_tensor, *, num_buckets: int):
    """Strings hashed as the first versions did."""
    return _buckets(string_tensor, murmur, num_buckets)


@export("strings.to_hash_bucket")
def to_hash_bucket(input: Any, num_buckets: int, name: str | None = None) -> Tensor:
    """A number below `num_buckets` for each string; `to_hash_bucket_fast` spreads them better.

    Args:
      input: strings.
      num_buckets: number of buckets.
      name: the node's name.
    """
    return _to_hash_bucket(input, num_buckets=num_buckets, name=name)


to_hash_bucket_v1: Any = export("compat.v1.string_to_hash_bucket", "compat.v1.strings.to_hash_bucket")(
    another_form(
        to_hash_bucket,
        "string_tensor=None, num_buckets=None, name=None, input=None",
        "string_to_hash_bucket",
        string_tensor="input",
    )
)

# ---------------------------------------------------------------- fingerprints


def _fingerprint_infer(s: Shapes) -> list[Dims]:
    return [(None if s.dims[0] is None else s.dims[0][0], 8)]


@op("Fingerprint", "data:T, method:string -> uint8", types=DENSE, infer=_fingerprint_infer, ranks={"method": 0})
def _fingerprint(xp, data, method):
    """Eight bytes for each row."""
    if not np.ndim(data):
        raise ValueError("Data must have at least one dimension.")
    if np.asarray(method)[()] != b"farmhash64":
        raise ValueError(f"Unsupported fingerprint method: {np.asarray(method)[()]!r}")
    rows = np.asarray(data).reshape(len(data), -1) if len(data) else np.asarray(data)
    if rows.dtype == object and len(rows) and rows.shape[1] != 1:
        texts = [b"".join(_packed(text) for text in row) for row in rows.tolist()]
    else:
        texts = [row[0] if rows.dtype == object else row.tobytes() for row in rows]
    return np.frombuffer(b"".join(map(_packed, texts)), np.uint8).reshape(-1, 8)


def _packed(text: bytes) -> bytes:
    return farm(text).to_bytes(8, "little")


@export("fingerprint")
def fingerprint(data: Any, method: Any = "farmhash64", name: str | None = None) -> Tensor:
    """Eight bytes, uint8, for each entry along the first axis; equal entries have equal ones on every machine.

    Args:
      data: a tensor of rank 1 at least.
      method: "farmhash64".
      name: the node's name.
    """
    return _fingerprint(data, method, name=name)

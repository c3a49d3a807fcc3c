"""Many serialized `Example`s read feature by feature, without a message for each.

Protobuf's parser reads a field `repeated bytes` as a list in one call, and strings laid end to end are one message. So
two calls cut all examples of a batch into entries, each a key and a `Feature`. The positions of all entries are arrays,
one row for each key, and the tags and lengths inside are compared for all of them at once:

    the examples, end to end    ->  their `Features`
    the `Features`, end to end  ->  their entries: key 12 LENGTH kind LENGTH 0A LENGTH numbers, or one string

Only the canonical form is read: that of protobuf's own writers. Every length is compared, so that bytes in any other
form, malformed ones among them, are left to the messages, which also know the errors.

Format: https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType

_FIRST, _SECOND = 0x0A, 0x12
"""Tags of the first and the second field of a message, where they have a length."""

_TAGS = {dtypes.string: 0x0A, dtypes.float32: 0x12, dtypes.int64: 0x1A}
"""The types that features have -> the tag of the list in a `Feature`."""

_GATHERED = 8
"""Bytes of a value up to which indices collect it faster than slices."""


class FeatureColumn(NamedTuple):
    """A feature of several examples.

    Attributes:
      values: the numbers or strings of all examples.
      counts: the number of values of each example, int64.
    """

    values: np.ndarray
    counts: np.ndarray


class _Entries(NamedTuple):
    """The entries of examples.

    Attributes:
      text: the `Features` of the examples, end to end.
      rows: beginning of an entry, which is its key -> its row in the arrays.
      starts, sizes: of the entries [key, example]; an example without the key has the size 0.
    """

    text: bytes
    rows: dict[bytes, int]
    starts: np.ndarray
    sizes: np.ndarray


def columns_of(texts: Sequence[Any], wanted: Sequence[tuple[str, DType]]) -> list[FeatureColumn] | None:
    """The features of serialized examples.

    Args:
      texts: the examples.
      wanted: key and type of each feature that is read.

    Returns:
      A column for each; None if the examples are few, long or not in the canonical form, or have another type.
    """
    values = len(texts) * len(wanted)
    if values < TUNING.example_columns_values or set(map(type, texts)) != {bytes}:
        return None
    joined = b"".join(texts)
    if len(joined) > TUNING.example_value_bytes * values:
        return None
    try:
        return _columns(texts, joined, wanted)
    except ValueError:  # no canonical form; if it is none at all, the messages say which example
        return None


def _columns(texts: Sequence[bytes], joined: bytes, wanted: Sequence[tuple[str, DType]]) -> list[FeatureColumn]:
    prefixes = [_prefix(key) for key, _ in wanted]
    entries = _entries(texts, joined, set(prefixes))
    there = [i for i, prefix in enumerate(prefixes) if prefix in entries.rows]
    columns = [FeatureColumn(np.empty(0, kind.np), np.zeros(len(texts), np.int64)) for _, kind in wanted]
    if there:
        values = _values(entries, [prefixes[i] for i in there], [wanted[i][1] for i in there])
        for i, column in zip(there, values, strict=True):
            columns[i] = column
    return columns


# ---------------------------------------------------------------- entries


def _entries(texts: Sequence[bytes], joined: bytes, wanted: set[bytes]) -> _Entries:
    """The entries of examples."""
    from inlay._src.base.protos import example, schema

    features = _strings(joined)
    lengths = _sizes(features)
    _ensure(len(features) == len(texts) and np.array_equal(_framed(lengths), _sizes(texts)))
    text = b"".join(features)
    parts = _strings(text)
    sizes = _sizes(parts)
    framed = _framed(sizes)
    starts = np.cumsum(framed) - sizes
    columns = _in_one_order(text, parts, starts, sizes, framed, lengths)
    certain = columns is not None and columns.rows.keys() <= wanted
    if columns is None:
        columns = _in_any_order(text, parts, starts, sizes, _counts(framed, lengths))
    if not certain:  # the entries that nobody reads must be well formed too
        schema.parsed(example.Features, text)
    return columns


def _in_one_order(
    text: bytes, parts: Sequence[bytes], starts: np.ndarray, sizes: np.ndarray, framed: np.ndarray, lengths: np.ndarray
) -> _Entries | None:
    """The entries if every example has the same keys in the same order."""
    count = len(lengths)
    each = len(parts) // count
    if each * count != len(parts) or not np.array_equal(framed.reshape(count, each).sum(axis=1), lengths):
        return None
    rows: dict[bytes, int] = {}
    for i in range(each):
        prefix = _prefix_of(parts[i])
        if rows.setdefault(prefix, i) != i or not all(map(bytes.startswith, parts[i::each], repeat(prefix))):
            return None
    return _Entries(text, rows, starts.reshape(count, each).T, sizes.reshape(count, each).T)


def _in_any_order(
    text: bytes, parts: Sequence[bytes], starts: np.ndarray, sizes: np.ndarray, counts: np.ndarray
) -> _Entries:
    """The entries by key; of two with one key in an example the last counts, as in a map of protobuf's."""
    rows: dict[bytes, int] = {}
    row = [rows.setdefault(_prefix_of(part), len(rows)) for part in parts]
    where = row, np.repeat(np.arange(len(counts)), counts)
    arrays = np.zeros((2, len(rows), len(counts)), np.int64)
    for i in range(len(parts)):
        arrays[0, where[0][i], where[1][i]] = starts[i]
        arrays[1, where[0][i], where[1][i]] = sizes[i]
    return _Entries(text, rows, *arrays)


@functools.lru_cache(4096)
def _prefix(name: str) -> bytes:
    """The beginning of an entry: the key, and the tag of the value."""
    key = name.encode("utf-8", "surrogatepass")
    _ensure(len(key) < 128)
    return bytes([_FIRST, len(key)]) + key + bytes([_SECOND])


def _prefix_of(entry: bytes) -> bytes:
    """The beginning of an entry with a short key."""
    end = entry[1] + 2 if len(entry) > 2 else len(entry)
    _ensure(end < len(entry) and entry[0] == _FIRST and entry[1] < 128 and entry[end] == _SECOND)
    return entry[: end + 1]


# ---------------------------------------------------------------- values


class _Contents:
    """Positions in a text, of all entries of some keys: their tags and lengths are read from outside to inside.

    Attributes:
      starts, sizes: where the contents are that were reached, int64 [key, example].
    """

    def __init__(self, text: bytes, starts: np.ndarray, sizes: np.ndarray) -> None:
        self._bytes = np.frombuffer(text, np.uint8)
        self.starts, self.sizes = starts, sizes

    def enter(self, tag: Any) -> np.ndarray:
        """Whether each content is empty, or a field with a tag and a length that fills it; the field's content follows.

        Args:
          tag: of the field; an array if it differs from key to key.
        """
        starts, sizes = self.starts, self.sizes
        if sizes.max(initial=0) < 130:  # every length is one byte
            length, passed = sizes - 2, 2
            right = self._at(starts + 1) == length
        else:
            length, passed, right = self._long(starts + 1, sizes - 1)
        right &= self._at(starts) == tag
        right |= sizes == 0
        self.starts, self.sizes = starts + passed, np.maximum(length, 0)
        return right

    def _long(self, starts: np.ndarray, sizes: np.ndarray) -> tuple[Any, Any, Any]:
        """(lengths, bytes of these and their tags, whether they fill their places) of fields of any size."""
        length = sizes - 1
        for digits, least in enumerate((1 << 7, 1 << 14, 1 << 21, 1 << 28), 2):
            length = np.where(length >= least, sizes - digits, length)
        digits = sizes - length
        right = (length >= 0) & (_framed(length) - 1 == sizes)
        for digit in range(int(digits.max(initial=0))):
            byte = length >> 7 * digit & 127 | (digit + 1 < digits) << 7
            right &= (self._at(starts + digit) == byte) | (digit >= digits)
        return length, digits + 1, right

    def numbers(self) -> tuple[np.ndarray, np.ndarray]:
        """(values, whether each is one) of contents that are one number of 7 bits a byte."""
        sizes, digits = self.sizes, int(self.sizes.max(initial=0))
        byte = self._at(self.starts)
        value, right = (byte & 127).astype(np.uint64), (sizes > 0) & (sizes <= 10) & ((byte > 127) == (sizes > 1))
        for digit in range(1, min(digits, 10)):
            byte, inside = self._at(self.starts + digit), digit < sizes
            right &= ((byte > 127) == (digit + 1 < sizes)) | ~inside
            value |= ((byte & 127) * inside).astype(np.uint64) << np.uint64(7 * digit)
        return value.view(np.int64), right

    def _at(self, places: np.ndarray) -> np.ndarray:
        return self._bytes.take(places, mode="clip")


def _values(entries: _Entries, prefixes: Sequence[bytes], kinds: Sequence[DType]) -> list[FeatureColumn]:
    """The columns of some keys."""
    text, rows = entries.text, [entries.rows[prefix] for prefix in prefixes]
    starts, sizes = entries.starts[rows], entries.sizes[rows]
    passed = np.array([[len(prefix) - 1] for prefix in prefixes])  # all but the tag of the value
    contents = _Contents(text, starts + passed, np.maximum(sizes - passed, 0))
    right: Any = contents.enter(_SECOND)
    right &= contents.enter(np.array([[_TAGS[kind]] for kind in kinds]))
    _ensure(right.all())
    lists = contents.starts, contents.sizes
    right = contents.enter(_FIRST)
    single: list[bool] = right.all(axis=1).tolist()
    starts, sizes = contents.starts, contents.sizes
    integers = [i for i, kind in enumerate(kinds) if kind is dtypes.int64]
    of_one: dict[int, tuple[np.ndarray, bool]] = {}
    if integers:
        numbers, right = _Contents(text, starts[integers], sizes[integers]).numbers()
        of_one = dict(zip(integers, zip(numbers, right.all(axis=1).tolist(), strict=True), strict=True))
    columns = []
    for i, kind in enumerate(kinds):
        if kind is dtypes.string:
            if single[i]:
                columns.append(_single_strings(text, starts[i], sizes[i], lists[1][i] > 0))
            else:
                columns.append(_several_strings(text, lists[0][i], lists[1][i]))
            continue
        _ensure(single[i])
        if kind is dtypes.float32:
            columns.append(_floats(text, starts[i], sizes[i]))
        elif of_one[i][1]:
            columns.append(FeatureColumn(of_one[i][0], np.ones(starts.shape[1], np.int64)))
        else:
            columns.append(_several_integers(text, starts[i], sizes[i]))
    return columns


def _floats(text: bytes, starts: np.ndarray, sizes: np.ndarray) -> FeatureColumn:
    _ensure(not (sizes & 3).any())
    size = int(sizes[0])
    if size <= _GATHERED and (sizes == size).all():
        joined = np.frombuffer(text, np.uint8)[starts[:, None] + np.arange(size)]
    else:
        joined = np.frombuffer(b"".join(_parts(text, starts, sizes)), np.uint8)
    return FeatureColumn(joined.reshape(-1).view("<f4").astype(np.float32, copy=False), sizes // 4)


def _several_integers(text: bytes, starts: np.ndarray, sizes: np.ndarray) -> FeatureColumn:
    """Lists of numbers: the last byte of each is the one below 128."""
    from inlay._src.base.protos import example, schema

    joined = b"".join(_parts(text, starts, sizes))
    last = np.frombuffer(joined, np.uint8) < 128
    ends = np.cumsum(sizes)
    _ensure(last[ends[sizes > 0] - 1].all())
    before = np.concatenate([[0], np.cumsum(last)])
    message = schema.parsed(example.Int64List, bytes([_FIRST]) + _varint(len(joined)) + joined)
    return FeatureColumn(np.fromiter(message.value, np.int64, int(before[-1])), before[ends] - before[ends - sizes])


def _single_strings(text: bytes, starts: np.ndarray, sizes: np.ndarray, there: np.ndarray) -> FeatureColumn:
    parts = _parts(text, starts[there], sizes[there])
    values = np.empty(len(parts), object)
    values[:] = parts
    return FeatureColumn(values, there.astype(np.int64))


def _several_strings(text: bytes, starts: np.ndarray, sizes: np.ndarray) -> FeatureColumn:
    """Lists of strings."""
    strings = _strings(b"".join(_parts(text, starts, sizes)))
    values = np.empty(len(strings), object)
    values[:] = strings
    return FeatureColumn(values, _counts(_framed(_sizes(strings)), sizes))


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def _parts(text: bytes, starts: np.ndarray, sizes: np.ndarray) -> list[bytes]:
    return [text[start:end] for start, end in zip(starts.tolist(), (starts + sizes).tolist(), strict=True)]


def _strings(joined: bytes) -> list[bytes]:
    """The strings of the first field of a message."""
    from inlay._src.base.protos import example, schema

    return schema.parsed(example.BytesList, joined).value[:]  # type: ignore[no-any-return]


def _sizes(strings: Sequence[bytes]) -> np.ndarray:
    return np.fromiter(map(len, strings), np.int64, len(strings))


def _framed(lengths: np.ndarray) -> np.ndarray:
    """The sizes of strings together with their tags and lengths."""
    whole = lengths + 2
    if lengths.max(initial=0) > 127:
        for bits in (7, 14, 21, 28):
            whole += lengths >> bits > 0
    return whole


def _counts(sizes: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The number of pieces, of some sizes, in each of several strings.

    Raises:
      ValueError: if they do not.
    """
    ends = np.concatenate([[0], np.cumsum(sizes)])
    wanted = np.cumsum(lengths)
    places = np.searchsorted(ends, wanted)
    _ensure(ends[-1] == wanted[-1] and np.array_equal(ends[places], wanted))
    return np.diff(places, prepend=0)


def _ensure(canonical: Any) -> None:
    """Leaves bytes in another form to the messages.

    Raises:
      ValueError: if they are in another form.
    """
    if not canonical:
        raise ValueError("not in the canonical form")

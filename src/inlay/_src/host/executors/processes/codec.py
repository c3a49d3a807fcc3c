"""The codec of plain values: scalars, small arrays and tensors, and lists, tuples and dictionaries of them.

`pickle` takes several times as long for an array of a few numbers. A stream is what `marshal` writes of the encoded
value; its first byte is never that of a pickle.

value                                         encoded
None, bool, int, float, complex, str, bytes   the value
list, dict with text as keys                  the same of encoded values
tuple                                         (0, *encoded values)
array in C order                              (1, number of the dtype, shape, bytes)
NumPy scalar                                  (2, number of the dtype, bytes)
eager tensor                                  (3, encoded value)

Everything else is not plain: subclasses, other dtypes, large arrays, and structures that hold one object twice, since
the receiver would get two.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterable
from typing import Any

import numpy as np

from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes
from inlay._src.core.tensor import EagerTensor

PICKLED = 0x80
"""The first byte of a pickle."""
_TUPLE, _ARRAY, _SCALAR, _TENSOR = range(4)
_ATOMS = frozenset({type(None), bool, int, float, complex, str, bytes})
_DTYPES = tuple([d for d in dtypes.FROM_NUMPY if d != np.dtype(object)])
_NUMBERS = {id(d): number for number, d in enumerate(_DTYPES)}  # by identity: an equal dtype may have metadata
_SCALARS = frozenset([d.type for d in _DTYPES])
_TENSOR_DTYPES = tuple([dtypes.FROM_NUMPY[d] for d in _DTYPES])
_DEEPEST = 8  # nested containers; a list that contains itself is deeper than any


class NotPlain(Exception):
    """A value that the codec does not encode."""


def dumps(value: Any) -> bytes:
    """The stream of a value.

    Raises:
      NotPlain: if it has none.
    """
    objects: list[int] = []
    encoded = _encoded(value, objects, 0)
    if len(objects) > 1 and len(set(objects)) < len(objects):
        raise NotPlain
    try:
        return marshal.dumps(encoded)
    except ValueError:
        raise NotPlain from None


def loads(stream: Any) -> Any:
    """The value of a stream; its arrays own their memory, and are writable."""
    return _decoded(marshal.loads(stream))


def _encoded(value: Any, objects: list[int], depth: int) -> Any:
    """The encoded form of a value; `objects` receives the identities of its mutable parts."""
    kind = value.__class__
    if kind in _ATOMS:
        return value
    if kind is np.ndarray:
        return _encoded_all((value,), objects, depth)[0]
    if kind in _SCALARS:
        return _SCALAR, _NUMBERS[id(value.dtype)], value.tobytes()
    if kind is EagerTensor:
        encoded = _encoded(value._value, objects, depth)
        if encoded.__class__ is not tuple or _TENSOR_DTYPES[encoded[1]] is not value._dtype:
            raise NotPlain
        objects.append(id(value))
        return _TENSOR, encoded
    if depth == _DEEPEST:
        raise NotPlain
    depth += 1
    if kind is tuple:
        return _TUPLE, *_encoded_all(value, objects, depth)
    if kind is not list and kind is not dict:
        raise NotPlain
    objects.append(id(value))
    if not value:
        return value
    if kind is list:
        return _encoded_all(value, objects, depth)
    if all([name.__class__ is str for name in value]):
        return dict(zip(value, _encoded_all(value.values(), objects, depth), strict=True))
    raise NotPlain


def _encoded_all(values: Iterable[Any], objects: list[int], depth: int) -> list[Any]:
    """The encoded forms of values, in one call for atoms and arrays."""
    out: list[Any] = []
    for value in values:
        kind = value.__class__
        if kind in _ATOMS:
            out.append(value)
        elif kind is np.ndarray:
            number = _NUMBERS.get(id(value.dtype))
            if number is None or value.nbytes >= TUNING.sent_array_bytes or not value.flags.c_contiguous:
                raise NotPlain
            objects.append(id(value))
            out.append((_ARRAY, number, value.shape, value.tobytes()))
        else:
            out.append(_encoded(value, objects, depth))
    return out


def _decoded_all(encoded: Iterable[Any]) -> list[Any]:
    """The values of encoded forms, in one call for atoms and arrays."""
    out: list[Any] = []
    for each in encoded:
        kind = each.__class__
        if kind in _ATOMS:
            out.append(each)
        elif kind is tuple and each[0] == _ARRAY:
            out.append(np.ndarray(each[2], _DTYPES[each[1]], each[3]).copy())
        else:
            out.append(_decoded(each))
    return out


def _decoded(encoded: Any) -> Any:
    kind = encoded.__class__
    if kind is tuple:
        tag = encoded[0]
        if tag == _ARRAY:
            return _decoded_all((encoded,))[0]
        if tag == _TUPLE:
            return tuple(_decoded_all(encoded[1:]))
        if tag == _SCALAR:
            return np.ndarray((), _DTYPES[encoded[1]], encoded[2])[()]
        value = encoded[1]
        return EagerTensor(_decoded(value), _TENSOR_DTYPES[value[1]])
    if kind is list:
        return _decoded_all(encoded)
    if kind is dict:
        return dict(zip(encoded, _decoded_all(encoded.values()), strict=True)) if encoded else encoded
    return encoded

"""Positions of iterations as bytes, for checkpoints.

JSON, in which what it lacks is an object with one key: `{"array": [dtype, shape, base64]}`, `{"scalar": [dtype,
base64]}`, `{"strings": [shape, [base64, ...]]}`, `{"bytes": base64}`, `{"tuple": [...]}`, `{"dict": [[key, value],
...]}`, and for a dataset that is an element `{"dataset": [element, ...]}`.
"""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

from inlay import errors
from inlay.datasets.spec import Bound
from inlay.datasets.spec import held as held_elements
from inlay.files.damage import guarded
from inlay.types import dtypes

FORMAT = 2


def to_bytes(state: Any) -> bytes:
    """A position as bytes.

    Raises:
      UnimplementedError: if something in it is neither number, text, array nor container of these.
    """
    return json.dumps({"format": FORMAT, "state": _written(state)}, separators=(",", ":")).encode()


def from_bytes(data: bytes) -> Any:
    """The position that `to_bytes` wrote.

    Raises:
      DataLossError: if it is damaged, or of a later version.
    """
    with guarded("The position of an iterator"):
        found = json.loads(data)
        if found["format"] != FORMAT:
            raise ValueError(f"format {found['format']!r}, expected {FORMAT}")
        return _read(found["state"])


def _written(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)) and not isinstance(value, np.generic):
        return value
    if isinstance(value, list):
        return [_written(part) for part in value]
    if isinstance(value, tuple):
        return {"tuple": [_written(part) for part in value]}
    if isinstance(value, dict):
        return {"dict": [[_written(key), _written(part)] for key, part in value.items()]}
    if isinstance(value, bytes):
        return {"bytes": _text(value)}
    if isinstance(value, np.ndarray) and value.dtype.kind in "OS":
        return {"strings": [list(value.shape), [_text(bytes(part)) for part in value.ravel().tolist()]]}
    if isinstance(value, (np.ndarray, np.generic)):
        kind, data = dtypes.as_dtype(value.dtype).name, _text(np.ascontiguousarray(value).tobytes())
        return {"array": [kind, list(value.shape), data]} if isinstance(value, np.ndarray) else {"scalar": [kind, data]}
    if isinstance(value, Bound) and value.elements is not None:
        return {"dataset": [_written(list(element)) for element in value.elements]}
    raise errors.UnimplementedError(
        None, None, f"a position that holds a {type(value).__name__} cannot be saved: only numbers and arrays can"
    )


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _read(value: Any) -> Any:
    if isinstance(value, list):
        return [_read(part) for part in value]
    if not isinstance(value, dict):
        return value
    ((kind, held),) = value.items()
    if kind == "tuple":
        return tuple([_read(part) for part in held])
    if kind == "dict":
        return {_read(key): _read(part) for key, part in held}
    if kind == "dataset":
        return held_elements([_read(element) for element in held])
    if kind == "bytes":
        return base64.b64decode(held)
    if kind == "strings":
        shape, parts = held
        out = np.empty(len(parts), object)
        out[:] = [base64.b64decode(part) for part in parts]
        return out.reshape(shape)
    if kind == "scalar":
        return np.frombuffer(base64.b64decode(held[1]), dtypes.as_dtype(held[0]).as_numpy_dtype)[0]
    name, shape, data = held
    return np.frombuffer(base64.b64decode(data), dtypes.as_dtype(name).as_numpy_dtype).reshape(shape).copy()

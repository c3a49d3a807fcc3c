"""Positions of iterations as bytes, for checkpoints.

JSON, in which what it lacks is an object with one key: `{"array": [dtype, shape, base64]}`, `{"scalar": [dtype,
base64]}`, `{"strings": [shape, [base64, ...]]}`, `{"bytes": base64}`, `{"tuple": [...]}`, `{"dict": [[key, value],
...]}`, for a dataset that is an element `{"dataset": [element, ...]}` if its elements are there, and otherwise
`{"bound": [number, [value, ...]]}`: its number among the datasets within the iterated one, and the values that it uses;
for an array of datasets `{"datasets": [shape, [dataset, ...]]}`; for the memory of a cache and for seeds that it uses
`{"memory": state}` and `{"seeds": state}`, null before there are elements or seeds.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from inlay._src.base import errors
from inlay._src.base.files.damage import guarded
from inlay._src.base.types import dtypes
from inlay._src.data.node import Iteration, Node
from inlay._src.data.options import Options
from inlay._src.data.spec import Bound, GivenNode
from inlay._src.data.spec import held as held_elements

FORMAT = 3


class _InPositions(Protocol):
    def state(self) -> Any: ...
    @classmethod
    def at(cls, state: Any) -> Any: ...


K = TypeVar("K", bound=type[_InPositions])
_KIND_OF: dict[type, str] = {}
_OF_KIND: dict[str, type[_InPositions]] = {}


def in_positions(kind: str) -> Callable[[K], K]:
    """Class decorator: an object that a dataset uses in one run of its graph is saved in positions.

    Args:
      kind: the key of such objects. `state()` gives one as a nest of numbers, strings, bytes and arrays, and the class
        method `at(state)` makes it again.
    """

    def declared(cls: K) -> K:
        _KIND_OF[cls], _OF_KIND[kind] = kind, cls
        return cls

    return declared


def to_bytes(state: Any, nodes: Sequence[Node] = ()) -> bytes:
    """A position as bytes.

    Args:
      state: the position.
      nodes: the datasets that an element may be.

    Raises:
      UnimplementedError: if something in it is neither number, text, array, such a dataset nor container of these.
    """
    numbers = {id(node): number for number, node in enumerate(nodes)}
    return json.dumps({"format": FORMAT, "state": _written(state, numbers)}, separators=(",", ":")).encode()


def from_bytes(data: bytes, nodes: Sequence[Node] = (), options: Options | None = None) -> Any:
    """The position that `to_bytes` wrote.

    Args:
      data: the bytes.
      nodes: the datasets that an element may be, in the same order.
      options: their execution.

    Raises:
      DataLossError: if it is damaged, or of a later version.
    """
    with guarded("The position of an iterator"):
        message = json.loads(data)
        version = message.get("format") if isinstance(message, dict) else None
        if version != FORMAT:
            raise ValueError(f"format {version!r}, expected {FORMAT}")
        return _read(message["state"], nodes, options or Options())


def _written(value: Any, numbers: Mapping[int, int]) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)) and not isinstance(value, np.generic):
        return value
    if isinstance(value, list):
        return [_written(part, numbers) for part in value]
    if isinstance(value, tuple):
        return {"tuple": [_written(part, numbers) for part in value]}
    if isinstance(value, dict):
        return {"dict": [[_written(key, numbers), _written(part, numbers)] for key, part in value.items()]}
    if isinstance(value, bytes):
        return {"bytes": _text(value)}
    if isinstance(value, np.ndarray) and value.size and isinstance(value.flat[0], Bound):
        return {"datasets": [list(value.shape), [_written(part, numbers) for part in value.ravel()]]}
    if isinstance(value, np.ndarray) and value.dtype.kind in "OS":
        return {"strings": [list(value.shape), [_text(bytes(part)) for part in value.ravel().tolist()]]}
    if isinstance(value, (np.ndarray, np.generic)):
        kind, data = dtypes.as_dtype(value.dtype).name, _text(np.ascontiguousarray(value).tobytes())
        return {"array": [kind, list(value.shape), data]} if isinstance(value, np.ndarray) else {"scalar": [kind, data]}
    if isinstance(value, Bound) and value.elements is not None:
        return {"dataset": [_written(list(element), numbers) for element in value.elements]}
    if isinstance(value, Bound) and isinstance(value.node, GivenNode):
        return _written(value.iteration.value(value.node.tensors[0]), numbers)
    if isinstance(value, Bound) and id(value.node) in numbers:
        used = [value.iteration.value(tensor) for tensor in value.node.used()]
        return {"bound": [numbers[id(value.node)], _written(used, numbers)]}
    if (held := _KIND_OF.get(type(value))) is not None:
        return {held: _written(value.state(), numbers)}
    raise errors.UnimplementedError(
        None,
        None,
        f"a position that holds a {type(value).__name__} cannot be saved: only numbers, arrays and datasets that the "
        "iterated one makes can",
    )


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _read(value: Any, nodes: Sequence[Node], options: Options) -> Any:
    if isinstance(value, list):
        return [_read(part, nodes, options) for part in value]
    if not isinstance(value, dict):
        return value
    ((kind, held),) = value.items()
    if kind == "tuple":
        return tuple([_read(part, nodes, options) for part in held])
    if kind == "dict":
        return {_read(key, nodes, options): _read(part, nodes, options) for key, part in held}
    if kind == "dataset":
        return held_elements([_read(element, nodes, options) for element in held])
    if kind == "bound":
        node, used = nodes[held[0]], _read(held[1], nodes, options)
        return Bound(node, Iteration(options, dict(zip(map(id, node.used()), used, strict=True))))
    if kind in _OF_KIND:
        return _OF_KIND[kind].at(_read(held, nodes, options))
    if kind == "bytes":
        return base64.b64decode(held)
    if kind in ("strings", "datasets"):
        shape, parts = held
        out = np.empty(len(parts), object)
        out[:] = [base64.b64decode(part) if kind == "strings" else _read(part, nodes, options) for part in parts]
        return out.reshape(shape)
    if kind == "scalar":
        return np.frombuffer(base64.b64decode(held[1]), dtypes.as_dtype(held[0]).as_numpy_dtype)[0]
    name, shape, data = held
    return np.frombuffer(base64.b64decode(data), dtypes.as_dtype(name).as_numpy_dtype).reshape(shape).copy()

"""Snapshots of the objects that a function reaches, and of settings of the process; two of them give the changes."""

from __future__ import annotations

import hashlib
import locale
import os
import random
import sys
import types
import warnings
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from inlay._src.core.tensor import EagerTensor
from inlay._src.host.bodies.pickling import contents
from inlay._src.inspection.checking.reachable import GlobalRead, Reach, attributes_of, defaults_of
from inlay._src.ops.variables import Variable

_MOST_ITEMS, _MOST_BYTES = 10_000, 1 << 28


class Change(NamedTuple):
    """A change of an object that a function reaches.

    Attributes:
      place: the path to the object.
      text: a description of the change.
      probe: the present state of the object; it differs after each change.
    """

    place: str
    text: str
    probe: Callable[[], Any]


class Snapshot:
    """The state of all objects that a function reaches. It refers to them, so that no identity is reused."""

    def __init__(self, reach: Reach) -> None:
        self._objects = reach.objects
        self._states = [state_of(value) for _, value in reach.objects]
        self._globals = [(read, read.value, _mark(read.value)) for read in reach.globals]

    def changes(self) -> list[Change]:
        """The changes since."""
        changes = [
            Change(
                f"global '{read.name}'",
                f"was {_short(before)}, is {_short(read.value)}",
                partial(_mark_of, read),
            )
            for read, before, mark in self._globals
            if _mark(read.value) != mark
        ]  # fmt: skip
        for (place, value), before in zip(self._objects, self._states, strict=True):
            after = state_of(value)
            if after != before:
                changes.append(Change(place, _change_in_words(value, before, after), partial(state_of, value)))
        return changes


def state_of(value: Any) -> Any:
    """The state of an object without the state of its parts; equal states mean that nothing was written."""
    if isinstance(value, types.FunctionType):
        cells = tuple(_mark(contents(cell)) for cell in value.__closure__ or ())
        own = tuple((k, _mark(v)) for k, v in vars(value).items())
        return "function", cells, tuple(map(_mark, defaults_of(value).values())), own
    if isinstance(value, (list, deque)):
        return "items", len(value), tuple(map(_mark, list(value)[:_MOST_ITEMS]))
    if isinstance(value, dict):
        return "entries", len(value), tuple((_mark(k), _mark(v)) for k, v in list(value.items())[:_MOST_ITEMS])
    if isinstance(value, (set, bytearray)):
        return "members", len(value), frozenset(map(_mark, value))
    array = _array(value)
    if array is not None:
        return "elements", array.shape, _digest(array)
    if isinstance(value, types.GeneratorType):
        return "position", None if value.gi_frame is None else value.gi_frame.f_lasti
    if type(value).__module__ in ("itertools", "builtins") and hasattr(value, "__next__"):
        return "position", _position(value)
    if isinstance(value, (np.random.Generator, np.random.RandomState)):
        source = value.bit_generator if isinstance(value, np.random.Generator) else value
        return "draws", repr(source.state if hasattr(source, "state") else source.get_state())
    if isinstance(value, random.Random):
        return "draws", value.getstate()
    if type(value).__module__.partition(".")[0] == "inlay" or isinstance(value, (types.MethodType, tuple, frozenset)):
        return None
    return "attributes", tuple((name, _mark(part)) for name, part in attributes_of(value).items())


def _array(value: Any) -> Any:
    """The elements of an array, a variable or a tensor of PyTorch."""
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, (Variable, EagerTensor)):
        return np.asarray(value)
    if type(value).__module__.partition(".")[0] == "torch" and hasattr(value, "detach"):
        return value.detach().cpu().numpy()
    return None


def _digest(array: Any) -> Any:
    if array.dtype.hasobject:
        return tuple(map(_mark, array.reshape(-1).tolist()[:_MOST_ITEMS]))
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    step = max(1, data.size // _MOST_BYTES)  # every so many bytes of an array that is larger than this
    return hashlib.blake2b(np.ascontiguousarray(data[::step]).data, digest_size=16).digest()


def _position(iterator: Any) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python 3.14 takes `__reduce__` of these away
        try:
            return repr(iterator) if "count" in type(iterator).__name__ else repr(iterator.__reduce__()[1:])
        except (TypeError, AttributeError):
            return ""


def _mark(value: Any) -> Any:
    """A mark that differs for different values: simple ones have their value, others their identity."""
    if isinstance(value, (int, str, bytes, bool, type(None))):
        return type(value), value
    if isinstance(value, (float, complex, np.generic)):
        return type(value), repr(value)
    return id(value)


def _mark_of(read: GlobalRead) -> Any:
    return _mark(read.value)


def _change_in_words(value: Any, before: Any, after: Any) -> str:
    kind = before[0]
    if kind in ("items", "entries", "members") and before[1] != after[1]:
        return f"had {before[1]} {kind}, has {after[1]}"
    if kind == "attributes":
        old, new = dict(before[1]), dict(after[1])
        names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
        current = attributes_of(value)
        return ", ".join(f"attribute '{n}' was {_marked(old.get(n))}, is {_short(current.get(n))}" for n in names)
    if kind == "function":
        return "its closure, defaults or attributes refer to other objects"
    return {"elements": "its elements were written", "draws": "it was drawn from", "position": "it was advanced"}.get(
        kind, f"its {kind} were exchanged"
    )


def _marked(mark: Any) -> str:
    return "absent" if mark is None else str(mark[1])[:40] if isinstance(mark, tuple) else "another object"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


# ---------------------------------------------------------------- the process

GENERATORS = ("generator of `random`", "generator of `numpy.random`", "generator of `torch`")


def process_state() -> dict[str, Any]:
    """Settings of the process that a function might change, and the generators of random numbers that it shares."""
    state = {
        "current folder": os.getcwd(),
        "environment variables": dict(os.environ),
        "error handling of NumPy": dict(np.geterr()),
        "print options of NumPy": {k: repr(v) for k, v in np.get_printoptions().items()},
        "recursion limit": sys.getrecursionlimit(),
        "search path of modules": list(sys.path),
        "locale": locale.setlocale(locale.LC_ALL),
        GENERATORS[0]: random.getstate(),
        GENERATORS[1]: _numpy_state(),
    }
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "get_rng_state"):
        state[GENERATORS[2]] = torch.get_rng_state().numpy().tobytes()
    return state


def _setting(name: str) -> Any:
    return process_state()[name]


def _numpy_state() -> Any:
    kind, words, *rest = np.random.get_state()
    return kind, np.asarray(words).tobytes(), *rest


def process_changes(before: dict[str, Any]) -> list[Change]:
    """The differences of `process_state()` from an earlier one."""
    after = process_state()
    changes = []
    for name, old in before.items():
        if name in after and after[name] != old:
            text = "was drawn from or seeded" if name in GENERATORS else f"was {_short(old)}, is {_short(after[name])}"
            changes.append(Change(f"the {name}", text, partial(_setting, name)))
    return changes

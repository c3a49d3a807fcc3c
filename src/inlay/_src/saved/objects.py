"""The saved form of objects: all objects below a root, numbered, with the attributes that lead from one to the next.

    {"kind": "module", "name": ..., "children": {attribute: number}}
    {"kind": "list" | "tuple" | "dict", "children": {...}}
    {"kind": "variable", "name": ..., "dtype": ..., "shape": ..., "trainable": ..., "value": key in the checkpoint}
    {"kind": "function", the result of `function_as_data`, "traces": [number of a trace]}
    {"kind": "asset", "file": path below the folder}
    {"kind": "table", the fields of a `TableSpec`, "keys", "values": keys in the checkpoint, or "file": path below the
     folder, with how it is read}
    {"kind": "dataset", "traces": [number of the trace that returns it]}
    {"kind": "graph"}, alone: the graph of a session

Attributes that are none of these are not saved, as in TensorFlow: they matter only in what was traced with them.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.files.opening import path_of
from inlay._src.base.types import dtypes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.state import handle_key
from inlay._src.core.tensor import Tensor
from inlay._src.core.trackable import Trackable, says_children
from inlay._src.ops.hash_tables.table import LookupTable
from inlay._src.ops.hash_tables.table_state import TableKey, TableState
from inlay._src.ops.variables.variable import Variable
from inlay._src.programs.functions.bound_function import BoundFunction
from inlay._src.programs.functions.concrete import ConcreteFunction
from inlay._src.programs.functions.function import Function
from inlay._src.programs.module import Module
from inlay._src.training.trackable import children_of, is_trackable, variable_of

OBJECTS_VERSION = 2
"""The version of `objects.json`. Values of the first one are in an `.npz` file."""
SESSION_GRAPH = "graph"
"""The kind of the only object of a model that is the graph of a session."""


@export("saved_model.Asset", "compat.v1.saved_model.Asset")
class Asset(Trackable):
    """A file that belongs to a saved model: an attribute of a module. The model that is loaded has its own copy.

    Args:
      path: the file.

    Raises:
      FileNotFoundError: if there is none.
    """

    _in_checkpoints = False

    def __init__(self, path: Any) -> None:
        self._path: str = path_of(path)
        if not os.path.isfile(self._path):
            raise FileNotFoundError(f"an asset must be a file, and there is none at {self._path}")

    @property
    def asset_path(self) -> Tensor:
        """The file's path, as a string tensor."""
        return convert_to_tensor(self._path.encode(), dtypes.string)

    def __fspath__(self) -> str:
        return self._path

    def __repr__(self) -> str:
        return f"Asset({self._path!r})"


class Objects:
    """The objects below a root.

    Args:
      root: the root; it gets the number 0.
      is_saved: whether a value that is none of the kinds above is saved all the same.

    Attributes:
      objects: the objects.
      children: of each, attribute -> number.
      paths: the first path to each object, for messages.
    """

    def __init__(self, root: Any, is_saved: Callable[[Any], bool]) -> None:
        self.objects: list[Any] = []
        self.children: list[dict[str, int]] = []
        self.paths: list[str] = []
        self._numbers: dict[int, int] = {}
        self._is_saved = is_saved
        self.add(root, "the root")
        at = 0
        while at < len(self.objects):
            for name, child in self._parts(self.objects[at]):
                self.children[at][name] = self.add(child, name if at == 0 else f"{self.paths[at]}.{name}")
            at += 1

    def add(self, value: Any, path: str) -> int:
        """The number of an object, which it gets if it has none."""
        value = _saved_as(value)
        number = self._numbers.get(id(value))
        if number is None:
            number = self._numbers[id(value)] = len(self.objects)
            self.objects.append(value)
            self.children.append({})
            self.paths.append(path)
        return number

    def number(self, value: Any) -> int | None:
        """The number of an object; None if it has none."""
        return self._numbers.get(id(_saved_as(value)))

    def _parts(self, value: Any) -> Iterable[tuple[str, Any]]:
        if isinstance(value, (Variable, Function, ConcreteFunction, Asset, TableKey, TableState)) or self._is_saved(
            value
        ):
            return []
        if isinstance(value, dict):
            parts: dict[str, Any] = {str(k): v for k, v in value.items() if isinstance(k, (str, int))}
        elif isinstance(value, (list, tuple)):
            parts = {str(i): v for i, v in enumerate(value)}
        elif says_children(value):
            parts = value._trackable_children("savedmodel")
        elif isinstance(value, Module) or not hasattr(value, "_checkpoint_children"):
            parts = _attributes(value)
        else:
            parts = {**children_of(value), **_functions(value)}
        return [(name, child) for name, child in sorted(parts.items()) if self._belongs(child)]

    def _belongs(self, value: Any) -> bool:
        if isinstance(value, dict):
            return any(map(self._belongs, value.values()))
        if isinstance(value, (list, tuple)):
            return any(map(self._belongs, value))
        return (
            isinstance(value, (Function, BoundFunction, ConcreteFunction, Asset, LookupTable))
            or is_trackable(value)
            or self._is_saved(value)
        )


def _saved_as(value: Any) -> Any:
    """The object that is saved for a value: the function of a method, the state behind a table."""
    if isinstance(value, LookupTable):
        return handle_key(value.resource_handle)
    return value._function if isinstance(value, BoundFunction) else variable_of(value)


def _attributes(value: Any) -> dict[str, Any]:
    own = {n: v for n, v in getattr(value, "__dict__", {}).items() if n not in ("_name_scope", "_waiting_restore")}
    return {**own, **_functions(value)}


def _functions(value: Any) -> dict[str, Any]:
    """The methods of an object that are traced functions, and the properties that return one. Each is read once."""
    members = {name: member for kind in reversed(type(value).__mro__) for name, member in vars(kind).items()}
    functions = {}
    for name, member in members.items():
        if isinstance(member, Function):
            functions[name] = getattr(value, name)
        elif isinstance(member, property) and getattr(Module, name, None) is not member:
            with contextlib.suppress(Exception):  # what a property needs may not be there yet
                read = getattr(value, name)
                if isinstance(read, (Function, ConcreteFunction)):
                    functions[name] = read
    return functions

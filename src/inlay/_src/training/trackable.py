"""The objects that a checkpoint covers: their discovery, and the numbered tree that is saved with their values.

    {"children": {name: number}, "value": key, "state": key, "name": full name, "slots": [[variable, slot name, slot]],
     "saveables": {name: key}}

A child is a variable, a `Module`, a `Checkpoint`, an optimizer, or a dict or list of those; also any object with
`__inlay_save__() -> bytes` and `__inlay_restore__(bytes)`, such as `PythonState`, and any that hands out saveable
objects (`saveable`). An object that can be reached in two
ways is saved once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Self

from inlay._src.base.export import export
from inlay._src.core.trackable import Trackable, acts_as_variable
from inlay._src.ops.variables.variable import Variable
from inlay._src.programs.module import Module
from inlay._src.training.saveable import hands_out
from inlay._src.training.tensor_bundle import STATE_NAME, VALUE_NAME

VALUE, STATE = f"/.ATTRIBUTES/{VALUE_NAME}", f"/.ATTRIBUTES/{STATE_NAME}"


def is_trackable(value: Any) -> bool:
    """Whether a checkpoint covers `value`."""
    if isinstance(value, (dict, list, tuple)):
        return any(is_trackable(v) for v in (value.values() if isinstance(value, dict) else value))
    return (
        isinstance(value, (Variable, Module))
        or acts_as_variable(value)
        or (
            not isinstance(value, type)
            and (
                hasattr(value, "_checkpoint_children")
                or hasattr(value, "__inlay_save__")
                or hands_out(value)
                or (isinstance(value, Trackable) and value._in_checkpoints)
            )
        )
    )


def children_of(value: Any, empty: bool = False) -> dict[str, Any]:
    """The named children of a trackable object; `empty`: lists and dicts that hold none yet too."""
    if isinstance(value, Variable):
        return {}
    own = getattr(value, "_checkpoint_children", None)
    if own is not None:
        children = own()
    elif isinstance(value, dict):
        children = {str(k): v for k, v in value.items()}
    elif isinstance(value, (list, tuple)):
        children = {str(i): v for i, v in enumerate(value)}
    elif isinstance(value, Module):
        children = dict(vars(value))
    elif isinstance(value, Trackable):
        children = value._trackable_children()
    else:
        children = {}
    return {
        name: variable_of(child)
        for name, child in children.items()
        if is_trackable(child) or (empty and isinstance(child, (list, dict)) and not name.startswith("_"))
    }


def variable_of(value: Any) -> Any:
    """The variable that an object of another library holds (`acts_as_variable`); another value as it is."""
    return value.value if acts_as_variable(value) else value


class ListWrapper(list[Any]):
    """A list that a restored checkpoint may have more items for: it says when it gets one."""

    _waiting_restore: Callable[[str, Any], None] = staticmethod(lambda name, value: None)

    def append(self, value: Any) -> None:
        """Adds an item, which gets its saved value."""
        super().append(value)
        self._waiting_restore(str(len(self) - 1), value)

    def extend(self, values: Iterable[Any]) -> None:
        """Adds items, which get their saved values."""
        for value in values:
            self.append(value)

    def __iadd__(self, values: Iterable[Any]) -> Self:  # type: ignore[misc]
        self.extend(values)
        return self

    def __repr__(self) -> str:
        return f"ListWrapper({super().__repr__()})"

    def __reduce__(self) -> Any:
        return list, (list(self),)


class _DictWrapper(dict[Any, Any]):
    """A dict that a restored checkpoint may have more items for: it says when it gets one."""

    _waiting_restore: Callable[[str, Any], None] = staticmethod(lambda name, value: None)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        self._waiting_restore(str(key), value)

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Adds items, which get their saved values."""
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def __repr__(self) -> str:
        return f"DictWrapper({super().__repr__()})"

    def __reduce__(self) -> Any:
        return dict, (dict(self),)


class Tree:
    """The objects below a root, numbered in breadth-first order; the root is number 0.

    Attributes:
      objects: the objects.
      paths: the first path to each, for names and messages.
      nodes: the saved form of each.
    """

    def __init__(self, root: Any) -> None:
        self.objects: list[Any] = []
        self.paths: list[str] = []
        self.nodes: list[dict[str, Any]] = []
        self._numbers: dict[int, int] = {}
        self._add(root, "")
        at = 0
        while at < len(self.objects):
            children = {
                name: self._add(child, f"{self.paths[at]}/{_escaped(name)}" if self.paths[at] else _escaped(name))
                for name, child in children_of(self.objects[at]).items()
            }
            self.nodes[at]["children"] = children
            at += 1
        for number, value in enumerate(list(self.objects)):
            self._add_slots(number, value)

    def _add(self, value: Any, path: str) -> int:
        if id(value) in self._numbers:
            return self._numbers[id(value)]
        number = self._numbers[id(value)] = len(self.objects)
        node: dict[str, Any] = {"children": {}}
        if isinstance(value, Variable):
            node |= {"value": path + VALUE, "name": value.name.removesuffix(":0")}
        elif hasattr(value, "__inlay_save__"):
            node["state"] = path + STATE
        elif hands_out(value):
            node["saveables"] = {
                name: f"{path}/.ATTRIBUTES/{name}" for name in value._gather_saveables_for_checkpoint()
            }
        self.objects.append(value)
        self.paths.append(path)
        self.nodes.append(node)
        return number

    def _add_slots(self, number: int, value: Any) -> None:
        """An optimizer's slots are saved under the variable they belong to, if that is saved too."""
        list_slots: Callable[[], Any] | None = getattr(value, "_checkpoint_slots", None)
        if list_slots is None:
            return
        slots = []
        for name, variable, slot in list_slots():
            owner = self._numbers.get(id(variable))
            if owner is not None:
                path = f"{self.paths[owner]}/.OPTIMIZER_SLOT/{self.paths[number]}/{_escaped(name)}"
                slots.append([owner, name, self._add(slot, path)])
        self.nodes[number]["slots"] = slots

    def variables(self) -> list[tuple[int, Variable]]:
        """(number, variable) of every variable."""
        return [(i, v) for i, v in enumerate(self.objects) if isinstance(v, Variable)]

    def saveables(self) -> list[tuple[int, Any, dict[str, str]]]:
        """(number, object, its names and keys) of every object that hands out saveable ones."""
        return [(i, v, self.nodes[i]["saveables"]) for i, v in enumerate(self.objects) if "saveables" in self.nodes[i]]


def _escaped(name: str) -> str:
    """A name without slashes, as TensorFlow writes it."""
    return name.replace(".", "..").replace("/", ".S") if "/" in name or name.startswith(".") else name


@export("train.experimental.PythonState")
class PythonState:
    """Base class of Python objects whose state a checkpoint keeps: subclasses say how it is written and read."""

    def serialize(self) -> str | bytes:
        """The state as text or bytes."""
        raise NotImplementedError(f"{type(self).__name__} defines no serialize()")

    def deserialize(self, string_value: bytes) -> None:
        """Takes back what `serialize` gave, as bytes."""
        raise NotImplementedError(f"{type(self).__name__} defines no deserialize()")

    def __inlay_save__(self) -> bytes:
        state = self.serialize()
        return state.encode() if isinstance(state, str) else state

    def __inlay_restore__(self, saved: bytes) -> None:
        self.deserialize(saved)

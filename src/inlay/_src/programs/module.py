"""`Module`: an object that owns variables and other modules, in its attributes."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import nest
from inlay._src.core.context import name_scope
from inlay._src.core.trackable import Trackable
from inlay._src.ops.variables.variable import Variable

_NAME = re.compile(r"[A-Za-z_]\w*")


def snake_case(name: str) -> str:
    """`BatchNorm2D` as `batch_norm2d`."""
    return re.sub(r"((?<=[a-z0-9])[A-Z]|(?!^)[A-Z](?=[a-z]))", r"_\1", name).lower()


@export("Module")
class Module(Trackable):
    """Base class of objects that own variables.

    Variables and modules are found in attributes, also inside lists, tuples and dicts.

    Args:
      name: a Python identifier; None takes the class's name in snake case.

    Raises:
      ValueError: if the name is no identifier.
    """

    _TF_MODULE_IGNORED_PROPERTIES = frozenset({"_name", "_scope_name", "_name_scope"})
    """Attributes in which no variables and modules are looked for; subclasses may add to it."""

    def __init__(self, name: str | None = None) -> None:
        name = snake_case(type(self).__name__) if name is None else name
        if not isinstance(name, str):
            raise TypeError(f"The name of a module must be a string, got {type(name).__name__}.")
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python identifiers (e.g. a valid "
                "class name)."
            )
        self._name = name
        with name_scope(name) as scope:
            self._scope_name = scope or ""
        self._name_scope = name_scope(self._scope_name)

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        waiting = self.__dict__.get("_waiting_restore")
        if waiting is not None:  # a checkpoint was restored that has values for attributes made later
            waiting(name, value)

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def name_scope(self) -> name_scope:
        """A context manager that opens the module's own name scope."""
        return self._name_scope

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of this module and its submodules: own attributes by name first."""
        return tuple(self._flatten(predicate=lambda v: isinstance(v, Variable)))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The trainable variables of this module and its submodules."""
        return tuple(self._flatten(predicate=lambda v: isinstance(v, Variable) and v.trainable))

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """The other variables of this module and its submodules."""
        return tuple(self._flatten(predicate=lambda v: isinstance(v, Variable) and not v.trainable))

    @property
    def submodules(self) -> tuple[Module, ...]:
        """The modules in this module's attributes, and in theirs."""
        return tuple(self._flatten(predicate=lambda m: isinstance(m, Module)))

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable[[Any], bool] | None = None,
        attribute_traversal_key: Any = None,
        with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterator[Any]:
        """The attribute values (each once) that satisfy `predicate`, own ones first, then those of submodules."""
        seen = {id(self)}
        chosen = predicate or (lambda _: True)
        waiting: list[tuple[tuple[Any, ...], Module]] = [((), self)]
        while waiting:
            path, module = waiting.pop(0)
            inside: list[tuple[tuple[Any, ...], Module]] = []
            own = vars(module).keys() - module._TF_MODULE_IGNORED_PROPERTIES
            for key in sorted(own, key=attribute_traversal_key):
                for below, leaf in _leaves(vars(module)[key], (key,), expand_composites):
                    if id(leaf) in seen:
                        continue
                    if isinstance(leaf, (Module, Variable)) or chosen(leaf):
                        seen.add(id(leaf))
                    if chosen(leaf):
                        yield ((*path, *below), leaf) if with_path else leaf
                    if recursive and isinstance(leaf, Module):
                        inside.append(((*path, *below), leaf))
            waiting[:0] = inside

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """Decorator: the method runs in the module's name scope."""

        @functools.wraps(method)
        def inside(self: Module, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return inside


def _leaves(value: Any, path: tuple[Any, ...], expand: bool) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The contents of an attribute, with its path; dict keys that cannot be sorted keep their order."""
    if isinstance(value, dict):
        try:
            keys = sorted(value)
        except TypeError:
            keys = list(value)
        for key in keys:
            yield from _leaves(value[key], (*path, key), expand)
    elif isinstance(value, (list, tuple)):
        for i, child in enumerate(value):
            yield from _leaves(child, (*path, i), expand)
    elif expand and isinstance(value, nest.Composite):
        for i, child in enumerate(value._components()):
            yield from _leaves(child, (*path, i), expand)
    else:
        yield path, value

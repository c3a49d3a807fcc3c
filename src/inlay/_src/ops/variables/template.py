"""`make_template`: a function whose variables are made by its first call and shared by all others."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.interpreter import messages
from inlay._src.core import context
from inlay._src.core.graph import default_graph
from inlay._src.core.site import of_function
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.ops.variables.scope import VariableScope, variable_scope
from inlay._src.ops.variables.variable import Variable


class VariableTemplate:
    """A function that `make_template` made.

    Attributes:
      name: the name that was given.
      variable_scope: the variable scope; None before it was opened.
    """

    name: str
    variable_scope: VariableScope | None

    def __init__(
        self, name: str, function: Callable[..., Any], now: bool, unique_name: str | None, custom_getter: Any
    ) -> None:
        self.name, self._function, self._unique, self._getter = name, function, unique_name, custom_getter
        self.variable_scope, self._has_run = None, False
        self._eager: dict[str, Any] = {}
        if now:
            getter = None if context.keeper() is None else custom_getter  # an eager call tells it to its own scope
            with variable_scope(unique_name, name, custom_getter=getter, auxiliary_name_scope=False) as scope:
                self.variable_scope = scope

    def __repr__(self) -> str:
        return f"<template {self.name!r} of {of_function(self._function)}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function in the variable scope; from the second call on its variables are shared.

        Raises:
          ValueError: if a call after the first one makes a variable that trains.
        """
        if self.variable_scope is None:
            with variable_scope(self._unique, self.name, custom_getter=self._variable) as scope:
                self.variable_scope = scope
                return self._called(args, kwargs)
        with variable_scope(self.variable_scope, reuse=self._has_run or None, custom_getter=self._shared()):
            return self._called(args, kwargs)

    def _shared(self) -> Any:
        """The getter of later calls: the scope has it already if a graph keeps the variables."""
        return self._variable if context.keeper() is None else None

    def _variable(self, make: Callable[..., Any], name: str, *args: Any, **kwargs: Any) -> Any:
        """Makes and shares variables, by way of the user's getter."""
        own = make if context.keeper() is not None else functools.partial(self._eager_variable, make)
        getter = own if self._getter is None else functools.partial(self._getter, own)
        return getter(name, *args, **kwargs)

    def _eager_variable(self, make: Callable[..., Any], name: str, *args: Any, **kwargs: Any) -> Any:
        """Makes or shares an eager variable: the template keeps it, as no graph does."""
        if name not in self._eager:
            self._eager[name] = make(name, *args, **kwargs)
        return self._eager[name]

    def _called(self, args: Any, kwargs: Any) -> Any:
        before = {id(v) for v in self._kept(GraphKeys.GLOBAL_VARIABLES)}
        trained = {id(v) for v in self._kept(GraphKeys.TRAINABLE_VARIABLES)}
        result = self._function(*args, **kwargs)
        if self._has_run:
            new = [v for v in self._kept(GraphKeys.TRAINABLE_VARIABLES) if id(v) not in trained]
            if new:
                raise ValueError(
                    "Trainable variable created when calling a template after the first time, perhaps you used "
                    f"tf.Variable when you meant tf.get_variable: {new}"
                )
            others = [v for v in self._kept(GraphKeys.GLOBAL_VARIABLES) if id(v) not in before]
            if others:
                messages.info("New variables created when calling a template after the first time: %s", others)
        self._has_run = True
        return result

    def _kept(self, key: str) -> list[Variable]:
        """The variables of a collection: of the graph in force, or of the eager ones that this template keeps."""
        if not self._eager and context.keeper() is not None:
            return default_graph().get_collection_ref(key)
        if key == GraphKeys.LOCAL_VARIABLES:
            return []
        every = [self._eager[name] for name in sorted(self._eager)]
        return [v for v in every if v.trainable or key != GraphKeys.TRAINABLE_VARIABLES]

    def _checkpoint_children(self) -> dict[str, Variable]:
        """Its variables, by their names in the scope."""
        prefix = self.variable_scope_name or ""
        return {v.name.removesuffix(":0").removeprefix(prefix): v for v in self.variables}

    @property
    def variable_scope_name(self) -> str | None:
        """The name of the variable scope with a slash at its end; None before it was opened."""
        if self.variable_scope is None:
            return None
        name: str = self.variable_scope.name
        return name if not name or name.endswith("/") else f"{name}/"

    def _listed(self, key: str) -> list[Variable]:
        if not self._has_run:
            return []
        return self._kept(key) if self._eager else default_graph().get_collection(key, self.variable_scope_name)

    @property
    def func(self) -> Callable[..., Any]:
        """The function."""
        return self._function

    @property
    def global_variables(self) -> list[Variable]:
        """The variables of the scope that are not local."""
        return self._listed(GraphKeys.GLOBAL_VARIABLES)

    @property
    def local_variables(self) -> list[Variable]:
        """The local variables of the scope; none of an eager template."""
        return self._listed(GraphKeys.LOCAL_VARIABLES)

    @property
    def variables(self) -> list[Variable]:
        """The variables of the scope."""
        return self.global_variables + self.local_variables

    @property
    def trainable_variables(self) -> list[Variable]:
        """Those that train."""
        return self._listed(GraphKeys.TRAINABLE_VARIABLES)

    @property
    def non_trainable_variables(self) -> list[Variable]:
        """Those that do not."""
        trained = {id(v) for v in self.trainable_variables}
        return [v for v in self.variables if id(v) not in trained]

    weights: Any = variables
    trainable_weights: Any = trainable_variables
    non_trainable_weights: Any = non_trainable_variables


@export("make_template")
def make_template(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Any = None,
    **kwargs: Any,
) -> VariableTemplate:
    """A function whose variables are made by its first call and shared by all others.

    Args:
      name_: the name of its variable scope, made unique.
      func_: a function that makes variables by `get_variable`.
      create_scope_now_: whether the scope is opened now instead of by the first call.
      unique_name_: the name of the scope as it is; only in graphs.
      custom_getter_: makes the variables, as for `variable_scope`.
      **kwargs: arguments of the function.

    Returns:
      The function.

    Raises:
      ValueError: without a name, or for a unique one while executing eagerly.
    """
    if name_ is None:
        raise ValueError("name cannot be None.")
    if unique_name_ is not None and context.executing_eagerly():
        raise ValueError("unique_name_ cannot be used when eager execution is enabled.")
    function = functools.partial(func_, **kwargs) if kwargs else func_
    return VariableTemplate(name_, function, create_scope_now_, unique_name_, custom_getter_)

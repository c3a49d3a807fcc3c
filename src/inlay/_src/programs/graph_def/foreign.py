"""The facts about a model of another process that its messages alone do not state."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple


class ForeignGradient(NamedTuple):
    """A gradient that a model brings for some of its nodes.

    Attributes:
      function: the name of the function of cotangents and captures.
      places: index of the function's result for each input of the node; -1 for an input that has none.
      captures: of each capture, the name of a tensor of the graph around the node, or the number of an object.
    """

    function: str
    places: tuple[int, ...]
    captures: tuple[str | int, ...]


class LeftOut(NamedTuple):
    """A node of a model that cannot be read.

    Attributes:
      function: the name of the function that holds it; "" for the graph.
      node, op: its name and its op.
      reason: why it cannot be read.
    """

    function: str
    node: str
    op: str
    reason: str


def checked_functions(host_functions: Mapping[str, Callable[..., Any]] | None) -> Mapping[str, Callable[..., Any]]:
    """The functions for calls of Python that a user supplies; none for None.

    Raises:
      TypeError: if one is no function.
    """
    for name, function in (host_functions or {}).items():
        if not callable(function):
            raise TypeError(f"host_functions= has a {type(function).__name__} for {name!r}, expected a function")
    return host_functions or {}


class ForeignModel:
    """A model of another process, as far as readers of its graphs need it.

    Args:
      host_functions: name of a node, or token -> the function for calls of Python, which the model does not hold.
      gradients: type under which a gradient is registered -> the gradient.
      bound: name of a function -> the numbers of the objects that its last arguments are.
      tensor: gives the tensor of an object.

    Attributes:
      host_functions, gradients: the same.
      used: the names that calls of the model had.
      left_out: the nodes that could not be read, without those that only need one of them.
    """

    def __init__(
        self,
        host_functions: Mapping[str, Callable[..., Any]],
        gradients: Mapping[str, ForeignGradient] | None = None,
        bound: Mapping[str, Sequence[int]] | None = None,
        tensor: Callable[[int], Any] | None = None,
    ) -> None:
        self.host_functions, self.used = host_functions, set[str]()
        self.left_out: list[LeftOut] = []
        self.gradients: Mapping[str, ForeignGradient] = gradients or {}
        self._bound: Mapping[str, Sequence[int]] = bound or {}
        self._tensor = tensor

    def host_function(self, *names: str) -> Callable[..., Any] | None:
        """The function for a call of Python that has these names; None if there is none."""
        for name in names:
            if name in self.host_functions:
                self.used.add(name)
                return self.host_functions[name]
        return None

    def argument(self, function: str, arguments: Sequence[Any], number: int) -> Any:
        """The argument of a function that an object is, or else the object's tensor.

        Args:
          function: the name of the function.
          arguments: its arguments.
          number: that of the object.

        Raises:
          ValueError: if there is neither.
        """
        bound = list(self._bound.get(function, ()))
        if number in bound:
            return arguments[len(arguments) - len(bound) + bound.index(number)]
        if self._tensor is None:
            raise ValueError(f"object {number} is no argument of '{function}'")
        return self._tensor(number)


def argument_name(name: str) -> str:
    """The name of the argument of a function that a placeholder of its graph becomes."""
    return re.sub(r"[^a-z0-9_]", "_", name.lower())

"""Transformations are functions of nodes; two places make them public.

    take(source: Node, count, name=None) -> Node            in the module of its node and cursor
      ──▶ a row of the table in `Dataset`                   Dataset.take(count, name=None)
      ──▶ applied(take)                                     a function of `tf.data.experimental` for `Dataset.apply`

The options of a dataset pass through: a transformation sees the node alone.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar

from inlay._src.base.parameters import bound, declare, documented
from inlay._src.base.types.specs import TensorSpec
from inlay._src.data.node import Node
from inlay._src.data.options import Options

F = TypeVar("F", bound=Callable[..., Any])
P = ParamSpec("P")

_NAME = """
    Args:
      name: accepted.
"""
_APPLIED = """
    Returns:
      A function for `Dataset.apply`.
"""


class Pipeline:
    """A node and the options it runs with: the base class of `Dataset`, for modules that `Dataset` is made of."""

    _node: Node
    _options: Options

    @property
    def element_spec(self) -> TensorSpec | Any:
        """A nest like the elements, of specs."""
        return self._node.element.spec

    @classmethod
    def _of(cls, node: Node, options: Options | None = None) -> Any:
        """A dataset of a node."""
        raise NotImplementedError

    def _with(self, node: Node) -> Any:
        """A dataset of another node that runs with the same options."""
        return self._of(node, self._options)

    def __debug_string__(self) -> str:
        """The dataset and those that it reads, one a line, indented by how deep they are."""
        lines, waiting = [], [(0, self._node)]
        while waiting:
            depth, node = waiting.pop()
            lines.append("--" * depth + repr(self if node is self._node else self._of(node)))
            waiting += [(depth + 1, source) for source in reversed(node.inputs)]
        return "\n".join(lines)


def as_method(method: F, function: Callable[..., Any], passed: int = 0) -> F:
    """Gives a method of `Dataset` the name, the signature and the docstring of the function that it calls.

    Args:
      method: the method.
      function: the function; its name may end with "_", where it would hide a builtin.
      passed: the number of parameters of the function that the method passes itself.
    """
    signature = inspect.signature(function)
    own = next(iter(inspect.signature(method).parameters.values())).replace(annotation=inspect.Parameter.empty)
    signature = signature.replace(parameters=[own, *list(signature.parameters.values())[passed:]])
    if "Node" in str(signature.return_annotation):
        signature = signature.replace(return_annotation="Dataset")
    name = function.__name__.rstrip("_")
    method.__module__, method.__name__, method.__qualname__ = "inlay.data", name, f"Dataset.{name}"
    if function.__module__.startswith("inlay._src."):  # else it is public itself
        function.__qualname__ = method.__qualname__  # by which Python words a call that does not fit the signature
    return declare(method, signature, documented(function.__doc__, signature.parameters, _NAME))  # type: ignore[no-any-return]


def applied(transformation: Callable[Concatenate[Node, P], Node]) -> Callable[P, Callable[[Any], Any]]:
    """The form of a transformation for `Dataset.apply`: it takes the arguments, but for `name`.

    Args:
      transformation: takes the node of a dataset, then the arguments; returns the node of the result.

    Returns:
      A function that takes the arguments and returns a function from a dataset to a dataset.
    """
    signature = inspect.signature(transformation)
    parameters = [p for p in list(signature.parameters.values())[1:] if p.name != "name"]
    signature = signature.replace(parameters=parameters, return_annotation="Callable[[Any], Any]")

    @functools.wraps(transformation)
    def function(*args: P.args, **kwargs: P.kwargs) -> Callable[[Any], Any]:
        make: Callable[..., Node] = functools.partial(transformation, **bound(function, signature, args, kwargs))
        return lambda dataset: dataset._with(make(dataset._node))

    doc = documented(transformation.__doc__, signature.parameters, _APPLIED)
    return declare(function, signature, doc)  # type: ignore[no-any-return]


def merged(datasets: Sequence[Pipeline]) -> Options:
    """The options of a dataset that is made of several: the fields that any of them sets."""
    options = Options()
    for dataset in datasets:
        options = options.merge(dataset._options)
    return options

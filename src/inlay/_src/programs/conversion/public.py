"""The functions of `tf.autograph` beside the marks: looking at converted code, and converting by hand."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.misuse import explained, repr_of
from inlay._src.programs.conversion.calls import convert, source_of


@export("autograph.experimental.Feature")
class Feature(enum.Enum):
    """Optional parts of the conversion. Accepted and ignored: none of them is optional here."""

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"


@export("autograph.to_graph")
@explained
def to_graph(
    entity: Callable[..., Any], recursive: bool = True, experimental_optional_features: Any = None
) -> Callable[..., Any]:
    """The function with its control flow on tensors converted, as `tf.function` traces it.

    Args:
      entity: a Python function or method.
      recursive: accepted; the functions it calls are converted too.
      experimental_optional_features: accepted and ignored.

    Returns:
      A function with the same arguments. Called eagerly it does what `entity` does; called while a graph is being
      built, its control flow on symbolic tensors becomes part of the graph.
    """
    _checked(entity)
    return convert(entity)


@export("autograph.to_code")
@explained
def to_code(entity: Callable[..., Any], recursive: bool = True, experimental_optional_features: Any = None) -> str:
    """The source of the converted function, for reading.

    Args:
      entity: a Python function or method; a `tf.function` stands for the function it was made of.
      recursive, experimental_optional_features: accepted and ignored.

    Raises:
      ValueError: if it cannot be converted, saying why.
    """
    return source_of(_checked(entity))


def _checked(entity: Any) -> Any:
    function = getattr(entity, "python_function", entity)
    function = getattr(function, "__func__", function)
    if not inspect.isfunction(function):
        raise ValueError(f"AutoGraph converts Python functions and methods, got {repr_of(entity)}")
    return function


@export("autograph.set_verbosity")
def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Accepted and ignored: nothing is logged. A function that cannot be converted names the reason if it fails.

    Args:
      level, alsologtostdout: ignored.
    """


@export("autograph.trace")
@explained
def trace(*args: Any) -> None:
    """Prints its arguments while a function is being traced.

    Args:
      *args: the values to print.
    """
    print(*args)

"""Parameters that functions share are declared once, and show in the signature and docstring of each."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from inlay._src.base.parameters import constructor, extended


def scaled(value: Callable[[], float], scale: float = 1.0, name: str | None = None) -> tuple[float, str | None]:
    """
    Args:
      a: a number.
      scale: multiplies the result.
      name: a name.

    Returns:
      The result and the name.

    Raises:
      ValueError: never.
    """
    return value() * scale, name


def add(a: float, b: float = 1.0) -> float:
    """The sum.

    Args:
      b: another number.
    """
    return a + b


def test_shared_parameters_follow_those_of_the_formula() -> None:
    function = extended(add, scaled)
    assert str(inspect.signature(function)).startswith(
        "(a: 'float', b: 'float' = 1.0, scale: 'float' = 1.0, name: 'str | None' = None)"
    )
    assert function(1.0, 2.0, 3.0, "n") == function(1.0, b=2.0, name="n", scale=3.0) == (9.0, "n")
    assert function(1.0) == (2.0, None)
    assert function.__name__ == "add" and function.__module__ == __name__


def test_a_docstring_says_each_parameter_once_and_its_own_words_win() -> None:
    assert extended(add, scaled, "Args:\n  a: the first number.").__doc__ == inspect.cleandoc("""
        The sum.

        Args:
          a: the first number.
          b: another number.
          scale: multiplies the result.
          name: a name.

        Returns:
          The result and the name.

        Raises:
          ValueError: never.
    """)


def test_the_formula_receives_a_shared_parameter_that_it_declares() -> None:
    def first(name: str | None = None, b: float = 1.0) -> float:
        return len(name or "") + b

    def last(b: float, *, name: str | None) -> float:
        return len(name or "") + b

    assert list(inspect.signature(extended(first, scaled)).parameters) == ["name", "b", "scale"]
    assert list(inspect.signature(extended(last, scaled)).parameters) == ["b", "scale", "name"]
    assert extended(first, scaled)("nn") == (3.0, "nn")
    assert extended(last, scaled)(1.0, 2.0, "nn") == (6.0, "nn")
    assert extended(last, scaled)(1.0) == (1.0, None)


def test_a_call_that_does_not_fit_is_an_error_of_the_function() -> None:
    function: Any = extended(add, scaled)
    with pytest.raises(TypeError, match=r"add\(\) missing a required argument: 'a'"):
        function()
    with pytest.raises(TypeError, match=r"add\(\) got an unexpected keyword argument 'c'"):
        function(1.0, c=2.0)


class Window:
    """A window.

    Args:
      size: how large it is.
      step, other: how far it moves.
      name: a name.
    """

    def __init__(self, size: int, step: Any = 1, other: int = 3, name: str | None = None, **kwargs: Any) -> None:
        self.values = (size, step, other, name, kwargs)


@constructor("other", step=(2, 2))
class Square(Window):
    """A square window."""


def test_a_constructor_is_that_of_the_base_class_with_other_defaults() -> None:
    parameters = str(inspect.signature(Square))
    assert parameters == "(size: 'int', step: 'Any' = (2, 2), name: 'str | None' = None, **kwargs: 'Any') -> 'None'"
    assert Square(1).values == (1, (2, 2), 3, None, {})
    assert Square(1, 5, "n", extra=2).values == (1, 5, 3, "n", {"extra": 2})
    assert Window(1).values == (1, 1, 3, None, {})
    assert Square.__doc__ == inspect.cleandoc("""
        A square window.

        Args:
          size: how large it is.
          step: how far it moves.
          name: a name.
    """)


def test_a_constructor_names_its_class_in_errors() -> None:
    with pytest.raises(TypeError, match=r"Square\(\) missing a required argument: 'size'"):
        Square()  # type: ignore[call-arg]

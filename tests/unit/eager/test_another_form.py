"""Functions that call another one with its arguments in another order or under other names."""

from __future__ import annotations

import inspect
from typing import Any

from inlay._src.core.eager.another_form import another_form


def measure(first: Any, second: Any = None, name: str | None = None) -> Any:
    """What was given.

    Args:
      first, second: two values
        on two lines.
      name: a name.

    Returns:
      All three.
    """
    return first, second, name


def test_arguments_go_where_they_are_called_so() -> None:
    form = another_form(measure, "second, name=None, first=1")
    assert form(2, "n") == form(second=2, name="n") == (1, 2, "n")
    assert form.__name__ == "measure" and form.__module__ == __name__
    assert str(inspect.signature(form)) == "(second: 'Any', name: 'str | None' = None, first: 'Any' = 1) -> 'Any'"


def test_other_names_count_where_its_own_is_none() -> None:
    form = another_form(measure, "a=None, first=None, unused=3", "gauge", a="first", unused=None)
    assert form(1) == form(first=1) == form(2, 1, unused=4) == (1, None, None)
    assert form.__name__ == "gauge"


def test_its_documentation_is_in_its_own_order_and_names() -> None:
    form = another_form(measure, "name, a, first=None, unused=3", a="second", unused=None)
    assert form.__doc__.splitlines() == [
        "What was given.",
        "",
        "Args:",
        "  name: a name.",
        "  a, first: two values",
        "    on two lines.",
        "  unused: accepted and ignored.",
        "",
        "Returns:",
        "  All three.",
    ]

"""The public surface is a list in the repository: a name appears or goes only on purpose."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from scripts.update_public_names import LIST, current, names_of, public_names


@pytest.fixture(scope="module")
def surface() -> dict[str, Any]:
    return current()


def test_public_names_equal_the_list(surface: dict[str, Any]) -> None:
    listed = LIST.read_text(encoding="utf-8").split()
    hint = "on purpose? then run: make generate"
    assert {"new": sorted(set(surface) - set(listed)), "gone": sorted(set(listed) - set(surface))} == {
        "new": [],
        "gone": [],
    }, hint


def test_the_list_is_sorted_and_names_nothing_twice() -> None:
    listed = LIST.read_text(encoding="utf-8").split()
    assert listed == sorted(set(listed))


def test_every_declared_export_list_names_what_is_there_and_once(surface: dict[str, Any]) -> None:
    import inlay

    namespaces = {"inlay": inlay} | {n: v for n, v in surface.items() if isinstance(v, ModuleType)}
    declared = {name: (m, list(m.__all__)) for name, m in namespaces.items() if hasattr(m, "__all__")}
    assert [name for name, (_, names) in declared.items() if len(names) != len(set(names))] == []
    assert [f"{path}.{n}" for path, (m, names) in declared.items() for n in names if not hasattr(m, n)] == []


def test_every_public_callable_says_what_it_does(surface: dict[str, Any]) -> None:
    # An inherited docstring does not count for a class: it describes another one.
    silent = [
        name
        for name, value in surface.items()
        if callable(value) and not (vars(value).get("__doc__") if isinstance(value, type) else value.__doc__)
    ]
    assert silent == []


def test_the_walk_lists_aliases_once_and_skips_foreign_modules() -> None:
    import math

    root, inner = ModuleType("inlay"), ModuleType("inlay.inner")
    hidden = ModuleType("inlay.core")
    inner.f = lambda: None  # type: ignore[attr-defined]
    vars(root).update(inner=inner, again=inner, math=math, core=hidden, _private=1, value=SimpleNamespace())
    assert list(public_names(root, ["inlay.core"])) == ["inlay.again", "inlay.again.f", "inlay.inner", "inlay.value"]
    root.__all__ = ["value", "inner"]  # type: ignore[attr-defined]
    assert names_of(root) == ["inner", "value"]

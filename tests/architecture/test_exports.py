"""The public surface is a list in the repository: a name appears or goes only on purpose."""

from __future__ import annotations

import subprocess
import sys
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import pytest

from inlay._src.base.export import defining_module
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


def test_every_method_and_property_of_a_public_class_says_what_it_does(surface: dict[str, Any]) -> None:
    classes = {
        base
        for value in surface.values()
        if isinstance(value, type)
        for base in value.__mro__
        if base.__module__.startswith("inlay")
    }
    silent = {
        f"{cls.__module__}.{cls.__qualname__}.{name}"
        for cls in classes
        for name, member in vars(cls).items()
        if not name.startswith("_") and isinstance(member, FunctionType | classmethod | staticmethod | property)
        if not any(getattr(vars(base).get(name), "__doc__", None) for base in cls.__mro__)
    }
    assert silent == set()


def test_the_walk_lists_aliases_once_and_skips_foreign_modules() -> None:
    import math

    root, inner = ModuleType("inlay"), ModuleType("inlay.inner")
    hidden = ModuleType("inlay._src.core")
    inner.f = lambda: None  # type: ignore[attr-defined]
    vars(root).update(inner=inner, again=inner, math=math, core=hidden, _private=1, value=SimpleNamespace())
    assert list(public_names(root, ["inlay._src.core"])) == [
        "inlay.again",
        "inlay.again.f",
        "inlay.inner",
        "inlay.value",
    ]
    root.__all__ = ["value", "inner"]  # type: ignore[attr-defined]
    assert names_of(root) == ["inner", "value"]


def test_public_classes_and_functions_are_named_after_a_public_path(surface: dict[str, Any]) -> None:
    """`repr`, `help`, tracebacks and pickles show that path, and whoever unpickles it finds the same object there."""
    import inlay

    wrong = []
    for path, value in surface.items():
        if not isinstance(value, (type, FunctionType)) or defining_module(value).partition(".")[0] != "inlay":
            continue
        named = f"{value.__module__}.{value.__qualname__}"
        if (
            surface.get(named) is not value
            or getattr(inlay._src.base.export.public(_space(named)), value.__name__) is not value
        ):
            wrong.append((path, named))
    assert wrong == []
    assert repr(inlay.data.Dataset) == "<class 'inlay.data.Dataset'>"


def _space(path: str) -> str:
    return path.partition(".")[2].rpartition(".")[0]


def test_cloudpickle_takes_public_names_by_reference_in_a_process_that_loaded_one_of_them() -> None:
    """A module of a namespace that is not loaded would make cloudpickle take its classes and functions by value."""
    code = (
        "import inlay as tf, cloudpickle; d = tf.data.Dataset.range(1).map(tf.abs)\n"
        "print(max(len(cloudpickle.dumps(v)) for v in (type(d).__mro__[1], tf.float32, tf.math.erf, tf.add)) < 200)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=50)
    assert done.stdout.split() == ["True"], done.stderr

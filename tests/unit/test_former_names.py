"""Modules are found by the names that pickles and saved bodies of earlier trees have."""

import importlib

import pytest

from inlay._src.base.former_names import MOVED, RENAMED, present_name


@pytest.mark.parametrize(("former", "present"), [row for row in MOVED.items() if row[0] not in RENAMED])
def test_a_module_is_found_by_its_former_name(former: str, present: str) -> None:
    assert importlib.import_module(f"inlay.{former}") is importlib.import_module(f"inlay._src.{present}")


@pytest.mark.parametrize(
    ("module", "name", "present"), [(m, name, path) for m, names in RENAMED.items() for name, path in names.items()]
)
def test_a_name_is_found_in_the_former_module(module: str, name: str, present: str) -> None:
    home, _, own = present.rpartition(".")
    assert getattr(importlib.import_module(f"inlay.{module}"), name) is getattr(
        importlib.import_module(f"inlay._src.{home}"), own
    )


@pytest.mark.parametrize("module", RENAMED)
def test_the_other_names_of_a_former_module_are_those_of_the_present_one(module: str) -> None:
    present = importlib.import_module(str(present_name(f"inlay.{module}")))
    assert importlib.import_module(f"inlay.{module}").__getattr__("annotations") is present.annotations

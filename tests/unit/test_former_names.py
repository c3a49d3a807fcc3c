"""Modules are found by the names that pickles and saved bodies of earlier trees have."""

import importlib

import pytest

from inlay._src.base.former_names import MOVED


@pytest.mark.parametrize(("former", "present"), MOVED.items())
def test_a_module_is_found_by_its_former_name(former: str, present: str) -> None:
    assert importlib.import_module(f"inlay.{former}") is importlib.import_module(f"inlay._src.{present}")

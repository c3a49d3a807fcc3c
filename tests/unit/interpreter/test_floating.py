"""NumPy's floating-point reports: silent for kernels, the user's own elsewhere."""

from __future__ import annotations

import importlib
import sys
import threading
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from inlay._src.base.interpreter import floating


@pytest.fixture(params=["prepared", "errstate"])
def module(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The module as it is, and as it is where NumPy keeps its setting elsewhere."""
    if request.param == "prepared":
        yield floating
        return
    monkeypatch.setitem(sys.modules, "numpy._core.umath", ModuleType("numpy._core.umath"))
    spec = importlib.util.find_spec("inlay._src.base.interpreter.floating")
    assert spec is not None and spec.loader is not None
    other = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(other)
    assert other._setting is None
    yield other


def _divides() -> None:
    np.float64(1) / np.float64(0)


def test_silence_holds_until_it_is_taken_back(module: Any) -> None:
    with np.errstate(all="raise"):
        before = module.silence(module.SILENT)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            _divides()
        module.restore(before)
        with pytest.raises(FloatingPointError):
            _divides()


def test_a_setting_can_be_kept_and_put_in_force(module: Any) -> None:
    with np.errstate(all="raise"):
        users = module.current()
        before = module.silence(module.SILENT)
        module.assign(users)
        with pytest.raises(FloatingPointError):
            _divides()
        module.assign(module.SILENT)
        _divides()
        module.restore(before)
    assert np.geterr()["divide"] == "warn"


def test_pairs_nest(module: Any) -> None:
    with np.errstate(divide="raise"):
        outer = module.silence(module.SILENT)
        inner = module.silence(module.SILENT)
        module.restore(inner)
        _divides()
        module.restore(outer)
        with pytest.raises(FloatingPointError):
            _divides()


def test_a_thread_has_settings_of_its_own(module: Any) -> None:
    seen: list[Any] = []
    before = module.silence(module.SILENT)
    try:
        thread = threading.Thread(target=lambda: seen.append(np.geterr()["divide"]))
        thread.start()
        thread.join()
    finally:
        module.restore(before)
    assert seen == ["warn"]

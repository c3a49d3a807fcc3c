"""The plugin of pytest: the fixture `check_function`. It is loaded with pytest, so it loads nothing of inlay itself."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def check_function() -> Callable[..., Any]:
    """`tf.test.check_function`, which fails the test with the report if there is a finding; it returns the report."""

    def check(f: Any, samples: Any = None, Tout: Any = None, **declaration: Any) -> Any:
        __tracebackhide__ = True  # of this frame and of that which raises
        report = sys.modules["inlay"].test.check_function(f, samples, Tout, **declaration)
        report.raise_if_found()
        return report

    return check

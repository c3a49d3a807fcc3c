"""The checker finds every seeded fault, by the check that is made for it."""

from __future__ import annotations

import pytest

import inlay as tf
from tests.unit.inspection.faults import FAULTS


@pytest.mark.parametrize("name", FAULTS)
def test_a_seeded_fault_is_reported(name: str) -> None:
    fault = FAULTS[name]
    report = tf.test.check_function(fault.function, fault.samples, **fault.declaration)
    assert fault.kind in {finding.check for finding in report.findings}, report

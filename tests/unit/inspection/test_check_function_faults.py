"""The checker finds every seeded fault, by the check that is made for it."""

from __future__ import annotations

import os

import pytest

import inlay as tf
from tests.unit.inspection.faults import FAULTS
from tests.unit.inspection.held_out_faults import HELD_OUT
from tests.unit.inspection.later_faults import LATER


@pytest.mark.parametrize("name", FAULTS)
def test_a_seeded_fault_is_reported(name: str) -> None:
    fault = FAULTS[name]
    report = tf.test.check_function(fault.function, fault.samples, **fault.declaration)
    assert fault.kind in {finding.check for finding in report.findings}, report


@pytest.mark.parametrize("name", HELD_OUT)
def test_a_fault_that_was_set_aside_is_reported(name: str) -> None:
    fault = HELD_OUT[name]
    folder = os.getcwd()
    report = tf.test.check_function(fault.function, fault.samples, **fault.declaration)
    os.chdir(folder)  # one of them changes it
    assert fault.kind in {finding.check for finding in report.findings}, report


@pytest.mark.parametrize("name", LATER)
def test_a_fault_that_was_written_later_is_reported(name: str) -> None:
    fault = LATER[name]
    report = tf.test.check_function(fault.function, fault.samples, **fault.declaration)
    assert fault.kind in {finding.check for finding in report.findings}, report

"""Reports of traced runs beside those of TensorFlow for the same programs (`make_timelines.py`).

Left out are steps that TensorFlow's runtime adds, the ops that it lowers loops to, and the names within gradients,
which are composed of other ops.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import inlay as tf
from inlay._src.programs.session import timeline
from tests.recorded import traced_programs
from tests.recorded.traced_programs import PROGRAMS, collected, differentiated, own_steps

RECORDED: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("timelines.json").read_text("utf-8"))

FUNCTIONS = Path(__file__).with_name("traced_functions.json")


@pytest.fixture
def _graphs_of_1x() -> Iterator[None]:
    tf.compat.v1.disable_v2_behavior()
    yield
    tf.compat.v1.enable_v2_behavior()


def traced(name: str) -> dict[str, Any]:
    report = traced_programs.traced(tf, tf.compat.v1, timeline, PROGRAMS[name])
    return json.loads(json.dumps(report))  # type: ignore[no-any-return]


@pytest.mark.usefixtures("_graphs_of_1x")
@pytest.mark.parametrize("name", PROGRAMS)
def test_steps_have_tensorflows_names_inputs_and_results(name: str) -> None:
    ours, theirs = traced(name), RECORDED[name]
    assert own_steps(ours["steps"]) == own_steps(theirs["steps"])
    assert differentiated(ours["steps"]) == differentiated(theirs["steps"])
    assert ours["devices"] == theirs["devices"]


@pytest.mark.usefixtures("_graphs_of_1x")
def test_events_have_the_fields_of_tensorflows() -> None:
    """Whether steps overlap, so that arrows lead from one row to another, is a matter of time: so of all programs."""
    ours = {form for name in PROGRAMS for form in traced(name)["events"]}
    theirs = {form for report in RECORDED.values() for form in report["events"]}
    assert ours == theirs
    assert {form.partition(" ")[0] for form in ours} == set("MXstNODC")


def test_the_recorded_programs_have_steps_to_compare() -> None:
    counts = {name: len(own_steps(report["steps"])) for name, report in RECORDED.items()}
    assert counts == {"training_step": 15, "loop": 10, "pipeline": 12}
    assert own_steps(RECORDED["loop"]["steps"])["while/goes_on"][:2] == ["Less", 4]


def test_a_trace_has_tensorflows_functions_and_those_that_were_called_before(tmp_path: Path) -> None:
    """TensorFlow takes the functions whose first call comes after `trace_on`; inlay takes all that are called.

    TensorFlow's second trace, that with a profile, also has what was called between the two.
    """
    ours, theirs = collected(tf, tf.compat.v1, tmp_path), json.loads(FUNCTIONS.read_text("utf-8"))
    assert set(theirs["graph_run_metadata_graph"]) == {"called", "traced_before"}
    assert set(theirs["graph_run_metadata"]) == {"called", "traced_before", "called_before"}
    assert ours == {
        plugin: {**functions, "called_before": ["x", "called_before"]} for plugin, functions in theirs.items()
    }

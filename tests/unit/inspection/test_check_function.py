"""`tf.test.check_function`: its report, its arguments, and the details of findings."""

from __future__ import annotations

import ast
import os
import re
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.inspection.checking import check_function as module
from inlay._src.inspection.checking.comparison import difference, same, values_of
from inlay._src.inspection.checking.reachable import reach_of
from inlay._src.inspection.checking.schedule import Schedule, at_once
from inlay._src.inspection.checking.snapshot import Snapshot
from inlay._src.inspection.checking.tracing import line_of_change, lines_run
from inlay._src.inspection.checking.writers import writers_of
from tests.unit.inspection import faults
from tests.unit.inspection.faults import FAULTS, ONE, PURE, ROWS, Fault


def checked(fault: Fault, **more: Any) -> Any:
    return tf.test.check_function(fault.function, fault.samples, **{**fault.declaration, **more})


# ---------------------------------------------------------------- the report


def test_a_report_is_true_if_there_is_no_finding() -> None:
    report = tf.test.check_function(lambda x: x * 2, ROWS, tf.float32)
    assert report and report.ok and report.findings == ()
    report.raise_if_found()
    assert "no problems" in str(report)


def test_a_report_with_findings_is_false_and_raises_its_page() -> None:
    report = checked(FAULTS["writes into its input"])
    assert not report and not report.ok
    with pytest.raises(AssertionError, match="it writes into input 0") as raised:
        report.raise_if_found()
    assert str(raised.value) == str(report) == repr(report)


def test_a_finding_names_the_line_that_is_wrong() -> None:
    lines = Path(faults.__file__).read_text(encoding="utf-8").splitlines()
    wrong = {
        "wrong dtype": "return x.astype(np.float64) * 0.5",
        "writes into its input": "x -= x.mean()",
        "returns a view of a global": "return TABLE[int(i)]",
        "counts in a global": "COUNT += 1",
        "keeps in a default": "seen.append(float(x[0]))",
        "appends to a list of its closure": "history.append(x.shape)",
        "races for a scratch array": "SCRATCH[:] = x",
        "reads a global that changes": "SCALE = value",
        "reads the environment": 'return x * np.float32(os.environ.get("INLAY_TEST_FACTOR", "2"))',
    }
    for name, line in wrong.items():
        finding = next(f for f in checked(FAULTS[name]).findings if f.check == FAULTS[name].kind)
        number = int(re.search(r"faults\.py:(\d+) in ", finding.where)[1])  # type: ignore[index]
        assert lines[number - 1].strip() == line, finding


def test_the_page_shows_what_was_seen_where_and_the_remedy() -> None:
    page = str(checked(FAULTS["counts in a global"]))
    first, *rest = page.splitlines()
    assert first.startswith("counts_in_a_global (") and first.endswith(
        "numpy_function, stateful=False, 3 samples: 1 problem"
    )
    assert re.search(r"1\. +state: it writes into global 'COUNT': was \d+, is \d+\n +where .*\n +remedy ", page)
    assert any(line.split()[:1] == ["passed"] for line in rest)
    assert max(map(len, rest)) <= 120


def test_a_report_is_data() -> None:
    data = checked(FAULTS["returns its input"]).as_data()
    assert data["ok"] is False and [f["check"] for f in data["findings"]] == ["aliases"]
    assert set(data["passed"]) | set(data["skipped"]) | {"aliases"} == set(module.CHECKS)


def test_equal_findings_of_several_samples_are_one() -> None:
    findings = checked(FAULTS["wrong dtype"]).findings
    assert len(findings) == 1 and findings[0].seen.startswith("samples 0, 1, 2: 0-th value returned by wrong_dtype is")


def test_captures_are_listed_with_their_sizes() -> None:
    report = checked(FAULTS["races for a scratch array"])
    assert report.captures == ("global 'SCRATCH': float32[3], 12 bytes",)


# ---------------------------------------------------------------- its arguments


def test_a_decorated_function_has_its_own_declaration() -> None:
    @tf.numpy_function(Tout=tf.float32, stateful=False, sample=[ROWS[0]])
    def doubled(x: Any) -> Any:
        return x * np.float64(2)

    report = tf.test.check_function(doubled)
    assert "declared float32" in report.findings[0].remedy
    assert report.subject.endswith("as numpy_function, stateful=False, 1 sample")
    with pytest.raises(TypeError, match="doubled is decorated and has its own declaration; leave out Tout"):
        tf.test.check_function(doubled, ROWS, tf.float32)


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"f": 3, "samples": ROWS}, TypeError, "check_function checks a function, got 3"),
        ({"samples": None}, TypeError, "samples must be a list with a tuple of inputs for each call"),
        ({"samples": []}, ValueError, "there is no sample"),
        ({"samples": ROWS, "Tout": tf.float32, "api": "py_func"}, ValueError, "api must be one of 'py_function'"),
        (
            {"samples": ROWS, "skip": ["gradient"]},
            ValueError,
            "unknown checks in skip: gradient; there are declaration",
        ),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=re.escape(says)):
        tf.test.check_function(**{"f": lambda x: x, **arguments})


def test_a_check_is_left_out_on_request() -> None:
    report = checked(FAULTS["writes into its input"], skip=["inputs"])
    assert report.ok and report.skipped["inputs"] == "left out by skip="


def test_a_function_that_raises_is_reported_with_the_line_that_raised() -> None:
    def refuses(x: Any) -> Any:
        raise KeyError("no such row")

    report = tf.test.check_function(refuses, ROWS, **ONE)
    assert report.findings[0].seen == "samples 0, 1, 2: it raises KeyError: 'no such row'"
    assert re.search(r"test_check_function\.py:\d+ in refuses", report.findings[0].where)


def test_it_works_while_a_graph_is_built() -> None:
    with tf.Graph().as_default():
        assert tf.test.check_function(lambda x: x * 2, ROWS, tf.float32).ok


def test_a_function_may_refuse_what_is_not_a_number() -> None:
    def refuses(x: Any) -> Any:
        if np.isnan(x).any():
            raise ValueError("NaN")
        return x * 2

    assert tf.test.check_function(refuses, ROWS, **PURE, output_shapes=[3]).ok


def test_an_iteration_that_does_not_end_for_nan_is_ended() -> None:
    def halves(x: Any) -> Any:
        error = x.copy()
        while not (error < 1e-3).all():
            error = error / 2
        return error

    assert tf.test.check_function(halves, ROWS, **PURE, output_shapes=[3]).ok


def test_a_gradient_that_raises_is_reported() -> None:
    def raising(x: Any, y: Any, d: Any) -> Any:
        raise ZeroDivisionError("slope")

    report = tf.test.check_function(lambda x: x**2, ROWS, **ONE, grad=raising)
    assert [f.check for f in report.findings] == ["gradients"] and "slope" in report.findings[0].seen


def test_a_kink_is_no_evidence_of_a_wrong_gradient() -> None:
    report = tf.test.check_function(tf.nn.relu, [np.float32([0.0])], tf.float32)
    assert report.skipped["gradients"].startswith("finite differences are no evidence")


def test_a_stateful_function_that_varies_is_compared_by_its_dtypes_only() -> None:
    draw = np.random.default_rng(0)
    report = tf.test.check_function(lambda x: x + draw.normal(), [np.float64(1.0)], tf.float64, api="numpy_function")
    assert report.ok and report.notes == ("equal calls give different results, as a stateful function may",)
    assert report.skipped["threads"] == "equal calls give different results"


def test_the_check_leaves_the_environment_and_the_folder_as_they_were() -> None:
    before = os.getcwd(), dict(os.environ), type(os.environ)
    checked(FAULTS["reads the environment"])
    assert (os.getcwd(), dict(os.environ), type(os.environ)) == before


GENERATOR, LARGE = np.random.default_rng(0), np.zeros(3_000_000)


def test_a_generator_and_a_large_array_are_reported_if_the_function_is_sent() -> None:
    def draws(x: Any) -> Any:
        return x + np.float32(GENERATOR.normal() + LARGE[0])

    report = tf.test.check_function(draws, ROWS, **ONE, executor="processes")
    texts = [finding.seen for finding in report.findings]
    assert texts[0].startswith("it draws from global 'GENERATOR' (Generator), and every worker draws equal")
    assert texts[1].startswith("it is 24,00") and texts[1].endswith(" bytes when it is sent, once to each worker")
    assert {finding.check for finding in report.findings} == {"travel"}


def test_a_stateful_function_keeps_its_process() -> None:
    report = tf.test.check_function(FAULTS["captures a lock"].function, ROWS, **ONE)
    assert report.ok and report.notes[0].startswith("it cannot be sent to another process: closure variable 'lock'")


PLACE = np.zeros(3, np.float32)


def test_a_write_that_leaves_equal_values_is_found() -> None:
    def writes(x: Any) -> Any:
        PLACE[:] = x
        return PLACE * 2

    report = tf.test.check_function(writes, ROWS[:1], **PURE, skip=["threads"])
    assert [f.seen for f in report.findings] == ["it writes into global 'PLACE', values that are there already"]
    assert PLACE.flags.writeable
    report = tf.test.check_function(writes, ROWS, **PURE, skip=["threads"])
    assert "global 'PLACE': its elements were written" in report.findings[0].seen


# ---------------------------------------------------------------- its parts


def test_bits_are_compared_and_nan_equals_nan() -> None:
    nan = np.float32([np.nan, 1])
    assert same([nan], [nan.copy()]) and not same([np.float32([0.0])], [np.float32([-0.0])])
    assert not same([np.float32([1])], [np.float64([1])])
    assert same(values_of([b"a\0", "b"]), values_of([tf.constant(b"a\0"), tf.constant("b")])[:1] + values_of("b"))
    assert difference([nan], [np.float32([np.nan, 2])]) == "the result[1] is 1.0, expected 2.0"
    assert difference([], [nan]) == "0 values, expected 1"


class Holder:
    limit = [1]

    def __init__(self) -> None:
        self.table = {"a": np.zeros(2)}

    def used(self, x: Any) -> Any:
        return self.other(x) + self.limit[0]

    def other(self, x: Any) -> Any:
        return x + faults.SCALE + self.table["a"].sum()


def test_the_walk_reaches_methods_attributes_and_class_variables() -> None:
    reach = reach_of(Holder().used)
    places = {place for place, _ in reach.objects}
    assert {"attribute 'table' of the object of the method", "'limit' of class Holder"} <= places
    assert "entry 'a' of attribute 'table' of the object of the method" in places
    assert {function.__name__ for function in reach.functions} >= {"used", "other"}


def test_a_snapshot_sees_writes_into_what_is_reached() -> None:
    holder = Holder()
    before = Snapshot(reach_of(holder.used))
    assert before.changes() == []
    holder.table["a"][0] = 1
    holder.limit.append(2)
    try:
        texts = {change.place: change.text for change in before.changes()}
    finally:
        holder.limit.pop()
    assert texts == {
        "entry 'a' of attribute 'table' of the object of the method": "its elements were written",
        "'limit' of class Holder": "had 1 items, has 2",
    }


def test_writers_of_a_global_are_read_from_the_source() -> None:
    names = [writer.function for writer in writers_of("SCALE", faults.reads_a_global_that_changes)]
    assert names == ["set_scale"]
    assert writers_of("ROWS", faults.reads_a_global_that_changes) == []
    assert ast.parse(Path(faults.__file__).read_text(encoding="utf-8"))


def test_the_line_that_changes_a_value_is_followed_into_called_functions() -> None:
    values: list[int] = []

    def inner() -> None:
        values.append(1)

    def outer() -> None:
        inner()

    where = line_of_change(outer, lambda: len(values))
    assert where is not None and where.endswith(" in inner")
    assert line_of_change(lambda: None, lambda: 0) is None


def test_a_call_is_ended_after_so_many_lines() -> None:
    def endless() -> None:
        while True:
            pass

    assert lines_run(endless, 1000) == 1001


@pytest.mark.parametrize("opcodes", [False, True])
def test_a_schedule_meets_a_race_between_two_lines_and_is_the_same_for_a_seed(opcodes: bool) -> None:
    def lost_updates(seed: int) -> int:
        total = [0]

        def add() -> None:
            for _ in range(5):
                value = total[0]
                value += 1
                total[0] = value

        Schedule(4, seed, opcodes).run([add] * 4)
        return total[0]

    totals = [lost_updates(seed) for seed in range(4)]
    assert min(totals) < 20


def test_a_schedule_passes_by_threads_that_wait_for_a_lock() -> None:
    lock, seen = threading.Lock(), []

    def guarded() -> int:
        with lock:
            seen.append(1)
            return len(seen)

    assert sorted(Schedule(4, 0, False).run([guarded] * 4)) == [1, 2, 3, 4]


def test_tasks_that_raise_have_their_exception_as_result() -> None:
    def fails() -> None:
        raise KeyError("x")

    for results in (Schedule(2, 0, False).run([fails, lambda: 3]), at_once([fails, lambda: 3], 1e-4)):
        assert isinstance(results[0], KeyError) and results[1] == 3

"""The count of Keras's tests: only those that ask for an absent package are left apart."""

from __future__ import annotations

from pathlib import Path

from scripts import compare_keras

RESULTS = """<testsuites><testsuite>
<testcase classname="a_test.A" name="passes"/>
<testcase classname="a_test.A" name="fails"><failure message="ValueError: no"/></testcase>
<testcase classname="a_test.A" name="is_left_out"><skipped/></testcase>
<testcase classname="a_test.A" name="asks"><failure message="ModuleNotFoundError: No module named 'grain'"/></testcase>
<testcase classname="" name="b_test"><error message="collection failure">No module named 'torch'</error></testcase>
<testcase classname="" name="c_test"><error message="collection failure">No module named 'tensorflow'</error></testcase>
</testsuite></testsuites>"""


def test_tests_that_do_not_run_have_failed(tmp_path: Path) -> None:
    (tmp_path / "results.xml").write_text(RESULTS)
    here = compare_keras._read(tmp_path / "results.xml")
    of_a = [f"a_test.A::{name}" for name in ("passes", "fails", "is_left_out", "asks", "is_absent")]
    count, missed = compare_keras.compared([*of_a, "b_test.B::one", "c_test.C::one"], here)
    assert count == 5
    assert missed == {
        "a_test.A::fails": "failed: ValueError: no",
        "a_test.A::is_left_out": "skipped: ",
        "a_test.A::is_absent": "failed: it did not run",
        "c_test.C::one": "failed: it did not run",
    }

"""The table of forms: every form means the same in each way to call it, and every row and cell is made from it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import inlay
from benchmarks import row_tables
from benchmarks.cases import forms
from benchmarks.rows import FORM_ROWS

ROWS = {row.name: row for row in FORM_ROWS}
PAIRS = sorted({(form.name, family) for form, family, _ in forms.combinations()})
BY_NAME = {form.name: form for form in forms.FORMS}


def values(results: Any) -> list[Any]:
    """The flat values of a call's results; an operation or nothing gives none."""
    return [np.asarray(value).tolist() for value in inlay.nest.flatten(results) if hasattr(value, "dtype")]


@pytest.mark.parametrize("name, family", PAIRS)
def test_a_form_means_the_same_in_each_way_to_call_it(name: str, family: str) -> None:
    form = BY_NAME[name]
    found = [values(forms.calling(inlay, form, family, way)()) for way in form.ways]
    assert all(found[0] == other for other in found)
    assert len(found[0]) == {"no_output": 0, "two_outputs": 2, "two_inputs": 2, "nested": 3}.get(name, 1)
    if name not in ("no_output", "ufunc"):
        assert {str(value) for value in found[0]} == {str(np.asarray(value).tolist()) for value in form.inputs}


@pytest.mark.parametrize("name", sorted(forms.CASES))
def test_a_case_runs(name: str) -> None:
    assert forms.CASES[name](inlay)(2) > 0


def test_a_row_per_form_family_and_way() -> None:
    assert set(ROWS) == set(forms.CASES)
    ways = Counter(way for _, _, way in forms.combinations())
    assert ways["session"] == ways["function"] == ways["eager"] - 2  # the lambda made at each call, of either family


def test_the_goals_of_the_rows() -> None:
    def goal(name: str) -> tuple[float | None, str | None]:
        row = ROWS[name]
        return row.ratio, row.bound.text if row.bound else None

    assert goal("forms_numpy_lambda_eager") == (5, None)
    assert goal("forms_py_lambda_eager") == (60, None)
    assert goal("forms_py_lambda_session") == goal("forms_numpy_ufunc_function") == (50, None)
    assert goal("forms_numpy_ufunc_eager") == (5, "2.5 x forms_numpy_lambda_eager")
    assert goal("forms_py_number_eager") == (60, "2.5 x forms_py_lambda_eager + forms_convert_number")
    assert goal("forms_numpy_strings_eager") == (5, "2.5 x forms_numpy_lambda_eager + forms_convert_strings")
    assert goal("forms_py_strings_eager") == (60, "2.5 x forms_py_lambda_eager")
    assert goal("forms_py_kwargs_session") == (None, "2.5 x forms_py_lambda_session")
    assert goal("forms_numpy_megabyte_eager") == (None, "2.5 x forms_numpy_lambda_eager + forms_convert_megabyte")


def test_tensorflow_is_not_asked_for_what_it_lacks() -> None:
    lacking = {form.name for form, *_ in forms.combinations() if not form.in_tensorflow}
    assert lacking == {"kwargs", "nested", "output_shapes", "no_copy", "contrib"}
    for form, family, way in forms.combinations():
        assert (ROWS[forms.case_name(form, family, way)].against is None) is not form.in_tensorflow


# ---------------------------------------------------------------- the table of the page


def entry(name: str, seconds: float, ratio: float | None = None, **more: Any) -> dict[str, Any]:
    """A ledger entry of a form."""
    row = ROWS[name]
    ratios = {"tensorflow": {"median": ratio, "q1": ratio, "q3": ratio}} if ratio else {}
    return {
        "row": name,
        "subject": "inlay",
        "against": row.against,
        "seconds": {"inlay": {"median": seconds}},
        "ratios": {**ratios, **more.pop("ratios", {})},
        "goal": {"ratio": row.ratio},
        "before": None,
        "bound": None,
        **more,
    }


def lines(*entries: dict[str, Any]) -> dict[str, list[str]]:
    """The cells of the table by the title of the line."""
    table = row_tables.forms_table({e["row"]: e for e in entries})
    rows = [line.strip("|").split("|") for line in table if line.startswith("|")]
    assert len({len(cells) for cells in rows}) == 1
    return {cells[0].strip(): [cell.strip() for cell in cells[1:]] for cells in rows}


def test_the_table_has_a_line_per_form_and_family() -> None:
    assert len(lines()) == 2 + len(PAIRS)


def test_a_line_has_the_three_ways_side_by_side() -> None:
    found = lines(
        entry("forms_numpy_lambda_eager", 1e-6, 10),
        entry("forms_numpy_lambda_session", 2e-6, 60, bare={"median": 0.05}),
        entry("forms_numpy_lambda_function", 3e-6, 70),
    )
    assert found["`numpy_function`, a function"] == ["1 us", "", "10x", "2 us", "20x", "60x", "3 us", "", "70x", ""]
    assert found["`py_function`, a function"][0] == "not measured yet"
    assert found["`numpy_function`, a lambda made at each call"][3:] == [""] * 7


def test_what_misses_a_goal_is_bold() -> None:
    bound = {"median": 2.5e-6}
    found = lines(
        entry("forms_numpy_ufunc_eager", 3e-6, 4.0, bound=bound),
        entry("forms_py_list_eager", 2e-6, 61.0, bound=bound),
        entry("forms_py_list_session", 2e-6, 49.0),
    )
    assert found["`numpy_function`, `np.sinh`"][:3] == ["**3 us** (≤ 2.5 us)", "", "**4x**"]
    assert found["`py_function`, `Tout=[tf.float32]`"][:6] == ["2 us (≤ 2.5 us)", "", "61x", "2 us", "", "**49x**"]


def test_what_is_slower_than_before_is_bold() -> None:
    slower, as_fast = {"median": 0.8, "q1": 0.7, "q3": 0.9}, {"median": 1.1, "q1": 0.7, "q3": 1.3}
    found = lines(
        entry("forms_py_lambda_eager", 1e-6, 100, before="before", ratios={"before": slower}),
        entry("forms_py_lambda_session", 1e-6, 100, before="before", ratios={"before": as_fast}),
    )
    assert found["`py_function`, a function"][-1] == "**0.80**, 1.10"


def test_the_conversions_stand_below() -> None:
    assert row_tables.forms_table({n: entry(n, 1e-6) for n in forms.CONVERSIONS})[-1] == (
        "NumPy alone: an array 1 us, a number, there and back 1 us, 4 strings, there and back 1 us, 1 MB 1 us."
    )

"""The comparison notices what it is for: each kind of difference, and stale recordings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf
from tests.recorded.compare_results import Difference, Entry, differences, stale
from tests.recorded.comparing import differs
from tests.recorded.draws import Call, Draws, Given, fingerprint, text_of
from tests.recorded.make_results import telling
from tests.recorded.outcomes import Case, case_of, outcome


def of_square(way: str, shape: tuple[int, ...] = (2,), name: str = "square") -> Case:
    return Case(name, 0, way, Call((Given(np.arange(1, 1 + np.prod(shape), dtype=np.float32).reshape(shape)),), {}))


@pytest.mark.parametrize("way", ["eager", "graph full", "graph dims", "function full"])
def test_an_outcome_holds_values_and_derivatives(way: str) -> None:
    found = outcome(tf, of_square(way))
    assert found["y"] == [["tensor", "float32", [2], [1.0, 4.0]]]
    assert found["g"] == [["tensor", "float32", [2], [2.0, 5.0]]]  # weighted with 1 and 1.25
    assert found["h"] == [["tensor", "float32", [2], [2.0, 3.125]]]
    assert found.get("s") == {"eager": None, "graph dims": [[None]]}.get(way, [[2]])


def test_an_exception_is_an_outcome() -> None:
    bad = Case("reshape", 0, "eager", Call((Given(np.zeros(3, np.float32)), [2, 2]), {}))
    assert outcome(tf, bad)["e"] == "InvalidArgumentError"


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"y": [["tensor", "float32", [2], [1.0, 4.5]]]}, "value"),
        ({"y": [["tensor", "float64", [2], [1.0, 4.0]]]}, "dtype"),
        ({"y": [["tensor", "float32", [1, 2], [1.0, 4.0]]]}, "shape"),
        ({"y": [["ragged", "float32", [2], [1.0, 4.0]]]}, "kind"),
        ({"s": [[None]]}, "static"),
        ({"g": [None]}, "gradient: None"),
        ({"g": [["tensor", "float32", [2], [2.0, 5.5]]]}, "gradient: value"),
        ({"g": [["slices", "float32", [2], [2.0, 5.0]]]}, "gradient: slices wanted"),
        ({"h": [["tensor", "float32", [2], [2.0, 3.0]]]}, "second: value"),
        ({"e": "ValueError", "text": "no"}, "accepted"),
        (
            {"e": "TypeError", "text": "Value for attr 'T' of half is not in the list of allowed values"},
            "dtype accepted",
        ),
        (
            {"e": "TypeError", "text": "Value for attr 'T' of int8 is not in the list of allowed values"},
            "numbers cast",
        ),
        ({"e": "AttributeError", "text": "'list' object has no attribute 'shape'"}, "breaks there"),
        ({"e": "TypeError", "text": "unsupported operand type(s) for -: 'NoneType' and 'int'"}, "breaks there"),
        ({"e": "AttributeError", "text": "image dtype must be either floating point or integer"}, "accepted"),
        ({"e": "ValueError", "text": "TypeError: object of type 'RaggedTensor' has no len()"}, "accepted"),
        ({"e": "TypeError", "text": "Value for attr 'Tidx' of float is not in the list of allowed values"}, "accepted"),
        ({"e": "ValueError", "text": "axis has another dtype"}, "accepted"),
    ],
)
def test_each_difference_is_found(change: dict[str, Any], what: str) -> None:
    got = outcome(tf, of_square("graph full"))
    assert differs(got, got) is None
    found = differs(got, {**got, **change})
    if what == "static":
        assert found is None  # TensorFlow knows less
        found = differs({**got, **change}, got)
    assert found is not None and found[0] == what


def test_a_wider_class_of_exception_is_another_one() -> None:
    error = {"e": "InvalidArgumentError", "text": ""}
    assert differs({"e": "ValueError", "text": ""}, error) is None
    assert differs({"e": "RuntimeError", "text": ""}, error) == (
        "error",
        "RuntimeError: ; TensorFlow InvalidArgumentError: ",
    )
    assert differs(error, outcome(tf, of_square("eager"))) == ("refused", "InvalidArgumentError: ")


def test_a_call_is_its_name_and_number() -> None:
    first, again, other = (case_of("add", index, "1") for index in (3, 3, 4))
    assert text_of("add", first.call) == text_of("add", again.call)
    assert fingerprint("add", first.call) == fingerprint("add", again.call) != fingerprint("add", other.call)


def test_a_recording_of_another_call_is_stale() -> None:
    with pytest.raises(AssertionError, match="add: its calls changed: record it again"):
        list(differences({"add": [{"i": 0, "way": "eager", "print": 0}]}, "1"))


def test_what_no_longer_differs_is_told() -> None:
    listed = [Entry("not yet", calls=(("abs", (1, 2)),)), Entry("meant", "value", ("exp",))]
    difference = Difference(Case("abs", 1, "eager", Draws("x").call()), "value", "")
    assert stale(listed, [difference], lambda name, index: True) == ["abs 2", "exp: value"]


@pytest.mark.parametrize(
    ("rule", "holds"),
    [
        ({"names": ("exp",)}, True),
        ({"names": ("*",)}, True),
        ({"also": ("exp",)}, True),
        ({"names": ("abs",)}, False),
        ({"names": ("exp",), "what": "value"}, True),
        ({"names": ("exp",), "what": "gradient"}, False),
        ({"names": ("exp",), "way": "rank|dims"}, True),
        ({"names": ("exp",), "way": "full"}, False),
        ({"names": ("exp",), "call": "float32"}, True),
        ({"names": ("exp",), "call": "float64"}, False),
        ({"names": ("exp",), "words": "TensorFlow .*nan"}, True),
        ({"names": ("exp",), "words": "TensorFlow .*inf"}, False),
    ],
)
def test_a_rule_holds_for_calls_that_have_all_it_names(rule: dict[str, Any], holds: bool) -> None:
    case = Case("exp", 7, "graph rank", Call((Given(np.zeros(2, np.float32)),), {}))
    assert Entry("meant", **rule).lists(Difference(case, "value", "1.0, TensorFlow nan")) is holds


def test_a_rule_that_only_other_seeds_show_is_not_stale() -> None:
    assert stale([Entry("meant", "value", also=("exp",))], [], lambda name, index: True) == []


@pytest.mark.parametrize(
    ("here", "there", "enough"),
    [
        ([2], [2], True),
        ([None], [2], False),
        ([None], [3], True),
        ([3], [2], False),
        (None, [2], False),
        ([2], None, True),
    ],
)
def test_a_static_shape_need_not_know_what_is_untrue(here: Any, there: Any, enough: bool) -> None:
    row = outcome(tf, of_square("graph full"))
    assert (differs({**row, "s": [here]}, {**row, "s": [there]}) is None) is enough


def test_tensors_stand_where_they_were_given() -> None:
    """Also where some are positional and some are keywords."""
    call = Call((Given(np.array([4.0, 9.0])),), {"axis": Given(np.array(0))})
    assert outcome(tf, Case("reduce_sum", 0, "eager", call))["y"] == [["tensor", "float64", [], [13.0]]]


def test_a_message_is_recorded_by_the_line_that_says_what_happened() -> None:
    where = "Detected at node G defined at (most recent call last):\n  File 'a'\n\n"
    graph = f"Graph execution error:\n\n{where}indices = 7\n\t [[G]]"
    assert telling(graph) == "indices = 7"
    assert telling("no\nmore") == "no" and telling("") == ""

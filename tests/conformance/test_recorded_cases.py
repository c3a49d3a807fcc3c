"""Outcomes recorded from TensorFlow 2.21 (cases/), case by case; intended differences stand in deviations.toml."""

from __future__ import annotations

import importlib.util
import json
import re
import tomllib
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import inlay as tf

HERE = Path(__file__).parent


def _load_cases() -> Any:
    spec = importlib.util.spec_from_file_location("recorded_tf_cases", HERE / "cases" / "tf_cases.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spec.loader.exec_module(module)
    return module


RECORDED = _load_cases()
CASES = {case.id: case for case in RECORDED.CASES}
EXPECTED: dict[str, Any] = json.loads((HERE / "cases" / "expected.json").read_text(encoding="utf-8"))
LISTS = tomllib.loads((HERE / "deviations.toml").read_text(encoding="utf-8"))
DEVIATIONS: dict[str, str] = LISTS["deviations"]


def outcome(case_id: str) -> Any:
    """What a case gives here, in the form of the recording."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return RECORDED.run_case(CASES[case_id], tf)


@dataclass(frozen=True)
class Value:
    """The better outcome is this value, in the recording's form."""

    ok: Any


@dataclass(frozen=True)
class Raises:
    """The better outcome is this error; every pattern must be found in its message."""

    classes: tuple[type[BaseException], ...]
    patterns: tuple[str, ...]


def raises(*classes: type[BaseException], says: list[str]) -> Raises:
    return Raises(classes, tuple(says))


def eager(dtype: str, shape: str, *values: Any) -> dict[str, Any]:
    return {"k": "eager", "dtype": dtype, "shape": shape, "v": list(values)}


def array(dtype: str, shape: list[int], *values: Any) -> dict[str, Any]:
    return {"k": "ndarray", "dtype": dtype, "shape": shape, "v": list(values)}


def scalar(dtype: str, value: Any) -> dict[str, Any]:
    return {"k": "npscalar", "dtype": dtype, "shape": [], "v": [value]}


IAE = tf.errors.InvalidArgumentError
LIE = [r"output 0 of \S+<lambda> has shape \[3\]; declared is \[2\]", "set_shape"]
BETTER: dict[str, Value | Raises] = {
    "recv.npf.eager.scalar_is_0d_array_f64": Value(["float32/float32"]),
    "recv.npf.eager.list_is_i64": Value(["ndarray/int32"]),
    "recv.npf.eager.str_is_U": Value(["ndarray/object"]),
    "recv.npf.eager.none_is_object": raises(ValueError, says=[r"Attempt to convert a value \(None\)", "input 0"]),
    "out.empty.returns_value.pyf": raises(IAE, says=["returns 1 values, but expects to see 0 values"]),
    "out.single.returns_None.npf.eager": raises(IAE, says=["returns 0 values, but expects to see 1 values"]),
    "out.single.returns_two.pyf_truncates": raises(IAE, says=["returns 2 values, but expects to see 1 values"]),
    "out.single.returns_two.npf.eager": raises(IAE, says=["returns 2 values, but expects to see 1 values"]),
    "tout.bogus.npf.eager": raises(TypeError, says=["Cannot convert the argument `type_value`: 'bogus'"]),
    "tout.tensorspec.static_shape": Value("(2,)"),
    "tout.tensorspec.npf.graph": raises(IAE, says=["0-th value returned by .* is double, but expects float"]),
    "tout.stateful_kw_rejected_by_pyf": Value(eager("float32", "()", 1.0)),
    "deco.kwargs_rejected": Value(eager("float32", "()", 3.0)),
    "dtype.pyf.f64_array_i32_truncates": raises(IAE, ValueError, says=["Cannot convert .*1.5.* without changing"]),
    "dtype.pyf.npf64_scalar_i32_truncates": raises(IAE, ValueError, says=["Cannot convert .*1.5.* without changing"]),
    "dtype.pyf.u8_array_wraps": raises(IAE, ValueError, says=["Cannot convert .*300.* dtype uint8 without changing"]),
    "dtype.npf.graph.U_array_nonascii_error": Value(array("object", [1], {"bytes": "hÃ©"})),
    "dtype.pyf.masked_array_mask_lost": raises(IAE, ValueError, says=["mask would be lost", "filled"]),
    "shape.set_shape_lie_unchecked": raises(IAE, says=LIE),
    "shape.set_shape_lie_changes_size": raises(IAE, says=LIE),
    "state.two_stateless_same_func_not_merged": Value(1),
    "alias.shared_intermediate_corrupted": Value(array("float32", [3], 2.0, 2.0, 2.0)),
    "alias.aligned_feed_corrupted": Value(array("float32", [2], 0.0, 0.0)),
    "alias.tf_function_result_aliases_aligned_buffer": Value(array("float32", [2], 0.0, 0.0)),
    "exc.npf.eager_raw.ValueError": raises(IAE, ValueError, says=["ValueError: boo"]),
    "exc.npf.eager_raw.KeyError": raises(tf.errors.UnknownError, KeyError, says=["KeyError: 'boo'"]),
    "exc.npf.eager_raw.Custom": raises(tf.errors.UnknownError, RECORDED._Custom, says=["_Custom: boo"]),
    "exc.tf_error_loses_class": raises(tf.errors.NotFoundError, says=["NotFoundError: boo"]),
    "exc.cause_is_None": Value(False),
    "grad.second_order_is_None": Value([eager("float32", "()", 27.0), eager("float32", "()", 18.0)]),
    "grad.second_order_tf_gradients_None": Value([False, None]),
    "grad.persistent_tape_second_call_fails": Value(eager("float32", "()", 6.0)),
    "grad.two_tf_gradients_nodes_fail": Value([scalar("float32", 6.0)] * 2),
    "grad.in_while_loop_fails": Value(eager("float32", "()", 8.0)),
    "grad.unused_input_gradient_shape": Value(
        [eager("float32", "(2,)", 2.0, 4.0), eager("float32", "(1, 2)", 0.0, 0.0)]
    ),
    "grad.string_input_breaks": Value(eager("float32", "()", 6.0)),
    "grad.concurrent_runs_both_right": Value(True),
    "feed.eager_value_error": Value(array("float32", [2], 1.0, 2.0)),
    "feed.int_ph_gets_float_truncates": raises(ValueError, says=["Cannot convert .*1.5", "without changing", "q:0"]),
    "feed.i32_ph_big_array_wraps": raises(ValueError, says=["Cannot convert .*1099511627781", "q:0"]),
}


def test_every_recorded_case_is_here() -> None:
    assert sorted(CASES) == sorted(EXPECTED)


@pytest.mark.parametrize("case_id", [i for i in CASES if i not in DEVIATIONS])
def test_case_agrees_with_tensorflow(case_id: str) -> None:
    assert outcome(case_id) == EXPECTED[case_id]


@pytest.mark.parametrize("case_id", list(DEVIATIONS))
def test_only_warts_deviate_and_each_says_why(case_id: str) -> None:
    assert CASES[case_id].wart
    assert DEVIATIONS[case_id].strip().endswith(".")
    assert case_id in BETTER


@pytest.mark.parametrize("case_id", list(DEVIATIONS))
def test_deviation_has_its_better_outcome(case_id: str) -> None:
    assert outcome(case_id) != EXPECTED[case_id]
    _assert_better(case_id)


def test_no_better_outcome_is_asserted_without_being_listed() -> None:
    assert sorted(BETTER) == sorted(DEVIATIONS)


def _assert_better(case_id: str) -> None:
    better = BETTER[case_id]
    if case_id == "grad.second_order_tf_gradients_None":
        # The case itself only says whether there is a node; the value is what counts.
        x = RECORDED.static(tf, lambda: _second_order())
        assert x == 18.0
    elif isinstance(better, Value):
        assert outcome(case_id) == {"ok": better.ok}
    else:
        with pytest.raises(better.classes[0]) as caught:
            CASES[case_id].fn(tf)
        for cls in better.classes:
            assert isinstance(caught.value, cls)
        for pattern in better.patterns:
            assert re.search(pattern, str(caught.value), re.DOTALL), str(caught.value)


def _second_order() -> float:
    x = tf.constant(3.0)
    first = tf.gradients(tf.py_function(lambda v: v * v * v, [x], tf.float32), x)[0]
    with tf.compat.v1.Session() as session:
        return float(session.run(tf.gradients(first, x)[0]))

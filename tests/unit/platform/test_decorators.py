"""Decorators of tests: in which modes what they decorate runs."""

from __future__ import annotations

import unittest
from typing import Any

import pytest

import inlay as tf
from inlay._src.tf1.platform import decorators
from inlay._src.tools.unmodified.imports import as_tensorflow


def _ran(case: type[unittest.TestCase]) -> unittest.TestResult:
    result = unittest.TestResult()
    names = unittest.defaultTestLoader.getTestCaseNames(case)
    unittest.TestSuite(case(name) for name in names if name != "test_session").run(result)
    tf.random.set_seed(None)
    return result


@pytest.mark.parametrize("called", [False, True])
def test_a_test_runs_in_a_graph_and_eagerly(called: bool) -> None:
    modes: list[Any] = []

    class Case(tf.test.TestCase):
        def setUp(self) -> None:
            super().setUp()
            modes.append("set up")

        def testBoth(self) -> None:
            modes.append(tf.executing_eagerly())
            v = tf.Variable(2.0)
            self.evaluate(tf.compat.v1.global_variables_initializer())
            self.assertAllEqual(self.evaluate(v * 3.0), 6.0)

        both = decorators.run_in_graph_and_eager_modes
        testBoth = both()(testBoth) if called else both(testBoth)

    result = _ran(Case)
    assert result.wasSuccessful(), result.errors
    assert modes == ["set up", False, "set up", True]


def test_every_test_of_a_class_runs_in_both() -> None:
    modes: list[bool] = []

    @decorators.run_all_in_graph_and_eager_modes
    class Case(tf.test.TestCase):
        def test_it(self) -> None:
            modes.append(tf.executing_eagerly())

        def helps(self) -> None:
            """No test."""

    assert _ran(Case).wasSuccessful() and modes == [False, True]
    with pytest.raises(ValueError, match="run_all_in_graph_and_eager_modes"):
        decorators.run_in_graph_and_eager_modes(Case)


def test_a_failure_of_either_mode_is_one() -> None:
    class Case(tf.test.TestCase):
        @decorators.run_in_graph_and_eager_modes
        def test_it(self) -> None:
            self.assertFalse(tf.executing_eagerly())

    assert len(_ran(Case).failures) == 1


def test_behaviors() -> None:
    ran: list[str] = []

    class Case(tf.test.TestCase):
        @decorators.run_v1_only("of 1.x")
        def test_first(self) -> None:
            ran.append("first")

        @decorators.run_v2_only
        def test_second(self) -> None:
            ran.append("second")

        @decorators.run_deprecated_v1
        def test_graph(self) -> None:
            assert not tf.executing_eagerly()
            ran.append("graph")

        @decorators.skip_if(lambda: True)
        def test_passed_over(self) -> None:
            ran.append("passed over")

        @decorators.also_run_as_tf_function
        def test_function(self) -> None:
            ran.append(f"function {tf.executing_eagerly()}")

        @decorators.build_as_function_and_v1_graph
        def test_graphs(self) -> None:
            ran.append(f"graphs {tf.executing_eagerly()}")

        @decorators.disable_xla("it is not asked for")
        @decorators.assert_no_new_tensors
        def test_plain(self) -> None:
            ran.append("plain")

    result = _ran(Case)
    assert result.wasSuccessful() and [reason for _, reason in result.skipped] == ["of 1.x"]
    assert sorted(ran) == [
        "function False", "function True", "graph", "graphs False", "graphs False", "plain", "second",
    ]  # fmt: skip
    ran.clear()
    tf.compat.v1.disable_v2_behavior()
    try:
        assert [reason for _, reason in _ran(Case).skipped] == ["Test is only compatible with v2"]
        assert "first" in ran and "second" not in ran
    finally:
        tf.compat.v1.enable_v2_behavior()


def test_programs_find_them_under_tensorflows_names() -> None:
    with as_tensorflow():
        from tensorflow.contrib.eager import run_test_in_graph_and_eager_modes  # type: ignore[import-not-found]
        from tensorflow.python.eager import context  # type: ignore[import-not-found]
        from tensorflow.python.framework import function, test_util  # type: ignore[import-not-found]

        assert test_util.run_in_graph_and_eager_modes is decorators.run_in_graph_and_eager_modes
        assert run_test_in_graph_and_eager_modes is decorators.run_in_graph_and_eager_modes
        assert not test_util.IsMklEnabled()
        with context.graph_mode():
            assert not context.executing_eagerly()
            with context.eager_mode():
                assert context.executing_eagerly() and float(tf.constant(1.0)) == 1.0
            assert not context.executing_eagerly()
        assert function.Defun(tf.float32)(lambda x: x).name == "<lambda>"

"""TestCase: its comparisons pass and fail where TensorFlow's do."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import unittest
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf


class Case(tf.test.TestCase):
    """A test that does nothing by itself."""

    __test__ = False

    def runTest(self) -> None:
        """Nothing."""


@pytest.fixture
def case() -> Any:
    made = Case()
    made.setUp()
    yield made
    made.tearDown()
    made.doCleanups()
    tf.random.set_seed(None)


PASSING: dict[str, Callable[[Any], Any]] = {
    "integers": lambda c: c.assertAllEqual([1, 2], tf.constant([1, 2])),
    "nests": lambda c: c.assertAllClose(
        {"a": [1.0], "b": (2.0, [3.0])}, {"a": tf.constant([1.0000001]), "b": (2.0, [3.0])}
    ),
    "ragged": lambda c: c.assertAllEqual(tf.ragged.constant([[1], [2, 3]]), [[1], [2, 3]]),
    "text": lambda c: c.assertAllEqual([b"a", "b"], tf.constant(["a", "b"])),
    "nan": lambda c: (c.assertAllEqual([np.nan], [np.nan]), c.assertAllClose([np.nan], [np.nan])),
    "infinity": lambda c: c.assertAllClose([np.inf, -np.inf], [np.inf, -np.inf]),
    "half": lambda c: c.assertAllClose(np.float16(1), np.float16(1.0009766)),
    "bfloat16": lambda c: c.assertAllClose(tf.constant(1.0, tf.bfloat16), tf.constant(1.0078125, tf.bfloat16)),
    "by type": lambda c: c.assertAllCloseAccordingToType(np.float32(1), np.float32(1.00001), float_rtol=1e-4),
    "not equal": lambda c: (c.assertNotAllEqual([1], [2]), c.assertNotAllClose([1.0], [1.1])),
    "bounds": lambda c: (c.assertAllGreater([2], 1), c.assertAllLess([0], 1), c.assertAllGreaterEqual([1], 1)),
    "range": lambda c: (c.assertAllInRange([1, 2], 1, 2), c.assertAllLessEqual([1], 1)),
    "set": lambda c: c.assertAllInSet([[1, 2]], {1, 2, 3}),
    "near": lambda c: (c.assertNear(1.0, 1.05, 0.1), c.assertArrayNear([1.0], [1.01], 0.1)),
    "norm": lambda c: c.assertNDArrayNear(np.ones(2), np.ones(2), 0.1),
    "shape": lambda c: c.assertShapeEqual(np.ones((2, 3)), tf.ones([2, 3])),
    "dtype": lambda c: c.assertDTypeEqual(tf.ones([1]), tf.float32),
    "device": lambda c: c.assertDeviceEqual("/cpu:0", "/device:CPU:0"),
    "message": lambda c: c.assertProtoEquals(
        "feature { key: 'a' value { int64_list { value: 3 } } }",
        tf.train.Features(feature={"a": tf.train.Feature(int64_list=tf.train.Int64List(value=[3]))}),
    ),
    "near message": lambda c: c.assertProtoEquals(
        "value: 1.0", tf.train.FloatList(value=[1.0001]), relative_tolerance=1e-3
    ),
    "beginning": lambda c: (c.assertStartsWith("abc", "ab"), c.assertItemsEqual([1, 2], [2, 1]), c.assertLen([1], 1)),
}
FAILING: dict[str, Callable[[Any], Any]] = {
    "1 of 2 elements are not equal:\n  at \\[1\\]: 2 vs. 3": lambda c: c.assertAllEqual([1, 2], tf.constant([1, 3])),
    "Shape mismatch: expected \\(1,\\), got \\(1, 1\\)": lambda c: c.assertAllEqual([1], [[1]]),
    "rtol=1e-06, atol=1e-06: 1 of 2 .*difference is 0.1": lambda c: c.assertAllClose([1.0, 2.0], [1.0, 2.1]),
    "mismatched keys: \\['a'\\] vs. \\['b'\\]": lambda c: c.assertAllClose({"a": 1}, {"b": 1}),
    "not equal.* at \\['a'\\]\\[1\\]": lambda c: c.assertAllEqual({"a": (1, [2, [3]])}, {"a": (1, [2, [4]])}),
    "Not equal to tolerance": lambda c: c.assertAllClose([np.inf], [1.0]),
    "1 of 2 elements are not in \\[1, 2\\]: \\(1,\\): 5": lambda c: c.assertAllInRange([1, 5], 1, 2),
    "in \\[1, 2\\)": lambda c: c.assertAllInRange([1, 2], 1, 2, open_upper_bound=True),
    "not in the set": lambda c: c.assertAllInSet([1, 4], {1}),
    "at \\[0\\]: b'a' vs. b'b'": lambda c: c.assertAllEqual(["a"], ["b"]),
    "equal at all": lambda c: c.assertNotAllEqual([1], [1]),
    "close at all": lambda c: c.assertNotAllClose([1], [1]),
    "float32 != tf.int32": lambda c: c.assertDTypeEqual(tf.ones([1]), tf.int32),
    "\\(2,\\) != \\(3,\\)": lambda c: c.assertShapeEqual(np.ones(2), tf.ones([3])),
    "Length mismatch": lambda c: c.assertAllEqual(tf.ragged.constant([[1], [2, 3]]), [[1], [2, 3], [4]]),
    "are not equal": lambda c: c.assertDeviceEqual("/cpu:0", "/gpu:0"),
    "with words": lambda c: c.assertAllEqual([1], [2], "with words"),
    "int64_list": lambda c: c.assertProtoEquals("int64_list { value: 3 }", tf.train.Feature()),
}


@pytest.mark.parametrize("name", PASSING)
def test_passes(case: Any, name: str) -> None:
    PASSING[name](case)


@pytest.mark.parametrize("text", FAILING)
def test_fails(case: Any, text: str) -> None:
    with pytest.raises(AssertionError) as caught:
        FAILING[text](case)
    assert re.search(text.replace(".*", "(.|\n)*"), str(caught.value)), caught.value


def test_errors_are_told_by_their_words(case: Any) -> None:
    with case.assertRaisesOpError("Matrix size-incompatible"):
        tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))
    with case.assertRaisesIncompatibleShapesError():
        tf.ones([2]) + tf.ones([3])
    with case.assertRaisesWithPredicateMatch(ValueError, lambda error: error.args == ("x",)):
        raise ValueError("x")
    with (
        pytest.raises(AssertionError, match="does not fit 'y'"),
        case.assertRaisesWithPredicateMatch(ValueError, "y"),
    ):
        raise ValueError("x")
    with pytest.raises(AssertionError, match="OpError not raised"), case.assertRaisesOpError("x"):
        pass


def test_values_in_both_modes(case: Any) -> None:
    assert case.evaluate([tf.constant(1), {"x": lambda: tf.constant(2.0)}]) == [1, {"x": 2.0}]
    sparse = case.evaluate(tf.SparseTensor([[0]], [3], [1]))
    assert isinstance(sparse, tf.compat.v1.SparseTensorValue) and sparse.values == [3]
    with case.session() as session:
        assert session is None
    with case.cached_session() as session:
        assert session.run(tf.constant(3)) == 3
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [])
        with case.session() as session:
            assert session.run(x * 2, {x: 2.0}) == 4
            assert case.evaluate(tf.constant(5)) == 5
        with case.cached_session() as first, case.test_session() as second:
            assert first is second and case.evaluate(tf.constant(5)) == 5
        with tf.Graph().as_default() as other, pytest.raises(ValueError, match="different"), case.cached_session(other):
            pass


def test_random_numbers_are_the_same_in_every_test(case: Any) -> None:
    first = np.random.rand(), tf.random.uniform([]).numpy()
    case.setUp()
    assert (np.random.rand(), tf.random.uniform([]).numpy()) == first


def test_threads_fail_where_they_are_joined(case: Any) -> None:
    thread = case.checkedThread(divmod, (1, 0))
    thread.start()
    with pytest.raises(AssertionError, match="Error in checkedThread: "):
        thread.join()
    assert not thread.is_alive()


def test_what_is_written_to_a_stream_is_seen(case: Any, capfd: pytest.CaptureFixture[str]) -> None:
    with open(os.path.join(case.get_temp_dir(), "out"), "w") as file:
        with case.captureWritesToStream(file) as captured:
            file.write("hello")
            assert captured.contents() == "hello"
        file.write("after")
    assert captured.contents() == "hello"
    with open(file.name) as file:
        assert file.read() == "after"


def test_a_session_is_no_test() -> None:
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(tf.test.TestCase).run(result)
    assert result.testsRun == 1 and len(result.skipped) == 1


def test_main_runs_the_tests_of_a_program(tmp_path: Any) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import inlay as tf\nclass T(tf.test.TestCase):\n"
        "  def test_one(self): self.assertAllEqual([1], tf.constant([2]))\n"
        "if __name__ == '__main__': tf.test.main()\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "1 of 1 elements are not equal" in done.stderr

"""tf.print, Print and assertions: when they run, what they say."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf


def test_print_writes_to_standard_error_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    tf.print("x:", tf.constant([1.5, 2]), 3, None, {"a": tf.constant([True])}, [tf.constant(1), "s"])
    tf.print(tf.constant("abc"), output_stream=sys.stdout, end="!\n")
    tf.print(tf.constant("abc"), tf.range(8), sep="|", summarize=1)
    out, err = capsys.readouterr()
    assert (out, err) == ("abc!\n", "x: [1.5 2] 3 None {'a': [1]} [1, 's']\n\"abc\"|[0 ... 7]\n")


def test_print_in_a_function_runs_each_call_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def f(x: Any) -> Any:
        tf.print("one", x)
        tf.print("two", x)
        return x

    f(tf.constant(1))
    f(tf.constant(2))
    assert capsys.readouterr().err == "one 1\ntwo 1\none 2\ntwo 2\n"


def test_print_in_a_graph_is_an_operation(capsys: pytest.CaptureFixture[str]) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.placeholder(tf.float32)
        shown = tf.print("x", x)
        with tf.control_dependencies([shown]):
            y = x + 1.0
        session.run(x + 2.0, {x: 1.0})
        assert capsys.readouterr().err == ""
        session.run(y, {x: 1.0})
        assert session.run(shown, {x: 5.0}) is None
    assert capsys.readouterr().err == "x 1\nx 5\n"


def test_print_appends_to_a_file(tmp_path: Any) -> None:
    path = tmp_path / "log.txt"
    tf.print("a", output_stream=f"file://{path}")
    tf.print("b", output_stream=f"file://{path}")
    assert path.read_text() == "a\nb\n"
    with pytest.raises(ValueError, match="Unsupported output stream"):
        tf.print("a", output_stream=object())
    with pytest.raises(ValueError, match="Unrecognized keyword arguments"):
        tf.print("a", file=sys.stderr)


def test_the_older_print_passes_its_input_on_and_lets_gradients_through(capsys: pytest.CaptureFixture[str]) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.placeholder(tf.float32)
        y = tf.compat.v1.Print(x, [x, "hey", tf.range(5)], "at: ", first_n=2, summarize=3)
        dx = tf.gradients(y * y, x)[0]
        assert [session.run(dx, {x: v}) for v in (1.0, 2.0, 3.0)] == [2.0, 4.0, 6.0]
    assert capsys.readouterr().err == "at: [1][hey][0 1 2...]\nat: [2][hey][0 1 2...]\n"


FAILING: dict[str, tuple[Callable[[], Any], type[BaseException], str]] = {
    "equal": (
        lambda: tf.debugging.assert_equal(1, 2, message="m"),
        tf.errors.InvalidArgumentError,
        "m\nCondition x == y did not hold.\nFirst 1 elements of x:\n[1]\nFirst 1 elements of y:\n[2]",
    ),
    "less": (
        lambda: tf.debugging.assert_less([1, 5], [2, 3]),
        tf.errors.InvalidArgumentError,
        "Condition x < y did not hold.\nIndices of first 1 different values:\n[[1]]\nCorresponding x values:\n[5]\n"
        "Corresponding y values:\n[3]\nFirst 2 elements of x:\n[1 5]\nFirst 2 elements of y:\n[2 3]",
    ),
    "positive": (lambda: tf.debugging.assert_positive([-1.0]), tf.errors.InvalidArgumentError, "Condition x > 0"),
    "near": (lambda: tf.debugging.assert_near([1.0], [1.1]), tf.errors.InvalidArgumentError, "not equal to tolerance"),
    "rank": (lambda: tf.debugging.assert_rank([1], 2), ValueError, "must have rank 2.  Received rank 1, shape (1,)"),
    "rank_in": (lambda: tf.debugging.assert_rank_in([1], [0, 2]), ValueError, "must have rank in (0, 2)"),
    "scalar": (lambda: tf.debugging.assert_scalar([1]), ValueError, "Expected scalar shape, saw shape: (1,)."),
    "type": (lambda: tf.debugging.assert_type([1], tf.float32), TypeError, "must be of type tf.float32; got tf.int32"),
    "integer": (lambda: tf.debugging.assert_integer([1.0]), TypeError, "to be integer type"),
    "shapes": (lambda: tf.debugging.assert_shapes([(tf.zeros([2, 3]), "nn")]), ValueError, "must have size 2"),
    "finite": (
        lambda: tf.debugging.check_numerics([1.0, np.nan, np.inf], "oops"),
        tf.errors.InvalidArgumentError,
        "oops : Tensor had Inf and NaN values",
    ),
    "Assert": (
        lambda: tf.debugging.Assert(False, [tf.range(5), "x"]),
        tf.errors.InvalidArgumentError,
        "assertion failed: [0 1 2...] [x]",
    ),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_failed_assertion_shows_the_values(name: str) -> None:
    call, kind, text = FAILING[name]
    with pytest.raises(kind) as caught:
        call()
    assert text in str(caught.value)


def test_what_holds_says_nothing() -> None:
    assert tf.debugging.assert_equal([1, 2], [1, 2]) is None
    assert tf.debugging.assert_equal("a", b"a") is None
    assert tf.debugging.assert_shapes({tf.zeros([2, 3]).ref(): ("n", 3)}) is None
    tf.debugging.assert_all_finite([1.0], "fine")


def test_assertions_in_graphs_run_when_something_depends_on_them() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.placeholder(tf.int32)
        check = tf.compat.v1.assert_less(p, [3, 4], message="small")
        with tf.control_dependencies([check]):
            y = tf.identity(p)
        assert session.run(y, {p: [2, 3]}).tolist() == [2, 3]
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(y, {p: [2, 5]})
        ranked = tf.compat.v1.assert_rank(p, 2)
        with pytest.raises(tf.errors.InvalidArgumentError, match="must have rank 2"):
            session.run(ranked, {p: [2]})
    text = "assertion failed: [small] [Condition x < y did not hold element-wise:] [x (Placeholder:0) = ] [2 5] [y ("
    assert caught.value.message.startswith(text)


def test_an_unused_assertion_in_a_function_still_runs() -> None:
    @tf.function
    def f(x: Any) -> Any:
        tf.debugging.assert_positive(x)
        return x + 1

    assert f(tf.constant(1)).numpy() == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="Condition x > 0"):
        f(tf.constant(-1))


def test_lines_may_go_to_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", logger="inlay"):
        tf.print("at", tf.constant([1, 2]), output_stream=tf.logging.info)
        tf.function(lambda x: tf.print(x, output_stream=tf.logging.warning))(tf.constant(3))
    assert [(r.levelname, r.getMessage()) for r in caplog.records] == [("INFO", "at [1 2]"), ("WARNING", "3")]


def test_shapes_are_asserted_with_prefixes_digits_scalars_and_unknown_sizes():
    scalar, row = tf.constant(1), tf.ones([1])
    tf.debugging.assert_shapes([(scalar, "a"), (row, "a"), (scalar, ()), (row, ()), (tf.ones([4, 2, 3]), "*.3")])
    tf.debugging.assert_shapes([(scalar, None), (tf.sparse.from_dense([[1.0, 0.0]]), (1, "n")), (tf.ones([2]), ["n"])])
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [None, 2])
        y = tf.compat.v1.placeholder(tf.float32)
        checked = tf.debugging.assert_shapes([(x, "nm"), (y, ("n", 3))])
        with tf.control_dependencies([checked]):
            out = tf.identity(x)
        assert session.run(out, {x: np.ones([4, 2]), y: np.ones([4, 3])}).shape == (4, 2)
        for wrong, told in ((np.ones([5, 3]), "must have size"), (np.ones([4]), "must have rank")):
            with pytest.raises(tf.errors.InvalidArgumentError, match=told):
                session.run(out, {x: np.ones([4, 2]), y: wrong})


def test_the_type_of_ragged_and_sparse_values_is_asserted_and_none_has_no_type():
    for value in (tf.ragged.constant([[1.0], [2.0, 3.0]]), tf.sparse.from_dense([[1.0, 0.0]])):
        tf.debugging.assert_type(value, tf.float32)
        with pytest.raises(TypeError, match="must be of type"):
            tf.debugging.assert_type(value, tf.int32)
    assert tf.debugging.assert_same_float_dtype([None, None], tf.float64) is tf.float64

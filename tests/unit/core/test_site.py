"""Where in the user's program something stands."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import MethodType
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core import site
from inlay._src.core.site import Site


def _here() -> Site:
    return site.caller()


def test_the_innermost_frame_outside_the_library_is_named() -> None:
    found = _here()
    assert (found.filename, found.function) == (__file__, "_here")
    assert str(found) == f"{__file__}:{found.lineno} in _here"


def test_frames_of_the_library_are_left_out() -> None:
    with tf.Graph().as_default():
        made = tf.map_fn(lambda v: v + 1, tf.constant([1.0]))
    where = made.op.traceback[0]
    assert where.filename == __file__ and "left_out" in where.function


def test_one_line_makes_one_site() -> None:
    with tf.Graph().as_default():
        made = [tf.constant(float(i)) for i in range(3)]
    assert made[0].op.site is made[1].op.site is made[2].op.site


def test_nodes_of_two_lines_have_two_sites() -> None:
    with tf.Graph().as_default():
        one = tf.constant(1.0)
        two = tf.constant(1.0)
    assert two.op.site.lineno == one.op.site.lineno + 1


class _Callable:
    def __call__(self) -> None: ...

    def method(self) -> None: ...


def _plain(x: Any = None) -> Any:
    return x


def test_a_callable_is_named_with_the_line_it_is_written_on() -> None:
    line = _plain.__code__.co_firstlineno
    assert site.of_function(_plain) == f"_plain ({__file__}:{line})"
    assert site.of_function(functools.partial(_plain, 1)) == f"_plain ({__file__}:{line})"
    assert site.of_function(lambda: None).endswith(
        f"<lambda> ({__file__}:{test_a_callable_is_named_with_the_line_it_is_written_on.__code__.co_firstlineno + 4})"
    )
    assert site.of_function(_Callable().method).startswith(f"_Callable.method ({__file__}:")


def test_a_wrapped_function_is_the_one_inside() -> None:
    @functools.wraps(_plain)
    def around(*args: Any) -> Any:
        return _plain(*args)

    assert site.of_function(around).startswith("_plain (")


def test_what_has_no_code_is_named_as_python_shows_it() -> None:
    assert site.of_function(len) == "len"
    assert "_Callable" in site.of_function(_Callable())


def test_only_a_converted_function_is_taken_for_its_original() -> None:
    def original() -> None: ...

    def converted() -> None: ...

    setattr(converted, site.ORIGINAL, (converted.__code__, original))

    @functools.wraps(converted)
    def wrapper() -> None: ...

    assert site.as_written(converted) is original
    method = site.as_written(MethodType(converted, "self"))
    assert (method.__func__, method.__self__) == (original, "self")
    assert site.as_written(wrapper) is wrapper, "wraps copied the attribute, but not the code"
    assert site.as_written(original) is original
    assert site.as_written(len) is len


def test_a_function_that_is_not_to_be_converted_is_named_by_its_own_place() -> None:
    assert site.of_function(tf.autograph.experimental.do_not_convert(_plain)) == site.of_function(_plain)


@pytest.mark.parametrize(
    ("label", "short"),
    [
        ("f (/home/me/models (old)/train.py:12)", "f (train.py:12)"),
        ("f (/home/me/train.py:12)", "f (train.py:12)"),
        (r"f (C:\me\train.py:12)", "f (train.py:12)"),
        ("f.<locals>.<lambda> (<stdin>:1)", "f.<locals>.<lambda> (<stdin>:1)"),
        ("<Scale object at 0x7f26df8145e0>", "<Scale object>"),
        ("len", "len"),
    ],
)
def test_a_label_without_folder_and_address(label: str, short: str) -> None:
    assert site.without_folder(label) == short


def _twice(value: Any) -> Any:
    return value * 2


def _decorated(x: Any) -> Any:
    return tf.numpy_function(Tout=tf.float32)(_twice)(x)


def _reversed(x: Any) -> Any:
    return 1.0 - x


def _contrib(x: Any) -> Any:
    return tf.contrib.framework.py_func(_twice, [x], output_types=tf.float32)


_FORMS: dict[str, Callable[[Any], Any]] = {
    "op": lambda x: tf.add(x, x),
    "operator": lambda x: x + 1.0,
    "reflected": _reversed,
    "index": lambda x: x[0],
    "list": lambda x: tf.concat([x, [1.0]], 0),
    "composed": lambda x: tf.nn.moments(x, [0])[0],
    "method": lambda x: x.__add__(2.0),
    "py_function": lambda x: tf.py_function(_twice, [x], tf.float32),
    "py_func": lambda x: tf.compat.v1.py_func(_twice, [x], tf.float32),
    "with a number": lambda x: tf.numpy_function(np.add, [x, 1.0], tf.float32),
    "contrib": _contrib,
    "decorated": _decorated,
}


@pytest.mark.parametrize("scope", [True, False], ids=["in its scope", "outside of it"])
@pytest.mark.parametrize("form", _FORMS.values(), ids=_FORMS)
def test_whatever_makes_a_node_it_says_where_the_program_did(form: Callable[[Any], Any], scope: bool) -> None:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [3])
    if scope:
        with graph.as_default():
            form(x)
    else:  # a symbolic input builds in its own graph
        form(x)
    code: Any = form.__code__  # type: ignore[attr-defined]
    made = {(node.site.filename, node.site.function) for node in graph.nodes[1:]}
    assert made == {(__file__, code.co_name)}

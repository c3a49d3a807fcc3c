"""Python side effects in traced functions, as TensorFlow's guide "Better performance with tf.function" shows them.

    python examples/side_effects.py

A function that is traced once prints, counts and appends once; what stands in a `py_function` happens at every call,
in the order of the program. The exit status is 0 only if all is right.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable
from typing import Any

from checking import check, status

import inlay as tf


def printed(call: Callable[[], Any]) -> tuple[Any, list[str]]:
    """What a call returned, and the lines that it printed."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        found = call()
    return found, out.getvalue().splitlines()


@tf.py_function(Tout=tf.float32)
def py_plus(x: Any, y: Any) -> Any:
    print("Executing eagerly.")
    return x + y


@tf.function
def tf_wrapper(x: Any, y: Any) -> Any:
    print("Tracing.")
    return py_plus(x, y)


def show_executing() -> None:
    print("a decorated function inside a traced one")
    one, lines = printed(lambda: tf_wrapper(tf.constant(1.0), tf.constant(2.0)))
    check("the first call traces and executes", (one.numpy(), lines) == (3.0, ["Tracing.", "Executing eagerly."]))
    two, lines = printed(lambda: tf_wrapper(tf.constant(1.0), tf.constant(2.0)))
    check("the second call executes only", (two.numpy(), lines) == (3.0, ["Executing eagerly."]))
    with tf.GradientTape() as tape:
        x = tf.constant(1.0)
        tape.watch(x)
        (total, _) = printed(lambda: tf_wrapper(x, x * x))
    check("a tape sees through it", tape.gradient(total, x).numpy() == 3.0)


external_list: list[Any] = []


def side_effect(x: Any) -> None:
    external_list.append(x)


@tf.function
def appends_when_traced(x: Any) -> None:
    external_list.append(x)


@tf.function
def f(x: Any) -> None:
    tf.py_function(side_effect, inp=[x], Tout=[])


def show_side_effects() -> None:
    print("a list that lives outside")
    for _ in range(3):
        appends_when_traced(tf.constant(1))
    check("without: appended while tracing only", len(external_list) == 1 and tf.is_symbolic_tensor(external_list[0]))
    external_list.clear()
    f(1)
    f(1)
    f(1)
    # The op's result is not used, and yet it runs; the Python int became a constant, and so an eager tensor.
    check("with: appended at every call", len(external_list) == 3)
    check("what was appended is a value", external_list[0].numpy() == 1)


@tf.function
def counts_down(x: Any, log: Any) -> Any:
    while x > 0:
        tf.py_function(lambda v, w: history.append((int(v), float(w))), [x, log], [])
        log.assign_add(1.0)
        x -= 1
    return log.read_value()


history: list[tuple[int, float]] = []


def show_order() -> None:
    print("the order of the program")
    log = tf.Variable(0.5)
    last = counts_down(tf.constant(3), log)
    check("a loop over tensors calls it every time", [n for n, _ in history] == [3, 2, 1])
    check("and between the assignments where it stands", [w for _, w in history] == [0.5, 1.5, 2.5])
    check("the variable went on", last.numpy() == 3.5)


def main() -> int:
    show_executing()
    show_side_effects()
    show_order()
    return status()


if __name__ == "__main__":
    sys.exit(main())

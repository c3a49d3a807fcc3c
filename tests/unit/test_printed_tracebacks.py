"""The lines that a failing program prints: at most 25, with the frames of the user, whose last one has the cause."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base import tracebacks

v1 = tf.compat.v1
LOCK = threading.Lock()


@pytest.fixture(autouse=True)
def filtered() -> Iterator[None]:
    before, tracebacks.settings.filtered = tracebacks.settings.filtered, True
    yield
    tracebacks.settings.filtered = before


def body(x: Any) -> Any:
    return {}["missing"]


def call(x: Any) -> Any:
    return tf.py_function(body, [x], tf.float32, output_shapes=[])


def run(build: Callable[[], Any], feeds: Any = None) -> None:
    with tf.Graph().as_default(), v1.Session() as sess:
        sess.run(build(), feeds)


def dataset_in_a_function_in_a_session() -> None:
    @tf.function
    def total() -> Any:
        total = tf.constant(0.0)
        for x in tf.data.Dataset.range(3).map(lambda x: call(tf.cast(x, tf.float32))):
            total += x
        return total

    run(total)


def mapped_in_a_function() -> None:
    tf.function(lambda: tf.map_fn(call, tf.constant([1.0, 2.0])))()


def scanned() -> None:
    tf.scan(lambda before, x: call(x), tf.constant([1.0, 2.0]))


def vectorized() -> None:
    tf.vectorized_map(call, tf.constant([1.0, 2.0]))


def loop_in_a_session() -> None:
    run(lambda: tf.while_loop(lambda x: x < 3.0, lambda x: (call(x),), [tf.constant(0.0)]))


def branch_in_a_session() -> None:
    def build() -> Any:
        x = v1.placeholder_with_default(1.0, [])
        return tf.cond(x > 0.0, lambda: call(x), lambda: x)

    run(build)


@tf.custom_gradient
def doubled(x: Any) -> Any:
    return x * 2.0, body


def gradient_of_a_function() -> None:
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.py_function(doubled, [x], tf.float32)
    tape.gradient(y, x)


def gradient_in_a_session() -> None:
    def build() -> Any:
        x = tf.constant(1.0)
        return tf.gradients(tf.py_function(doubled, [x], tf.float32), x)

    run(build)


def processes() -> None:
    run(lambda: tf.numpy_function(body, [1.0], tf.float32, executor="processes"))


def asynchronous() -> None:
    async def awaited(x: Any) -> Any:
        return body(x)

    run(lambda: tf.py_function(awaited, [1.0], tf.float32))


def method() -> None:
    class Layer(tf.Module):
        @tf.function
        def __call__(self, x: Any) -> Any:
            return call(x)

    Layer()(tf.constant(1.0))


def prepared() -> None:
    with tf.Graph().as_default(), v1.Session() as sess:
        x = v1.placeholder(tf.float32, [])
        sess.make_callable(call(x), [x])(1.0)


def evaluated() -> None:
    with tf.Graph().as_default(), v1.Session():
        (call(1.0) + 1.0).eval()


def operation() -> None:
    with tf.Graph().as_default(), v1.Session():
        tf.py_function(body, [1.0], []).run()


def monitored() -> None:
    with tf.Graph().as_default():
        v1.train.get_or_create_global_step()
        y = call(1.0)
        with v1.train.MonitoredTrainingSession() as sess:
            sess.run(y)


def nested() -> None:
    tf.py_function(call, [1.0], tf.float32)


def nested_in_a_session() -> None:
    run(lambda: tf.py_function(call, [1.0], tf.float32))


def session_in_a_function() -> None:
    def inner(x: Any) -> Any:
        with tf.Graph().as_default(), v1.Session() as sess:
            return sess.run(call(x))

    with tf.Graph().as_default(), v1.Session() as sess:
        sess.run(tf.py_function(inner, [1.0], tf.float32))


OF_FUNCTIONS = [
    dataset_in_a_function_in_a_session, mapped_in_a_function, scanned, vectorized, loop_in_a_session,
    branch_in_a_session, gradient_of_a_function, gradient_in_a_session, asynchronous, method, prepared, evaluated,
    operation, monitored, nested, nested_in_a_session, session_in_a_function,
]  # fmt: skip


def array_index() -> None:
    tf.TensorArray(tf.float32, 3).write(5, 1.0)


def undefined_after_a_branch() -> None:
    @tf.function
    def undefined(x: Any) -> Any:
        if x > 0:
            y = x
        return y

    undefined(tf.constant(1.0))


def growing_loop_value() -> None:
    @tf.function
    def growing(x: Any) -> Any:
        while tf.reduce_sum(x) < 10.0:
            x = tf.concat([x, x], 0)
        return x

    growing(tf.constant([1.0]))


def truth_of_a_symbolic_tensor() -> None:
    tf.function(lambda x: 1 if x > 0 else 2, autograph=False)(tf.constant(1.0))


def gradients_in_excess() -> None:
    @tf.custom_gradient
    def excessive(x: Any) -> Any:
        return x * 2.0, lambda dy: (dy, dy)

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = excessive(x)
    tape.gradient(y, x)


def other_signature() -> None:
    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
    def fixed(x: Any) -> Any:
        return x

    fixed(tf.constant([1.0, 2.0, 3.0]))


def variable_of_every_trace() -> None:
    tf.function(lambda x: tf.Variable(1.0) + x)(tf.constant(1.0))


def feed_of_another_shape() -> None:
    with tf.Graph().as_default(), v1.Session() as sess:
        x = v1.placeholder(tf.float32, [2])
        sess.run(x * 2.0, {x: [1.0, 2.0, 3.0]})


def missing_feed() -> None:
    run(lambda: v1.placeholder(tf.float32, [2]) * 2.0)


def uninitialized_variable() -> None:
    run(lambda: v1.get_variable("v", [2]) * 2.0)


def operands_of_two_types() -> None:
    tf.function(lambda x: x + tf.constant(1))(tf.constant(1.0))


def result_of_another_type() -> None:
    run(lambda: tf.numpy_function(np.float64, [1.0], tf.float32))


def captured_lock() -> None:
    def locked(x: Any, lock: Any = LOCK) -> Any:
        return x

    tf.numpy_function(locked, [1.0], tf.float32, executor="processes")


def pickled_symbolic_tensor() -> None:
    import pickle

    with tf.Graph().as_default():
        pickle.dumps(tf.constant(1.0))


def kernel_in_a_function_in_a_session() -> None:
    def build() -> Any:
        x = v1.placeholder_with_default(np.ones([2, 3], np.float32), None)
        return tf.function(lambda x: tf.matmul(x, x))(x)

    run(build)


def batch_of_several_shapes() -> None:
    list(tf.data.Dataset.range(1, 4).map(lambda x: tf.fill([x], x)).batch(2))


def predicate_without_truth() -> None:
    list(tf.data.Dataset.range(4).filter(lambda x: x))


def assertion() -> None:
    tf.function(lambda x: tf.debugging.assert_positive(x, message="must be positive"))(tf.constant(-1.0))


def ragged_rows() -> None:
    tf.ragged.constant([[1, 2], [3]]) + tf.ragged.constant([[1], [3]])


def assigned_shape() -> None:
    tf.Variable([1.0, 2.0]).assign([1.0, 2.0, 3.0])


OF_CALLS = [
    array_index, undefined_after_a_branch, growing_loop_value, truth_of_a_symbolic_tensor,
    gradients_in_excess, other_signature, variable_of_every_trace, feed_of_another_shape, missing_feed,
    uninitialized_variable, operands_of_two_types, result_of_another_type, captured_lock, pickled_symbolic_tensor,
    kernel_in_a_function_in_a_session, batch_of_several_shapes, predicate_without_truth, assertion, ragged_rows,
    assigned_shape, processes,
]  # fmt: skip


def caught(call: Callable[[], Any]) -> BaseException:
    """The exception of a call on a thread of its own, without the frame of this function."""
    raised: list[BaseException] = []

    def start() -> None:
        try:
            call()
        except Exception as error:
            assert error.__traceback__ is not None
            raised.append(error.with_traceback(error.__traceback__.tb_next))

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    assert raised, "nothing was raised"
    return raised[0]


def frames(error: BaseException) -> list[TracebackType]:
    traces, trace = [], error.__traceback__
    while trace is not None:
        traces.append(trace)
        trace = trace.tb_next
    return traces


@pytest.mark.parametrize("call", [*OF_FUNCTIONS, *OF_CALLS], ids=lambda call: call.__name__)
def test_at_most_25_lines_and_no_frame_of_the_library(call: Callable[[], Any]) -> None:
    error = caught(call)
    printed = traceback.format_exception(error)
    lines = [line for line in "".join(printed).splitlines() if not line or line.strip("~^ ")]  # Python 3.13 has more
    assert len(lines) <= 25, "".join(printed)
    assert not any(trace.tb_frame.f_code.co_filename.startswith(tracebacks.FOLDER) for trace in frames(error))


@pytest.mark.parametrize("call", OF_FUNCTIONS, ids=lambda call: call.__name__)
def test_a_debugger_stands_in_the_function(call: Callable[[], Any]) -> None:
    """`pdb.pm()` takes the last frame of the traceback."""
    last = frames(caught(call))[-1].tb_frame
    assert last.f_code is body.__code__ and "x" in last.f_locals


def test_a_message_has_each_level_and_the_lines_of_the_innermost() -> None:
    error = caught(session_in_a_function)
    assert isinstance(error, tf.errors.UnknownError)
    lines = error.message.splitlines()
    assert lines[0] == "UnknownError: KeyError: 'missing'"
    assert [line.split(" (")[0] for line in lines if " function " in line] == [
        "  raised in function session_in_a_function.<locals>.inner", "  raised in function body"
    ]  # fmt: skip
    assert sum("; inputs: float32[]" in line for line in lines) == 2
    assert sum("called by op 'EagerPyFunc'" in line for line in lines) == 2
    assert sum("[[{{node EagerPyFunc}}]]" in line for line in lines) == 1
    assert lines[-1] == f"  at {__file__}:{body.__code__.co_firstlineno + 1} in body"


def test_a_message_has_a_line_for_each_exception_before() -> None:
    def chained(x: Any) -> Any:
        try:
            return body(x)
        except KeyError as error:
            raise ValueError("no key") from error

    lines = str(caught(lambda: tf.py_function(chained, [1.0], tf.float32))).splitlines()
    first, inner = chained.__code__.co_firstlineno, body.__code__.co_firstlineno + 1
    assert lines[-2:] == [
        f"  at {__file__}:{first + 4} in chained",
        f"  caused by KeyError: 'missing' at {__file__}:{first + 2} in chained, {inner} in body",
    ]


def test_exceptions_that_fit_no_line_have_the_text_that_python_prints() -> None:
    def noted(x: Any) -> Any:
        error = KeyError("missing")
        error.add_note("see the manual")
        raise error

    def group(x: Any) -> Any:
        raise ExceptionGroup("several", [ValueError("first"), TypeError("second")])

    def deep(x: Any, levels: int = 9) -> Any:
        return deep(x, levels - 1) if levels else body(x)

    for function, said in ((noted, "see the manual"), (group, "TypeError: second"), (deep, "in body")):
        text = str(caught(lambda function=function: tf.py_function(function, [1.0], tf.float32)))
        assert "Traceback (most recent call last):" in text and said in text

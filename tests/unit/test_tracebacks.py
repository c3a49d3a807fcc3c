"""What a user sees of an exception: frames of the user's, the function's last; `pdb.pm()` stands there."""

from __future__ import annotations

import inspect
import os
import pdb
import subprocess
import sys
import textwrap
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base import tracebacks
from inlay._src.base.interpreter.source import Source
from inlay._src.base.tracebacks import FOLDER

v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def filtered() -> Iterator[None]:
    before, tracebacks.settings.filtered = tracebacks.settings.filtered, True
    yield
    tracebacks.settings.filtered = before


def inner(x: Any) -> Any:
    return {}["missing"]


def body(x: Any) -> Any:
    return inner(x)


def eager() -> None:
    tf.py_function(body, [1.0], tf.float32)


def numpy_eager() -> None:
    tf.numpy_function(body, [1.0], tf.float32)


def contrib() -> None:
    tf.contrib.framework.py_func(body, [1.0], {}, tf.float32)


def decorated() -> None:
    tf.py_function(Tout=tf.float32)(body)(1.0)


def session(**options: Any) -> None:
    with tf.Graph().as_default(), v1.Session() as sess:
        sess.run(tf.py_function(body, [tf.constant(1.0)], tf.float32, **options) + 1.0)


def several_in_a_session() -> None:
    with tf.Graph().as_default(), v1.Session() as sess:
        x = tf.constant(1.0)
        sess.run([tf.numpy_function(np.sin, [x], tf.float32), tf.py_function(body, [x], tf.float32)])


def function() -> None:
    tf.function(lambda x: tf.py_function(body, [x], tf.float32) * 2.0)(tf.constant(1.0))


def traced() -> None:
    tf.function(body)(tf.constant(1.0))


def loop() -> None:
    def repeated(x: tf.Tensor) -> tf.Tensor:
        return tf.while_loop(lambda x: x < 5.0, lambda x: (tf.py_function(body, [x], x.dtype, output_shapes=[]),), (x,))

    tf.function(repeated)(tf.constant(1.0))


def dataset() -> None:
    next(iter(tf.data.Dataset.range(3).map(lambda x: tf.py_function(body, [x], tf.float32))))


def parallel_dataset() -> None:
    data = tf.data.Dataset.range(3).map(lambda x: tf.py_function(body, [x], tf.float32), num_parallel_calls=2)
    next(iter(data.prefetch(1)))


def generator() -> None:
    def elements() -> Iterator[Any]:
        yield body(1)

    next(iter(tf.data.Dataset.from_generator(elements, output_types=tf.float32)))


def threads() -> None:
    session(executor="threads")


def gradient() -> None:
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = tf.numpy_function(lambda x: x, [x], tf.float32, grad=lambda *_: body(1))
    tape.gradient(y, x)


def mapped() -> None:
    tf.map_fn(lambda x: tf.py_function(body, [x], tf.float32), tf.constant([1.0, 2.0]))


def mapped_in_a_function() -> None:
    tf.function(mapped)()


def branch() -> None:
    tf.function(lambda x: tf.cond(x > 0.0, lambda: tf.py_function(body, [x], tf.float32), lambda: x))(tf.constant(1.0))


def iterator_in_a_session() -> None:
    data = tf.data.Dataset.range(3).map(lambda x: tf.py_function(body, [x], tf.float32))
    with v1.Session() as sess:
        sess.run(v1.data.make_one_shot_iterator(data).get_next())


def interleaved() -> None:
    def elements(x: Any) -> Any:
        return tf.data.Dataset.from_generator(lambda: body(x), output_types=tf.float32)

    next(iter(tf.data.Dataset.range(3).interleave(elements)))


def after_many_runs() -> None:
    calls = iter(range(80))
    with tf.Graph().as_default(), v1.Session() as sess:
        y = tf.py_function(lambda x: x if next(calls) < 60 else body(x), [1.0], tf.float32) + 1.0
        while True:
            sess.run(y)


def test_an_element_of_another_process_prints_the_exception_once() -> None:
    def remote() -> None:
        options: dict[str, Any] = {"num_parallel_calls": 2, "executor": "processes"}
        data = tf.data.Dataset.range(3).map(lambda x: tf.numpy_function(body, [x], tf.float32), **options)
        with tf.Graph().as_default(), v1.Session() as sess:
            sess.run(v1.data.make_one_shot_iterator(data).get_next())

    printed = shown(caught(remote))
    assert printed.count("in inner") == 1 and len(printed.splitlines()) <= 25


def test_the_text_of_an_exception_has_frames_of_the_user_alone() -> None:
    async def raising(x: Any) -> Any:
        return body(x)

    errors = [caught(threads), caught(lambda: tf.py_function(raising, [1.0], tf.float32))]
    named = [[line for line in str(error).splitlines() if line.startswith("  File")] for error in errors]
    assert [len(lines) for lines in named] == [2, 3]
    assert all(__file__ in line for lines in named for line in lines)


def nested() -> None:
    tf.py_function(lambda x: tf.py_function(body, [x], tf.float32), [1.0], tf.float32)


def nested_session() -> None:
    with tf.Graph().as_default(), v1.Session() as sess:
        sess.run(tf.py_function(lambda x: session(), [1.0], tf.float32))


def recomputed() -> None:
    tf.recompute_grad(lambda x: tf.py_function(body, [x], tf.float32))(tf.constant(1.0))


CALLS = [
    eager, numpy_eager, contrib, decorated, session, several_in_a_session, function, traced, loop, dataset,
    parallel_dataset, generator, threads, gradient, mapped, mapped_in_a_function, branch, interleaved, after_many_runs,
    iterator_in_a_session, nested, nested_session, recomputed,
]  # fmt: skip


def caught(call: Callable[[], Any]) -> BaseException:
    """The exception of a call, on a thread of its own: what the caller of the tests handles is no part of it there."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            call()
        except Exception as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert raised, "nothing was raised"
    return raised[0]


def shown(error: BaseException) -> str:
    """The traceback that is printed, without the frame of `caught`."""
    assert error.__traceback__ is not None
    return "".join(traceback.format_exception(type(error), error, error.__traceback__.tb_next))


def files(error: BaseException) -> list[str]:
    return [frame.filename for frame in traceback.extract_tb(error.__traceback__)]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__name__)
def test_the_last_frame_is_that_of_the_function(call: Callable[[], Any]) -> None:
    error = caught(call)
    assert isinstance(error, KeyError)
    assert [frame.name for frame in traceback.extract_tb(error.__traceback__)][-2:] == ["body", "inner"]
    assert sum(file.startswith(FOLDER) for file in files(error)) <= 1
    printed = shown(error)
    assert printed.count("return {}") == 1  # one traceback
    further = max(0, len(files(error)) - 4)  # frames of the user's beyond the call, the function and what it calls
    lines = [line for line in printed.splitlines() if not line or line.strip("~^ ")]  # Python 3.13 underlines more
    assert len(lines) <= 25 + 3 * further


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__name__)
def test_a_debugger_after_the_fact_stands_in_the_function(call: Callable[[], Any], tmp_path: Path) -> None:
    error = caught(call)
    commands = tmp_path / "commands"
    commands.write_text("p ('frame', x)\nup\nwhere\nq\n")
    with commands.open() as source, (tmp_path / "out").open("w") as out:
        debugger = pdb.Pdb(stdin=source, stdout=out, nosigint=True, readrc=False)
        debugger.use_rawinput = False
        debugger.reset()
        debugger.interaction(None, error.__traceback__)
    text = (tmp_path / "out").read_text()
    assert "inner()" in text and "('frame', " in text


def test_the_cause_is_the_exception_of_the_function_and_is_not_printed_twice() -> None:
    error = caught(eager)
    assert type(error.__cause__) is KeyError and error.__cause__.__traceback__ is None
    assert "in inner" in str(error)  # for logs, which have no traceback


def test_causes_of_the_function_keep_their_own_frames() -> None:
    def chained(x: Any) -> Any:
        try:
            inner(x)
        except KeyError as error:
            raise ValueError("no key") from error

    error = caught(lambda: tf.py_function(chained, [1.0], tf.float32))
    assert error.__cause__ is not None and isinstance(error.__cause__.__cause__, KeyError)
    assert files(error.__cause__.__cause__) == [__file__, __file__]


def test_an_exception_of_another_process_says_file_and_line_there() -> None:
    error = caught(lambda: session(executor="processes"))
    assert isinstance(error, KeyError)
    assert f'File "{__file__}", line {inner.__code__.co_firstlineno + 1}, in inner' in str(error)
    assert not any(file.startswith(FOLDER) for file in files(error))
    assert FOLDER not in str(error)


def test_an_error_of_the_user_stays_in_the_chain() -> None:
    class Mine(tf.errors.AbortedError):
        pass

    def raising(x: Any) -> Any:
        raise Mine(None, None, "user") from KeyError("first")

    error = caught(lambda: tf.py_function(raising, [1.0], tf.float32))
    assert type(error.__cause__) is Mine and type(error.__cause__.__cause__) is KeyError


def windows(data: Any) -> Any:
    return data.group_by_window(failing, lambda key, group: group.batch(2), 2)


def window_sizes(data: Any) -> Any:
    return data.group_by_window(lambda x: x, lambda key, group: group.batch(2), window_size_func=failing)


def reducer(data: Any) -> Any:
    return data.apply(
        tf.data.experimental.group_by_reducer(failing, tf.data.experimental.Reducer(*[lambda *x: x[0]] * 3))
    )


def buckets(data: Any) -> Any:
    return data.map(lambda x: tf.fill([2], x)).bucket_by_sequence_length(failing, [2], [2, 2])


def resampled(data: Any) -> Any:
    return data.rejection_resample(failing, [0.1, 0.9], [0.5, 0.5])


def failing(x: Any) -> Any:
    return tf.py_function(body, [x], tf.int64, output_shapes=[])


@pytest.mark.parametrize("transform", [windows, window_sizes, reducer, buckets, resampled], ids=lambda f: f.__name__)
def test_a_transformation_names_the_function_of_the_user(transform: Callable[[Any], Any]) -> None:
    error = caught(lambda: list(transform(tf.data.Dataset.range(3))))
    assert f"function failing ({__file__}:" in str(error) and FOLDER not in str(error)


def test_ops_show_the_public_function_at_most() -> None:
    for call in (
        lambda: tf.matmul(tf.ones([2, 3]), tf.ones([2, 3])),
        lambda: tf.reshape(tf.ones([2, 3]), [4]),
        lambda: tf.add(tf.ones([2]), tf.ones([3])),
        lambda: tf.io.decode_raw(5, tf.int32),
        lambda: tf.data.Dataset.range(3).map(5),  # type: ignore[arg-type]
    ):
        assert sum(file.startswith(FOLDER) for file in files(caught(call))) <= 2


def test_frames_are_kept_on_request() -> None:
    tf.debugging.disable_traceback_filtering()
    assert not tf.debugging.is_traceback_filtering_enabled()
    assert any(file.startswith(FOLDER) for file in files(caught(eager)))
    tf.debugging.enable_traceback_filtering()
    assert tf.debugging.is_traceback_filtering_enabled()
    assert not any(file.startswith(FOLDER) for file in files(caught(eager)))


def test_a_program_on_the_command_line_keeps_its_frames() -> None:
    code = """
import inlay as tf
def body(x): return tf.matmul(x, x)
def outer(x): return tf.py_function(body, [x], tf.float32)
tf.function(outer)(tf.ones([2, 3]))
"""
    done = subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.stderr.count("in body") >= 1 and FOLDER not in done.stderr.split("in body")[0]


def test_what_the_caller_handles_meanwhile_keeps_its_frames() -> None:
    try:
        body(1)
    except KeyError as handled:
        before = files(handled)
        error = pytest.raises(TypeError, tf.io.decode_raw, 5, tf.int32).value
        assert error.__cause__ is not None or error.__context__ is handled
        assert files(handled) == before


@pytest.mark.parametrize("setting", ["0", "1"])
def test_the_environment_asks_for_every_frame(setting: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            """
            import inlay as tf
            def body(x):
                raise KeyError("missing")
            tf.py_function(body, [1.0], tf.float32)
            """
        )
    )
    done = subprocess.run(
        [sys.executable, script],
        env={**os.environ, "INLAY_FULL_TRACEBACK": setting},
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert (FOLDER in done.stderr) == (setting == "1")
    assert setting == "1" or len(done.stderr.splitlines()) <= 25


def generated_frames(call: Callable[[], Any]) -> list[traceback.FrameSummary]:
    """The frames of generated source in the full traceback of a call."""
    tracebacks.settings.filtered = False
    frames = traceback.extract_tb(caught(call).__traceback__)
    return [frame for frame in frames if not Path(frame.filename).exists()]


def failing_after(runs: int) -> Callable[[Any], Any]:
    """A function that fails once it was called so often."""
    calls = iter(range(runs))
    return lambda x: x if next(calls, None) is not None else body(x)


@pytest.mark.parametrize("size", [1, 400])
def test_the_source_of_a_plan_is_shown(size: int) -> None:
    def hot() -> None:
        with tf.Graph().as_default(), v1.Session() as sess:
            y = tf.py_function(failing_after(80), [v1.placeholder_with_default(1.0, [])], tf.float32)
            for _ in range(size):
                y = tf.sin(y) + 1.0
            for _ in range(100):
                sess.run(y)

    frames = generated_frames(hot)
    assert frames and all(frame.line for frame in frames)


def test_the_source_of_an_op_and_of_a_host_call_is_shown() -> None:
    def failing() -> None:
        call = failing_after(5)
        for _ in range(10):
            tf.py_function(call, [1.0], tf.float32)

    assert [frame.line for frame in generated_frames(failing)]
    (frame,) = generated_frames(lambda: tf.add(tf.ones([2]), tf.ones([3])))
    assert frame.line == "return _emit(_op, (x, y), _no, name)"


def test_generated_source_is_shown_wherever_it_runs() -> None:
    names = [np.float32(1.0)]
    source = Source({"np": np})
    with source.block("def run(x):"):
        source.write("return x[1]")
    run = source.function("run", "fused")
    with pytest.raises(IndexError) as raised:
        run(names)
    assert traceback.extract_tb(raised.value.__traceback__)[-1].line == "return x[1]"
    assert inspect.getsource(run) == "def run(x):\n return x[1]\n"


def test_a_debugger_lists_generated_source(tmp_path: Path) -> None:
    tracebacks.settings.filtered = False
    trace = caught(after_many_runs).__traceback__
    while trace is not None and "(plan)" not in trace.tb_frame.f_code.co_filename:
        trace = trace.tb_next
    assert trace is not None
    only = TracebackType(None, trace.tb_frame, trace.tb_lasti, trace.tb_lineno)
    commands = tmp_path / "commands"
    commands.write_text("l 1,20\nq\n")
    with commands.open() as source, (tmp_path / "out").open("w") as out:
        debugger = pdb.Pdb(stdin=source, stdout=out, nosigint=True, readrc=False)
        debugger.use_rawinput = False
        debugger.reset()
        debugger.interaction(None, only)
    text = (tmp_path / "out").read_text()
    assert "->" in text and "def run(" in text

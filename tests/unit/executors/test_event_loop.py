"""`async def` host functions: one loop, cancellation, contexts, gradients; nobody waits for his own loop."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import gc
import os
import subprocess
import sys
import textwrap
import threading
import time
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core.executor import Call
from inlay._src.host.executors import event_loop

BOUND = 30.0  # seconds; a hang, not a speed


def eventually(holds: Any) -> bool:
    until = time.monotonic() + BOUND
    while not holds() and time.monotonic() < until:
        time.sleep(0.001)
    return bool(holds())


async def twice(x: Any) -> Any:
    await asyncio.sleep(0)
    return x * 2


class Service:
    """Coroutine functions of other kinds."""

    async def method(self, x: Any) -> Any:
        return await twice(x)

    async def __call__(self, x: Any) -> Any:
        return await twice(x)


@functools.wraps(twice)
def traced(x: Any) -> Any:
    return twice(x)


@functools.wraps(twice)
def ended(x: Any) -> Any:
    return asyncio.run(twice(x))


async def scaled(x: Any, by: int) -> Any:
    return x * by


KINDS = {
    "function": twice,
    "method": Service().method,
    "object": Service(),
    "partial": functools.partial(scaled, by=2),
    "partial of an object": functools.partial(Service()),
    "wrapper that returns the coroutine": traced,
    "wrapper that runs the coroutine": ended,
}


@pytest.mark.parametrize("executor", [None, "inline", "threads"])
@pytest.mark.parametrize("kind", list(KINDS))
def test_every_kind_of_coroutine_function_is_a_host_function(kind: str, executor: Any) -> None:
    function = KINDS[kind]
    for make in (tf.py_function, tf.numpy_function):
        for value in (3.0, [1.0, 2.0]):
            eager = make(function, [np.float32(value)], tf.float32, executor=executor)
            assert eager.numpy().tolist() == (np.float32(value) * 2).tolist()
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32)
        assert session.run(tf.py_function(function, [x], tf.float32, executor=executor), {x: 3.0}) == 6.0
        assert session.run(tf.compat.v1.py_func(function, [x], tf.float32), {x: 3.0}) == 6.0
        nested = tf.contrib.framework.py_func(function, [x], output_types=tf.float32)
        assert session.run(nested, {x: 3.0}) == 6.0


def test_the_decorator_form_and_functions_take_it() -> None:
    @tf.numpy_function(Tout=tf.float32)
    async def decorated(x: Any) -> Any:
        return await twice(x)

    assert decorated(np.float32(2.0)) == 4.0

    @tf.function
    def traced_twice(x: Any) -> Any:
        return decorated(decorated(x))

    assert traced_twice(tf.constant(2.0)) == 8.0


def test_shapes_are_learned_from_a_call_of_it() -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [3])
        y = tf.numpy_function(twice, [x], tf.float32, stateful=False, output_shapes="infer")
    assert y.shape == [3]


def test_equal_stateless_calls_are_merged() -> None:
    ran: list[int] = []

    async def body(x: Any) -> Any:
        ran.append(1)
        return x

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32)
        a, b = (tf.numpy_function(body, [x], tf.float32, stateful=False) for _ in range(2))
        assert session.run(a + b, {x: 1.0}) == 2.0
    assert ran == [1]


def test_an_asynchronous_generator_and_an_asynchronous_gradient_are_refused() -> None:
    async def generates(x: Any) -> Any:
        yield x

    with pytest.raises(ValueError, match="is an asynchronous generator function: calling it does not run its body"):
        tf.py_function(generates, [1.0], tf.float32)
    with pytest.raises(TypeError, match="`grad` cannot be asynchronous"):
        tf.py_function(lambda x: x, [1.0], tf.float32, grad=twice)


@pytest.mark.parametrize("count", [2, 300])
def test_independent_calls_of_one_run_are_in_flight_together(count: int) -> None:
    met = asyncio.Event()
    here: list[int] = []

    async def body(i: Any) -> Any:
        here.append(int(i))
        if len(here) == count:
            met.set()
        await asyncio.wait_for(met.wait(), BOUND)
        return i

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        calls = [tf.numpy_function(body, [np.int32(i)], tf.int32) for i in range(count)]
        assert session.run(calls) == list(range(count))
    met.clear()
    here.clear()

    @tf.function
    def traced(zero: Any) -> Any:
        return [tf.numpy_function(body, [zero + i], tf.int32, stateful=False) for i in range(count)]

    assert [int(v) for v in traced(tf.constant(0))] == list(range(count))


def test_all_run_on_one_thread() -> None:
    async def where() -> Any:
        return np.int64(threading.get_ident())

    found = {int(tf.numpy_function(where, [], tf.int64, executor=e)) for e in (None, "threads", tf.Threads(2))}
    assert len(found) == 1 and threading.get_ident() not in found


def test_the_rest_is_cancelled_when_one_fails() -> None:
    told: list[str] = []
    waiting = threading.Semaphore(0)

    async def waits() -> Any:
        waiting.release()
        try:
            await asyncio.sleep(BOUND)
        except asyncio.CancelledError:
            told.append("cancelled")
            raise
        return np.float32(0)

    async def fails() -> Any:
        for _ in range(3):
            while not waiting.acquire(blocking=False):
                await asyncio.sleep(0.001)
        raise ValueError("as told")

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        calls = [tf.numpy_function(f, [], tf.float32) for f in (waits, waits, fails, waits)]
        with pytest.raises(ValueError, match="as told"):
            session.run(calls)
    assert eventually(lambda: told == ["cancelled"] * 3)


@pytest.mark.parametrize("form", ["alone", "chain", "loop", "beside"])
def test_what_is_in_flight_at_the_deadline_of_a_run_is_cancelled(form: str) -> None:
    told: list[str] = []

    async def waits(x: Any) -> Any:
        try:
            await asyncio.sleep(BOUND)
        except asyncio.CancelledError:
            told.append("cancelled")
            raise
        return x

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.constant(0.0)
        fetch: Any = tf.numpy_function(waits, [x], tf.float32, output_shapes=[])
        if form == "chain":
            fetch = tf.numpy_function(waits, [fetch], tf.float32)
        elif form == "loop":
            step = lambda v: tf.numpy_function(waits, [v], tf.float32, output_shapes=[])  # noqa: E731
            fetch = tf.while_loop(lambda v: v < 5.0, step, [x])
        elif form == "beside":
            fetch = [fetch, tf.numpy_function(waits, [x], tf.float32)]
        for _ in range(4):  # as it is, and as generated source
            told.clear()
            began = time.monotonic()
            with pytest.raises(tf.errors.DeadlineExceededError, match="did not end within 0.05 s"):
                session.run(fetch, options=tf.compat.v1.RunOptions(timeout_in_ms=50))
            assert time.monotonic() - began < BOUND / 2
            assert eventually(lambda: told == ["cancelled"] * (2 if form == "beside" else 1))


def test_the_timeout_of_a_pool_of_threads_holds_for_coroutines() -> None:
    told: list[str] = []

    async def waits() -> Any:
        try:
            await asyncio.sleep(BOUND)
        except asyncio.CancelledError:
            told.append("cancelled")
            raise

    with pytest.raises(
        tf.errors.DeadlineExceededError, match=r"(?s)within 0.05 s, the timeout.*cancelled.*function .*waits"
    ):
        tf.numpy_function(waits, [], tf.float32, executor=tf.Threads(timeout=0.05))
    assert eventually(lambda: told == ["cancelled"])


def test_errors_are_those_of_a_plain_function() -> None:
    class Own(Exception):
        pass

    async def fails(x: Any) -> Any:
        await asyncio.sleep(0)
        raise Own("mine")

    with pytest.raises(Own, match="mine") as caught:
        tf.py_function(fails, [1.0], tf.float32)
    assert isinstance(caught.value, tf.errors.UnknownError) and isinstance(caught.value.__cause__, Own)

    async def double() -> Any:
        return np.float64(1)

    with pytest.raises(tf.errors.InvalidArgumentError, match="is double, but expects float"):
        tf.numpy_function(double, [], tf.float32)

    for make in (tf.py_function, tf.numpy_function):
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="returned a coroutine, but is not an `async def` function"
        ):
            make(lambda x: twice(x), [np.float32(1)], tf.float32)

    async def cancels() -> Any:
        raise asyncio.CancelledError("by itself")

    with pytest.raises(tf.errors.CancelledError, match="by itself"):
        tf.py_function(cancels, [], tf.float32)


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt])
def test_a_wish_to_stop_reaches_the_caller_and_the_loop_goes_on(kind: type[BaseException]) -> None:
    async def stops() -> Any:
        raise kind

    with pytest.raises(kind):
        tf.py_function(stops, [], tf.float32)

    async def leaves() -> Any:
        task = asyncio.ensure_future(stops())
        await asyncio.wait([task])
        return np.float32(isinstance(task.exception(), kind))

    assert tf.numpy_function(leaves, [], tf.float32) == 1.0
    assert tf.numpy_function(twice, [np.float32(1)], tf.float32) == 2.0


def test_the_context_of_the_caller_is_that_of_the_coroutine() -> None:
    name: contextvars.ContextVar[str] = contextvars.ContextVar("name", default="nobody")

    async def body() -> bytes:
        await asyncio.sleep(0)
        found = name.get()
        name.set("the function's own")
        return found.encode()

    token = name.set("the caller")
    try:
        assert tf.numpy_function(body, [], tf.string) == b"the caller"
        assert name.get() == "the caller"
    finally:
        name.reset(token)


def test_gradients_of_any_order_flow_through_it() -> None:
    async def cube(x: Any) -> Any:
        await asyncio.sleep(0)
        return x * x * x

    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(cube, [x], tf.float32)
        first = tape.gradient(y, x)
    assert (y, first, outer.gradient(first, x)) == (8.0, 12.0, 12.0)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.float32)
        z = [tf.py_function(cube, [p * float(i)], tf.float32) for i in (1, 2)]
        once = tf.gradients(z, p)[0]
        assert session.run([once, tf.gradients(once, p)[0]], {p: 2.0}) == [108.0, 108.0]


def test_variables_that_it_captures_have_gradients() -> None:
    v = tf.Variable(3.0)

    async def body(x: Any) -> Any:
        await asyncio.sleep(0)
        return x * v

    with tf.GradientTape() as tape:
        y = tf.py_function(body, [2.0], tf.float32)
    assert tape.gradient(y, v) == 2.0


def test_a_call_on_the_thread_of_the_loop_says_what_to_do() -> None:
    async def eagerly() -> Any:
        with pytest.raises(
            RuntimeError, match=r"(?s)twice .* is asynchronous.*await asyncio.to_thread\(tf.py_function"
        ):
            tf.py_function(twice, [1.0], tf.float32)
        return await asyncio.to_thread(tf.py_function, twice, [1.0], tf.float32)

    assert tf.py_function(eagerly, [], tf.float32) == 2.0


@pytest.mark.parametrize("executor", [None, "threads"])
def test_a_call_in_a_cell_of_a_notebook_where_a_loop_runs_works(executor: Any) -> None:
    async def cell() -> Any:
        x = tf.constant(1.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(twice, [x], tf.float32, executor=executor)
        elements = tf.data.Dataset.range(3).map(lambda i: tf.py_function(twice, [i], tf.int64))
        plain = event_loop.awaited(twice)(3.0)
        return y.numpy(), tape.gradient(y, x).numpy(), [e.numpy() for e in elements], plain

    assert asyncio.run(cell()) == (2.0, 2.0, [0, 2, 4], 6.0)


def test_a_function_that_needs_its_callers_own_loop_is_refused_and_told_why() -> None:
    async def cell() -> None:
        loop = asyncio.get_running_loop()
        theirs = loop.create_future()

        async def waits() -> Any:
            return await theirs

        with pytest.raises(tf.errors.FailedPreconditionError, match="(?s)waits .* on the loop that it needs"):
            tf.py_function(waits, [], tf.float32)

    asyncio.run(cell())


@pytest.mark.parametrize("count", [1, 3])
def test_a_run_on_the_thread_of_the_loop_says_what_to_do(count: int) -> None:
    with tf.Graph().as_default() as graph:
        calls = [tf.numpy_function(twice, [np.float32(i)], tf.float32) for i in range(count)]
        plain = tf.numpy_function(lambda: np.float32(7), [], tf.float32)
    session = tf.compat.v1.Session(graph=graph)

    async def nested() -> Any:
        for _ in range(4):
            with pytest.raises(tf.errors.FailedPreconditionError, match=r"await asyncio.to_thread\(session.run"):
                session.run(calls)
        assert session.run(plain) == 7.0
        return (await asyncio.to_thread(session.run, calls))[-1]

    assert tf.numpy_function(nested, [], tf.float32) == 2.0 * (count - 1)


def test_a_run_where_a_loop_of_the_users_runs_works() -> None:
    with tf.Graph().as_default() as graph:
        call = tf.numpy_function(twice, [np.float32(2)], tf.float32)

    async def cell() -> Any:
        return tf.compat.v1.Session(graph=graph).run(call)

    assert asyncio.run(cell()) == 4.0


@pytest.mark.parametrize("form", ["eager", "run", "alone"])
def test_inline_it_runs_on_the_calling_thread(form: str) -> None:
    async def where() -> Any:
        await asyncio.sleep(0)
        return np.int64(threading.get_ident())

    with tf.debugging.run_inline():
        if form == "eager":
            found = [int(tf.numpy_function(where, [], tf.int64)) for _ in range(3)]
        else:
            with tf.Graph().as_default(), tf.compat.v1.Session() as session:
                calls = [tf.numpy_function(where, [], tf.int64) for _ in range(1 if form == "alone" else 3)]
                found = [int(v) for _ in range(5) for v in session.run(calls)]
        assert set(found) == {threading.get_ident()}

        async def outer() -> Any:
            return tf.numpy_function(where, [], tf.int64)

        # the calling thread runs a loop already, and can run no other: the inner call goes to ours
        assert tf.numpy_function(outer, [], tf.int64) != threading.get_ident()


def test_calls_leave_nothing_behind() -> None:
    tf.numpy_function(twice, [np.float32(1)], tf.float32)
    loop = event_loop._loop
    assert loop is not None
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32)
        calls = [tf.numpy_function(twice, [x + float(i)], tf.float32) for i in range(50)]
        session.run(calls, {x: 1.0})
        gc.collect()
        before = len(gc.get_objects())
        for _ in range(20):
            session.run(calls, {x: 1.0})
        gc.collect()
        assert len(gc.get_objects()) - before < 500
    assert not loop.flights and not loop._arrived


def test_one_that_was_cancelled_before_it_began_is_closed() -> None:
    executor, busy = event_loop.EventLoop(), threading.Event()

    async def blocks() -> None:
        busy.wait(BOUND)

    first = executor.submit(blocks)
    second = executor.submit(twice, 1)
    assert second.cancel() and second.cancel()
    busy.set()
    assert first.result(BOUND) is None and second.cancelled()
    assert executor.submit(twice, 4).result(BOUND) == 8


def test_what_is_in_flight_says_where_it_stands() -> None:
    executor, go_on = event_loop.EventLoop(), asyncio.Event()

    async def inner() -> None:
        await go_on.wait()

    async def outer() -> None:
        await inner()

    future = executor.submit(outer)
    assert eventually(lambda: executor.pending() and "inner" in executor.pending()[0])
    (line,) = executor.pending()
    assert "outer: on the event loop, awaits at " in line and __file__ in line
    event_loop._loop.soon(go_on.set)  # type: ignore[union-attr]
    future.result(BOUND)
    assert eventually(lambda: executor.pending() == [])


def run_program(text: str) -> str:
    """What a program of its own prints."""
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, timeout=50, env=environment
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout


def test_asyncio_is_loaded_by_the_first_call() -> None:
    text = """
    import sys
    import inlay as tf
    async def f():
        return 1.0
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        y = tf.py_function(lambda: 1.0, [], tf.float32, executor="threads")
        z = tf.py_function(f, [], tf.float32)
        session.run(y)
        print("asyncio" in sys.modules)
        session.run(z)
        print("asyncio" in sys.modules)
    """
    assert run_program(text) == "False\nTrue\n"


def test_the_interpreter_ends_quietly_while_calls_are_in_flight() -> None:
    text = """
    import asyncio, threading
    import inlay as tf
    begun = threading.Event()
    async def forever():
        begun.set()
        try:
            await asyncio.sleep(1000)
        finally:
            print("cleaned up", flush=True)
    with tf.Graph().as_default() as graph:
        y = tf.py_function(forever, [], tf.float32)
    threading.Thread(target=tf.compat.v1.Session(graph=graph).run, args=(y,), daemon=True).start()
    begun.wait()
    threading.excepthook = lambda *_: None
    """
    assert run_program(text) == "cleaned up\n"


@pytest.mark.filterwarnings("error")
def test_one_whose_task_was_cancelled_before_its_first_step_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    unraisable: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", unraisable.append)

    async def never() -> None:
        raise AssertionError

    begin = event_loop._Flight.begin

    def begin_and_cancel(flight: Any) -> None:
        begin(flight)
        flight.cancel()

    monkeypatch.setattr(event_loop._Flight, "begin", begin_and_cancel)
    flight = event_loop.EventLoop().start(Call(never))
    assert eventually(flight.cancelled)
    monkeypatch.undo()

    async def later() -> int:
        return 1

    assert event_loop.EventLoop().start(Call(later)).result(BOUND) == 1
    del flight
    gc.collect()
    assert not unraisable


def test_ctrl_c_cancels_what_is_waited_for() -> None:
    text = """
    import asyncio, os, signal, threading
    import inlay as tf
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may start tests with Ctrl-C ignored
    told = threading.Event()
    async def waits():
        try:
            await asyncio.sleep(0.1)
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(1000)
        except asyncio.CancelledError:
            told.set()
            raise
    for how in ("eager", "chain", "beside"):
        told.clear()
        try:
            if how == "eager":
                tf.py_function(waits, [], tf.float32)
            else:
                with tf.Graph().as_default(), tf.compat.v1.Session() as session:
                    y = tf.py_function(waits, [], tf.float32)
                    session.run(y if how == "chain" else [y, tf.py_function(asyncio.sleep, [1000.0], [])])
        except KeyboardInterrupt:
            print(how, told.wait(30))
    """
    assert run_program(text) == "eager True\nchain True\nbeside True\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
def test_a_forked_child_has_a_loop_and_threads_of_its_own() -> None:
    text = """
    import asyncio, os, signal, threading
    import inlay as tf
    pool = tf.Threads(workers=1, timeout=30.0)
    gate, begun = threading.Event(), threading.Semaphore(0)
    async def twice(x):
        await asyncio.sleep(0)
        return x * 2
    async def waits():
        begun.release()
        while not gate.is_set():
            await asyncio.sleep(0.001)
    def holds():
        begun.release()
        gate.wait()
    with tf.Graph().as_default() as graph:
        p = tf.compat.v1.placeholder(tf.float32)
        plain = tf.numpy_function(lambda x: x + 1, [p], tf.float32, executor=pool)
        both = [tf.numpy_function(twice, [p], tf.float32), plain]
    session = tf.compat.v1.Session(graph=graph)
    def use():
        for _ in range(3):
            assert session.run(both, {p: 1.0}) == [2.0, 2.0]
        assert tf.py_function(twice, [3.0], tf.float32) == 6.0
        assert tf.py_function(lambda x: x, [3.0], tf.float32, executor=pool) == 3.0
        assert tf.py_function(lambda x: x, [3.0], tf.float32, executor="threads") == 3.0
    use()
    from inlay._src.host.executors import event_loop
    busy = [pool.submit(holds), event_loop.EventLoop().submit(waits)]
    begun.acquire(); begun.acquire()
    child = os.fork()
    if not child:
        signal.alarm(30)
        try:
            use()
            os._exit(0)
        except BaseException:
            import traceback; traceback.print_exc()
            os._exit(1)
    print(os.waitpid(child, 0)[1])
    gate.set()
    print([future.result(30) for future in busy])
    use()
    """
    assert run_program(text) == "0\n[None, None]\n"

"""Calls in worker processes: values, order, what is printed, pullbacks, nesting, the end."""

from __future__ import annotations

import gc
import itertools
import logging
import os
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import Future, wait
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core.executor import Call
from inlay._src.host.executors.processes.options import DEPTH
from inlay._src.host.executors.processes.pool import Processes

BOUND = 30.0


@pytest.fixture(scope="module")
def pool() -> Iterator[Processes]:
    with Processes(2) as made:
        yield made


def test_results_are_those_of_the_function(pool: Processes) -> None:
    k = 4
    assert pool.submit(lambda x, y=1: x * k + y, 2, y=3).result(BOUND) == 11
    assert pool.run(Call(pow, (2, 10))) == 1024
    assert list(pool.map(pow, range(100), [2] * 100)) == [n * n for n in range(100)]


def test_map_takes_items_in_chunks(pool: Processes) -> None:
    assert list(pool.map(pow, range(100), itertools.repeat(2), chunksize=7)) == [n * n for n in range(100)]
    assert len(set(pool.map(lambda _: os.urandom(1) and time.perf_counter(), range(10), chunksize=10))) == 10
    with pytest.raises(ZeroDivisionError):
        list(pool.map(divmod, [1, 1], [1, 0], chunksize=2))


def test_workers_are_other_processes_and_stay(pool: Processes) -> None:
    first = pool.run(Call(os.getpid))
    assert first != os.getpid()
    assert pool.run(Call(os.getpid)) == first
    here = pool.run(Call(lambda: (os.getcwd(), sys.path)))
    assert here == (os.getcwd(), sys.path)


def test_arrays_come_and_go_writable(pool: Processes) -> None:
    def write(array: Any) -> Any:
        array += 1
        return array

    for size in (0, 10, 10_000, 1 << 21):
        data = np.zeros(size, np.uint8)
        found = pool.run(Call(write, (data,)))
        assert found.sum() == size and not data.any()
        found[:] = 7


def test_calls_of_several_threads_overlap(pool: Processes) -> None:
    def meet(mine: str, other: str) -> bool:
        open(mine, "w").close()
        until = time.monotonic() + 25
        while not os.path.exists(other):
            if time.monotonic() > until:
                return False
            time.sleep(0.001)
        return True

    for begin in (pool.submit, lambda *a: _in_thread(pool, a)):
        one, other = (os.path.join("/tmp", f"inlay-{os.getpid()}-{os.urandom(4).hex()}") for _ in range(2))
        try:
            futures = [begin(meet, one, other), begin(meet, other, one)]
            assert [f.result(BOUND) for f in futures] == [True, True]
        finally:
            for path in (one, other):
                os.unlink(path)


def _in_thread(pool: Processes, arguments: Any) -> Future[Any]:
    future: Future[Any] = Future()
    threading.Thread(target=lambda: future.set_result(pool.run(Call(arguments[0], arguments[1:])))).start()
    return future


def test_calls_given_ahead_are_taken_back_from_a_worker_that_is_busy(pool: Processes) -> None:
    list(pool.map(pow, range(500), [2] * 500))  # short calls: now many are given ahead

    def blocked(path: str) -> bool:
        until = time.monotonic() + 25
        while not os.path.exists(path):
            if time.monotonic() > until:
                return False
            time.sleep(0.001)
        return True

    path = os.path.join("/tmp", f"inlay-{os.getpid()}-{os.urandom(4).hex()}")
    first = pool.submit(blocked, path)
    rest = [pool.submit(pow, 2, 3) for _ in range(50)]
    last = pool.submit(lambda: open(path, "w").close())
    try:
        assert not wait([*rest, last], BOUND).not_done
        assert first.result(BOUND)
    finally:
        os.unlink(path)


def test_what_is_printed_and_logged_is_told_with_the_op(
    pool: Processes, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    def speaks(x: Any) -> Any:
        print("first\nsecond")
        print("error", file=sys.stderr)
        os.write(1, b"native\n")
        logging.getLogger("their.own").warning("careful: %d", 3)
        warnings.warn("slow", stacklevel=1)
        return x

    with caplog.at_level("INFO"):
        for _ in range(2):
            assert pool.run(Call(speaks, (1,), op="speaker")) == 1
    out, err = capsys.readouterr()
    assert out.count("[speaker] first\n[speaker] second\n") == 2
    assert out.count("[speaker] native\n") == 2
    assert "[speaker] error\n" in err
    assert "UserWarning: slow" in err
    assert [(r.name, r.levelno, r.getMessage()) for r in caplog.records] == [
        ("their.own", logging.WARNING, "[speaker] careful: 3")
    ] * 2


def test_text_of_a_call_without_an_op_is_told_as_it_is(pool: Processes, capsys: pytest.CaptureFixture[str]) -> None:
    pool.run(Call(print, ("plain", "x" * 100_000)))
    assert capsys.readouterr().out == f"plain {'x' * 100_000}\n"


def test_workers_begin_as_they_are_told() -> None:
    def begin(value: str) -> None:
        os.environ["BEGUN"] = value

    def told() -> Any:
        return os.environ.get("BEGUN"), os.environ.get("MINE"), os.environ.get("OMP_NUM_THREADS")

    with Processes(1, begin, ["yes"], {"MINE": "1"}) as pool:
        assert pool.run(Call(told)) == ("yes", "1", "1")
    with Processes(1, environment={"OMP_NUM_THREADS": "2"}) as pool:
        assert pool.run(Call(told)) == (None, None, "2")


def test_functions_that_a_worker_forgot_are_sent_again(pool: Processes) -> None:
    functions = [eval(f"lambda x: x + {k}") for k in range(300)]
    for _ in range(2):
        assert [f.result(BOUND) for f in [pool.submit(f, 1) for f in functions]] == [1 + k for k in range(300)]
        assert [pool.run(Call(f, (1,))) for f in functions[:5]] == [1, 2, 3, 4, 5]


class Kept:
    """Pulls by adding; a pull that is kept adds one more."""

    def __init__(self, by: float) -> None:
        self.by = by

    def pull(self, seeds: Any, keep: bool) -> Any:
        return [seeds[0] + self.by], Kept(self.by + 1) if keep else None


class Function:
    def __call__(self, x: float) -> float:
        return x

    def kept(self, x: float) -> Any:
        return [x], Kept(x)


def test_pullbacks_stay_in_the_worker(pool: Processes) -> None:
    for begin in (pool.run, lambda call: pool.start(call).result(BOUND)):
        outputs, kept = begin(Call(Function(), (10.0,), keep=True))
        assert outputs == [10.0]
        assert kept.pull([1.0], False) == ([11.0], None)
        found, nested = kept.pull([1.0], True)
        assert found == [11.0]
        assert nested.pull([1.0], False) == ([12.0], None)


@pytest.mark.parametrize("repeatable", [True, False])
def test_a_pullback_whose_worker_died(repeatable: bool) -> None:
    with Processes(1) as pool:
        _, kept = pool.run(Call(Function(), (10.0,), keep=True, repeatable=repeatable, label="f"))
        _, nested = kept.pull([1.0], True)
        os.kill(pool.run(Call(os.getpid)), 9)
        if repeatable:
            assert nested.pull([1.0], False) == ([12.0], None)
            assert kept.pull([1.0], False) == ([11.0], None)
        else:
            for each in (kept, nested):
                with pytest.raises(tf.errors.UnavailableError, match="pullback of f is lost: worker (.|\n)*stateful"):
                    each.pull([1.0], False)
            assert pool.run(Call(pow, (2, 2))) == 4


def test_gradients_of_any_order(pool: Processes) -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.py_function(lambda v: v * v * v, [x], tf.float32, executor=pool)
        first = inner.gradient(y, x)
    second = outer.gradient(first, x)
    np.testing.assert_allclose(first, [3.0, 12.0])
    np.testing.assert_allclose(second, [6.0, 12.0])


def nested(depth: int) -> Any:
    if not depth:
        return np.float32(0)
    below = tf.numpy_function(nested, [depth - 1], tf.float32, executor="processes")
    return np.float32(below) + np.float32(1)


def test_nested_calls_end(pool: Processes) -> None:
    assert tf.numpy_function(nested, [100], tf.float32, executor=pool).numpy() == 100
    counts = [pool.submit(lambda: list(Processes(2).map(pow, range(20), [2] * 20))[-1]) for _ in range(4)]
    assert [f.result(BOUND) for f in counts] == [361] * 4


def test_the_deepest_calls_run_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DEPTH, "2")
    pool = Processes()
    data = np.zeros(3)
    assert pool.run(Call(os.getpid)) == os.getpid()
    assert pool.submit(lambda a: a.fill(1), data).result(BOUND) is None and not data.any()
    with pytest.raises(ZeroDivisionError):
        pool.run(Call(divmod, (1, 0)))


def test_a_pool_that_is_shut_down_finishes_what_it_has() -> None:
    pool = Processes(1)
    futures = [pool.submit(pow, 2, k) for k in range(50)]
    pool.shutdown()
    assert [f.result(0) for f in futures] == [2**k for k in range(50)]
    for begin in (pool.submit, lambda f: pool.run(Call(f))):
        with pytest.raises(tf.errors.FailedPreconditionError, match=r"Processes\(workers=1\) was shut down") as caught:
            begin(os.getpid)
        assert isinstance(caught.value, RuntimeError)


def test_a_pool_that_nobody_holds_ends() -> None:
    pool = Processes(1)
    pid = pool.run(Call(os.getpid))
    del pool
    gc.collect()
    until = time.monotonic() + BOUND
    while os.path.exists(f"/proc/{pid}") and time.monotonic() < until:
        time.sleep(0.01)
    assert not os.path.exists(f"/proc/{pid}")


def test_options_that_make_no_sense() -> None:
    for options, said in [
        ({"workers": 0}, "workers must be an int of at least 1"),
        ({"retries": -1}, "retries must be an int of at least 0"),
        ({"memory_limit": 0.5}, "memory_limit must be an int"),
        ({"timeout": 0}, "timeout must be a positive number"),
        ({"start_timeout": None}, "start_timeout must be a positive number"),
        ({"start_timeout": -1.0}, "start_timeout must be a positive number"),
    ]:
        with pytest.raises(ValueError, match=said):
            Processes(**options)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="initializer must be callable"):
        Processes(initializer=3)  # type: ignore[arg-type]
    assert repr(Processes(3, timeout=2.0)) == "Processes(workers=3, timeout=2.0)"


def test_what_has_not_ended_is_told_with_the_stacks_of_the_workers(pool: Processes) -> None:
    def waits_here(path: str) -> None:
        while not os.path.exists(path):
            time.sleep(0.001)

    path = os.path.join("/tmp", f"inlay-{os.getpid()}-{os.urandom(4).hex()}")
    futures = [pool.start(Call(waits_here, (path,), op="waiter", label="waits_here")) for _ in range(6)]
    until = time.monotonic() + BOUND
    while "in waits_here" not in (text := "\n".join(pool.pending())) and time.monotonic() < until:
        pass
    open(path, "w").close()
    wait(futures, BOUND)
    os.unlink(path)
    assert "in waits_here" in text
    assert "op 'waiter', function waits_here: runs in worker process" in text
    assert "op 'waiter', function waits_here: waits for a worker" in text or "is next in worker process" in text
    assert pool.pending() == []

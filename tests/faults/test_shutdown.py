"""The end of a pool of processes: calls are cancelled or done, waiters are told, no descriptor is written after it."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import multiprocessing
import os
import threading
import time
from concurrent.futures import Executor, ProcessPoolExecutor, wait
from pathlib import Path
from typing import Any

import pytest

import inlay as tf
from inlay._src.core.executor import Call
from inlay._src.host.executors.event_loop import EventLoop
from inlay._src.host.executors.futures import Futures
from inlay._src.host.executors.processes import worker
from inlay._src.host.executors.processes.options import DEEPEST, DEPTH
from inlay._src.host.executors.processes.pool import Processes

BOUND = 30.0


def hold(begun: str, released: str) -> str:
    """Says that it has begun, and waits until it is released."""
    open(begun, "w").close()
    while not os.path.exists(released):
        time.sleep(0.001)
    return "ended"


def _wait_for(path: Path) -> None:
    until = time.monotonic() + BOUND
    while not path.exists() and time.monotonic() < until:
        time.sleep(0.001)


@pytest.mark.parametrize("warm", [False, True])
def test_cancels_queued_calls_and_lets_the_first_end(tmp_path: Path, warm: bool) -> None:
    begun, released = tmp_path / "begun", tmp_path / "released"
    pool = Processes(1)
    if warm:
        assert pool.submit(pow, 2, 2).result(BOUND) == 4
    first = pool.submit(hold, str(begun), str(released))
    _wait_for(begun)
    queued = [pool.submit(time.sleep, 1000) for _ in range(100)]
    pool.shutdown(wait=False, cancel_futures=True)
    assert not first.done() and all(f.cancelled() for f in queued)
    released.touch()
    pool.shutdown()
    assert first.result(0) == "ended"


def test_does_not_wait_for_an_initializer(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    pool = Processes(1, initializer=hold, initargs=(str(begun), str(tmp_path / "released")), start_timeout=1000)
    queued = [pool.submit(pow, 2, 2) for _ in range(3)]
    _wait_for(begun)
    pool.shutdown(cancel_futures=True)
    assert all(f.cancelled() for f in queued)


def _spawned(workers: int) -> Futures:
    return Futures(ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")))


@pytest.mark.parametrize("executor", [Processes, tf.Threads, _spawned])
@pytest.mark.parametrize("how", ["each", "shutdown"])
def test_tells_waiters_of_cancelled_calls(executor: Any, how: str, tmp_path: Path) -> None:
    begun, released = tmp_path / "begun", tmp_path / "released"
    pool: Executor = executor(1)
    first = pool.submit(hold, str(begun), str(released))
    _wait_for(begun)
    queued = [pool.submit(_late, str(released)) for _ in range(20)]
    told: list[Any] = []
    waiter = threading.Thread(target=lambda: told.append(wait(queued, BOUND)))
    waiter.start()
    if how == "each":
        assert all(f.cancel() for f in queued) and all(f.cancel() for f in queued)
        waiter.join()
        assert not told[0].not_done and not wait(queued, 0).not_done
        released.touch()
    else:
        pool.shutdown(wait=False, cancel_futures=True)
        released.touch()  # the standard pools cancel when a worker is free
        waiter.join()
        assert not told[0].not_done
    assert first.result(BOUND) == "ended"
    pool.shutdown()


def _late(released: str) -> None:
    """Ends with the first call, in case it was begun with it: the standard pools send some calls ahead."""
    while not os.path.exists(released):
        time.sleep(0.001)


def test_a_coroutine_that_ignores_its_cancellation_keeps_no_waiter() -> None:
    released = threading.Event()

    async def ignores() -> None:
        while not released.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0.001)

    call = EventLoop().submit(ignores)
    assert call.cancel()
    assert not wait([call], BOUND).not_done
    released.set()


def test_a_call_within_the_deepest_worker_is_cancelled_silently(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv(DEPTH, str(DEEPEST))
    begun, released = tmp_path / "begun", tmp_path / "released"
    call = Processes(1).submit(hold, str(begun), str(released))
    _wait_for(begun)
    assert call.cancel() and not wait([call], BOUND).not_done
    released.touch()
    for thread in threading.enumerate():
        if thread.name == "inlay-call":
            thread.join(BOUND)
    assert "Traceback" not in capfd.readouterr().err


def test_a_pool_that_ended_writes_to_no_descriptor(tmp_path: Path) -> None:
    pool = Processes(1)
    call = pool.submit(pow, 2, 2)
    assert call.result(BOUND) == 4
    before = {os.readlink(f"/proc/self/fd/{n}"): int(n) for n in os.listdir("/proc/self/fd") if _eventfd(n)}
    pool.shutdown()
    files = [os.open(tmp_path / str(n), os.O_RDWR | os.O_CREAT) for n in range(max(before.values()) + 1)]
    pool.shutdown()
    call.cancel()
    del pool, call
    gc.collect()
    sizes = [os.fstat(file).st_size for file in files]
    for file in files:
        os.close(file)
    assert sizes == [0] * len(sizes)


def _eventfd(number: str) -> bool:
    try:
        return "eventfd" in os.readlink(f"/proc/self/fd/{number}")
    except OSError:
        return False


def test_a_process_that_cannot_be_started_is_an_error_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    before = len(os.listdir("/proc/self/fd"))
    monkeypatch.setattr(worker.subprocess, "Popen", refuse)
    with Processes(1) as pool:
        for call in (lambda: pool.submit(pow, 2, 2).result(BOUND), lambda: pool.run(Call(pow, (2, 2)))):
            with pytest.raises(tf.errors.ResourceExhaustedError, match="no worker process can be started"):
                call()
    assert len(os.listdir("/proc/self/fd")) <= before

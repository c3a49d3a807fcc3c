"""Faults in worker processes: each has an error of its own, and the pool works afterwards."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core.executor import Call
from inlay._src.host.executors.processes import wire
from inlay._src.host.executors.processes.pool import Processes
from tests.unit.executors.batches import outcomes

BOUND = 30.0


@pytest.fixture
def pool() -> Iterator[Processes]:
    with Processes(2) as made:
        yield made


def run(pool: Processes, function: Callable[..., Any], *args: Any, **fields: Any) -> Any:
    return pool.run(Call(function, args, label=function.__name__, **fields))


def started(pool: Processes, function: Callable[..., Any], *args: Any, **fields: Any) -> Any:
    return pool.start(Call(function, args, label=function.__name__, **fields)).result(BOUND)


def works(pool: Processes) -> None:
    for _ in range(3):
        assert run(pool, pow, 2, 5) == 32
    assert [f.result(BOUND) for f in [pool.submit(pow, 2, k) for k in range(20)]] == [2**k for k in range(20)]


BOTH = pytest.mark.parametrize("call", [run, started])


def killed(number: int) -> None:
    os.kill(os.getpid(), number)


def crash() -> None:
    ctypes.string_at(0)


def noted(folder: str, number: int) -> int:
    """Appends to the file of a call, and dies in call 5."""
    with open(f"{folder}/{number}", "a") as file:
        file.write("x")
    if number == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.parametrize("reads", [False, True])
def test_a_worker_that_dies_within_a_message_loses_one_call(tmp_path: Path, reads: bool) -> None:
    with Processes(1) as pool:
        assert run(pool, pow, 2, 5) == 32
        sent = wire.outgoing_batch
        sizes = []

        def counted(requests: Any) -> Any:
            sizes.append(len(requests))
            return sent(requests)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(wire, "outgoing_batch", counted)
            patch.setattr(pool._dispatcher._calls, "mean", 1e-4)
            batch = pool.start_many([Call(noted, (str(tmp_path), k), label="noted") for k in range(12)])
            ended = outcomes(batch, 12, BOUND, reads)
        assert max(sizes) >= 3, "call 5 was in a message with others"
        assert isinstance(ended[5], tf.errors.UnavailableError)
        assert ended[:5] + ended[6:] == [k for k in range(12) if k != 5]
        assert all((tmp_path / str(k)).read_text() == "x" for k in range(12)), "each began once"
        works(pool)


def test_a_call_that_cannot_be_sent_fails_alone(pool: Processes) -> None:
    batch = pool.start_many([Call(pow, (2, 3)), Call(len, (threading.Lock(),), label="len"), Call(pow, (2, 4))])
    good, bad, last = outcomes(batch, 3, BOUND)
    assert (good, last) == (8, 16)
    with pytest.raises(tf.errors.InvalidArgumentError, match="argument 0 of len, a lock, cannot be sent"):
        raise bad


@BOTH
@pytest.mark.parametrize(
    ("function", "args", "said"),
    [
        (killed, (signal.SIGKILL,), "killed by SIGKILL.*ran out of memory"),
        (killed, (signal.SIGTERM,), "killed by SIGTERM"),
        (os._exit, (7,), "exit status 7.*os._exit"),
        (crash, (), "killed by SIGSEGV(.|\n)*string_at(.|\n)*in crash"),
    ],
)
def test_a_worker_that_dies_is_told_with_its_cause(
    pool: Processes, call: Any, function: Any, args: Any, said: str
) -> None:
    works(pool)
    with pytest.raises(tf.errors.UnavailableError, match=said) as caught:
        call(pool, function, *args)
    assert function.__name__ in str(caught.value)
    assert "stateful, so it is not run again" in str(caught.value)
    works(pool)


@BOTH
def test_a_call_that_always_kills_its_worker_says_how_often(call: Any) -> None:
    with Processes(1, retries=2) as pool:
        with pytest.raises(tf.errors.UnavailableError, match="was run 3 times, and its worker was lost each time"):
            call(pool, killed, signal.SIGKILL, repeatable=True)
        works(pool)


@BOTH
def test_a_call_that_may_be_repeated_is_run_again(call: Any, tmp_path: Path) -> None:
    def once(folder: str) -> str:
        try:
            os.mkdir(f"{folder}/begun")
        except FileExistsError:
            return "second"
        os._exit(1)

    with Processes(1) as pool:
        assert call(pool, once, str(tmp_path), repeatable=True) == "second"
        (tmp_path / "begun").rmdir()
        with pytest.raises(tf.errors.UnavailableError):
            call(pool, once, str(tmp_path))


@BOTH
def test_a_worker_that_never_answers_is_killed_at_the_time_limit(call: Any) -> None:
    def sleeper() -> None:
        time.sleep(1000)

    with Processes(1, timeout=0.2) as pool:
        works(pool)
        with pytest.raises(tf.errors.DeadlineExceededError, match="longer than 0.2 s(.|\n)*in sleeper"):
            call(pool, sleeper)
        works(pool)


@BOTH
def test_a_worker_that_takes_too_much_memory_is_killed(call: Any) -> None:
    def hoard() -> None:
        held = []
        while True:
            held.append(np.ones(1 << 20))
            time.sleep(0.001)

    with Processes(1, memory_limit=600 << 20) as pool:
        works(pool)
        with pytest.raises(tf.errors.ResourceExhaustedError, match="bytes of memory resident, more than its limit"):
            call(pool, hoard)
        works(pool)


class Unpicklable:
    def __reduce__(self) -> Any:
        raise TypeError("no way")


class BadError(Exception):
    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


@BOTH
def test_what_does_not_pickle_is_refused_by_name(pool: Processes, call: Any) -> None:
    works(pool)
    with pytest.raises(tf.errors.InvalidArgumentError, match="argument 1 of pow, a Unpicklable, cannot be sent") as e:
        call(pool, pow, 1, Unpicklable())
    assert isinstance(e.value, TypeError)

    def bad_result() -> Any:
        return Unpicklable()

    with pytest.raises(tf.errors.InvalidArgumentError, match="the result of .*bad_result, a Unpicklable") as e:
        call(pool, bad_result)
    assert isinstance(e.value, TypeError)

    def raises() -> None:
        raise BadError(1, 2)

    with pytest.raises(BadError, match="1 and 2"):
        call(pool, raises)
    lock = threading.Lock()

    def captures() -> Any:
        return lock

    with pytest.raises(tf.errors.InvalidArgumentError, match="closure variable 'lock' of .*captures is a lock"):
        call(pool, captures)
    works(pool)


@BOTH
def test_an_exception_has_the_traceback_that_it_had_there(pool: Processes, call: Any) -> None:
    def deep() -> None:
        raise KeyError("missing")

    with pytest.raises(KeyError, match="missing") as caught:
        call(pool, deep)
    assert "in deep" in str(caught.value.__cause__)


@BOTH
def test_full_shared_memory_is_told(pool: Processes, call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    works(pool)
    data = np.zeros(1 << 20)

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(wire.os, "ftruncate", full)
        with pytest.raises(tf.errors.ResourceExhaustedError, match="no room for .* bytes of shared memory: .*No space"):
            call(pool, np.sum, data)

    def full_there() -> Any:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        return np.zeros(1 << 20)

    with pytest.raises(tf.errors.ResourceExhaustedError, match="no room for .* bytes of shared memory"):
        call(pool, full_there)
    works(pool)


def test_calls_that_were_not_begun_by_a_worker_that_died_run_elsewhere(tmp_path: Path) -> None:
    def note(folder: str, number: int) -> int:
        with open(f"{folder}/{number}", "a") as file:
            file.write("x")
        if number == 150:
            os._exit(1)
        return number

    with Processes(1) as pool:
        futures = [pool.submit(note, str(tmp_path), k) for k in range(300)]
        for k, future in enumerate(futures):
            if k == 150:
                with pytest.raises(tf.errors.UnavailableError):
                    future.result(BOUND)
            else:
                assert future.result(BOUND) == k
    assert {path.read_text() for path in tmp_path.iterdir()} == {"x"}


def test_an_idle_worker_that_was_killed_is_replaced(pool: Processes) -> None:
    for _ in range(3):
        os.kill(run(pool, os.getpid), signal.SIGKILL)
        works(pool)


def test_workers_that_do_not_start_are_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise RuntimeError("not today")

    with Processes(1, initializer=broken) as pool:
        for call in (run, started):
            with pytest.raises(tf.errors.UnavailableError, match="3 worker processes in a row(.|\n)*not today"):
                call(pool, pow, 1, 2)


def test_starts_that_fail_fail_only_the_calls_they_were_given(tmp_path: Path) -> None:
    def killed_at_first(folder: str) -> None:
        for number in range(3):
            try:
                os.mkdir(f"{folder}/{number}")
            except FileExistsError:
                continue
            os.kill(os.getpid(), signal.SIGKILL)

    with Processes(1, initializer=killed_at_first, initargs=(str(tmp_path),)) as pool:
        first, *rest = [pool.submit(pow, 2, k) for k in range(30)]
        with pytest.raises(tf.errors.UnavailableError, match="3 worker processes in a row did not start"):
            first.result(BOUND)
        assert [future.result(BOUND) for future in rest] == [2**k for k in range(1, 30)]


def test_a_worker_whose_initializer_hangs_is_replaced_after_its_time(tmp_path: Path) -> None:
    def hangs(path: str) -> None:
        with open(path, "a") as starts:
            starts.write("x")
        while True:
            time.sleep(3600.0)

    with Processes(1, initializer=hangs, initargs=(str(tmp_path / "starts"),), start_timeout=1.0) as pool:
        with pytest.raises(tf.errors.UnavailableError, match=r"3 worker processes in a row(.|\n)*not ready after 1 s"):
            started(pool, pow, 2, 5)
    assert len((tmp_path / "starts").read_text()) <= 3


def test_a_worker_that_is_stopped_before_it_is_ready_is_replaced(tmp_path: Path) -> None:
    def stopped_once(folder: str) -> None:
        try:
            os.mkdir(f"{folder}/begun")
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGSTOP)

    with Processes(1, initializer=stopped_once, initargs=(str(tmp_path),)) as pool:
        assert started(pool, pow, 2, 5) == 32


@BOTH
@pytest.mark.parametrize("offset", [1, -1])
def test_an_answer_with_another_number_is_an_error_and_never_a_value(pool: Processes, call: Any, offset: int) -> None:
    def skewed(by: int) -> int:
        from inlay._src.host.executors.processes import wire

        outgoing = wire.outgoing

        def other(kind: Any, number: int, packed: Any, seconds: float = 0.0) -> Any:
            return outgoing(kind, number + by, packed, seconds)

        wire.outgoing = other
        return os.getpid()

    works(pool)
    with pytest.raises(
        tf.errors.InternalError, match=r"worker process \d+ that received the call of skewed was killed: it answered"
    ):
        call(pool, skewed, offset)
    works(pool)


def test_a_worker_that_gets_a_request_twice_ends(pool: Processes) -> None:
    works(pool)
    dispatcher = pool._dispatcher
    before = {worker.pid for worker in dispatcher._calls.workers}
    for worker in dispatcher._calls.workers:
        worker._numbers = iter(range(1, 1000))
    for _ in range(4):
        assert run(pool, pow, 2, 5) == 32
    assert not before & {worker.pid for worker in dispatcher._calls.workers if worker.ready}


def script(folder: Path, text: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Runs a program of its own."""
    program = folder / "program.py"
    program.write_text("import os, signal, sys, time\nimport inlay as tf\n" + textwrap.dedent(text))
    return subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=50, **options)


def gone(pid: int) -> bool:
    """Whether a process ends."""
    until = time.monotonic() + BOUND
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("how", ["os._exit(0)", "os.kill(os.getpid(), signal.SIGKILL)", "sys.exit()", "1 / 0"])
def test_workers_end_with_the_parent(how: str, tmp_path: Path) -> None:
    text = f"""
    pool = tf.Processes(2)
    print(pool.submit(os.getpid).result(), flush=True)
    def stuck(path):
        open(path, "w").write(str(os.getpid()))
        while True:
            pass
    path = os.path.dirname(__file__) + "/pid"
    pool.submit(stuck, path)
    while not (os.path.exists(path) and open(path).read()):
        time.sleep(0.01)
    {how}
    """
    done = script(tmp_path, text)
    for pid in (int(done.stdout.split()[0]), int((tmp_path / "pid").read_text())):
        assert gone(pid)


def test_ctrl_c_ends_the_call_and_leaves_nothing(tmp_path: Path) -> None:
    text = """
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may start tests with Ctrl-C ignored
    pool = tf.Processes(1)
    parent = os.getpid()
    pid = pool.submit(os.getpid).result()
    def stuck(known):
        while not os.path.exists(known):
            time.sleep(0.01)
        os.kill(parent, signal.SIGINT)
        time.sleep(1000)
    def submitted():
        future = pool.submit(stuck, known := sys.argv[0] + ".known")
        try:
            open(known, "w").close()  # from here on Ctrl-C finds somebody who cancels
            future.result()
        finally:
            future.cancel()
    for call in (submitted, lambda: tf.numpy_function(stuck, [sys.argv[0]], tf.int64, executor=pool)):
        try:
            call()
        except KeyboardInterrupt:
            print("interrupted")
        print(pool.submit(os.getpid).result() != 0)
    print(pid)
    """
    done = script(tmp_path, text)
    assert done.returncode == 0, done.stderr
    *lines, pid = done.stdout.split()
    assert lines == ["interrupted", "True"] * 2
    assert gone(int(pid))


def test_a_forked_child_has_a_pool_of_its_own(tmp_path: Path) -> None:
    text = """
    import warnings
    warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 and later warn of a fork beside threads
    pool = tf.Processes(1)
    mine = pool.submit(os.getpid).result()
    waiting = pool.submit(time.sleep, 3)
    child = os.fork()
    if not child:
        signal.alarm(30)
        theirs = pool.submit(os.getpid).result()
        try:
            waiting.result()
        except tf.errors.FailedPreconditionError:
            print(theirs != mine, theirs, flush=True)
        sys.exit(0)
    print(os.waitpid(child, 0)[1], flush=True)
    print(waiting.result(), pool.submit(os.getpid).result() == mine)
    """
    done = script(tmp_path, text)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    said, theirs, status, none, same = done.stdout.split()
    assert (said, status, none, same) == ("True", "0", "None", "True")
    assert gone(int(theirs))


def test_nothing_is_left_behind(pool: Processes) -> None:
    def descriptors() -> int:
        return len(os.listdir("/proc/self/fd"))

    def segments() -> int:
        return Path("/proc/self/maps").read_text().count("/memfd:inlay")

    before, shared = descriptors(), segments()
    for _ in range(2):
        with Processes(2) as other:
            run(other, np.sum, np.zeros(1 << 20))
            with pytest.raises(tf.errors.UnavailableError):
                run(other, os._exit, 1)
            list(other.map(np.sum, [np.zeros(1 << 16)] * 10))
    assert descriptors() == before
    assert segments() == shared

"""Everything public is called with drawn arguments; nothing raises an error of the library itself, or hangs.

A call that is not over in time hangs, with two exceptions, which are counted apart. One waits for others: it uses no
processor, it is at an event or asleep between two looks (not at a lock), and Ctrl-C would end it within a second. The
other runs a loop of the caller's: a function of the caller's is called again and again.

A process of its own makes the calls, in an empty folder, with limits, and is replaced when it ends or does not come to
the end of a call. What happens in a call follows from the seed and its number:
`python -m benchmarks.soak_calls SEED NUMBER` makes it again and shows what becomes of it.
"""

from __future__ import annotations

import io
import linecache
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import threading
import time
import traceback
import warnings
from contextlib import redirect_stderr, redirect_stdout
from types import FrameType
from typing import Any

from benchmarks.soak_memory import Memory, bounded

HANGS = 10.0
"""Seconds that a call may take; waiting, or of a processor."""
PROMPT = 1.0
"""Seconds in which an interrupt ends a call that waits for others."""
CALLERS = os.path.join("tests", "faults") + os.sep
"""Where the functions of the caller are."""
LEFT_MB = 3072
"""What the address space may grow to beyond what it has at first."""
LARGEST_FILE = 64 << 20
_FORBIDDEN = frozenset({
    "os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.system", "subprocess.Popen", "os.kill", "os.chdir",
    "socket.bind", "socket.connect", "urllib.Request", "time.sleep", "ctypes.dlopen",
})  # fmt: skip
_CHANGING = frozenset({"os.remove", "os.rename", "os.mkdir", "os.rmdir", "shutil.rmtree", "os.link", "os.symlink",
                       "os.truncate", "shutil.move"})  # fmt: skip


class TooLongError(BaseException):
    """A call takes too long."""


class Calls:
    """Makes calls and keeps what is wrong.

    Args:
      seed: decides all of them.
      folder: an empty one, for files.

    Attributes:
      causes: cause -> how often, and the first call's number and text.
      waits: the number of calls that waited for others, or ran a loop of the caller's, until they were ended.
      raised: how many calls raised an error of any kind.
    """

    def __init__(self, seed: int, folder: str) -> None:
        self._seed, self._folder = seed, os.path.realpath(folder)
        self._guarding = False
        self._stack: list[str] = []
        self._used: float | None = None
        self._interrupted = 0.0
        self._is_busy = self._is_excused = False
        self.waits = 0
        self.causes: dict[str, list[Any]] = {}
        self.raised = 0

    def guard(self) -> None:
        """From now on calls cannot start processes, reach others or change files elsewhere, and are ended in time."""
        sys.addaudithook(self._audit)
        signal.signal(signal.SIGALRM, self._ended)

    def _audit(self, event: str, args: tuple[Any, ...]) -> None:
        if not self._guarding:
            return
        if event in _FORBIDDEN:
            raise PermissionError(f"{event} is not allowed here")
        writes = event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if (writes or event in _CHANGING) and isinstance(args[0], (str, bytes)):
            path = os.path.realpath(os.fsdecode(args[0]))
            if not path.startswith((self._folder, "/dev/")):
                raise PermissionError(f"{event} of {path} is not allowed here")

    def _ended(self, signum: int = 0, frame: FrameType | None = None) -> None:
        before, self._used = self._used, time.process_time()
        if before is None or HANGS / 20 < self._used - before < HANGS / 5 and not self._is_busy:
            return  # at half time, or a busy machine
        if self._is_busy:
            sys.setprofile(None)
        elif self._used - before > HANGS / 20:
            self._is_busy = True
            sys.setprofile(self._look)
            signal.setitimer(signal.ITIMER_REAL, HANGS / 20)
            return
        else:
            self._is_excused = frame is not None and waits_for_others(frame)
        library = os.path.join("src", "inlay") + os.sep
        ours = [f for f in traceback.extract_stack() if library in f.filename]
        places = [f"{f.filename.split(library)[-1]}:{f.lineno} {f.name}" for f in ours[-1:]]
        self._stack = places or ["no frame of ours"]
        self._interrupted = time.monotonic()
        raise TooLongError

    def _look(self, frame: FrameType, event: str, arg: Any) -> None:
        """Sees whether a busy call calls functions of the caller's."""
        if event == "call" and CALLERS in frame.f_code.co_filename:
            self._is_excused = True

    def make(self, number: int) -> BaseException | None:
        """Makes a call; gives what it raised."""
        from tests.faults.public_calls import Made

        made = Made(self._seed, number, self._folder)
        self._stack = []
        error: BaseException | None = None
        self._used = None
        self._is_busy = self._is_excused = False
        signal.setitimer(signal.ITIMER_REAL, HANGS / 2, HANGS / 2)
        self._guarding = True
        try:
            with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
                made.run()
        except BaseException as caught:
            error = caught
        finally:
            self._guarding = False
            signal.setitimer(signal.ITIMER_REAL, 0)
            sys.setprofile(None)
            ended = time.monotonic()
        self.raised += error is not None
        cause = ""
        if self._stack and self._is_excused and ended - self._interrupted < PROMPT:
            self.waits += 1
        elif self._stack:
            cause = f"hangs at {self._stack[0]}"
        elif isinstance(error, (SystemExit, KeyboardInterrupt)):
            cause = f"raises {type(error).__name__}"
        elif error is not None:
            cause = made.cause(error)
        if cause:
            entry = self.causes.setdefault(cause, [0, number, f"{made.text()}: {str(error)[:160]!r}"])
            entry[0] += 1
        return error


def waits_for_others(frame: FrameType) -> bool:
    """Whether a frame is at an event, or asleep between two looks; one that is at a lock waits for the library."""
    if frame.f_code.co_filename == threading.__file__:
        return frame.f_code.co_name == "wait"
    return "time.sleep(" in linecache.getline(frame.f_code.co_filename, frame.f_lineno)


def _limit() -> None:
    with open("/proc/self/statm", encoding="ascii") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    limit = now + (LEFT_MB << 20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))


def _work(seed: int, start: int, count: int, seconds: float, progress: Any, sending: Any) -> None:
    """The process that calls: numbers `start` to `start + count`."""
    warnings.simplefilter("ignore")
    sys.dont_write_bytecode = True
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    from tests.faults import public_calls

    public_calls.targets()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        calls = Calls(seed, folder)
        calls.guard()
        _limit()
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        memory = Memory(count)
        for numbers in bounded(count, seconds, 100):
            for number in range(start + numbers.start, start + numbers.stop):
                progress[0] = number
                calls.make(number)
            progress[1] = numbers.stop
            memory.look(numbers.stop)
            sending.send((calls.raised, calls.causes, calls.waits))
        sending.send((calls.raised, calls.causes, calls.waits))
        os.chdir("/")
    sending.close()


def calls(seed: int, count: int, seconds: float) -> dict[str, Any]:
    """Makes `count` calls, in a process that is replaced if it ends or hangs."""
    spawning = multiprocessing.get_context("spawn")
    end, at = time.monotonic() + seconds, 0
    raised, waits, causes = 0, 0, dict[str, list[Any]]()
    while at < count and (left := end - time.monotonic()) > 0:
        progress = spawning.RawArray("q", [-1, 0])
        receiving, sending = spawning.Pipe(duplex=False)
        process = spawning.Process(target=_work, args=(seed, at, count - at, left, progress, sending), daemon=True)
        process.start()
        sending.close()
        result, fault = _result(process, receiving, progress)
        receiving.close()
        raised += result[0]
        waits += result[2]
        found = result[1]
        if fault:
            found[f"{fault} in {_target(progress[0])}"] = [1, max(progress[0], 0), ""]
            at = max(progress[0], at) + 1
        else:
            at += progress[1]
        for cause, (times, number, text) in found.items():
            entry = causes.setdefault(cause, [0, number, text])
            entry[0] += times
        if not fault:
            break
    ordered = sorted(causes.items(), key=lambda item: -item[1][0])
    faults = [f"{cause} ({times} times): {text}; python -m benchmarks.soak_calls {seed} {number}"
              for cause, (times, number, text) in ordered]  # fmt: skip
    return {"done": at, "wrong": 0, "faults": faults, "exceptions": raised, "waits": waits, **Memory(count).figures()}


def _target(number: int) -> str:
    from tests.faults import public_calls

    every = public_calls.targets()
    return str(every[max(number, 0) % len(every)])


def _result(process: Any, receiving: Any, progress: Any) -> tuple[Any, str]:
    """What a process sent last, and how it ended, "" if well."""
    result: Any = (0, {}, 0)
    last, since = progress[0], time.monotonic()
    while True:
        try:
            if receiving.poll(1.0):
                result = receiving.recv()
        except EOFError:
            process.join()
            return result, "" if not process.exitcode else f"the process ends with {process.exitcode}"
        if progress[0] != last:
            last, since = progress[0], time.monotonic()
        elif time.monotonic() - since > 9 * HANGS:
            process.kill()
            process.join()
            return result, "nothing stops what hangs"


def main() -> None:
    """Makes one call and shows what becomes of it."""
    seed, number = map(int, sys.argv[1:])
    os.environ["INLAY_FULL_TRACEBACK"] = "1"
    from tests.faults import public_calls

    with tempfile.TemporaryDirectory() as folder:
        print(public_calls.Made(seed, number, folder).text())
        made = Calls(seed, folder)
        made.guard()
        os.chdir(folder)
        error = made.make(number)
        print("".join(traceback.format_exception(error)) if error else "no error", *made.causes)
        if made.waits:
            print("waits for others, or runs a loop of the caller's")
        os.chdir("/")


if __name__ == "__main__":
    main()

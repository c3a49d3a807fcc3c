"""Damaged files, given to every reader: each gives a value or raises an error of ours, soon, and takes little memory.

A process of its own reads them, so that the one that crashes it, or that it does not come to the end of, is known.
What happens with a file follows from the seed and its number: `python -m benchmarks.soak_readers SEED NUMBER` reads it
again and shows what becomes of it.
"""

from __future__ import annotations

import functools
import gc
import multiprocessing
import os
import random
import re
import resource
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.damaged_files import READERS, Reader
from benchmarks.soak_memory import Memory, bounded

HANGS = 60.0
"""Seconds that a file may take on a busy machine."""
STARTS = 600.0
"""Seconds that a process may take to load the library and to read every valid file, beside others."""
MOST_MB = 256
"""What reading one file may add to the address space; none has more than 128 KiB."""
LOOKS = 16
"""Files after which the address space is looked at."""
FACTOR, SLACK_MB = 4, 64
"""What reading one file may add to the resident memory: `FACTOR` times the file, and `SLACK_MB`."""
SOON = 0.25
"""Seconds of a processor that a file may take besides what its size allows; the least of three readings counts."""
_CONFINED = frozenset({"models", "shown", "signatures"})
"""Readers that open every file below the folder by its name in it, and follow no links."""
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_INTERNAL = re.compile(
    "(Attribute|Key|Index|Recursion|UnboundLocal|Memory|Name|Assertion)Error|object has no attribute|local variable"
)
LEFT_MB = 1024
"""What the address space may have at all beyond what it has once every reader was used."""
MOST_FAULTS = 20
_EVENTS = frozenset({"pickle.find_class", "os.system", "os.exec", "os.posix_spawn", "subprocess.Popen"})


@functools.cache
def _turns() -> list[str]:
    """The readers of files 0 to 999; all others repeat them."""
    names = [name for name, reader in READERS.items() for _ in range(reader.share)]
    random.Random(0).shuffle(names)
    return names


def reader_of(number: int) -> str:
    """Which reader a file is for."""
    turns = _turns()
    return turns[number % len(turns)]


def _peak_mb() -> float:
    """The most that the address space of this process ever had, in MB."""
    with open("/proc/self/status", encoding="ascii") as file:
        line = next(line for line in file if line.startswith("VmPeak"))
    return int(line.split()[1]) / 1024


def _most_resident_mb() -> float:
    """The most that was resident of this process since the maximum began, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def fault_of(reader: Reader, error: BaseException) -> str:
    """What is wrong with an error that a reader raised; "" if it is one of ours."""
    from inlay import errors

    root = error
    while root.__cause__ is not None:
        root = root.__cause__
    inside = (errors.UnknownError, errors.InternalError)
    of_inlay = type(error).__module__.startswith("inlay.") and isinstance(error, reader.errors)
    ours = isinstance(error, errors.OpError) or type(error) in reader.errors or of_inlay
    fatal = isinstance(root, (AssertionError, MemoryError, UnboundLocalError))
    if ours and not isinstance(error, inside) and not fatal:
        return _fault_of_words(error)
    frames = traceback.extract_tb(root.__traceback__)
    where = f"{os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else "nowhere"
    caused = "" if root is error else f" from {type(root).__name__}"
    return f"{type(error).__name__}{caused} at {where}: {str(error)[:200]}"


def _fault_of_words(error: BaseException) -> str:
    """What is wrong with what an error and its causes say: nothing in it steers a terminal, or speaks of our source."""
    at: BaseException | None = error
    while at is not None:
        text = str(at)
        if (control := _CONTROL.search(text)) is not None:
            return f"{type(at).__name__} passes {control[0]!r} on: {text[:200]!r}"
        at = at.__cause__
    if (internal := _INTERNAL.search(str(error))) is not None:
        return f"{type(error).__name__} tells of {internal[0]!r}: {str(error)[:200]}"
    return ""


def size_of(file: Any) -> int:
    """The bytes of a file, or of those of a folder."""
    return sum(map(len, file.values())) if isinstance(file, dict) else len(file)


class Readers:
    """Valid files of every reader, and what is found when damaged ones are read.

    Args:
      seed: decides what is damaged.
      folder: an empty one, to put files into.

    Attributes:
      counts: reader -> how many files were given to it.
      read: how many of all were read to their end: the damage was none that matters.
      faults: what is wrong, with the numbers of the files.
    """

    def __init__(self, seed: int, folder: str) -> None:
        self._seed, self._folder = seed, Path(folder).resolve()
        self._valid: dict[str, list[Any]] = {}
        self._events: list[str] = []
        self._watching = self._confined = False
        self.counts, self.read, self.faults = Counter[str](), 0, list[str]()
        for name, reader in READERS.items():
            (self._folder / name / "valid").mkdir(parents=True)
            (self._folder / name / "given").mkdir()
            self._valid[name] = reader.valid(self._folder / name / "valid")
            for file in self._valid[name]:
                error = self._error(name, file)
                if error is not None and (fault := fault_of(reader, error)):
                    raise RuntimeError(f"a valid file of {name} is not read: {fault}") from error

    def _error(self, name: str, file: Any) -> BaseException | None:
        try:
            READERS[name].read(file, self._folder / name / "given")
        except BaseException as error:
            return error
        return None

    def damaged(self, number: int) -> Any:
        """A file."""
        name = reader_of(number)
        return READERS[name].damaged(self._valid[name], random.Random(f"{self._seed}/{number}"))

    def give(self, number: int) -> BaseException | None:
        """Damages a file and reads it; gives the error."""
        name, file = reader_of(number), self.damaged(number)
        before = _most_resident_mb()
        with self._watched(name, file):
            began = time.process_time()
            error = self._error(name, file)
            took = time.process_time() - began
        self._check_memory(number, file, before)
        self._check_time(number, name, file, took)
        self.counts[name] += 1
        self.read += error is None
        fault = "" if error is None else fault_of(READERS[name], error)
        for what in [*filter(None, [fault]), *self._events]:
            self.fault(number, what)
        self._events.clear()
        return error

    def _check_memory(self, number: int, file: Any, before: float) -> None:
        if (added := _most_resident_mb() - before) < 1.0:
            return
        if added > FACTOR * size_of(file) / (1 << 20) + SLACK_MB:
            self.fault(number, f"it has {size_of(file):,} bytes and takes {added:.0f} MB of memory")
        with open("/proc/self/clear_refs", "w", encoding="ascii") as maximum:  # which begins anew
            maximum.write("5")

    def _check_time(self, number: int, name: str, file: Any, took: float) -> None:
        most = SOON + READERS[name].per_byte * size_of(file)
        for _ in range(2):
            if took <= most:
                return
            began = time.process_time()
            self._error(name, file)
            took = min(took, time.process_time() - began)
        if took > most:
            self.fault(number, f"it has {size_of(file):,} bytes and takes {took:.2f} s")

    def fault(self, number: int, what: str) -> None:
        """Notes what is wrong with a file."""
        self.faults.append(told(self._seed, number, what))

    @contextmanager
    def _watched(self, name: str, file: Any) -> Iterator[None]:
        # A model without a manifest is one of TensorFlow's: nothing of it was verified, and its graph names its files.
        self._watching, self._confined = True, name in _CONFINED and "manifest.json" in file
        try:
            yield
        finally:
            self._watching = False

    def watch(self) -> None:
        """From now on, files that have something run, or that write outside their folder, are faults."""
        sys.addaudithook(self._audit)

    def _audit(self, event: str, args: tuple[Any, ...]) -> None:
        if not self._watching:
            return
        if event in _EVENTS:
            self._events.append(f"it has something run: {event} {args!r:.200}")
        elif event == "open" and isinstance(args[0], (str, bytes)) and isinstance(args[2], int):
            path = os.path.abspath(os.fsdecode(args[0]))
            if args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and not path.startswith(str(self._folder)):
                self._events.append(f"it writes {path}")
            writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_DIRECTORY
            is_file = path.startswith(str(self._folder)) and not args[2] & writing
            if self._confined and is_file and "/given/given/" in path and os.path.isabs(os.fsdecode(args[0])):
                self._events.append(f"it opens {path} by its path: another file than the one that was verified")


def told(seed: int, number: int, what: str) -> str:
    """A fault in words."""
    return f"{reader_of(number)}, file {number} of seed {seed}: {what}"


def _work(seed: int, start: int, count: int, seconds: float, progress: Any, sending: Any) -> None:
    """The process that reads: files `start` to `start + count`."""
    warnings.simplefilter("ignore")
    sys.dont_write_bytecode = True
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    with tempfile.TemporaryDirectory() as folder:
        readers = Readers(seed, folder)
        readers.watch()
        gc.collect()
        peak = _peak_mb()
        limit = int(peak + LEFT_MB) << 20
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        memory = Memory(count)
        for numbers in bounded(count, seconds, max(count // 200, 1)):
            for number in range(start + numbers.start, start + numbers.stop):
                progress[0] = number
                readers.give(number)
                if number % LOOKS == 0:
                    before, peak = peak, _peak_mb()
                    if peak > before + MOST_MB:
                        readers.fault(number, f"it, or one of the {LOOKS} before it, takes {peak - before:.0f} MB")
            progress[1] = numbers.stop
            memory.look(numbers.stop)
            if len(readers.faults) >= MOST_FAULTS:
                break
        sending.send((dict(readers.counts), readers.read, readers.faults, memory.figures()))


def readers(seed: int, count: int, seconds: float) -> dict[str, Any]:
    """Reads `count` damaged files in a process that is replaced if it crashes or hangs."""
    spawning = multiprocessing.get_context("spawn")
    end, at = time.monotonic() + seconds, 0
    counts, read, faults, figures = Counter[str](), 0, list[str](), Memory(count).figures()
    while at < count and (left := end - time.monotonic()) > 0 and len(faults) < MOST_FAULTS:
        progress = spawning.RawArray("q", [-1, 0])
        receiving, sending = spawning.Pipe(duplex=False)
        process = spawning.Process(target=_work, args=(seed, at, count - at, left, progress, sending), daemon=True)
        process.start()
        sending.close()
        result, fault = _result(process, receiving, progress)
        receiving.close()
        if result is None:
            faults.append(told(seed, max(progress[0], 0), fault))
            at = max(progress[0], at) + 1
            continue
        more, done, found, figures = result
        counts.update(more)
        read, faults, at = read + done, faults + found, at + progress[1]
        break
    extra = {"files": dict(counts), "readable": read}
    return {"done": at, "wrong": 0, "faults": faults[:MOST_FAULTS], **extra, **figures}


def _result(process: Any, receiving: Any, progress: Any) -> tuple[Any, str]:
    """What a process sends, or how it ended."""
    last, since, used = progress[0], time.monotonic(), 0.0
    while True:
        try:
            if receiving.poll(1.0):
                result = receiving.recv()
                process.join()
                return result, ""
        except EOFError:
            process.join()
            return None, f"the process ends with {process.exitcode}"
        if progress[0] != last:
            last, since, used = progress[0], time.monotonic(), _processor_seconds(process.pid)[1]
        elif time.monotonic() - since > (limit := HANGS if last >= 0 else STARTS) and not _starved(process.pid, used):
            process.kill()
            process.join()
            return None, f"it takes more than {limit:.0f} s"


def _processor_seconds(pid: int) -> tuple[str, float]:
    """The state of a process, and the seconds that a processor worked for it."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return "Z", 0.0
    return fields[0], (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _starved(pid: int, used: float) -> bool:
    """Whether a process that makes no progress wants to run and is not let, on a machine that has too much to do."""
    state, now = _processor_seconds(pid)
    return state == "R" and now - used < HANGS / 4


def main() -> None:
    """Shows one file and what becomes of it."""
    seed, number = map(int, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        given = Readers(seed, folder)
        print(reader_of(number), given.damaged(number))
        error = given.give(number)
        print("".join(traceback.format_exception(error)) if error else "read", *given.faults)


if __name__ == "__main__":
    main()

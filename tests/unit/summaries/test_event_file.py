"""Event files: what is added is there, in order, whole, whoever wrote it and whatever went wrong."""

from __future__ import annotations

import errno
import gc
import multiprocessing
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import inlay as tf
from inlay._src.tf1.summaries import event_file
from inlay._src.tf1.summaries.event_file import EventFile

Event = tf.compat.v1.Event


def event(step: int) -> Any:
    return Event(step=step, summary=tf.compat.v1.Summary(value=[{"tag": "x", "simple_value": step}]))


def steps(path: Any) -> list[int]:
    first, *others = tf.compat.v1.train.summary_iterator(str(path))
    assert (first.file_version, first.step) == ("brain.Event:2", 0)
    return [e.step for e in others]


def test_the_file_is_made_with_the_first_event(tmp_path: Path) -> None:
    file = EventFile(tmp_path / "a" / "b")
    file.flush()
    assert os.listdir(tmp_path / "a" / "b") == []
    file.add(event(1))
    file.close()
    assert steps(file.path) == [1]


def test_what_was_added_is_there_after_flush_in_order(tmp_path: Path) -> None:
    file = EventFile(tmp_path, most=3)
    for k in range(50):
        file.add(event(k))
    file.flush()
    assert steps(file.path) == list(range(50))
    file.add(event(50))
    file.close()
    assert steps(file.path) == list(range(51))


def test_several_threads_add_whole_events(tmp_path: Path) -> None:
    file = EventFile(tmp_path, most=2)
    threads = [threading.Thread(target=lambda k=k: [file.add(event(k * 100 + i)) for i in range(40)]) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    file.close()
    found = steps(file.path)
    assert sorted(found) == [k * 100 + i for k in range(4) for i in range(40)]
    for k in range(4):
        assert [s for s in found if s // 100 == k] == [k * 100 + i for i in range(40)]


def test_no_file_is_written_over(tmp_path: Path) -> None:
    files = [EventFile(tmp_path) for _ in range(3)]
    for k, file in enumerate(files):
        file.add(event(k))
        file.close()
    assert sorted(steps(tmp_path / name)[0] for name in os.listdir(tmp_path)) == [0, 1, 2]


def test_after_close_another_file_is_begun(tmp_path: Path) -> None:
    file = EventFile(tmp_path)
    file.add(event(1))
    file.close()
    file.close()
    first = file.path
    file.add(event(2))
    file.close()
    assert file.path != first
    assert [steps(p) for p in (first, file.path)] == [[1], [2]]


def test_nobody_writes_while_another_thread_closes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = EventFile(tmp_path)
    file.add(event(1))
    file.flush()
    first, close, write = file.path, EventFile._close, EventFile._write
    entered, overlapped = threading.Event(), []

    def closes(self: EventFile) -> None:
        adding = threading.Thread(target=lambda: file.add(event(2)))
        adding.start()
        adding.join()
        overlapped.append(entered.wait(0.2))
        close(self)

    def writes(self: EventFile, texts: Any) -> None:
        entered.set()
        write(self, texts)

    with monkeypatch.context() as patch:
        patch.setattr(EventFile, "_close", closes)
        patch.setattr(EventFile, "_write", writes)
        file.close()
        file.flush()
    assert overlapped == [False]
    file.close()
    assert [steps(path) for path in (first, file.path)] == [[1], [2]]


def test_what_was_not_closed_is_written_all_the_same(tmp_path: Path) -> None:
    code = (
        "import sys, inlay as tf\n"
        "writer = tf.summary.create_file_writer(sys.argv[1])\n"
        "writer.set_as_default()\n"
        "for k in range(30): tf.summary.scalar('x', k, step=k)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, timeout=50)
    (name,) = os.listdir(tmp_path)
    assert steps(tmp_path / name) == list(range(30))


def test_a_writer_that_nobody_holds_closes_its_file(tmp_path: Path) -> None:
    file = EventFile(tmp_path)
    for k in range(5):
        file.add(event(k))
    path = tmp_path
    del file
    gc.collect()
    for other in list(event_file._LIVE):
        other.finish(30)
    (name,) = os.listdir(path)
    assert steps(path / name) == [0, 1, 2, 3, 4]


def _in_child(file: EventFile) -> None:
    file.add(event(10))
    file.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*")
def test_a_forked_child_has_a_file_of_its_own(tmp_path: Path) -> None:
    file = EventFile(tmp_path)
    file.add(event(1))
    file.flush()
    child = multiprocessing.get_context("fork").Process(target=_in_child, args=(file,))
    child.start()
    child.join(30)
    assert child.exitcode == 0
    file.add(event(2))
    file.close()
    assert sorted(steps(tmp_path / name) for name in os.listdir(tmp_path)) == [[1, 2], [10]]


class _Full:
    """A file on a disk that is full after so many bytes."""

    def __init__(self, path: str, room: int, number: int = errno.ENOSPC) -> None:
        self._file, self._room, self._errno = open(path, "wb", buffering=0), room, number
        for name in ("fileno", "seekable", "tell", "flush", "truncate", "seek", "close"):
            setattr(self, name, getattr(self._file, name))

    def write(self, data: Any) -> int:
        written = self._file.write(data[: max(self._room - self._file.tell(), 0)])
        if not written:
            raise OSError(self._errno, os.strerror(self._errno))
        return written


def _fill(monkeypatch: pytest.MonkeyPatch, path: str, room: int, number: int = errno.ENOSPC) -> None:
    monkeypatch.setattr(event_file, "opened", lambda folder, suffix: (path, _Full(path, room, number)))


def test_a_full_disk_is_said_and_leaves_whole_events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _fill(monkeypatch, str(tmp_path / "events"), 200)
    file = EventFile(tmp_path)
    said = "events could not be written, and are lost: No space left on device"
    with pytest.raises(tf.errors.ResourceExhaustedError, match=said):
        for k in range(20):
            file.add(event(k))
            file.flush()
    found = steps(tmp_path / "events")
    assert found == list(range(len(found)))
    assert found
    for again in (lambda: file.add(event(21)), file.flush, file.close):
        with pytest.raises(tf.errors.ResourceExhaustedError, match=said):
            again()
    file.close()


def test_another_failure_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _fill(monkeypatch, str(tmp_path / "events"), 0, errno.EIO)
    file = EventFile(tmp_path)
    file.add(event(1))
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"events: events could not be .*Input/output error"):
        file.close()


def test_nobody_waits_for_a_disk_that_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _fill(monkeypatch, str(tmp_path / "events"), 100)
    file = EventFile(tmp_path, most=1)
    with pytest.raises(tf.errors.ResourceExhaustedError):
        for k in range(100):
            file.add(event(k))
    with pytest.raises(tf.errors.ResourceExhaustedError):
        file.close()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(tf.errors.FailedPreconditionError, match="file/below"):
        EventFile(tmp_path / "file" / "below")


def test_a_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    file = EventFile(tmp_path / "a")
    (tmp_path / "a").rmdir()
    file.add(event(1))
    with pytest.raises(tf.errors.NotFoundError, match=r"a/events.*No such file"):
        file.close()


def test_a_folder_may_be_on_another_file_system(tmp_path: Path) -> None:
    file = EventFile("memory://summaries/run")
    for k in range(3):
        file.add(event(k))
    file.close()
    (name,) = tf.io.gfile.listdir("memory://summaries/run")
    tf.io.gfile.copy(f"memory://summaries/run/{name}", str(tmp_path / "copy"))
    tf.io.gfile.rmtree("memory://summaries")
    assert steps(tmp_path / "copy") == [0, 1, 2]


def test_without_another_thread_the_caller_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(job: Any) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(event_file.threads.HELPERS, "submit", refuse, raising=False)
    file = EventFile(tmp_path)
    file.add(event(4))
    file.close()
    assert steps(file.path) == [4]

"""Records of files whose names a queue gives."""

from __future__ import annotations

import signal
import zlib
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

import inlay as tf
from inlay import errors
from inlay._src.base.types import dtypes
from inlay._src.tf1.queues import reader_state
from inlay._src.tf1.queues.queue_state import QueueSpec, QueueState
from inlay._src.tf1.queues.reader_state import ReaderState

v1 = tf.compat.v1


def read_all(make: Any, files: list[str], many: int = 0) -> tuple[list[Any], int, int]:
    """(what a reader gives of files, how many records and files it says that these were)."""
    with tf.Graph().as_default(), v1.Session() as sess:
        q = v1.FIFOQueue(10, tf.string, shapes=[[]])
        reader = make()
        fetched = reader.read_up_to(q, many) if many else reader.read(q)
        assert [t.shape.as_list() for t in fetched] == ([[None], [None]] if many else [[], []])
        sess.run(q.enqueue_many([files]))
        sess.run(q.close())
        found = []
        with pytest.raises(tf.errors.OutOfRangeError, match="closed and has insufficient elements"):
            while True:
                found.append([part.tolist() if many else part for part in sess.run(fetched)])
        return found, *sess.run([reader.num_records_produced(), reader.num_work_units_completed()])


def test_lines(tmp_path: Path) -> None:
    files = []
    for name, text in (("a", "x\r\ny\n"), ("empty", ""), ("b", "head\nz")):
        (tmp_path / name).write_bytes(text.encode())
        files.append(str(tmp_path / name))
    a, _, b = (f.encode() for f in files)
    found, records, units = read_all(v1.TextLineReader, files)
    assert found == [[a + b":1", b"x"], [a + b":2", b"y"], [b + b":1", b"head"], [b + b":2", b"z"]]
    assert (records, units) == (4, 3)
    assert read_all(lambda: v1.TextLineReader(skip_header_lines=1), files)[0] == [[a + b":2", b"y"], [b + b":2", b"z"]]


def test_records(tmp_path: Path) -> None:
    path = str(tmp_path / "r")
    with tf.io.TFRecordWriter(path, "GZIP") as writer:
        for text in ("one", "three"):
            writer.write(text)
    options = tf.io.TFRecordOptions("GZIP")
    found, _, _ = read_all(lambda: v1.TFRecordReader(options=options), [path])
    assert found == [[f"{path}:0".encode(), b"one"], [f"{path}:19".encode(), b"three"]]


@pytest.mark.parametrize(
    ("options", "blocks"),
    [
        ({}, [b"ab", b"cd", b"ef"]),
        ({"header_bytes": 1, "footer_bytes": 1}, [b"bc", b"de"]),
        ({"hop_bytes": 1}, [b"ab", b"bc", b"cd", b"de", b"ef"]),
    ],
)
def test_blocks(tmp_path: Path, options: Any, blocks: list[bytes]) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"abcdef")
    found, _, _ = read_all(lambda: v1.FixedLengthRecordReader(2, **options), [str(path)])
    assert found == [[f"{path}:{i}".encode(), block] for i, block in enumerate(blocks)]


def test_compressed_blocks(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(zlib.compress(b"abcd"))
    found, _, _ = read_all(lambda: v1.FixedLengthRecordReader(2, encoding="ZLIB"), [str(path)])
    assert [block for _, block in found] == [b"ab", b"cd"]


def test_whole_files_and_names(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"all\n")
    assert read_all(v1.WholeFileReader, [str(path)])[0] == [[str(path).encode(), b"all\n"]]
    assert read_all(v1.IdentityReader, ["x", "y"])[0] == [[b"x", b"x"], [b"y", b"y"]]


def test_several_records_of_one_file_at_once(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text("1\n2\n3\n")
    found, records, units = read_all(v1.TextLineReader, [str(tmp_path / "a"), str(tmp_path / "b")], many=2)
    assert [values for _, values in found] == [[b"1", b"2"], [b"3"], [b"1", b"2"], [b"3"]]
    assert (records, units) == (6, 2)


def test_a_file_that_is_not_there_is_told_and_the_next_one_read(tmp_path: Path) -> None:
    (tmp_path / "b").write_text("x\n")
    with tf.Graph().as_default(), v1.Session() as sess:
        q = v1.FIFOQueue(10, tf.string, shapes=[[]])
        key, value = v1.TextLineReader().read(q)
        sess.run(q.enqueue_many([[str(tmp_path / "a"), str(tmp_path / "b")]]))
        with pytest.raises(tf.errors.NotFoundError, match="ReaderReadV2"):
            sess.run(value)
        assert sess.run(value) == b"x"


def test_a_reset_begins_with_the_next_name() -> None:
    with tf.Graph().as_default(), v1.Session() as sess:
        q = v1.FIFOQueue(10, tf.string)
        reader = v1.IdentityReader()
        read = reader.read(q)
        sess.run(q.enqueue("x"))
        sess.run(read)
        sess.run(reader.reset())
        assert sess.run(reader.num_records_produced()) == 0


def test_eagerly_and_without_strings() -> None:
    with pytest.raises(RuntimeError, match="Readers are not supported when eager execution is enabled"):
        v1.TextLineReader()
    with tf.Graph().as_default(), v1.Session() as sess:
        q = v1.FIFOQueue(10, tf.int32)
        sess.run(q.enqueue(1))
        with pytest.raises(tf.errors.InvalidArgumentError, match="takes names from a queue of strings"):
            sess.run(v1.IdentityReader().read(q))


# ---------------------------------------------------------------- without graphs


def names(*texts: bytes) -> QueueState:
    state = QueueState(QueueSpec("FIFOQueue", (dtypes.string,), ((),), 10), "names")
    state.enqueue(len(texts), lambda i: (texts[i],))
    return state


def read(state: ReaderState, queue: QueueState) -> Future[Any]:
    future = state.begin(queue, 1)
    state.serve()
    return future


def test_reads_wait_in_a_line_for_a_name() -> None:
    state, queue = ReaderState(reader_state.itself, "r"), names()
    reads = [read(state, queue) for _ in range(3)]
    assert not any(r.done() for r in reads)
    queue.enqueue(2, lambda i: (f"{i}".encode(),))
    assert [r.done() for r in reads] == [True, True, False]
    assert reads[1].result(0) == [(b"1", b"1")]


def test_a_cancelled_read_takes_no_name() -> None:
    state, queue = ReaderState(reader_state.itself, "r"), names()
    given_up, behind = read(state, queue), read(state, queue)
    assert given_up.cancel()
    queue.enqueue(1, lambda i: (b"x",))
    assert behind.result(0) == [(b"x", b"x")]
    last = read(state, queue)
    assert last.cancel()
    queue.enqueue(1, lambda i: (b"y",))
    assert len(queue) == 1


def test_a_session_that_is_gone_cancels_reads() -> None:
    state, queue = ReaderState(reader_state.itself, "r"), names()
    waiting = read(state, queue)
    state.abandon()
    for cancelled in (waiting, read(state, queue)):
        with pytest.raises(errors.CancelledError, match="Read operation was cancelled"):
            cancelled.result(0)
    queue.enqueue(1, lambda i: (b"x",))
    assert len(queue) == 1


class Interrupting(Future[Any]):
    """A future that Ctrl-C comes to between the line and its result."""

    def set_running_or_notify_cancel(self) -> bool:
        signal.raise_signal(signal.SIGINT)
        return super().set_running_or_notify_cancel()


def test_ctrl_c_between_the_line_and_the_result_loses_no_record(monkeypatch: pytest.MonkeyPatch) -> None:
    others: list[Future[Any]] = []
    futures, of_future = iter([Future[Any](), Interrupting()]), reader_state._Read

    def two(name: Any) -> Iterator[Any]:
        others.append(read(state, queue))  # as another thread does meanwhile
        return iter([(b"0", name), (b"1", name)])

    state, queue = ReaderState(two, "r"), names(b"a")
    monkeypatch.setattr(reader_state, "_Read", lambda queue, count: of_future(queue, count, next(futures)))
    with pytest.raises(KeyboardInterrupt):
        read(state, queue)
    assert others[0].result(0) == [(b"1", b"a")]

"""The file of a recording: refused where it is not whole, with what is; bounded; written as calls happen."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.inspection.replaying import log
from inlay._src.inspection.replaying.index import RecordingFile
from inlay._src.inspection.replaying.log import FRAME_BYTES, LogReader, LogWriter


def double(x: Any) -> Any:
    return 2 * x


def fail(x: Any) -> Any:
    raise ValueError(f"no {x}")


def recorded(path: Path, calls: int = 4) -> Path:
    """A recording of some calls of two functions, with blobs."""
    with tf.debugging.record(path):
        for i in range(calls):
            tf.numpy_function(double, [np.full(200, float(i))], tf.float64)
            with pytest.raises(ValueError, match="no "):
                tf.numpy_function(fail, [i], tf.int32)
    return path


def boundaries(path: Path) -> list[tuple[int, bytes, int]]:
    """Offset, kind and length of each record."""
    return [(r.at, r.kind, r.length) for r in LogReader(str(path)).records()]


def test_a_whole_recording_has_every_kind_of_record(tmp_path: Path) -> None:
    path = recorded(tmp_path / "run")
    assert {kind for _, kind, _ in boundaries(path)} == {b"H", b"F", b"O", b"B", b"C", b"R", b"X", b"E"}
    reading = RecordingFile(str(path))
    assert [(f.name, len(f), f.total, f.unrecorded) for f in reading.functions] == [
        ("double", 4, 4, 0),
        ("fail", 4, 4, 0),
    ]


def whole_before(path: Path, end: int) -> dict[str, list[int]]:
    """Name -> numbers of the calls whose end is before an offset, counted from the records themselves."""
    whole: dict[str, list[int]] = {"double": [], "fail": []}
    for at, kind, length in boundaries(path):
        if at + length + FRAME_BYTES <= end and kind in (b"R", b"X"):
            name = "double" if kind == b"R" else "fail"
            whole[name].append(len(whole[name]))
    return whole


def test_a_recording_that_is_cut_anywhere_is_refused_with_the_calls_that_are_whole(tmp_path: Path) -> None:
    path = recorded(tmp_path / "run")
    data, cut = path.read_bytes(), tmp_path / "cut"
    cuts = set()
    for at, _, length in boundaries(path):
        end = at + length + FRAME_BYTES
        cuts |= {at, at + 1, at + 12, at + 13, at + length // 2 + 12, end - 4, end - 1}
    assert len(cuts) > 100
    for size in sorted(cuts - {len(data)}):
        cut.write_bytes(data[:size])
        whole = whole_before(path, size)
        with pytest.raises(tf.errors.DataLossError) as caught:
            tf.debugging.replay(cut)
        text = str(caught.value)
        if size < boundaries(path)[1][0]:  # not even the header
            assert "is damaged" in text or "No call is whole" in text
            continue
        for name, numbers in whole.items():
            if numbers:
                span = f"0..{numbers[-1]}" if len(numbers) > 1 else "0"
                assert f"{span} of {name}" in text, (size, text)
            else:
                assert f"of {name} are whole" not in text
        assert text.endswith("read them with partial=True")
        partial = tf.debugging.replay(cut, partial=True)
        assert partial.cut
        ended = {f.name: [c.number for c in f if c.status in ("returned", "raised")] for f in partial.functions}
        assert {name: numbers for name, numbers in whole.items() if numbers} == {n: c for n, c in ended.items() if c}
        for function in partial.functions:
            for call in function:
                assert call.args  # whole, or it would not be there
                if call.status == "returned":
                    assert call.result.tolist() == (2 * call.args[0]).tolist()
        partial.close()


def test_a_flipped_byte_is_found_wherever_it_is(tmp_path: Path) -> None:
    path = recorded(tmp_path / "run", 2)
    data, damaged = path.read_bytes(), tmp_path / "damaged"
    for at in range(0, len(data), 7):
        octets = bytearray(data)
        octets[at] ^= 0x10
        damaged.write_bytes(octets)
        with pytest.raises(tf.errors.DataLossError, match="damaged|not whole"):
            tf.debugging.replay(damaged)


def test_the_message_of_a_cut_says_where_and_why(tmp_path: Path) -> None:
    path = recorded(tmp_path / "run", 3)
    end = next(at for at, kind, _ in boundaries(path) if kind == b"E")
    data = path.read_bytes()
    path.write_bytes(data[:end])
    size = f"{end:,}"
    with pytest.raises(tf.errors.DataLossError, match=f"byte {size} of {size}: it has no end, as the program ended"):
        tf.debugging.replay(path)
    path.write_bytes(data[: end - 3])
    with pytest.raises(tf.errors.DataLossError, match=r"ends within a record.*Calls 0\.\.2 of double, 0\.\.1 of fail"):
        tf.debugging.replay(path)
    with pytest.raises(tf.errors.DataLossError, match="and the arguments of call 2 of fail; read them with partial"):
        tf.debugging.replay(path)


def test_another_file_is_no_recording(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match="No such file"):
        tf.debugging.replay(tmp_path / "absent")
    other = tmp_path / "other"
    other.write_bytes(b"PK\3\4 something else entirely")
    with pytest.raises(tf.errors.DataLossError, match=r"Is it a recording of tf\.debugging\.record\?"):
        tf.debugging.replay(other)
    with tf.io.TFRecordWriter(str(other)) as writer:
        writer.write(b"H{}")
    with pytest.raises(tf.errors.DataLossError, match="it is not a recording"):
        tf.debugging.replay(other)
    LogWriter(str(other)).append(b"H", b'{"format": "inlay recording", "version": 2}')
    with pytest.raises(tf.errors.DataLossError, match="version 2 of the format; this inlay reads version 1"):
        tf.debugging.replay(other)


def test_the_frames_are_those_of_record_files(tmp_path: Path) -> None:
    path = recorded(tmp_path / "run", 1)
    texts = list(tf.data.TFRecordDataset(str(path)).as_numpy_iterator())
    assert [text[:1] for text in texts] == [kind for _, kind, _ in boundaries(path)]


def test_an_array_is_in_the_file_once(tmp_path: Path) -> None:
    same = np.random.default_rng(0).random(10_000)
    with tf.debugging.record(tmp_path / "run") as recording:
        for _ in range(50):
            tf.numpy_function(lambda x: x, [same], tf.float64)
    assert same.nbytes < recording.bytes < 1.3 * same.nbytes


def test_the_arguments_are_those_before_the_call(tmp_path: Path) -> None:
    def spoil(x: Any) -> Any:
        x[:] = -1
        return x.sum()

    for size in (4, 1000):
        with tf.debugging.record(tmp_path / "run"):
            tf.numpy_function(spoil, [np.ones(size)], tf.float64)
        call = tf.debugging.replay(tmp_path / "run").functions[0][0]
        assert call.args[0].tolist() == [1] * size
        assert call.result == -size


# ---------------------------------------------------------------- bounds


def test_a_full_file_takes_no_more_calls_and_counts_them(tmp_path: Path) -> None:
    path, most = tmp_path / "run", 200_000
    draw = np.random.default_rng(0)
    with tf.debugging.record(path, max_bytes=most) as recording:
        for _ in range(100):
            tf.numpy_function(double, [draw.random(1000)], tf.float64)
    assert path.stat().st_size == recording.bytes <= most + 200
    assert recording.calls == 100
    (function,) = tf.debugging.replay(path).functions
    whole = [call for call in function if call.status == "returned"]
    assert len(whole) == 12  # of 16 kB each
    assert recording.unrecorded == function.unrecorded == 100 - len(whole)
    draw = np.random.default_rng(0)
    with (
        pytest.raises(tf.debugging.ReplayDifference, match="the recording was full|which was full and lacks 88 calls"),
        tf.debugging.replay(path) as replaying,
    ):
        for _ in range(100):
            tf.numpy_function(double, [draw.random(1000)], tf.float64)
    assert replaying.left == {}


def test_a_full_file_still_takes_calls_that_raise(tmp_path: Path) -> None:
    path = tmp_path / "run"

    def maybe(x: Any) -> Any:
        bad = bool(x[0] == 77)
        x[:] = 0  # what is recorded must be what was passed
        if bad:
            raise ValueError("77")
        return x

    with tf.debugging.record(path, max_bytes=400_000) as recording:
        for i in range(100):
            try:
                tf.numpy_function(maybe, [np.full(1000, float(i)) + np.arange(1000.0)], tf.float64)
            except ValueError:
                assert i == 77
    function = tf.debugging.replay(path).function("test_a_full_file_still_takes_calls_that_raise.<locals>.maybe")
    assert function.failures == [77]
    assert function.call(77).args[0].tolist() == (77 + np.arange(1000.0)).tolist()
    assert recording.bytes < 400_000 * 17 / 16
    assert recording.unrecorded == 100 - sum(call.status in ("returned", "raised") for call in function)


def test_a_file_that_can_not_be_written_ends_the_recording_and_not_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes = LogWriter._write

    def full(self: LogWriter, data: Any) -> None:
        if self.size > 5_000:
            writes(self, bytes(data)[:7])  # a part arrives
            raise OSError(errno.ENOSPC, "No space left on device")
        writes(self, data)

    monkeypatch.setattr(LogWriter, "_write", full)
    with (
        pytest.warns(RuntimeWarning, match="the recording .* ends here: .*No space left"),
        tf.debugging.record(tmp_path / "run"),
    ):
        results = [float(tf.numpy_function(double, [np.float64(i)], tf.float64)) for i in range(60)]
    assert results == [2.0 * i for i in range(60)]
    with pytest.raises(tf.errors.DataLossError, match=r"it has no end.*Calls 0\.\.\d+ of double are whole"):
        tf.debugging.replay(tmp_path / "run")


def test_a_process_that_dies_in_a_call_leaves_its_arguments(tmp_path: Path) -> None:
    program = """
import os, sys, signal, numpy as np, inlay as tf
def step(x):
    if x[0] == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return x
with tf.debugging.record(sys.argv[1]):
    for i in range(5):
        tf.numpy_function(step, [np.full(300, i)], tf.int64)
"""
    path = tmp_path / "run"
    done = subprocess.run([sys.executable, "-c", program, str(path)], timeout=55)
    assert done.returncode == -signal.SIGKILL
    with pytest.raises(tf.errors.DataLossError, match=r"Calls 0\.\.2 of step .*and the arguments of call 3 of step"):
        tf.debugging.replay(path)
    last = tf.debugging.replay(path, partial=True).call("step", 3)
    assert last.status == "unfinished"
    assert last.args[0].tolist() == [3] * 300


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:.*fork.*:RuntimeWarning")  # JAX's, if another test loaded it
def test_a_forked_child_records_nothing(tmp_path: Path) -> None:
    with tf.debugging.record(tmp_path / "run") as recording:
        tf.numpy_function(double, [1.0], tf.float32)
        child = os.fork()
        if not child:
            status = 1
            try:
                tf.numpy_function(double, [2.0], tf.float32)
                recording.__exit__(None, None, None)
                status = 0
            finally:
                os._exit(status)
        assert os.waitpid(child, 0)[1] == 0
        tf.numpy_function(double, [3.0], tf.float32)
    (function,) = tf.debugging.replay(tmp_path / "run").functions
    assert [float(call.args[0]) for call in function] == [1.0, 3.0]


def test_long_records_are_checked_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "PIECE", 1000)
    path = tmp_path / "run"
    with tf.debugging.record(path):
        tf.numpy_function(double, [np.arange(2000.0)], tf.float64)
    call = tf.debugging.replay(path).functions[0][0]
    assert call.result.tolist() == (2 * np.arange(2000.0)).tolist()
    octets = bytearray(path.read_bytes())
    octets[9000] ^= 1
    path.write_bytes(octets)
    with pytest.raises(tf.errors.DataLossError, match=re.escape("do not have their checksum")):
        tf.debugging.replay(path)


def test_wrong_arguments_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="functions: expected a list of names, got 'step'"):
        tf.debugging.record(tmp_path / "run", functions="step")
    with pytest.raises(ValueError, match="max_bytes: expected a positive number, got 0"):
        tf.debugging.record(tmp_path / "run", max_bytes=0)
    with (
        tf.debugging.record(tmp_path / "run") as recording,
        pytest.raises(RuntimeError, match="is in use already"),
        recording,
    ):
        pass

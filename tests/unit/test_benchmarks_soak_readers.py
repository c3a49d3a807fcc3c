"""Damaged files: how they are made, what of a reader is a fault, and that a process that ends or hangs is noticed."""

from __future__ import annotations

import gzip
import io
import json
import multiprocessing
import os
import pickle
import random
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from benchmarks import mutations, soak, soak_readers, structures
from benchmarks.damaged_files import READERS, Reader
from inlay._src.base.protos.graph import GraphDef

GRAPH = GraphDef(node=[{"name": "x", "op": "Const", "input": ["a", "^b"], "device": "d"}]).SerializeToString()


def test_damage_follows_from_the_seed() -> None:
    text = json.dumps({"a": [1, "x"], "b": {"c": None}}).encode()
    for damage, data in (
        (mutations.changed, bytes(range(200))),
        (mutations.message, GRAPH),
        (mutations.document, text),
    ):
        made = [damage(data, random.Random(n), [data[::-1]]) for n in range(300)]
        assert made == [damage(data, random.Random(n), [data[::-1]]) for n in range(300)]
        assert len(set(made)) > 100
        assert all(len(m) <= mutations.LARGEST for m in made)


def array_file(array: Any) -> bytes:
    """An array as a `.npy` file."""
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asarray(array), allow_pickle=False)
    return out.getvalue()


def archive_file() -> bytes:
    """A ZIP file with arrays and a manifest."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("manifest.json", '{"entries": {"a": {"shape": [2]}}, "b": [1, 2]}')
        archive.writestr("values/a.npy", array_file(np.arange(2.0)))
        archive.writestr("lengths/a.npy", array_file(np.arange(5)))
    return out.getvalue()


DOCUMENT = json.dumps({"a": [1, "x", 5], "b": {"c": "y", "d": 3}, "e": {"c": "z"}}).encode()
STRUCTURES: dict[str, bytes] = {
    "rewired": GRAPH, "grown": GRAPH, "pointing": DOCUMENT, "packed": archive_file(), "members": archive_file(),
    "shaped": array_file(np.arange(6.0)), "counted": array_file(np.arange(6)),
    "expanded": gzip.compress(b"x" * 99, mtime=0),
}  # fmt: skip


@pytest.mark.parametrize("name", STRUCTURES)
def test_damaged_structure_follows_from_the_seed(name: str) -> None:
    damage, data = getattr(structures, name), STRUCTURES[name]
    made = [damage(data, random.Random(n), [data]) for n in range(60)]
    assert made == [damage(data, random.Random(n), [data]) for n in range(60)]
    assert len(set(made)) > 8
    assert all(len(m) <= mutations.LARGEST for m in made)
    for other in (b"", b"no such file", data[:-3]):
        assert isinstance(damage(other, random.Random(1), [data]), bytes)


def test_damaged_structure_is_whole_in_its_bytes() -> None:
    """What lies around the damage still holds: messages, documents, archives are read to their end."""
    nested = json.dumps({"a": {"a": {"a": [1, {"a": 2}]}, "b": "x"}}).encode()
    for n in range(200):
        json.loads(structures.pointing(nested, random.Random(n)))
    for n in range(60):
        mutations.fields_of(structures.rewired(GRAPH, random.Random(n)))
        json.loads(structures.pointing(DOCUMENT, random.Random(n)))
        with zipfile.ZipFile(io.BytesIO(structures.members(archive_file(), random.Random(n)))) as archive:
            assert archive.testzip() is None
    sums = [np.load(io.BytesIO(structures.counted(array_file(np.arange(6)), random.Random(n)))) for n in range(60)]
    assert any(s.min() < 0 and int(s.sum()) == 15 for s in sums if s.dtype == np.int64)


def test_fields_of_messages_are_read_and_written() -> None:
    assert mutations.written(mutations.fields_of(GRAPH)) == GRAPH
    assert [mutations.varint(n) for n in (1, 300)] == [b"\x01", b"\xac\x02"]
    for broken in (GRAPH[:-1], b"\xff" * 11, b"\x07\x00"):
        with pytest.raises(ValueError, match=r"no number|no field|too short"):
            mutations.fields_of(broken)


def raised(error: BaseException, cause: BaseException | None = None) -> BaseException:
    """An error as it was caught."""
    try:
        raise error from cause
    except BaseException as caught:
        return caught


def test_errors_of_ours_are_no_faults_and_all_others_are() -> None:
    reader = READERS["graphs"]
    for ours in (tf.errors.DataLossError(None, None, "x"), ValueError("x")):
        assert soak_readers.fault_of(reader, raised(ours)) == ""
    inner = (MemoryError(), RecursionError(), KeyError("x"), tf.errors.UnknownError(None, None, "x"), SystemExit(1))
    for other in (*inner, UnicodeDecodeError("utf-8", b"", 0, 1, "x"), TypeError("x")):
        assert type(other).__name__ in soak_readers.fault_of(reader, raised(other))
    assert "from MemoryError" in soak_readers.fault_of(reader, raised(ValueError("x"), MemoryError()))
    assert "ValueError" in soak_readers.fault_of(READERS["images"], raised(ValueError("x")))


def test_words_that_steer_a_terminal_or_speak_of_our_source_are_faults() -> None:
    reader = READERS["graphs"]
    for words in ("a \x1b[31m name", "a \x9b31m name", "half \ud800", "x \u202e"):
        assert "passes" in soak_readers.fault_of(reader, raised(ValueError(words)))
        assert "passes" in soak_readers.fault_of(reader, raised(ValueError("x"), ValueError(words)))
        assert soak_readers.fault_of(reader, raised(tf.errors.DataLossError(None, None, words))) == ""
    for words in ("it is damaged: KeyError: 'x'", "'int' object has no attribute 'get'"):
        assert "tells of" in soak_readers.fault_of(reader, raised(ValueError(words)))


def test_every_reader_has_its_share() -> None:
    assert sum(reader.share for reader in READERS.values()) == 1000
    assert {soak_readers.reader_of(number) for number in range(1000)} == set(READERS)


def _pickled(folder: Path) -> None:
    pickle.loads(pickle.dumps(os.getpid))


def _written(folder: Path) -> None:
    (folder.parents[2] / "elsewhere").write_bytes(b"")


def _within(folder: Path) -> None:
    (folder / "here").write_bytes(b"")


def _doing(read: Any) -> Reader:
    """A reader that does something with damaged files."""
    return Reader(
        1, lambda folder: [b"valid"], lambda valid, rand: b"damaged",
        lambda data, folder: None if data == b"valid" else read(folder),
    )  # fmt: skip


def _slow(folder: Path) -> None:
    end = time.process_time() + 1.0
    while time.process_time() < end:
        pass


def _large(folder: Path) -> None:
    np.ones(100 << 20, np.uint8).sum()


def test_slow_and_large_readings_are_faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    doing = {read.__name__: _doing(read) for read in (_slow, _large, _within)}
    monkeypatch.setattr(soak_readers, "READERS", doing)
    monkeypatch.setattr(soak_readers, "_turns", lambda: list(doing))
    monkeypatch.setattr(soak_readers, "SOON", 0.5)
    readers = soak_readers.Readers(0, str(tmp_path))
    with open("/proc/self/clear_refs", "w") as maximum:
        maximum.write("5")
    for number in range(3):
        readers.give(number)
    slow, large = readers.faults
    assert "it has 7 bytes and takes" in slow and "it has 7 bytes and takes 10" in large and "MB of memory" in large


VALID, DAMAGED = {"manifest.json": b"valid"}, {"manifest.json": b"damaged"}


def _by_path(data: Any, folder: Path) -> None:
    (folder / "given").mkdir(exist_ok=True)
    (folder / "given" / "words").write_bytes(b"")
    if data != VALID:
        (folder / "given" / "words").read_bytes()


def test_a_file_of_a_model_that_is_opened_by_its_path_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = Reader(1, lambda folder: [VALID], lambda valid, rand: DAMAGED, _by_path)
    monkeypatch.setattr(soak_readers, "READERS", {"models": models})
    monkeypatch.setattr(soak_readers, "_turns", lambda: ["models"])
    readers = soak_readers.Readers(0, str(tmp_path))
    readers.watch()
    readers.give(0)
    assert len(readers.faults) == 1 and "words by its path" in readers.faults[0]


def test_what_a_reader_must_not_do_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    doing = {read.__name__: _doing(read) for read in (_pickled, _written, _within, len)}
    monkeypatch.setattr(soak_readers, "READERS", doing)
    monkeypatch.setattr(soak_readers, "_turns", lambda: list(doing))
    (tmp_path / "files").mkdir()
    readers = soak_readers.Readers(0, str(tmp_path / "files"))
    readers.watch()
    for number in range(4):
        readers.give(number)
    one, two, three = readers.faults
    assert one.startswith("_pickled, file 0 of seed 0: it has something run: pickle.find_class")
    assert two == f"_written, file 1 of seed 0: it writes {tmp_path}/elsewhere"
    assert three.startswith("len, file 3 of seed 0: TypeError at ")


def _end(progress: Any, sending: Any) -> None:
    progress[0] = 5
    os._exit(7)


def _stay(progress: Any, sending: Any) -> None:
    progress[0] = 6
    time.sleep(600)


def _send(progress: Any, sending: Any) -> None:
    sending.send("found")


@pytest.mark.parametrize(
    ("work", "expected"),
    [(_end, (None, "the process ends with 7")), (_stay, (None, "it takes more than 1 s")), (_send, ("found", ""))],
)
def test_a_process_that_ends_or_hangs_is_noticed(work: Any, expected: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if work is _stay:
        monkeypatch.setattr(soak_readers, "HANGS", 1.0)
    processes = multiprocessing.get_context("spawn")
    progress = processes.RawArray("q", [-1, 0])
    receiving, sending = processes.Pipe(duplex=False)
    process = processes.Process(target=work, args=(progress, sending), daemon=True)
    process.start()
    sending.close()
    assert soak_readers._result(process, receiving, progress) == expected
    assert not process.is_alive()
    receiving.close()


def test_a_process_that_is_not_let_run_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    own = soak_readers._processor_seconds(os.getpid())
    assert own[0] == "R" and own[1] > 0
    assert soak_readers._starved(os.getpid(), own[1])
    assert not soak_readers._starved(os.getpid(), own[1] - soak_readers.HANGS)
    assert soak_readers._processor_seconds(2**22 + 1) == ("Z", 0.0)


def test_files_are_counted_by_reader() -> None:
    one = {"done": 3, "wrong": 0, "readable": 1, "start_mb": 1.0, "grown_mb": None, "files": {"a": 2, "b": 1}}
    entry = soak._judged("readers", 6, [one, one], [], 1.0)
    assert entry["files"] == {"a": 4, "b": 2}
    assert "6 in 1.0 s, 2 readable (a 4, b 2): all well" in soak.line(entry)


def test_some_damaged_files_of_every_reader_are_read_and_some_are_not(tmp_path: Path) -> None:
    readers = soak_readers.Readers(seed=13, folder=str(tmp_path))
    for number in range(400):
        readers.give(number)
    assert readers.faults == []
    assert set(readers.counts) == set(READERS)
    assert 20 < readers.read < 200
    assert np.sum(list(readers.counts.values())) == 400

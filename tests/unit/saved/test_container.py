"""The folder of a saved model: written whole, and refused with what is wrong where."""

from __future__ import annotations

import errno
import gc
import hashlib
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.saved import container
from inlay._src.saved.container import GRAPH, MANIFEST, Container


def write(path: Path, **files: bytes) -> None:
    """A model whose files are these, besides a graph."""
    with container.writing(str(path)) as draft:
        container.write_file(os.path.join(draft, GRAPH), b"graph")
        for name, data in files.items():
            container.write_file(os.path.join(draft, name.replace("__", "/")), data)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model with two files besides its graph."""
    path = tmp_path / "model"
    write(path, arrays__one=b"1" * 5000, other=b"")
    return path


def test_what_was_written_is_read(model: Path) -> None:
    found = Container(str(model))
    assert sorted(found.files) == ["arrays/one", "other", GRAPH]
    assert found.files[GRAPH] == (5, hashlib.sha256(b"graph").hexdigest())
    assert found.read(GRAPH, 10) == b"graph"
    found.verify()
    mapped = found.mapped("arrays/one")
    mapped[0] = 7
    assert mapped[:2].tolist() == [7, 49] and (model / "arrays" / "one").read_bytes()[:1] == b"1"
    assert found.mapped("other").shape == (0,)
    assert found.digest == hashlib.sha256((model / MANIFEST).read_bytes()).hexdigest()


def test_a_model_is_replaced_whole(model: Path) -> None:
    before = Container(str(model)).mapped("arrays/one")
    write(model, other=b"new")
    assert sorted(Container(str(model)).files) == ["other", GRAPH]
    assert not (model / "arrays").exists() and before[4999] == 49
    assert [p.name for p in model.parent.iterdir()] == ["model"]


def test_a_file_system_that_cannot_exchange_names_is_served_too(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "_renameat2", lambda: None)
    write(model, other=b"new")
    assert sorted(Container(str(model)).files) == ["other", GRAPH]
    assert [p.name for p in model.parent.iterdir()] == ["model"]


def test_an_empty_folder_and_one_behind_a_link_are_taken(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    write(tmp_path / "link")
    assert Container(str(tmp_path / "empty")).read(GRAPH, 10) == b"graph" and (tmp_path / "link").is_symlink()


def test_what_is_no_model_of_ours_is_not_replaced(tmp_path: Path, model: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("mine")
    (model / "mine.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for path, why in (
        (tmp_path / "notes", "not a saved model of inlay"),
        (model, "and also mine.txt"),
        (tmp_path / "file", "no"),
    ):
        with pytest.raises(FileExistsError, match=why) as caught:
            write(path)
        assert isinstance(caught.value, tf.errors.AlreadyExistsError)
    assert (tmp_path / "notes" / "a.txt").read_text() == "mine" and (model / "mine.txt").exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "model", "notes"]


def test_a_save_that_fails_leaves_the_old_model_and_nothing_else(model: Path) -> None:
    with pytest.raises(RuntimeError, match="halfway"), container.writing(str(model)) as draft:
        container.write_file(os.path.join(draft, GRAPH), b"half")
        raise RuntimeError("halfway")
    assert Container(str(model)).read(GRAPH, 10) == b"graph"
    assert [p.name for p in model.parent.iterdir()] == ["model"]


def test_what_a_killed_save_left_is_removed_by_the_next(model: Path) -> None:
    left = model.parent / f"{container._prefix('model')}999999999-aa"
    left.mkdir()
    (left / "half").write_text("x")
    running = model.parent / f"{container._prefix('model')}{os.getpid()}-bb"
    running.mkdir()
    write(model)
    assert not left.exists() and running.exists()


def edit(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    said = json.loads((path / MANIFEST).read_text())
    change(said)
    (path / MANIFEST).write_text(json.dumps(said))


DAMAGES: list[tuple[Callable[[Path], Any], str]] = [
    (lambda m: (m / "arrays" / "one").write_bytes(b"1" * 4999), r"arrays/one: it has 4,999 bytes, expected 5,000"),
    (lambda m: (m / "arrays" / "one").write_bytes(b"2" * 5000), r"arrays/one: its bytes are not those that were saved"),
    (lambda m: (m / "arrays" / "one").unlink(), r"arrays/one: No such file"),
    (lambda m: (m / MANIFEST).write_bytes(b""), r"manifest.json"),
    (lambda m: (m / MANIFEST).write_bytes((m / MANIFEST).read_bytes()[:-9]), r"manifest.json"),
    (lambda m: (m / MANIFEST).write_bytes(b"[" * 100_000), r"manifest.json"),
    (lambda m: (m / MANIFEST).write_bytes(b'{"format": 1, "format": 2}'), r"manifest.json: it has an entry twice"),
    (lambda m: (m / MANIFEST).write_bytes(b"[]"), r"manifest.json: it is not a JSON object"),
    (lambda m: edit(m, lambda s: s.update(format="other")), r"its format is 'other'"),
    (lambda m: edit(m, lambda s: s["files"].pop(GRAPH)), r"it lists no saved_model.pb"),
    *(
        (lambda m, n=name: edit(m, lambda s: s["files"].update({n: s["files"][GRAPH]})), r"is not a valid file name")
        for name in (
            "../out",
            "/etc/passwd",
            "a/" * 50 + "b",
            "a\0b",
            "a\\b",
            "a//b",
            "a/./b",
            "",
            MANIFEST,
            "signature.json",
        )
    ),
    (lambda m: edit(m, lambda s: s["files"]["other"].update(size=10**30)), r"other: it has 0 bytes, expected 1,000"),
    (lambda m: edit(m, lambda s: s["files"]["other"].update(size="0")), r"the entry of 'other' makes no sense"),
    (lambda m: edit(m, lambda s: s["files"]["other"].update(size=-1)), r"the entry of 'other' makes no sense"),
    (lambda m: edit(m, lambda s: s.update(files=3)), r"manifest.json"),
]


@pytest.mark.parametrize(("damage", "said"), DAMAGES)
def test_damage_is_told_with_its_place(model: Path, damage: Callable[[Path], Any], said: str) -> None:
    damage(model)
    with pytest.raises(tf.errors.DataLossError, match=said):
        Container(str(model)).verify()


def test_a_link_is_not_followed(model: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "one").write_bytes(b"1" * 5000)
    (model / "arrays" / "one").unlink()
    (model / "arrays" / "one").symlink_to(outside / "one")
    with pytest.raises(tf.errors.DataLossError, match="arrays/one: it is a link"):
        Container(str(model)).mapped("arrays/one")
    (model / "arrays" / "one").unlink()
    (model / "arrays").rmdir()
    (model / "arrays").symlink_to(outside)
    with pytest.raises(tf.errors.DataLossError, match="arrays/one: it is a link or is reached through one"):
        Container(str(model)).read("arrays/one", 10_000)


def test_what_is_no_file_is_refused_and_never_waited_for(model: Path) -> None:
    (model / "other").unlink()
    os.mkfifo(model / "other")
    with pytest.raises(tf.errors.DataLossError, match="other: it is not a regular file"):
        Container(str(model)).verify()
    (model / "other").unlink()
    (model / "other").mkdir()
    with pytest.raises(tf.errors.DataLossError, match="other: it is not a regular file"):
        Container(str(model)).verify()


def test_more_bytes_than_a_reader_takes_are_refused(model: Path) -> None:
    with pytest.raises(tf.errors.DataLossError, match="it has 5,000 bytes, more than 100"):
        Container(str(model)).read("arrays/one", 100)


def test_a_later_version_is_told(model: Path) -> None:
    edit(model, lambda said: said.update(version=container.VERSION + 1))
    with pytest.raises(tf.errors.UnimplementedError, match="load it with a newer one"):
        Container(str(model))


@pytest.mark.parametrize(
    ("make", "why"),
    [
        ("nothing", "no such folder"),
        ("file", "no folder"),
        ("empty", "no manifest"),
    ],
)
def test_what_is_no_model_is_told(tmp_path: Path, make: str, why: str) -> None:
    path = tmp_path / "m"
    if make == "file":
        path.write_text("")
    elif make != "nothing":
        path.mkdir()
    with pytest.raises(tf.errors.NotFoundError, match=why) as caught:
        Container(str(path))
    assert isinstance(caught.value, OSError) and "SavedModel file does not exist at" in str(caught.value)


@pytest.mark.parametrize(("data", "why"), [(b"", "it has no graph"), (b"\x12\xff", "damaged at saved_model.pb")])
def test_a_graph_without_a_manifest_is_a_model_of_tensorflow(tmp_path: Path, data: bytes, why: str) -> None:
    (tmp_path / GRAPH).write_bytes(data)
    with pytest.raises(tf.errors.NotFoundError, match="it has no manifest.json"):
        Container(str(tmp_path))
    with pytest.raises(tf.errors.DataLossError, match=why):
        tf.saved_model.load(str(tmp_path))
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        with pytest.raises(tf.errors.DataLossError, match=why):
            tf.compat.v1.saved_model.load(session, ["serve"], str(tmp_path))


def test_an_error_of_the_disk_stays_one(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any, **kwargs: Any) -> int:
        raise OSError(errno.EIO, "I/O error")

    found = Container(str(model))
    monkeypatch.setattr(os, "open", fail)
    with pytest.raises(OSError, match="I/O error") as caught:
        found.verify()
    assert caught.value.errno == errno.EIO


def test_an_array_is_mapped_and_not_copied(tmp_path: Path) -> None:
    write(tmp_path / "m", arrays__a=np.arange(1000).tobytes())
    mapped = Container(str(tmp_path / "m")).mapped("arrays/a").view(np.int64)
    assert mapped[999] == 999 and mapped.flags.writeable and not mapped.flags.owndata


# ---------------------------------------------------------------- Ctrl-C at any moment

_TRACED = tuple(f"/{name}.py" for name in ("saved/container", "files/replacing", "contextlib"))


def interrupted_at(moment: int, call: Callable[[], Any]) -> bool:
    """Runs a call with one Ctrl-C at a line of what saves; False if it came to its end before that."""
    left = moment

    def each_line(frame: Any, event: str, argument: Any) -> Any:
        nonlocal left
        if event == "line":
            left -= 1
            if not left:
                signal.raise_signal(signal.SIGINT)
        return each_line

    def each_frame(frame: Any, event: str, argument: Any) -> Any:
        return each_line if frame.f_code.co_filename.endswith(_TRACED) else None

    before = sys.gettrace()
    sys.settrace(each_frame)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return left <= 0


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("can_exchange", [True, False])
def test_a_ctrl_c_at_any_moment_leaves_one_whole_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, can_exchange: bool
) -> None:
    if not can_exchange:
        monkeypatch.setattr(container, "_exchange", lambda one, other: False)
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    path = tmp_path / "model"
    write(path, x=b"0")
    moment, number, held = 1, 1, b"0"
    while interrupted_at(moment, lambda number=number: write(path, x=b"%d" % number)):  # type: ignore[misc]
        assert os.listdir(tmp_path) == ["model"], moment
        Container(str(path)).verify()
        before, held = held, (path / "x").read_bytes()
        assert held in (before, b"%d" % number)
        moment, number = moment + 1, number + 1
    gc.collect()  # files that were open at that moment
    assert moment > 100
    assert (path / "x").read_bytes() == b"%d" % number

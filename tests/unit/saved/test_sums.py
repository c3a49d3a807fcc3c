"""Models that name one thing many times, or whose files change while they are read: memory and bytes stay in bounds."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.saved import container
from inlay._src.saved.container import MANIFEST, OBJECTS, Container
from tests.unit.saved.hostile_models import objects

SIZE = 1 << 21
SLACK = 64 << 20


def weights(path: Path) -> Path:
    """A model with a variable of `SIZE` bytes, and a function that uses a constant."""
    model = tf.Module()
    model.w = tf.Variable(np.zeros(SIZE, np.uint8))
    small = tf.constant(np.arange(1000.0))
    model.f = tf.function(lambda x: x + small, input_signature=[tf.TensorSpec([1000], tf.float64)])
    tf.saved_model.save(model, path)
    return path


def table(path: Path, words: int = 100, padding: int = 0) -> Path:
    """A model with a table that was filled from a file."""
    file = path.parent / "words.txt"
    file.write_text("".join(f"word{i}{' ' * padding}\n" for i in range(words)))
    model = tf.Module()
    model.table = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(str(file), tf.string, -2, tf.int64, -1), -1)
    model.find = tf.function(model.table.lookup, input_signature=[tf.TensorSpec([None], tf.string)])
    tf.saved_model.save(model, path)
    return path


def copies(kind: str, count: int) -> Callable[[Any], None]:
    """A change that adds objects like one of a kind."""

    def change(said: Any) -> None:
        said["objects"] += [next(o for o in said["objects"] if o["kind"] == kind)] * count

    return change


def size_of(path: Path) -> int:
    return sum(p.stat().st_size for p in path.rglob("*") if p.is_file())


def peak_of(path: Path) -> int:
    """The most memory that loading a model takes, which is refused."""
    tracemalloc.start()
    try:
        with pytest.raises(tf.errors.DataLossError, match="it names one value many times"):
            tf.saved_model.load(path)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_many_variables_of_one_value_are_refused(tmp_path: Path) -> None:
    path = weights(tmp_path / "model")
    objects(copies("variable", 500))(path)
    assert peak_of(path) < 4 * size_of(path) + SLACK


def test_many_captures_of_one_value_are_refused(tmp_path: Path) -> None:
    path = weights(tmp_path / "model")

    def change(said: Any) -> None:
        said["traces"][0]["captures"] = [["tensor", "value", "values/w"]] * 500
        key = next(o["value"] for o in said["objects"] if o["kind"] == "variable")
        for trace in said["traces"]:
            trace["captures"] = [["tensor", "value", key]] * len(trace["captures"])
        said["traces"] = said["traces"] * 500
        function = next(o for o in said["objects"] if o["kind"] == "function")
        said["objects"] += [{"kind": "concrete", "traces": [number]} for number in range(len(said["traces"]))]
        function["traces"] = []

    objects(change)(path)
    tracemalloc.start()
    with pytest.raises(tf.errors.DataLossError):
        tf.saved_model.load(path)
    assert tracemalloc.get_traced_memory()[1] < 4 * size_of(path) + SLACK
    tracemalloc.stop()


def test_many_tables_of_one_file_are_refused(tmp_path: Path) -> None:
    path = table(tmp_path / "model", 100, 40_000)
    objects(copies("table", 200))(path)
    with pytest.raises(tf.errors.DataLossError, match="it names one value many times"):
        tf.saved_model.load(path)


def test_constants_that_stand_for_many_elements_are_bounded_in_their_sum() -> None:
    graph = tf.compat.v1.GraphDef()
    for number in range(100):
        node = graph.node.add(name=f"c{number}", op="Const")
        node.attr["dtype"].type = 1
        tensor = node.attr["value"].tensor
        tensor.dtype = 1
        tensor.tensor_shape.dim.add(size=8_000_000)
        tensor.float_val.extend([1.0, 2.0])
    tracemalloc.start()
    with tf.Graph().as_default(), pytest.raises(ValueError, match="take more memory than"):
        tf.import_graph_def(graph)
    assert tracemalloc.get_traced_memory()[1] < 4 * graph.ByteSize() + 2 * SLACK
    tracemalloc.stop()


def test_a_vocabulary_is_read_from_the_bytes_that_were_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = table(tmp_path / "model")
    real = Container.verify

    def exchanged(self: Container) -> None:
        real(self)
        (words,) = (path / "assets").rglob("words.txt")
        words.unlink()
        words.write_text("other\n" * 1)

    monkeypatch.setattr(Container, "verify", exchanged)
    with pytest.raises(tf.errors.DataLossError, match=r"words.txt: it has 6 bytes, expected"):
        tf.saved_model.load(path)


def test_a_vocabulary_that_became_a_link_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = table(tmp_path / "model")
    real = Container.verify
    other = tmp_path / "other.txt"

    def exchanged(self: Container) -> None:
        real(self)
        (words,) = (path / "assets").rglob("words.txt")
        shutil.copy(words, other)
        words.unlink()
        words.symlink_to(other)

    monkeypatch.setattr(Container, "verify", exchanged)
    with pytest.raises(tf.errors.DataLossError, match="links are not followed"):
        tf.saved_model.load(path)


def test_a_vocabulary_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = table(tmp_path / "model")
    real = container._hashed

    def exchanged(file: Any) -> str:
        digest = real(file)
        (words,) = (path / "assets").rglob("words.txt")
        if os.fstat(file.fileno()).st_ino == words.stat().st_ino:  # hashed a moment ago: another file in its place
            text = words.read_text().replace("word", "evil")
            words.unlink()
            words.write_text(text)
        return digest

    loaded = Container(str(path))
    (name,) = (n for n in loaded.files if n.endswith("words.txt"))
    loaded.verify()
    monkeypatch.setattr(Container, "verify", lambda self: None)
    monkeypatch.setattr(container, "_hashed", exchanged)
    found = tf.saved_model.load(path)
    assert found.find(tf.constant(["word1", "evil1"])).numpy().tolist() == [1, -1]
    assert hashlib.sha256((path / name).read_bytes()).hexdigest() != loaded.files[name].sha256


def test_an_array_is_not_hashed_for_each_function_that_uses_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    large = tf.constant(np.arange(100_000.0))
    model = tf.Module()
    model.parts = [
        tf.function(lambda x, k=k: x + large[k], input_signature=[tf.TensorSpec([], tf.float64)]) for k in range(4)
    ]
    tf.saved_model.save(model, tmp_path / "model")
    counted: list[int] = []
    real = container._hashed

    def hashed(file: Any) -> str:
        counted.append(os.fstat(file.fileno()).st_size)
        return real(file)

    monkeypatch.setattr(container, "_hashed", hashed)
    loaded = tf.saved_model.load(tmp_path / "model")
    assert [float(part(tf.constant(0.0, tf.float64))) for part in loaded.parts] == [0.0, 1.0, 2.0, 3.0]
    assert counted.count(800_000) == 2  # as all files are, and as it is mapped


def test_names_of_a_model_reach_no_terminal_as_they_are(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from inlay._src.tools.command import main

    path, steering = tmp_path / "model", "\x1b]0;owned\x07\x9b31m\u202e"
    weights(path)

    def change(said: Any) -> None:
        said["objects"][0]["name"] = steering
        said["objects"].append({"kind": steering})

    objects(change)(path)
    for arguments in (["show", str(path)], ["verify", str(path)], ["call", str(path), "--input", f"{steering}=1"]):
        output = CliRunner().invoke(main, arguments).output
        assert all(line.isprintable() for line in output.splitlines()), arguments
    with pytest.raises(tf.errors.DataLossError, match=r"unknown kind") as raised:
        tf.saved_model.load(path)
    at: BaseException | None = raised.value
    while at is not None:
        assert all(line.isprintable() for line in str(at).splitlines())
        at = at.__cause__
    said = json.loads((path / MANIFEST).read_text())
    said["files"][steering] = said["files"][OBJECTS]
    (path / MANIFEST).write_text(json.dumps(said))
    for command in ("show", "verify"):
        output = CliRunner().invoke(main, [command, str(path)]).output
        assert "Error: DataLossError" in output and all(line.isprintable() for line in output.splitlines())

"""Event files beside those that TensorFlow wrote for the same program (`make_summaries.py`)."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import inlay as tf
from tests.recorded.summaries import program

HERE = Path(__file__).parent / "summaries"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of files that we wrote."""
    folder = tmp_path_factory.mktemp("summaries")
    program.write(tf, tf.compat.v1, str(folder))
    return folder


def events(path: Path) -> list[Any]:
    return list(tf.compat.v1.train.summary_iterator(str(path)))


def pixels(file: bytes) -> Any:
    """What a PNG file shows: encoders need not agree on bytes."""
    return np.asarray(Image.open(io.BytesIO(file))).tolist()


def value_of(value: Any) -> Any:
    """A value of a summary as something that compares by its content."""
    kind = value.WhichOneof("value")
    if kind == "image":
        image = value.image
        shown = image.height, image.width, image.colorspace, pixels(image.encoded_image_string)
    elif kind == "tensor" and value.metadata.plugin_data.plugin_name == "images":
        width, height, *files = value.tensor.string_val
        shown = (width, height, *map(pixels, files))
    else:
        shown = getattr(value, kind)
    return value.tag, value.HasField("metadata"), value.metadata, kind, shown


def content(event: Any) -> Any:
    """What an event says, without the time."""
    kind = event.WhichOneof("what")
    if kind == "summary":
        return event.step, kind, [value_of(v) for v in event.summary.value]
    if kind in ("graph_def", "meta_graph_def"):  # nodes stand in another order: tests/recorded/test_graphs.py
        return event.step, kind, bool(getattr(event, kind))
    return event.step, kind, getattr(event, kind)


def close(tag: str) -> bool:
    """Whether sums, whose last digits depend on the order in which they are taken, are in a summary."""
    return bool(re.search("loss", tag))


@pytest.mark.parametrize("name", program.FOLDERS)
def test_the_files_say_what_those_of_tensorflow_say(name: str, written: Path) -> None:
    (path,) = (written / name).iterdir()
    ours, theirs = events(path), events(HERE / f"{name}.events")
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        for one, two in zip(mine.summary.value, other.summary.value, strict=True):
            if one.tag == two.tag and close(one.tag):
                assert number(one) == pytest.approx(number(two), rel=1e-6)
                one.CopyFrom(two)
        assert content(mine) == content(other)


def number(value: Any) -> float:
    if value.WhichOneof("value") == "simple_value":
        return float(value.simple_value)
    return float(np.frombuffer(value.tensor.tensor_content, np.float32)[0])


def test_the_order_of_events_is_that_of_their_times(written: Path) -> None:
    for name in program.FOLDERS:
        (path,) = (written / name).iterdir()
        times = [event.wall_time for event in events(path)][1:]
        assert times == sorted(times)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("graph", r"events\.out\.tfevents\.\d{10}\.[^/]+"),
        ("eager", r"events\.out\.tfevents\.\d{10}\.[^/]+\.\d+\.\d+\.v2"),
    ],
)
def test_files_are_named_as_tensorflow_names_them(name: str, expected: str, written: Path) -> None:
    (path,) = (written / name).iterdir()
    assert re.fullmatch(expected, path.name)

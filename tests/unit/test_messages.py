"""Messages for what a newcomer types: each says what to do."""

from __future__ import annotations

import importlib
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.export import lookup

v1 = tf.compat.v1
PATHS = [
    line.removeprefix("inlay.")
    for line in (Path(__file__).parents[1] / "architecture" / "public_names.txt").read_text("utf-8").split()
]


def message(call: Callable[[], Any]) -> str:
    with pytest.raises(Exception) as caught:
        call()
    return "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: tf.layers, "1.x names are in tf.compat.v1: tf.compat.v1.layers"),
        (
            lambda: tf.py_function(lambda x: None, [1.0], tf.float32),
            "is a `return` missing? To return nothing, declare",
        ),
        (
            lambda: tf.numpy_function(lambda x: np.float64(x), [1.0], tf.float32),
            "Output 0 is float64, declared float32: return np.float32(...) or declare tf.float64 in Tout.",
        ),
        (
            lambda: tf.py_function(lambda x: tf.cast(x, tf.float64), [1.0], tf.float32),
            "Output 0 is float64, declared float32: return tf.cast(..., tf.float32) or declare tf.float64 in Tout.",
        ),
        (
            lambda: tf.numpy_function(lambda x: np.float32(x), [1.0], [tf.string]),
            "Output 0 is float32, declared string: return str or bytes or declare tf.float32 in Tout.",
        ),
        (lambda: tf.data.Dataset.range(3).map(abs, num_workers=2), "It takes map_func, num_parallel_calls,"),
        (lambda: tf.constant([1.0]).tolist(), ".numpy().tolist"),
        (lambda: tf.constant([1.0]).item(), "An eager tensor's array has it: .numpy().item"),
        (lambda: tf.Variable([1.0]).item(), "An eager variable's array has it: .numpy().item"),
        (lambda: tf.Variable([1.0]).T, "'Variable' object has no attribute 'T'. An eager variable's array has it"),
    ],
)
def test_a_message_says_what_to_do(call: Callable[[], Any], text: str) -> None:
    assert text in message(call)


def test_a_reason_is_not_followed_by_a_suggestion() -> None:
    with pytest.raises(AttributeError) as caught:
        tf.tpu  # noqa: B018
    assert "Did you mean" not in "".join(traceback.format_exception_only(caught.value))


def test_pytorch_that_is_absent_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str, *_: Any) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    data = tf.data.Dataset.range(3)
    monkeypatch.setattr(importlib, "import_module", absent)
    assert "pip install 'inlay[torch]'" in message(data.as_torch_dataset)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (lambda: iter(tf.data.Dataset.range(3)), "<OwnedIterator of TensorSpec(shape=(), dtype=tf.int64, name=None)>"),
        (lambda: tf.Module("encoder"), "<Module(name='encoder')>"),
        (
            lambda: v1.train.GradientDescentOptimizer(0.1),
            "<GradientDescentOptimizer(learning_rate=0.1, use_",
        ),
        (lambda: tf.train.Checkpoint(model=tf.Module()), "<Checkpoint of model>"),
        (lambda: tf.train.Checkpoint(), "<Checkpoint of nothing>"),
        (lambda: v1.train.StopAtStepHook(num_steps=5), "<StopAtStepHook(num_steps=5)>"),
        (lambda: v1.nn.rnn_cell.BasicRNNCell(3), "<BasicRNNCell(num_units=3"),
        (lambda: v1.layers.Dense(3), "<Dense(units=3"),
        (lambda: tf.random.Generator.from_seed(1), "<Generator("),
        (lambda: tf.constant(1.0).ref(), "<Reference wrapping <tf.Tensor: shape=()"),
        (lambda: v1.make_template("scale", message), "<template 'scale' of message ("),
        (lambda: tf.custom_gradient(message), "<function message ("),
        (
            lambda: tf.train.load_checkpoint(tf.train.Checkpoint(x=tf.Variable(1.0)).write("written")),
            "<CheckpointReader",
        ),
    ],
)
def test_a_repr_says_what_an_object_is(
    value: Callable[[], Any], text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert repr(value()).startswith(text)


def test_objects_that_hold_one_another_have_a_short_repr() -> None:
    class Pair(tf.Module):
        def __init__(self, left: Any, right: Any) -> None:
            super().__init__()
            self.left, self.right = left, right

    pair: Any = None
    for _ in range(40):  # each level is in the next one twice
        pair = Pair(pair, pair)
    assert repr(pair) == "<Pair(left=<Pair>, right=<Pair>)>"
    pair.left = pair
    assert repr(pair) == "<Pair(left=<Pair>, right=<Pair>)>"


def test_every_public_class_has_a_repr() -> None:
    every = {cls for path in PATHS if isinstance(cls := lookup(path), type) and cls.__module__.startswith("inlay")}
    assert len(every) > 300
    plain = {cls.__name__ for cls in every if cls.__repr__ is object.__repr__ and not getattr(cls, "_is_protocol", 0)}
    assert plain <= {"Tensor"}  # whose kinds have one each

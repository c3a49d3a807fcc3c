"""Summary ops of 1.x: names, tags, collections and refusals. Values: tests/recorded/test_summaries.py."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PIL import Image

import inlay as tf
from inlay.compat import v1 as tf1


@pytest.fixture
def session() -> Iterator[Any]:
    with tf.Graph().as_default(), tf1.Session() as made:
        yield made


def tags(text: bytes) -> list[str]:
    return [v.tag for v in tf1.Summary.FromString(text).value]


def test_names_are_made_unique_and_tags_follow_them(session: Any) -> None:
    with tf1.name_scope("a"):
        made = [tf1.summary.scalar(name, 1.0) for name in ("loss", "loss", "b c", "/d")]
        made.append(tf1.summary.scalar("loss", 1.0, family="f g"))
    assert [m.op.name for m in made] == ["a/loss", "a/loss_1", "a/b_c", "a/d", "a/f_g/loss"]
    assert [tags(t) for t in session.run(made)] == [["a/loss"], ["a/loss_1"], ["a/b_c"], ["a/d"], ["f_g/a/f_g/loss"]]
    assert [i.name for i in made[0].op.inputs] == ["a/loss/tags:0", "a/loss/values:0"]
    assert made[0].op.type == "ScalarSummary"


def test_merge_all_takes_the_collection(session: Any) -> None:
    assert tf1.summary.merge_all() is None
    first = tf1.summary.scalar("first", 1.0)
    other = tf1.summary.scalar("other", 2.0, collections=["mine"])
    with tf1.name_scope("scope"):
        tf1.summary.scalar("third", 3.0)
    assert tf1.get_collection(tf1.GraphKeys.SUMMARIES)[0] is first
    assert tf1.get_collection("mine") == [other]
    assert tags(session.run(tf1.summary.merge_all())) == ["first", "scope/third"]
    assert tags(session.run(tf1.summary.merge_all("mine"))) == ["other"]
    assert tags(session.run(tf1.summary.merge_all(scope="scope"))) == ["scope/third"]
    merged = tf1.summary.merge([first, other], collections=["both"], name="joined")
    assert merged.op.name == "joined/joined"
    assert tf1.get_collection("both") == [merged]


def test_a_tag_that_occurs_twice_is_refused(session: Any) -> None:
    one = tf1.summary.scalar("one", 1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Duplicate tag one found in summary inputs"):
        session.run(tf1.summary.merge([one, one]))


@pytest.mark.parametrize(("bad", "word"), [(np.nan, "Nan"), (np.inf, "Infinity")])
def test_a_histogram_refuses_what_is_not_finite(session: Any, bad: float, word: str) -> None:
    made = tf1.summary.histogram("h", [1.0, bad])
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"{word} in summary histogram for: h"):
        session.run(made)


@pytest.mark.parametrize("shape", [[2, 2], [1, 2, 2, 2], [1, 2, 2, 1, 1]])
def test_images_of_another_shape_are_refused(session: Any, shape: list[int]) -> None:
    made = tf1.summary.image("i", tf.zeros(shape))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"4-D with last dim 1, 3, or 4"):
        session.run(made)


def test_what_a_python_function_draws_is_an_image(session: Any) -> None:
    drawn = np.arange(24, dtype=np.uint8).reshape(1, 2, 4, 3) * 10
    made = tf1.summary.image("drawn", tf1.py_func(lambda: drawn, [], tf.uint8))
    (value,) = tf1.Summary.FromString(session.run(made)).value
    shown = Image.open(io.BytesIO(value.image.encoded_image_string))
    np.testing.assert_array_equal(np.asarray(shown), drawn[0])


def test_a_scalar_is_one_number(session: Any) -> None:
    made = tf1.summary.scalar("s", tf1.placeholder_with_default([1.0, 2.0], None))
    with pytest.raises(tf.errors.InvalidArgumentError, match="not the same shape|one value for each tag"):
        session.run(made)
    with pytest.raises(TypeError):
        tf1.summary.scalar("s", "text")


def test_sounds_of_another_rank_are_refused(session: Any) -> None:
    made = tf1.summary.audio("a", tf.zeros([2, 2, 2, 2]), 8000.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="3-D or 2-D"):
        session.run(made)


def test_text_is_text(session: Any) -> None:
    with pytest.raises(ValueError, match="to have dtype string"):
        tf1.summary.text("t", tf.constant(1))
    (value,) = tf1.Summary.FromString(session.run(tf1.summary.text("t", tf.constant("a")))).value
    assert (value.metadata.plugin_data.plugin_name, list(value.tensor.string_val)) == ("text", [b"a"])


def test_merging_while_executing_eagerly_is_refused() -> None:
    with pytest.raises(RuntimeError, match="create_file_writer"):
        tf1.summary.merge([])
    with pytest.raises(RuntimeError, match="create_file_writer"):
        tf1.summary.merge_all()


def test_while_executing_eagerly_a_summary_is_a_value() -> None:
    assert tags(tf1.summary.scalar("a", 1.0).numpy()) == ["a"]


def test_the_description_of_an_old_node() -> None:
    node = tf1.NodeDef(op="TensorSummary")
    node.attr["description"].s = b'{"typeHint": "image"}'
    assert tf1.summary.get_summary_description(node).type_hint == "image"
    node.op = "Other"
    with pytest.raises(ValueError, match="on Other"):
        tf1.summary.get_summary_description(node)

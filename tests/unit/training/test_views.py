"""Views of trees of objects and of checkpoints."""

from __future__ import annotations

import weakref
from pathlib import Path

import pytest

import inlay as tf


class Part(tf.Module):
    """A module with a variable and a list of one."""

    def __init__(self) -> None:
        super().__init__()
        self.a = tf.Variable(1.0)
        self.items = [tf.Variable(2.0)]


def test_a_view_lists_the_objects_below_a_root() -> None:
    root = Part()
    root.child = Part()
    view = tf.train.TrackableView(root)
    assert view.root is root
    assert sorted(tf.train.TrackableView(weakref.ref(root)).children(root)) == ["a", "child", "items"]
    listed = view.descendants()
    assert listed[0] is root
    assert sorted(v.numpy() for v in listed if isinstance(v, tf.Variable)) == [1.0, 1.0, 2.0, 2.0]
    assert len(listed) == 8


def test_a_checkpoint_is_compared_with_objects(tmp_path: Path) -> None:
    root = Part()
    root.old = tf.Variable(3.0)
    view = tf.train.CheckpointView(tf.train.Checkpoint(root).save(str(tmp_path / "saved")))
    children = view.children(0)
    assert sorted(children) == ["a", "items", "old", "save_counter"]
    assert sorted(view.descendants()) == list(range(6))
    other = Part()
    other.new = tf.Variable(4.0)
    matched = view.match(other)
    assert matched[0] is other
    assert matched[children["a"]] is other.a
    assert matched[view.children(children["items"])["0"]] is other.items[0]
    both, saved, live = view.diff(other)
    assert both.keys() == matched.keys()
    assert sorted(saved) == sorted([children["old"], children["save_counter"]])
    assert [value is other.new for value in live] == [True]
    with pytest.raises(ValueError, match="Expected a Trackable, got 3"):
        view.match(3)


def test_a_checkpoint_by_names_has_no_tree(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        variable = tf.compat.v1.get_variable("v", initializer=1.0)
        session.run(variable.initializer)
        path = tf.compat.v1.train.Saver().save(session, str(tmp_path / "saved"))
    with pytest.raises(ValueError, match="does not appear to be object-based"):
        tf.train.CheckpointView(path)

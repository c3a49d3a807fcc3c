"""Models that begin with the variables of earlier ones: what is refused, and what stands in the messages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import inlay as tf

v1 = tf.compat.v1


@pytest.fixture
def earlier(tmp_path: Path) -> str:
    """The checkpoint of a model with the variables `w` of three rows and `b`."""
    with tf.Graph().as_default(), v1.Session() as session:
        v1.get_variable("w", initializer=[[1.0], [2.0], [3.0]])
        v1.get_variable("b", initializer=4.0)
        session.run(v1.global_variables_initializer())
        saved = v1.train.Saver().save(session, tmp_path / "model")
    assert isinstance(saved, str)
    return saved


def words(folder: Path, name: str, *lines: str) -> str:
    """The path of a file of words."""
    path = folder / name
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def begun(variable: Any) -> Any:
    """The first value of a variable of the default graph."""
    with v1.Session() as session:
        session.run(variable.initializer)
        return session.run(variable).tolist()


def test_rows_go_where_their_words_are_now(earlier: str, tmp_path: Path) -> None:
    old, new = words(tmp_path, "old", "a", "b", "c"), words(tmp_path, "new", "c", "d", "b", "a")
    for size, expected in ((-1, [[3.0], [9.0], [2.0], [9.0]]), (2, [[9.0], [9.0], [2.0], [9.0]])):
        with tf.Graph().as_default():
            w = v1.get_variable("w", [4, 1])
            info = v1.train.VocabInfo(new, 3, 1, old, size, v1.constant_initializer(9.0))
            v1.train.warm_start(earlier, var_name_to_vocab_info={"w": info})
            assert begun(w) == expected


def test_a_checkpoint_of_objects_is_read_by_the_names_of_variables(tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("w", initializer=[5.0])
        session.run(v.initializer)
        with session.as_default():
            tf.train.Checkpoint(inner=v).save(str(tmp_path / "objects"))
    with tf.Graph().as_default():
        w = v1.get_variable("w", [1])
        v1.train.warm_start(str(tmp_path))
        assert begun(w) == [5.0]


@pytest.mark.parametrize(
    ("vocabulary", "message"),
    [
        ({"new_vocab_size": 2}, "has another number"),
        ({"new_vocab_size": 5}, "has 3 words, fewer than 5"),
        ({"old_vocab_size": 9}, "has 3 words, fewer than 9"),
        ({"axis": 2}, "axis must be 0 or 1"),
        ({"axis": 1, "new_vocab_size": 1}, "doesn't match with shape of tensor w"),
    ],
)
def test_vocabularies_that_do_not_fit_are_refused(
    earlier: str, tmp_path: Path, vocabulary: dict[str, Any], message: str
) -> None:
    path = words(tmp_path, "words", "a", "b", "c")
    fields: dict[str, Any] = {"new_vocab": path, "new_vocab_size": 3, "num_oov_buckets": 0, "old_vocab": path}
    with tf.Graph().as_default():
        v1.get_variable("w", [3, 1])
        with pytest.raises(ValueError, match=message):
            v1.train.warm_start(earlier, var_name_to_vocab_info={"w": v1.train.VocabInfo(**{**fields, **vocabulary})})


def test_what_is_not_there_is_named(earlier: str, tmp_path: Path) -> None:
    with tf.Graph().as_default():
        v1.get_variable("other", [3, 1])
        with pytest.raises(ValueError, match="other is not found"):
            v1.train.warm_start(earlier)
        with pytest.raises(ValueError, match=r"not used: \['x'\]. .*viable variable names: \['other'\]"):
            v1.train.warm_start(earlier, var_name_to_prev_var_name={"x": "b"})
        with pytest.raises(ValueError, match="a regular expression, or a list"):
            v1.train.warm_start(earlier, [3])
        with pytest.raises(tf.errors.NotFoundError):
            v1.train.warm_start(str(tmp_path / "none"))

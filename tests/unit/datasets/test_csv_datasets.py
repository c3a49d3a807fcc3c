"""Datasets of delimited text files: records, positions, guesses of names and types, and what is refused."""

from __future__ import annotations

import gzip
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.data.node import Iteration

TEXT = 'x,y,z\n1,2.5,"a, ""b"""\n2,,"two\nlines"\n3,4.5,c'
experimental = tf.data.experimental


@pytest.fixture
def path(tmp_path: Path) -> str:
    (tmp_path / "a.csv").write_text(TEXT, encoding="utf-8")
    return str(tmp_path / "a.csv")


def values(dataset: Any) -> list[Any]:
    return list(dataset.as_numpy_iterator())


def test_records_may_hold_ends_of_lines(path: str, tmp_path: Path) -> None:
    whole = [(1, 2.5, b'a, "b"'), (2, 0.5, b"two\nlines"), (3, 4.5, b"c")]
    kinds = [tf.int32, [0.5], tf.string]
    dataset = experimental.CsvDataset(path, kinds, header=True)
    assert values(dataset) == whole
    assert repr(dataset).startswith("<CsvDatasetV2 element_spec=(TensorSpec(shape=(), dtype=tf.int32, name=None), ")
    (tmp_path / "b").write_bytes(gzip.compress(TEXT.replace("\n", "\r\n").encode()))
    packed = experimental.CsvDataset([str(tmp_path / "b")] * 2, kinds, "GZIP", 64, header=True)
    assert values(packed.skip(3).take(1)) == whole[:1]
    assert [row[0] for row in values(packed)] == [1, 2, 3, 1, 2, 3]


@pytest.mark.parametrize("after", [0, 1, 2, 3])
def test_a_position_is_resumed(path: str, after: int) -> None:
    dataset = experimental.CsvDataset(path, [tf.int32, [0.5], tf.string], header=True)
    first, second = (Iteration(dataset.options()).opened(dataset._node) for _ in range(2))
    before = [next(first)[0] for _ in range(after)]
    second.restore(pickle.loads(pickle.dumps(first.state())))
    assert [*before, *(v[0] for v in second)] == [1, 2, 3]
    first.close()
    second.close()


@pytest.mark.parametrize(
    ("columns", "how", "says"),
    [
        ([tf.int32, tf.float32, tf.string], {}, "Field 1 is required but missing"),
        ([tf.int32, [0.5]], {}, "Expect 2 fields but have more in record"),
        ([tf.int32, [0.5], tf.int64], {}, "Field 2 in record is not a valid int64"),
        ([tf.int32], {"field_delim": "::"}, "field_delim should be only 1 char"),
        ([tf.int32], {"select_cols": [0], "exclude_cols": [1]}, "Either select_cols or exclude_cols"),
        ([tf.int32], {"select_cols": [1, 0]}, "should match output size"),
        ([tf.int32] * 2, {"select_cols": [1, 0]}, "strictly increasing"),
        ([[[1]]], {}, "Each record default should be at most rank 1"),
        ([tf.int32], {"buffer_size": 0}, "buffer_size should be positive"),
    ],
)
def test_what_is_refused(path: str, columns: list[Any], how: dict[str, Any], says: str) -> None:
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match=says):
        values(experimental.CsvDataset(path, columns, header=True, **how))


def test_types_are_guessed_from_the_narrowest_up(tmp_path: Path) -> None:
    rows = "a,b,c,d,e,f\n1,9000000000,0.5,1e300,x,\n-2,3,7,2,3,\n"
    (tmp_path / "t.csv").write_text(rows, encoding="utf-8")
    dataset = experimental.make_csv_dataset(str(tmp_path / "t.csv"), 2, shuffle=False, num_epochs=1)
    kinds = {key: spec.dtype for key, spec in dataset.element_spec.items()}
    assert kinds == {"a": tf.int32, "b": tf.int64, "c": tf.float32, "d": tf.float64, "e": tf.string, "f": tf.int32}
    (batch,) = values(dataset)
    assert batch["f"].tolist() == [0, 0] and batch["e"].tolist() == [b"x", b"3"]


def test_batches_are_dicts_shuffled_and_without_end(path: str) -> None:
    dataset = experimental.make_csv_dataset(path, 2, label_name="x", shuffle_seed=1, num_parallel_reads=2)
    features, labels = dataset.element_spec
    assert list(features) == ["y", "z"] and labels == tf.TensorSpec([2], tf.int32)
    seen = np.concatenate([labels for _, labels in dataset.take(30).as_numpy_iterator()])
    assert len(seen) == 60 and set(seen.tolist()) == {1, 2, 3}


def test_records_that_cannot_be_read_may_be_left_out(path: str) -> None:
    columns = [tf.int32, tf.float32, tf.string]
    dataset = experimental.make_csv_dataset(
        path, 5, column_defaults=columns, shuffle=False, num_epochs=1, ignore_errors=True
    )
    assert [batch["x"].tolist() for batch in values(dataset)] == [[1, 3]]


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"label_name": "n"}, "`label_name` provided must be one of the columns: .'x', 'y', 'z'.. Received: n"),
        ({"select_columns": ["n"]}, "Value 'n' in `select_columns` is not one of the columns"),
        ({"select_columns": [7]}, "Value 7 in `select_columns` is not the number of a column"),
        ({"select_columns": [0, "x"]}, "contains duplicate columns"),
        ({"column_names": ["a", "a", "b"]}, "Cannot have duplicate column names"),
        ({"header": False}, "without a header the columns have no names"),
        ({"column_names": ["a", "b", "c", "d"]}, "Problem inferring types: a record of .* has 3 fields"),
    ],
)
def test_what_make_csv_dataset_refuses(path: str, how: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        experimental.make_csv_dataset(path, 2, **how)


def test_files_must_match_and_have_one_header(path: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="No files match `file_pattern` .*/no"):
        experimental.make_csv_dataset(str(tmp_path / "no*"), 2)
    (tmp_path / "b.csv").write_text("other\n1\n", encoding="utf-8")
    with pytest.raises(ValueError, match="All CSV files must have the same column names"):
        experimental.make_csv_dataset(str(tmp_path / "*.csv"), 2)


def _lines(folder: Path, data: bytes, count: int, **how: Any) -> list[Any]:
    (folder / "lines.csv").write_bytes(data)
    dataset = tf.data.experimental.CsvDataset(str(folder / "lines.csv"), [["NA"]] * count, **how)
    iterator, found = iter(dataset), []
    while True:
        try:
            found.append([part.numpy().decode() for part in next(iterator)])
        except StopIteration:
            return found
        except tf.errors.InvalidArgumentError as error:
            found.append(error.message.split("\n")[0])


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
@pytest.mark.parametrize("buffer", [1, 3, 7, None])
def test_lines_end_in_each_way_and_quotes_hold_any_of_them(end: bytes, buffer: int | None, tmp_path: Path) -> None:
    data = end.join([b"ab,cd,e", b'"\n\n","\r\r\n","a,""b"""', b',"",', b""])
    assert _lines(tmp_path, data, 3, buffer_size=buffer) == [
        ["ab", "cd", "e"], ["\n\n", "\r\r\n", 'a,"b"'], ["NA", "NA", "NA"],
    ]  # fmt: skip


def test_a_record_that_breaks_the_rules_ends_with_its_line(tmp_path: Path) -> None:
    data = b'1,2"3\n"a"b",c\n\nx,y\nu\nq,"w\n'
    assert _lines(tmp_path, data, 2) == [
        "Unquoted fields cannot have quotes inside", "Quote inside a string has to be escaped by another quote",
        "Expect 2 fields but have 1 in record", ["x", "y"], "Expect 2 fields but have 1 in record",
        "Reached end of file without closing quoted field in record",
    ]  # fmt: skip
    assert _lines(tmp_path, b"0\n\n2", 1) == [["0"], ["NA"], ["2"]]
    assert _lines(tmp_path, b"1,2,3", 1, exclude_cols=[0]) == ["Expect 1 fields but have more in record"]
    assert _lines(tmp_path, b"1,2,3", 2, exclude_cols=[0]) == [["2", "3"]]


def test_a_file_without_its_header_is_told(tmp_path: Path) -> None:
    assert _lines(tmp_path, b"", 1, header=True)[0].startswith("Can't read header of file")
    assert _lines(tmp_path, b"", 1) == []


@pytest.mark.parametrize("after", [1, 2, 3])
def test_a_position_in_lines_of_any_ends_is_resumed(after: int, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b'head,er\r\n1,"a\r"\r2,b\n3,c\r\n')
    make = lambda: tf.data.experimental.CsvDataset(str(tmp_path / "a.csv"), [0, ""], header=True, buffer_size=2)  # noqa: E731
    iterator, other = make().as_numpy_iterator(), make().as_numpy_iterator()
    for _ in range(after):
        next(iterator)
    other.restore(iterator.save())
    assert list(other) == list(iterator) == [(1, b"a\r"), (2, b"b"), (3, b"c")][after:]

"""Records of delimited text files and their fields."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

import inlay as tf
from inlay._src.base.files.delimited import DelimitedRecords, fields_of

TEXTS = [
    b"",
    b"\n",
    b"a,b\nc,d",
    b"a,b\r\nc,d\r\n",
    b"a,b\rc,d\r",
    b'"a\nb",c\n"d\r\ne",f\n',
    b'"a""b","c,d"\n"",""\n',
    b",,\n\n,\n",
    b'"' + 90 * b"long, \r\n" + b'"\nshort\n',
]


def whole(folder: Path, text: bytes, buffer: int) -> list[bytes]:
    path = folder / "some.csv"
    path.write_bytes(text)
    records = DelimitedRecords(str(path), buffer=buffer)
    found = list(records)
    assert records.at == len(text)
    records.close()
    return found


@pytest.mark.parametrize("buffer", [1, 2, 5, 1000])
@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_records_and_fields_are_those_of_pythons_reader(text: bytes, buffer: int, tmp_path: Path) -> None:
    found = [fields_of(record, b",", True) for record in whole(tmp_path, text, buffer)]
    wanted = list(csv.reader(io.StringIO(text.decode(), newline="")))
    assert [[field.decode() for field in fields] for fields in found] == [row or [""] for row in wanted]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_a_place_is_found_again(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    path.write_bytes(text)
    first = DelimitedRecords(str(path), buffer=3)
    places, records = [first.at], []
    for record in first:
        places.append(first.at)
        records.append(record)
    first.close()
    for i, place in enumerate(places):
        again = DelimitedRecords(str(path), buffer=7)
        again.seek(place)
        assert list(again) == records[i:]
        again.close()


def test_quotes_that_mean_nothing_are_text(tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    path.write_bytes(b'a"b;"c\nd";e\n')
    records = DelimitedRecords(str(path), quotes=False, delimiter=b";")
    assert [fields_of(r, b";", False) for r in records] == [[b'a"b', b'"c'], [b'd"', b"e"]]
    records.close()


def test_defaults_are_as_many_as_the_columns_that_are_read(tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    path.write_bytes(b"a,b,c\n1,2,3\n")
    with pytest.raises(ValueError, match="must have the same length: got 3 and 2"):
        tf.data.experimental.make_csv_dataset(
            str(path), 1, select_columns=["a", "b"], column_defaults=[0, 0, 0], num_epochs=1
        )

"""Records of simple fields are read column by column, with the values and errors of the general way."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.ops import csv

FIELDS = [
    ["1", "2", "30", " 4", "+7"],
    ["a", "b", '"q"', '"x""y"', '"u,v"'],
    ["1.5", "nan", "-2", "inf", "1e400"],
    ["1", "", "NA", "0x1F", "1_0", "2147483648", "9" * 30, 'a"b', '"', "\n", "\r", "é", '"m\nn"'],
]
DEFAULTS: list[Any] = [[1], [1.0], ["z"], np.zeros(0, np.int32), np.zeros(1, np.int64), np.zeros(1, np.float64)]


def outcome(records: Any, defaults: list[Any], options: dict[str, Any]) -> Any:
    try:
        return [column.numpy() for column in tf.io.decode_csv(records, defaults, **options)]
    except tf.errors.InvalidArgumentError as error:
        return error.message


@pytest.mark.parametrize("seed", range(8))
def test_simple_records_are_read_as_all_others(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw, general = random.Random(seed), lambda *arguments: None
    simple, direct = csv._simple_columns, 0
    for _ in range(100):
        count, delim, pool = draw.randint(1, 4), draw.choice([",", ";", "é"]), draw.choice(FIELDS)
        widths = [count if draw.random() < 0.95 else draw.randint(0, 5) for _ in range(draw.randint(0, 4))]
        records = np.array([delim.join(draw.choices(pool, k=width)).encode() for width in widths], object)
        defaults = draw.choices(DEFAULTS, k=count)
        options: dict[str, Any] = {"field_delim": delim, "use_quote_delim": draw.random() < 0.8}
        if draw.random() < 0.2:
            options["na_value"] = "NA"
        if draw.random() < 0.2 and count > 1:
            options["select_cols"], defaults = sorted(draw.sample(range(count), count - 1)), defaults[1:]
        tensor = tf.constant(records, tf.string)
        monkeypatch.setattr(csv, "_simple_columns", general)
        expected = outcome(tensor, defaults, options)
        columns: list[Any] = []
        monkeypatch.setattr(
            csv, "_simple_columns", lambda *arguments, to=columns: to.append(simple(*arguments)) or to[0]
        )
        result = outcome(tensor, defaults, options)
        direct += columns[0] is not None
        assert type(result) is type(expected)
        if isinstance(expected, str):
            assert result == expected
            continue
        for column, other in zip(result, expected, strict=True):
            assert (column.dtype, column.shape) == (other.dtype, other.shape)
            np.testing.assert_array_equal(column, other)
    assert direct
    assert direct < 100


def test_numbers_are_read_exactly() -> None:
    least, most = ([str(limit) for limit in limits] for limits in ((-(2**63), 5), (2**64 - 1, 5)))
    assert tf.strings.to_number(least, tf.int64).numpy().tolist() == [-(2**63), 5]
    assert tf.strings.to_number(most, tf.uint64).numpy().tolist() == [2**64 - 1, 5]
    for text in ("1_0", "2147483648", "x", ""):
        with pytest.raises(tf.errors.InvalidArgumentError, match="could not correctly convert string"):
            tf.strings.to_number(["1", text], tf.int32)

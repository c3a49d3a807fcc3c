"""Files opened."""

from __future__ import annotations

import pytest

import inlay as tf
from inlay._src.base.files import opening


@pytest.mark.parametrize("path", ["half a \ud800", "a\0b"])
def test_a_name_that_no_file_has_is_refused(path: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not a file name"):
        opening.reading(path)

"""Models that TensorFlow 2.21 saved: each gives here what it gives there, and what it is trained to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from tests.golden.tensorflow_models import PROGRAMS, arrays

FOLDER = Path(__file__).parent / "tensorflow_models"


def compare(got: dict[str, Any], expected: dict[str, Any]) -> None:
    assert got.keys() == expected.keys()
    for name, value in expected.items():
        assert got[name].shape == value.shape, name
        if value.dtype.kind in "fc":
            assert got[name].dtype == value.dtype, name
            np.testing.assert_allclose(got[name], value, rtol=1e-5, atol=1e-5, err_msg=name)
        else:
            np.testing.assert_array_equal(got[name], value, err_msg=name)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_model_of_tensorflow_gives_what_it_gives_there(name: str) -> None:
    with np.load(FOLDER / f"{name}.npz", allow_pickle=True) as recorded:
        expected = dict(recorded)
    compare(arrays(PROGRAMS[name].use(tf, tf.saved_model.load(FOLDER / name))), expected)

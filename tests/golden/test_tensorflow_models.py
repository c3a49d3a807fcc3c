"""Models that TensorFlow 2.21 saved: each gives the same here, also if it is made here, or saved again from here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.saved.container import Container
from tests.golden.tensorflow_models import PROGRAMS, arrays

FOLDER = Path(__file__).parent / "tensorflow_models"


def recorded(name: str) -> dict[str, Any]:
    """What a model gave in TensorFlow."""
    with np.load(FOLDER / f"{name}.npz", allow_pickle=True) as values:
        return dict(values)


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
    compare(arrays(PROGRAMS[name].use(tf, tf.saved_model.load(FOLDER / name))), recorded(name))


def saved_again(name: str, model: Any, signatures: Any, folder: Path) -> Any:
    """A model that was saved from here, loaded."""
    tf.saved_model.save(model, folder, signatures=signatures)
    trust = [f"sha256:{Container(str(folder)).digest}"] if name == "host_function" else None
    return tf.saved_model.load(folder, trust=trust)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_model_made_here_gives_what_tensorflows_gives(name: str, tmp_path: Path) -> None:
    loaded = saved_again(name, *PROGRAMS[name].make(tf), tmp_path / "model")
    compare(arrays(PROGRAMS[name].use(tf, loaded)), recorded(name))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_model_of_tensorflow_that_is_saved_again_gives_what_it_gave(name: str, tmp_path: Path) -> None:
    model = tf.saved_model.load(FOLDER / name)
    signatures = dict(model.signatures) if PROGRAMS[name].make(tf)[1] is not None else None
    loaded = saved_again("", model, signatures, tmp_path / "model")
    compare(arrays(PROGRAMS[name].use(tf, loaded)), recorded(name))

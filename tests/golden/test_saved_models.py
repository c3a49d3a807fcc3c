"""Models that earlier versions of the format saved load, and give what they gave: see make_saved_models.py."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.saved.container import VERSION, Container
from tests.golden.make_saved_models import FOLDER, MODELS, given

PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"
SAVED: dict[Path, dict[str, Any]] = {
    folder / name: said
    for folder in sorted(FOLDER.glob("v*"))
    for name, said in json.loads((folder / "expected.json").read_text()).items()
}


def assert_close(got: Any, want: Any) -> None:
    if isinstance(want, dict):
        assert sorted(got) == sorted(want)
        for name in want:
            assert_close(got[name], want[name])
    elif want is None or got is None:
        assert got is want
    elif want and isinstance(want, list) and (want[0] is None or isinstance(want[0], (list, dict))):
        assert len(got) == len(want)
        for one, other in zip(got, want, strict=True):
            assert_close(one, other)
    else:
        np.testing.assert_allclose(got, want, rtol=1e-6)


def test_every_version_and_model_is_there() -> None:
    assert {p.parent.name for p in SAVED} == {f"v{number}" for number in range(1, VERSION + 1)}
    assert {p.name for p in SAVED if p.parent.name == f"v{VERSION}"} == set(MODELS)


@pytest.mark.parametrize("path", SAVED, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_saved_model_gives_what_it_gave(path: Path) -> None:
    said = SAVED[path]
    assert Container(str(path)).digest == said["digest"]
    if said["python"] not in (None, PYTHON):
        with pytest.raises(tf.errors.FailedPreconditionError, match=f"saved by cpython {said['python']}"):
            tf.saved_model.load(str(path), trust=said["digest"])
        return
    trust = {"by_name": "_operator", "by_value": said["digest"]}.get(path.name)
    model = tf.saved_model.load(str(path), trust=trust)
    assert_close(given(model), {name: said[name] for name in ("outputs", "gradients", "signature")})
    if path.name == "variables":
        assert model.words.numpy().tolist() == [b"x", b"yz"] and model.by_name["count"].trainable is False
        assert model.layers[1].dtype is tf.bfloat16

"""Signatures: by whom a model was signed, and that nothing of a signed one can be changed."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

import inlay as tf
from inlay._src.host.bodies.trust import Trust
from inlay._src.saved import container, signing
from inlay._src.saved.container import SIGNATURE, Container

pytest.importorskip("cryptography")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model."""
    path = tmp_path / "model"
    with container.writing(str(path)) as draft:
        container.write_file(os.path.join(draft, container.GRAPH), b"graph")
    return path


def key(tmp_path: Path, name: str = "key") -> object:
    """A new private key."""
    signing.new_key(str(tmp_path / name))
    return signing.read_key(str(tmp_path / name))


def test_who_signed_is_found(model: Path, tmp_path: Path) -> None:
    assert signing.signers(Container(str(model))) == []
    one, two = key(tmp_path, "one"), key(tmp_path, "two")
    names = [signing.sign(str(model), one), signing.sign(str(model), two), signing.sign(str(model), one)]
    assert names[0] == names[2] == signing.public(one)
    found = signing.signers(Container(str(model)))
    assert sorted(f"ed25519:{k}" for k in found) == sorted(set(names))
    assert signing.signers(Container(str(model)), [names[1].partition(":")[2]]) == [names[1].partition(":")[2]]
    assert signing.signers(Container(str(model)), ["0" * 64]) == []


def test_a_key_is_for_its_owner_and_never_overwritten(tmp_path: Path) -> None:
    key(tmp_path)
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileExistsError):
        signing.new_key(str(tmp_path / "key"))


def test_a_changed_model_has_no_valid_signature(model: Path, tmp_path: Path) -> None:
    signing.sign(str(model), key(tmp_path))
    kept = (model / SIGNATURE).read_bytes()
    with container.writing(str(model)) as draft:
        container.write_file(os.path.join(draft, container.GRAPH), b"other")
    assert signing.signers(Container(str(model))) == []  # a new model is not signed
    (model / SIGNATURE).write_bytes(kept)
    with pytest.raises(tf.errors.DataLossError, match="is not one of this model: it was changed after it was signed"):
        signing.signers(Container(str(model)))


def test_a_damaged_model_is_not_signed(model: Path, tmp_path: Path) -> None:
    (model / container.GRAPH).write_bytes(b"grapf")
    with pytest.raises(tf.errors.DataLossError, match="its bytes are not those"):
        signing.sign(str(model), key(tmp_path))
    assert not (model / SIGNATURE).exists()


@pytest.mark.parametrize(
    "data",
    [
        b"", b"[]", b"{}", b'{"format": "inlay signature", "version": "1", "signatures": {}}',
        b'{"format": "inlay signature", "version": 1, "signatures": []}',
        b'{"format": "inlay signature", "version": 1, "signatures": {"a": "b"}}',
        json.dumps({"format": "inlay signature", "version": 1, "signatures": {"zz" * 32: "0" * 128}}).encode(),
        json.dumps({"format": "inlay signature", "version": 1, "signatures": {"ab" * 32: "0" * 128}}).encode(),
        json.dumps({"format": "inlay signature", "version": 1,
                    "signatures": {f"{i:064x}": "0" * 128 for i in range(100)}}).encode(),
    ],
)  # fmt: skip
def test_a_damaged_signature_is_told(model: Path, data: bytes) -> None:
    (model / SIGNATURE).write_bytes(data)
    with pytest.raises(tf.errors.DataLossError, match=r"signature\.json"):
        signing.signers(Container(str(model)))


def test_another_version_of_signatures_is_refused(model: Path, tmp_path: Path) -> None:
    signing.sign(str(model), key(tmp_path))
    said = json.loads((model / SIGNATURE).read_text())
    for version in (0, 2):
        (model / SIGNATURE).write_text(json.dumps({**said, "version": version}))
        with pytest.raises(tf.errors.UnimplementedError, match=f"version {version}, expected 1"):
            signing.signers(Container(str(model)))


def test_a_signature_of_another_model_is_none(model: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    with container.writing(str(other)) as draft:
        container.write_file(os.path.join(draft, container.GRAPH), b"other")
    signing.sign(str(other), key(tmp_path))
    shutil.copyfile(other / SIGNATURE, model / SIGNATURE)
    with pytest.raises(tf.errors.DataLossError, match="is not one of this model"):
        signing.signers(Container(str(model)))


def test_what_is_no_key_is_told(tmp_path: Path) -> None:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519

    def pem(made: object, password: bytes | None = None) -> bytes:
        hidden = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
        return made.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, hidden)  # type: ignore[attr-defined, no-any-return]

    (tmp_path / "text").write_bytes(b"no key")
    (tmp_path / "curve").write_bytes(pem(ec.generate_private_key(ec.SECP256R1())))
    (tmp_path / "hidden").write_bytes(pem(ed25519.Ed25519PrivateKey.generate(), b"secret"))
    for name in ("text", "curve", "hidden"):
        with pytest.raises(ValueError):
            signing.read_key(str(tmp_path / name))
    with pytest.raises(ValueError):
        signing.read_key(str(tmp_path / "hidden"), b"wrong")
    assert signing.public(signing.read_key(str(tmp_path / "hidden"), b"secret")).startswith("ed25519:")


SMALL = [
    "00" * 32,
    "01" + "00" * 31,
    "ec" + "ff" * 30 + "7f",
    "ed" + "ff" * 30 + "7f",
    "ee" + "ff" * 30 + "ff",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
]


@pytest.mark.parametrize("weak", SMALL)
def test_a_key_of_small_order_signs_nothing(model: Path, weak: str) -> None:
    said = {"format": signing.FORMAT, "version": signing.VERSION, "signatures": {weak: weak[:64] + "00" * 32}}
    (model / SIGNATURE).write_text(json.dumps(said))
    with pytest.raises(tf.errors.DataLossError, match="is of small order"):
        signing.signers(Container(str(model)))
    with pytest.raises(ValueError, match="a point of small order"):
        Trust.of(f"ed25519:{weak}")

"""Ed25519 signatures of saved models (RFC 8032), made and checked by the `cryptography` package.

A signature covers the digest of the manifest, which has the digest of every file. Therefore no file of a signed model
can be changed, and no signature can be moved to another model.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

from inlay._src.base import errors
from inlay._src.host.bodies.trust import is_weak
from inlay._src.saved.container import SIGNATURE, Container

FORMAT, VERSION = "inlay signature", 1
_MOST_SIGNATURES = 64
_HEX = frozenset("0123456789abcdef")


def _ed25519() -> Any:
    """The module of the keys."""
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError as error:
        raise errors.FailedPreconditionError(
            None, None, "signing and checking signatures needs the package cryptography: pip install 'inlay[sign]'"
        ) from error
    return ed25519


def _message(digest: str) -> bytes:
    return b"inlay saved model 1\0" + bytes.fromhex(digest)


def new_key(path: str) -> str:
    """Makes a private key and writes it to a new file that only its owner reads, as PEM; returns its public key."""
    from cryptography.hazmat.primitives import serialization

    key = _ed25519().Ed25519PrivateKey.generate()
    data = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
        file.write(data)
    return public(key)


def read_key(path: str, password: bytes | None = None) -> Any:
    """A private Ed25519 key from a PEM file.

    Raises:
      ValueError: if it is none, or the password is wrong or missing.
    """
    module = _ed25519()
    from cryptography.hazmat.primitives import serialization

    with open(path, "rb") as file:
        data = file.read()
    try:
        key = serialization.load_pem_private_key(data, password)
    except TypeError as error:  # a password is missing, or there is one too many
        raise ValueError(f"{path}: {error}") from error
    if not isinstance(key, module.Ed25519PrivateKey):
        raise ValueError(f"{path} holds a {type(key).__name__}, expected an Ed25519 private key")
    return key


def public(key: Any) -> str:
    """The public key of a private one, as `trust=` takes it."""
    return f"ed25519:{key.public_key().public_bytes_raw().hex()}"


def sign(path: str, key: Any) -> str:
    """Signs a saved model, besides those who signed it already.

    Args:
      path: its folder.
      key: a private Ed25519 key.

    Returns:
      The public key, as `trust=` takes it.

    Raises:
      DataLossError: if a file of it is not as it was saved.
    """
    container = Container(path)
    container.verify()
    mine = public(key).removeprefix("ed25519:")
    signatures = {**_signatures(container), mine: key.sign(_message(container.digest)).hex()}
    said = {"format": FORMAT, "version": VERSION, "signatures": signatures}
    target = os.path.join(path, SIGNATURE)
    draft = f"{target}.{os.getpid()}-{os.urandom(4).hex()}"
    try:
        with open(draft, "x", encoding="ascii") as file:
            json.dump(said, file, indent=1, sort_keys=True)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
    finally:
        if os.path.exists(draft):
            os.unlink(draft)
    return f"ed25519:{mine}"


def _signatures(container: Container) -> dict[str, str]:
    """Public key -> signature, as the file has them."""
    data = container.signature()
    if data is None:
        return {}
    said = container.json(SIGNATURE, data)
    listed = said.get("signatures")
    if said.get("format") != FORMAT or not isinstance(said.get("version"), int):
        raise container.damaged(SIGNATURE, f"its format is {said.get('format')!r}")
    if said["version"] != VERSION:
        raise errors.UnimplementedError(
            None, None, f"the signature of {container.path} is of version {said['version']}, expected {VERSION}"
        )
    if not isinstance(listed, dict) or len(listed) > _MOST_SIGNATURES:
        raise container.damaged(SIGNATURE, "it lists no signatures")
    for key, signature in listed.items():
        if is_weak(key):
            raise container.damaged(
                SIGNATURE, f"the key ed25519:{key} is of small order: a signature by it is one of anything"
            )
        if len(key) != 64 or not isinstance(signature, str) or len(signature) != 128 or set(key + signature) - _HEX:
            raise container.damaged(SIGNATURE, "a key or a signature is malformed")
    return listed


def signers(container: Container, keys: Iterable[str] | None = None) -> list[str]:
    """The public keys whose signatures of a model are valid, 64 hexadecimal digits each.

    Args:
      container: the model.
      keys: the keys that matter; None for all.

    Raises:
      DataLossError: if a signature by one that matters is not valid: the model was changed since.
    """
    valid = _signatures(container)
    wanted = sorted(set(valid) if keys is None else set(valid) & set(keys))
    if not wanted:
        return []
    module = _ed25519()
    from cryptography.exceptions import InvalidSignature

    for key in wanted:
        try:
            verifier = module.Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
            verifier.verify(bytes.fromhex(valid[key]), _message(container.digest))
        except (InvalidSignature, ValueError) as error:
            raise container.damaged(
                SIGNATURE,
                f"the signature of ed25519:{key} is not one of this model: it was changed after it was signed",
            ) from error
    return wanted

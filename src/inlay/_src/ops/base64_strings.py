"""Strings as base64 of the alphabet that URLs take (RFC 4648, section 5)."""

from __future__ import annotations

import base64
import binascii
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import same


def _each(function: Any, values: Any) -> np.ndarray:
    array = np.asarray(values, object)
    out = np.empty(array.shape, object)
    out.reshape(-1)[:] = [function(value) for value in array.reshape(-1).tolist()]
    return out


@op("EncodeBase64", "input:string -> string", infer=same)
@export("io.encode_base64", "encode_base64")
def encode_base64(xp, input, *, pad=False):
    """Each string as base64, with "-" and "_" as the last two digits.

    Args:
      input: strings.
      pad: whether "=" fills the last four characters up.
    """
    return _each(lambda value: base64.urlsafe_b64encode(value).rstrip(b"" if pad else b"="), input)


def _decoded(value: bytes) -> bytes:
    digits = value.rstrip(b"=")
    if len(value) - len(digits) > 2 or (digits != value and len(value) % 4):
        raise ValueError("Invalid character found in base64: '=' is only allowed as padding at the end.")
    if len(digits) % 4 == 1:
        raise ValueError("Base64 string length cannot be 1 modulo 4.")
    try:
        if b"+" in digits or b"/" in digits:  # of the other alphabet, which b64decode takes too
            raise binascii.Error
        return base64.b64decode(digits + b"=" * (-len(digits) % 4), altchars=b"-_", validate=True)
    except binascii.Error:
        raise ValueError(f"Invalid character found in base64: {value!r}") from None


@op("DecodeBase64", "input:string -> string", infer=same, lower=REFUSES_VALUES)
@export("io.decode_base64", "decode_base64")
def decode_base64(xp, input):
    """Each string of base64 digits as what they stand for; "=" at its end may be left out.

    Args:
      input: strings of letters, digits, "-" and "_".

    Raises:
      InvalidArgumentError: for any other character, and a length that no string has.
    """
    return _each(_decoded, input)

"""Conversions between bytes and text."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from inlay._src.base.export import export

bytes_or_text_types = export("compat.bytes_or_text_types")((bytes, str))
integral_types = export("compat.integral_types")((numbers.Integral, np.integer))
real_types = export("compat.real_types")((numbers.Real, np.integer, np.floating))
complex_types = export("compat.complex_types")((numbers.Complex, np.number))


@export("compat.as_bytes")
def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Bytes or text as bytes; TypeError for anything else."""
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        try:
            return bytes_or_text.encode(encoding)
        except LookupError:
            raise LookupError(f"unknown encoding: {encoding!r}") from None
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


@export("compat.path_to_str")
def path_to_str(path: Any) -> str | Any:
    """The text of a path object; anything else as it is."""
    return as_text(path.__fspath__()) if hasattr(path, "__fspath__") else path


@export("compat.as_text", "compat.as_str")
def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Bytes or text as text; TypeError for anything else."""
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


@export("compat.as_str_any")
def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """`as_text` for bytes, `str` for anything else."""
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def byte_lengths(strings: np.ndarray) -> np.ndarray:
    """The lengths of an array of `bytes`, int32, as a vector."""
    texts = strings.ravel().tolist()
    try:  # Python puts small numbers into bytes sooner than NumPy reads them one by one
        return np.frombuffer(bytes(map(len, texts)), np.uint8).astype(np.int32)
    except ValueError:  # there are longer ones
        return np.fromiter(map(len, texts), np.int32, len(texts))


def counted(number: int, noun: str) -> str:
    """A number of things: "1 operation", "2 operations"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

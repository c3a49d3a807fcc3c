"""Conversions between bytes and text."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.export import export


@export("compat.as_bytes")
def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Bytes or text as bytes; TypeError for anything else."""
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


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

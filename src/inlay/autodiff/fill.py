"""Zeros and ones shaped like a tensor. By op type: ops lie above and may use what is here."""

from __future__ import annotations

from typing import Any

from inlay.core.opdef import OPS


def zeros_like(tensor: Any, name: str | None = None) -> Any:
    """Zeros of the shape and type of `tensor`."""
    return OPS["ZerosLike"].public(tensor, name=name)  # type: ignore[misc]


def ones_like(tensor: Any, name: str | None = None) -> Any:
    """Ones of the shape and type of `tensor`."""
    return OPS["OnesLike"].public(tensor, name=name)  # type: ignore[misc]

"""Whether `==` on tensors and variables compares elements (2.x) or asks if both are the same object (1.x)."""

from __future__ import annotations

from inlay._src.base.export import export


class _EqualitySetting:
    elementwise = True


@export("compat.v1.enable_tensor_equality")
def enable_tensor_equality() -> None:
    """Makes `==` on eager tensors and variables compare elements, and `hash` of them an error (the default).

    Symbolic tensors of a 1.x graph are compared by identity in both settings.
    """
    _EqualitySetting.elementwise = True


@export("compat.v1.disable_tensor_equality")
def disable_tensor_equality() -> None:
    """Makes `==` on tensors and variables ask whether both are the same object, so they are hashable, as in 1.x."""
    _EqualitySetting.elementwise = False


def elementwise() -> bool:
    """Whether `==` compares elements."""
    return _EqualitySetting.elementwise

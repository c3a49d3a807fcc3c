"""Ops of datasets, iterators and optionals: they take `identity` and `stop_gradient`, and no other op."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OpDef

_PASSING = ("Identity", "StopGradient")


def answer(op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any], name: str | None) -> Any:
    """The result of an op applied to such values.

    Raises:
      ValueError: if the op needs tensors.
    """
    if op.name not in _PASSING:
        for value in inputs:
            convert_to_tensor(value)
    (value,) = inputs
    return value._rebuild([emit(op, (component,), attrs, name) for component in value._components()])

"""The differentiable tensors of nested and composite values, and such values filled with derivatives.

A ragged or sparse value is differentiated by its numbers, never by the integers that say where these lie: a row
partition that is an end of itself would get a derivative of its own and change the rows of the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from inlay._src.base.types import nest


def differentiable_tensors(structure: Any) -> list[Any]:
    """The tensors and variables of a nest in order, of composite values those that have derivatives."""
    return list(_differentiable(nest.flatten(structure)))


def _differentiable(leaves: Sequence[Any]) -> Iterator[Any]:
    for leaf in leaves:
        composite = nest.composite_of(leaf)
        if composite is None:
            yield leaf
        else:
            yield from _differentiable(composite._differentiable_parts())


def with_derivatives(structure: Any, derivatives: Sequence[Any]) -> Any:
    """A nest like `structure` that holds a derivative or None for each of its `differentiable_tensors`."""
    rest = iter(derivatives)

    def derivative(leaf: Any) -> Any:
        composite = nest.composite_of(leaf)
        if composite is None:
            return next(rest)
        return composite._with_derivatives([derivative(part) for part in composite._differentiable_parts()])

    return nest.pack_sequence_as(structure, [derivative(leaf) for leaf in nest.flatten(structure)])

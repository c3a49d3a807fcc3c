"""The datasets within a dataset: those that its functions make or iterate, and those that are elements of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.core.devices.device_tensor import value_of
from inlay._src.core.tensor import EagerTensor, SymbolicTensor
from inlay._src.data.mapped import Mapped
from inlay._src.data.node import Iteration, Node
from inlay._src.data.spec import Bound
from inlay._src.programs.program import Program, programs_of


def nodes_of(node: Node, iteration: Iteration | None = None) -> Iterator[Node]:
    """The stages of a dataset and those of all datasets within it: always in the same order, some several times.

    Args:
      node: the dataset.
      iteration: has the values of what it uses; without one, those are known that ops say.
    """
    bound = {} if iteration is None else iteration.bound
    for stage in node.walk():
        yield stage
        for inner in _within(stage, bound):
            yield from nodes_of(inner, iteration)


def parts_of(node: Node, iteration: Iteration | None = None) -> Iterator[Any]:
    """The fields of the nodes of `nodes_of`, besides their inputs."""
    return (part for stage in nodes_of(node, iteration) for part in stage.parts())


def _within(stage: Node, bound: Mapping[int, Any]) -> Iterator[Node]:
    for part in stage.parts():
        if isinstance(part, Mapped):
            yield from part.datasets
            yield from _of_program(part.program)
    for tensor in stage.tensors:
        if tensor.dtype is dtypes.variant:
            yield from _of_variant(tensor, bound)


def _of_program(program: Program) -> Iterator[Node]:
    for operation in program.graph.acting():
        if "task" in operation.attrs:
            yield program.graph.referred(operation.attrs["task"])._node
        for below in programs_of(operation):
            yield from _of_program(below)


def _of_variant(tensor: Any, bound: Mapping[int, Any]) -> Iterator[Node]:
    """The datasets that a tensor is, as far as is known."""
    whole = value_of(tensor) if isinstance(tensor, EagerTensor) else bound.get(id(tensor))
    if whole is not None:
        for value in np.asarray(whole, object).ravel():
            if isinstance(value, Bound):
                yield value.node
    elif isinstance(tensor, SymbolicTensor) and "task" in tensor.op.attrs:
        yield tensor.graph.referred(tensor.op.attrs["task"])._node

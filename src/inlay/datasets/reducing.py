"""What a dataset comes to: `reduce` and `get_single_element`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inlay import errors
from inlay.core import context
from inlay.datasets.element import Element, of_tensors, values_of
from inlay.datasets.iterating import OwnedIterator
from inlay.datasets.mapped import Mapped
from inlay.datasets.node import Iteration, Node
from inlay.datasets.options import Options
from inlay.program import RUNNING


def reduced(node: Node, options: Options, initial: Any, function: Callable[..., Any]) -> Any:
    """The last state of `state = function(state, element)`; see `Dataset.reduce`."""
    spec, tensors = of_tensors(initial)
    state = Element(spec)
    mapped = Mapped(function, Element((spec, node.element.spec)), "Dataset.reduce()")
    kinds, made = [s.dtype for s in state.leaves], [s.dtype for s in mapped.element.leaves]
    if kinds != made:
        raise TypeError(
            f"The element types for the new state must match the initial state. Expected {kinds}, got {made}: "
            "cast in `reduce_func`, or begin with another dtype."
        )
    values, step = values_of(tensors), mapped.opened(Iteration(options))
    for element in OwnedIterator(node, options, lambda _, found: found):
        with context.using(RUNNING):
            values = step([*values, *element])
    return mapped.element.pack(values) if state.leaves else state.pack(values)


def single(node: Node, options: Options) -> Any:
    """The only element; see `Dataset.get_single_element`."""
    iterator = OwnedIterator(node, options)
    try:
        found = next(iterator)
    except StopIteration:
        raise errors.InvalidArgumentError(None, None, "Dataset was empty.") from None
    if next(iterator, iterator) is not iterator:
        raise errors.InvalidArgumentError(None, None, "Dataset had more than one element.")
    return found

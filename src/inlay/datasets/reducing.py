"""What a dataset comes to: `reduce` and `get_single_element`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inlay import errors
from inlay.core import context
from inlay.datasets.element import values_of
from inlay.datasets.iterating import OwnedIterator
from inlay.datasets.node import Iteration, Node
from inlay.datasets.options import Options
from inlay.datasets.scanning import Stepped
from inlay.program import RUNNING


def reduced(node: Node, options: Options, initial: Any, function: Callable[..., Any]) -> Any:
    """The last state of `state = function(state, element)`; see `Dataset.reduce`."""
    step = Stepped(function, initial, node.element, "Dataset.reduce()", lambda made: made)
    values, run = values_of(step.tensors), step.mapped.opened(Iteration(options))
    for element in OwnedIterator(node, options, lambda _, found: found):
        with context.using(RUNNING):
            values = run([*values, *element])
    return step.mapped.element.pack(values)


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

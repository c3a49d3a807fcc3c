"""Iterating in Python: what `for element in dataset` holds."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from inlay import errors
from inlay.core import context
from inlay.datasets.element import Element
from inlay.datasets.node import Cursor, Iteration, Node
from inlay.datasets.options import Options
from inlay.program import RUNNING


def opened(node: Node, options: Options, watch: Callable[[Node, Cursor], Cursor] | None = None) -> Cursor:
    """The cursor of a new iteration; see `Iteration.watch`."""
    with context.using(RUNNING):
        return Iteration(options, None, watch).opened(node)


def iterated(node: Node, options: Options, form: Callable[[Element, Sequence[Any]], Any]) -> Iterator[Any]:
    """Elements one after the other, as `form` makes them of their values."""
    return OwnedIterator(node, options, form)


class OwnedIterator:
    """An iterator over a dataset.

    Args:
      node: the dataset's.
      options: how it is run.
      form: what elements are made into, from how they are built and their values.
      watch: see `Iteration`.
    """

    def __init__(
        self,
        node: Node,
        options: Options,
        form: Callable[[Element, Sequence[Any]], Any] = Element.pack,
        watch: Callable[[Node, Cursor], Cursor] | None = None,
    ) -> None:
        self._element = node.element
        self._form = node.element.packing if form is Element.pack else functools.partial(form, node.element)
        self._cursor = opened(node, options, watch)
        self._end = weakref.finalize(self, self._cursor.close)

    def __iter__(self) -> OwnedIterator:
        return self

    def __next__(self) -> Any:
        before = context.get()
        context.set_state(RUNNING)
        try:
            values = next(self._cursor)
        finally:
            context.set_state(before)
        return self._form(values)

    def get_next(self) -> Any:
        """The next element.

        Raises:
          OutOfRangeError: at the end.
        """
        try:
            return next(self)
        except StopIteration:
            raise errors.OutOfRangeError(None, None, "End of sequence") from None

    @property
    def element_spec(self) -> Any:
        """A nest like the elements, of specs."""
        return self._element.spec

    def close(self) -> None:
        """Ends the iteration."""
        self._end()

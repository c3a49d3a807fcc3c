"""Windows that slide over a dataset, each one a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import nest
from inlay._src.data.batching import batched_spec
from inlay._src.data.element import Values
from inlay._src.data.graph_rows import graph_form
from inlay._src.data.node import Cursor, Iteration, Node
from inlay._src.data.pipeline import Pipeline
from inlay._src.data.sizes import at_least, size_tensor
from inlay._src.data.stacking import Stack


def _read_sliding(message: Any) -> Node:
    if not message.node.attrs["drop_remainder"]:
        raise ValueError("drop_remainder is False, which is not supported: write the graph with drop_remainder=True")
    return SlidingNode(message.inputs[0], *message.tensors)


@graph_form("SlidingWindowDataset", "int64 int64 int64", read=_read_sliding)
class SlidingNode(Node):
    """Batches of `size` elements, `stride` apart in a batch, each batch `shift` behind the one before."""

    __slots__ = ()
    name = "_SlideDataset"

    def __init__(self, source: Node, size: Any, shift: Any, stride: Any) -> None:
        spec = nest.map_structure(lambda s: batched_spec(s, None), source.element.spec)
        super().__init__(spec, (source,), (size, shift, stride))

    def cursor(self, iteration: Iteration) -> Cursor:
        names = ("window_size", "window_shift", "window_stride")
        numbers = [at_least(n, 1, name) for n, name in zip(iteration.values(self.tensors), names, strict=True)]
        return SlidingCursor(self.inputs[0].cursor(iteration), Stack(self.inputs[0].element), *numbers)


class SlidingCursor(Cursor):
    """One iteration of `SlidingNode`."""

    __slots__ = ("_shift", "_span", "_stack", "_stride", "ahead", "skip")
    saved = ("ahead", "skip")

    def __init__(self, source: Cursor, stack: Stack, size: int, shift: int, stride: int) -> None:
        super().__init__(source)
        self._stack, self._shift, self._stride, self._span = stack, shift, stride, (size - 1) * stride + 1
        self.ahead: list[Values] = []
        self.skip = 0

    def __next__(self) -> Values:
        while self.skip:
            next(self.sources[0])
            self.skip -= 1
        while len(self.ahead) < self._span:
            self.ahead.append(next(self.sources[0]))
        batch = self._stack(self.ahead[:: self._stride])
        self.skip = max(self._shift - self._span, 0)
        del self.ahead[: self._shift]
        return batch


@export("contrib.data.sliding_window_batch")
def sliding_window_batch(
    window_size: Any, stride: Any = None, window_shift: Any = None, window_stride: Any = 1
) -> Callable[[Pipeline], Pipeline]:
    """Batches that slide over the elements; the last elements that fill no batch are left out.

    Args:
      window_size: the number of elements per batch, an int64 scalar.
      stride, window_shift: the distance between the starts of two batches, under its two names; 1 by default.
      window_stride: the distance between elements of a batch.

    Returns:
      A function for `Dataset.apply`.

    Raises:
      ValueError: if both names are used.
    """
    if stride is not None and window_shift is not None:
        raise ValueError("Cannot specify both `stride` and `window_shift`")
    shift = stride if window_shift is None else window_shift
    sizes = {"window_size": window_size, "window_shift": 1 if shift is None else shift, "window_stride": window_stride}
    numbers = [size_tensor(size, name) for name, size in sizes.items()]
    return lambda dataset: dataset._with(SlidingNode(dataset._node, *numbers))

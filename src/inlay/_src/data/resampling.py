"""Elements left out at random so that classes have wanted frequencies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.data.element import Values
from inlay._src.data.graph_rows import CAPTURES, graph_form
from inlay._src.data.mapped import Mapped
from inlay._src.data.mapping import ElementFunction, MapCursor
from inlay._src.data.node import INFINITE, UNKNOWN, Cursor, Iteration, Node
from inlay._src.data.pipeline import applied
from inlay._src.data.shuffling import Seeds, fixed_seeds

SMOOTHING = 1.0
"""The initial count of each class, if frequencies are counted."""


@graph_form("", CAPTURES, {"kind": Mapped, "seeds": Seeds, "_known": bool})
class ResampleNode(Node):
    """Pairs of class and element, with wanted frequencies of the classes.

    An element of a class that is `r` times as frequent as wanted, against the class that is most wanted, is kept with
    probability `1 / r`: rejection sampling (von Neumann, 1951).

    Args:
      source: where the elements come from.
      kind: a function of an element; gives the number of its class.
      wanted: the wanted frequency of each class, a float vector.
      initial: the frequency of each class, a float vector; None counts.
      seeds: those of the iterations.
    """

    __slots__ = ("_known", "kind", "seeds")
    name = "_RejectionResampleDataset"

    def __init__(self, source: Node, kind: Mapped, wanted: Any, initial: Any, seeds: Seeds) -> None:
        if not isinstance(kind.element.spec, TensorSpec):
            raise TypeError(f"`class_func` must return one integer scalar, got {kind.element.spec!r}")
        self._known = initial is not None
        tensors = (wanted, *([initial] if initial is not None else []), *kind.captures)
        super().__init__((kind.element.spec, source.element.spec), (source,), tensors)
        self.kind, self.seeds = kind, seeds

    def cursor(self, iteration: Iteration) -> Cursor:
        wanted, *more = iteration.values(self.tensors)
        initial = more[0] if self._known else None
        function = ElementFunction.of(self, self.kind, iteration, errors.InvalidArgumentError)
        return ResampleCursor(self.inputs[0].cursor(iteration), function, wanted, initial, self.seeds.next())

    def cardinality(self, iteration: Iteration) -> int:
        return INFINITE if self.inputs[0].cardinality(iteration) == INFINITE else UNKNOWN


class ResampleCursor(MapCursor):
    """One iteration of `ResampleNode`. Its position has the counts and the state of the random numbers."""

    __slots__ = ("_initial", "_random", "_wanted", "counts")
    saved = ("counts", "first", "index")

    def __init__(
        self, source: Cursor, function: ElementFunction, wanted: Any, initial: Any, seed: Sequence[int]
    ) -> None:
        super().__init__(source, function)
        self._wanted = np.asarray(wanted, np.float64)
        self._initial = None if initial is None else np.asarray(initial, np.float64)
        self.counts: Any = np.full(len(self._wanted), SMOOTHING)
        self._random = np.random.Generator(np.random.PCG64(list(seed)))

    def __next__(self) -> Values:
        while True:
            values = next(self.sources[0])
            (kind,) = self.applied(values)
            at = int(kind)
            if not 0 <= at < len(self._wanted):
                raise errors.InvalidArgumentError(
                    None, None, f"class_func gave class {at}, but target_dist has {len(self._wanted)} classes"
                )
            if self._initial is None:
                self.counts = self.counts + (np.arange(len(self.counts)) == at)
            frequent = self.counts / self.counts.sum() if self._initial is None else self._initial
            ratio = self._wanted / np.maximum(frequent, np.finfo(np.float64).tiny)
            if self._random.random() * ratio.max() < ratio[at]:
                return [kind, *values]

    def state(self) -> Any:
        return {**super().state(), "random": self._random.bit_generator.state}

    def restore(self, state: Any) -> None:
        super().restore(state)
        self._random.bit_generator.state = state["random"]


def rejection_resample(
    source: Node,
    class_func: Callable[..., Any],
    target_dist: Any,
    initial_dist: Any = None,
    seed: Any = None,
    name: str | None = None,
) -> Node:
    """Drops elements of frequent classes at random, so that classes have the target frequencies.

    Args:
      class_func: takes an element; returns its class, an int32 scalar.
      target_dist: the target frequency of each class, a float vector.
      initial_dist: the frequency of each class, a float vector; None counts during iteration.
      seed: determines the drawn numbers together with `random.set_seed`.

    Returns:
      A dataset of pairs of class and element.

    Raises:
      ValueError: if frequencies are not a vector.
    """
    for frequencies, label in ((target_dist, "target_dist"), (initial_dist, "initial_dist")):
        if frequencies is not None and (rank := convert_to_tensor(frequencies).shape.rank) not in (None, 1):
            raise ValueError(f"`{label}` must be a vector of frequencies, got rank {rank}")
    classes = Mapped(class_func, source.element, "Dataset.rejection_resample()")
    initial = None if initial_dist is None else convert_to_tensor(initial_dist)
    return ResampleNode(source, classes, convert_to_tensor(target_dist), initial, Seeds(fixed_seeds(seed), True))


applied_rejection_resample: Any = export("data.experimental.rejection_resample", "contrib.data.rejection_resample")(
    applied(rejection_resample)
)

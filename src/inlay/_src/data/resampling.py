"""Elements left out or repeated at random so that classes have wanted frequencies.

    elements ──▶ class of each ──▶ frequencies so far, if they are not declared
       │                                  │
       │                                  ▼
       ├──▶ zip ──▶ filter: accepts an element of class i with probability (r_i - m) / (M - m)
       │                                  │
       └──▶ elements with their classes   │      r = wanted / initial, m = its least, M = its greatest number
                       └────── sample ────┘      draws from the unfiltered elements with probability m

The two passes over the elements are TensorFlow's, and so are the elements for a seed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import static_value_of
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.data.batching import batch, unbatch
from inlay._src.data.combining import ZipNode
from inlay._src.data.filtering import FilterNode
from inlay._src.data.mapped import Mapped, arguments, in_parts
from inlay._src.data.mapping import MapNode
from inlay._src.data.mixing import sampled
from inlay._src.data.node import Node
from inlay._src.data.pipeline import applied
from inlay._src.data.repeating import repeat
from inlay._src.data.scanning import scan
from inlay._src.data.sources import from_tensors
from inlay._src.ops import array, math, reductions
from inlay._src.ops.division import divide
from inlay._src.ops.gathering import gather
from inlay._src.ops.random import uniform
from inlay._src.ops.sequences import one_hot
from inlay._src.ops.stacking import stack
from inlay._src.ops.tiling import tile

_WHAT: Final = "Dataset.rejection_resample()"
_SMOOTHING: Final = 10
"""The initial count of each class, if frequencies are counted."""
_COUNTED: Final = 32
"""The number of elements that are counted at once."""


def rejection_resample(
    source: Node,
    class_func: Callable[..., Any],
    target_dist: Any,
    initial_dist: Any = None,
    seed: Any = None,
    name: str | None = None,
) -> Node:
    """Leaves out elements of frequent classes and repeats others, at random, so that classes have target frequencies.

    Args:
      class_func: takes an element; returns its class, an int32 or int64 scalar.
      target_dist: the target frequency of each class, a float vector.
      initial_dist: the frequency of each class, a float vector; None counts during iteration.
      seed: determines the drawn numbers together with `random.set_seed`.

    Returns:
      A dataset of pairs of class and element.

    Raises:
      ValueError: if frequencies are not a vector.
    """
    target = _frequencies(target_dist, "target_dist")
    whole = in_parts(source.element.spec)

    @functools.wraps(class_func)
    def with_class(*parts: Any) -> Any:
        return class_func(*parts), parts if whole else parts[0]

    classified = _mapped(source, with_class)
    share = None
    if initial_dist is None:
        rows = _counted(_mapped(source, class_func), target)
    else:
        initial = _frequencies(initial_dist, "initial_dist")
        rows, share = repeat(from_tensors(_row(initial, target))), _static_share(initial, target)
    if share == 1:
        return classified
    filtered = _filtered(rows, source, class_func, seed)
    if share == 0:
        return filtered
    weights = _mapped(rows, lambda accept, weights: weights)
    return sampled([classified, filtered], weights, seed, stop=True)


applied_rejection_resample: Any = export("data.experimental.rejection_resample", "contrib.data.rejection_resample")(
    applied(rejection_resample)
)


def _frequencies(values: Any, label: str) -> Any:
    frequencies = convert_to_tensor(values)
    if frequencies.shape.rank not in (None, 1):
        raise ValueError(f"`{label}` must be a vector of frequencies, got rank {frequencies.shape.rank}")
    return math.cast(frequencies, dtypes.float32)


def _mapped(source: Node, function: Callable[..., Any]) -> Node:
    return MapNode(source, Mapped(function, source.element, _WHAT))


def _row(initial: Any, target: Any) -> tuple[Any, Any]:
    """The probability that the filter accepts each class, and those of a draw from either of the two passes."""
    ratio = divide(target, math.add(initial, np.finfo(np.float32).tiny))
    least, most = reductions.reduce_min(ratio), reductions.reduce_max(ratio)
    accept = divide(math.subtract(ratio, least), math.subtract(most, least))
    return accept, stack([least, math.subtract(1.0, least)])


def _static_share(initial: Any, target: Any) -> Any:
    """The probability of a draw from the unfiltered elements; None if a run determines it."""
    one, other = (static_value_of(v) if isinstance(v, SymbolicTensor) else v.numpy() for v in (initial, target))
    if one is None or other is None:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.min(other / one)


def _counted(classes: Node, target: Any) -> Node:
    """The probabilities of `_row` by the frequencies of the classes so far, for each element."""
    number = target.shape[0] or array.shape(target)[0]

    def count(counts: Any, several: Any) -> Any:
        counts = math.add(counts, reductions.reduce_sum(one_hot(several, number, dtype=dtypes.int64), 0))
        frequencies = math.cast(divide(counts, reductions.reduce_sum(counts)), dtypes.float32)
        return counts, tuple(tile(array.expand_dims(p, 0), [_COUNTED, 1]) for p in _row(frequencies, target))

    return unbatch(scan(batch(classes, _COUNTED), array.fill([number], np.int64(_SMOOTHING)), count))


def _filtered(rows: Node, source: Node, class_func: Callable[..., Any], seed: Any) -> Node:
    """Pairs of class and element, without the elements that the draws reject."""
    both = ZipNode((rows.element.spec, source.element.spec), (rows, source))

    @functools.wraps(class_func)
    def with_probability(row: Any, element: Any) -> Any:
        kind = class_func(*arguments(element))
        return kind, gather(row[0], kind), element

    def accepts(kind: Any, probability: Any, element: Any) -> Any:
        return math.less(uniform([], seed=seed, dtype=probability.dtype), probability)

    chosen = _mapped(both, with_probability)
    chosen = FilterNode(chosen, Mapped(accepts, chosen.element, _WHAT))
    return _mapped(chosen, lambda kind, probability, element: (kind, element))

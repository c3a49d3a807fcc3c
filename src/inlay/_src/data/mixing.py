"""Elements of several datasets, each of one that a choice picks."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import dtypes
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import static_value_of
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.data.batching import batch
from inlay._src.data.combining import ZipNode
from inlay._src.data.element import Values
from inlay._src.data.graph_rows import graph_form
from inlay._src.data.mapped import Mapped
from inlay._src.data.mapping import MapNode
from inlay._src.data.node import INFINITE, UNKNOWN, Cursor, Iteration, Node
from inlay._src.data.options import Options
from inlay._src.data.pipeline import Pipeline, merged
from inlay._src.data.random_numbers import RandomNode, random_seeds
from inlay._src.data.repeating import repeat
from inlay._src.data.shuffling import Seeds
from inlay._src.data.sources import from_tensors
from inlay._src.data.spec import shared_spec
from inlay._src.data.taking import TakeNode
from inlay._src.data.words import words
from inlay._src.ops.array import reshape
from inlay._src.ops.draws import cumulative
from inlay._src.ops.philox import first_doubles
from inlay._src.ops.powers import log
from inlay._src.ops.random import stateless_categorical


@graph_form(
    "DirectedInterleaveDataset",
    "",
    {"stop": bool},
    None,
    attrs={"stop": "stop_on_empty_dataset"},
    read=lambda m: ChooseNode(m.inputs[0], m.inputs[1:], m.element().spec, m.node.attrs["stop_on_empty_dataset"]),
)
class ChooseNode(Node):
    """Elements of several datasets, each of that which a choice picks.

    Args:
      choices: gives the number of a dataset for every element, int64 scalars.
      sources: the datasets.
      spec: the most specific spec that the elements of all of them satisfy.
      stop: whether it ends when a dataset that is picked has ended; otherwise another is picked.
    """

    __slots__ = ("stop",)
    name = "_DirectedInterleaveDataset"

    def __init__(self, choices: Node, sources: Sequence[Node], spec: Any, stop: bool) -> None:
        super().__init__(spec, (choices, *sources))
        self.stop = stop

    def cursor(self, iteration: Iteration) -> Cursor:
        return ChooseCursor([node.cursor(iteration) for node in self.inputs], self.stop)

    def cardinality(self, iteration: Iteration) -> int:
        choices, *counts = [node.cardinality(iteration) for node in self.inputs]
        return INFINITE if choices == INFINITE and INFINITE in counts else UNKNOWN


class ChooseCursor(Cursor):
    """One iteration of `ChooseNode`."""

    __slots__ = ("_stop", "ended", "left")
    saved = ("ended", "left")

    def __init__(self, sources: Sequence[Cursor], stop: bool) -> None:
        super().__init__(*sources)
        self._stop, self.ended = stop, False
        self.left: Any = list(range(len(sources) - 1))

    def __next__(self) -> Values:
        while self.left and not self.ended:
            picked = int(next(self.sources[0])[0])
            if not 0 <= picked < len(self.sources) - 1:
                raise errors.InvalidArgumentError(
                    None, None, f"Selector index out of range: {picked} >= {len(self.sources) - 1}"
                )
            if picked not in self.left:
                continue
            try:
                return next(self.sources[1 + picked])
            except StopIteration:
                self.left = [i for i in self.left if i != picked]
                self.ended = self._stop
        raise StopIteration


def _as_tensorflows_ops(node: Any) -> Node:
    """The same choices by TensorFlow's ops: one that draws, in a `map` of pairs of random numbers."""
    weights, parts = node.inputs[0], node.written_as
    if parts is not None and _parts_of(parts)[0] is weights:
        return parts  # type: ignore[no-any-return]
    with context.using(context.EAGER):  # its constants belong to it, not to the graph of the program around it
        logits = MapNode(weights, Mapped(_logits, weights.element, _WHAT))
        seeds = batch(RandomNode(node.seeds), 2)
        both = ZipNode((logits.element.spec, seeds.element.spec), (logits, seeds))
        return MapNode(both, Mapped(_drawn, both.element, _WHAT))


def _of_tensorflows_ops(node: Any) -> Node:
    """The node of which `_as_tensorflows_ops` made these, which it is written as again.

    Raises:
      ValueError: for other nodes.
    """
    return RandomChoiceNode(*_parts_of(node), written_as=node)


def _parts_of(node: Any) -> tuple[Node, Seeds]:
    """The weights and the seeds of a choice by TensorFlow's ops; ValueError for other nodes."""
    both = node.inputs[0] if isinstance(node, MapNode) else None
    logits, pairs = both.inputs if isinstance(both, ZipNode) and len(both.inputs) == 2 else (None, None)
    if not (isinstance(logits, MapNode) and isinstance(pairs, Node) and isinstance(pairs.inputs[0], RandomNode)):
        raise ValueError("a choice at random is malformed")
    return logits.inputs[0], pairs.inputs[0].seeds


def _logits(*weights: Any) -> Any:
    """The log-probabilities of one element of weights: a matrix of one row."""
    return log(convert_to_tensor(weights))


def _drawn(logits: Any, seed: Any) -> Any:
    return reshape(stateless_categorical(logits, 1, seed), ())


@graph_form("", "", {"seeds": Seeds}, composed=_as_tensorflows_ops, recomposed=_of_tensorflows_ops)
class RandomChoiceNode(Node):
    """Numbers drawn at random, as many as there are weights: TensorFlow's for the same seeds.

    Args:
      weights: a dataset whose elements are vectors: the probability of each number.
      seeds: those of the iterations.
      written_as: the same choices by TensorFlow's ops, if it was read from a graph that has these.

    Raises:
      TypeError: if the weights are no floats.
      ValueError: if they are no vectors.
    """

    __slots__ = ("seeds", "written_as")
    name = "_RandomChoiceDataset"

    def __init__(self, weights: Node, seeds: Seeds, written_as: Node | None = None) -> None:
        super().__init__(TensorSpec((), dtypes.int64), (weights,))
        self.seeds, self.written_as = seeds, written_as
        _as_tensorflows_ops(self)  # which refuse what is no vector of probabilities

    def cursor(self, iteration: Iteration) -> Cursor:
        return RandomChoiceCursor(self.inputs[0].cursor(iteration), self.seeds.pair())

    def cardinality(self, iteration: Iteration) -> int:
        return self.inputs[0].cardinality(iteration)


class RandomChoiceCursor(Cursor):
    """One iteration of `RandomChoiceNode`. Its position is a number, as draw `i` follows from the seeds and `i`.

    Uniform numbers are computed ahead, weights are not: their dataset may have effects.
    """

    __slots__ = ("_ahead", "_block", "_bounds", "_first", "_weights", "next", "seeds")
    saved = ("next", "seeds")

    def __init__(self, weights: Cursor, seeds: Sequence[int]) -> None:
        super().__init__(weights)
        self.seeds: list[int] = list(seeds)
        self.next = self._first = 0  # the numbers of the next draw, and of the first one that is computed
        self._ahead: list[float] = []
        self._block = _FEWEST
        self._weights: bytes | None = None
        self._bounds: list[float] = []  # the cumulative distribution of the last weights

    def __next__(self) -> Values:
        at = self.next - self._first
        self.next += 1  # an element has its draw even if its weights fail
        weights = np.asarray(next(self.sources[0]))
        if at >= len(self._ahead):
            at = self._draw(self.next - 1)
        bytes_ = weights.tobytes()
        if bytes_ != self._weights:
            self._weights, self._bounds = bytes_, _bounds(weights)
        bounds = self._bounds
        return [np.int64(bisect.bisect_right(bounds, self._ahead[at] * bounds[-1]))]

    def _draw(self, number: int) -> int:
        """Computes a block of uniform numbers; the place of a draw in it."""
        pair = number // 2  # four words make the seeds of two draws
        seeds = np.array(words((self.seeds[0], self.seeds[1]), pair, self._block)).reshape(-1, 2)
        self._ahead, self._first = first_doubles(seeds).tolist(), 2 * pair
        self._block = min(4 * self._block, _MOST)
        return number - self._first


def _bounds(weights: np.ndarray) -> list[float]:
    """The cumulative distribution of a matrix of one row of weights.

    Raises:
      InvalidArgumentError: if it is none.
    """
    try:
        with np.errstate(divide="ignore", invalid="ignore"):
            return cumulative(np.log(weights)).ravel().tolist()
    except ValueError as error:
        raise errors.InvalidArgumentError(None, None, str(error)) from error


_FEWEST, _MOST = 8, 256
"""Pairs of draws that are computed at once: few at first, as many a dataset is short."""


def choose_from_datasets(
    datasets: Sequence[Pipeline], choice_dataset: Pipeline, stop_on_empty_dataset: bool = True
) -> tuple[Node, Options]:
    """Takes each element from one of several datasets, whose index another dataset provides.

    Args:
      datasets: datasets whose elements have the same structure and dtypes.
      choice_dataset: a dataset of int64 scalars, the indices into `datasets`.
      stop_on_empty_dataset: whether to end at the first choice of an exhausted dataset, rather than to skip the choice.

    Raises:
      ValueError: if there are no datasets.
      TypeError: if their elements differ, or if an element of `choice_dataset` is no int64 scalar.
      InvalidArgumentError: during iteration, if an index is out of range.
    """
    spec = _alike(datasets)
    if not hasattr(choice_dataset, "_dataset_spec"):
        raise TypeError(
            f"Invalid `choice_dataset`. `choice_dataset` should be a `tf.data.Dataset` but is {type(choice_dataset)}."
        )
    choice = choice_dataset.element_spec
    if not (isinstance(choice, TensorSpec) and choice.dtype is dtypes.int64 and choice.shape.is_compatible_with(())):
        raise TypeError(
            "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` tensors but are "
            f"{choice!r}."
        )
    chosen = ChooseNode(choice_dataset._node, [d._node for d in datasets], spec, bool(stop_on_empty_dataset))
    return chosen, merged([*datasets, choice_dataset])


def sample_from_datasets(
    datasets: Sequence[Pipeline],
    weights: Any = None,
    seed: Any = None,
    stop_on_empty_dataset: bool = False,
    rerandomize_each_iteration: bool | None = None,
) -> tuple[Node, Options]:
    """Takes each element from one of several datasets, which is drawn at random.

    Args:
      datasets: datasets whose elements have the same structure and dtypes.
      weights: the probability of each dataset, a float32 or float64 vector, or a dataset of such vectors; None is
        uniform.
      seed: determines the draws together with `random.set_seed`.
      stop_on_empty_dataset: whether to end when an exhausted dataset is drawn, rather than to draw again.
      rerandomize_each_iteration: whether every iteration draws other datasets.

    Raises:
      ValueError: if there are no datasets, or if the number of weights differs from theirs.
      TypeError: if their elements differ, or if the weights are no floats.
    """
    _alike(datasets)
    if isinstance(weights, Pipeline):
        choice: Any = weights._node
    else:
        probabilities = convert_to_tensor([1.0] * len(datasets) if weights is None else weights)
        if probabilities.dtype not in (dtypes.float32, dtypes.float64):
            raise TypeError(
                "Invalid `weights`. `weights` type must be either `tf.float32` or `tf.float64` but is "
                f"{probabilities.dtype}."
            )
        if probabilities.shape.rank is not None and probabilities.shape[0] not in (None, len(datasets)):
            raise ValueError(
                "Invalid `weights`. `weights` should have the same length as `datasets` but got "
                f"`len(weights)={probabilities.shape[0]}` vs. `len(datasets)={len(datasets)}`."
            )
        static = static_value_of(probabilities) if isinstance(probabilities, SymbolicTensor) else probabilities.numpy()
        if static is not None:
            likely = [i for i, weight in enumerate(static.tolist()) if weight > 0]
            if not likely:
                return TakeNode(datasets[0]._node, convert_to_tensor(0, dtypes.int64)), merged(datasets)
            if len(likely) == 1:
                return datasets[likely[0]]._node, merged(datasets)
            datasets = [datasets[i] for i in likely]
            probabilities = convert_to_tensor(static[likely])
        choice = probabilities
    nodes = [dataset._node for dataset in datasets]
    stop, again = bool(stop_on_empty_dataset), bool(rerandomize_each_iteration)
    return sampled(nodes, choice, seed, stop=stop, again=again), merged(datasets)


def sampled(sources: Sequence[Node], weights: Any, seed: Any, *, stop: bool, again: bool = False) -> ChooseNode:
    """Elements of several datasets, each of one that is drawn at random: those of TensorFlow for the same seed.

    Args:
      sources: the datasets; their elements are alike.
      weights: the probability of each dataset: a float vector, or a dataset of such vectors.
      seed: determines the draws together with `random.set_seed`.
      stop: whether it ends when an exhausted dataset is drawn.
      again: whether every iteration draws other datasets.
    """
    if not isinstance(weights, Node):
        weights = repeat(from_tensors(weights))
    choices = RandomChoiceNode(weights, random_seeds(seed, again))
    return ChooseNode(choices, sources, shared_spec([node.element.spec for node in sources]), stop)


_WHAT: Final = "Dataset.sample_from_datasets()"


def _alike(datasets: Sequence[Any]) -> Any:
    """The most specific spec that the elements of all datasets satisfy."""
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    for i, dataset in enumerate(datasets):
        if not hasattr(dataset, "element_spec"):
            raise TypeError(f"Invalid `datasets`. `datasets` must be datasets, number {i} is {dataset!r}.")
    specs = [dataset.element_spec for dataset in datasets]
    for i, spec in enumerate(specs):
        try:
            shared_spec([specs[0], spec])
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"Invalid `datasets`. `datasets` must have compatible element specs.\n Dataset 0 "
                f"element_spec={specs[0]!r}.\nDataset {i} element_spec={spec!r}."
            ) from error
    return shared_spec(specs)
